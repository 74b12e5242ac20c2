"""Lambdas and comprehensions that stay as written have names of their own, and read the others when they run.

A temporary named as the parameter of a lambda, or a copy of a variable with that name, took the place of the parameter.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate

import adcompiler as ad


def key_of_a_helper(x, t):
    def helper(p):
        return sorted([1.0, 2.0, 3.0], key=lambda t: p * t)[0] * x

    return helper(t)


def key_and_a_name_bound_again(x, t):
    def helper(p):
        return sorted([1.0, 2.0, 3.0], key=lambda t: p * t)[0] * x

    r = helper(t)
    t = 5.0
    return r * t


def key_made_before_the_name_is_bound_again(x, p):
    def maker(q):
        return lambda t: -q * t

    key = maker(p)
    p = -p
    return sorted([1.0, 2.0, 3.0], key=key)[0] * x * p


def lambda_in_a_lambda(x, t):
    def helper(p):
        return max((1.0, 2.0, 3.0), key=lambda t: (lambda x: x * p)(t)) * x

    return helper(t)


def comprehension_of_a_helper(x, t):
    def helper(p):
        return [p * t for t in [1.0, 2.0]]

    return sum(helper(t)) * x


def counted(x, t):
    def helper(p):
        return len([1 for t in (1, 2, 3) if t * p < 0]) * x

    return helper(t)


def integrals_inside(p, b):
    def inner(p):
        return integrate.quad(lambda t: np.exp(-p * t), 0.0, b)[0]

    first = inner(p)
    return integrate.quad(lambda t: first * t + p, 0.0, 1.0)[0]


def integrand_named_as_the_argument(p, t):
    def helper(q):
        return integrate.quad(lambda t: q * t * t, 0.0, 1.0)[0]

    return helper(t) * p


def integrand_over_a_copy(x, p):
    def maker(q):
        return lambda t: q * t

    k = maker(x)
    x = x * 3.0
    return integrate.quad(k, 0.0, 1.0)[0] * x * p


@pytest.mark.parametrize(
    "f",
    [
        key_of_a_helper,
        key_and_a_name_bound_again,
        key_made_before_the_name_is_bound_again,
        lambda_in_a_lambda,
        comprehension_of_a_helper,
        counted,
        integrals_inside,
        integrand_named_as_the_argument,
        integrand_over_a_copy,
    ],
    ids=lambda f: f.__name__,
)
def test_values_and_both_modes(f):
    at, h = (1.3, -0.7), 1e-6
    wanted = [(f(at[0] + h, at[1]) - f(at[0] - h, at[1])) / (2 * h), (f(at[0], at[1] + h) - f(at[0], at[1] - h)) / (2 * h)]
    value, gradient = ad.value_and_grad(f, wrt=(0, 1))(*at)
    again, pullback = ad.vjp(f, *at)
    assert value == again == pytest.approx(f(*at), rel=1e-12)
    np.testing.assert_allclose(gradient, wanted, atol=1e-6)
    np.testing.assert_allclose(pullback(1.0), wanted, atol=1e-6)
    for k, slope in enumerate(wanted):
        found, tangent = ad.jvp(f, at, tuple(1.0 if k == j else None for j in range(2)))
        assert found == pytest.approx(value, rel=1e-12) and tangent == pytest.approx(slope, abs=1e-6)
