"""Arrays cut into pieces and windows, which are views, and the adjoints of both."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....runtime.joining import unsplit
from ....runtime.shape import unslide
from ....transform.code import call, constant, name
from ..arrays.arrays import array, packed_index
from ..arrays.nests import nest, settled
from ..arrays.stores import store
from ..lowering.operators import binary
from ..lowering.expressions import constant_of
from ..lowering.casts import integer
from ..lowering.calls import handles
from ..containers.lists import listed
from .joining import _kept
from .shapes import _tuple_parts
from ..arrays.subscripts import viewed
from ..typed import Axis, Typed
from ..types import INT, Array, Items, Known, Scalar


# -- pieces ------------------------------------------------------------------------------------------------------------
def _split(function, axis=None):
    def made(lo, args, kwargs):
        given = dict(zip(("ary", "indices_or_sections", "axis"), args, strict=False)) | kwargs
        at = given.get("axis", constant_of(0)) if axis is None else constant_of(axis)
        v = given["ary"]
        if not isinstance(v.type, Array) or not v.type.rank or not at.is_known:
            lo.refuse(f"these arguments of 'numpy.{function}'", "an array, and a constant axis")
        along = int(at.const) % v.type.rank
        if function == "hsplit" and v.type.rank == 1:
            along = 0
        if function in ("vsplit", "dsplit") and v.type.rank <= along:
            lo.refuse(f"'numpy.{function}' of an array of rank {v.type.rank}")
        pieces = pieces_of(lo, v, given["indices_or_sections"], along, function != "array_split")
        return listed(lo, pieces, ("pieces", id(lo.loc), *[ast.unparse(p.node) for p in pieces]))

    return made


handles(np.split)(_split("split"))
handles(np.array_split)(_split("array_split"))
handles(np.hsplit)(_split("hsplit", 1))
handles(np.vsplit)(_split("vsplit", 0))
handles(np.dsplit)(_split("dsplit", 2))


def pieces_of(lo, v: Typed, where: Typed, axis, equal) -> list:
    """Views of the pieces of an array along an axis: so many of them, or from one index to the next."""
    v = settled(lo, v)
    if where.items is not None:
        bounds = [integer(lo, i) for i in where.items]
        stops = [*[lo.held(b, "stop") for b in bounds], None]
        return [_cut(lo, v, axis, a, b) for a, b in zip([None, *stops[:-1]], stops, strict=True)]
    if not where.is_known or not isinstance(where.type, Scalar) or where.type.kind not in "iu" or where.const < 1:
        lo.refuse("a split into parts whose number is not constant", "a constant number, or a list of places to cut at")
    return _equal_pieces(lo, v, int(where.const), axis, equal)


def _equal_pieces(lo, v, count, axis, equal):
    whole = v.lazy.axes[axis]
    if isinstance(whole.token, int):
        length = constant_of(whole.token)
    else:
        length = Typed(whole.extent(), Scalar(INT.dtype, True, 0, None, 1))
    if equal:
        error = ast.Raise(call(name("ValueError"), constant("array split does not result in an equal division")))
        remainder = ast.BinOp(length.node, ast.Mod(), constant(count))
        lo.emit(ast.If(ast.Compare(remainder, [ast.NotEq()], [constant(0)]), [error], []))
    size = lo.held(_evaluated(binary(lo, ast.FloorDiv, length, constant_of(count))), "extent")
    longer = None
    if not equal:
        longer = lo.held(_evaluated(binary(lo, ast.Mod, length, constant_of(count))), "longer")
    token = None if longer is not None else size.const if size.is_known else lo.token()
    start, made = None, []
    for k in range(count):
        step = size
        if longer is not None:
            one_more = ast.IfExp(ast.Compare(constant(k), [ast.Lt()], [longer.node]), constant(1), constant(0))
            one_more = Typed(one_more, replace(INT, low=0, size=1)) if not longer.is_known else constant_of(int(k < longer.const))
            step = binary(lo, ast.Add, size, one_more)
        stop = step if start is None else binary(lo, ast.Add, start, step)
        stop = None if k == count - 1 else lo.held(stop, "stop")
        made.append(_cut(lo, v, axis, start, stop, token))
        start = stop
    return made


def _evaluated(value: Typed) -> Typed:
    """The value, as a constant where its operands are."""
    node = value.node
    if isinstance(node, ast.BinOp) and all(isinstance(n, ast.Constant) for n in (node.left, node.right)):
        a, b = node.left.value, node.right.value
        return constant_of(a // b if isinstance(node.op, ast.FloorDiv) else a % b)
    return value


def _cut(lo, v, axis, start, stop, token=None) -> Typed:
    """The view of what lies between two places of an axis, of an extent that is known by `token`."""
    bounds = [None if b is None else _kept(lo, b) for b in (start, stop)]
    if bounds == [None, None]:
        return v
    made = viewed(lo, v, [ast.Slice(*bounds) if k == axis else ast.Slice() for k in range(v.type.rank)])
    if token is None:
        return made
    axes = list(made.lazy.axes)
    axes[axis] = Axis(token, axes[axis].extent)
    return replace(made, type=replace(made.type, dims=tuple(a.token for a in axes)), lazy=replace(made.lazy, axes=axes))


@handles(unsplit)
def _unsplit(lo, args, kwargs):
    """The adjoint of the pieces, added piece by piece."""
    given = dict(zip(("y_bars", "shape", "indices_or_sections", "axis"), args, strict=False)) | kwargs
    bars, shape, axis = given["y_bars"].items, given["shape"], given.get("axis", constant_of(0))
    if bars is None or not isinstance(shape.type, Items) or not axis.is_known:
        lo.refuse("the adjoint of this split")
    dtypes = [b.type.dtype for b in bars if isinstance(b.type, (Array, Scalar)) and b.type.kind in "fc"]
    bars = [b if isinstance(b.type, Known) else settled(lo, b) for b in bars]
    made = _zeros(lo, shape, np.result_type(*dtypes) if dtypes else np.dtype(float), "parts_bar")
    pieces = pieces_of(lo, made, given["indices_or_sections"], int(axis.const) % made.type.rank, False)
    for piece, bar in zip(pieces, bars, strict=True):
        if not isinstance(bar.type, Known):
            store(lo, piece, ast.Add(), bar, None)
    return made


def _zeros(lo, shape, dtype, base) -> Typed:
    """A new array of zeros under a name."""
    from .creation import shape_axes

    axes = shape_axes(lo, shape)
    lengths = [constant(a.token) if isinstance(a.token, int) else a.extent() for a in axes]
    made = lo.fresh(base)
    lo.assign(made, call(lo.np("zeros"), packed_index(lengths), lo.dtype(dtype)))
    lo.env[made] = Array(dtype, len(axes), tuple(a.token for a in axes), lo.root(made))
    return lo.array_name(made)


# -- windows -----------------------------------------------------------------------------------------------------------
@handles(np.lib.stride_tricks.sliding_window_view)
def _sliding_window_view(lo, args, kwargs):
    given = dict(zip(("x", "window_shape", "axis"), args, strict=False)) | kwargs
    if set(given) - {"x", "window_shape", "axis"} or not isinstance(given["x"].type, Array):
        lo.refuse("these arguments of 'sliding_window_view'", "an array, the shape of the window, and its axes")
    v = settled(lo, given["x"])
    window = _window(lo, given["window_shape"])
    axes = _window_axes(lo, given.get("axis"), v.type.rank, len(window))
    node = call(
        ast.Attribute(ast.Attribute(lo.np("lib"), "stride_tricks", ast.Load()), "sliding_window_view", ast.Load()),
        v.node, ast.Tuple([w.node for w in window], ast.Load()), ast.Tuple([constant(a) for a in axes], ast.Load()),
    )
    made = lo.fresh("windows")
    lo.assign(made, node)
    dims = [lo.token() if k in axes else d for k, d in enumerate(v.type.dims)]
    dims += [w.const if w.is_known else w.type.token for w in window]
    lo.env[made] = Array(v.type.dtype, len(dims), tuple(dims), v.type.roots)
    return lo.array_name(made)


def _window(lo, shape: Typed) -> list:
    parts = [shape] if isinstance(shape.type, Scalar) else shape.items
    if parts is None:
        parts = _tuple_parts(shape) if isinstance(shape.type, Items) else lo.refuse("the shape of a window that is not a tuple")
    return [lo.held(integer(lo, p), "window") for p in parts]


def _window_axes(lo, axis, rank, count) -> list:
    if axis is None or isinstance(axis.type, Known):
        axes = list(range(rank))
    else:
        parts = [axis] if axis.items is None else axis.items
        if not all(p.is_known for p in parts):
            lo.refuse("axes of windows that are not constant")
        axes = [int(p.const) % rank for p in parts]
    if len(axes) != count or len(set(axes)) < count:
        lo.refuse("windows of another rank than their axes, or twice along one axis", "give one length for each axis")
    return axes


@handles(unslide)
def _unslide(lo, args, kwargs):
    """The adjoint of windows: each element of each window is added where it was taken from."""
    given = dict(zip(("y_bar", "shape", "window_shape", "axis"), args, strict=False)) | kwargs
    y_bar = given["y_bar"]
    if not isinstance(y_bar.type, Array) or not isinstance(given["shape"].type, Items):
        lo.refuse("the adjoint of these windows")
    y_bar = array(lo, y_bar if array(lo, y_bar).lazy.is_view else settled(lo, y_bar))
    made = _zeros(lo, given["shape"], y_bar.type.dtype, "windows_bar")
    rank = made.type.rank
    axes = _window_axes(lo, given.get("axis"), rank, y_bar.type.rank - rank)

    def body(ixs):
        places = [ast.BinOp(ixs[k], ast.Add(), ixs[rank + axes.index(k)]) if k in axes else ixs[k] for k in range(rank)]
        where = ast.Subscript(name(made.node.id), packed_index(places), ast.Store())
        lo.emit(ast.AugAssign(where, ast.Add(), y_bar.lazy.element(lo, ixs)))

    nest(lo, y_bar.lazy, body)
    return made


__all__ = ["pieces_of"]
