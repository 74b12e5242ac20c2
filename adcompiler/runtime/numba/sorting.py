"""Ranks and quantiles of rows in compiled code."""

import numpy as np
from numba import njit


@njit(cache=True)
def ranks(a):
    """The place of each element of a vector in its order; equals keep theirs.

    >>> ranks(np.array([3.0, 1.0, 3.0, 2.0]))
    array([2, 0, 3, 1])
    """
    order, made = np.argsort(a, kind="mergesort"), np.empty(a.size, np.int64)
    for k in range(a.size):
        made[order[k]] = k
    return made


@njit(cache=True)
def group_ranks(a):
    """The place of each element of an array among all of its elements.

    >>> group_ranks(np.array([[3.0, 1.0], [3.0, 2.0]]))
    array([[2, 0],
           [3, 1]])
    """
    return ranks(a.ravel()).reshape(a.shape)


@njit(cache=True)
def places(a, y):
    """Where each element of a vector stands in `y`, a rearrangement of it.

    >>> places(np.array([3.0, 1.0, 2.0]), np.array([1.0, 3.0, 2.0]))
    array([1, 0, 2])
    """
    return np.argsort(y, kind="mergesort")[ranks(a)]


@njit(cache=True)
def sources(a, y):
    """From where each element of `y`, a rearrangement of a vector, comes.

    >>> sources(np.array([3.0, 1.0, 2.0]), np.array([1.0, 3.0, 2.0]))
    array([1, 0, 2])
    """
    made, place = np.empty(a.size, np.int64), places(a, y)
    for k in range(a.size):
        made[place[k]] = k
    return made


@njit(cache=True)
def check_kth(kth, length):
    """Raise ValueError where a partition is asked for an element that there is not.

    >>> check_kth(-1, 3)
    """
    if kth >= length or kth < -length:
        raise ValueError("kth out of bounds")


@njit(cache=True)
def median(a):
    """`np.median(a)`; NaN for no elements, and where one of them is.

    >>> median(np.array([4.0, 1.0, 3.0, 9.0]))
    3.5
    """
    n = a.size
    if n == 0:
        return a.dtype.type(np.nan)
    ordered = np.sort(a.ravel())
    if ordered[n - 1] != ordered[n - 1]:
        return ordered[n - 1]
    if n % 2 == 1:
        return ordered[n // 2]
    return a.dtype.type((ordered[n // 2 - 1] + ordered[n // 2]) / 2)


@njit(cache=True)
def quantile(a, q):
    """`np.quantile(a, q)` by linear interpolation. Raises ValueError for a level outside of [0, 1], IndexError for no elements.

    >>> quantile(np.array([4.0, 1.0, 3.0, 9.0]), 0.5)
    3.5
    """
    n = a.size
    if not 0 <= q <= 1:
        raise ValueError("Quantiles must be in the range [0, 1]")
    if n == 0:
        raise IndexError("the quantile of an array without elements")
    ordered = np.sort(a.ravel())
    if ordered[n - 1] != ordered[n - 1]:
        return ordered[n - 1]
    place = q * (n - 1)
    k = min(int(np.floor(place)), n - 1)
    share, low, high = place - k, ordered[k], ordered[min(k + 1, n - 1)]
    if share >= 0.5:
        return a.dtype.type(high - (high - low) * (1 - share))
    return a.dtype.type(low + (high - low) * share)


@njit(cache=True)
def quantile_slope(a, q):
    """The slope of `np.quantile(a, q)` in its level.

    >>> quantile_slope(np.array([5.0, 1.0, 2.0, 9.0]), 0.4)
    9.0
    """
    n = a.size
    if n < 2:
        return a.dtype.type(0)
    ordered = np.sort(a.ravel())
    k = min(max(int(np.floor(q * (n - 1))), 0), n - 2)
    return a.dtype.type((ordered[k + 1] - ordered[k]) * (n - 1))
