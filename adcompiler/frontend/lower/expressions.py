"""Lowering of expressions: each becomes an operand (a variable or a constant), after statements that compute it.

Order and once-only evaluation are Python's. `syntax` says which function lowers which kind of expression.
"""

from __future__ import annotations

LOWER: dict = {}  # type of node -> function (context, node) -> operand


def lower_expression(cx, node):
    """The operand that holds the value of `node`."""
    method = LOWER.get(type(node))
    if method is None:
        cx.unsupported(node, f"{type(node).__name__} cannot be differentiated")
    return method(cx, node)
