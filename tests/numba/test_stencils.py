"""Stencils in compiled code: steps in place in one sweep, adjoints that gather, views read through, one array kept for several."""
import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")


def agree(f, shape, steps=3):
    u = np.random.default_rng(7).uniform(0.2, 1.0, shape)
    expected = ad.value_and_grad(f)(u.copy(), steps)
    found = ad.value_and_grad(f, backend="numba")(u.copy(), steps)
    assert found[0] == pytest.approx(expected[0], rel=1e-12)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-11, atol=1e-12)


def text(f, *args):
    return ad.differentiable(f, backend="numba").source("gradient", *args)


def three_points(u, steps):
    for _ in range(steps):
        u[1:-1] = 0.33 * (u[:-2] + u[1:-1] + u[2:])
    return np.sum(u * u)


def upwind(u, steps):
    for _ in range(steps):
        u[1:] -= 0.3 * (u[1:] - u[:-1]) * u[1:]
    return np.sum(u * u)


def one_sided(u, steps):
    for _ in range(steps):
        u[3:] = u[:-3] - 0.5 * u[1:-2] + u[2:-1] * u[2:-1]
    return np.sum(np.sin(u))


def ahead_only(u, steps):
    for _ in range(steps):
        u[:-2] = 0.6 * u[1:-1] - 0.2 * u[2:]
    return np.sum(u * u * u)


def five_points(u, steps):
    for _ in range(steps):
        u[2:-2] += 0.1 * (u[:-4] - 4.0 * u[1:-3] + 6.0 * u[2:-2] - 4.0 * u[3:-1] + u[4:])
    return np.sum(u * u)


def read_between(u, steps):
    total = 0.0
    for _ in range(steps):
        v = 0.3 * (u[:-2] + u[2:])
        total += np.sum(u * u)
        u[1:-1] = v
        total += np.sum(v)
    return total + np.sum(u)


def two_arrays(u, steps):
    v = u[::-1].copy()
    for _ in range(steps):
        u[1:-1] = 0.4 * (u[:-2] + v[2:]) * v[1:-1]
        v[1:-1] = 0.4 * (v[:-2] + u[2:]) * u[1:-1]
    return np.sum(u * v)


def seen_through_a_view(u, steps):
    other = u[1:]  # the same memory under another name
    for _ in range(steps):
        u[1:-1] = 0.3 * (u[:-2] + u[2:] + other[1:] * other[:-1])
    return np.sum(u * u)


def heat(u, steps):
    for _ in range(steps):
        w = u[1:-1, 1:-1]
        spread = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * w
        u[1:-1, 1:-1] = w + 0.1 * spread + 0.05 * w * (1.0 - w)
    return np.sum(u * u)


def swapped(u, steps):
    new = u.copy()
    for _ in range(steps):
        new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] * u[1:-1, 2:])
        u, new = new, u
    return np.sum(u * u)


def wide(u, steps):
    for _ in range(steps):
        u[2:-1, 1:] -= 0.1 * (u[:-3, 1:] + u[1:-2, :-1] * 3.0 - u[3:, 1:] - u[2:-1, :-1])
    return np.sum(u * u)


def along_three_axes(u, steps):
    for _ in range(steps):
        w = u[1:-1, :, 1:]
        u[1:-1, :, 1:] = 0.2 * (u[:-2, :, 1:] + u[2:, :, 1:] + u[1:-1, :, :-1] + w * w)
    return np.sum(u * u)


def centre_of_two(u, steps):
    v = 0.5 * u
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.3 * v[1:-1, 1:-1] * (u[:-2, 1:-1] + u[2:, 1:-1] - u[1:-1, :-2]) + np.sin(u[1:-1, 1:-1])
        v[1:-1, 1:-1] = u[1:-1, 1:-1] * (v[1:-1, 2:] + 0.1 * v[1:-1, :-2] + v[:-2, 1:-1] * v[1:-1, 1:-1])
    return np.sum(u * v)


def beside_the_centre(u, steps):
    for _ in range(steps):
        w = u[1:-1, :-2]
        u[1:-1, 1:-1] = 0.4 * w * w + 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, 2:])
    return np.sum(u * u)


