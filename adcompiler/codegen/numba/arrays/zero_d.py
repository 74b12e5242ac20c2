"""Arrays without axes. They are arrays where they are stored into, named or made; in arithmetic they are the number in them."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....api import stop_gradient
from ....runtime.joining import nested_shapes, unstack_like
from ....runtime.numba import reshaping
from ....runtime.seeds import unit_seed
from ....runtime.shape import number, unbroadcast
from ....runtime.tangents import spread_copy, zero_tangent, zeros_laid_out
from ....transform.code import call, constant, name
from ..typed import Typed
from ..types import Array, Items, Listed, Scalar


def is_zero_d(value: Typed) -> bool:
    return isinstance(value.type, Array) and value.type.rank == 0


def number_in(lo, value: Typed) -> Typed:
    """The number in an array without axes; any other value as it is."""
    if not is_zero_d(value):
        return value
    return Typed(lo.array(value).lazy.element(lo, []), Scalar(value.type.dtype, False))


def array_of(lo, value: Typed, dtype) -> Typed:
    """A new array without axes that holds a number."""
    from ..lowering.casts import cast

    made = lo.fresh("t")
    lo.assign(made, call(lo.np("empty"), ast.Tuple([], ast.Load()), lo.dtype(dtype)))
    where = ast.Subscript(name(made), ast.Tuple([], ast.Load()), ast.Store())
    lo.emit(ast.Assign([where], cast(lo, number_in(lo, value), dtype).node))
    lo.env[made] = Array(np.dtype(dtype), 0, (), lo.root(made))
    return lo.array_name(made)


def element_view(lo, base: Typed, places) -> object:
    """The node of a view, without axes, of the element at these places."""
    if not base.type.rank:
        return base.node
    parts = []
    for place in places:
        if isinstance(place, ast.Constant):
            parts.append(ast.Slice(place, constant(place.value + 1)))
            continue
        at = lo.fresh("at")
        lo.assign(at, call(name("int"), place))
        parts.append(ast.Slice(name(at), ast.BinOp(name(at), ast.Add(), constant(1))))
    part = ast.Subscript(base.node, parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load()), ast.Load())
    return call(lo.helper(reshaping.without_axes), part)


def with_one_axis(lo, value: Typed) -> Typed:
    """The view of an array without axes as a vector of length 1."""
    value = lo.settled(value)
    made = lo.fresh("t")
    lo.assign(made, call(lo.helper(reshaping.with_one_axis), value.node))
    lo.env[made] = Array(value.type.dtype, 1, (1,), value.type.roots)
    return lo.array_name(made)


# -- numbers that NumPy gives as arrays --------------------------------------------------------------------------------
NEW = frozenset({"new"})


def maybe_array(lo, value: Typed, dtype) -> Typed:
    """A new array without axes that holds a number: that number, as long as nothing tells the two apart (see `box`)."""
    from ..lowering.casts import cast

    value = cast(lo, number_in(lo, value), np.dtype(dtype))
    return replace(value, type=Scalar(value.type.dtype, False, boxes=NEW))


def returned(lo, value: Typed, function, node, args) -> Typed:
    """The result of a call that may give NumPy an array without axes: that array, where an earlier walk has asked for it."""
    if node is None or not isinstance(value.type, Scalar) or not value.type.boxes or any(a is value for a in args):
        return value
    own = ("choice" if function is np.where else "made", id(node))
    if own in lo.learnt.boxed:
        return array_of(lo, value, value.type.dtype)
    return replace(value, type=replace(value.type, boxes=frozenset({own})))


def box(lo, t):
    """Walk again, with arrays in the place of these numbers: here something would tell the two apart."""
    boxes = _boxes(t)
    if "new" in boxes:
        lo.refuse("a use of an array without axes as an array", "a number, or an array of length 1")
    if not boxes <= lo.learnt.boxed:
        lo.learnt.boxed |= boxes
        lo.learnt.elements.clear()  # of lists: they were learnt with numbers
        raise Again


def box_shared(lo, identifier, value: Typed):
    """Before `identifier op= value` for a number: is it an array in NumPy that has other names, or that takes no array?"""
    boxes = lo.env[identifier].boxes
    others = frozenset().union(*(_boxes(t) for n, t in lo.env.items() if n != identifier)) if boxes else frozenset()
    if boxes and (isinstance(value.type, Array) or boxes & others):
        box(lo, lo.env[identifier])


def is_whole_number(base: Typed, target) -> bool:
    """Is the target of a store all of what is a number here and may be an array without axes in NumPy?"""
    return isinstance(base.type, Scalar) and bool(base.type.boxes) and isinstance(target.value, ast.Name) and is_whole(target.slice)


def is_whole(index) -> bool:
    """Is an index `...` or `()`?"""
    return isinstance(index, ast.Constant) and index.value is Ellipsis or isinstance(index, ast.Tuple) and not index.elts


def set_number(lo, identifier, value: Typed):
    """`identifier[...] = value` for such a number."""
    from ..lowering.casts import cast

    t = lo.env[identifier]
    box_shared(lo, identifier, value)
    if not isinstance(value.type, (Scalar, Array)) or value.type.kind == "c" and t.kind != "c":
        box(lo, t)
    lo.assign(identifier, cast(lo, number_in(lo, value), t.dtype).node)
    lo.set_name(identifier, t)


def stays(lo, t, value: Typed) -> Typed:
    """The value of a name of type `t` behind an operator in place: the same array, if it is one."""
    if not isinstance(t, Scalar) or not t.boxes or not isinstance(value.type, Scalar):
        return value
    if value.type.dtype != t.dtype:
        box(lo, t)
    return replace(value, type=replace(value.type, boxes=t.boxes))


def box_returned(lo, t):
    """A function returns this: an array if NumPy has made one, but for the result of `np.where`, which stays a number."""
    if isinstance(t, Scalar) and any(b[0] == "made" for b in t.boxes):
        box(lo, t)


def box_beside(lo, a, b):
    """Two types of a name on two paths: an array without axes makes one of the number too, if it may be one."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Array) and not one.rank and isinstance(other, Scalar) and other.boxes:
            box(lo, other)


