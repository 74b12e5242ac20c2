"""Rules given as functions, in code that is differentiated again: their text is walked in the place of the call."""

from __future__ import annotations

import ast
import types

import numpy as np

from ...ir.nodes import Const, Var
from ...ir.types import Num
from ..source import get_source
from .special_methods import tree_has_stores


def walked_rule(cx, node, rule, operands, kwargs):
    """What the rule returns for these operands.

    One that changes arrays in place is given copies: what it receives is for reading, and may be shared with others.
    """
    from .callees import call_function

    if isinstance(rule, types.FunctionType) and _changes_something(get_source(rule).node):
        operands = [_copied(cx, node, a) for a in operands]
        kwargs = {name: _copied(cx, node, a) for name, a in kwargs.items()}
    return call_function(cx, node, rule, list(operands), dict(kwargs))


def fitting_tangent(cx, node, rule, tangent, result):
    """The tangent that a rule returns for a result: zeros for None, the real part where the result is real."""
    from .callees import call_function

    if isinstance(tangent, Const) and tangent.value is None:
        return call_function(cx, node, np.zeros_like, [result], {}) if _rank(cx, result) else Const(0.0)
    if _rank(cx, tangent) != _rank(cx, result) and None not in (_rank(cx, tangent), _rank(cx, result)):
        cx.unsupported(
            node,
            f"the rule {rule.__name__} gives a tangent of rank {_rank(cx, tangent)}, and the result has rank "
            f"{_rank(cx, result)}",
            "return the tangent of the result: an array of its shape",
        )
    t, of = cx.type(tangent), cx.type(result)
    if isinstance(t, Num) and isinstance(of, Num) and t.kind == "c" and of.kind == "f":
        return call_function(cx, node, np.real, [tangent], {})
    return tangent


def _changes_something(tree) -> bool:
    return tree_has_stores(tree) or any(isinstance(n, ast.AugAssign) for n in ast.walk(tree))


def _copied(cx, node, operand):
    from .callees import call_function
    from .values import bring, tuple_of

    if isinstance(operand, Var) and operand.items is not None:
        return tuple_of(cx, node, [_copied(cx, node, bring(cx, i)) for i in operand.items])
    return call_function(cx, node, np.copy, [operand], {}) if _rank(cx, operand) else operand


def _rank(cx, operand):
    t = cx.type(operand)
    return t.rank if isinstance(t, Num) else None


__all__ = ["fitting_tangent", "walked_rule"]
