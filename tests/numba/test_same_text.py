"""Calls one after the other whose types differ, but whose compiled text is the same; arrays that only trips of a loop make."""
import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")


def power_iteration(data, indices, indptr, v):
    n = len(indptr) - 1
    for _ in range(3):
        w = np.zeros(n)
        for i in range(n):
            for k in range(indptr[i], indptr[i + 1]):
                w[i] += data[k] * v[indices[k]]
        v = w / np.linalg.norm(w)
    return v @ w


def test_indices_of_several_types():
    """`w` is None in front of the loop, and read behind it."""
    rng = np.random.default_rng(2)
    data, v = rng.random(7), rng.random(4)
    compiled = ad.value_and_grad(power_iteration, wrt=(0, 3), backend="numba")
    for dtype in (np.int64, np.int32, np.int64):
        indices, indptr = np.array([0, 2, 1, 2, 0, 3, 3], dtype), np.array([0, 2, 4, 6, 7], dtype)
        value, gradient = ad.value_and_grad(power_iteration, wrt=(0, 3))(data, indices, indptr, v)
        found, parts = compiled(data, indices, indptr, v)
        np.testing.assert_allclose(found, value, rtol=1e-12)
        for a, b in zip(gradient, parts, strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-13)


def last_of_some(x, n):
    s = 0.0
    for k in range(n):
        if k > 0:
            w = np.zeros((3, 2))
            for i in range(3):
                w[i, 0] += x[i] * x[i - 1]
                w[i, 1] = w[i, 0] * x[0]
            s += np.sum(w * w)
    return s + w[1, 1]


def test_array_of_some_trips():
    x = np.array([0.4, -1.3, 0.7])
    np.testing.assert_allclose(ad.grad(last_of_some, backend="numba")(x, 3), ad.grad(last_of_some)(x, 3), rtol=1e-12)
    with pytest.raises(UnboundLocalError, match="'w'"):
        ad.grad(last_of_some, backend="numba")(x, 1)
