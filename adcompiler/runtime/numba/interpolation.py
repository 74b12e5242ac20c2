"""Piecewise linear interpolation in compiled code, as `np.interp` does it."""

import numpy as np
from numba import njit


@njit(cache=True)
def _piece(x, xp):
    """The interval of `xp` in which `x` lies."""
    return min(max(np.searchsorted(xp, x, side="right") - 1, 0), max(xp.size - 2, 0))


@njit(cache=True)
def interpolated(x, xp, fp):
    """`np.interp(x, xp, fp)` at one point. Raises ValueError for no knots, and for knots and values of different number.

    >>> interpolated(0.25, np.array([0.0, 1.0]), np.array([2.0, 4.0]))
    2.5
    """
    n = xp.size
    if n == 0:
        raise ValueError("array of sample points is empty")
    if fp.size != n:
        raise ValueError("fp and xp are not of the same length.")
    if x != x:
        return x
    if x >= xp[n - 1]:
        return fp[n - 1]
    if x < xp[0]:
        return fp[0]
    k = _piece(x, xp)
    slope = (fp[k + 1] - fp[k]) / (xp[k + 1] - xp[k])
    y = slope * (x - xp[k]) + fp[k]
    if y != y:
        y = slope * (x - xp[k + 1]) + fp[k + 1]
        if y != y and fp[k] == fp[k + 1]:
            y = fp[k]
    return y


@njit(cache=True)
def slope_at(x, xp, fp):
    """The slope of `np.interp(x, xp, fp)` at one point: to the right of a knot, 0 outside.

    >>> slope_at(0.25, np.array([0.0, 1.0]), np.array([2.0, 4.0]))
    2.0
    """
    n = xp.size
    if n < 2 or x < xp[0] or x > xp[n - 1]:
        return 0.0
    k = _piece(x, xp)
    return (fp[k + 1] - fp[k]) / (xp[k + 1] - xp[k])


@njit(cache=True)
def spread_to_knots(value, x, xp):
    """The adjoint of `np.interp(x, xp, fp)` with respect to `fp`, for vectors.

    >>> spread_to_knots(np.array([1.0, 2.0]), np.array([0.25, 9.0]), np.array([0.0, 1.0]))
    array([0.75, 2.25])
    """
    made = np.zeros(xp.size)
    for i in range(x.size):
        if xp.size < 2:
            made[0] += value[i]
            continue
        k = _piece(x[i], xp)
        share = (x[i] - xp[k]) / (xp[k + 1] - xp[k])
        share = 0.0 if share < 0.0 else 1.0 if share > 1.0 else share
        made[k] += value[i] * (1.0 - share)
        made[k + 1] += value[i] * share
    return made
