"""A part of a result that is a tuple of tuples gets its name by a statement of its own: second order of np.block."""
import numpy as np
import pytest

import adcompiler as ad
from adcompiler.runtime.joining import unblock

X = np.array([0.5, -1.1, 0.8])


def corners(x):
    parts = unblock(np.outer(x, x * x), [[(1, 1), (1, 2)], [(2, 1), (2, 2)]])
    above = parts[0]
    below = parts[1]
    return np.sum(above[1] * above[0]) + np.sum(below[1] * below[0]) * x[0]


def block_of_rows(x):
    return np.block([[x, x * x], [x * x * x, x]]).prod()


def block_of_matrices(x):
    return np.sum(np.block([[np.outer(x, x), x[:, None]], [x, 2.0]])) ** 2


@pytest.mark.parametrize("function", (corners, block_of_rows, block_of_matrices))
def test_both_orders(function):
    v, gradient = np.array([1.0, 2.0, -1.0]), ad.grad(function)
    differences = [(function(X + 1e-6 * e) - function(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(gradient(X), differences, rtol=1e-6, atol=1e-8)
    expected = (gradient(X + 1e-6 * v) - gradient(X - 1e-6 * v)) / 2e-6
    for found in (ad.hvp(function)(X, v), ad.vjp(gradient, X, wrt=0)[1](v)):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def shape_behind_a_test(x):
    y = x * x
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        y = y.sum(0)
    return np.sum(y * x)


def correlation(x):
    return np.corrcoef(x, x * x)[0, 1] ** 2 + np.histogram([0.1, 0.2, 0.9], bins=2, weights=x * x)[0].prod()


@pytest.mark.parametrize("function", (shape_behind_a_test, correlation))
def test_parts_of_shapes_that_a_test_rules_out(function):
    test_both_orders(function)
