"""Comparisons: decided at compile time where both sides are known."""

from __future__ import annotations

import ast
import operator

import numpy as np

from ...ir.nodes import NOTHING, Call, Const, Var
from ...ir.types import BOOL, NUMBER, OPAQUE, Num, Ref, Tup
from . import numbers
from .branches import branch_value
from .expressions import lower_expression
from .function_values import Choice
from .names import template
from .special_methods import compared, contained, negated, refuse_hidden_effects

COMPARE = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


def lower_compare(cx, node):
    held = _held_attribute(cx, node)
    if held is not None:
        return held
    left = lower_expression(cx, node.left)
    if len(node.ops) == 1:
        right = lower_expression(cx, node.comparators[0])
        return compare(cx, node, node.ops[0], left, right)
    test = None
    operands = [left]
    for at, comparator in enumerate(node.comparators):
        if at == 0 or isinstance(comparator, (ast.Constant, ast.Name)):
            operands.append(lower_expression(cx, comparator))
        else:
            tail = ast.copy_location(
                ast.Compare(ast.Name("_middle", ast.Load()), node.ops[at:], node.comparators[at:]), node
            )
            test = (operands[-1], tail)
            break
    pairs = list(zip(operands, node.ops, operands[1:], strict=False))
    if test is None and any(isinstance(cx.type(o), Ref) for o in operands):
        result = compare(cx, node, pairs[0][1], pairs[0][0], pairs[0][2])
        for a, op, b in pairs[1:]:
            result = branch_value(
                cx, node, result, lambda a=a, op=op, b=b: compare(cx, node, op, a, b), lambda: Const(False)
            )
        return result
    if test is None:
        names = {f"o{k}": o for k, o in enumerate(operands)}
        tree = ast.copy_location(
            ast.Compare(
                ast.Name("o0", ast.Load()), node.ops, [ast.Name(f"o{k}", ast.Load()) for k in range(1, len(operands))]
            ),
            node,
        )
        return template(cx, ast.fix_missing_locations(tree), BOOL, **names)
    first = [compare(cx, node, op, a, b) for a, op, b in pairs]
    middle = test[0] if isinstance(test[0], Var) else cx.assign_temporary(test[0], cx.type(test[0]), node)
    return _both(cx, node, first, lambda: _compare_from(cx, test[1], middle))


def _held_attribute(cx, node):
    """`"name" in vars(obj)` of an object with active values; None for any other comparison."""
    from .objects import held_attribute

    name, call = node.left, node.comparators[0]
    if len(node.ops) > 1 or not isinstance(node.ops[0], ast.In) or not isinstance(call, ast.Call) or call.keywords:
        return None
    if not (isinstance(name, ast.Constant) and isinstance(name.value, str) and [type(a) for a in call.args] == [ast.Name]):
        return None
    if not isinstance(call.func, ast.Name) or cx.constant(lower_expression(cx, call.func)) is not vars:
        return None
    base = lower_expression(cx, call.args[0])
    t = cx.type(base)
    return held_attribute(cx, node, base, name.value) if isinstance(t, Ref) and t.kind == "object" else None


def _compare_from(cx, node, left):
    right = lower_expression(cx, node.comparators[0])
    return compare(cx, node, node.ops[0], left, right)


def _both(cx, node, first, second):
    result = first[0]
    for other in [lambda v=v: v for v in first[1:]] + [second]:
        result = branch_value(cx, node, result, other, lambda: Const(False))
    return result


def compare(cx, node, op, left, right):
    """One comparison; decided at compile time where both sides are known."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        same = _identity(cx, left, right)
        if same is not NOTHING:
            return Const(same if isinstance(op, ast.Is) else not same)
    special = (
        contained(cx, node, left, right)
        if isinstance(op, (ast.In, ast.NotIn))
        else compared(cx, node, COMPARE[type(op)], left, right)
    )
    if special is not None:
        return negated(cx, node, special) if isinstance(op, ast.NotIn) else special
    if not isinstance(op, (ast.Is, ast.IsNot)):
        refuse_hidden_effects(cx, node, (left, right))
    if isinstance(op, (ast.In, ast.NotIn)):
        a, b = cx.constant(left), cx.constant(right)
        if a is not NOTHING and isinstance(b, (tuple, str, frozenset)):
            return Const((a in b) == isinstance(op, ast.In))
        tree = ast.copy_location(ast.Compare(ast.Name("a", ast.Load()), [op], [ast.Name("b", ast.Load())]), node)
        return template(cx, ast.fix_missing_locations(tree), BOOL, a=left, b=right)
    function = COMPARE[type(op)]
    a, b = cx.constant(left), cx.constant(right)
    if (
        a is not NOTHING
        and b is not NOTHING
        and not cx.varied(left)
        and not cx.varied(right)
        and not any(map(is_choice, (a, b)))
    ):
        try:
            value = function(a, b)
        except Exception:
            value = NOTHING
        if isinstance(value, bool):
            return Const(value)
    types = [cx.type(left), cx.type(right)]
    ranks = [t.rank if isinstance(t, Num) else None for t in types]
    if function in (operator.is_, operator.is_not) or all(r == 0 for r in ranks) and all(t.is_scalar for t in types):
        result_type = BOOL
    elif None not in ranks:
        result_type = Num("b", np.dtype(bool), max(ranks), True, numbers.broadcast_dims(types) if max(ranks) else ())
    else:
        result_type = OPAQUE
    return cx.assign_temporary(Call(function, (left, right)), result_type, node)


def is_choice(value) -> bool:
    """Is this one of several functions, to be told at run time?"""
    return isinstance(value, Choice)


def _identity(cx, left, right):
    a, b = cx.constant(left), cx.constant(right)
    if (
        a is not NOTHING
        and b is not NOTHING
        and not isinstance(a, (int, float, str, tuple))
        and not any(map(is_choice, (a, b)))
    ):
        return a is b
    for value, other in ((a, right), (b, left)):
        if (
            value is None
            and not getattr(other, "optional", False)
            and isinstance(cx.type(other), (Num, Tup, Ref))
            and cx.type(other) != NUMBER
        ):
            return False
    return NOTHING
