"""Memory behind a segment: what nobody reads any more is released, so that the next part runs in the room it took.

`segment_end()` is put behind every segment, in both sweeps; `released` turns these marks into `del` statements.

>>> from ..transform.code import Line, name
>>> code = [Line(name("a", True), name("x")), Line(name("b", True), name("a")), segment_end(), Line(None, name("b"))]
>>> [ast.unparse(item.node) for item in released(code, name("x")) if isinstance(item, Verbatim)]
['del a']
"""

from __future__ import annotations

import ast

from ..errors import NOWHERE
from ..transform.code import Line, Verbatim, expressions, inner_blocks, lines
from ..transform.exposed import exposed_names


class _SegmentEnd(ast.Constant):
    """The mark, as an expression that reads nothing."""

    _fields = ("value", "kind")


def segment_end(loc=NOWHERE) -> Line:
    return Line(None, _SegmentEnd(None), None, loc, keep=True)


def _is_mark(item) -> bool:
    return isinstance(item, Line) and isinstance(item.value, _SegmentEnd)


def released(code, returned: ast.expr) -> list:
    """The code of a function with a `del` for each mark of its own block; marks further inside are taken out."""
    if not any(map(_is_mark, lines(code))):
        return code
    for item in code:
        _without_marks(item)
    kept = names_in_functions(code)
    end, out, held = Line(None, returned), [], {}
    for at, item in enumerate(code):
        if not _is_mark(item):
            out.append(item)
            held.update(dict.fromkeys(_bound(item)))
            continue
        needed = exposed_names([*code[at + 1 :], end]) | kept
        dead = [n for n in held if n not in needed]
        if dead and not all(map(_is_mark, code[at:])):
            out.append(Verbatim(ast.Delete([ast.Name(n, ast.Del()) for n in dead]), item.loc))
        held = {n: None for n in held if n in needed}
    return out


def _without_marks(item):
    for block in inner_blocks(item):
        block[:] = [inner for inner in block if not _is_mark(inner)]
        for inner in block:
            _without_marks(inner)


def _bound(item) -> list[str]:
    """Names that a line binds for certain."""
    if not isinstance(item, Line) or item.target is None or item.op is not None:
        return []
    found = item.target.elts if isinstance(item.target, ast.Tuple) else [item.target]
    return [n.id for n in found if isinstance(n, ast.Name) and n.id != "_"]


def names_in_functions(code) -> set[str]:
    """Names that functions made in the code may read later."""
    found = set()
    for item in lines(code):
        for e in [*expressions(item), *([item.node] if isinstance(item, Verbatim) else [])]:
            for n in ast.walk(e):
                if isinstance(n, (ast.Lambda, ast.FunctionDef, ast.ClassDef, ast.GeneratorExp)):
                    found |= {m.id for m in ast.walk(n) if isinstance(m, ast.Name)}
    return found


__all__ = ["names_in_functions", "released", "segment_end"]
