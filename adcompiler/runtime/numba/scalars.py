"""Operations on Python numbers with Python's own errors, and functions of one element, for compiled code.

Compiled code divides as NumPy does. Where both operands are Python numbers, Python raises instead, and so do these.
"""

import math

import numpy as np
from numba import njit


@njit(cache=True)
def divided(a, b):
    """`a / b` of Python numbers.

    >>> divided(1.0, 4.0)
    0.25
    """
    if b == 0:
        raise ZeroDivisionError("division by zero")
    return a / b


@njit(cache=True)
def floor_divided(a, b):
    """`a // b` of Python numbers.

    >>> floor_divided(-7, 2)
    -4
    """
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return a // b


@njit(cache=True)
def remainder(a, b):
    """`a % b` of Python numbers.

    >>> remainder(-7, 2)
    1
    """
    if b == 0:
        raise ZeroDivisionError("integer modulo by zero")
    return a % b


@njit(cache=True)
def python_power(a, b):
    """`a ** b` of Python floats. Raises where Python raises, and where its result would be complex.

    >>> python_power(2.0, 0.5) == 2.0 ** 0.5
    True
    """
    if a == 0 and b < 0:
        raise ZeroDivisionError("0.0 cannot be raised to a negative power")
    if a < 0 and b != math.floor(b) and not math.isinf(b):
        raise ValueError("a negative number to a fractional power is complex; compiled code has no complex result here")
    y = float(a) ** float(b)
    if math.isinf(y) and not math.isinf(a) and not math.isinf(b):
        raise OverflowError("(34, 'Numerical result out of range')")
    return y


@njit(cache=True)
def integer_power(a, b):
    """`a ** b` of integers. Raises for negative `b`, and for a result of more than 64 bits.

    >>> integer_power(3, 4)
    81
    """
    if b < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    result = np.int64(1)
    for _ in range(b):
        result = product(result, a)
    return result


# The machine's own result tells nothing once it has wrapped around, and the optimiser relies on that it does not: the
# size is taken from floats. Their rounding is far below the distance of the limit from 2**63.
LARGEST = 9.2e18


@njit(cache=True)
def product(a, b):
    """`a * b` of integers. Raises OverflowError for a result of more than 64 bits.

    >>> product(6, 7)
    42
    """
    if abs(float(a) * float(b)) > LARGEST:
        raise OverflowError("an integer of more than 64 bits; use backend='numpy'")
    return a * b


@njit(cache=True)
def total(a, b):
    """`a + b` of integers. Raises OverflowError for a result of more than 64 bits.

    >>> total(6, 7)
    13
    """
    if abs(float(a) + float(b)) > LARGEST:
        raise OverflowError("an integer of more than 64 bits; use backend='numpy'")
    return a + b


@njit(cache=True)
def difference(a, b):
    """`a - b` of integers. Raises OverflowError for a result of more than 64 bits.

    >>> difference(6, 7)
    -1
    """
    if abs(float(a) - float(b)) > LARGEST:
        raise OverflowError("an integer of more than 64 bits; use backend='numpy'")
    return a - b


@njit(cache=True)
def shifted(a, b):
    """`a << b`. Raises OverflowError for a result of more than 64 bits.

    >>> shifted(3, 2)
    12
    """
    if b < 0:
        raise ValueError("negative shift count")
    if b > 62 or abs(float(a) * 2.0**b) > LARGEST:
        raise OverflowError("an integer of more than 64 bits; use backend='numpy'")
    return a << b


@njit(cache=True)
def square(x):
    """`x * x`.

    >>> square(3.0)
    9.0
    """
    return x * x


@njit(cache=True)
def sign(x):
    """-1, 0, 1 or NaN, as `np.sign` of a real number.

    >>> sign(-2.0)
    -1.0
    """
    return np.float64(x > 0) - np.float64(x < 0) if x == x else x


@njit(cache=True)
def complex_sign(z):
    """`np.sign` of a complex number: the number of size 1 in its direction, 0 at 0.

    >>> complex_sign(-2j)
    (-0-1j)
    """
    size = abs(z)
    return z / size if size > 0 else z


