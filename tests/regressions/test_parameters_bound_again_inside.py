"""A function that a helper makes binds a parameter of the helper again (`nonlocal`): the caller's variable was overwritten."""

import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline


def setter(u, r):
    def inner(t):
        nonlocal r
        r = np.tanh(0.5 * u[0])
        return 0.7 * t

    return inner


def counter(r):
    def inner(t):
        nonlocal r
        r = r * 2.0
        return t * r

    return inner


def variable_of_the_caller(u, y):
    set_r = setter(u, y)
    a = set_r(u[1])
    return a * u[0] + 0.7 * y


def in_a_loop(u, y):
    set_r = setter(u, y)
    for _ in range(2):
        u[0] = np.sin(set_r(u[1])) + y * u[0]
    return np.sum(u * u) + 0.7 * y * y


def on_one_path(u, y):
    set_r = setter(u, y)
    b = u[1]
    if y > 0.0:
        b = set_r(u[0] * y)
    return b * b * y


def an_expression(u, y):
    set_r = setter(u, 0.5 * y)
    t = 0.5 * y
    return set_r(t * u[1]) + t * y


def told_apart(u, y):
    first, second = counter(y), counter(y)
    return first(u[0]) * first(u[1]) + second(u[1]) * y


def a_number(u, y):
    set_r = setter(u, y)
    t = set_r(0.5)
    y = set_r(y)
    return t * y * u[0]


PROGRAMS = [variable_of_the_caller, in_a_loop, on_one_path, an_expression, told_apart, a_number]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("switches", [{}, {"tbr": False}, {"simplify": False}], ids=str)
def test_both_modes_agree_with_the_complex_step(f, switches):
    u, y = np.array([0.6, 0.8]), 0.9
    slopes = [f(u + e, y).imag / 1e-30 for e in 1e-30j * np.eye(2)]
    slope = _complex(f, u, y) / 1e-30
    with pipeline.switched(**switches):
        value, (u_bar, y_bar) = ad.value_and_grad(f, wrt=(0, 1))(u, y)
        tangent = ad.jvp(f, (u, y), (np.array([0.3, -0.4]), 0.7))[1]
    assert value == pytest.approx(f(u.copy(), y), rel=1e-15)
    np.testing.assert_allclose(u_bar, slopes, rtol=1e-13)
    assert y_bar == pytest.approx(slope, rel=1e-13)
    assert tangent == pytest.approx(np.dot(slopes, [0.3, -0.4]) + 0.7 * slope, rel=1e-13)


class _Step(complex):
    """A complex number that is compared by its real part, as a number moved by a complex step is."""

    def __gt__(self, other):
        return self.real > other


def _complex(f, u, y):
    return f(u.astype(complex), _Step(y, 1e-30)).imag


def lengths(x, m):
    total = sum(sum(b for _ in range(1) if a) for a, b in zip(x, m[1]))
    if total > 1e9:

        def unused(t):
            for i in range(len(t)):
                pass

    return total * total


def test_a_program_that_names_len_in_a_function_kept_as_text():
    x, m = np.array([-1.4, 1.3, -0.5]), np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(ad.grad(lengths, wrt="m")(x, m), [[0.0, 0.0, 0.0], [24.0, 24.0, 24.0]])
