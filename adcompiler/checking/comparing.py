"""Comparisons of structures of numbers: values, kinds, inner products, shared memory."""

from __future__ import annotations

import numpy as np

from ..pytrees import is_number, leaves


def inner(gradient, direction) -> float:
    """Re <gradient, direction>; None in the direction stands for zero."""
    return float(
        sum(
            np.sum(np.conj(g) * d).real
            for (_, g), (_, d) in zip(leaves(gradient), leaves(direction), strict=True)
            if d is not None
        )
    )


def equal(a, b) -> bool:
    """Do all leaves hold exactly the same?"""
    return all(_equal_leaves(x, y) for (_, x), (_, y) in zip(leaves(a), leaves(b), strict=True))


def _equal_leaves(x, y) -> bool:
    if isinstance(x, (np.ndarray, np.generic, float)):
        return np.array_equal(x, y, equal_nan=is_number(x) and is_number(y))
    if isinstance(x, (int, complex, str, bytes, bool, type(None))):
        return x == y
    return isinstance(y, type(x))  # an object of another library: what it holds is not looked at


def close(a, b, tolerance) -> bool:
    """Do the numbers agree, to a tolerance relative to the largest?"""
    for (_, x), (_, y) in zip(leaves(a), leaves(b), strict=True):
        if is_number(y):
            size = max(1.0, float(np.max(np.abs(y), initial=0.0)))
            if not np.allclose(x, y, rtol=0.0, atol=tolerance * size, equal_nan=True):
                return False
    return True


def alike(a, b) -> bool:
    """Numbers of one kind: dtype and shape of arrays, and the same sort of scalar."""
    for (_, x), (_, y) in zip(leaves(a), leaves(b), strict=True):
        if is_number(y) and (
            isinstance(x, np.ndarray) != isinstance(y, np.ndarray)
            or np.shape(x) != np.shape(y)
            or np.asarray(x).dtype != np.asarray(y).dtype
        ):
            return False
    return True


def kind_of(value) -> str:
    """Words for the type of a value."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    return f"of type {type(value).__name__}"


def share_memory(a, b) -> bool:
    """May an array of one structure share memory with one of the other?"""
    arrays = [[leaf for _, leaf in leaves(tree) if isinstance(leaf, np.ndarray)] for tree in (a, b)]
    return any(np.may_share_memory(x, y) for x in arrays[0] for y in arrays[1])
