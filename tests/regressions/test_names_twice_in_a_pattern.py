"""`b, b = f(b)`: the first `b` is another variable than the second. Both had one adjoint where an array changed later."""
import numpy as np
import pytest

import adcompiler as ad


def displayed(x):
    b = np.cos(x)
    b, b = b[:], b
    b[1] = x[0] * b[1]
    return b @ x


def parts(x):
    b = np.cos(x)
    b, b = b[::-1], b[1:]
    b[1] = x[0] * b[1]
    return b @ x[1:]


def returned(x):
    def both(q):
        return q, q

    b = np.cos(x)
    b, c, b = *both(b), x
    (b, b), d = both(c), c
    b[1] = x[0] * b[1]
    return b @ x + d[1]


def rows(x):
    m = np.outer(x, np.sin(x))
    r, _, r, _ = m
    r *= x[1]
    r, _, *r = m[0], x, m[2], m[3]
    r[0][1] *= x[2]
    return m[2] @ x + np.sum(r[1])


@pytest.mark.parametrize("f", [displayed, parts, returned, rows])
def test_the_last_one_counts(f):
    x, v = np.array([0.9, 0.4, 1.3, 0.65]), np.array([0.3, -0.7, 0.45, 0.8])
    slope = f(x + 1e-30j * v).imag / 1e-30
    assert ad.grad(f)(x) @ v == pytest.approx(slope, rel=1e-13)
    assert ad.jvp(f, (x,), (v,))[1] == pytest.approx(slope, rel=1e-13)
