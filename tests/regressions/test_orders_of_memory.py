"""`ravel(order="K")`, `flatten("A")`, `reshape(..., order="A")` go by the memory of their array, whatever changes in it later."""
import numpy as np
import pytest

import adcompiler as ad
from tests.programs.check import check_program
from tests.programs.program import Program

W = np.outer([0.3, 1.2, 0.7, 0.5], [1.1, 0.4, 0.9, 0.6])
G = np.arange(16.0) * 0.1
A = np.outer([0.4, -0.7, 0.9, 0.25], [0.8, 0.35, -0.6, 1.1])


def changed_behind(m):
    """A copy of what `m` held has another layout: positions were taken from that."""
    m = np.asfortranarray(m * m)
    t = np.sum(m.flatten("K") ** 2 * G)
    m[0] = 0.3
    u = np.sum(m.ravel("A") ** 2 * G)
    m[1] *= t
    c = m.reshape((2, 8), order="A")
    c = c * c
    m[:] = 1.0
    return u * t + np.sum(c * G.reshape(2, 8))


def stored_through(m):
    """The tangent of a view in the order of memory was a copy."""
    f = (m * m).T
    b = f.ravel(order="K")
    b[1] *= m[0, 2]
    c = np.asfortranarray(f).ravel("A")
    c[2] = m[1, 1]
    return np.sum(f**2 * W) + np.sum(b * c * G)


def recursive(m, k):
    if k == 0:
        return np.sum(m.ravel(order="K") * G)
    m.T.reshape(-1)[k] *= m[0, 1]
    return recursive(m, k - 1) + np.sum(m.ravel(order="K") ** 2 * G) * m[1, 1]


def in_a_segment(m):
    m = np.asfortranarray(m * 1.0)
    with ad.checkpoint():
        c = m.ravel(order="K")
        c[1] *= m[0, 1]
        m[2] *= m[1]
        s = np.sum(c * G)
        t = np.sum(m.flatten("K") * G[::-1])
    return s * t + np.sum(m * W)


def of_a_changed_argument(m):
    m[0] *= m[1]
    b = m.ravel(order="K")
    b[1] = m[2, 2]
    return np.sum(m * W) + np.sum(b * G) + np.sum(m.reshape(-1, order="A") * G[::-1])


def called(m):
    return recursive(np.asfortranarray(m) * m, 2)


def of_no_order(m):
    """`einsum` orders its axes in memory like its operands; an array found by identity had no shadow in such an order."""
    t = np.einsum("ij,k->kij", m, m[0])
    p = m * 0.5
    if m[0, 0] > 0:
        p = t[1]
        rows = list(t)
        rows[2] *= p
    p[:, 0] *= m[1]
    return np.sum(p * W) + np.sum(t.reshape(4, 16)[1:] * G)


@pytest.mark.parametrize(
    "f", [changed_behind, stored_through, called, in_a_segment, of_a_changed_argument, of_no_order], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_both_modes_and_second_order(f, order):
    m = np.array(A, order=order)
    check_program(Program(f, lambda: (np.array(A, order=order),)))
    v = np.array(W, order=order)
    assert np.isclose(ad.jvp(f, (m,), (v,))[1], np.sum(ad.grad(f)(m) * v), rtol=1e-12)
    step = 1e-5 * v  # of the layout of `m`, and so are the sums
    slope = (ad.grad(f)(m + step) - ad.grad(f)(m - step)) / 2e-5
    assert np.allclose(ad.hvp(f)(m, v), slope, rtol=1e-6, atol=1e-8)
