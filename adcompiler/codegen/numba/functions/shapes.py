"""Shapes: views of other shapes, joining and splitting; and the sum that undoes broadcasting."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....errors import NotScalarError
from ....runtime.joining import nested_shapes, split_like, unstack_like
from ....runtime.numba import checks, reshaping
from ....runtime.products import sum_to
from ....runtime.reductions import spread
from ....runtime.seeds import unit_seed
from ....runtime.shape import number, unbroadcast
from ....runtime.tangents import spread_copy
from ....transform.code import call, constant, name
from ..arrays.arrays import array, extents, nest, packed_index, settled, shape_items, stride_of, total_over, with_ones
from .creation import filled, shape_axes
from ..lowering.expressions import constant_of, integer, tuple_of
from ..lowering.calls import handles
from ..lowering.inlined import positions
from ..typed import Axis, Lazy, Typed
from ..types import INT, Array, Items, Known, Listed, Scalar
from ..arrays.zero_d import element_view, is_zero_d, maybe_array, number_in


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


def permuted(lo, v: Typed, order) -> Typed:
    """A view with the axes in another order."""
    v = array(lo, v)
    axes = [v.lazy.axes[k] for k in order]

    def element(lo, ixs):
        old = [None] * len(order)
        for at, k in enumerate(order):
            old[k] = ixs[at]
        return v.lazy.element(lo, old)

    node = None
    if v.node is not None and v.lazy.is_view:
        node = ast.Attribute(v.node, "T", ast.Load()) if order == list(range(v.type.rank))[::-1] else call(
            lo.np("transpose"), v.node, ast.Tuple([constant(k) for k in order], ast.Load()))
    t = replace(v.type, dims=tuple(a.token for a in axes))
    return Typed(node, t, lazy=replace(v.lazy, axes=axes, element=element, direct=False))


@handles(("attribute", "T"))
def _t(lo, args, kwargs):
    if isinstance(args[0].type, Scalar):
        return args[0]
    return permuted(lo, args[0], list(range(args[0].type.rank))[::-1])


@handles(np.transpose, np.ndarray.transpose)
def _transpose(lo, args, kwargs):
    v = args[0]
    given = args[1] if len(args) == 2 else kwargs.get("axes")
    if len(args) > 2:
        given = tuple_of(args[1:])
    if given is None or isinstance(given.type, Known):
        return _t(lo, [v], {})
    return permuted(lo, v, [a % v.type.rank for a in _constants(lo, given, "axes")])


def _constants(lo, given: Typed, what) -> list:
    """The integers of a constant tuple, list or number."""
    parts = given.items if given.items is not None else [given]
    if any(not p.is_known for p in parts):
        lo.refuse(f"{what} that are not constant")
    return [int(p.const) for p in parts]


@handles(np.swapaxes, np.ndarray.swapaxes)
def _swapaxes(lo, args, kwargs):
    order = list(range(args[0].type.rank))
    i, j = (_constants(lo, a, "axes")[0] for a in args[1:3])
    order[i], order[j] = order[j], order[i]
    return permuted(lo, args[0], order)


@handles(np.moveaxis)
def _moveaxis(lo, args, kwargs):
    rank = args[0].type.rank
    source = [a % rank for a in _constants(lo, args[1], "axes")]
    target = [a % rank for a in _constants(lo, args[2], "axes")]
    order = [k for k in range(rank) if k not in source]
    for to, of in sorted(zip(target, source, strict=True)):
        order.insert(to, of)
    return permuted(lo, args[0], order)


@handles(np.expand_dims)
def _expand_dims(lo, args, kwargs):
    given = args[1] if len(args) > 1 else kwargs["axis"]
    axes = _constants(lo, given, "axes")
    if isinstance(args[0].type, Scalar):
        return filled(lo, [Axis(1, lambda: constant(1)) for _ in axes], args[0], args[0].type.dtype)
    rank = args[0].type.rank + len(axes)
    return with_ones(lo, args[0], {a % rank for a in axes})


@handles(np.flip)
def _flip(lo, args, kwargs):
    v = array(lo, args[0])
    given = args[1] if len(args) > 1 else kwargs.get("axis")
    if given is None or isinstance(given.type, Known):
        return flipped(lo, v, set(range(v.type.rank)))
    return flipped(lo, v, {a % v.type.rank for a in _constants(lo, given, "axes")})


@handles(np.flipud)
def _flipud(lo, args, kwargs):
    return flipped(lo, array(lo, args[0]), {0})


@handles(np.fliplr)
def _fliplr(lo, args, kwargs):
    if args[0].type.rank < 2:
        lo.refuse("'numpy.fliplr' of a vector", "x[::-1]")
    return flipped(lo, array(lo, args[0]), {1})


def flipped(lo, v, axes) -> Typed:
    """The view that runs backwards along these axes."""
    from ..arrays.subscripts import viewed

    return viewed(lo, v, [
        ast.Slice(None, None, ast.UnaryOp(ast.USub(), constant(1))) if k in axes else ast.Slice()
        for k in range(v.type.rank)
    ])


@handles(np.broadcast_to)
def _broadcast_to(lo, args, kwargs):
    made = _broadcast(lo, args[0], args[1] if len(args) > 1 else kwargs["shape"])
    if isinstance(args[0].type, Array) and made.lazy is not None:
        made.lazy.alias = True
    return made


def _broadcast(lo, value: Typed, shape: Typed) -> Typed:
    axes = shape_axes(lo, shape)
    if isinstance(value.type, Scalar):
        return filled(lo, axes, value, value.type.dtype) if axes else value
    value = array(lo, value)
    if not value.lazy.is_view and not value.lazy.constant:
        value = settled(lo, value)
    rank = len(axes)
    mapping = {}
    for k, a in enumerate(value.lazy.axes):
        t = axes[rank - value.type.rank + k]
        if a.token == 1 and t.token != 1:
            mapping[k] = "one"
        elif not lo.are_equal(a.token, t.token):
            if lo.options.get("broadcasting"):
                mapping[k] = lo.fresh("stride")
                lo.emit(ast.Expr(call(lo.helper(checks.broadcast_fits), t.extent(), a.extent())))
                lo.assign(mapping[k], stride_of(a.extent()))
            else:
                lo.emit(ast.Expr(call(lo.helper(checks.fits_extent), t.extent(), a.extent())))
                lo.set_equal(a.token, t.token)
    from ..arrays.arrays import _index_map

    own = _index_map(value.lazy.axes, mapping, rank)
    t = replace(value.type, rank=rank, dims=tuple(a.token for a in axes))
    lazy = Lazy(axes, lambda lo, ixs: value.lazy.element(lo, own(lo, ixs)), value.lazy.reads)
    return Typed(None, t, lazy=lazy)


@handles(spread)
def _spread(lo, args, kwargs):
    given = {**dict(zip(("value", "shape", "axis", "keepdims"), args, strict=False)), **kwargs}
    value, shape = given["value"], given["shape"]
    axis, keepdims = given.get("axis"), given.get("keepdims")
    if isinstance(value.type, Array) and axis is not None and not isinstance(axis.type, Known):
        if keepdims is None or not keepdims.const:
            rank = len(shape.type.items)
            value = with_ones(lo, value, {a % rank for a in _constants(lo, axis, "axes")})
    return _broadcast(lo, value, shape)


@handles(spread_copy)
def _spread_copy(lo, args, kwargs):
    """A tangent in memory of its own, with the shape and the type of its value."""
    from .creation import _array
    from ..lowering.expressions import cast

    tangent, value = args
    if not isinstance(value.type, (Scalar, Array)) or not isinstance(tangent.type, (Scalar, Array)):
        lo.refuse("the tangent of a copy of this")
    if isinstance(value.type, Scalar):
        return number_in(lo, tangent)
    tangent = cast(lo, tangent, value.type.dtype if value.type.kind in "fc" else np.dtype(float))
    if not value.type.rank:
        return maybe_array(lo, tangent, tangent.type.dtype)
    return _array(lo, [_broadcast(lo, tangent, shape_items(lo, value))], {})


@handles(unbroadcast, sum_to)
def _unbroadcast(lo, args, kwargs):
    """The sum over the axes that broadcasting has made: none where the extents are known to be equal."""
    value, shape = args
    rank = len(shape.type.items) if isinstance(shape.type, Items) else None
    if rank is None:
        lo.refuse("a shape that is not a tuple")
    if isinstance(value.type, Scalar):
        return value if rank == 0 else _broadcast(lo, value, shape)
    value = array(lo, value)
    lead = set(range(value.type.rank - rank))
    if is_zero_d(value):
        return value
    if rank == 0:
        from ..arrays.arrays import total

        return total(lo, value, Scalar(value.type.dtype, None))
    axes = shape_axes(lo, shape)
    ones, unsure = set(), []
    for k, a in enumerate(axes):
        own = value.lazy.axes[len(lead) + k]
        if lo.are_equal(own.token, a.token):
            continue
        if a.token == 1:
            ones.add(len(lead) + k)
        else:
            unsure.append((own, a))
    if unsure and lo.options.get("broadcasting"):
        return _summed_to(lo, value, axes, len(lead))
    for own, a in unsure:
        lo.emit(ast.Expr(call(lo.helper(checks.same_extent), own.extent(), a.extent())))
        lo.set_equal(own.token, a.token)
    if not lead and not ones:
        return value
    summed = total_over(lo, value, lead | ones, False, value.type.dtype) if len(lead | ones) < value.type.rank else None
    if summed is None:
        from ..arrays.arrays import total

        number = total(lo, value, Scalar(value.type.dtype, False))
        return filled(lo, [Axis(1, lambda: constant(1)) for _ in ones], number, value.type.dtype)
    return with_ones(lo, summed, {k - len(lead) for k in ones}) if ones else summed


def _summed_to(lo, value, axes, lead):
    """The general form: every element is added where its index leads, 0 along axes of length 1."""
    lengths = [constant(a.token) if isinstance(a.token, int) else a.extent() for a in axes]
    made = lo.fresh("summed")
    lo.assign(made, call(lo.np("zeros"), packed_index(lengths), lo.dtype(value.type.dtype)))
    factors = []
    for length in lengths:
        factors.append(lo.fresh("stride"))
        lo.assign(factors[-1], stride_of(length))

    def body(ixs):
        own = [ast.BinOp(ix, ast.Mult(), name(f)) for ix, f in zip(ixs[lead:], factors, strict=True)]
        where = ast.Subscript(name(made), packed_index(own), ast.Store())
        lo.emit(ast.AugAssign(where, ast.Add(), value.lazy.element(lo, ixs)))

    nest(lo, value.lazy, body)
    from ..arrays.arrays import _is_local

    dims = tuple(lo.token() if _is_local(a.token) else a.token for a in axes)
    lo.env[made] = Array(value.type.dtype, len(axes), dims, lo.root(made))
    return lo.array_name(made)


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


@handles(np.squeeze, np.ndarray.squeeze)
def _squeeze(lo, args, kwargs):
    v = array(lo, args[0])
    given = args[1] if len(args) > 1 else kwargs.get("axis")
    if given is None:
        lo.refuse("'numpy.squeeze' without an axis", "name the axis")
    from ..arrays.arrays import item_at  # noqa: F401
    from ..arrays.subscripts import viewed

    axes = {a % v.type.rank for a in _constants(lo, given, "axes")}
    return viewed(lo, v, [constant_of(0) if k in axes else ast.Slice() for k in range(v.type.rank)], stays_array=True)


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
    from .creation import _array

    return array(lo, _array(lo, [v], {}))


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
    from ..lowering.expressions import binary
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


def _triangle(function, keeps):
    def made(lo, args, kwargs):
        v = array(lo, args[0])
        offset = args[1] if len(args) > 1 else kwargs.get("k", constant_of(0))
        if v.type.rank < 2:
            lo.refuse(f"'numpy.{function}' of what is not a matrix")
        offset = lo.held(offset)

        def element(lo, ixs):
            test = ast.Compare(ixs[-1], [keeps()], [ast.BinOp(ixs[-2], ast.Add(), offset.node)])
            return ast.IfExp(test, v.lazy.element(lo, ixs), constant(0.0 if v.type.kind == "f" else 0))

        lazy = Lazy(v.lazy.axes, element, v.lazy.reads)
        return Typed(None, replace(v.type, roots=frozenset()), lazy=lazy)

    return made


handles(np.tril)(_triangle("tril", ast.LtE))
handles(np.triu)(_triangle("triu", ast.GtE))
