"""Loops over all elements of an array, whatever its rank: `np.ndenumerate(a)` and `a.flat`.

The positions are listed once, before the loop; each trip reads the element as it is then.
"""

from __future__ import annotations

import ast

import numpy as np

from ...ir.nodes import Call, GetAttr, GetItem
from ...ir.types import INT, OPAQUE, Num, Tup
from .exceptions import known_callee
from .expressions import lower_expression
from .rule_calls import spread
from .subscripts import subscript


def array_elements(cx, node):
    """What is printed, how many there are, how one is read, and whether it is active; None for any other iterable."""
    if not runs_over_elements(cx, node):
        return None
    numbered = isinstance(node, ast.Call)
    base = lower_expression(cx, node.args[0] if numbered else node.value)
    t = cx.type(base)
    if not (isinstance(t, Num) and t.rank) or not cx.varied(base):
        return None
    shape = cx.assign_temporary(GetAttr(base, "shape"), OPAQUE, node)
    places = cx.assign_temporary(Call(np.ndindex, (shape,)), OPAQUE, node)
    listed = cx.assign_temporary(Call(list, (places,)), OPAQUE, node)

    def read(cx, node, index):
        place = cx.assign_temporary(GetItem(listed, index), Tup((INT,) * t.rank), node)
        spread(cx, node, place)
        element = subscript(cx, node, base, place)
        return [place, element] if numbered else element

    printed = Call(np.ndenumerate, (base,)) if numbered else GetAttr(base, "flat")
    return printed, Call(len, (listed,)), read, True


def runs_over_elements(cx, node) -> bool:
    """Is this `np.ndenumerate(...)` or `... .flat`?"""
    if isinstance(node, ast.Call):
        plain = isinstance(node.func, (ast.Name, ast.Attribute)) and len(node.args) == 1 and not node.keywords
        return plain and known_callee(cx, node.func) is np.ndenumerate
    return isinstance(node, ast.Attribute) and node.attr == "flat"


__all__ = ["array_elements", "runs_over_elements"]
