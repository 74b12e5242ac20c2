"""Partial derivatives of `x ** p` of every order, finite wherever the function is smooth."""

from __future__ import annotations

import cmath
import math

import numpy as np


def power_derivative(x, p, in_x=0, in_p=0):
    """The partial derivative of `x ** p`, `in_x` times with respect to `x` and `in_p` times to `p`.

    `x` and `p` are numbers or arrays that broadcast; the result has their common shape. Where the factor
    `p * (p - 1) * ...` vanishes the derivative is 0 also at `x == 0`, and derivatives with respect to `p` are 0 at
    `x == 0`. With respect to `p` they are nan for a negative `x` whose power is real.

    >>> power_derivative(3.0, 2, in_x=1)
    6.0
    >>> power_derivative(0.0, 0, in_x=1), power_derivative(0.0, 2.0, in_p=1)
    (0.0, 0.0)
    >>> power_derivative(np.array([-2.0, 0.0]), np.array([3, 0]), in_x=1)
    array([12.,  0.])
    """
    if isinstance(x, (int, float)) and isinstance(p, (int, float)):
        return _of_numbers(x, p, in_x, in_p)
    x, p = np.asarray(x), np.asarray(p)
    if p.dtype.kind in "bu":
        p = p.astype(np.int64)  # p - 1 would wrap around
    if p.dtype.kind == "c" and x.dtype.kind != "c":
        x = x + 0j
    if in_p == 0:
        factor = _falling(p, in_x)
        if not np.all(factor):
            x = np.where(factor == 0, 1, x)
        return factor * x ** (p - in_x)
    at_zero = x == 0
    x = np.where(at_zero, 1, x)
    return np.where(at_zero, 0, x ** (p - in_x) * _logarithmic(np.log(x), p, in_x, in_p))


def _of_numbers(x, p, in_x, in_p):
    if in_p == 0:
        factor = _falling(p, in_x)
        if factor == 0:
            return 0.0
        return factor * math.inf if x == 0 and p < in_x else factor * x ** (p - in_x)
    if x == 0:
        return 0.0
    if x > 0:
        log = math.log(x)
    else:
        log = math.nan if float(p).is_integer() else cmath.log(x)
    return x ** (p - in_x) * _logarithmic(log, p, in_x, in_p)


def _logarithmic(log, p, in_x, in_p):
    """The factor of `x ** (p - in_x)`: Leibniz' rule in `p` for the falling factorial times `exp(p * log)`."""
    return sum(math.comb(in_p, k) * _falling(p, in_x, k) * log ** (in_p - k) for k in range(in_p + 1))


def _falling(p, n, times=0):
    """`p (p - 1) ... (p - n + 1)`, differentiated `times` times."""
    if times == 0:
        product = p if n else 1
        for i in range(1, n):
            product = product * (p - i)
        return product
    coefficients = [1]  # of p**0, p**1, ...: integers, so that no dtype is promoted
    for i in range(n):
        coefficients = [a - i * b for a, b in zip([0, *coefficients], [*coefficients, 0], strict=True)]
    for _ in range(times):
        coefficients = [j * c for j, c in enumerate(coefficients)][1:]
    value = 0
    for c in reversed(coefficients):
        value = value * p + c
    return value
