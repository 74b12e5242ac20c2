"""Rules for Python's own numbers: the modules `math` and `cmath`, and builtins, in the order of their documentation.

Choices at points without a derivative: `fabs` at 0 gives 0; `hypot` and `dist` at distance 0 give 0; `max` and `min`
of two operands at a tie give half to each of two active operands and 0 to a single one; of a sequence, or of three
operands and more, the adjoint is shared evenly among the ties.
"""

from __future__ import annotations

import builtins
import math

import numpy as np

from ..runtime.powers import power_derivative
from ..runtime.quotients import quotient_or_zero
from ..runtime.sequences import (
    adjoint_of_others,
    change_of_others,
    differences,
    dot_each,
    each_of_sum,
    products_of_others,
    scaled_conjugates,
    scaled_each,
    share_among_ties,
    sums,
    summed_to,
)
from ..runtime.special import digamma, polygamma
from .registry import LISTS, conj, is_active, is_literal, is_real, rule


# math: floating-point arithmetic


@rule(math.fabs, elementwise=True)
def fabs(x, /):
    y = math.fabs(x)
    x_bar = y_bar * np.sign(x)


if hasattr(math, "fma"):

    @rule(math.fma, elementwise=True)
    def fma(x, y, z, /):
        w = math.fma(x, y, z)
        x_bar = w_bar * y
        y_bar = w_bar * x
        z_bar = w_bar


@rule(math.fmod, elementwise=True)
def fmod(x, y, /):
    z = math.fmod(x, y)
    x_bar = z_bar
    y_bar = -z_bar * round((x - z) / y)


@rule(math.modf, elementwise=True)
def modf(x, /):
    fractional, integral = math.modf(x)
    x_bar = fractional_bar


@rule(math.remainder, elementwise=True)
def remainder(x, y, /):
    z = math.remainder(x, y)
    x_bar = z_bar
    y_bar = -z_bar * round((x - z) / y)


@rule(math.copysign, elementwise=True, constant_in=("y",))
def copysign(x, y, /):
    z = math.copysign(x, y)
    x_bar = z_bar * np.sign(x) * math.copysign(1.0, y)


@rule(math.ldexp, elementwise=True)
def ldexp(x, n, /):
    y = math.ldexp(x, n)
    x_bar = y_bar * 2.0**n


# math: powers, exponentials and logarithms


@rule(math.cbrt, elementwise=True)
def cbrt(x, /):
    y = math.cbrt(x)
    x_bar = y_bar / (3.0 * y**2)


@rule(math.exp, elementwise=True)
def exp(x, /):
    y = math.exp(x)
    x_bar = y_bar * y


@rule(math.exp2, elementwise=True)
def exp2(x, /):
    y = math.exp2(x)
    x_bar = y_bar * y * math.log(2.0)


@rule(math.expm1, elementwise=True)
def expm1(x, /):
    y = math.expm1(x)
    x_bar = y_bar * (y + 1.0)


@rule(math.log, elementwise=True)
def log(x, base=None, /):
    y = math.log(x, base)
    x_bar = y_bar / x if base is None else y_bar / (x * math.log(base))
    base_bar = -y_bar * y / (base * math.log(base))


@rule(math.log1p, elementwise=True)
def log1p(x, /):
    y = math.log1p(x)
    x_bar = y_bar / (1.0 + x)


@rule(math.log2, elementwise=True)
def log2(x, /):
    y = math.log2(x)
    x_bar = y_bar / (x * math.log(2.0))


@rule(math.log10, elementwise=True)
def log10(x, /):
    y = math.log10(x)
    x_bar = y_bar / (x * math.log(10.0))


@rule(math.pow, elementwise=True)
def math_pow(x, p, /):
    z = math.pow(x, p)
    x_bar = z_bar * (power_derivative(x, p, in_x=1) if not is_literal(p) else 0.0 if p == 0 else p * x ** (p - 1))
    p_bar = z_bar * (
        power_derivative(x, p, in_p=1)
        if not is_literal(x)
        else z * math.log(x)
        if x > 0
        else power_derivative(x, p, in_p=1)
    )


