"""Values and statements of which one side is chosen: tests, `if`, `a if c else b`, `and`, `or`."""

from __future__ import annotations

import ast

from ...errors import AdcompilerError
from ...ir.nodes import NOTHING, Assign, Effect, If, Var
from ...ir.types import OPAQUE, Num, Static, Tup, type_of
from .expressions import lower_expression
from .joins import join_environments, join_values
from .recursion import Unreached, reached
from .special_methods import tested
from .statements import lower_block


def lower_test(cx, node):
    """A condition: a constant, or an operand to test."""
    return tested(cx, node, lower_expression(cx, node))


def truth(cx, operand):
    """The truth of an operand if it is known at compile time."""
    value = cx.constant(operand)
    if value is not NOTHING and not (isinstance(operand, Var) and isinstance(operand.type, Num) and operand.varied):
        try:
            return bool(value)
        except Exception:
            return NOTHING
    t = cx.type(operand)
    if isinstance(t, Tup) and not getattr(operand, "optional", False):
        return len(t.items) > 0 if t.cls is None else NOTHING
    if isinstance(t, Static):
        return NOTHING
    return NOTHING


def lower_boolean(cx, node):
    is_and = isinstance(node.op, ast.And)
    result = lower_expression(cx, node.values[0])
    for value in node.values[1:]:
        known = truth(cx, result)
        if known is not NOTHING:
            if known != is_and:
                return result
            result = lower_expression(cx, value)
            continue
        current = result

        def later(value=value):
            return lower_expression(cx, value)

        test = tested(cx, node, current)
        if is_and:
            result = branch_value(cx, node, test, later, lambda current=current: current, joiner=ast.And())
        else:
            result = branch_value(cx, node, test, lambda current=current: current, later, joiner=ast.Or())
    return result


def lower_conditional(cx, node):
    test = lower_test(cx, node.test)
    known = truth(cx, test)
    if known is not NOTHING:
        return lower_expression(cx, node.body if known else node.orelse)
    return branch_value(
        cx, node, test, lambda: lower_expression(cx, node.body), lambda: lower_expression(cx, node.orelse)
    )


def in_block(cx, produce):
    """Run `produce` with statements going to a block of its own; (block, result, environment after)."""
    before, depth = dict(cx.env), len(cx.blocks)
    cx.blocks.append([])
    try:
        result = produce()
    except AdcompilerError:
        del cx.blocks[depth:]  # who catches it goes on in front of the block
        cx.env = before
        raise
    block = cx.blocks.pop()
    after, cx.env = cx.env, before
    return block, result, after


def branch_value(cx, node, test, then, orelse, joiner=None):
    """The value of `then() if test else orelse()`, each evaluated only where it is chosen."""
    sides = [reached(cx, lambda side=side: in_block(cx, side)) for side in (then, orelse)]
    if None in sides:
        if sides == [None, None]:
            raise Unreached
        _, result, cx.env = sides[0] or sides[1]
        return result
    (block_a, a, env_a), (block_b, b, env_b) = sides
    target = cx.temporary(OPAQUE, node)
    statement = If(test, block_a, block_b, loc=cx.loc(node))
    statement.phis = join_environments(cx, env_a, env_b, node)
    a, b = _as_var(cx, a, block_a, node), _as_var(cx, b, block_b, node)
    join_values(cx, target, a, b, statement.phis, node)
    cx.emit(statement)
    return target


def _as_var(cx, operand, block, node):
    if isinstance(operand, Var):
        return operand
    t = cx.temporary(type_of(operand.value), node)
    t.const = operand.value
    statement = Assign(t, operand, loc=cx.loc(node))
    t.definition = statement
    block.append(statement)
    return t


def lower_if(cx, node):
    test = lower_test(cx, node.test)
    known = truth(cx, test)
    if known is not NOTHING:
        lower_block(cx, node.body if known else node.orelse)
        return
    sides = [
        reached(cx, lambda body=body: in_block(cx, lambda: lower_block(cx, body))) for body in (node.body, node.orelse)
    ]
    if None in sides:
        left = sides[0] or sides[1]
        if left is None or never_falls(left[0]):
            raise Unreached
        cx.env = left[2]
        return
    (then, _, env_a), (orelse, _, env_b) = sides
    statement = If(test, then, orelse, loc=cx.loc(node))
    if never_falls(then):
        env_a = {key: v for key, v in env_b.items() if cx.env.get(key) is v}
    elif never_falls(orelse):
        env_b = {key: v for key, v in env_a.items() if cx.env.get(key) is v}
    statement.phis = join_environments(cx, env_a, env_b, node)
    cx.emit(statement)


def never_falls(block):
    return bool(block) and isinstance(block[-1], Effect) and isinstance(block[-1].node, ast.Raise)
