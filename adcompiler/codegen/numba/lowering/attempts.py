"""`try` in compiled code.

Numba cannot tell exceptions apart. Where the code inside can raise nothing, its handlers are left out; where all that it
can raise goes to one handler, that one catches everything:

    try:                              try:
        y = 1.0 / n                       y = divided(1.0, n)
    except ZeroDivisionError:    ->   except Exception:
        stopped = 1                       stopped = 1
"""

from __future__ import annotations

import ast
from collections import Counter

from ....transform.code import name, nodes_in
from ..raising import Unknown, raised_by
from ..types import Array, Scalar


_HINTS = {OverflowError: "compute integers in front of the statement: those of more than 64 bits are an error in compiled code"}


def lower_try(lo, s):
    """Walk a `try` of generated code, whose handlers set flags."""
    unseen = _of_numpy_settings(s)
    if unseen is not None:
        lo.refuse(f"'try' that catches {unseen}", "test the values: np.isfinite(...), x > 0")
    before = lo.state()
    lo.in_try += 1
    body = lo.block(s.body)
    lo.in_try -= 1
    try:
        raised = raised_by(lo, body)
    except Unknown as unknown:
        lo.refuse(f"'try' around what may raise any error ('{unknown}')", "leave the statement out, or use backend='numpy'")
    if not raised:
        for inner in body:
            lo.emit(inner)
        lo.statements([*s.orelse, *s.finalbody])
        return
    handler = _only_handler(lo, s, raised)
    if s.orelse or s.finalbody or handler.name:
        lo.refuse("'try' with an exception that has a name", "leave the statement out, or use backend='numpy'")
    after = lo.state()
    lo.restore(_when_raised(lo, s.body, before, after))
    caught = lo.block(handler.body)
    lo.restore(lo.joined(after, lo.state()))
    lo.emit(ast.Try(body, [ast.ExceptHandler(name("Exception"), None, caught or [ast.Pass()])], [], []))


def _of_numpy_settings(s) -> str | None:
    """What a handler catches that NumPy raises only if it has been told to, by `np.seterr` or `warnings`: compiled code is not."""
    for h in s.handlers:
        for part in h.type.elts if isinstance(h.type, ast.Tuple) else [h.type] if h.type is not None else []:
            named = ast.unparse(part).rpartition(".")[2]
            if named == "FloatingPointError" or named.endswith("Warning"):
                return named
    return None


def _only_handler(lo, s, raised):
    """The one handler that catches everything that may be raised."""
    chosen = {}
    for kind, text in raised.items():
        for k, h in enumerate(s.handlers):
            caught = _classes(lo, h.type)
            if any(issubclass(kind, c) for c in caught):
                chosen[k] = h
                break
            if any(issubclass(c, kind) for c in caught):  # it may be one of these, or not
                lo.refuse(f"'try' around '{text}', which raises {kind.__name__}, with handlers for some of its kinds")
        else:
            lo.refuse(f"'try' that lets {kind.__name__} pass ('{text}')", _HINTS.get(kind, "catch it here, or leave the statement out"))
    if len(chosen) > 1:
        lo.refuse("'try' in which several handlers may be reached", "one 'try' for each, or use backend='numpy'")
    return next(iter(chosen.values()))


def _classes(lo, node) -> tuple:
    from .expressions import expression

    if node is None:
        return (BaseException,)
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    found = [getattr(expression(lo, p).type, "value", None) for p in parts]
    flat = [c for f in found for c in (f if isinstance(f, tuple) else (f,))]
    if not all(isinstance(c, type) and issubclass(c, BaseException) for c in flat):
        lo.refuse("'try' with handlers of this kind", "name the exceptions")
    return tuple(flat)


def _when_raised(lo, statements, before, after):
    """The state in a handler: each name that the code assigns has its value of before, or another one since."""
    env, unsure = lo.joined(before, after)
    stored = Counter(
        n.id for s in statements for n in nodes_in(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )
    for n, count in stored.items():
        t = env.get(n)
        if isinstance(t, Scalar):
            env[n] = Scalar(t.dtype, t.weak)
        elif t is not None and count > 1 and (isinstance(t, Array) or before[0].get(n) is not None):
            lo.refuse(f"'try' around several assignments of '{n}'", "give each array a name of its own")
    return env, unsure


__all__ = ["lower_try"]
