"""What is computed element by element, and casts of it to another dtype."""

from __future__ import annotations

import ast

import numpy as np

from ....transform.code import call, constant, name
from ..arrays.zero_d import number_in
from ..examples import element_type
from ..typed import Typed
from ..types import INT, Array, Scalar
from .expressions import in_words


def as_dtype(lo, node, t, dtype):
    """A scalar node as a number of a dtype."""
    if t.dtype == dtype:
        return node
    if t.kind == "b" and dtype.kind != "b":  # Numba converts no bool to a float
        one, zero = constant(1.0 if dtype.kind in "fc" else 1), constant(0.0 if dtype.kind in "fc" else 0)
        node, t = ast.IfExp(node, one, zero), Scalar(np.dtype(float if dtype.kind in "fc" else np.int64), t.weak)
        if t.dtype == dtype:
            return node
    if dtype == np.dtype(np.float64):
        if t.kind == "f":  # Numba's `float` of a float32 is one
            return call(lo.np("float64"), node)
        return call(name("float"), node) if t.kind in "iu" else node
    if dtype == np.dtype(np.int64):
        return call(name("int"), node)
    return call(lo.np(dtype.name if dtype != np.dtype(bool) else "bool_"), node)


def needs_cast(dtype) -> bool:
    """Would Numba compute with another dtype than this, from operands that are not all of it?"""
    return dtype not in (np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.complex128), np.dtype(bool))


def apply_elementwise(lo, function, values, build) -> Typed:
    """An elementwise function on numbers and arrays. `build(lo, nodes, types, result)` gives one element.

    The type of the result is NumPy's; operands are cast to it first where Numba would choose another.
    """
    values = [number_in(lo, v) for v in values]
    for v in values:
        if not isinstance(v.type, (Scalar, Array)):
            lo.refuse(f"{in_words(v)} where a number or an array is needed")
    try:
        result = element_type(function, [v.type for v in values])
    except TypeError:
        lo.refuse(f"this operation on {' and '.join(in_words(v) for v in values)}")
    types = [Scalar(v.type.dtype, False) if isinstance(v.type, Array) else v.type for v in values]

    def element(lo, nodes):
        given, their = list(nodes), list(types)
        if needs_cast(result.dtype):
            for k, t in enumerate(types):
                if t.dtype != result.dtype:
                    given[k], their[k] = as_dtype(lo, nodes[k], t, result.dtype), Scalar(result.dtype, t.weak)
        made = build(lo, given, their, result)
        if result.dtype.kind in "iu" and result.dtype.itemsize < 8 or result.dtype == np.dtype(np.float32):
            made = as_dtype(lo, made, Scalar(np.dtype(np.float64)), result.dtype)
        return made

    if any(isinstance(v.type, Array) for v in values):
        from ..arrays.broadcasting import broadcast

        return broadcast(lo, values, element, result.dtype)
    return Typed(element(lo, [v.node for v in values]), result)


def cast(lo, value: Typed, dtype, weak=None) -> Typed:
    """A number or an array as one of another dtype."""
    if value.type.dtype == dtype:
        return value
    if isinstance(value.type, Scalar):
        if value.type.kind == "c" and dtype.kind != "c":
            return Typed(as_dtype(lo, ast.Attribute(value.node, "real", ast.Load()), Scalar(np.dtype(float)), dtype),
                         Scalar(dtype, False))
        return Typed(as_dtype(lo, value.node, value.type, dtype), Scalar(dtype, value.type.weak if weak is None else weak))
    from ..arrays.broadcasting import broadcast

    t = Scalar(value.type.dtype, False)
    return broadcast(lo, [value], lambda lo, a: as_dtype(lo, a[0], t, dtype), dtype)


def integer(lo, value: Typed) -> Typed:
    """A value that must be an integer."""
    value = number_in(lo, value)
    if isinstance(value.type, Scalar) and value.type.kind in "iub":
        if value.type.kind == "u":
            return Typed(call(name("int"), value.node), Scalar(INT.dtype, False, 0))
        return value
    lo.refuse(f"{in_words(value)} where an integer is needed")
