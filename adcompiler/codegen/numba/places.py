"""Places: the indices at which something is true, and elements by their number."""

from __future__ import annotations

import ast

import numpy as np

from ...runtime.numba import places as runtime
from ...runtime.selecting import from_item
from ...transform.code import call, constant, name
from .arrays import array, settled
from .elementwise import ELEMENTWISE, truth
from .expressions import constant_of, integer, tuple_of
from .functions import handles
from .pieces import _zeros
from .shapes import _tuple_parts, reshaped
from .subscripts import viewed
from .typed import Typed
from .types import Array, Items, Scalar


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


__all__ = ["constant"]
