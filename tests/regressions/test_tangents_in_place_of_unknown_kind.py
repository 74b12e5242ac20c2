"""In-place operators on what may be a number or an array, in forward mode.

The tangent of a number was a view of that of an array without axes, and `z += x[1]` wrote into it: tangents were wrong.
"""
import numpy as np
import pytest

import adcompiler as ad


def added(x):
    z = np.squeeze(x[3:4]) * 1.0
    z += x[1]
    return z * x[0] + x[3] ** 2


def from_views(x):
    y = x * 1.0
    z = np.squeeze(y[3:4])
    z += x[2]
    u, t = np.positive(z), np.sum(z)
    u += x[1]
    t -= x[1]
    return z * x[0] + y[3] ** 2 + u * t


def floored(x):
    z, block = np.squeeze(x[3:4]) * 1.0, np.block([x])
    z //= 0.5
    block //= 0.5
    z += x[1]
    block += x[1]
    return z * x[0] + block @ x


def multiplied(x):
    block, z = np.block([x]), np.squeeze(x[3:4]) * 1.0
    block *= x[1]
    block /= block[0] + 2.0
    block **= 2
    for k in range(3):
        z *= np.squeeze(x[k : k + 1]) * x[0]
        z -= z * z * 0.1
    return block @ x * z


@pytest.mark.parametrize("f", [added, from_views, floored, multiplied])
def test_tangents_are_those_of_the_gradient(f):
    x, v = np.array([0.9, 0.4, 1.3, 0.65]), np.array([0.3, -0.7, 0.45, 0.8])
    step = 1e-5
    slope = (8 * (f(x + step * v) - f(x - step * v)) - f(x + 2 * step * v) + f(x - 2 * step * v)) / (12 * step)
    given = v.copy()
    assert ad.jvp(f, (x,), (given,))[1] == pytest.approx(slope, rel=1e-8)
    assert np.array_equal(given, v)
    assert ad.grad(f)(x) @ v == pytest.approx(slope, rel=1e-8)
    curvature = (ad.grad(f)(x + step * v) - ad.grad(f)(x - step * v)) / (2 * step)
    np.testing.assert_allclose(ad.hvp(f)(x, v), curvature, rtol=1e-6, atol=1e-8)
