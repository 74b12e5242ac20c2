"""Arrays in compiled code: their names, extents and items, and what is an index of them.

An elementwise expression is lazy until something needs its memory: a store, a sum or another expression takes its
elements one by one."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....transform.code import call, constant, name
from ..typed import Axis, Lazy, Typed
from ..types import INT, Array, Items, Scalar
from .zero_d import box

INDEX_NAMES = ("i", "j", "k", "l", "m", "n")


# -- names and memory --------------------------------------------------------------------------------------------------
def array_name(lo, identifier) -> Typed:
    """An array variable. Extents of unknown origin get a token, to be known again while the name stays."""
    t = lo.env[identifier]
    if any(d is None for d in t.dims) or len(t.dims) != t.rank:
        dims = t.dims if len(t.dims) == t.rank else (None,) * t.rank
        t = replace(t, dims=tuple(lo.token() if d is None else d for d in dims))
        lo.env[identifier] = t
    axes = [Axis(d, lambda k=k, d=d: argument_extent(lo, d) or shape_of(identifier, k)) for k, d in enumerate(t.dims)]

    def element(lo, ixs):
        return ast.Subscript(name(identifier), packed_index(ixs), ast.Load())

    return Typed(name(identifier), t, lazy=Lazy(axes, element, [(t.roots, element)], is_view=True, direct=True))


def argument_extent(lo, token):
    """The extent of an argument that a token stands for, where the argument's name keeps its meaning; else None."""
    if not isinstance(token, tuple) or token[1] or token[0][0] != "argument" or len(token[0]) != 3:
        return None
    identifier, axis = lo.options["names"].get(token[0][1]), token[0][2]
    t = lo.lasting.get(identifier)
    return shape_of(identifier, axis) if isinstance(t, Array) and axis < t.rank and t.dims[axis] == token else None


def shape_of(identifier, axis):
    return ast.Subscript(ast.Attribute(name(identifier), "shape", ast.Load()), constant(axis), ast.Load())


def packed_index(ixs):
    return ixs[0] if len(ixs) == 1 else ast.Tuple(list(ixs), ast.Load())


def index_node(lo, typed: Typed):
    """An integer as an index: unsigned where it is known not to be negative, so that Numba does not test it."""
    node, low = typed.node, typed.type.low
    if typed.is_known or low is None or low < 0:
        return node
    if isinstance(node, ast.Name) and node.id in lo.counters:
        return node
    return unsigned(lo, node)


def unsigned(lo, node):
    if isinstance(node, (ast.Constant,)) or isinstance(node, ast.Name) and node.id in lo.counters:
        return node
    return call(lo.np("uintp"), node)


def array(lo, typed: Typed) -> Typed:
    """The array with its elements at hand."""
    box(lo, typed.type)
    if typed.lazy is not None:
        return typed
    made = lo.fresh("t")
    lo.assign(made, typed.node)
    lo.env[made] = typed.type
    return array_name(lo, made)


def lasting(lo, typed: Typed, roots=None) -> Array:
    """The type that a name keeps: tokens that hold for one statement become tokens of their own."""
    dims = []
    for a in typed.lazy.axes:
        dims.append(lo.token() if _is_local(a.token) else a.token)
        if a.token is not None and dims[-1] != a.token:
            lo.set_equal(dims[-1], a.token)  # for the loops of this statement
    return replace(typed.type, dims=tuple(dims), roots=typed.type.roots if roots is None else roots)


def _is_local(token):
    return token is None or isinstance(token, tuple) and isinstance(token[0], tuple) and token[0][0] == "local"


def dtype_node(lo, dtype):
    return lo.np("bool_" if dtype == np.dtype(bool) else dtype.name)


def extents(lo, lazy) -> list:
    """The extents of a lazy array, each in a name or a constant."""
    made = []
    for a in lazy.axes:
        node = constant(a.token) if isinstance(a.token, int) else a.extent()
        if not isinstance(node, (ast.Name, ast.Constant)) and not _is_shape(node):
            held = lo.fresh("extent")
            lo.assign(held, node)
            node = name(held)
            a.extent = lambda held=held: name(held)
        made.append(node)
    return made


def _is_shape(node):
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "shape"
        and isinstance(node.value.value, ast.Name)
    )


def item_at(lo, value: Typed, k: Typed) -> Typed:
    """`value[k]` for an index that counts from 0 and lies inside."""
    from .subscripts import picked

    inside = k if k.is_known else Typed(k.node, replace(k.type, high=array(lo, value).lazy.axes[0].token))
    return picked(lo, value, {0: inside})


def shape_items(lo, value: Typed) -> Typed:
    """The shape of an array, as a tuple of integers that know which extents they are."""
    from ..lowering.expressions import tuple_of

    value = array(lo, value)
    parts = []
    for a in value.lazy.axes:
        if isinstance(a.token, int):
            parts.append(Typed(constant(a.token), Scalar(INT.dtype, True, a.token, a.token), a.token))
        else:
            parts.append(Typed(a.extent(), Scalar(INT.dtype, True, 0, a.token, 1)))
    return tuple_of(parts) if parts else Typed(ast.Tuple([], ast.Load()), Items(()), items=[])