def _boxes(t) -> frozenset:
    if isinstance(t, Items):
        return frozenset().union(*map(_boxes, t.items))
    if isinstance(t, Listed):
        return _boxes(t.element)
    return t.boxes if isinstance(t, Scalar) else frozenset()


class Again(Exception):
    """The walk must start again: what it has learnt changes code that is already written."""


# -- calls -------------------------------------------------------------------------------------------------------------
# What takes an array without axes as it is: it makes an array like it, reads its shape, or looks at its memory.
TAKEN_AS_ARRAYS = {
    np.array, np.copy, np.ndarray.copy, np.asarray, np.asanyarray, np.ascontiguousarray, np.zeros_like, np.ones_like,
    np.empty_like, np.full_like, np.ndarray.astype, np.shape, np.size, np.ndim, np.may_share_memory, np.ndarray.item,
    stop_gradient, number, unbroadcast, unit_seed, zero_tangent, zeros_laid_out, unstack_like,
    nested_shapes, spread_copy,
}
RESHAPED = {np.reshape, np.ndarray.reshape, np.ravel, np.ndarray.ravel, np.ndarray.flatten}
_VIEWS = {
    np.transpose, np.ndarray.transpose, np.swapaxes, np.ndarray.swapaxes, np.moveaxis, np.expand_dims, np.squeeze,
    np.ndarray.squeeze, np.real, np.imag, np.flip,
}


def prepared(lo, function, args, kwargs) -> tuple:
    """The arguments of a call, with numbers in the place of arrays without axes."""
    if function in RESHAPED or function in _VIEWS or function is np.may_share_memory:
        for a in args:
            box(lo, a.type)
    if function in TAKEN_AS_ARRAYS or not any(map(is_zero_d, [*args, *kwargs.values()])):
        return args, kwargs
    if function in RESHAPED and is_zero_d(args[0]):
        return [with_one_axis(lo, args[0]), *args[1:]], kwargs
    if function in _VIEWS:
        lo.refuse("a view of an array without axes", "the number in it, x[()], or np.reshape")
    return [number_in(lo, a) for a in args], {k: number_in(lo, v) for k, v in kwargs.items()}


__all__ = [
    "Again", "TAKEN_AS_ARRAYS", "array_of", "box", "box_beside", "box_returned", "box_shared", "element_view", "is_whole",
    "is_whole_number", "is_zero_d", "maybe_array", "number_in", "prepared", "returned", "set_number", "stays", "with_one_axis",
]
