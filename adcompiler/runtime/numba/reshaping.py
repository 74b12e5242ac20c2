"""Reshaping in compiled code as NumPy does it: a view wherever one is possible, a copy where none is."""

import numpy as np
from numba import config, njit
from numba.cpython.unsafe.tuple import tuple_setitem

from ...errors import UnsupportedSyntaxError


@njit(cache=True)
def _sizes(count, shape):
    """The shape with what -1 stands for. Raises ValueError for one that does not fit."""
    known, free = 1, -1
    for k in range(len(shape)):
        if shape[k] >= 0:
            known *= shape[k]
        elif free >= 0:
            raise ValueError("can only specify one unknown dimension")
        else:
            free = k
    if free >= 0 and known > 0 and count % known == 0:
        return tuple_setitem(shape, free, count // known)
    if free >= 0 or known != count:
        raise ValueError("cannot reshape array: the new shape holds another number of elements")
    return shape


@njit(cache=True)
def _c_strides(shape, itemsize):
    strides, step = shape, itemsize
    for k in range(len(shape) - 1, -1, -1):
        strides = tuple_setitem(strides, k, step)
        step *= shape[k]
    return strides


@njit(cache=True)
def _view_strides(a, shape):
    """The strides of a view of another shape, and whether there is one (of an array that is not empty)."""
    sizes, steps = np.empty(a.ndim, np.intp), np.empty(a.ndim, np.intp)
    rank = 0
    for k in range(a.ndim):  # axes of length 1 do not matter
        if a.shape[k] != 1:
            sizes[rank], steps[rank] = a.shape[k], a.strides[k]
            rank += 1
    strides = _c_strides(shape, a.itemsize)
    i = j = 0
    while i < rank and j < len(shape):
        first, others, old, new = i, j, sizes[i], shape[j]
        while old != new:  # the least groups of axes that hold as many elements
            if new < old:
                others += 1
                new *= shape[others]
            else:
                i += 1
                old *= sizes[i]
        for k in range(first, i):
            if steps[k] != sizes[k + 1] * steps[k + 1]:
                return strides, False
        step = steps[i]
        for k in range(others, j - 1, -1):
            strides = tuple_setitem(strides, k, step)
            step *= shape[k]
        i, j = i + 1, others + 1
    return strides, True


@njit(cache=True)
def reshaped(a, shape):
    """`a.reshape(shape)` for a tuple of integers.

    >>> a = np.arange(6.0)
    >>> reshaped(a[::2], (3, 1))[1, 0] = 7.0
    >>> a
    array([0., 1., 7., 3., 4., 5.])
    """
    found = _sizes(a.size, shape)
    if a.size > 0:
        strides, is_view = _view_strides(a, found)
        if is_view:
            return np.lib.stride_tricks.as_strided(a, found, strides)
    flat = np.empty(a.size, a.dtype)
    k = 0
    for x in a.flat:
        flat[k] = x
        k += 1
    return np.lib.stride_tricks.as_strided(flat, found, _c_strides(found, a.itemsize))


@njit(cache=True)
def check_length(count, given):
    """Raise ValueError where a vector of `count` elements is reshaped to another length (-1: to its own).

    >>> check_length(3, -1)
    """
    if given != count and given != -1:
        raise ValueError("cannot reshape array: the new shape holds another number of elements")


@njit(cache=True)
def check_order(a):
    """Raise UnsupportedSyntaxError for an array in another than C order: NumPy would lay out what it computes alike."""
    last = 0
    for n, step in zip(a.shape[::-1], a.strides[::-1]):
        if n > 1 and a.size > 0:
            if abs(step) < last:
                raise UnsupportedSyntaxError(
                    "the Numba backend does not change an array that is also used in another shape, in Fortran order")
            last = abs(step)


@njit(cache=True)
def without_axes(part):
    """The view of an array of one element as one without axes.

    >>> a = np.zeros(3)
    >>> without_axes(a[1:2])[()] = 5.0
    >>> a
    array([0., 5., 0.])
    """
    return np.lib.stride_tricks.as_strided(part, (), ())


@njit(cache=True)
def with_one_axis(a):
    """The view of an array without axes as a vector.

    >>> with_one_axis(np.array(2.0))
    array([2.])
    """
    return np.lib.stride_tricks.as_strided(a, (1,), (a.itemsize,))


@njit(cache=True)
def diagonal_of(a, k):
    """`np.diagonal(a, k)` of a matrix, a view.

    >>> diagonal_of(np.arange(6.0).reshape(2, 3), 1)
    array([1., 5.])
    """
    part = a[:, k:] if k >= 0 else a[-k:, :]
    n = min(part.shape[0], part.shape[1])
    return np.lib.stride_tricks.as_strided(part, (n,), (part.strides[0] + part.strides[1],))


if config.DISABLE_JIT:

    def reshaped(a, shape):  # noqa: F811
        """`a.reshape(shape)`."""
        return a.reshape(shape)