@njit(cache=True)
def maximum(x, y):
    """`np.maximum` of two real numbers: NaN wins.

    >>> maximum(1.0, 2.0)
    2.0
    """
    return x if x >= y or x != x else y


@njit(cache=True)
def minimum(x, y):
    """`np.minimum` of two real numbers: NaN wins.

    >>> minimum(1.0, 2.0)
    1.0
    """
    return x if x <= y or x != x else y


@njit(cache=True)
def quotient_or_zero(a, b):
    """`a / b`, and 0 where `b` is 0.

    >>> quotient_or_zero(1.0, 0.0)
    0.0
    """
    return a / b if b != 0 else 0.0


@njit(cache=True)
def complex_quotient_or_zero(a, b):
    """`a / b` of which one is complex, and 0 where `b` is 0.

    >>> complex_quotient_or_zero(1.0, 2j), complex_quotient_or_zero(1j, 0.0)
    (-0.5j, 0j)
    """
    return complex(a) / complex(b) if b != 0 else 0j


@njit(cache=True)
def share(y_bar, winners):
    """`y_bar` divided among so many numbers that are equal; none may be, where they are NaN.

    >>> share(1.0, 2)
    0.5
    """
    return y_bar / max(winners, 1)


@njit(cache=True)
def power_slope(x, p):
    """The derivative of `x ** p` with respect to `x`, 0 for `p == 0` also at `x == 0`.

    >>> power_slope(3.0, 2.0)
    6.0
    """
    return p * x ** (p - 1.0) if p != 0 else 0.0


@njit(cache=True)
def exponent_slope(x, p):
    """The derivative of `x ** p` with respect to `p`, 0 at `x == 0`.

    >>> exponent_slope(1.0, 2.0)
    0.0
    """
    return x**p * math.log(x) if x != 0 else 0.0


# Python's own functions of numbers, with their errors


@njit(cache=True)
def checked_log(x):
    """`math.log(x)`.

    >>> checked_log(1.0)
    0.0
    """
    if x <= 0:
        raise ValueError("math domain error")
    return math.log(x)


@njit(cache=True)
def checked_log10(x):
    """`math.log10(x)`."""
    if x <= 0:
        raise ValueError("math domain error")
    return math.log10(x)


@njit(cache=True)
def checked_log2(x):
    """`math.log2(x)`."""
    if x <= 0:
        raise ValueError("math domain error")
    return math.log2(x)


@njit(cache=True)
def checked_log1p(x):
    """`math.log1p(x)`."""
    if x <= -1:
        raise ValueError("math domain error")
    return math.log1p(x)


@njit(cache=True)
def checked_sqrt(x):
    """`math.sqrt(x)`.

    >>> checked_sqrt(4.0)
    2.0
    """
    if x < 0:
        raise ValueError("math domain error")
    return math.sqrt(x)


@njit(cache=True)
def checked_exp(x):
    """`math.exp(x)`."""
    y = math.exp(x)
    if math.isinf(y) and not math.isinf(x):
        raise OverflowError("math range error")
    return y


@njit(cache=True)
def checked_sinh(x):
    """`math.sinh(x)`."""
    y = math.sinh(x)
    if math.isinf(y) and not math.isinf(x):
        raise OverflowError("math range error")
    return y


@njit(cache=True)
def checked_cosh(x):
    """`math.cosh(x)`."""
    y = math.cosh(x)
    if math.isinf(y) and not math.isinf(x):
        raise OverflowError("math range error")
    return y


@njit(cache=True)
def checked_expm1(x):
    """`math.expm1(x)`."""
    y = math.expm1(x)
    if math.isinf(y) and not math.isinf(x):
        raise OverflowError("math range error")
    return y


@njit(cache=True)
def checked_asin(x):
    """`math.asin(x)`."""
    if x < -1 or x > 1:
        raise ValueError("math domain error")
    return math.asin(x)


