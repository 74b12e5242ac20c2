"""In a `try`, the tangent of a statement that raises must not stay: what the statement would have changed is unchanged."""

import math

import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline


def bound_again(x, d):
    y = x[0] * 2.0
    for k in range(3):
        try:
            y = float(x[k]) * float(x[1]) / d[k]
        except ZeroDivisionError:
            pass
    return y * x[2]


def added_to_a_number(x, d):
    total = 0.0
    for xi, di in zip(x, d):
        try:
            total += float(xi) / di
        except ZeroDivisionError:
            total += xi**3
    return total


def outside_of_a_domain(x, d):
    s = x[0] * 1.0
    for k in range(5):
        try:
            s += math.log(1.5 - k * x[0])
        except ValueError:
            s *= 2.0
    return s


def divided_in_place(x, d):
    y = float(x[0]) * 3.0
    for di in d:
        try:
            y /= di
        except ZeroDivisionError:
            y *= x[1]
    return y * y


def entries_in_place(x, d):
    a = x * 1.0
    for k in range(3):
        try:
            a[k] += float(x[k]) ** 2 / d[k]
        except ZeroDivisionError:
            a[0] *= 1.5
    return np.sum(a * a)


def whole_array_in_place(x, d):
    a = x * 1.0
    for k in range(3):
        try:
            a *= float(x[k]) / d[k]
        except ZeroDivisionError:
            a += 1.5 * x[0]
    return np.sum(a * a)


def lists(x, d):
    found = [x[0]]
    for k in range(3):
        try:
            found.append(float(x[k]) ** 2 / d[k])
        except ZeroDivisionError:
            found.append(found[-1] * 2.0)
    return found[1] * found[2] * found[3]


def places_that_are_not_there(x, d):
    a = np.zeros(2)
    for k in range(4):
        try:
            a[k] += x[0] ** 2
        except IndexError:
            a[0] *= 1.1
    return np.sum(a * a)


def chosen_in_the_statement(x, d):
    y = x[0] * 1.0
    for k in range(3):
        try:
            y = (float(x[k]) ** 2 / d[k] if x[k] > 0.0 else x[k] * x[0]) + y
        except ZeroDivisionError:
            y = 2.0 * y
    return y * y


def two_names_at_once(x, d):
    y, z = x[0], 2.0 * x[1]
    for k in range(3):
        try:
            y, z = z * 2.0, float(y) / d[k]
        except ZeroDivisionError:
            y = y * 3.0
    return y * z


PROGRAMS = [
    bound_again,
    added_to_a_number,
    outside_of_a_domain,
    divided_in_place,
    entries_in_place,
    whole_array_in_place,
    lists,
    places_that_are_not_there,
    chosen_in_the_statement,
    two_names_at_once,
]
X, D, V = np.array([0.7, 1.2, 0.9]), [2.0, 0.0, 0.5], np.array([0.3, -0.8, 0.5])


def difference(f, h=1e-5):
    near, far = (f(X + s * V) - f(X - s * V) for s in (h, 2 * h))
    return (8 * near - far) / (12 * h)


@pytest.mark.parametrize("simplify", [True, False])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_both_modes_agree_with_differences(program, simplify):
    with pipeline.switched(simplify=simplify), np.errstate(divide="ignore", invalid="ignore"):
        value, tangent = ad.jvp(program, (X, D), (V,), wrt=(0,))
        gradient = ad.grad(program)(X, D)
    want = difference(lambda x: program(x, D))
    assert value == program(X, D)
    assert abs(want) > 0.1
    assert tangent == pytest.approx(want, rel=1e-8)
    assert gradient @ V == pytest.approx(tangent, rel=1e-12)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_second_order(program):
    with np.errstate(divide="ignore", invalid="ignore"):
        found = ad.hvp(program)(X, D, V)
        want = difference(lambda x: ad.grad(program)(x, D))
    assert np.allclose(found, want, rtol=1e-6, atol=1e-6)


def root_or_else(x):
    try:
        r = math.sqrt(x)
    except ArithmeticError:
        r = 5.0 * x + 1.0
    return r


def test_a_tangent_that_cannot_be_computed_is_no_exception_of_the_program():
    assert ad.jvp(root_or_else, (0.0,), (1.0,)) == (0.0, np.inf)
    assert ad.jvp(root_or_else, (4.0,), (1.0,)) == (2.0, 0.25)


def only_counted(x):
    total = 0.0
    y = x * x
    try:
        total += math.log(x)
        y = 3.0 * x
    except ValueError:
        y = 5.0 * x * x
    return y


def only_collected(x):
    found, y = {"a": np.zeros(2)}, x * x
    try:
        found["a"][1] += math.log(x)
        found["b"] = math.log(x + 1.0)
        y = 3.0 * x
    except ValueError:
        y = 5.0 * x * x
    return y


@pytest.mark.parametrize("program", [only_counted, only_collected])
@pytest.mark.parametrize("x, value, slope, curvature", [(2.0, 6.0, 3.0, 0.0), (-0.5, 1.25, -5.0, 10.0)])
def test_what_nobody_reads_may_still_raise(program, x, value, slope, curvature):
    assert ad.value_and_grad(program)(x) == (value, slope)
    assert ad.jvp(program, (x,), (1.0,)) == (value, slope)
    assert ad.hvp(program)(x, 1.0) == curvature
    assert ad.grad(ad.grad(program))(x) == curvature
