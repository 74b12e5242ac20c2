"""Stores into arrays."""

from __future__ import annotations

import operator

import numpy as np

from ...ir.nodes import Assign, Const, Display, GetItem, Slice, Store, Var
from ...ir.types import Num, Ref, Tup, carries_derivative
from .comprehensions import walk_next_time
from .expressions import lower_expression
from .items import write_item
from .operators import apply_operator
from .overlapping import refuse_wrong_order
from .rule_calls import emit_call
from .subscripts import lower_index, subscript


def is_fancy(cx, index) -> bool:
    """May an index hold integer arrays (so that an element may be named twice)?"""
    parts = index.items if isinstance(index, Display) else (index,)
    if isinstance(index, Var) and index.items is not None:
        parts = index.items
    for p in parts:
        if isinstance(p, Slice) or p is None:
            continue
        value, t = cx.constant(p), cx.type(p)
        if value is None or value is Ellipsis or isinstance(value, int):
            continue
        if isinstance(t, Num) and (t.is_scalar or t.kind == "b"):
            continue
        return True
    return False


def store_subscript(cx, node, target, value):
    base = lower_expression(cx, target.value)
    index = lower_index(cx, target.slice)
    t = cx.type(base)
    if isinstance(t, (Ref, Tup)):
        write_item(cx, node, base, index, value)
        return
    store(cx, node, base, index, value)


def store(cx, node, base, index, value, op=None, printed=None):
    """`base[index] op= value` on an array."""
    t = cx.type(base)
    if not isinstance(t, Num) or not isinstance(base, Var):
        if cx.varied(value) or cx.varied(base):
            walk_next_time(cx, base)
            cx.unsupported(node, "a store into something that is not known to be an array")
        cx.emit(Store(base, index, value, op, printed, loc=cx.loc(node)))
        cx.note_store(base)
        return
    if t.boxed is False:
        cx.unsupported(node, "a number cannot be stored into")
    if cx.varied(value) and t.kind in "ib":
        cx.unsupported(
            node,
            "an active float is stored in an integer array, which cuts its derivative",
            "make the array with a floating dtype",
        )
    value_type = cx.type(value)
    if isinstance(value_type, Num) and value_type.kind == "c" and t.kind == "f" and cx.varied(value):
        cx.unsupported(node, "a complex active value is stored in a real array", "store value.real")
    if op is not None and op not in (operator.add, operator.sub):
        operand = value
        place = index if index is not None else Const(Ellipsis)
        old = base if index is None else subscript(cx, node, base, place)
        value = apply_operator(cx, node, op, old, value)
        index, op, printed = place, None, ("augmented", op, operand)
    if isinstance(value, Var) and isinstance(value.type, (Ref, Tup)):
        value = emit_call(cx, node, np.array, (value,), {})
    if op is None:
        refuse_wrong_order(cx, node, base, index, value)
    if cx.varied(value):
        cx.mark_varied(base)
        vary_group(cx, base)
    base.group.family.stored = True
    cx.note_store(base)
    cx.emit(Store(base, index, value, op, printed, loc=cx.loc(node)))


def vary_group(cx, base):
    """Everything that shares memory with `base` may hold active values from here on (and, in loops, before)."""
    family = base.group.family
    for var in [*cx.env.values(), *[v for v in cx.globals.values() if isinstance(v, Var)]]:
        if (
            var.group is not None
            and var.group.family is family
            and isinstance(var.type, Num)
            and carries_derivative(var.type)
        ):
            cx.mark_varied(var)
    for key, group in cx.holder_groups.items():
        if key[0] == "elements" and group.family is family:
            _vary_holder(cx, cx.assumed.holders.get(key[1]))
    definition = base.definition
    while isinstance(definition, Assign):
        source = definition.value
        source = source.base if isinstance(source, GetItem) else source
        if not isinstance(source, Var):
            break
        if isinstance(source.type, Num) and carries_derivative(source.type):
            cx.mark_varied(source)
        definition = source.definition


def _vary_holder(cx, holder):
    """A container that holds such an array carries a derivative as well: it may be given to a function as a whole."""
    if holder is not None and not (holder.varied and holder.touched >= holder.constant):
        holder.touched |= holder.constant
        holder.varied = cx.assumed.changed = True


def store_whole(cx, node, base, value, function):
    if function in (operator.add, operator.sub, operator.mul, operator.truediv):
        store(cx, node, base, None, value, function)
    else:
        result = apply_operator(cx, node, function, base, value)
        store(cx, node, base, Const(Ellipsis), result, printed=("augmented", function, value))
