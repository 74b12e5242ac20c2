"""Types of results, learnt by running NumPy itself on small examples: its promotion rules are not repeated here."""

from __future__ import annotations

import operator
import warnings

import numpy as np

from .types import Array, Items, Known, Scalar, Type

_LEARNT: dict = {}


def element_type(function, operands) -> Scalar:
    """The type of one element of `function(*operands)`, for numbers and arrays (taken as one-element arrays).

    Raises TypeError where NumPy has no such function for these types.

    >>> element_type(operator.mul, [Array(np.dtype(np.float32), 1), Scalar(np.dtype(float), True)]).dtype
    dtype('float32')
    """
    key = (function, tuple(_key(t) for t in operands))
    found = _LEARNT.get(key)
    if found is None:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = function(*[_example(t) for t in operands])
        found = _LEARNT[key] = _of(result)
    return found


def _key(t):
    if isinstance(t, Scalar):
        return (t.dtype, t.weak)
    if isinstance(t, Array):
        return (t.dtype, "array")
    raise TypeError(f"not a number: {t}")


def _example(t: Type):
    if isinstance(t, Array):
        return np.full(1, {"b": True, "i": 3, "u": 3}.get(t.kind, 0.5), t.dtype)
    value = {"b": True, "i": 3, "u": 3, "f": 0.5, "c": 0.5 + 0.25j}[t.kind]
    return value if t.weak is True else t.dtype.type(value)


def _of(result) -> Scalar:
    if isinstance(result, np.ndarray):
        return Scalar(result.dtype, False)
    if isinstance(result, np.generic):
        return Scalar(result.dtype, False)
    if isinstance(result, bool):
        return Scalar(np.dtype(bool), True)
    if isinstance(result, int):
        return Scalar(np.dtype(np.int64), True)
    if isinstance(result, (float, complex)):
        return Scalar(np.dtype(type(result)), True)
    raise TypeError(f"not a number: {result!r}")


def type_of_value(value) -> Type | None:
    """The type of an argument or of a global; None for what compiled code cannot take.

    >>> type_of_value(np.ones((2, 3))).rank
    2
    """
    if isinstance(value, bool):
        return Scalar(np.dtype(bool), True)
    if isinstance(value, int):
        return Scalar(np.dtype(np.int64), True)
    if type(value) is float or type(value) is complex:
        return Scalar(np.dtype(type(value)), True)
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return Scalar(value.dtype, False)
    if isinstance(value, np.ndarray):
        return Array(value.dtype, value.ndim, (None,) * value.ndim) if value.dtype.kind in "biufc" else None
    if type(value) is tuple:
        items = [type_of_value(v) for v in value]
        return None if any(i is None for i in items) else Items(tuple(items))
    if value is None or isinstance(value, (str, np.dtype, type)) or callable(value):
        return Known(value)
    return None


__all__ = ["element_type", "operator", "type_of_value"]
