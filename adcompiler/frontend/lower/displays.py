"""Displays of tuples, lists and sets, and what a star spreads."""

from __future__ import annotations

import ast

from ...ir.nodes import Const, Var
from .builtin_calls import tuple_of_unknown_length
from .comprehensions import as_list
from .expressions import lower_expression
from .items import exact_items
from .lists import display_operands, make_list
from .names import raw
from .values import bring, tuple_of


def lower_tuple(cx, node):
    operands = display_operands(cx, node)
    return tuple_of(cx, node, operands) if isinstance(operands, list) else tuple_of_unknown_length(cx, operands)


def elements(cx, nodes):
    """Operands of a display or an argument list, with starred tuples spread out."""
    out = []
    for n in nodes:
        if isinstance(n, ast.Starred):
            items = spread_items(cx, n, lower_expression(cx, as_list(n.value)))
            if items is None:
                cx.unsupported(
                    n,
                    "the length of what the star spreads is not known at compile time",
                    "take it apart first, as in a, b = values, and pass those; or spread a tuple",
                )
            out.extend(items)
        else:
            out.append(lower_expression(cx, n))
    return out


def spread_items(cx, node, value):
    """The operands that `*value` stands for, or None if their number is not known at compile time."""
    if isinstance(value, Var) and value.items is not None:
        return [bring(cx, i) for i in value.items]
    if isinstance(cx.constant(value), tuple):
        return [Const(v) for v in cx.constant(value)]
    return exact_items(cx, node, value)


def lower_list(cx, node):
    operands = display_operands(cx, node)
    return make_list(cx, node, operands) if isinstance(operands, list) else operands


def lower_set(cx, node):
    return raw(cx, node)
