"""How many operations a loop makes, as an expression of the extents: a short loop is done before its threads have started.

    for i in range(n):
        for j in range(m):
            z += W[i, j] * x[j]            ->          n * (2 + m * 6)
        s += z
"""

from __future__ import annotations

import ast

from ....transform.code import constant, name, nodes_in
from ...emit import Comment

LEAST = 200_000  # operations from which threads are worth it: some 50 to 200 microseconds
CALL = 3  # operations of a call,
TRANSCENDENTAL = 20  # and of one of these
PARTS_WITH_ARRAYS = 16  # of a loop where each part has arrays of its own: they are filled, and summed behind
UNKNOWN = 16  # trips of a loop that ends by its values
_LONG = frozenset(
    "sin cos tan exp log sinh cosh tanh asin acos atan asinh acosh atanh arcsin arccos arctan arcsinh arccosh arctanh log1p "
    "expm1 log2 log10 exp2 atan2 arctan2 hypot erf erfc lgamma gamma cbrt pow power float_power logaddexp".split()
)


def operations(body, trips_of) -> ast.expr:
    """The operations of one run of statements. trips_of: the trips of a loop inside, as an expression."""
    count, rest = 0, []
    for s in body:
        if isinstance(s, Comment):
            continue
        if isinstance(s, (ast.For, ast.While)):
            inner = operations(s.body, trips_of)
            trips = trips_of(s) if isinstance(s, ast.For) else constant(UNKNOWN)
            rest.append(_times(trips, inner))
            count += 1
        elif isinstance(s, ast.If):
            count += _of_expression(s.test)
            rest += [operations(b, trips_of) for b in (s.body, s.orelse)]
        else:
            count += _of_expression(s)
    for r in [r for r in rest if isinstance(r, ast.Constant)]:
        count += r.value
    rest = [r for r in rest if not isinstance(r, ast.Constant)]
    made = constant(count)
    for r in rest:
        made = ast.BinOp(made, ast.Add(), r)
    return made


def _of_expression(node) -> int:
    found = 0
    for n in nodes_in(node):
        if isinstance(n, ast.Call):
            base = n.func.attr if isinstance(n.func, ast.Attribute) else getattr(n.func, "id", "")
            found += 0 if base == "uintp" else TRANSCENDENTAL if base in _LONG else CALL
        elif isinstance(n, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.Assign, ast.AugAssign)):
            found += 1
    return found


def _times(trips, operations):
    if isinstance(trips, ast.Constant) and isinstance(operations, ast.Constant):
        return constant(trips.value * operations.value)
    return ast.BinOp(trips, ast.Mult(), operations)


def worth_threads(trips, operations, arrays):
    """The test whether a loop is long enough, or a bool if that is known. arrays: names of those that each part adds up apart."""
    whole, least = _times(trips, operations), constant(LEAST)
    if isinstance(whole, ast.Constant) and not arrays:
        return whole.value >= LEAST
    for a in arrays:
        size = ast.Attribute(name(a), "size", ast.Load())
        least = ast.BinOp(least, ast.Add(), ast.BinOp(constant(2 * PARTS_WITH_ARRAYS), ast.Mult(), size))
    return ast.Compare(whole, [ast.GtE()], [least])


__all__ = ["PARTS_WITH_ARRAYS", "operations", "worth_threads"]
