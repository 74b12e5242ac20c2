"""Arrays joined to one, and the pieces of its adjoint."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....runtime.joining import nested_shapes, split_like, unstack_like
from ....runtime.numba import checks
from ....transform.code import call, constant, name
from ..arrays.arrays import array, extents, packed_index
from ..arrays.nests import nest, settled
from ..arrays.sums import with_ones
from ..lowering.calls import handles
from ..lowering.expressions import constant_of
from ..lowering.inlined import positions
from ..typed import Axis, Lazy, Typed
from ..types import Array, Items, Known, Listed, Scalar
from .creation import filled, shape_axes
from .shapes import _shape, _tuple_parts, reshaped


# -- joining -----------------------------------------------------------------------------------------------------------
def _operands(lo, given: Typed):
    parts = given.items
    if parts is None and isinstance(given.type, Items):
        parts = [Typed(ast.Subscript(given.node, constant(k), ast.Load()), t) for k, t in enumerate(given.type.items)]
    if parts is None:
        lo.refuse("a join of what is not a tuple or a list display")
    return parts


def _as_array(lo, v):
    if isinstance(v.type, Array):
        return array(lo, v)
    from .creation import array_from

    return array(lo, array_from(lo, [v], {}))


@handles(np.concatenate)
def _concatenate(lo, args, kwargs):
    axis = args[1] if len(args) > 1 else kwargs.get("axis", constant_of(0))
    if set(kwargs) - {"axis"} or not axis.is_known or axis.const is None:
        lo.refuse("these arguments of 'numpy.concatenate'")
    return joined(lo, [_as_array(lo, p) for p in _operands(lo, args[0])], axis.const)


@handles(np.append)
def _append(lo, args, kwargs):
    """Of vectors and numbers, or along an axis."""
    axis = args[2] if len(args) > 2 else kwargs.get("axis")
    parts = [with_ones(lo, array(lo, filled(lo, [Axis(1, lambda: constant(1))], p, p.type.dtype)), set())
             if isinstance(p.type, Scalar) else _as_array(lo, p) for p in args[:2]]
    if axis is None or isinstance(axis.type, Known):
        if any(p.type.rank != 1 for p in parts):
            lo.refuse("'numpy.append' of matrices without an axis", "np.ravel both first")
        return joined(lo, parts, 0)
    if not axis.is_known or parts[0].type.rank != parts[1].type.rank:
        lo.refuse("these arguments of 'numpy.append'")
    return joined(lo, parts, axis.const)


def joined(lo, parts, axis) -> Typed:
    """Arrays joined along an axis, each copied to its place."""
    rank = parts[0].type.rank
    axis %= rank
    dtype = np.result_type(*[p.type.dtype for p in parts])
    along = [extents(lo, p.lazy)[axis] for p in parts]
    first = extents(lo, parts[0].lazy)
    whole = along[0]
    for n in along[1:]:
        whole = ast.BinOp(whole, ast.Add(), n)
    known = [p.lazy.axes[axis].token for p in parts]
    token = sum(known) if all(isinstance(t, int) for t in known) else lo.token()
    shape = [whole if k == axis else n for k, n in enumerate(first)]
    made = lo.fresh("joined")
    lo.assign(made, call(lo.np("empty"), packed_index(shape), lo.dtype(dtype)))
    start = None
    for p, n in zip(parts, along, strict=True):
        for k in range(rank):
            a, b = p.lazy.axes[k], parts[0].lazy.axes[k]
            if k != axis and not lo.are_equal(a.token, b.token):
                lo.emit(ast.Expr(call(lo.helper(checks.joined_extent), b.extent(), a.extent())))

        def body(ixs, p=p, start=start):
            where = [ast.BinOp(ix, ast.Add(), start) if k == axis and start is not None else ix
                     for k, ix in enumerate(ixs)]
            lo.emit(ast.Assign([ast.Subscript(name(made), packed_index(where), ast.Store())],
                               p.lazy.element(lo, ixs)))

        nest(lo, p.lazy, body)
        start = n if start is None else ast.BinOp(start, ast.Add(), n)
    from ..arrays.arrays import _is_local

    dims = [token if k == axis else a.token for k, a in enumerate(parts[0].lazy.axes)]
    dims = tuple(lo.token() if _is_local(d) else d for d in dims)
    lo.env[made] = Array(dtype, rank, dims, lo.root(made))
    return lo.array_name(made)


def stacked(lo, parts, axis) -> Typed:
    """Arrays of one shape along a new axis."""
    rank = parts[0].type.rank + 1
    return joined(lo, [with_ones(lo, array(lo, p), {axis % rank}) for p in parts], axis % rank)


@handles(np.stack)
def _stack(lo, args, kwargs):
    axis = args[1] if len(args) > 1 else kwargs.get("axis", constant_of(0))
    return stacked(lo, [_as_array(lo, p) for p in _operands(lo, args[0])], axis.const)


@handles(np.vstack)
def _vstack(lo, args, kwargs):
    parts = [_as_array(lo, p) for p in _operands(lo, args[0])]
    return joined(lo, [with_ones(lo, p, {0}) if p.type.rank == 1 else p for p in parts], 0)


@handles(np.hstack)
def _hstack(lo, args, kwargs):
    parts = [_as_array(lo, p) for p in _operands(lo, args[0])]
    return joined(lo, parts, 0 if parts[0].type.rank == 1 else 1)


@handles(np.column_stack)
def _column_stack(lo, args, kwargs):
    parts = [_as_array(lo, p) for p in _operands(lo, args[0])]
    return joined(lo, [with_ones(lo, p, {1}) if p.type.rank == 1 else p for p in parts], 1)


@handles(split_like)
def _split_like(lo, args, kwargs):
    """The pieces of the adjoint of a join, as views."""
    given = {**dict(zip(("y_bar", "shapes", "axis", "rank"), args, strict=False)), **kwargs}
    y_bar = settled(lo, given["y_bar"])
    shapes = given["shapes"].items
    axis = given.get("axis", constant_of(0))
    axis = axis.const if axis.is_known else None
    rank = given.get("rank", constant_of(0)).const
    if axis is None and y_bar.type.rank == 1 and shapes and all(
            isinstance(s.type, Items) and len(s.type.items) < 2 for s in shapes):
        axis = 0
    if axis is None or shapes is None or any(not isinstance(s.type, Items) for s in shapes):
        lo.refuse("the adjoint of this join")
    axis %= y_bar.type.rank
    start, pieces = constant_of(0), []
    from ..lowering.operators import binary
    from ..arrays.subscripts import viewed

    for s in shapes:
        sizes = s.items or _tuple_parts(s)
        thin = len(sizes) < max(rank, y_bar.type.rank)
        length = constant_of(1) if thin else sizes[axis]
        stop = lo.held(binary(lo, ast.Add, start, length), "stop")
        cut = [ast.Slice() for _ in range(y_bar.type.rank)]
        cut[axis] = ast.Slice(_kept(lo, start), _kept(lo, stop))
        piece = viewed(lo, y_bar, cut)
        pieces.append(reshaped(lo, piece, s) if thin else _of_extents(lo, piece, s))
        start = stop
    return Typed(None, Items(tuple(p.type for p in pieces)), items=pieces)


def _kept(lo, typed):
    """The node of an integer, as one that may be walked again."""
    if isinstance(typed.node, ast.Name):
        lo.env[typed.node.id] = typed.type
        lo.unsure.discard(typed.node.id)
    return typed.node


def _of_extents(lo, piece, shape):
    """The piece, with extents known to be those of the shape."""
    piece = array(lo, piece)
    axes = []
    for own, a in zip(piece.lazy.axes, shape_axes(lo, shape), strict=True):
        axes.append(Axis(a.token, own.extent))
    return Typed(piece.node, replace(piece.type, dims=tuple(a.token for a in axes)), lazy=replace(piece.lazy, axes=axes))


@handles(positions)
def _positions(lo, args, kwargs):
    """The number of each element in C order."""
    if isinstance(args[0].type, Scalar):
        return constant_of(0)
    a = array(lo, args[0])
    lengths = extents(lo, a.lazy)

    def element(lo, ixs):
        node = ixs[0]
        for ix, length in zip(ixs[1:], lengths[1:], strict=True):
            node = ast.BinOp(ast.BinOp(node, ast.Mult(), length), ast.Add(), ix)
        return node

    t = Array(np.dtype(np.int64), a.type.rank, a.type.dims)
    return Typed(None, t, lazy=Lazy(a.lazy.axes, element))


@handles(unstack_like)
def _unstack_like(lo, args, kwargs):
    """The parts of the adjoint of an array that was made of a display."""
    if isinstance(args[1].type, Items):
        return args[0]
    return _parts_of(lo, array(lo, settled(lo, args[0])), args[1])


@handles(nested_shapes)
def _nested_shapes(lo, args, kwargs):
    """The shape of what an array is made of, or a list of the shapes of its parts."""
    v = args[0]
    if isinstance(v.type, (Scalar, Array)):
        return _shape(lo, [v], {})
    if v.items is None:
        lo.refuse("the adjoint of an array that is made of this", "store its elements one by one")
    parts = [_nested_shapes(lo, [i], {}) for i in v.items]
    return Typed(None, Listed(None), items=parts)


def _parts_of(lo, value, structure):
    from ..arrays.arrays import item_at

    if isinstance(structure.type, Items):
        return value
    if structure.items is None:
        lo.refuse("the adjoint of this array", "store its elements one by one")
    parts = [_parts_of(lo, item_at(lo, value, constant_of(k)), s) for k, s in enumerate(structure.items)]
    return Typed(None, Items(tuple(p.type for p in parts)), items=parts)
