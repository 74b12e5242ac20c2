"""Derivatives of special functions of NumPy and `math`, in families that are closed under differentiation."""

from __future__ import annotations

import math

import numpy as np


def sinc_derivative(x, n=1):
    """The n-th derivative of `np.sinc`, of the shape of `x`; accurate also near 0, where the formula cancels.

    >>> sinc_derivative(1.0), round(sinc_derivative(0.0, 2), 6)
    (np.float64(-1.0), np.float64(-3.289868))
    """
    x = np.asarray(x)
    near = np.abs(x) < 1.0
    return np.where(near, _sinc_series(np.where(near, x, 0), n), _sinc_recurrence(np.where(near, 1, x), n))[()]


def _sinc_series(x, n):
    first = (n + 1) // 2
    value = 0.0
    for k in range(first + 16, first - 1, -1):
        value = value * (x * x) + (-1) ** k * math.pi ** (2 * k) / ((2 * k + 1) * math.factorial(2 * k - n))
    return value * x if 2 * first > n else value


def _sinc_recurrence(x, n):
    """From `x * sinc(x) = sin(pi x) / pi`, differentiated n times."""
    sine, cosine = np.sin(math.pi * x), np.cos(math.pi * x)
    waves = (sine, cosine, -sine, -cosine)
    value = sine / (math.pi * x)
    for k in range(1, n + 1):
        value = (math.pi ** (k - 1) * waves[k % 4] - k * value) / x
    return value


def bessel_i(n, x):
    """The modified Bessel function of the first kind of integer order `n` at real `x`, of the shape of `x`.

    >>> round(float(bessel_i(1, 1.0)), 12)
    0.565159103992
    """
    n = abs(n)
    half = np.asarray(x) / 2
    term = half**n / math.factorial(n)
    total = term
    k = 0
    while np.any(np.abs(term) > 1e-17 * np.abs(total)):  # all terms have one sign: nothing cancels
        k += 1
        term = term * (half * half) / (k * (k + n))
        total = total + term
    return total


def kaiser_slope(y, beta):
    """The derivative of `y = np.kaiser(M, beta)` with respect to `beta`.

    >>> kaiser_slope(np.kaiser(3, 0.0), 0.0)
    array([0., 0., 0.])
    """
    M = len(y)
    place = np.arange(M) - 0.5 * (M - 1)
    root = np.sqrt(np.maximum(1.0 - (place / max(0.5 * (M - 1), 0.5)) ** 2, 0.0))
    return (root * bessel_i(1, beta * root) - y * bessel_i(1, beta)) / np.i0(beta)


def digamma(x):
    """The logarithmic derivative of the gamma function at a real number.

    >>> round(digamma(1.0), 12)
    -0.577215664902
    """
    return polygamma(0, x)


def polygamma(n, x):
    """The n-th derivative of `digamma` at a real number; nan at the poles 0, -1, -2, ...

    >>> abs(polygamma(1, 1.0) - math.pi ** 2 / 6) < 1e-13
    True
    """
    x = float(x)
    if math.isnan(x) or x == -math.inf or (x <= 0 and x.is_integer()):
        return math.nan
    if x == math.inf:
        return math.inf if n == 0 else 0.0
    if x < 0:
        return (-1) ** n * polygamma(n, 1.0 - x) - _cot_derivative(n, x)  # the reflection formula
    shift = 0.0
    while x < 15 + n:
        shift -= (-1) ** n * math.factorial(n) * x ** -(n + 1)
        x += 1.0
    return shift + _polygamma_asymptotic(n, x)


_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)


def _polygamma_asymptotic(n, x):
    if n == 0:
        value = math.log(x) - 0.5 / x
        return value - sum(b / (2 * k * x ** (2 * k)) for k, b in enumerate(_BERNOULLI, 1))
    value = math.factorial(n - 1) / x**n + math.factorial(n) / (2 * x ** (n + 1))
    value += sum(
        b * math.factorial(2 * k + n - 1) / (math.factorial(2 * k) * x ** (2 * k + n))
        for k, b in enumerate(_BERNOULLI, 1)
    )
    return (-1) ** (n + 1) * value


def _cot_derivative(n, x):
    """The n-th derivative of `pi * cot(pi x)`, a polynomial in the cotangent."""
    coefficients = [0.0, math.pi]
    for _ in range(n):
        slope = [-math.pi * j * c for j, c in enumerate(coefficients)][1:]
        coefficients = [a + b for a, b in zip([*slope, 0.0, 0.0], [0.0, 0.0, *slope], strict=True)]
    reduced = math.remainder(x, 1.0)
    cotangent = math.cos(math.pi * reduced) / math.sin(math.pi * reduced)
    value = 0.0
    for c in reversed(coefficients):
        value = value * cotangent + c
    return value
