"""What a recording keeps for the map from tangent to tangent."""

from __future__ import annotations

import copy

import numpy as np


def kept_copy(value):
    """A value as it is now: arrays and containers, which may be changed later, are copied.

    >>> a = np.zeros(2)
    >>> kept = kept_copy(a)
    >>> a[0] = 1.0
    >>> kept
    array([0., 0.])
    """
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple):
        return tuple(map(kept_copy, value)) if any(isinstance(v, (np.ndarray, list, dict)) for v in value) else value
    return copy.deepcopy(value) if isinstance(value, (list, dict)) else value


__all__ = ["kept_copy"]
