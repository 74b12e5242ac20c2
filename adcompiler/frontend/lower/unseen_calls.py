"""Nested functions whose calls go unseen: what they may change, and names that they bind again (`nonlocal`).

What is handed to a function that is not walked, or stands in a statement that is kept as it is, may be called there:
the compiler would go on with the values that names had before, so that a function that binds them again is refused. Arrays
that it changes are taken for changed.
"""

from __future__ import annotations

import ast

from ...ir.nodes import NOTHING, Var
from .introspection import refuse_what_sees_variables
from .function_values import Closure, Partial, StoredClosure, StoredPartial


def rebound_unseen(cx, operands) -> str | None:
    """A name that one of these functions binds again in a function around it, or None."""
    for operand in operands:
        name = _rebound(cx, cx.constant(operand), set())
        if name is not None:
            return name
    return None


def refuse_rebinding(cx, node, operands):
    name = rebound_unseen(cx, operands)
    if name is not None:
        cx.unsupported(
            node,
            f"a nested function that binds '{name}' again is called here unseen",
            "keep what it changes in a list or an array, or call it in a loop of its own",
        )


def note_unseen_calls(cx, node, operands):
    """Functions among the operands may be called unseen: they must bind no names again, and may change what they read."""
    refuse_what_sees_variables(cx, node, operands)
    refuse_rebinding(cx, node, operands)
    for captured in captured_by(cx, operands):
        may_be_written(captured)
        cx.note_store(captured)


def captured_by(cx, operands) -> list:
    """What functions among the operands may read, and change, by their free names."""
    values = [o.const for o in operands if isinstance(o, Var) and hasattr(o.const, "captured")]
    return [captured for v in values for captured in v.captured(cx, set())]


def may_be_written(operand):
    """From here on, code that is not seen may write into this memory."""
    if isinstance(operand, Var) and operand.group is not None:
        operand.group.family.opaque = operand.group.family.stored = True
    if isinstance(operand, Var) and operand.items is not None:
        for i in operand.items:
            may_be_written(i)


def _rebound(cx, value, seen):
    if value is NOTHING or id(value) in seen:
        return None
    seen.add(id(value))
    if isinstance(value, StoredClosure):
        value = value.closure
    if isinstance(value, StoredPartial):
        value = value.partial
    if isinstance(value, Partial):
        return _rebound(cx, cx.constant(value.function), seen)
    if not isinstance(value, Closure):
        return None
    return next((n.names[0] for n in ast.walk(value.node) if isinstance(n, ast.Nonlocal)), None)


__all__ = ["captured_by", "may_be_written", "note_unseen_calls", "rebound_unseen", "refuse_rebinding"]