def centre_of_a_sum(u, steps):
    for _ in range(steps):
        u[1:-1, 1:-1] += 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]) * u[1:-1, 1:-1]
    return np.sum(u * u)


ONE_AXIS = (three_points, upwind, one_sided, ahead_only, five_points, read_between, two_arrays, seen_through_a_view)
MORE_AXES = {
    heat: 2, swapped: 2, wide: 2, along_three_axes: 3, centre_of_two: 2, beside_the_centre: 2, centre_of_a_sum: 2,
}


@pytest.mark.parametrize("extent", [3, 4, 5, 6, 19])
@pytest.mark.parametrize("f", ONE_AXIS, ids=lambda f: f.__name__)
def test_along_one_axis(f, extent):
    if f is five_points and extent < 4:
        extent = 4  # NumPy broadcasts slices of length 0 and 1 there
    agree(f, extent)
    agree(f, extent, steps=0)


@pytest.mark.parametrize("extent", [3, 4, 7])
@pytest.mark.parametrize("f", MORE_AXES, ids=lambda f: f.__name__)
def test_along_several_axes(f, extent):
    agree(f, (extent, extent + 2, 3)[: MORE_AXES[f]])
    agree(f, (extent, 3, 4)[: MORE_AXES[f]], steps=0)


def test_an_array_of_the_ends_alone():
    agree(three_points, 2)
    agree(heat, (2, 5))
    agree(heat, (5, 2))


def test_a_step_along_one_axis_makes_no_array():
    written = text(three_points, np.ones(9), 3)
    assert written.count("np.empty") == 1  # the gradient
    assert written.count("for i") == 4  # the step, the sum, the adjoint of the step, and the test for NaN


def test_the_adjoint_along_several_axes_is_one_sum():
    written = text(heat, np.ones((5, 5)), 3)
    assert written.count("] += spread_bar[") == 1
    assert written.index("np.zeros") < written.rindex("for _ in range(steps)")


def test_what_a_place_gives_to_itself_is_stored_where_it_was_read():
    written = text(heat, np.ones((5, 5)), 3)
    assert written.count("u_bar[np.uintp(i_6 + 1), np.uintp(j_6 + 1)] = w_bar") == 1 and "] = 0.0" not in written
    assert "w_bar[" not in written


def test_the_array_behind_two_factors_is_kept_and_not_the_factors():
    written = text(heat, np.ones((5, 5)), 3)
    assert written.count("_saved = ") == 1 and "w_saved = " in written


def one_behind_the_other(x, n):
    total = 0.0
    for k in range(n):
        a = 2.0 * x
        b = 1.0 - x
        x = np.sin(a * b)
        total += np.sum(x) * k
    return total


def changed_between(x, n):
    total = 0.0
    for _ in range(n):
        a = 2.0 * x
        x[0] = 0.5
        b = 1.0 - x
        x[1:] = a[1:] * b[:-1] * b[1:]
        total += np.sum(a * b * a)
    return total


def the_operand_is_kept_too(x, n):
    total = 0.0
    for _ in range(n):
        a = x - 1.5
        x = x * x * a + a * a
        x = x / (1.0 + x * x)
        total += np.sum(x)
    return total


@pytest.mark.parametrize("f", [one_behind_the_other, changed_between, the_operand_is_kept_too], ids=lambda f: f.__name__)
def test_arithmetic_of_one_array_is_computed_again(f):
    agree(f, 6)
    ad.check_gradients(ad.differentiable(f, backend="numba"), np.linspace(0.2, 0.9, 6), 3)


def smoothed(u, steps):
    for _ in range(steps):
        for i in range(1, u.shape[0] - 1):
            u[i] = (u[i - 1] + u[i] + u[i + 1]) / 3.0
    return np.sum(u * u) / 7


def test_adjoints_are_multiplied_by_the_reciprocal_of_a_constant_and_values_divided():
    agree(smoothed, 8)
    written = text(smoothed, np.ones(8), 2)
    code = [line for line in written.splitlines() if "#" not in line]
    assert sum("/ 3.0" in line for line in code) == sum("* 0.3333333333333333" in line for line in code) == 1
