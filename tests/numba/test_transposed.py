"""Axes in another order, in every spelling."""
import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")

A = np.random.default_rng(3).standard_normal((2, 3, 4))


def transposed(a):
    b, c = a.transpose(1, 2, 0), a.transpose((2, 0, 1)) ** 2
    return np.sum(b[0] * b[1]) + np.sum(c * np.transpose(a, (-1, 0, 1))) + np.sum(a.transpose()[0] * a.transpose(None)[1])


def rolled(a):
    c, d = np.rollaxis(a, 0, 3), np.rollaxis(a, axis=1, start=-1)
    return np.sum(np.rollaxis(a, 2)[0] ** 3) + np.sum(c[0] ** 2) + np.sum(d * d * d) + np.sum(np.matrix_transpose(a) * a.mT)


def written_through(a):
    b = a * 1.0
    v = b.transpose(2, 0, 1)
    v[0] *= 2.0
    v[1:, 0] = v[:-1, 1] ** 2
    return np.sum(b**2)


@pytest.mark.parametrize("f", [transposed, rolled, written_through])
def test_gradients(f):
    value, gradient = ad.value_and_grad(f, backend="numba")(A.copy())
    expected, expected_gradient = ad.value_and_grad(f)(A.copy())
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-12, atol=1e-12)
