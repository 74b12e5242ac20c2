"""Rules for elementwise arithmetic, extrema and complex parts in NumPy, and for Python's operators.

The keywords that every ufunc takes (`out`, `where`, `dtype`, `casting`, `order`, `subok`) change nothing in a
derivative but the elements it holds for, and are no part of a template.

Choices at points without a derivative: `abs` and `sign` at 0 give 0; `maximum`, `minimum`, `fmax`, `fmin` at a tie
give half to each of two active operands and 0 to a single one; `clip` passes the adjoint inside and at the bounds;
`sqrt` at 0 gives inf; `angle` at the origin gives 0; `x ** p` gives 0 to `p` at `x == 0`.
"""

from __future__ import annotations

import builtins
import math
import operator

import numpy as np

from ..runtime.powers import power_derivative
from ..runtime.quotients import quotient_or_zero
from ..runtime.selection import keep_where, lowered, raised, within
from .registry import conj, is_active, is_literal, is_real, rule


# Arithmetic


@rule(np.add, operator.add, elementwise=True)
def add(x, y, /):
    z = np.add(x, y)
    x_bar = z_bar
    y_bar = z_bar


@rule(np.subtract, operator.sub, elementwise=True)
def subtract(x, y, /):
    z = np.subtract(x, y)
    x_bar = z_bar
    y_bar = -z_bar


@rule(np.multiply, operator.mul, elementwise=True)
def multiply(x, y, /):
    z = np.multiply(x, y)
    x_bar = z_bar * conj(y)
    y_bar = z_bar * conj(x)


@rule(np.divide, operator.truediv, elementwise=True)
def divide(x, y, /):
    z = np.divide(x, y)
    x_bar = z_bar / conj(y)
    y_bar = -(z_bar / conj(y) * conj(z))  # both hold one quotient: compiled code divides once
    z_dot = (x_dot - y_dot * z) / y


@rule(np.power, np.float_power, operator.pow, elementwise=True)
def power(x, p, /):
    z = np.power(x, p)
    x_bar = z_bar * conj(power_derivative(x, p, in_x=1) if not is_literal(p) else 0.0 if p == 0 else p * x ** (p - 1))
    p_bar = z_bar * conj(
        power_derivative(x, p, in_p=1)
        if not is_literal(x)
        else z * math.log(x)
        if x > 0
        else power_derivative(x, p, in_p=1)
    )


@rule(np.negative, operator.neg, elementwise=True)
def negative(x, /):
    y = np.negative(x)
    x_bar = -y_bar


@rule(np.positive, operator.pos, elementwise=True)
def positive(x, /):
    y = np.positive(x)
    x_bar = y_bar


@rule(np.absolute, np.fabs, operator.abs, builtins.abs, elementwise=True)
def absolute(x, /):
    y = np.absolute(x)
    x_bar = y_bar * np.sign(x)
    y_dot = x_dot * np.sign(x) if is_real(x) else np.real(np.conj(np.sign(x)) * x_dot)


@rule(np.sign, elementwise=True)
def sign(x, /):
    y = np.sign(x)
    x_bar = 0.0 if is_real(x) else quotient_or_zero(y_bar - y * np.real(np.conj(y) * y_bar), np.abs(x))
    y_dot = 0.0 if is_real(x) else quotient_or_zero(x_dot - y * np.real(np.conj(y) * x_dot), np.abs(x))


@rule(np.square, elementwise=True)
def square(x, /):
    y = np.square(x)
    x_bar = y_bar * 2.0 * conj(x)


@rule(np.sqrt, elementwise=True)
def sqrt(x, /):
    y = np.sqrt(x)
    x_bar = y_bar / (2.0 * conj(y))


@rule(np.cbrt, elementwise=True)
def cbrt(x, /):
    y = np.cbrt(x)
    x_bar = y_bar / (3.0 * y**2)


@rule(np.reciprocal, elementwise=True)
def reciprocal(x, /):
    y = np.reciprocal(x)
    x_bar = -y_bar * conj(y**2)