@rule(math.sqrt, elementwise=True)
def sqrt(x, /):
    y = math.sqrt(x)
    x_bar = y_bar / (2.0 * y)


# math: sums and products


@rule(math.dist)
def dist(p, q, /):
    y = math.dist(p, q)
    p_bar = scaled_each(differences(p, q), quotient_or_zero(y_bar, y), like=p)
    q_bar = scaled_each(differences(q, p), quotient_or_zero(y_bar, y), like=q)
    y_dot = quotient_or_zero(dot_each(differences(p, q), differences(p_dot, q_dot)), y)


@rule(math.fsum, linear=("seq",))
def fsum(seq, /):
    y = math.fsum(seq)
    seq_bar = each_of_sum(seq, y_bar)


@rule(math.hypot)
def hypot(*coordinates):
    y = math.hypot(*coordinates)
    coordinates_bar = scaled_each(coordinates, quotient_or_zero(y_bar, y))
    y_dot = quotient_or_zero(dot_each(coordinates, coordinates_dot), y)


@rule(math.prod)
def prod(iterable, /, *, start=1):
    y = math.prod(iterable, start=start)
    scaled = (y_bar if start == 1 else y_bar * start) if is_literal(start) else y_bar * conj(start)
    iterable_bar = (
        scaled_each(products_of_others(iterable), scaled, like=iterable)
        if is_real(y)
        else scaled_conjugates(products_of_others(iterable), scaled, like=iterable)
    )
    start_bar = y_bar * (math.prod(iterable) if is_real(y) else np.conj(math.prod(iterable)))
    others_dot = dot_each(products_of_others(iterable), iterable_dot) if is_active(iterable) else 0.0
    y_dot = (
        (others_dot if start == 1 else start * others_dot) if is_literal(start) else start * others_dot
    ) + start_dot * math.prod(iterable)


if hasattr(math, "sumprod"):

    @rule(math.sumprod, multilinear=("p", "q"))
    def sumprod(p, q, /):
        y = math.sumprod(p, q)
        p_bar = scaled_each(q, y_bar, like=p) if is_real(y) else scaled_conjugates(q, y_bar, like=p)
        q_bar = scaled_each(p, y_bar, like=q) if is_real(y) else scaled_conjugates(p, y_bar, like=q)


# math: angles and trigonometric functions


@rule(math.degrees, elementwise=True)
def degrees(x, /):
    y = math.degrees(x)
    x_bar = math.degrees(y_bar)


@rule(math.radians, elementwise=True)
def radians(x, /):
    y = math.radians(x)
    x_bar = math.radians(y_bar)


@rule(math.acos, elementwise=True)
def acos(x, /):
    y = math.acos(x)
    x_bar = -y_bar / math.sqrt((1.0 - x) * (1.0 + x))


@rule(math.asin, elementwise=True)
def asin(x, /):
    y = math.asin(x)
    x_bar = y_bar / math.sqrt((1.0 - x) * (1.0 + x))


@rule(math.atan, elementwise=True)
def atan(x, /):
    y = math.atan(x)
    x_bar = y_bar / (1.0 + x**2)


@rule(math.atan2, elementwise=True)
def atan2(y, x, /):
    z = math.atan2(y, x)
    y_bar = z_bar * quotient_or_zero(x, x**2 + y**2)
    x_bar = -z_bar * quotient_or_zero(y, x**2 + y**2)


@rule(math.cos, elementwise=True)
def cos(x, /):
    y = math.cos(x)
    x_bar = -y_bar * math.sin(x)


@rule(math.sin, elementwise=True)
def sin(x, /):
    y = math.sin(x)
    x_bar = y_bar * math.cos(x)


@rule(math.tan, elementwise=True)
def tan(x, /):
    y = math.tan(x)
    x_bar = y_bar * (1.0 + y**2)


# math: hyperbolic functions


