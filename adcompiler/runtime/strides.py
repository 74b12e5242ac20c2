"""New arrays with the strides of another, so that the same views of both share memory."""

from __future__ import annotations

import numpy as np


def filled_like(array, values, dtype=None):
    """A new array with the shape and the strides of `array` (in elements), that holds `values`.

    >>> filled_like(np.zeros(6)[::-2], [1, 2, 3]).strides
    (-16,)
    """
    dtype = np.dtype(dtype or array.dtype)
    if array.flags.forc or array.size == 0 or array.itemsize == 0:
        made = np.empty_like(array, dtype, subok=False)
    else:
        strides = [s // array.itemsize * dtype.itemsize for s in array.strides]
        ends = [s * (n - 1) for s, n in zip(strides, array.shape, strict=True)]
        low, high = sum(min(0, e) for e in ends), sum(max(0, e) for e in ends)
        memory = np.zeros((high - low) // dtype.itemsize + 1, dtype)
        made = np.ndarray(array.shape, dtype, memory, -low, strides)
    made[...] = values
    return made
