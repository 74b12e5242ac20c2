"""Numbers that become arrays in the first trip of a loop: `y = 0.0; for w in ws: y = y + w * x`."""

import numpy as np
import pytest

import adcompiler as ad

point = np.array([0.5, 2.0, 1.0])


def weighted(x, n):
    y = 0.0
    for k in range(n):
        y = y + (k + 0.5) * x ** (k + 1)
    return np.sum(y * y)


def horner(x, n):
    y = 0.0
    for k in range(n):
        y = y * x + np.cos(k)
    return np.sum(y)


def product(x, n):
    y = 1
    for _ in range(n):
        y *= x
    return np.sum(y * x)


def with_a_sum_inside(x, n):
    y = 0.0
    for _ in range(n):
        t = y * x
        y = t + np.sin(x) * np.sum(t) + x
    return np.sum(y * y)


def of_matrices(x, n):
    outer = np.outer(x, x)
    y = 0.0
    for k in range(n):
        y = outer * k - y
    return np.sum(y * outer)


@pytest.mark.parametrize("function", [weighted, horner, product, with_a_sum_inside, of_matrices])
def test_values_and_derivatives_are_those_of_numpy(function):
    compiled, plain = ad.value_and_grad(function, backend="numba"), ad.value_and_grad(function)
    for x, n, tolerance in ((point, 1, 1e-13), (point, 4, 1e-13), (point.astype(np.float32), 3, 1e-5)):
        (value, gradient), (wanted, other) = compiled(x, n), plain(x, n)
        assert value == pytest.approx(wanted, rel=tolerance) and gradient.dtype == other.dtype
        np.testing.assert_allclose(gradient, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("function", [horner, with_a_sum_inside])
def test_second_derivatives_too(function):
    v = np.array([1.0, -0.5, 0.25])
    np.testing.assert_allclose(
        ad.hvp(ad.differentiable(function, backend="numba"))(point, 3, v), ad.hvp(function)(point, 3, v), rtol=1e-12
    )


def sum_of_the_number(x, n):
    y, s = 1.0, 0.0
    for _ in range(n):
        s = s + np.sum(y)  # of the number in the first trip: 1, and not 3
        y = y * x
    return s


def ends_early(x, n):
    y = 1.0
    for k in range(n):
        if k > 0:
            break
        y = y + x
    return np.sum(y)


def another_name(x, n):
    y = before = 0.0
    for _ in range(n):
        before = y
        y = y + x
    return np.sum(y * before)


def only_in_some_trips(x, n):
    y = 1.0
    for k in range(n):
        if k > 1:
            y = y * x
    return np.sum(y)


@pytest.mark.parametrize("function, trips", [
    (sum_of_the_number, 2), (ends_early, 2), (another_name, 2), (only_in_some_trips, 2), (horner, 0),
])  # fmt: skip
def test_where_the_two_would_differ_they_are_refused(function, trips):
    with pytest.raises(ad.UnsupportedSyntaxError, match="values of different types on different paths") as caught:
        ad.grad(function, backend="numba")(point, trips)
    assert caught.value.lineno and "np.zeros" in str(caught.value)
