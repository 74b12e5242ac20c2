"""Liveness of names: which may still be read behind each statement and at each loop head.

Takes structured statements (see `structure`); a name that only a nested function reads counts as always live.

>>> import ast
>>> body = ast.parse("u = v\\nv = 2.0\\nw = u + v").body
>>> found = liveness(body, {"w"})
>>> sorted(found.after[id(body[0])])
['u']
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from .attempts import Attempt

_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass
class Liveness:
    """`after[id(statement)]`, `head[id(loop)]`: sets of names; `always`: names that nested functions read."""

    after: dict = field(default_factory=dict)
    head: dict = field(default_factory=dict)
    always: set = field(default_factory=set)


def liveness(body, result_names) -> Liveness:
    """Liveness for a function body whose value reads `result_names`."""
    found = Liveness()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, _NESTED):
                found.always |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    _block(found, body, frozenset(result_names), frozenset())
    return found


def _block(found, body, live, on_break):
    for statement in reversed(body):
        found.after[id(statement)] = live
        live = _statement(found, statement, live, on_break)
    return live


def _reads(*nodes):
    return frozenset(
        n.id
        for node in nodes
        if node is not None
        for n in ast.walk(node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
    )


def _binds(*nodes):
    return frozenset(
        n.id
        for node in nodes
        if node is not None
        for n in ast.walk(node)
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    )


def _statement(found, s, live, on_break):
    if isinstance(s, ast.Break):
        return on_break
    if isinstance(s, ast.Raise):
        return live | _reads(s)
    if isinstance(s, ast.If):
        return (_block(found, s.body, live, on_break) | _block(found, s.orelse, live, on_break)) | _reads(s.test)
    if isinstance(s, (ast.For, ast.While)):
        target = _binds(s.target) if isinstance(s, ast.For) else frozenset()
        test = frozenset() if isinstance(s, ast.For) else _reads(s.test)
        head = live | test
        while True:
            new = head | test | (_block(found, s.body, head, live) - target)
            if new == head:
                break
            head = new
        found.head[id(s)] = head
        return head | (_reads(s.iter) if isinstance(s, ast.For) else frozenset())
    if isinstance(s, ast.With):
        return _block(found, s.body, live, on_break) | _reads(*[i.context_expr for i in s.items])
    if isinstance(s, Attempt):
        types = _reads(*[h.type for h in s.handlers])
        return _block(found, s.body, live | types, on_break) | live | types  # where it stops, everything is as before
    if isinstance(s, ast.Try):
        after = _block(found, s.finalbody, live, on_break)
        handlers = frozenset().union(*[_block(found, h.body, after, on_break) | _reads(h.type) for h in s.handlers])
        orelse = _block(found, s.orelse, after, on_break)
        body = _block(found, s.body, orelse | handlers, on_break)
        return body | handlers
    if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return (live - {s.name}) | _reads(s)
    if isinstance(s, ast.AugAssign):
        return live | _reads(s) | _binds(s.target) | _reads(s.target)
    if isinstance(s, ast.Assign):
        return (live - frozenset(t.id for t in s.targets if isinstance(t, ast.Name))) | _reads(s)
    if isinstance(s, ast.AnnAssign):
        return (live - _binds(s.target) | _reads(s)) if s.value is not None else live
    return live | _reads(s)
