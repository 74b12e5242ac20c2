"""Which elements a clipping or replacing function passed on unchanged."""

from __future__ import annotations

import numpy as np


def within(x, lower, upper):
    """True where `lower <= x <= upper`; a bound of None does not bound.

    >>> within(np.array([-1.0, 0.0, 2.0]), 0.0, None)
    array([False,  True,  True])
    """
    inside = True if lower is None else np.greater_equal(x, lower)
    return inside if upper is None else inside & np.less_equal(x, upper)


def raised(x, lower, upper):
    """True where `np.clip(x, lower, upper)` returns the lower bound in place of `x`.

    >>> raised(np.array([-1.0, 0.0, 2.0]), 0.0, 1.0)
    array([ True, False, False])
    """
    below = np.less(x, lower)
    return below if upper is None else below & np.less_equal(lower, upper)


def lowered(x, lower, upper):
    """True where `np.clip(x, lower, upper)` returns the upper bound in place of `x` (or of a greater lower bound).

    >>> lowered(np.array([-1.0, 0.0, 2.0]), 0.0, 1.0)
    array([False, False,  True])
    """
    return np.greater(x if lower is None else np.maximum(x, lower), upper)


def keep_where(test, x, y):
    """`y` where `test(x)` is true, else 0; for a complex `x` the real and the imaginary parts each for themselves.

    >>> keep_where(np.isfinite, np.array([1.0, np.nan]), np.array([2.0, 3.0]))
    array([2., 0.])
    >>> keep_where(np.isfinite, complex(np.inf, 1.0), 2.0 + 3.0j)
    np.complex128(3j)
    """
    if not np.iscomplexobj(x):
        return np.where(test(x), y, 0)
    return np.where(test(np.real(x)), np.real(y), 0) + 1j * np.where(test(np.imag(x)), np.imag(y), 0)
