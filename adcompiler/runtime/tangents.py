"""What generated tangent functions call: zero tangents, tangents in the memory layout of their value, stores by name.

The tangent of a list is a list of the same length, that of a dict or an object a dict by key or attribute; None stands
in the place of what carries no number.
"""

from __future__ import annotations

import numpy as np

from .shadows import DEEPEST, attribute_names, is_object


def zero_tangent(value, depth=0):
    """A zero tangent with the structure of a value.

    >>> zero_tangent([1.0, (2, np.ones(2))])
    [0.0, (0.0, array([0., 0.]))]
    """
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "fc":
            return zeros_laid_out(value)
        return np.zeros(value.shape) if value.dtype.kind in "biu" else None
    if isinstance(value, bool) or value is None or depth > DEEPEST:
        return None
    if isinstance(value, (int, float, complex, np.generic)):
        return 0.0
    if isinstance(value, tuple):
        return tuple([zero_tangent(v, depth + 1) for v in value])
    if isinstance(value, list):
        return [zero_tangent(v, depth + 1) for v in value]
    if isinstance(value, dict):
        return {k: zero_tangent(v, depth + 1) for k, v in value.items()}
    if is_object(value):
        return {k: zero_tangent(getattr(value, k), depth + 1) for k in attribute_names(value)}
    return None


def zeros_laid_out(value):
    """Zeros with the shape, dtype and strides of an array.

    >>> zeros_laid_out(np.ones((2, 3)).T).strides == np.ones((2, 3)).T.strides
    True
    """
    made = np.zeros_like(value)
    if made.strides == value.strides or value.size == 0:
        return made
    low = sum(min(0, (n - 1) * s) for n, s in zip(value.shape, value.strides, strict=True))
    high = sum(max(0, (n - 1) * s) for n, s in zip(value.shape, value.strides, strict=True))
    memory = np.zeros(high - low + value.itemsize, np.uint8)
    return np.ndarray(value.shape, value.dtype, memory, -low, value.strides)


def laid_out(tangent, value):
    """A tangent in memory of its own with the layout of its value, so that the same views of both share or copy alike.

    >>> laid_out(np.ones((2, 2)), np.ones((2, 2)).T).strides == np.ones((2, 2)).T.strides
    True
    """
    if not isinstance(value, np.ndarray):
        return _as_number(tangent)
    if (
        isinstance(tangent, np.ndarray)
        and tangent.shape == value.shape
        and tangent.dtype == value.dtype
        and tangent.strides == value.strides
        and tangent.flags.writeable
    ):
        return tangent
    made = zeros_laid_out(value)
    made[...] = tangent
    return made


def _as_number(tangent):
    """The tangent of a number: not a view of an array without axes, into which an operator in place would write."""
    return tangent[()] if isinstance(tangent, np.ndarray) and tangent.ndim == 0 else tangent


def spread(tangent, value):
    """A tangent broadcast to the shape of its value; it may be one that cannot be written into.

    >>> spread(2.0, np.ones(2)), spread(2.0, 1.0)
    (array([2., 2.]), 2.0)
    """
    shape = np.shape(value)
    return tangent if np.shape(tangent) == shape else np.broadcast_to(tangent, shape)


def spread_copy(tangent, value):
    """A tangent in new memory with the shape and the type of its value.

    >>> spread_copy(2.0, np.ones(2, np.float32))
    array([2., 2.], dtype=float32)
    """
    if not isinstance(value, np.ndarray):
        return _as_number(tangent)
    made = np.empty_like(value, dtype=value.dtype if value.dtype.kind in "fc" else float)
    made[...] = tangent
    return made


def updated_in_place(tangent, new):
    """`tangent op= ...` of a value that is a number or an array: an array is written into, a number replaced.

    >>> a = np.zeros(2)
    >>> updated_in_place(a, np.ones(2)) is a, updated_in_place(1.0, 2.0)
    (True, 2.0)
    """
    if not isinstance(tangent, np.ndarray):
        return new
    tangent[...] = new
    return tangent


__all__ = [
    "laid_out",
    "spread",
    "spread_copy",
    "updated_in_place",
    "zero_tangent",
    "zeros_laid_out",
]
