"""Keyword arguments of functional rules, and list elements that are read before an append in one expression."""
import adcompiler as ad
from tests.random_programs.check import check

import numpy as np
import pytest


def scaled_power(x, y=1.0, p=2):
    return x ** p * y


def scaled(x, *, y):
    return x * y


def _scaled_power_vjp(z_bar, z, x, y=1.0, p=2):
    return z_bar * p * x ** (p - 1) * y, np.sum(z_bar * x ** p)


ad.register_vjp(scaled_power, _scaled_power_vjp)
ad.register_vjp(scaled, lambda z_bar, z, x, *, y: (z_bar * y,))
X = np.array([0.5, 1.5, -0.7])


@pytest.mark.parametrize('function', [
    lambda x, y: np.sum(scaled_power(y=y, x=x)),
    lambda x, y: np.sum(scaled_power(x, y=y, p=3)),
    lambda x, y: y * np.sum(scaled_power(p=3, x=x)),
])
def test_active_keyword_arguments_of_a_functional_rule(function):
    ad.check_gradients(function, X, 2.0)


def test_constant_keyword_only_argument_of_a_functional_rule():
    np.testing.assert_array_equal(ad.grad(lambda x: np.sum(scaled(x, y=3.0)))(X), [3.0, 3.0, 3.0])


def test_active_keyword_only_argument_is_refused():
    with pytest.raises(ad.UnsupportedSyntaxError, match="keyword argument 'y' of .*scaled"):
        ad.grad(lambda x: np.sum(scaled(x, y=x)))(X)


def test_element_is_read_before_an_append():
    check('''
def f(x):
    values = [x[0]]

    def grow():
        values.append(x[1] * values[-1])
        return 2.0

    return values[-1] * grow() + (values[-1], grow())[0]
''', {'x': np.array([0.5, 1.5, -0.7])}, ('x',))
