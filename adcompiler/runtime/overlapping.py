"""Stores of an array over a part of itself: the order in which NumPy writes their elements."""

from __future__ import annotations

import numpy as np


def reads_what_it_wrote(region, value) -> bool:
    """Does `region[...] = value` read an element of `value` after it has written it?

    NumPy copies an array of one axis element by element, and without a copy between where both have steps of one sign:
    backwards if the value begins before the region and reaches into it, else forwards. With equal steps that is always
    the order in which nothing is overwritten before it is read; with other steps it need not be.

    >>> x = np.arange(5.0)
    >>> reads_what_it_wrote(x[1:], x[:-1]), reads_what_it_wrote(x[::2], x[:3])
    (False, True)
    >>> x[::2] = x[:3]
    >>> x[4]  # it was x[2]
    np.float64(1.0)
    """
    if np.ndim(region) != 1 or np.ndim(value) != 1 or not np.may_share_memory(region, value) or region.size < 2:
        return False
    if region.strides[0] < 0:
        region, value = region[::-1], value[::-1]
    (to_step,), (step,) = region.strides, value.strides
    if to_step == step or to_step * step < 0 or value.size != region.size:
        return False
    to, start = (v.__array_interface__["data"][0] for v in (region, value))
    order = np.arange(region.size)
    if start < to < start + value.size * step:
        order = order[::-1]
    written, read = to + to_step * order, start + step * order
    _, when_written, when_read = np.intersect1d(written, read, assume_unique=True, return_indices=True)
    return bool(np.any(when_written < when_read))


def reads_what_the_mask_wrote(target, mask, value) -> bool:
    """Does `target[mask] = value` read an entry of `value` after it has written it?

    Where the mask has as many axes as the array, NumPy writes entry by entry, in the order of C, without a copy.

    >>> x = np.arange(4.0)
    >>> reads_what_the_mask_wrote(x, x > 0.5, x[:3]), reads_what_the_mask_wrote(x, x < 2.5, x[1:])
    (True, False)
    """
    if not isinstance(value, np.ndarray) or value.size < 2 or not np.may_share_memory(target, value):
        return False
    if np.asarray(mask).dtype != bool or np.shape(mask) != target.shape:
        return False
    written, read = _addresses(target)[np.asarray(mask)], np.ravel(_addresses(value))
    if written.size != read.size:  # an error of NumPy
        return False
    _, when_written, when_read = np.intersect1d(written, read, assume_unique=True, return_indices=True)
    return bool(np.any(when_written < when_read))


def _addresses(a):
    """Where in memory each entry of an array lies."""
    found = np.asarray(a.__array_interface__["data"][0])
    for n, step in zip(a.shape, a.strides, strict=True):
        found = np.add.outer(found, step * np.arange(n))
    return found


def shares_memory(target, *values) -> bool:
    """Is an element of `target` also one of `values`, which are arrays or lists of arrays?

    >>> x = np.arange(6.0)
    >>> shares_memory(x[::2], x[1:]), shares_memory(x[::2], x[1::2], [x[3:4], x[5:]])
    (True, False)
    """
    return any(
        shares_memory(target, *v) if isinstance(v, (list, tuple)) else isinstance(v, np.ndarray) and np.shares_memory(target, v)
        for v in values
    )


__all__ = ["reads_what_it_wrote", "reads_what_the_mask_wrote", "shares_memory"]
