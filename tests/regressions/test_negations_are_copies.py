"""`-(-a)` of an array is a new array: text that reads `a` in its place shares memory with it."""

from __future__ import annotations

import numpy as np
import pytest

import adcompiler as ad


def multiplied_in_place(a):
    a *= --a  # noqa: B002
    a[2] = 7.0
    return a[0] + a[1] ** 2 + a[2] * a[3]


def changed_later(a):
    b = -(-a)
    a[0] = 3.0
    return b[0] * a[1] ** 2 + np.sum(b * b)


def copy_changed(a):
    b = -(-a[:])
    b[0] = 3.0 * b[1]
    return b[0] * a[0] ** 2 + np.sum(a * a)


def in_a_loop(a):
    b = -(-a)
    for i in range(3):
        b[i] *= a[i + 1]
        a = -(-a)
    return b[0] * a[0] ** 2 + np.sum(a * b)


def in_a_list(a):
    rows = [-(-a), a]
    rows[0][1] *= 2.0 * a[0]
    a[2] = a[1]
    return np.sum(rows[0] * rows[1] ** 2)


@pytest.mark.parametrize(
    "f", [multiplied_in_place, changed_later, copy_changed, in_a_loop, in_a_list], ids=lambda f: f.__name__
)
def test_against_complex_step(f):
    a, step = np.array([0.367, 0.212, 1.042, 1.266]), 1e-30
    wanted = [f(a + 1j * step * unit).imag / step for unit in np.eye(4)]
    for options in ({}, {"mode": "forward"}):
        kept = a.copy()
        np.testing.assert_allclose(ad.grad(f, **options)(a), wanted, rtol=1e-12)
        assert (a == kept).all()
