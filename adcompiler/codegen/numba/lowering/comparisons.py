"""Comparisons: of numbers and arrays, `is`, and `in`."""

from __future__ import annotations

import ast

from ....transform.code import name
from ..typed import Typed
from ..types import BOOL, NONE, Array, Known, Record, Scalar, Word
from .casts import apply_elementwise
from .expressions import constant_of, expression
from .operators import OPERATORS


def lower_compare(lo, node):
    from ..python.texts import compared

    made = compared(lo, node)
    if made is not None:
        return made
    values = [expression(lo, node.left)]
    tests = []
    for k, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
        if k and lo.has_code(right_node):
            lo.refuse("a chained comparison of what needs statements of its own", "compare step by step, with 'and'")
        right = expression(lo, right_node)
        left = values[-1]
        values.append(right)
        if isinstance(left.type, Word):
            from ..tape.sweeps import compare_word

            tests.append(compare_word(lo, left, right.const))
        elif isinstance(op, (ast.Is, ast.IsNot)):
            tests.append(_identity(lo, op, left, right))
        elif isinstance(op, (ast.In, ast.NotIn)):
            tests.append(_membership(lo, op, left, right))
        elif (known := _whole_numbers(left, right)) is not None:
            tests.append(constant_of(bool(OPERATORS[type(op)](*known))))
        elif left.is_known and right.is_known and not isinstance(left.type, Array):
            tests.append(constant_of(bool(OPERATORS[type(op)](left.const, right.const))))
        else:
            tests.append(apply_elementwise(
                lo, OPERATORS[type(op)], [left, right], lambda lo, a, ts, r, op=op: ast.Compare(a[0], [op], [a[1]])))
    if len(tests) == 1:
        return tests[0]
    if all(t.is_known for t in tests):
        return constant_of(all(t.const for t in tests))
    if any(not isinstance(t.type, Scalar) for t in tests):
        lo.refuse("a chained comparison of arrays")
    return Typed(ast.BoolOp(ast.And(), [t.node for t in tests]), BOOL)


def _whole_numbers(left, right) -> tuple | None:
    """The values of two integers that are known here, as flags are that nothing has set."""
    if not all(isinstance(v.type, Scalar) and v.type.kind == "i" and isinstance(v.type.token, int) for v in (left, right)):
        return None
    return left.type.token, right.type.token


def _identity(lo, op, left, right):
    for side in (left, right):
        if isinstance(side.node, ast.Name) and side.node.id in lo.learnt.nullable:
            lo.refuse(f"a test whether '{side.node.id}' is None, where it is None on some paths only",
                      "use a flag, and give the name a number on every path")
    if left.type == NONE or right.type == NONE:
        same = left.type == right.type
    elif isinstance(left.type, Known) and isinstance(right.type, Known):
        if any(getattr(side.type.value, "repeated", False) is True for side in (left, right)):
            lo.refuse("'is' between functions that a loop makes", "a number that tells them apart")
        same = left.type.value is right.type.value
    elif left.is_known and right.is_known and isinstance(left.const, bool) and isinstance(right.const, bool):
        same = left.const is right.const
    elif any(isinstance(a.type, Array) and b.is_known for a, b in ((left, right), (right, left))):
        same = False
    elif _are_one_name(left.node, right.node):
        same = True
    elif isinstance(left.type, Array) and isinstance(right.type, Array) and _are_apart(left.type, right.type):
        same = False
    else:
        lo.refuse("'is' between arrays or numbers", "compare with ==")
    return constant_of(same if isinstance(op, ast.Is) else not same)


def _are_apart(a, b) -> bool:
    """Are two arrays certainly different objects: of another rank or dtype, or without common memory?"""
    return (a.rank, a.dtype) != (b.rank, b.dtype) or bool(a.roots and b.roots and not a.roots & b.roots)


def _are_one_name(a, b) -> bool:
    return isinstance(a, ast.Name) and isinstance(b, ast.Name) and a.id == b.id


def _membership(lo, op, left, right):
    if isinstance(right.type, Record) and left.is_known:
        from ..containers.records import has, layout, part_name

        if layout(lo, right.type).kind == "list":
            lo.refuse("'in' of a list of different things", "compare with each value")
        found = has(lo, right.type, left.const)
        if found and part_name(lo, right.type, left.const) in lo.unsure:  # a flag tells
            own = part_name(lo, right.type, left.const)
            lo.learnt.guard(own)
            flag = name(lo.flag(own))
            return Typed(flag if isinstance(op, ast.In) else ast.UnaryOp(ast.Not(), flag), BOOL)
        return constant_of(found == isinstance(op, ast.In))
    if right.items is None or not isinstance(left.type, Scalar):
        if left.is_known and right.is_known:
            return constant_of((left.const in right.const) == isinstance(op, ast.In))
        lo.refuse("'in'", "compare with each value")
    held = lo.held(left)
    tests = [ast.Compare(held.node, [ast.Eq()], [i.node]) for i in right.items]
    test = ast.BoolOp(ast.Or(), tests) if len(tests) > 1 else tests[0]
    return Typed(test if isinstance(op, ast.In) else ast.UnaryOp(ast.Not(), test), BOOL)
