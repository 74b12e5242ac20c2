"""Adjoints of values whose kind is not known keep their imaginary part, in buffers too: second order of products."""
import numpy as np
import pytest

import adcompiler as ad

WEIGHTS = np.array([0.3 + 1.0j, -0.5 + 0.2j, 0.8 - 0.6j])


def product_of_complex(z):
    return np.abs(np.prod(z)) ** 2


def product_of_real_parts(z):
    return (z.real * z.imag).prod() * z.real[0]


def product_of_a_transform(z):
    return np.fft.fft(z).real.prod()


def product_of_parts(z):
    return np.abs(np.concatenate([z[:-1], z[::2]]).prod() * np.cumprod(z)[1]) ** 2


@pytest.mark.parametrize("real", (False, True))
@pytest.mark.parametrize(
    "function", (product_of_complex, product_of_real_parts, product_of_a_transform, product_of_parts)
)
def test_second_order(function, real):
    if real:
        loss, x, v = lambda x: function(x + WEIGHTS), np.array([0.6, 1.2, 0.4]), np.array([1.0, -0.5, 2.0])
    else:
        loss, x, v = function, WEIGHTS * 0.7 + 0.1, np.array([1.0 - 2.0j, -0.5j, 2.0])
    gradient = ad.grad(loss)
    expected = (gradient(x + 1e-6 * v) - gradient(x - 1e-6 * v)) / 2e-6
    _, pullback = ad.vjp(gradient, x, wrt=0)
    for found in (pullback(v), ad.hvp(loss)(x, v)):
        assert found.dtype == x.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
