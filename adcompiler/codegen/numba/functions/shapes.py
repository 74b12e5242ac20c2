"""Shapes: what they are, and views and copies of other shapes."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....errors import NotScalarError
from ....runtime.numba import checks, reshaping
from ....runtime.seeds import unit_seed
from ....runtime.shape import number
from ....transform.code import call, constant, name
from ..arrays.arrays import array, packed_index, shape_items
from ..arrays.nests import settled
from ..arrays.zero_d import element_view, maybe_array, number_in
from ..lowering.calls import handles
from ..lowering.expressions import constant_of, tuple_of
from ..lowering.casts import integer
from ..typed import Axis, Typed
from ..types import INT, Array, Items, Known, Listed, Scalar
from .creation import filled


@handles(("attribute", "shape"), np.shape)
def _shape(lo, args, kwargs):
    v = args[0]
    if isinstance(v.type, Scalar):
        return Typed(ast.Tuple([], ast.Load()), Items(()), items=[])
    if isinstance(v.type, Listed) and v.items is not None and all(isinstance(i.type, Scalar) for i in v.items):
        return tuple_of([constant_of(len(v.items))])
    if isinstance(v.type, Listed) and isinstance(v.type.element, Scalar):
        return tuple_of([Typed(call(name("len"), v.node), Scalar(INT.dtype, True, 0, None, 1))])
    if not isinstance(v.type, Array):
        lo.refuse("the shape of this")
    return shape_items(lo, v)


@handles(("attribute", "size"), np.size)
def _size(lo, args, kwargs):
    if len(args) > 1 or kwargs:
        lo.refuse("'numpy.size' along an axis")
    if isinstance(args[0].type, Scalar):
        return constant_of(1)
    v = array(lo, args[0])
    node, size, token = None, 1, None
    for a in v.lazy.axes:
        if isinstance(a.token, int):
            size *= a.token
            continue
        node = a.extent() if node is None else ast.BinOp(node, ast.Mult(), a.extent())
        token = a.token if v.type.rank == 1 else None
    if node is None:
        return constant_of(size)
    if size != 1:
        node = ast.BinOp(node, ast.Mult(), constant(size))
    return Typed(node, Scalar(INT.dtype, True, 0, token, 1))


@handles(("attribute", "ndim"), np.ndim)
def _ndim(lo, args, kwargs):
    return constant_of(args[0].type.rank if isinstance(args[0].type, Array) else 0)


@handles(("attribute", "dtype"))
def _dtype(lo, args, kwargs):
    return Typed(lo.dtype(args[0].type.dtype), Known(args[0].type.dtype), args[0].type.dtype)


@handles(number)
def _number(lo, args, kwargs):
    made = number_in(lo, args[0])
    return Typed(made.node, replace(made.type, boxes=frozenset()), made.const)


@handles(unit_seed)
def _unit_seed(lo, args, kwargs):
    v = args[0]
    if isinstance(v.type, Scalar):
        return constant_of(1.0) if not v.type.boxes else maybe_array(lo, constant_of(1.0), float)
    lengths = array(lo, v).lazy.axes if isinstance(v.type, Array) and v.type.kind != "b" else None
    if lengths is None or any(isinstance(a.token, int) and a.token != 1 for a in lengths):
        raise NotScalarError("a gradient needs one real number, but the result is not one", lo.loc, hint=checks.ONE_NUMBER)
    for a in lengths:
        if a.token != 1:
            lo.emit(ast.Expr(call(lo.helper(checks.check_one_number), a.extent())))
            lo.set_equal(a.token, 1)
    dtype = v.type.dtype if v.type.kind in "fc" else np.dtype(float)
    return filled(lo, [Axis(1, lambda: constant(1)) for _ in lengths], constant_of(1.0), dtype)


# -- reshaping ---------------------------------------------------------------------------------------------------------
@handles(np.reshape, np.ndarray.reshape)
def _reshape(lo, args, kwargs):
    if kwargs.keys() - {"shape", "newshape"}:
        lo.refuse("the order of a reshape")
    shape = args[1] if len(args) == 2 else tuple_of(args[1:]) if len(args) > 2 else next(iter(kwargs.values()))
    return reshaped(lo, args[0], shape)


def reshaped(lo, v: Typed, shape: Typed) -> Typed:
    """The elements in C order, in another shape; a view where it is one in NumPy."""
    if isinstance(shape.type, Scalar):
        shape = tuple_of([shape])
    parts = [integer(lo, p) for p in (shape.items or _tuple_parts(shape))]
    if isinstance(v.type, Scalar):
        return filled(lo, [Axis(1, lambda: constant(1)) for _ in parts], v, v.type.dtype) if parts else v
    if not parts:
        return _without_axes(lo, v)
    v = array(lo, v)
    if len(parts) == 1 and v.type.rank == 1:
        length, own = parts[0], v.lazy.axes[0]
        token = length.const if length.is_known else length.type.token
        if token != -1 and not lo.are_equal(token, own.token):
            lo.emit(ast.Expr(call(lo.helper(reshaping.check_length), own.extent(), length.node)))
            if length.type.low is not None and length.type.low >= 0:
                lo.set_equal(token, own.token)
        return v
    fresh = not v.lazy.is_view
    v = settled(lo, v)
    roots = v.type.roots
    if not fresh:
        lo.reshaped |= roots
    dims = tuple(p.const if p.is_known and p.const >= 0 else p.type.token if p.type.low == 0 else None for p in parts)
    nodes = [p.node for p in parts]
    if lo.options.get("exact_reshape"):
        node = call(lo.helper(reshaping.reshaped), v.node, ast.Tuple(nodes, ast.Load()))
        return Typed(node, Array(v.type.dtype, len(parts), dims, roots))
    flat = call(lo.np("ascontiguousarray"), v.node)
    node = call(ast.Attribute(flat, "reshape", ast.Load()), packed_index(nodes))
    return Typed(node, Array(v.type.dtype, len(parts), dims, roots))


def _without_axes(lo, v):
    """An array of one element as one without axes: a view, unless it is computed."""
    v = settled(lo, v)
    for a in v.lazy.axes:
        if a.token != 1:
            lo.emit(ast.Expr(call(lo.helper(reshaping.check_length), a.extent(), constant(1))))
    made = lo.fresh("t")
    lo.assign(made, element_view(lo, v, [constant(0)] * v.type.rank))
    lo.env[made] = Array(v.type.dtype, 0, (), v.type.roots)
    return lo.array_name(made)


def _tuple_parts(shape):
    return [Typed(ast.Subscript(shape.node, constant(k), ast.Load()), t) for k, t in enumerate(shape.type.items)]


def _in_c_order(args, kwargs) -> bool:
    given = [*args[1:], *kwargs.values()]
    return not given or len(given) == 1 and kwargs.keys() <= {"order"} and getattr(given[0].type, "value", given[0].const) == "C"


@handles(np.ravel, np.ndarray.ravel)
def _ravel(lo, args, kwargs):
    if not _in_c_order(args, kwargs):
        lo.refuse("the order of a ravel")
    return reshaped(lo, args[0], constant_of(-1))


@handles(np.ndarray.flatten)
def _flatten(lo, args, kwargs):
    if not _in_c_order(args, kwargs):
        lo.refuse("the order of 'flatten'")
    made = array(lo, reshaped(lo, Typed(None, args[0].type, lazy=replace(array(lo, args[0]).lazy, is_view=False)),
                              constant_of(-1)))
    return made
