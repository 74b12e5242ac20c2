"""The gradient of a product with an integer is a float, so that it has derivatives: Hessians were None."""
import numpy as np
import pytest

import adcompiler as ad

X = np.ones(3)


def count(x):
    return np.sum(x * len(x))


def sum_of_counts(x):
    return np.sum(x * (-len(x) + 1))


def name_of_a_count(x):
    n = len(x) * 2
    return np.dot(x, np.arange(3)) * n


@pytest.mark.parametrize("f", [count, sum_of_counts, name_of_a_count])
def test_hessians_are_zeros(f):
    gradient, along = ad.jvp(ad.grad(f), (X,), (X,))
    assert gradient.dtype == float and np.array_equal(gradient, ad.grad(f)(X))
    assert np.array_equal(along, np.zeros(3)) and np.array_equal(ad.hvp(f)(X, X), np.zeros(3))
    assert np.array_equal(ad.hessian(f)(X), np.zeros((3, 3)))


def test_of_a_number():
    def scaled(x, k):
        return x * k

    value, along = ad.jvp(ad.grad(scaled), (2.0, 3), (1.0, None))
    assert value == 3.0 and isinstance(value, float) and along == 0.0
