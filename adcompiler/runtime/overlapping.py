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


__all__ = ["reads_what_it_wrote"]
