"""Which names code reads before it has bound them itself, and which it binds.

>>> from .code import Line, name
>>> import ast
>>> code = [Line(name("t", True), ast.parse("u * c", mode="eval").body), Line(name("u", True), ast.parse("u + t", mode="eval").body)]
>>> sorted(exposed_names(code)), sorted(assigned_in(code))
(['c', 'u'], ['t', 'u'])
"""

from __future__ import annotations

import ast

from .code import Branch, Line, Repeat, Verbatim, expressions
from .verify import assigned_names, free_names

assigned_in = assigned_names


def exposed_names(code) -> set[str]:
    """Names that are read where no line of the code has bound them on every path."""
    found: set[str] = set()
    _block(code, set(), found)
    return found


def _block(code, bound, found):
    for item in code:
        _item(item, bound, found)


def _item(item, bound, found):
    if isinstance(item, Verbatim):
        _verbatim(item, bound, found)
        return
    for e in expressions(item):
        found |= free_names(e) - bound
    if isinstance(item, Line):
        if item.target is not None:
            stored = {n.id for n in ast.walk(item.target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            if item.op is not None:
                found |= stored - bound
            bound |= stored
    elif isinstance(item, Branch):
        then, orelse = set(bound), set(bound)
        _block(item.then, then, found)
        _block(item.orelse, orelse, found)
        bound |= orelse if _leaves(item.then) else then if _leaves(item.orelse) else then & orelse
    elif isinstance(item, Repeat):
        inside = set(bound)
        if item.target is not None:
            inside |= {n.id for n in ast.walk(item.target) if isinstance(n, ast.Name)}
        _block(item.body, inside, found)


def _verbatim(item, bound, found):
    """Anything else counts as binding nothing, except a `with`, and a definition."""
    node = item.node
    found |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)} - bound
    for block in item.blocks:
        _block(block, bound if isinstance(node, ast.With) else set(bound), found)
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        bound.add(node.name)


def _leaves(code) -> bool:
    last = code[-1] if code else None
    return isinstance(last, Verbatim) and isinstance(last.node, (ast.Break, ast.Continue, ast.Raise))


__all__ = ["assigned_in", "exposed_names"]
