"""Complex intermediates, arguments and results."""
import cmath

import numpy as np
from numpy import array

from tests.programs.program import Program


def transfer_function(tau, w):
    h = 1.0 / (1.0 + 1j * w * tau)
    h = h * np.exp(-0.3j * tau)
    return np.sum(np.abs(h) ** 2 * h.real)


def modulus_and_phase(x, y):
    z = x + 1j * y
    return np.abs(z) * np.angle(z) + (z * z.conjugate()).real + np.imag(z ** 3)


def complex_argument(z):
    return np.sum(np.abs(z) ** 2) + np.real(z[0] * z[1]) + np.sum(np.exp(z).imag)


def complex_scalar_argument(z):
    return abs(z) ** 2 * z.real + (z * z).imag


def real_and_complex_arguments(x, z):
    return np.sum((z * x).real) + np.sum(np.abs(z - x) ** 2)


def complex_result(z):
    return z * z + np.conj(z) * 2.0


def complex_result_of_real(x):
    return np.exp(1j * x) * x


def stored_into_complex_array(x):
    a = np.zeros(3, dtype=complex)
    a[0] = x[0] + 1j * x[1]
    a[1:] = x[1:] * a[0]
    a *= 1j
    return np.sum(np.abs(a) ** 2) + a[1].real


def fourier_sum(x):
    n = len(x)
    total = 0.0
    for k in range(n):
        coefficient = 0j
        for m in range(n):
            coefficient = coefficient + x[m] * np.exp(-2j * np.pi * k * m / n)
        total = total + (k + 1) * abs(coefficient) ** 2
    return total


def mandelbrot_steps(c):
    z = 0j
    for _ in range(4):
        z = z * z + c
        if abs(z) > 2.0:
            break
    return abs(z) ** 2


def cmath_functions(x):
    z = cmath.exp(1j * x) + cmath.sqrt(x + 2j)
    return z.real * z.imag + cmath.log(z).real


def impedance(r, l, c):  # noqa: E741
    w = 2.0
    z = r + 1j * w * l + 1.0 / (1j * w * c)
    return abs(1.0 / z)


def complex_matrix_product(x):
    m = np.array([[1.0, 1j], [2.0 - 1j, 0.5]])
    v = m @ (x + 1j * x[::-1])
    return np.vdot(v, v).real + np.sum((m.conj().T @ v).imag)


def damped_phasor(rate, times):
    z = np.exp((-rate + 2j) * times)
    z = z / (1.0 + 0.5j * rate)
    return np.sum(z.real * np.abs(z)) + np.sum(z.imag ** 2)


def complex_and_real_mean(x):
    z = x * (1 + 2j)
    return np.mean(z).imag * np.sum(z.real) + z.sum().real


PROGRAMS = [
    Program(transfer_function, (0.6, array([0.5, 1.0, 2.0])), (0, 1), note="real in, complex inside, real out"),
    Program(modulus_and_phase, (0.7, 1.2), (0, 1), note="abs, angle, conj, imag"),
    Program(complex_argument, (array([0.7 + 0.2j, -1.2 + 1.0j]),), note="complex argument, real result"),
    Program(complex_scalar_argument, (0.7 - 0.4j,), note="Python complex argument"),
    Program(real_and_complex_arguments, (array([0.7, -1.2]), array([0.2 + 1j, 0.5 - 0.3j])), (0, 1),
            note="a real argument gets a real gradient"),
    Program(complex_result, (array([0.7 + 0.2j, -1.2 + 1.0j]),), note="complex result with a complex seed"),
    Program(complex_result_of_real, (0.7,), note="complex result of a real argument"),
    Program(stored_into_complex_array, (array([0.7, -1.2, 2.1]),), note="real values stored into complex memory"),
    Program(fourier_sum, (array([0.7, -1.2, 2.1]),), note="a discrete Fourier transform by loops"),
    Program(mandelbrot_steps, (0.3 + 0.5j,), note="complex loop with break"),
    Program(cmath_functions, (0.7,), may_refuse=True, note="cmath on active values"),
    Program(impedance, (1.5, 0.4, 0.8), (0, 1, 2), note="modulus of a quotient"),
    Program(complex_matrix_product, (array([0.7, -1.2]),), note="complex constant matrix"),
    Program(complex_and_real_mean, (array([0.7, -1.2, 2.1]),), note="reductions of complex values"),
    Program(damped_phasor, (0.6, array([0.5, 1.0, 2.0])), (0, 1), note="a complex intermediate divided by another"),
]
