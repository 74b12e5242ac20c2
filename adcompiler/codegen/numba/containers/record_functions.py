"""Methods of dicts with known keys, copies and merges of them, and the adjoints of these."""

from __future__ import annotations

import ast

from ....runtime import shadows
from ....transform.code import constant
from . import records
from ..lowering.expressions import items_of as parts_of
from ..lowering.operators import binary
from ..lowering.expressions import constant_of, expression
from ..lowering.calls import SPECIAL, handles
from .lists import constant_of_none, item, named
from ..typed import Typed
from ..types import NONE, Array, Items, Known, Listed, Record, Scalar


def method(lo, t: Record, node) -> Typed:
    """A method of a dict."""
    which, args = node.func.attr, node.args
    if which == "pop" and args:
        key = records.key_of(lo, args[0])
        if not records.has(lo, t, key) and len(args) == 2:
            return expression(lo, args[1])
        return records.remove(lo, t, key)
    if which == "get" and args:
        key = records.key_of(lo, args[0])
        if records.has(lo, t, key):
            return records.read(lo, t, key)
        return expression(lo, args[1]) if len(args) == 2 else constant_of_none()
    if which == "clear" and not args:
        for key in records.keys_of(lo, t):
            records.remove(lo, t, key)
        return constant_of_none()
    if which == "update":
        if args:
            _update(lo, t, expression(lo, args[0]), node)
        for k in node.keywords:
            records.store(lo, t, k.arg, expression(lo, k.value), node)
        return constant_of_none()
    if which == "copy" and not args:
        return _copy(lo, t, node)
    lo.refuse(f"the method '{which}' of a dict", "read and store its keys")


def _update(lo, t, other, origin):
    if not isinstance(other.type, Record) or records.layout(lo, other.type).kind != "dict":
        lo.refuse("'update' by what is no dict with known keys", "store the keys one by one")
    for key in records.keys_of(lo, other.type):
        records.store(lo, t, key, records.read(lo, other.type, key), origin)


def _copy(lo, t, node) -> Typed:
    if lo.in_loop:
        lo.refuse("a dict made in a loop", "make it in front of the loop, or use variables")
    made = records.made(lo, ("dict", id(node)), "table", "dict")
    _update(lo, made, Typed(None, t), node)
    return Typed(None, made)


def _dict(lo, node) -> Typed:
    """`dict()`, `dict(other)`, `dict(a=x)`."""
    if lo.in_loop:
        lo.refuse("a dict made in a loop", "make it in front of the loop, or use variables")
    given = [expression(lo, a) for a in node.args]
    made = records.made(lo, ("dict", id(node)), "table", "dict")
    for g in given:
        _update(lo, made, g, node)
    for k in node.keywords:
        if k.arg is None:
            lo.refuse("'**' in a dict", "write the keys out")
        records.store(lo, made, k.arg, expression(lo, k.value), node)
    return Typed(None, made)


SPECIAL[dict] = _dict


# -- adjoints ----------------------------------------------------------------------------------------------------------
@handles(shadows.added)
def _added(lo, args, kwargs):
    """The sum of two slots, tuples element by element."""
    a, b = args
    for one, other in ((a, b), (b, a)):
        if one.type == NONE or one.is_known and one.const == 0 and isinstance(other.type, (Items, Array)):
            return other
    if isinstance(a.type, Items) and isinstance(b.type, Items) and len(a.type.items) == len(b.type.items):
        parts = [_added(lo, [p, q], {}) for p, q in zip(parts_of(a), parts_of(b), strict=True)]
        return Typed(None, Items(tuple(p.type for p in parts)), items=parts)
    if not all(isinstance(v.type, (Scalar, Array)) for v in args):
        lo.refuse("the adjoint of this part of a list or dict", "numbers, arrays or tuples of them")
    made = binary(lo, ast.Add, a, b)
    return lo.settled(made) if isinstance(made.type, Array) else lo.held(made)


@handles(shadows.part)
def _part(lo, args, kwargs):
    """One component of a slot that holds a tuple."""
    slot, at = args
    if not isinstance(slot.type, Items) or not at.is_known:
        lo.refuse("the adjoint of this part of a list", "numbers in the list")
    return parts_of(slot)[at.const]


def _slot(lo, bar, key):
    return records.read(lo, bar, key) if records.has(lo, bar, key) else constant_of(0.0)


def _shadows_of_dicts(lo, *values):
    if not all(isinstance(v.type, Record) and records.layout(lo, v.type).kind == "shadow" for v in values):
        lo.refuse("the adjoint of this change of a dict", "read and store its keys")
    return [v.type for v in values]


def _keys(lo, value):
    if not isinstance(value.type, Items) or not all(isinstance(i, Known) for i in value.type.items):
        lo.refuse("the adjoint of this change of a dict", "read and store its keys")
    return [i.value for i in value.type.items]


@handles(shadows.add_by_key)
def _add_by_key(lo, args, kwargs):
    (slots,) = _shadows_of_dicts(lo, args[0])
    keys, parts = _keys(lo, args[1]), args[2]
    if isinstance(parts.type, Listed):
        parts = named(lo, parts)
        found = [item(lo, parts, constant(k)) for k in range(len(keys))]
    else:
        found = parts_of(parts)
    for key, p in zip(keys, found, strict=True):
        records.store(lo, slots, key, _added(lo, [_slot(lo, slots, key), p], {}), key)
    return constant_of_none()


@handles(shadows.move_by_key)
def _move_by_key(lo, args, kwargs):
    slots, parts = _shadows_of_dicts(lo, args[0], args[2])
    for key in _keys(lo, args[1]):
        if records.has(lo, slots, key):
            moved = records.remove(lo, slots, key)
            records.store(lo, parts, key, _added(lo, [_slot(lo, parts, key), moved], {}), key)
    return constant_of_none()


@handles(shadows.add_items)
def _add_items(lo, args, kwargs):
    slots, parts = _shadows_of_dicts(lo, *args)
    for key in records.keys_of(lo, parts):
        records.store(lo, slots, key, _added(lo, [_slot(lo, slots, key), records.read(lo, parts, key)], {}), key)
    return constant_of_none()


__all__ = ["method"]
