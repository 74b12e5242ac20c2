"""Complex numbers against closed forms: real functions of complex arguments, and holomorphic functions.

The gradient of a real `L(x + i y)` is `dL/dx + i dL/dy`, twice the derivative by the conjugate (Wirtinger); that of a
holomorphic function is its derivative.
"""
import cmath

import numpy as np
import pytest

import adcompiler as ad

z = np.array([0.5 + 1.2j, -0.7 - 0.3j, 2.0 - 1.1j])
a = np.array([1.0 - 2.0j, 0.3 + 0.4j, -1.5 + 0.2j])

REAL = [  # function of a complex array, its gradient
    (lambda z: np.sum(np.abs(z) ** 2), 2.0 * z),
    (lambda z: np.sum(np.abs(z)), z / np.abs(z)),
    (lambda z: np.sum(np.real(z)), np.ones(3)),
    (lambda z: np.sum(z.imag), np.full(3, 1j)),
    (lambda z: np.sum(np.angle(z)), 1j * z / np.abs(z) ** 2),
    (lambda z: np.sum((z * np.conj(z)).real), 2.0 * z),
    (lambda z: np.vdot(z, z).real, 2.0 * z),
    (lambda z: np.real(np.sum(a * z)), np.conj(a)),
    (lambda z: np.imag(np.sum(a * z)), 1j * np.conj(a)),
    (lambda z: np.real(np.vdot(a, z)), a),
    (lambda z: np.sum(np.real(z ** 2)), 2.0 * np.conj(z)),
    (lambda z: np.sum(np.real(np.exp(z))), np.conj(np.exp(z))),
    (lambda z: np.sum(np.imag(np.log(z))), 1j * np.conj(1.0 / z)),
    (lambda z: np.sum(np.real(1.0 / z)), np.conj(-1.0 / z ** 2)),
    (lambda z: np.sum(np.log(np.abs(z))), z / np.abs(z) ** 2),
    (lambda z: np.abs(np.prod(z)) ** 2, 2.0 * np.prod(z) * np.conj(np.prod(z) / z)),
    (lambda z: np.linalg.norm(z) ** 2, 2.0 * z),
    (lambda z: np.sum(np.real(z) * np.imag(z)), z.imag + 1j * z.real),
]


@pytest.mark.parametrize("number", range(len(REAL)))
def test_real_functions(number):
    function, want = REAL[number]
    np.testing.assert_allclose(ad.grad(function)(z), want, rtol=1e-13)
    value, pullback = ad.vjp(function, z, wrt=0)
    np.testing.assert_allclose(pullback(2.5), 2.5 * np.asarray(want), rtol=1e-13)
    step = 1e-6                         # descends along the gradient
    assert function(z - step * np.asarray(want)) < function(z)
    np.testing.assert_allclose((function(z) - function(z - step * np.asarray(want))) / step, np.sum(np.abs(want) ** 2), rtol=1e-4)


HOLOMORPHIC = [  # function of one complex number, its derivative
    (lambda z: z ** 3, lambda z: 3.0 * z ** 2), (lambda z: 1.0 / z, lambda z: -1.0 / z ** 2),
    (lambda z: np.exp(1j * z), lambda z: 1j * np.exp(1j * z)), (cmath.sin, cmath.cos), (cmath.log, lambda z: 1.0 / z),
    (cmath.sqrt, lambda z: 0.5 / cmath.sqrt(z)), (lambda z: z ** (1 + 2j), lambda z: (1 + 2j) * z ** (2j)),
    (lambda z: np.tanh(z) * z, lambda z: np.tanh(z) + z / np.cosh(z) ** 2),
    (lambda z: (1 + 2j) * z + 3.0, lambda z: 1 + 2j),
]


@pytest.mark.parametrize("point", [0.5 + 1.2j, -0.7 - 0.3j])
@pytest.mark.parametrize("number", range(len(HOLOMORPHIC)))
def test_holomorphic_functions(number, point):
    function, derivative = HOLOMORPHIC[number]
    assert ad.grad(function, holomorphic=True)(point) == pytest.approx(derivative(point), rel=1e-13)
    _, pullback = ad.vjp(function, point, wrt=0)
    for seed in (1.0, 1j, 2.0 - 3.0j):  # the transpose of a complex-linear map, for Re <a, b>
        assert pullback(seed) == pytest.approx(seed * np.conj(derivative(point)), rel=1e-13)


def test_a_real_argument_of_a_complex_computation_has_a_real_gradient():
    gradient = ad.grad(lambda t: np.real(np.sum(a * np.exp(1j * t))))(np.array([0.1, 0.2, 0.3]))
    assert gradient.dtype == np.float64
    np.testing.assert_allclose(gradient, np.real(1j * a * np.exp(1j * np.array([0.1, 0.2, 0.3]))), rtol=1e-13)
