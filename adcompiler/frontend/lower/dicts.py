"""Dicts: displays, copies, updates, and the methods of dicts.

Keys carry no derivative; a constant key tells its element apart from others as long as all keys are known.
"""

from __future__ import annotations

import ast

from ...ir.nodes import NOTHING, Call, Const, ContainerOp, Display, If, Raw
from ...ir.types import BOOL, OPAQUE, UNDEFINED, Ref, join_all
from .branches import branch_value, in_block
from .expressions import lower_expression
from .holders import (
    element_group,
    element_key,
    holder_of,
    new_container,
    note_key,
    read_element,
    receive_elements,
    record,
)
from .items import read_item, write_item
from .joins import join_environments
from .lists import clear, derived_list


def make_dict(cx, node):
    """A dict display with constant or inactive keys."""
    keys, values = [], []
    for k, v in zip(node.keys, node.values, strict=True):
        if k is None:
            return _dict_with_spread(cx, node)
        keys.append(lower_expression(cx, k))
        values.append(lower_expression(cx, v))
    return dict_from(cx, node, keys, values)


def _dict_with_spread(cx, node):
    """`{**a, "k": v}`: a dict that is filled step by step."""
    made = dict_from(cx, node, [], [])
    for k, v in zip(node.keys, node.values, strict=True):
        if k is None:
            update_dict(cx, node, made, lower_expression(cx, v))
        else:
            key = lower_expression(cx, k)
            write_item(cx, node, made, key, lower_expression(cx, v))
    return made


def dict_from(cx, node, keys, values):
    var, holder = new_container(cx, node, "dict", value=Display("dict", tuple(values), tuple(keys)))
    for k, v in zip(keys, values, strict=True):
        note_key(cx, holder, k)
        record(cx, holder, element_key(cx, holder, k), v, var.type.site)
    return var


def dict_of(cx, node, named):
    return dict_from(cx, node, [Const(k) for k in named], list(named.values()))


def pop_key(cx, node, base, args):
    holder = holder_of(cx, base)
    if len(args) > 1:
        return branch_value(
            cx, node, _has_key(cx, node, base, args[0]), lambda: pop_key(cx, node, base, args[:1]), lambda: args[1]
        )
    key = element_key(cx, holder, args[0])
    element = holder.items.get(key) if key is not NOTHING else None
    return read_element(
        cx,
        node,
        ContainerOp("pop_key", base, args[0], loc=cx.loc(node)),
        element or cx.assumed.join_all(holder.types()),
    )


def _dict_get(cx, node, base, args):
    holder = holder_of(cx, base)
    default = args[1] if len(args) > 1 else Const(None)
    key = element_key(cx, holder, args[0])
    if holder.exact and key is not NOTHING and key not in holder.items:
        return default
    return branch_value(
        cx, node, _has_key(cx, node, base, args[0]), lambda: read_item(cx, node, base, args[0]), lambda: default
    )


def _has_key(cx, node, base, key, negated=False):
    text = "k not in d" if negated else "k in d"
    return cx.assign_temporary(Raw(ast.parse(text, mode="eval").body, {"k": key, "d": base}), BOOL, node)


def update_from(cx, node, base, args, **kwargs):
    for key, value in kwargs.items():
        write_item(cx, node, base, Const(key), value)
    for other in args:
        update_dict(cx, node, base, other)
    return Const(None)


def update_dict(cx, node, base, other):
    """Every item of one dict goes into another."""
    t = cx.type(other)
    if not isinstance(t, Ref) or t.kind != "dict":
        cx.unsupported(node, "dict.update with something that is not a dict", "loop over the items")
    holder, source = holder_of(cx, base), holder_of(cx, other)
    keys = cx.assign_temporary(Call(list, (other,)), OPAQUE, node)
    holder.keys = join_all((holder.keys, source.keys))
    _copy_items(cx, base, other)
    cx.emit(ContainerOp("update", base, keys, other, loc=cx.loc(node)))


def _copy_items(cx, base, other):
    holder, source = holder_of(cx, base), holder_of(cx, other)
    if holder.exact and source.exact and NOTHING not in source.statics:
        for key, t in source.items.items():
            cx.assumed.widen(holder, key, t, source.varied, source.given.get(key, UNDEFINED))
            if key in source.statics:
                holder.statics[key] = (
                    source.statics[key] if holder.statics.get(key, source.statics[key]) is source.statics[key] else NOTHING
                )
        element_group(cx, base.type.site).merge(element_group(cx, other.type.site)).find().container = True
        return
    cx.assumed.generalise(holder)
    receive_elements(cx, base, other)


def copy_dict(cx, node, other):
    """`dict(other)`: a new dict with the same values."""
    var, holder = new_container(cx, node, "dict", value=None)
    cx.blocks[-1].pop()
    operation = ContainerOp("copy_dict", other, target=var, loc=cx.loc(node))
    var.definition = operation
    cx.emit(operation)
    holder.keys = join_all((holder.keys, holder_of(cx, other).keys))
    _copy_items(cx, var, other)
    return var


def _dict_copy(cx, node, base, args):
    return copy_dict(cx, node, base)


def _setdefault(cx, node, base, args):
    value = args[1] if len(args) > 1 else Const(None)
    default_item(cx, node, base, args[0], lambda: value)
    return read_item(cx, node, base, args[0])


def default_item(cx, node, base, key, value):
    """Store `value()` under a key that is missing."""
    test = _has_key(cx, node, base, key, negated=True)
    block, _, env = in_block(cx, lambda: write_item(cx, node, base, key, value()))
    statement = If(test, block, [], loc=cx.loc(node))
    statement.phis = join_environments(cx, env, dict(cx.env), node)
    cx.emit(statement)


def _values(cx, node, base, args):
    keys = cx.assign_temporary(Call(list, (base,)), OPAQUE, node)
    return derived_list(cx, node, ContainerOp("values", base, keys, loc=cx.loc(node)), [base])


def _keys(cx, node, base, args):
    return cx.assign_temporary(Call(list, (base,)), OPAQUE, node)


DICT_METHODS = {
    "get": _dict_get,
    "update": update_from,
    "pop": pop_key,
    "setdefault": _setdefault,
    "values": _values,
    "keys": _keys,
    "clear": clear,
    "copy": _dict_copy,
}
