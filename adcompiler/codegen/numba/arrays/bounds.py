"""Indices that are inside their axis: proven from the bounds of loops, assumed of the arguments, or else checked.

Numba does not check indices in the code that is made here. An index that counts through `range(n)` with `n` the extent
of the axis needs no check. Where it counts through the extent of another argument, as in

    for j in range(A.shape[0]):
        A[i, j] ...

the code holds for calls with `A.shape[0] <= A.shape[1]`. That is tested on entry; a call that does not fit runs code
made without assumptions. What is left is checked where it is read.
"""

from __future__ import annotations

import ast

from ....runtime.numba import checks
from ....transform.code import call, constant, name
from ..types import Scalar, plus

REACH = 4  # how far apart bounds of equal origin are recognised


def position(lo, axis, p):
    """The node of an integer index (a Typed) that counts from 0, or from the end where it is negative."""
    if p.is_known:
        return _constant(lo, axis, p)
    if not isinstance(p.node, (ast.Name, ast.BinOp)):
        p = lo.held(p, "at")
    low, high = p.type.low, p.type.high
    if low is not None and low >= 0:
        if high is not None and at_most(lo, high, axis.token):
            return lo.index_node(p)
        if p.type.token is not None and at_most(lo, plus(p.type.token, 1), axis.token):
            return lo.index_node(p)
    return call(lo.np("uintp"), call(lo.helper(checks.checked_index), p.node, axis.extent()))


def _constant(lo, axis, p):
    value = p.const
    if not at_most(lo, value + 1 if value >= 0 else -value, axis.token):
        return call(lo.np("uintp"), call(lo.helper(checks.checked_index), p.node, axis.extent()))
    if value >= 0:
        return p.node
    return call(lo.np("uintp"), ast.BinOp(axis.extent(), ast.Sub(), constant(-value)))


def at_most(lo, smaller, larger) -> bool:
    """Is one extent at most another: known, or assumed from here on?"""
    if smaller is None or larger is None:
        return False
    if isinstance(smaller, int) and isinstance(larger, int):
        return smaller <= larger
    if not isinstance(smaller, int):
        if not isinstance(larger, int) and smaller[0] == larger[0]:
            return smaller[1] <= larger[1]
        if any(lo.are_equal(plus(smaller, d), larger) for d in range(REACH)):
            return True
    return _assumed(lo, smaller, larger)


def _assumed(lo, smaller, larger) -> bool:
    if not lo.options.get("assuming") or not (_of_call(lo, smaller) and _of_call(lo, larger)):
        return False
    lo.learnt.assumed[smaller, larger] = None
    return True


def _of_call(lo, token) -> bool:
    """Is it a constant, or an extent or number that the call gives?"""
    if isinstance(token, int):
        return True
    return token[0][0] == "argument" and len(token[0]) <= 3 and token[0][1] in lo.options["names"]


def entry_test(assumed, names) -> list:
    """Statements that refuse a call for which the assumptions do not hold; `names` of the arguments in the code."""
    tests = [ast.Compare(_value(a, names), [ast.Gt()], [_value(b, names)]) for a, b in _strongest(assumed)]
    test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)
    return [ast.If(test, [ast.Raise(call(name("NotAsAssumed")), None)], [])]


def _strongest(assumed) -> list:
    """Of the assumptions about the same two extents the one from which the others follow."""
    found = {}
    for a, b in assumed:
        (of, plus_a), (within, plus_b) = [(None, t) if isinstance(t, int) else t for t in (a, b)]
        old = found.get((of, within))
        if old is None or plus_a - plus_b > old[0]:
            found[of, within] = (plus_a - plus_b, a, b)
    return [(a, b) for _, a, b in found.values()]


def _value(token, names):
    if isinstance(token, int):
        return constant(token)
    origin, offset = token
    node = name(names[origin[1]])
    if len(origin) == 3:
        node = ast.Subscript(ast.Attribute(node, "shape", ast.Load()), constant(origin[2]), ast.Load())
    if not offset:
        return node
    return ast.BinOp(node, ast.Add() if offset > 0 else ast.Sub(), constant(abs(offset)))


def below(lo, stop: Scalar):
    """The bound of a number that is less than `stop`, itself an extent or bounded: every such number is less than it."""
    if stop.token is not None:
        return stop.token
    return plus(stop.high, -1)


__all__ = ["at_most", "below", "entry_test", "position"]
