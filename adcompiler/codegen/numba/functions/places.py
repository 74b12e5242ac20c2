"""Places: the indices at which something is true, elements by their number, and index arrays along each axis."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....runtime.mutators import put_values, with_put
from ....runtime.numba import places as runtime
from ....runtime.selecting import from_item
from ....transform.code import call, constant, name
from ..arrays.arrays import array
from ..arrays.nests import settled
from ..arrays.sums import with_ones
from .elementwise import ELEMENTWISE, truth
from ..lowering.expressions import constant_of, tuple_of
from ..lowering.casts import integer
from ..lowering.calls import handles
from .pieces import _zeros
from .shapes import _tuple_parts, reshaped
from ..arrays.subscripts import viewed
from ..typed import Axis, Typed
from ..types import Array, Items, Scalar


def _indices(lo, v: Typed, function) -> list:
    """One array of indices per axis, in C order."""
    if not isinstance(v.type, Array) or not v.type.rank:
        lo.refuse(f"'numpy.{function}' of a number", "use an array")
    v = settled(lo, truth(lo, v))
    names = [lo.fresh("places") for _ in range(v.type.rank)]
    found = call(lo.np("nonzero"), v.node)
    lo.emit(ast.Assign([ast.Tuple([name(n, True) for n in names], ast.Store())], found))
    token = lo.token()
    for n, axis in zip(names, v.lazy.axes, strict=True):
        lo.env[n] = Array(np.dtype(np.int64), 1, (token,), lo.root(n))
        lo.inside[n] = axis.token
    return [lo.array_name(n) for n in names]


@handles(np.nonzero, np.ndarray.nonzero)
def _nonzero(lo, args, kwargs):
    return tuple_of(_indices(lo, args[0], "nonzero"))


@handles(np.flatnonzero)
def _flatnonzero(lo, args, kwargs):
    v = args[0]
    if isinstance(v.type, Array) and v.type.rank > 1:
        v = reshaped(lo, truth(lo, v), constant_of(-1))
    return _indices(lo, v, "flatnonzero")[0]


_choose = ELEMENTWISE[np.where]


def _where(lo, args):
    return tuple_of(_indices(lo, args[0], "where")) if len(args) == 1 else _choose(lo, args)


ELEMENTWISE[np.where] = _where


# -- elements by their number ------------------------------------------------------------------------------------------
@handles(np.ndarray.item)
def _item(lo, args, kwargs):
    """A number of Python: the only one, or the one at these indices, or the one of this number in C order."""
    v, index = args[0], args[1:]
    if kwargs:
        lo.refuse("'item' with these arguments", "index the array")
    if len(index) == 1 and index[0].items is not None:
        index = index[0].items
    made = v if isinstance(v.type, Scalar) else _element(lo, v, [integer(lo, i) for i in index])
    return Typed(made.node, Scalar(np.dtype({"f": float, "i": np.int64, "u": np.int64, "b": bool, "c": complex}[v.type.kind]), True))


def _element(lo, v, index):
    v = array(lo, v)
    if not index:
        for a in v.lazy.axes:
            if a.token != 1:
                lo.emit(ast.Expr(call(lo.helper(runtime.check_only), a.extent())))
        index = [constant_of(0)] * v.type.rank
    elif len(index) == 1 and v.type.rank > 1:
        v = array(lo, reshaped(lo, v, constant_of(-1)))
    if len(index) != v.type.rank:
        lo.refuse(f"'item' of an array of rank {v.type.rank} with {len(index)} indices", "one index per axis")
    return viewed(lo, v, index)


@handles(from_item)
def _from_item(lo, args, kwargs):
    """The adjoint of an array of which one element was read."""
    given = dict(zip(("value", "shape", "index"), args, strict=False)) | kwargs
    value, shape = given["value"], given["shape"]
    index = given["index"].items if "index" in given else []
    if not isinstance(value.type, Scalar) or not isinstance(shape.type, Items) or index is None:
        lo.refuse("the adjoint of this 'item'", "index the array")
    if not (shape.items or _tuple_parts(shape)):
        return value
    if len(index) == 1 and index[0].items is not None:
        index = index[0].items
    dtype = value.type.dtype if value.type.kind in "fc" else np.dtype(float)
    value = lo.held(value)
    made = _zeros(lo, shape, dtype, "item_bar")
    place = _element(lo, made, [integer(lo, i) for i in index])
    lo.emit(ast.Assign([ast.Subscript(place.node.value, place.node.slice, ast.Store())], value.node))
    return made


# -- stores by number --------------------------------------------------------------------------------------------------
def put(lo, a, ind, v, mode=None):
    """`np.put(a, ind, v)` of a vector: the values begin again where they are too few."""
    if not isinstance(a.type, Array) or a.type.rank != 1 or mode is not None and mode.const != "raise":
        lo.refuse("'numpy.put' into what is not a vector, or with a mode", "an index: a[i] = v")
    a = settled(lo, a)
    places, values = _vector(lo, ind), _vector(lo, v)
    if places.type.kind not in "iu":
        lo.refuse("'numpy.put' with these indices", "integers")
    if not np.can_cast(values.type.dtype, a.type.dtype, "same_kind"):
        lo.refuse(f"{values.type.dtype} numbers put into an array of {a.type.dtype}", "convert them first")
    lo.stored |= a.type.roots
    lo.emit(ast.Expr(call(lo.helper(runtime.put), a.node, places.node, values.node)))


def _vector(lo, v: Typed) -> Typed:
    """A number, list or array as a vector."""
    from .creation import array_from, filled

    if isinstance(v.type, Scalar):
        return settled(lo, filled(lo, [Axis(1, lambda: constant(1))], v, v.type.dtype))
    made = v if isinstance(v.type, Array) else array_from(lo, [v], {})
    return settled(lo, reshaped(lo, made, constant_of(-1)) if made.type.rank != 1 else made)


@handles(with_put)
def _with_put(lo, args, kwargs):
    given = dict(zip(("a", "ind", "v", "mode"), args, strict=False)) | kwargs
    a = array(lo, given["a"])
    made = settled(lo, Typed(None, a.type, lazy=replace(a.lazy, is_view=False)))
    put(lo, made, given["ind"], given["v"], given.get("mode"))
    return made


@handles(put_values)
def _put_values(lo, args, kwargs):
    """The adjoint of the values: of those that met in one place, only the last one's."""
    given = dict(zip(("y_bar", "ind", "shape", "mode"), args, strict=False)) | kwargs
    y_bar, places, shape = settled(lo, given["y_bar"]), _vector(lo, given["ind"]), given["shape"]
    if not isinstance(shape.type, Items) or len(shape.type.items) > 1:
        lo.refuse("the adjoint of this 'numpy.put'", "a number or a vector as the values")
    size = (shape.items or _tuple_parts(shape))[0] if shape.type.items else constant_of(1)
    made = call(lo.helper(runtime.put_values), y_bar.node, places.node, size.node)
    if not shape.type.items:
        return Typed(ast.Subscript(made, constant(0), ast.Load()), Scalar(y_bar.type.dtype, False))
    return Typed(made, Array(y_bar.type.dtype, 1, (size.type.token,)))


@handles(np.ix_)
def _ix(lo, args, kwargs):
    """An open mesh: one array of indices per axis, along its own axis."""
    made = []
    for k, v in enumerate(args):
        v = v if isinstance(v.type, Array) else _vector(lo, v)
        if v.type.rank != 1 or v.type.kind not in "iub":
            lo.refuse("'numpy.ix_' of other than vectors of integers or bools", "index arrays")
        v = _indices(lo, v, "ix_")[0] if v.type.kind == "b" else settled(lo, v)
        made.append(settled(lo, with_ones(lo, v, set(range(len(args))) - {k})))
    return tuple_of(made)


__all__ = ["put"]
