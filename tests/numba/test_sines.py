"""The tape of compiled code keeps cosines where sines are taken, and sines where cosines are."""
import math

import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")


def text(f, *args):
    return ad.differentiable(f, backend="numba").source("gradient", *args)


def swing(x, n):
    total = 0.0
    for _ in range(n):
        x = math.sin(x) + 0.5 * math.cos(x * 1.5)
        total += x
    return total


def until_small(x, n):
    trips = 0
    while abs(x) > 1e-3 and trips < n:
        x = 0.9 * np.sin(x) * np.cos(0.1 * x)
        trips += 1
    return x


def in_one_branch(x, n):
    total = 0.0
    for k in range(n):
        y = x * x
        if k % 2:
            total += math.sin(y)
        x = x + math.sin(0.1 * k)
        total += y * x
    return total


def used_twice(x, n):
    total = 0.0
    for _ in range(n):
        x = x * math.sin(x)
        total += x
    return total


def of_the_number_before(x, n):
    total, y = 0.0, 0.7
    for _ in range(n):
        y = y * x
        total += math.sin(y)
        y = y + 1.0
    return total


@pytest.mark.parametrize("program", [swing, until_small, in_one_branch, used_twice, of_the_number_before], ids=lambda f: f.__name__)
def test_gradients_are_those_of_numpy(program):
    expected = ad.value_and_grad(program)(1.3, 9)
    assert ad.value_and_grad(program, backend="numba")(1.3, 9) == pytest.approx(expected, rel=1e-12)


def test_what_is_kept():
    kept = text(swing, 1.3, 9)
    forward, backward = kept.split("x_bar", 1)
    assert "cos_x_saved[cos_x_saved_count] = checked_cos(x)" in forward
    assert "checked_sin(" not in backward and "checked_cos(" not in backward


def test_a_number_that_is_used_otherwise_is_kept_itself():
    assert "x_saved[x_saved_count] = x\n" in text(used_twice, 1.3, 9)


def test_sines_of_infinity_raise_as_before():
    for backend in ("numpy", "numba"):
        with pytest.raises(ValueError, match="math domain error|expected a finite input"):
            ad.grad(swing, backend=backend)(math.inf, 3)


def newton(x, n):
    """The sine of the last trip's end is that of the next one's start."""
    y = x * x
    r = y - 0.3 * math.sin(y) - x
    trips = 0
    while abs(r) > 1e-12 and trips < n:
        y -= r / (1.0 - 0.3 * math.cos(y))
        r = y - 0.3 * math.sin(y) - x
        trips += 1
    return y * math.cos(y)


def of_an_argument(x, n):
    total = x * math.sin(x)
    for k in range(n):
        total += math.cos(x) * k
        x = 0.5 * x
        total += math.sin(x)
    return total


def skipped_and_left(x, n):
    y = 0.4 * x
    total = math.cos(y)
    for k in range(n):
        if k == 2:
            continue
        if total > 8.0:
            break
        total += math.sin(y) * math.cos(y)
        y = y * 1.1 + x
        total += math.cos(y) + x * y
    return total + math.sin(y)


@pytest.mark.parametrize("program", [newton, of_an_argument, skipped_and_left], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 12])
def test_carried_from_trip_to_trip(program, n):
    expected = ad.value_and_grad(program)(0.8, n)
    assert ad.value_and_grad(program, backend="numba")(0.8, n) == pytest.approx(expected, rel=1e-12)


def test_newton_takes_each_sine_once():
    forward = text(newton, 0.8, 12).split("y_bar", 1)[0]
    assert forward.count("checked_sin(y)") == forward.count("checked_cos(y)") == 2
