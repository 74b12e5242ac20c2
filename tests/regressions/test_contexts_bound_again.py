"""`with obj: obj = other`: `__exit__` is that of the object which was entered. It ran on the new one: values were wrong."""
import numpy as np
import pytest

import adcompiler as ad


class Scaled:
    def __init__(self, v):
        self.v = v

    def __enter__(self):
        self.v = self.v * 2.0
        return self

    def __exit__(self, *error):
        self.v = self.v * self.v[0]
        return False


def in_the_body(x):
    held = kept = Scaled(x)
    with held:
        held = Scaled(x * 3.0)
    return kept.v @ x + held.v[0]


def by_as(x):
    first, second = Scaled(x), Scaled(x * 2.0)
    kept = first
    with first as second:  # noqa: F811
        with second as first:
            second = Scaled(x)
    return first.v @ x + second.v[0] + kept.v[1]


def in_a_loop(x):
    held = kept = Scaled(x)
    for _ in range(3):
        with held:
            held = Scaled(held.v * x)
    return kept.v @ x + held.v[0]


def by_nonlocal(x):
    held = kept = Scaled(x)

    def bind_again():
        nonlocal held
        held = Scaled(x * x)

    with held:
        bind_again()
    return kept.v @ x + held.v[1]


@pytest.mark.parametrize("f", [in_the_body, by_as, in_a_loop, by_nonlocal])
def test_the_object_that_was_entered_is_left(f):
    x, v = np.array([0.9, 0.4, 1.3, 0.65]), np.array([0.3, -0.7, 0.45, 0.8])
    slope = f(x + 1e-30j * v).imag / 1e-30
    value, gradient = ad.value_and_grad(f)(x)
    assert value == pytest.approx(f(x), rel=1e-13)
    assert gradient @ v == pytest.approx(slope, rel=1e-13)
    assert ad.jvp(f, (x,), (v,))[1] == pytest.approx(slope, rel=1e-13)
