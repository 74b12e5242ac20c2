"""Reductions, scans, sorts and selections along the axes of arrays of any rank: the same numbers as by NumPy."""
import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore")
T = np.cos(np.arange(24.0)).reshape(2, 3, 4)
W = np.arange(1.0, 25.0).reshape(2, 3, 4)
KEEP = np.arange(24).reshape(2, 3, 4) % 3 != 0


def reduced_and_ordered(t):
    s = np.sum(np.max(t, axis=(0, 2)) * np.prod(t, axis=0, where=KEEP)[:, 1]) + np.sum(np.cumsum(t, axis=1) * W)
    s = s + np.median(t, axis=(0, 2))[1] * np.sum(t[:, 0] * np.argmax(t, axis=1))
    return s + np.sum(np.take_along_axis(t, np.argsort(t, axis=0), 0) * W)


def test_as_by_numpy():
    value, gradient = ad.value_and_grad(reduced_and_ordered, backend="numba")(T)
    expected, right = ad.value_and_grad(reduced_and_ordered)(T)
    assert np.isclose(value, expected, rtol=1e-12)
    assert np.allclose(gradient, right, rtol=1e-12, atol=1e-12)


def stacks_of_matrices(t):
    a, b = t[:, :, :3] + 2.0 * np.eye(3), t[:, :, 3]
    x = np.linalg.solve(a, np.expand_dims(b, -1))[..., 0] + np.linalg.norm(t, np.inf, axis=2) * np.linalg.norm(t[0], "nuc")
    return np.sum(np.cross(a, a[::-1] ** 2, axis=1) * np.linalg.inv(a)) + np.sum(np.linalg.det(a) * x[:, 0])


def test_stacks_of_matrices():
    value, gradient = ad.value_and_grad(stacks_of_matrices, backend="numba")(T)
    expected, right = ad.value_and_grad(stacks_of_matrices)(T)
    assert np.isclose(value, expected, rtol=1e-12)
    assert np.allclose(gradient, right, rtol=1e-12, atol=1e-12)


def chosen_and_interpolated(m, x):
    a, b = np.meshgrid(x, m[0, :2], indexing="ij")
    s = np.sum(np.select([a > 0.5, b > 0.5], [a * b, b], 0.5) ** 2) + np.sum(np.interp(x, [-2.0, 0.0, 1.0, 3.0], m[1]) * x)
    s = s + np.sum(np.pad(m, ((1, 0), (0, 2)))[:3, 1:5] * W[0]) * np.cov(m[:2])[0, 1]
    return s + np.sum(np.delete(m, 1, axis=1) ** 3) + np.trapezoid(x * x, x) * np.sum(np.add.outer(x, m[0]) ** 2)


def test_choices_and_interpolation():
    args = T[1], np.array([-0.5, 0.3, 2.0])
    value, gradient = ad.value_and_grad(chosen_and_interpolated, wrt=(0, 1), backend="numba")(*args)
    expected, right = ad.value_and_grad(chosen_and_interpolated, wrt=(0, 1))(*args)
    assert np.isclose(value, expected, rtol=1e-12)
    assert all(np.allclose(p, q, rtol=1e-12, atol=1e-12) for p, q in zip(gradient, right, strict=True))


@pytest.mark.parametrize("f, error", [
    (lambda t: np.max(t[:0, 0]) * t[0, 0, 0], "no identity"),
    (lambda t: np.average(t[0, 0], weights=[1.0, -1.0, 0.0, 0.0]), "sum to zero"),
    (lambda t: np.take(t, 24), "out of bounds"),
    (lambda t: np.sum(np.cross(t[0], t[1])), "cross product"),
])  # fmt: skip
def test_errors_are_those_of_numpy(f, error):
    for backend in ("numpy", "numba"):
        with pytest.raises((ValueError, ZeroDivisionError, IndexError), match=error):
            ad.grad(f, backend=backend)(T)
