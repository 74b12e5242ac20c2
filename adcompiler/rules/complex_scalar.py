"""Rules for the module `cmath`, in the order of its documentation. `phase` and `polar` at the origin give 0.

The slopes of inverse functions are written in the result, whose branch is settled.
"""

from __future__ import annotations

import cmath

import numpy as np

from ..runtime.quotients import quotient_or_zero
from .registry import conj, rule


# Polar coordinates


@rule(cmath.phase, elementwise=True)
def phase(x, /):
    y = cmath.phase(x)
    x_bar = quotient_or_zero(1j * y_bar, conj(complex(x)))
    y_dot = np.imag(quotient_or_zero(x_dot, complex(x)))


@rule(cmath.polar, elementwise=True)
def polar(x, /):
    r, phi = cmath.polar(x)
    x_bar = quotient_or_zero(r_bar * r + 1j * phi_bar, conj(complex(x)))
    r_dot = r * np.real(quotient_or_zero(x_dot, complex(x)))
    phi_dot = np.imag(quotient_or_zero(x_dot, complex(x)))


@rule(cmath.rect, elementwise=True)
def rect(r, phi, /):
    z = cmath.rect(r, phi)
    r_bar = z_bar * conj(cmath.rect(1.0, phi))
    phi_bar = z_bar * conj(1j * z)


# Powers and logarithms


@rule(cmath.exp, elementwise=True)
def exp(x, /):
    y = cmath.exp(x)
    x_bar = y_bar * conj(y)


@rule(cmath.log, elementwise=True)
def log(x, base=None, /):
    y = cmath.log(x, base)
    x_bar = y_bar / conj(x) if base is None else y_bar / conj(x * cmath.log(base))
    base_bar = -y_bar * conj(y / (base * cmath.log(base)))


@rule(cmath.log10, elementwise=True)
def log10(x, /):
    y = cmath.log10(x)
    x_bar = y_bar / conj(x * cmath.log(10.0))


@rule(cmath.sqrt, elementwise=True)
def sqrt(x, /):
    y = cmath.sqrt(x)
    x_bar = y_bar / conj(2.0 * y)


# Trigonometric functions


@rule(cmath.acos, elementwise=True)
def acos(x, /):
    y = cmath.acos(x)
    x_bar = -y_bar / conj(cmath.sin(y))


@rule(cmath.asin, elementwise=True)
def asin(x, /):
    y = cmath.asin(x)
    x_bar = y_bar / conj(cmath.cos(y))


@rule(cmath.atan, elementwise=True)
def atan(x, /):
    y = cmath.atan(x)
    x_bar = y_bar / conj(1.0 + x**2)


@rule(cmath.cos, elementwise=True)
def cos(x, /):
    y = cmath.cos(x)
    x_bar = -y_bar * conj(cmath.sin(x))


@rule(cmath.sin, elementwise=True)
def sin(x, /):
    y = cmath.sin(x)
    x_bar = y_bar * conj(cmath.cos(x))


@rule(cmath.tan, elementwise=True)
def tan(x, /):
    y = cmath.tan(x)
    x_bar = y_bar * conj(1.0 + y**2)


# Hyperbolic functions


@rule(cmath.acosh, elementwise=True)
def acosh(x, /):
    y = cmath.acosh(x)
    x_bar = y_bar / conj(cmath.sinh(y))


@rule(cmath.asinh, elementwise=True)
def asinh(x, /):
    y = cmath.asinh(x)
    x_bar = y_bar / conj(cmath.cosh(y))


@rule(cmath.atanh, elementwise=True)
def atanh(x, /):
    y = cmath.atanh(x)
    x_bar = y_bar / conj((1.0 - x) * (1.0 + x))


@rule(cmath.cosh, elementwise=True)
def cosh(x, /):
    y = cmath.cosh(x)
    x_bar = y_bar * conj(cmath.sinh(x))


@rule(cmath.sinh, elementwise=True)
def sinh(x, /):
    y = cmath.sinh(x)
    x_bar = y_bar * conj(cmath.cosh(x))


@rule(cmath.tanh, elementwise=True)
def tanh(x, /):
    y = cmath.tanh(x)
    x_bar = y_bar * conj(1.0 - y**2)
