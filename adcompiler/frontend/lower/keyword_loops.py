"""Loops over what `**options` has caught, in which attributes are set by name: one turn for each keyword."""

from __future__ import annotations

import ast

from ...ir.nodes import Const, Var
from ...ir.types import Ref

_READING = ("items", "keys", "values", "get")


def keywords_one_by_one(cx, node):
    """Producers of the parts of each turn of `for k, v in options.items()`; None where the loop may stay a loop."""
    view = node.iter
    if not (isinstance(view, ast.Call) and isinstance(view.func, ast.Attribute) and view.func.attr == "items"):
        return None
    if view.args or not isinstance(view.func.value, ast.Name) or not _sets_by_name(node.body):
        return None
    name, definition = view.func.value.id, cx.frame.definition
    kwarg = definition.args.kwarg if definition is not None else None
    if kwarg is None or kwarg.arg != name or not _only_read(definition, name):
        return None
    var = cx.find_name(name)
    if not (isinstance(var, Var) and isinstance(var.type, Ref)):
        return None
    from .items import read_item

    holder = cx.assumed.holders[var.type.site]
    if not holder.exact or cx.frame.enclosing is not None or cx.frame.number == 0:
        return None
    return [[lambda k=k: Const(k), lambda k=k: read_item(cx, node, var, Const(k))] for k in holder.items]


def _sets_by_name(body) -> bool:
    return any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "setattr"
        for statement in body
        for n in ast.walk(statement)
    )


def _only_read(definition, name) -> bool:
    """Is the name used in reads of its content only?"""
    allowed = set()
    for n in ast.walk(definition):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in _READING:
            allowed.add(n.func.value)
        elif isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load):
            allowed.add(n.value)
        elif isinstance(n, ast.Compare):
            allowed.update(n.comparators)
    names = [n for n in ast.walk(definition) if isinstance(n, ast.Name) and n.id == name]
    return all(n in allowed for n in names)


__all__ = ["keywords_one_by_one"]
