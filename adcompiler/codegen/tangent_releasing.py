"""Memory of a tangent: a temporary array that is not read any more is released, as it is where the user's expression
stands in one line.

The tangent reads what the primal computes on the way, so that it has a name there; without the `del` all of these
arrays would live until the function returns.

>>> from ..transform.code import Line, name
>>> code = [Line(name("t", True), name("x"), hidden=True), Line(name("y", True), name("t")), Line(name("z", True), name("y"))]
>>> release_temporaries(code, ast.parse("z + 1", mode="eval").body, {"t"})
>>> [ast.unparse(item.node) for item in code if isinstance(item, Verbatim)]
['del t']
"""

from __future__ import annotations

import ast

from ..transform.code import Branch, Line, Repeat, Verbatim, expressions, inner_blocks, nodes_in
from .releasing import names_in_functions


def release_temporaries(code, returned: ast.expr, arrays: set[str]):
    """Put `del` behind the last reads of the temporaries among `arrays`, in place; `returned` is read at the end."""
    end = Line(None, returned)
    arrays = arrays - names_in_functions([*code, end])
    counts: dict[str, int] = {}
    for item in [*code, end]:
        for n in _mentioned(item):
            if n in arrays:
                counts[n] = counts.get(n, 0) + 1
    _block(code, end, counts)


def _block(code, end, counts):
    """Those that this block alone mentions, and binds before it reads them."""
    first: dict[str, Line] = {}
    last: dict[str, int] = {}
    seen: dict[str, int] = {}
    for at, item in enumerate([*code, end] if end is not None else code):
        for n in _mentioned(item):
            if n in counts:
                seen[n] = seen.get(n, 0) + 1
                last[n] = at
        if isinstance(item, Line) and item.hidden and item.op is None and isinstance(item.target, ast.Name):
            if seen.get(item.target.id) == 1:
                first[item.target.id] = item
    dead: dict[int, list[str]] = {}
    behind = len(code) - (end is None or not _computes(end.value))  # nothing is computed behind the last item then
    for n in first:
        if seen[n] == counts[n] and last[n] < behind and not _leaves(code[last[n]]):
            dead.setdefault(last[n], []).append(n)
    for item in code:
        if isinstance(item, (Branch, Repeat)):
            for inner in inner_blocks(item):
                _block(inner, None, counts)
    for at in sorted(dead, reverse=True):
        made = ast.Delete([ast.Name(n, ast.Del()) for n in dead[at]])
        code.insert(at + 1, Verbatim(made, code[at].loc))


def _mentioned(item) -> list[str]:
    """Every name in an item, as often as it stands there."""
    found = []
    held = [item.node] if isinstance(item, Verbatim) else expressions(item)
    for e in held:
        for n in nodes_in(e):
            if isinstance(n, ast.Name):
                found.append(n.id)
    for inner in inner_blocks(item):
        for i in inner:
            found.extend(_mentioned(i))
    return found


def _computes(e) -> bool:
    return any(isinstance(n, (ast.Call, ast.BinOp)) for n in nodes_in(e))


def _leaves(item) -> bool:
    return isinstance(item, Verbatim) and isinstance(item.node, (ast.Break, ast.Continue, ast.Raise))


__all__ = ["release_temporaries"]
