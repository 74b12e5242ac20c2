"""A loop binds a name again while a view, a second name or a closure goes on with the array that it meant before.

Both had one name for their adjoint: what the view brought was taken for the adjoint of the name in the loop.
"""

import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline


def second_name(x, a):
    u = a
    u[0] *= 0.5
    for _ in range(3):
        x = 2.0 - u[0]
        a = 0.5 * a
    return x


def part(x, a):
    u = a[:1]
    u *= 0.5
    for _ in range(3):
        x = 2.0 - u[0]
        a = 0.5 * a
    return x


def halved(u):
    u[0] *= 0.5
    return lambda t: 2.0 * t - u[0] * u[1]


def closure(x, a):
    f = halved(a)
    for _ in range(3):
        x = f(x)
        a = 0.5 * a
    return x + a[1]


def until(x, a):
    f = halved(a)
    while x < 3.0:
        x = f(x) + 3.0
        a = np.sin(a)
    return f(x) + a[1]


def on_one_path(x, a):
    u = a
    u[0] *= 0.5
    for _ in range(3):
        if x > -100.0:
            a = 0.5 * a
            x = 2.0 * x - u[0]
    return x + a[1]


def read_on_both_sides(x, a):
    u = a
    u[0] *= 0.5
    for _ in range(3):
        x = 2.0 * x - u[0]
        a = 0.5 * a
        x = x + a[0] * u[1]
    return x + a[1]


def of_what_the_loop_makes(x, a):
    for _ in range(2):
        u = a
        u[0] *= 0.5
        for _ in range(3):
            x = 2.0 * x - u[0]
            a = x * np.ones(2)
            x = x + 0.1 * a[0]
    return x * a[1]


def of_the_target_of_a_loop(x, a):
    u = a
    u[0] *= 0.5
    for a in (a * 2.0, a * 3.0):
        x = x + 0.1 * a[0] * u[0]
    return x


def by_its_second_name(x, a):
    u = a
    u[0] *= 0.5
    a = 2.0 * u
    return x * np.sum(a)


def by_a_part(x, a):
    u = a[::-1]
    a[1] = 3.0
    a = x * u
    return np.sum(a * a)


def by_a_component(x, a):
    pair = (x, a)
    a[0] = 3.0 * x
    a = np.where(0.3, pair[1], 3.0)
    return np.sum(a) * x


def in_a_swap(x, a):
    u = a
    a[0] = 3.0 * x
    a, u = 2.0 * u, a
    return np.sum(a * u)


def by_an_element(x, a):
    held = [a]
    a[0] = 3.0
    a = 2.0 * held[0]
    held[0][1] *= x
    return np.sum(a * held[0])


def in_an_expression(x, a):
    u = a
    u[0] *= 2.0
    if (a := u * x)[0] > 0.0:
        return np.sum(a * u)
    return np.sum(a)


def in_place_and_anew(x, a):
    u = a
    a[0] = 3.0
    a *= 2.0
    a = a * u
    return x * np.sum(a)


PROGRAMS = [in_a_swap, by_an_element, in_an_expression, in_place_and_anew, by_its_second_name, by_a_part, by_a_component, second_name, part, closure, until, on_one_path, read_on_both_sides, of_what_the_loop_makes, of_the_target_of_a_loop]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("switches", [{}, {"tbr": False}, {"simplify": False}], ids=str)
def test_both_modes_agree_with_differences(f, switches):
    x, a, h = 0.087, np.array([0.649, -1.397]), 1e-6
    wanted = [(f(x, a + e) - f(x, a - e)) / (2.0 * h) for e in h * np.eye(2)]
    with pipeline.switched(**switches):
        gradient = ad.grad(f, wrt="a")(x, a)
        _, pullback = ad.vjp(f, x, a, wrt="a")
        tangent = ad.jvp(f, (x, a), (np.array([0.3, -0.7]),), wrt="a")[1]
    np.testing.assert_allclose(gradient, wanted, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(pullback(1.0), wanted, rtol=1e-6, atol=1e-8)
    assert tangent == pytest.approx(np.dot(wanted, [0.3, -0.7]), rel=1e-6)
