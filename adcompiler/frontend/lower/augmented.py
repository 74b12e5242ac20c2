"""Augmented assignment: a number is bound again, an array or a container changes in place."""

from __future__ import annotations

import ast

from ...ir.nodes import Var
from ...ir.types import Num, Opaque, Ref
from . import numbers
from .assignments import bind_name
from .comprehensions import as_list_for
from .containers import extend_in_place, update_attribute, update_item
from .expressions import lower_expression
from .operators import BINARY, apply_operator
from .special_methods import augmented
from .stores import is_fancy, store, store_whole
from .subscripts import lower_index, subscript


def lower_augmented(cx, node):
    """`target op= value`."""
    function, target = BINARY[type(node.op)], node.target
    if isinstance(target, ast.Name):
        _augment_name(cx, node, function)
        return
    base = lower_expression(cx, target.value)
    if isinstance(target, ast.Attribute):
        update_attribute(cx, node, base, target.attr, function, lambda: lower_expression(cx, node.value))
        return
    index = lower_index(cx, target.slice)
    if isinstance(cx.type(base), Opaque) and not cx.varied(base):
        old = subscript(cx, node, base, index)
        store(cx, node, base, index, apply_operator(cx, node, function, old, lower_expression(cx, node.value)))
    elif isinstance(cx.type(base), Num):
        _augment_region(cx, node, base, index, function)
    else:
        update_item(cx, node, base, index, function, lambda: lower_expression(cx, node.value))


def _augment_name(cx, node, function):
    """`x op= value`: an array or a container changes in place, anything else is bound again."""
    target = node.target
    old = lower_expression(cx, ast.copy_location(ast.Name(target.id, ast.Load()), target))
    t, meant = cx.type(old), cx.find_name(target.id)
    value = lower_expression(cx, as_list_for(cx, node.value, old) if isinstance(t, Ref) else node.value)
    if isinstance(t, Num) and t.is_array and isinstance(old, Var) or isinstance(t, Ref):
        result = in_place(cx, node, function, old, value)
        if result is not old or cx.find_name(target.id) is not meant:  # the value has bound it anew, it is bound back
            bind_name(cx, target.id, result, node)
        return
    result = apply_operator(cx, node, function, old, value)
    may_be_array = isinstance(old, Var) and isinstance(t, Num) and t.boxed is None
    if may_be_array and isinstance(result, Var) and result.group is not None:
        old.group.family.stored = True
        result.group = old.group
    bind_name(cx, target.id, result, node, augmented=function)


def in_place(cx, node, function, old, value):
    """What `old op= value` leaves: an array or a container that has changed, or a new value."""
    t = cx.type(old)
    if isinstance(t, Num) and t.is_array and isinstance(old, Var):
        store_whole(cx, node, old, value, function)
        return old
    if isinstance(t, Num) and t.boxed is None:
        cx.unsupported(node, "what changes in place here may be a number or an array", "write it as name op= value")
    if isinstance(t, Ref):
        result = augmented(cx, node, function, old, value)
        if result is None:
            extend_in_place(cx, node, old, value, function)
        return old if result is None else result
    return apply_operator(cx, node, function, old, value)


def _augment_region(cx, node, base, index, function):
    """`x[index] op= value` of an array."""
    if is_fancy(cx, index) or cx.place(node) in cx.assumed.read_first:
        old = subscript(cx, node, base, index)
        value = lower_expression(cx, node.value)
        store(cx, node, base, index, apply_operator(cx, node, function, old, value))
        return
    stores = cx.stores
    value = lower_expression(cx, node.value)
    changed = cx.stored_families[stores:]
    if isinstance(base, Var) and base.group is not None and any(f.find() is base.group.family for f in changed):
        kind = numbers.indexed_type(cx, cx.type(base), index)[0]
        if not isinstance(kind, Num) or kind.boxed is None:
            cx.unsupported(
                node,
                "what is computed here changes the array that it is added into",
                "compute it in a line of its own",
            )
        if kind.boxed is False:  # an element is read before the right side runs; a view shows what that changes
            cx.assumed.read_first.add(cx.place(node))
            cx.assumed.changed = True
    store(cx, node, base, index, value, function)
