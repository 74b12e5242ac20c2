"""Partials of library functions: what is left out keeps its default."""
import functools

import numpy as np
import pytest

import adcompiler as ad

x = np.array([1.0, 2.0])


@pytest.mark.parametrize("function, at, want", [
    (functools.partial(pow, 2.0), 3.0, 8.0 * np.log(2.0)), (functools.partial(np.power, 2.0), 3.0, 8.0 * np.log(2.0)),
    (functools.partial(np.sum, axis=0), x, [1.0, 1.0]), (functools.partial(np.dot, x), x, x),
    (functools.partial(np.linalg.norm, ord=2), x, x / np.sqrt(5.0)),
    (functools.partial(lambda a, b, c: a * b * c, 2.0, c=5.0), 3.0, 10.0)])
def test_gradients(function, at, want):
    np.testing.assert_allclose(ad.grad(function)(at), want)
