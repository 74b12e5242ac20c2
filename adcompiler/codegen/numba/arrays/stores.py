"""Stores into arrays and views, element by element, through a copy where source and target overlap."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....runtime.numba import checks
from ....transform.code import call, name, nodes_in
from ..typed import Typed
from ..types import Array, Scalar
from .arrays import array
from .broadcasting import _index_map, stride_of
from .nests import nest, settled
from .zero_d import box, number_in


# -- stores ------------------------------------------------------------------------------------------------------------
def target_of(lo, base: Typed, index, origin) -> Typed:
    """What a store writes to: an element, or a region."""
    from .subscripts import subscripted

    box(lo, base.type)
    if not isinstance(base.type, Array):
        lo.refuse("a store into what is not an array")
    base = array(lo, base)
    if not base.lazy.is_view:
        lo.refuse("a store into a value that has no name")
    made = subscripted(lo, base, index, origin, is_target=True)
    made.roots = base.type.roots
    return made


def store(lo, target: Typed, op, value: Typed, origin, *, adds=False):
    """`target op= value`; with `adds` an element that is named twice takes both."""
    from ..lowering.operators import binary

    lo.stored |= target.roots if isinstance(target.type, Scalar) else target.type.roots
    value = number_in(lo, value)
    if isinstance(op, ast.MatMult):
        if not isinstance(target.type, Array) or target.type.rank < 2:
            lo.refuse("'@=' on what is not a matrix", "x = x @ a")
        value, op = settled(lo, binary(lo, ast.MatMult, target, value)), None
    if isinstance(target.type, Scalar):
        if isinstance(value.type, Array):
            lo.refuse("an array stored into one element", "store a number: x[i] = y[0]")
        _store_element(lo, target.node, target.type.dtype, op, value)
        return
    target = array(lo, target)
    if value.items is not None:
        from ..functions.creation import array_from

        value = array_from(lo, [value], {})
    if not isinstance(value.type, (Scalar, Array)):
        lo.refuse("this value stored into an array")
    if target.lazy.repeats and op is not None and not adds:
        value, op = settled(lo, binary(lo, type(op), target, value)), None
    if isinstance(value.type, Array):
        value = array(lo, value)
        if value.type.rank > target.type.rank:
            lo.refuse("an array stored into a region of lower rank", "take the part that is meant: x[...] = y[0]")
        if overlaps(lo, target, value):
            value = settled(lo, value)
            if overlaps(lo, target, value):
                copy = Typed(None, value.type, lazy=replace(value.lazy, is_view=False))
                value = settled(lo, copy)
        indices = _fitted(lo, target, value)
    else:
        value = lo.held(value)

    def body(ixs):
        where = target.lazy.element(lo, ixs)
        if isinstance(value.type, Array):
            given = Typed(value.lazy.element(lo, indices(lo, ixs)), Scalar(value.type.dtype, False))
        else:
            given = value
        _store_element(lo, where, target.type.dtype, op, given)

    nest(lo, target.lazy, body)


def _store_element(lo, where, dtype, op, value: Typed):
    from ..lowering.operators import binary

    if op is not None:
        old = Typed(where, Scalar(dtype, False))
        value = binary(lo, type(op), old, value)
        if not np.can_cast(value.type.dtype, dtype, "same_kind"):
            lo.refuse(f"{value.type.dtype} numbers added in place to an array of {dtype}", "convert them first")
        node = value.node
        if isinstance(node, ast.BinOp) and node.left is where:
            lo.emit(ast.AugAssign(_stored(where), node.op, node.right))
            return
    elif value.type.kind == "c" and dtype.kind != "c":
        lo.refuse("a complex number stored into an array of real numbers", "store its real part")
    lo.emit(ast.Assign([_stored(where)], value.node))


def _stored(where):
    if not isinstance(where, ast.Subscript):
        raise TypeError("a store into what is no element")
    return ast.Subscript(where.value, where.slice, ast.Store())


def _fitted(lo, target, value):
    """Compare the extents of a region with those of the value; the function from indices of the region to its own."""
    rank, own = target.type.rank, value.type.rank
    exact = not lo.options.get("broadcasting")
    mapping = {}
    for k, a in enumerate(value.lazy.axes):
        t = target.lazy.axes[rank - own + k]
        if a.token == 1 and t.token != 1:
            mapping[k] = "one"
        elif not lo.are_equal(a.token, t.token):
            if exact:
                lo.emit(ast.Expr(call(lo.helper(checks.fits_extent), t.extent(), a.extent())))
                lo.set_equal(a.token, t.token)
            else:
                lo.emit(ast.Expr(call(lo.helper(checks.broadcast_fits), t.extent(), a.extent())))
                mapping[k] = lo.fresh("stride")
                lo.assign(mapping[k], stride_of(a.extent()))
    return _index_map(value.lazy.axes, mapping, rank)


def overlaps(lo, target: Typed, value: Typed) -> bool:
    """May the loop write an element before the value has read it?"""
    roots = target.type.roots
    probe = [name(f"index {k}") for k in range(target.type.rank)]
    own = probe[target.type.rank - value.type.rank :]
    if not any(r & roots or not r or not roots for r, _ in value.lazy.reads):
        return False
    if value.type.rank != target.type.rank or target.lazy.repeats:
        return True  # an element that is named twice would be read again behind its first store
    lo.out, out = [], lo.out
    where = ast.unparse(target.lazy.element(lo, probe))
    read = value.lazy.element(lo, own)
    lo.out = out
    names = {n.value.id for n in nodes_in(read) if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name)}
    written = where.partition("[")[0]
    for n in nodes_in(read):
        if not isinstance(n, ast.Subscript) or not isinstance(n.value, ast.Name):
            continue
        t = lo.env.get(n.value.id)
        shared = not isinstance(t, Array) or not t.roots or not roots or bool(t.roots & roots)
        if shared and ast.unparse(n) != where:
            return True
        if shared and n.value.id != written:
            return True
    return not names
