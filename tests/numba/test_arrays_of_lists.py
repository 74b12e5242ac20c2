"""`np.array(values)` of a list: Numba's own makes the list itself an array, also where something else holds it."""
import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")

X = np.array([0.5, -1.2, 0.8, 1.7, -0.3])


def made_in_each_trip(x):
    s, w = x[0], x.copy()
    for _ in range(2):
        w[:3] = np.array([s * j for j in range(3)])
        s = 0.2 * (x[1] ** 2 + s)
    return np.sum(w * x) * s


def element_of_another_list(x):
    rows, s = [], 0.0
    for k in range(2):
        values = []
        rows.append(values)
        for i in range(3):
            values.append(x[i] * x[k])
        a = np.array(values)
        rows[-1][0] = 7.0
        s += np.sum(a * a)
    return s + rows[0][1] * rows[1][0]


def changed_array(x):
    rows, s = [], 0.0
    for k in range(2):
        values = []
        rows.append(values)
        for i in range(3):
            values.append(x[i] * x[k])
        a = np.array(values)
        a *= 2.0
        s += np.sum(a * a) + rows[-1][0]
    return s


def read_as_it_grows(x):
    values, s = [], 0.0
    for i in range(4):
        values.append(x[i] * len(values))
        s += sum(values)
    return np.sum(np.array(values) ** 2) * s


def two_in_one_loop(x):
    first, second = [], []
    for i in range(4):
        first.append(x[i] * 2.0)
        second.append(x[i] ** 2)
    return np.sum(np.array(first) * np.array(second))


def taken_off_again(x):
    values = []
    for i in range(4):
        values.append(x[i] * x[i])
        if len(values) > 2:
            values.pop(0)
    a = np.array(values)
    return np.sum(a * a) * a[0]


PROGRAMS = [made_in_each_trip, element_of_another_list, changed_array, read_as_it_grows, two_in_one_loop, taken_off_again]


@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients_and_tangents(f):
    value, gradient = ad.value_and_grad(f, backend="numba")(X.copy())
    expected, expected_gradient = ad.value_and_grad(f)(X.copy())
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-12, atol=1e-12)
    _, tangent = ad.jvp(ad.differentiable(f, backend="numba"), (X.copy(),), (np.ones(5),))
    np.testing.assert_allclose(tangent, np.sum(gradient), rtol=1e-12)


@pytest.mark.parametrize("f", [taken_off_again])
def test_pullbacks(f):
    _, pullback = ad.vjp(ad.differentiable(f, backend="numba"), X.copy())
    np.testing.assert_allclose(np.ravel(pullback(1.0)), ad.grad(f)(X.copy()), rtol=1e-12, atol=1e-12)