@rule(np.remainder, operator.mod, elementwise=True)
def remainder(x, y, /):
    z = np.remainder(x, y)
    x_bar = z_bar
    y_bar = -z_bar * (x // y)


@rule(np.fmod, elementwise=True)
def fmod(x, y, /):
    z = np.fmod(x, y)
    x_bar = z_bar
    y_bar = -z_bar * np.rint((x - z) / y)


@rule(np.divmod, builtins.divmod, elementwise=True)
def divmod_(x, y, /):
    quotient, remainder = np.divmod(x, y)
    x_bar = remainder_bar
    y_bar = -remainder_bar * quotient


@rule(np.modf, elementwise=True)
def modf(x, /):
    fractional, integral = np.modf(x)
    x_bar = fractional_bar


@rule(np.frexp, elementwise=True)
def frexp(x, /):
    mantissa, exponent = np.frexp(x)
    x_bar = np.ldexp(mantissa_bar, -exponent)
    mantissa_dot = np.ldexp(x_dot, -exponent)


@rule(np.nextafter, elementwise=True, constant_in=("y",))
def nextafter(x, y, /):
    z = np.nextafter(x, y)
    x_bar = z_bar


@rule(np.ldexp, elementwise=True)
def ldexp(x, n, /):
    y = np.ldexp(x, n)
    x_bar = np.ldexp(y_bar, n)


@rule(np.heaviside, elementwise=True, constant_in=("x",))
def heaviside(x, at_zero, /):
    y = np.heaviside(x, at_zero)
    at_zero_bar = np.where(x == 0, y_bar, 0.0)


@rule(np.copysign, elementwise=True, constant_in=("y",))
def copysign(x, y, /):
    z = np.copysign(x, y)
    x_bar = z_bar * np.sign(x) * np.copysign(1.0, y)


# Extrema and clipping


@rule(np.maximum, elementwise=True)
def maximum(x, y, /):
    z = np.maximum(x, y)
    x_bar = np.where(x > y, z_bar, 0.5 * z_bar * (x == y) if is_active(y) else 0.0)
    y_bar = np.where(y > x, z_bar, 0.5 * z_bar * (y == x) if is_active(x) else 0.0)


@rule(np.minimum, elementwise=True)
def minimum(x, y, /):
    z = np.minimum(x, y)
    x_bar = np.where(x < y, z_bar, 0.5 * z_bar * (x == y) if is_active(y) else 0.0)
    y_bar = np.where(y < x, z_bar, 0.5 * z_bar * (y == x) if is_active(x) else 0.0)


@rule(np.fmax, elementwise=True)
def fmax(x, y, /):
    z = np.fmax(x, y)
    x_bar = np.where((x > y) | np.isnan(y), z_bar, 0.5 * z_bar * (x == y) if is_active(y) else 0.0)
    y_bar = np.where((y > x) | np.isnan(x), z_bar, 0.5 * z_bar * (y == x) if is_active(x) else 0.0)


@rule(np.fmin, elementwise=True)
def fmin(x, y, /):
    z = np.fmin(x, y)
    x_bar = np.where((x < y) | np.isnan(y), z_bar, 0.5 * z_bar * (x == y) if is_active(y) else 0.0)
    y_bar = np.where((y < x) | np.isnan(x), z_bar, 0.5 * z_bar * (y == x) if is_active(x) else 0.0)


@rule(np.clip, elementwise=True)
def clip(a, a_min=None, a_max=None, *, min=None, max=None):
    z = np.clip(a, a_min, a_max)
    lower = a_min if min is None else min
    upper = a_max if max is None else max
    a_bar = np.where(within(a, lower, upper), z_bar, 0.0)
    a_min_bar = np.where(raised(a, a_min, a_max), z_bar, 0.0)
    a_max_bar = np.where(lowered(a, a_min, a_max), z_bar, 0.0)
    min_bar = np.where(raised(a, min, max), z_bar, 0.0)
    max_bar = np.where(lowered(a, min, max), z_bar, 0.0)


@rule(np.ndarray.clip, np.generic.clip, elementwise=True)
def clip_method(a, /, min=None, max=None):
    z = a.clip(min, max)
    a_bar = np.where(within(a, min, max), z_bar, 0.0)
    min_bar = np.where(raised(a, min, max), z_bar, 0.0)
    max_bar = np.where(lowered(a, min, max), z_bar, 0.0)


# Complex numbers


@rule(
    np.real,
    np.ndarray.real,
    np.generic.real,
    float.real,
    complex.real,
    elementwise=True,
    alias="view",
    alias_of="val",
    cheap=True,
    linear=("val",),
)
def real(val):
    y = np.real(val)
    val_bar = y_bar


@rule(
    np.imag,
    np.ndarray.imag,
    np.generic.imag,
    float.imag,
    complex.imag,
    elementwise=True,
    alias="maybe",
    alias_of="val",
    cheap=True,
    linear=("val",),
)
def imag(val):
    y = np.imag(val)
    val_bar = 0.0 if is_real(val) else 1j * y_bar


@rule(np.conjugate, elementwise=True, linear=("x",))
def conjugate(x, /):
    y = np.conjugate(x)
    x_bar = conj(y_bar)


@rule(
    np.ndarray.conj,
    np.ndarray.conjugate,
    np.generic.conj,
    np.generic.conjugate,
    float.conjugate,
    complex.conjugate,
    elementwise=True,
    alias="maybe",
    alias_of="x",
    linear=("x",),
)
def conjugate_method(x, /):
    y = x.conj()
    x_bar = conj(y_bar)


@rule(np.angle, elementwise=True)
def angle(z, deg=False):
    y = np.angle(z, deg)
    z_bar = 0.0 if is_real(z) else quotient_or_zero(1j * (np.rad2deg(y_bar) if deg else y_bar), np.conj(z))
    slope = quotient_or_zero(z_dot, z)
    y_dot = 0.0 if is_real(z) else np.rad2deg(np.imag(slope)) if deg else np.imag(slope)


@rule(np.real_if_close, elementwise=True, alias="maybe", alias_of="a", infer="unknown")
def real_if_close(a, tol=100):
    y = np.real_if_close(a, tol)
    a_bar = y_bar
    y_dot = a_dot if is_real(a) else np.real(a_dot) if is_real(y) else a_dot


# Miscellaneous


@rule(np.nan_to_num, elementwise=True)
def nan_to_num(x, *, nan=0.0, posinf=None, neginf=None):
    y = np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
    x_bar = keep_where(np.isfinite, x, y_bar)
    at_nan = keep_where(np.isnan, x, y_bar)
    at_posinf = keep_where(np.isposinf, x, y_bar)
    at_neginf = keep_where(np.isneginf, x, y_bar)
    nan_bar = at_nan if is_real(x) else at_nan.real + at_nan.imag
    posinf_bar = at_posinf if is_real(x) else at_posinf.real + at_posinf.imag
    neginf_bar = at_neginf if is_real(x) else at_neginf.real + at_neginf.imag
    unit = 1.0 if is_real(x) else 1.0 + 1j
    y_dot = (
        keep_where(np.isfinite, x, x_dot)
        + (keep_where(np.isnan, x, unit * nan_dot) if is_active(nan) else 0.0)
        + (keep_where(np.isposinf, x, unit * posinf_dot) if is_active(posinf) else 0.0)
        + (keep_where(np.isneginf, x, unit * neginf_dot) if is_active(neginf) else 0.0)
    )


# Runtime functions that the rules above call: differentiated again at higher order


@rule(power_derivative, elementwise=True)
def power_derivative_(x, p, in_x=0, in_p=0):
    z = power_derivative(x, p, in_x, in_p)
    x_bar = z_bar * conj(power_derivative(x, p, in_x + 1, in_p))
    p_bar = z_bar * conj(power_derivative(x, p, in_x, in_p + 1))


@rule(quotient_or_zero, elementwise=True)
def quotient_or_zero_(a, b):
    z = quotient_or_zero(a, b)
    a_bar = quotient_or_zero(z_bar, conj(b))
    b_bar = -z_bar * conj(quotient_or_zero(z, b))


@rule(keep_where, elementwise=True, constant_in=("x",))
def keep_where_(test, x, y):
    z = keep_where(test, x, y)
    y_bar = keep_where(test, x, z_bar)
