"""Convolutions of vectors in compiled code."""

import numpy as np
from numba import njit


@njit(cache=True)
def _first(n, m, mode):
    """Where the result of a mode starts in the full convolution, and its length."""
    short, long = min(n, m), max(n, m)
    if mode == "full":
        return 0, n + m - 1
    if mode == "same":
        return short - 1 - short // 2, long
    return short - 1, long - short + 1


@njit(cache=True)
def convolved(a, v, mode):
    """`np.convolve(a, v, mode)`. Raises ValueError for an empty vector.

    >>> convolved(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0]), "same")
    array([0., 1., 2.])
    """
    if a.size == 0 or v.size == 0:
        raise ValueError("a convolution with an empty vector")
    start, count = _first(a.size, v.size, mode)
    made = np.zeros(count)
    for i in range(a.size):
        for j in range(v.size):
            k = i + j - start
            if 0 <= k < count:
                made[k] += a[i] * v[j]
    return made


@njit(cache=True)
def convolved_adjoint(value, other, size, mode):
    """The adjoint of one operand, of this size, in `convolved`; `other` is the other operand.

    >>> convolved_adjoint(np.array([1.0, 0.0, 0.0]), np.array([3.0, 4.0]), 2, "full")
    array([3., 0.])
    """
    start, count = _first(size, other.size, mode)
    made = np.zeros(size)
    for i in range(size):
        for j in range(other.size):
            k = i + j - start
            if 0 <= k < count:
                made[i] += value[k] * other[j]
    return made
