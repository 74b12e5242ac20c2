"""Conditions: `and`, `or`, and values that depend on a test."""

from __future__ import annotations

import ast

import numpy as np

from ....transform.code import call, constant, name
from ..arrays.zero_d import number_in
from ..typed import Typed
from ..types import BOOL, MIXED, Array, Items, Listed, Object, Scalar, join
from .casts import cast
from .expressions import in_words, expression


def as_test(lo, value: Typed) -> Typed:
    """A value in the place of a condition."""
    value = number_in(lo, value)
    if value.is_known and not isinstance(value.type, Array):
        return Typed(constant(bool(value.const)), BOOL, bool(value.const))
    if isinstance(value.type, Scalar):
        if value.type.kind == "b":
            return value
        return Typed(ast.Compare(value.node, [ast.NotEq()], [constant(0)]), BOOL)
    if isinstance(value.type, Object):
        from ..python.texts import as_condition

        return as_condition(lo, value)
    if isinstance(value.type, Listed):
        return Typed(ast.Compare(call(name("len"), value.node), [ast.Gt()], [constant(0)]), BOOL)
    lo.refuse(f"{in_words(value)} as a condition", "compare numbers, or use np.any or np.all")


def apart(lo, node):
    """An expression walked into a list of statements of its own."""
    out, lo.out, facts = lo.out, [], len(lo.equal)
    value = expression(lo, node)
    if isinstance(value.type, Array) and value.lazy is not None:
        value = lo.settled(value)
    made, lo.out = lo.out, out
    del lo.equal[facts:]
    return made, value


def lower_conditional(lo, node):
    test = as_test(lo, expression(lo, node.test))
    if test.is_known:
        return expression(lo, node.body if test.const else node.orelse)
    before, first = apart(lo, node.body)
    behind, second = apart(lo, node.orelse)
    return chosen(lo, test, (before, first), (behind, second))


def chosen(lo, test, then, orelse) -> Typed:
    """The value of one of two paths, each with the statements that it needs."""
    (before, first), (behind, second) = then, orelse
    t = join(first.type, second.type)
    if t is MIXED and {first.type.__class__, second.type.__class__} == {Scalar}:
        t = _bool_or_number(first.type, second.type)
    if t is MIXED or not isinstance(t, (Scalar, Array, Items)):
        lo.refuse("a conditional expression whose values have different types", "give both the same type")
    if isinstance(t, Scalar):
        first, second = cast(lo, first, t.dtype), cast(lo, second, t.dtype)
        if not before and not behind:
            return Typed(ast.IfExp(test.node, first.node, second.node), t)
    made = lo.fresh("t")
    lo.emit(ast.If(test.node, [*before, ast.Assign([name(made, True)], first.node)],
                   [*behind, ast.Assign([name(made, True)], second.node)]))
    lo.env[made] = t
    return lo.array_name(made) if isinstance(t, Array) else Typed(name(made), t)


def _bool_or_number(a, b):
    """The type of what is a bool on one path and a float on the other, as in `x > 0 and y`: False is 0.0."""
    number = b if a.kind == "b" else a
    python = a.weak and b.weak and "b" in (a.kind, b.kind)
    return Scalar(number.dtype, True) if python and number.dtype in (np.dtype(float), np.dtype(complex)) else MIXED


def lower_boolean(lo, node):
    """`and`, `or`: the operand that decides."""
    value = expression(lo, node.values[0])
    for later in node.values[1:]:
        is_and = isinstance(node.op, ast.And)
        if value.is_known:
            if bool(value.const) != is_and:
                return value
            value = expression(lo, later)
            continue
        held = value if isinstance(value.node, (ast.Name, ast.Compare)) else lo.held(value)
        test = as_test(lo, held)
        lines, right = apart(lo, later)
        if held.type == BOOL or isinstance(held.type, Scalar) and held.type.kind == "b":
            right_test = as_test(lo, right) if isinstance(right.type, Scalar) and right.type.kind == "b" else None
            if right_test is not None and not lines:
                value = Typed(ast.BoolOp(node.op, [held.node, right_test.node]), BOOL)
                continue
        if not isinstance(held.node, ast.Name):
            held = lo.held(held)
        then, orelse = ((lines, right), ([], held)) if is_and else (([], held), (lines, right))
        value = chosen(lo, test, then, orelse)
    return value
