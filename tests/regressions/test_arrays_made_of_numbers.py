"""Arrays made of numbers (`np.asarray(y)`, `np.atleast_1d(y)`) share no memory with them; those of 0-d arrays do."""

import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline


def array_of_a_product(x):
    y = x * 1.0
    z = np.asarray(y)
    z += y
    return np.sum(z * y)


def array_of_a_product_and_its_operand(x):
    y = x * 1.0
    z = np.asarray(y)
    z += x
    x += z
    return np.sum(x * z)


def other_name(x):
    y = x * 1.0
    z = np.asarray(y)
    w = z
    z += y
    return np.sum(w * y)


def sum_of_a_vector(x):
    y = np.sum(x * x)
    z = np.asarray(y)
    z += y
    return np.sum(z * y)


def elements(x):
    if np.ndim(x) == 0:
        return np.sum(x * x)
    z = np.asarray(x[0])
    z += x[1]
    w = np.ravel(x[1])
    w *= z
    return np.sum(z * w * x)


def at_least_one_axis(x):
    b = np.atleast_1d(x)
    b[0] = b[0] * 3.0
    return np.sum(b * x)


def at_least_one_axis_of_two(x):
    if np.ndim(x) == 1:
        return np.sum(x * x)
    u = x * 1.0
    b, c = np.atleast_1d(u, u * 2.0)
    b[0] = b[0] * c[0]
    c *= b
    return np.sum(b * c * u * x)


PROGRAMS = [array_of_a_product, array_of_a_product_and_its_operand, other_name, sum_of_a_vector, elements, at_least_one_axis,
            at_least_one_axis_of_two]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("x", [1.3, np.float64(1.3), np.array(1.3), np.array([1.3, 0.6])], ids=["float", "scalar", "0-d", "array"])
@pytest.mark.parametrize("simplify", [True, False])
def test_both_modes_agree_with_differences(f, x, simplify):
    def moved(h):
        with np.errstate(all="ignore"):
            return f(type(x)(x + h) if isinstance(x, float) else np.array(x + h))

    h = 1e-4
    wanted = (8.0 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12.0 * h)
    given = x.copy() if isinstance(x, np.ndarray) else x
    direction = np.ones_like(x) if isinstance(x, np.ndarray) else 1.0
    with pipeline.switched(simplify=simplify):
        value, gradient = ad.value_and_grad(f)(given)
        _, pullback = ad.vjp(f, given)
        again, tangent = ad.jvp(f, (given,), (direction,))
    assert value == again == pytest.approx(moved(0.0), rel=1e-14)
    assert np.sum(gradient) == np.sum(pullback(1.0)) == pytest.approx(wanted, rel=1e-8)
    assert tangent == pytest.approx(wanted, rel=1e-8)
