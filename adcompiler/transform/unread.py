"""What nothing reads: assignments to names, empty branches and loops.

Takes and gives code (see `code`).
"""

from __future__ import annotations

import ast

from .code import Branch, Line, Repeat, Verbatim, expressions, inner_blocks, lines, nodes_in


def drop_unread(code, live) -> bool:
    """Remove assignments to names that are read nowhere."""
    read = set(live)
    for item in lines(code):
        for e in expressions(item):
            for n in nodes_in(e):
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load):
                    read.add(n.id)
        if isinstance(item, Line) and item.op is not None and isinstance(item.target, ast.Name) and item.keep:
            read.add(item.target.id)  # an in-place operator writes memory that other names may see
        if isinstance(item, Verbatim):
            read |= {n.id for n in nodes_in(item.node) if isinstance(n, ast.Name)}
    return _drop(code, read)


def _drop(code, read) -> bool:
    changed, out = False, []
    for item in code:
        for inner in inner_blocks(item):
            changed |= _drop(inner, read)
        if isinstance(item, Line) and isinstance(item.target, ast.Name) and item.target.id not in read:
            changed = True
            if item.keep and not _is_pop(item.value):
                out.append(Line(None, item.value, None, item.loc, keep=True))
            elif _is_pop(item.value):
                out.append(Line(None, item.value, None, item.loc, keep=True))
            continue
        if (
            isinstance(item, Line)
            and item.op is None
            and isinstance(item.target, ast.Name)
            and isinstance(item.value, ast.Name)
            and item.target.id == item.value.id
        ):
            changed = True
            continue
        if isinstance(item, Verbatim) and isinstance(item.node, ast.FunctionDef) and item.node.name not in read:
            changed = True
            continue
        if isinstance(item, Branch) and not item.then and not item.orelse:
            changed = True
            continue
        if (
            isinstance(item, Repeat)
            and not item.body
            and item.target is not None
            and not _calls(item.iterable)
            and not any(isinstance(n, ast.Name) and n.id in read for n in nodes_in(item.target))
        ):
            changed = True
            continue
        out.append(item)
    code[:] = out
    return changed


def _is_pop(value):
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "pop"


def _calls(e):
    return any(
        isinstance(n, ast.Call)
        and not (isinstance(n.func, ast.Name) and n.func.id in ("range", "reversed", "len", "zip", "enumerate"))
        for n in nodes_in(e)
    )
