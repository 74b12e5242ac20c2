"""`check_gradients` on every way to pass an argument, and what it says of a wrong rule."""
import numpy as np
import pytest

import adcompiler as ad


def power(x, *, exponent=2):
    return x ** exponent


CALLS = [
    (lambda x, y=2.0: x * y, (1.0,), {}),
    (power, (2.0,), {"exponent": 3.0}),
    (lambda z: abs(z) ** 2, (1 + 2j,), {}),
    (lambda z: np.sum(np.abs(z * z)), (np.array([1 + 2j, 0.5 - 1j]),), {}),
    (lambda *values: values[0] * values[1], (1.0, 2.0), {}),
    (lambda **named: named["u"] * named["v"], (), {"u": 1.0, "v": 2.0}),
]


@pytest.mark.parametrize(("function", "args", "kwargs"), CALLS)
def test_right_gradients_pass(function, args, kwargs):
    ad.check_gradients(function, *args, **kwargs)


def square(x):
    return x * x


def test_a_wrong_rule_is_named_with_both_values():
    ad.register_vjp(square, lambda y_bar, y, x: (x * y_bar,))
    with pytest.raises(ad.GradientMismatchError, match=r"argument 0 \(x\), index \(\): the compiler gives .*, differences give"):
        ad.check_gradients(square, 2.0)
