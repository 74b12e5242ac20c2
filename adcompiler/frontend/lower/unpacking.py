"""Unpacking: `a, *b = value`."""

from __future__ import annotations

import ast

from ...ir.nodes import Const, GetItem, Slice, Unpack, Var
from ...ir.types import OPAQUE, Num, Opaque, Ref
from .assignments import assign_target, copied_name, target_names
from .items import read_item
from .lists import list_from_array, make_list, read_slice
from .subscripts import subscript
from .values import bring


def unpack(cx, node, target, value):
    t = cx.type(value)
    count = len(target.elts)
    star = next((k for k, e in enumerate(target.elts) if isinstance(e, ast.Starred)), None)
    items = None
    if isinstance(value, Var) and value.items is not None:
        items = [bring(cx, i) for i in value.items]
    elif isinstance(cx.constant(value), (tuple, list)):
        items = [Const(v) for v in cx.constant(value)]
    elif isinstance(t, Ref) and t.kind == "list" or isinstance(t, Num) and t.boxed is not False:
        _unpack_sequence(cx, node, target, value, star)
        return
    elif isinstance(t, Opaque) and star is None and not cx.varied(value):
        items = []
        for k in range(count):
            items.append(cx.assign_temporary(GetItem(value, Const(k)), OPAQUE, node))
    if items is None:
        cx.unsupported(node, "the length of what is unpacked is not known at compile time", "read it by index")
    if star is None:
        if len(items) != count:
            cx.unsupported(node, f"{len(items)} values are unpacked into {count} names")
    else:
        after = count - star - 1
        middle = items[star : len(items) - after]
        items = [*items[:star], make_list(cx, node, middle), *items[len(items) - after :]]
    if (
        all(isinstance(e, ast.Name) for e in target.elts)
        and isinstance(value, Var)
        and value.items is not None
        and star is None
    ):
        pairs = [
            (e.id, copied_name(cx, name, o, node), o)
            for e, name, o in zip(target.elts, target_names(cx, target), items, strict=True)
        ]
        statement = Unpack(tuple(v for _, v, _ in pairs), value, [(v, o) for _, v, o in pairs], loc=cx.loc(node))
        cx.emit(statement)
        for name, var, _ in pairs:
            var.definition = statement
            cx.bind(name, var)
        return
    starred = target.elts[star].value if star is not None else None
    for k, (element, operand) in enumerate(zip(target.elts, items, strict=True)):
        if isinstance(element, ast.Name) and isinstance(starred, ast.Name) and k < star and element.id == starred.id:
            continue  # the list takes the name, and was made in front of this
        assign_target(cx, element, operand, node)


def _unpack_sequence(cx, node, target, value, star):
    """`a, *b, c = value` of a list or an array: printed as it stands; the elements are implicit reads behind it."""
    count = len(target.elts)
    is_list = isinstance(cx.type(value), Ref)
    statement = Unpack((), value, [], loc=cx.loc(node))
    cx.emit(statement)
    pattern, later, was, names = [], [], cx.implicit, target_names(cx, target)
    cx.implicit = True
    try:
        for k, element in enumerate(target.elts):
            if k == star:
                after = count - star - 1
                span = Slice(Const(star) if star else None, Const(-after) if after else None)
                var = read_slice(cx, node, value, span) if is_list else list_from_array(cx, node, value, span)
            else:
                position = Const(k if star is None or k < star else k - count)
                var = read_item(cx, node, value, position) if is_list else subscript(cx, node, value, position)
            inner = element.value if k == star else element
            if not isinstance(var, Var) or not var.hidden:
                var = cx.assign_temporary(var, cx.type(var), node, const=cx.constant(var))
            if isinstance(inner, ast.Name):
                var.name, var.hidden = names[k], False
            pattern.append(("*", var) if k == star else var)
            later.append((inner, var))
    finally:
        cx.implicit = was
    statement.pattern = tuple(pattern)
    for inner, var in later:
        if isinstance(inner, ast.Name):
            cx.bind(inner.id, var)
        else:
            assign_target(cx, inner, var, node)