@njit(cache=True)
def checked_acos(x):
    """`math.acos(x)`."""
    if x < -1 or x > 1:
        raise ValueError("math domain error")
    return math.acos(x)


@njit(cache=True)
def checked_atanh(x):
    """`math.atanh(x)`."""
    if x <= -1 or x >= 1:
        raise ValueError("math domain error")
    return math.atanh(x)


@njit(cache=True)
def checked_acosh(x):
    """`math.acosh(x)`."""
    if x < 1:
        raise ValueError("math domain error")
    return math.acosh(x)


@njit(cache=True)
def checked_sin(x):
    """`math.sin(x)`."""
    if math.isinf(x):
        raise ValueError("math domain error")
    return math.sin(x)


@njit(cache=True)
def checked_cos(x):
    """`math.cos(x)`."""
    if math.isinf(x):
        raise ValueError("math domain error")
    return math.cos(x)


@njit(cache=True)
def checked_tan(x):
    """`math.tan(x)`."""
    if math.isinf(x):
        raise ValueError("math domain error")
    return math.tan(x)


@njit(cache=True)
def truncated(x):
    """`int(x)`. Raises for NaN, infinities, and results of more than 64 bits.

    >>> truncated(-2.5)
    -2
    """
    if x != x:
        raise ValueError("cannot convert float NaN to integer")
    if abs(x) >= 9.2e18:
        raise OverflowError("an integer of more than 64 bits; use backend='numpy'")
    return int(x)


@njit(cache=True)
def floored(x):
    """`math.floor(x)`, an integer.

    >>> floored(-2.5)
    -3
    """
    return truncated(np.floor(x))


@njit(cache=True)
def ceiled(x):
    """`math.ceil(x)`, an integer.

    >>> ceiled(-2.5)
    -2
    """
    return truncated(np.ceil(x))


@njit(cache=True)
def fmax(x, y):
    """`np.fmax` of two real numbers: NaN loses.

    >>> fmax(1.0, math.nan)
    1.0
    """
    return x if x >= y or y != y else y


@njit(cache=True)
def fmin(x, y):
    """`np.fmin` of two real numbers: NaN loses.

    >>> fmin(1.0, math.nan)
    1.0
    """
    return x if x <= y or y != y else y


@njit(cache=True)
def heaviside(x, at_zero):
    """`np.heaviside(x, at_zero)`.

    >>> heaviside(0.0, 0.5)
    0.5
    """
    return x if x != x else 0.0 if x < 0 else at_zero if x == 0 else 1.0


@njit(cache=True, fastmath={"reassoc", "nsz"})
def added(total, term):
    """`total + term` where the order of a sum is free, so that a loop may add several terms at once.

    >>> added(1.0, 2.0)
    3.0
    """
    return total + term


@njit(cache=True)
def angle(z):
    """`np.angle(z)` of a complex number.

    >>> angle(1j) == math.pi / 2
    True
    """
    return math.atan2(z.imag, z.real)


@njit(cache=True)
def nan_to_num(x):
    """`np.nan_to_num(x)`: 0 for NaN, the largest finite number for an infinite one.

    >>> nan_to_num(math.nan), nan_to_num(2.0)
    (0.0, 2.0)
    """
    if math.isnan(x):
        return 0.0
    if math.isinf(x):
        return 1.7976931348623157e308 if x > 0 else -1.7976931348623157e308
    return x


@njit(cache=True)
def sinc_slope(x):
    """The derivative of `np.sinc`; near 0 by its series, where the formula cancels.

    >>> sinc_slope(0.0), sinc_slope(1.0)
    (0.0, -1.0)
    """
    if abs(x) >= 1.0:
        return (math.cos(math.pi * x) - math.sin(math.pi * x) / (math.pi * x)) / x
    u = math.pi * x
    term, total = -u / 6.0, 0.0
    for k in range(1, 21):
        total += 2 * k * term
        term *= -u * u / ((2 * k + 2) * (2 * k + 3))
    return math.pi * total
