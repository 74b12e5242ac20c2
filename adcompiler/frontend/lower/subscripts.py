"""Reading by index: `x[i]` of arrays, tuples, lists and dicts."""

from __future__ import annotations

import ast

from ...ir.nodes import Const, Display, GetItem, Slice, Var
from ...ir.types import OPAQUE, UNDEFINED, Num, Ref, Static, Tup, carries_derivative
from . import index_tricks, numbers
from .collection_types import put_default
from .expressions import lower_expression
from .introspection import Namespace, name_in_namespace
from .items import read_item
from .values import is_awaited


def lower_index(cx, node):
    """An index expression: an operand, a Slice, or a Display of those."""
    if isinstance(node, ast.Slice):
        part = [lower_expression(cx, p) if p is not None else None for p in (node.lower, node.upper, node.step)]
        return Slice(*part)
    if isinstance(node, ast.Tuple):
        return Display("tuple", tuple(lower_index(cx, e) for e in node.elts))
    return lower_expression(cx, node)


def lower_subscript(cx, node):
    base = lower_expression(cx, node.value)
    return subscript(cx, node, base, lower_index(cx, node.slice))


def subscript(cx, node, base, index):
    """`base[index]` of an array, tuple, list or dict."""
    t = cx.type(base)
    if isinstance(cx.constant(base), Namespace):
        return name_in_namespace(cx, node, cx.constant(base), index)
    if is_awaited(cx, t):
        return cx.assign_temporary(GetItem(base, index), UNDEFINED, node)
    if isinstance(t, (Tup, Ref)) or (isinstance(t, Static) and isinstance(cx.constant(base), (tuple, dict))):
        put_default(cx, node, base, index)
        return read_item(cx, node, base, index)
    if isinstance(t, Num):
        if t.is_scalar and t.is_python:
            cx.unsupported(node, "a number cannot be indexed")
        result_type, sharing = numbers.indexed_type(cx, t, index)
        result = cx.assign_temporary(GetItem(base, index, sharing), result_type, node)
        result.varied = cx.varied(base) and carries_derivative(result_type)
        if sharing != "fresh" and isinstance(base, Var):
            result.group = base.group
        if isinstance(index, (Var, Const)) and cx.varied(index):
            cx.unsupported(node, "an index that carries a derivative", "use an integer index")
        return result
    if cx.varied(base):
        cx.unsupported(node, "this value cannot be indexed by the compiler")
    if index_tricks.any_varied(cx, index):
        made = index_tricks.joined(cx, node, base, index)
        if made is not None:
            return made
        cx.unsupported(node, "an object about which nothing is known is indexed by an active value")
    return cx.assign_temporary(GetItem(base, index), OPAQUE, node)
