"""Rules for exponentials, logarithms, trigonometric, hyperbolic and special functions of NumPy, in the order of its
documentation; all elementwise.

At points without a derivative: the inverse functions give inf at the ends of their domains; `hypot` and `arctan2`
give 0 at the origin. Slopes of complex inverse functions are written in the result, whose branch is settled.
"""

from __future__ import annotations

import math

import numpy as np

from ..runtime.quotients import exp_share, quotient_or_zero
from ..runtime.special import bessel_i, sinc_derivative
from .registry import conj, is_real, rule


# Exponentials and logarithms


@rule(np.exp, elementwise=True)
def exp(x, /):
    y = np.exp(x)
    x_bar = y_bar * conj(y)


@rule(np.expm1, elementwise=True)
def expm1(x, /):
    y = np.expm1(x)
    x_bar = y_bar * conj(y + 1.0)


@rule(np.exp2, elementwise=True)
def exp2(x, /):
    y = np.exp2(x)
    x_bar = y_bar * conj(y) * math.log(2.0)


@rule(np.log, elementwise=True)
def log(x, /):
    y = np.log(x)
    x_bar = y_bar / conj(x)


@rule(np.log2, elementwise=True)
def log2(x, /):
    y = np.log2(x)
    x_bar = y_bar / (conj(x) * math.log(2.0))


@rule(np.log10, elementwise=True)
def log10(x, /):
    y = np.log10(x)
    x_bar = y_bar / (conj(x) * math.log(10.0))


@rule(np.log1p, elementwise=True)
def log1p(x, /):
    y = np.log1p(x)
    x_bar = y_bar / conj(1.0 + x)


@rule(np.logaddexp, elementwise=True)
def logaddexp(x, y, /):
    z = np.logaddexp(x, y)
    x_bar = z_bar * exp_share(x, y)
    y_bar = z_bar * exp_share(y, x)


@rule(np.logaddexp2, elementwise=True)
def logaddexp2(x, y, /):
    z = np.logaddexp2(x, y)
    x_bar = z_bar * exp_share(math.log(2.0) * x, math.log(2.0) * y)
    y_bar = z_bar * exp_share(math.log(2.0) * y, math.log(2.0) * x)


# Trigonometric functions


@rule(np.sin, elementwise=True)
def sin(x, /):
    y = np.sin(x)
    x_bar = y_bar * conj(np.cos(x))


@rule(np.cos, elementwise=True)
def cos(x, /):
    y = np.cos(x)
    x_bar = -y_bar * conj(np.sin(x))


@rule(np.tan, elementwise=True)
def tan(x, /):
    y = np.tan(x)
    x_bar = y_bar * conj(1.0 + y**2)


@rule(np.arcsin, elementwise=True)
def arcsin(x, /):
    y = np.arcsin(x)
    x_bar = y_bar / (np.sqrt((1.0 - x) * (1.0 + x)) if is_real(x) else conj(np.cos(y)))


@rule(np.arccos, elementwise=True)
def arccos(x, /):
    y = np.arccos(x)
    x_bar = -y_bar / (np.sqrt((1.0 - x) * (1.0 + x)) if is_real(x) else conj(np.sin(y)))


@rule(np.arctan, elementwise=True)
def arctan(x, /):
    y = np.arctan(x)
    x_bar = y_bar / conj(1.0 + x**2)


@rule(np.hypot, elementwise=True)
def hypot(x, y, /):
    z = np.hypot(x, y)
    x_bar = z_bar * quotient_or_zero(x, z)
    y_bar = z_bar * quotient_or_zero(y, z)


@rule(np.arctan2, elementwise=True)
def arctan2(y, x, /):
    z = np.arctan2(y, x)
    y_bar = z_bar * quotient_or_zero(x, x**2 + y**2)
    x_bar = -z_bar * quotient_or_zero(y, x**2 + y**2)


@rule(np.deg2rad, np.radians, elementwise=True)
def deg2rad(x, /):
    y = np.deg2rad(x)
    x_bar = np.deg2rad(y_bar)


@rule(np.rad2deg, np.degrees, elementwise=True)
def rad2deg(x, /):
    y = np.rad2deg(x)
    x_bar = np.rad2deg(y_bar)


# Hyperbolic functions


@rule(np.sinh, elementwise=True)
def sinh(x, /):
    y = np.sinh(x)
    x_bar = y_bar * conj(np.cosh(x))


@rule(np.cosh, elementwise=True)
def cosh(x, /):
    y = np.cosh(x)
    x_bar = y_bar * conj(np.sinh(x))


@rule(np.tanh, elementwise=True)
def tanh(x, /):
    y = np.tanh(x)
    x_bar = y_bar * conj(1.0 - y**2)


@rule(np.arcsinh, elementwise=True)
def arcsinh(x, /):
    y = np.arcsinh(x)
    x_bar = y_bar / (np.sqrt(1.0 + x**2) if is_real(x) else conj(np.cosh(y)))


@rule(np.arccosh, elementwise=True)
def arccosh(x, /):
    y = np.arccosh(x)
    x_bar = y_bar / (np.sqrt(x - 1.0) * np.sqrt(x + 1.0) if is_real(x) else conj(np.sinh(y)))


@rule(np.arctanh, elementwise=True)
def arctanh(x, /):
    y = np.arctanh(x)
    x_bar = y_bar / conj((1.0 - x) * (1.0 + x))


# Special functions


@rule(np.sinc, elementwise=True)
def sinc(x):
    y = np.sinc(x)
    x_bar = y_bar * conj(sinc_derivative(x))


@rule(np.i0, elementwise=True)
def i0(x):
    y = np.i0(x)
    x_bar = y_bar * bessel_i(1, x)


# Runtime functions that the rules above call: differentiated again at higher order


@rule(exp_share, elementwise=True)
def exp_share_(x, y):
    z = exp_share(x, y)
    x_bar = z_bar * z * (1.0 - z)
    y_bar = -z_bar * z * (1.0 - z)


@rule(sinc_derivative, elementwise=True)
def sinc_derivative_(x, n=1):
    y = sinc_derivative(x, n)
    x_bar = y_bar * conj(sinc_derivative(x, n + 1))


@rule(bessel_i, elementwise=True)
def bessel_i_(n, x):
    y = bessel_i(n, x)
    x_bar = y_bar * 0.5 * (bessel_i(n - 1, x) + bessel_i(n + 1, x))
