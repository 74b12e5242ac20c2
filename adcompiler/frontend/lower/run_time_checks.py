"""Tests that generated code makes when it runs, and that stop it: they change nothing of what the program computes."""

from __future__ import annotations

import ast

from ...ir.nodes import Effect, If
from .rule_calls import emit_call


def stop_if(cx, node, function, operands, error: type, message: str):
    """Emit `if function(*operands): raise error(message)`; `function` is one without a derivative.

    Refused inside a `try` whose handler would take the error for one of the program.
    """
    if any(issubclass(error, t) for types in cx.caught for t in types):
        cx.unsupported(
            node,
            "inside 'try', a statement that may have to stop the run: " + message.partition(":")[0],
            message.partition(": ")[2] or "move it out of the 'try'",
        )
    test = emit_call(cx, node, function, tuple(operands), {})
    stop = ast.parse(f"raise {error.__name__}({message!r})").body[0]
    for n in ast.walk(stop):
        ast.copy_location(n, node)
    cx.emit(If(test, [Effect(stop, {}, loc=cx.loc(node))], [], loc=cx.loc(node)))


__all__ = ["stop_if"]
