"""A call of what is not defined, or is no function, says so."""

from __future__ import annotations

import numpy as np
import pytest

import adcompiler as ad


def slip_of_the_pen(x):
    return np.sin(x) * sine(x)  # noqa: F821


def not_in_the_module(x):
    return np.sine(x)


def never_given(x, function=None):
    return function(x)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (slip_of_the_pen, "'sine' is called here, and it is not defined"),
        (not_in_the_module, "the module 'numpy' has no 'sine'"),
        (never_given, r"what 'function\(...\)' calls is None, which is no function"),
    ],
)
def test_the_message(function, message):
    with pytest.raises(ad.UnsupportedSyntaxError, match=message) as caught:
        ad.grad(function)(0.5)
    assert caught.value.lineno == function.__code__.co_firstlineno + 1


def test_a_name_that_is_defined_later_is_found():
    def f(x):
        return later(x)

    def later(x):
        return x * x

    assert ad.grad(f)(3.0) == 6.0


def test_a_callback_that_is_not_given_is_not_called():
    def f(x, callback=None):
        if callback is not None:
            callback(x)
        return x * x

    assert ad.grad(f)(3.0) == 6.0