@rule(math.acosh, elementwise=True)
def acosh(x, /):
    y = math.acosh(x)
    x_bar = y_bar / (math.sqrt(x - 1.0) * math.sqrt(x + 1.0))


@rule(math.asinh, elementwise=True)
def asinh(x, /):
    y = math.asinh(x)
    x_bar = y_bar / math.sqrt(1.0 + x**2)


@rule(math.atanh, elementwise=True)
def atanh(x, /):
    y = math.atanh(x)
    x_bar = y_bar / ((1.0 - x) * (1.0 + x))


@rule(math.cosh, elementwise=True)
def cosh(x, /):
    y = math.cosh(x)
    x_bar = y_bar * math.sinh(x)


@rule(math.sinh, elementwise=True)
def sinh(x, /):
    y = math.sinh(x)
    x_bar = y_bar * math.cosh(x)


@rule(math.tanh, elementwise=True)
def tanh(x, /):
    y = math.tanh(x)
    x_bar = y_bar * (1.0 - y**2)


# math: special functions


@rule(math.erf, elementwise=True)
def erf(x, /):
    y = math.erf(x)
    x_bar = y_bar * 2.0 / math.sqrt(math.pi) * math.exp(-(x**2))


@rule(math.erfc, elementwise=True)
def erfc(x, /):
    y = math.erfc(x)
    x_bar = -y_bar * 2.0 / math.sqrt(math.pi) * math.exp(-(x**2))


@rule(math.gamma, elementwise=True)
def gamma(x, /):
    y = math.gamma(x)
    x_bar = y_bar * y * digamma(x)


@rule(math.lgamma, elementwise=True)
def lgamma(x, /):
    y = math.lgamma(x)
    x_bar = y_bar * digamma(x)


# Builtins


@rule(complex, elementwise=True)
def complex_number(real=0.0, imag=0.0):
    y = complex(real, imag)
    real_bar = y_bar
    imag_bar = -1j * y_bar
    y_dot = real_dot + 1j * imag_dot


@rule(float, elementwise=True)
def float_number(x=0.0, /):
    y = float(x)
    x_bar = y_bar


@rule(builtins.max)
def greatest(first, second=None, /, *others):
    y = max(first, second, *others)
    first_bar = (
        share_among_ties(first, y, y_bar)
        if second is None
        else share_among_ties((first, second, *others), y, y_bar)[0]
        if others != ()
        else y_bar
        if first > second
        else (0.5 * y_bar if first == second else 0.0)
        if is_active(second)
        else 0.0
    )
    second_bar = (
        share_among_ties((first, second, *others), y, y_bar)[1]
        if others != ()
        else y_bar
        if second > first
        else (0.5 * y_bar if second == first else 0.0)
        if is_active(first)
        else 0.0
    )
    others_bar = share_among_ties((first, second, *others), y, y_bar)[2:]
    y_dot = (
        dot_each(share_among_ties(first, y, 1.0), first_dot)
        if second is None
        else dot_each(share_among_ties((first, second, *others), y, 1.0), (first_dot, second_dot, *others_dot))
        if others != ()
        else (
            first_dot
            if first > second
            else (0.5 * first_dot if first == second else 0.0)
            if is_active(second)
            else 0.0
        )
        + (
            second_dot
            if second > first
            else (0.5 * second_dot if second == first else 0.0)
            if is_active(first)
            else 0.0
        )
    )


@rule(builtins.min)
def least(first, second=None, /, *others):
    y = min(first, second, *others)
    first_bar = (
        share_among_ties(first, y, y_bar)
        if second is None
        else share_among_ties((first, second, *others), y, y_bar)[0]
        if others != ()
        else y_bar
        if first < second
        else (0.5 * y_bar if first == second else 0.0)
        if is_active(second)
        else 0.0
    )
    second_bar = (
        share_among_ties((first, second, *others), y, y_bar)[1]
        if others != ()
        else y_bar
        if second < first
        else (0.5 * y_bar if second == first else 0.0)
        if is_active(first)
        else 0.0
    )
    others_bar = share_among_ties((first, second, *others), y, y_bar)[2:]
    y_dot = (
        dot_each(share_among_ties(first, y, 1.0), first_dot)
        if second is None
        else dot_each(share_among_ties((first, second, *others), y, 1.0), (first_dot, second_dot, *others_dot))
        if others != ()
        else (
            first_dot
            if first < second
            else (0.5 * first_dot if first == second else 0.0)
            if is_active(second)
            else 0.0
        )
        + (
            second_dot
            if second < first
            else (0.5 * second_dot if second == first else 0.0)
            if is_active(first)
            else 0.0
        )
    )


@rule(builtins.pow, elementwise=True)
def builtin_pow(base, exp):
    z = pow(base, exp)
    base_bar = z_bar * (
        power_derivative(base, exp, in_x=1) if not is_literal(exp) else 0.0 if exp == 0 else exp * base ** (exp - 1)
    )
    exp_bar = z_bar * (
        power_derivative(base, exp, in_p=1)
        if not is_literal(base)
        else z * math.log(base)
        if base > 0
        else power_derivative(base, exp, in_p=1)
    )


@rule(builtins.sum, linear=("iterable", "start"))
def sum_of_sequence(iterable, /, start=0):
    y = sum(iterable, start)
    iterable_bar = each_of_sum(iterable, y_bar)
    start_bar = summed_to(y_bar, start)


# Runtime functions that the rules above call: differentiated again at higher order


@rule(digamma, elementwise=True)
def digamma_(x):
    y = digamma(x)
    x_bar = y_bar * polygamma(1, x)


@rule(polygamma, elementwise=True)
def polygamma_(n, x):
    y = polygamma(n, x)
    x_bar = y_bar * polygamma(n + 1, x)


@rule(dot_each, multilinear=("p", "q"))
def dot_each_(p, q):
    y = dot_each(p, q)
    p_bar = scaled_each(q, y_bar, like=p) if is_real(y) else scaled_conjugates(q, y_bar, like=p)
    q_bar = scaled_each(p, y_bar, like=q) if is_real(y) else scaled_conjugates(p, y_bar, like=q)


_WITHOUT_ONE = {"second order": "how many factors are left without one depends on a length that only the run knows"}


@rule(products_of_others, unchecked=_WITHOUT_ONE)
def products_of_others_(values):
    y = products_of_others(values)
    values_bar = adjoint_of_others(y_bar, values)
    y_dot = change_of_others(values_dot, values)


@rule(scaled_conjugates, constant_in=("like",), unchecked=LISTS)
def scaled_conjugates_(values, factor, like):
    z = scaled_conjugates(values, factor, like)
    values_bar = scaled_conjugates(z_bar, factor, like=values)
    factor_bar = dot_each(values, z_bar)
    z_dot = (
        (
            sums(scaled_conjugates(values_dot, factor, like), scaled_conjugates(values, factor_dot, like))
            if is_active(factor)
            else scaled_conjugates(values_dot, factor, like)
        )
        if is_active(values)
        else scaled_conjugates(values, factor_dot, like)
    )


@rule(differences, linear=("p", "q"))
def differences_(p, q):
    z = differences(p, q)
    p_bar = scaled_each(z_bar, 1.0, like=p)
    q_bar = scaled_each(z_bar, -1.0, like=q)


@rule(sums, linear=("p", "q"))
def sums_(p, q):
    z = sums(p, q)
    p_bar = scaled_each(z_bar, 1.0, like=p)
    q_bar = scaled_each(z_bar, 1.0, like=q)


@rule(scaled_each, constant_in=("like",), unchecked=LISTS)
def scaled_each_(values, factor, like=None):
    z = scaled_each(values, factor, like)
    values_bar = scaled_each(z_bar, factor, like=values)
    factor_bar = dot_each(values, z_bar)
    z_dot = (
        (
            sums(scaled_each(values_dot, factor, like), scaled_each(values, factor_dot, like))
            if is_active(factor)
            else scaled_each(values_dot, factor, like)
        )
        if is_active(values)
        else scaled_each(values, factor_dot, like)
    )
