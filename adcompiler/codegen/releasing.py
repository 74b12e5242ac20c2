"""Memory around a segment: what nobody reads any more is released, so that the next part runs in the room it took.

`segment_end()` is put behind every segment, in both sweeps, and in front of its new run; `released` turns these marks
into `del` statements. `held_here(...)` stands where something has run again in a program with a memory budget: it
becomes the call that measures what is then held.

>>> from ..transform.code import Line, name
>>> code = [Line(name("a", True), name("x")), Line(name("b", True), name("a")), segment_end(), Line(None, name("b"))]
>>> [ast.unparse(item.node) for item in released(code, name("x")) if isinstance(item, Verbatim)]
['del a']
"""

from __future__ import annotations

import ast
import itertools
from dataclasses import dataclass, field

from ..errors import NOWHERE
from ..transform.code import Line, Verbatim, expressions, inner_blocks, lines
from ..transform.exposed import exposed_names


class _SegmentEnd(ast.Constant):
    """The mark, as an expression that reads nothing."""

    _fields = ("value", "kind")


def segment_end(loc=NOWHERE) -> Line:
    return Line(None, _SegmentEnd(None), None, loc, keep=True)


@dataclass(frozen=True, eq=False)
class TapeNames:
    """Which names hold parts of the tape, and the functions that measure them.

    own: those that a new run binds; whole: all of the function (none in functions of a recursion, which do not know what
    their callers hold). holds, gains: names of `tape_holds` and `tape_gains`.
    """

    holds: str
    gains: str
    whole: set = field(default_factory=set)
    own: frozenset = frozenset()


class _Held(ast.Constant):
    """The mark for a measurement, as an expression that reads nothing; its value is a TapeNames."""

    _fields = ("value", "kind")


def held_here(names: TapeNames, loc=NOWHERE) -> Line:
    return Line(None, _Held(names), None, loc, keep=True)


def _is_mark(item) -> bool:
    return isinstance(item, Line) and isinstance(item.value, (_SegmentEnd, _Held))


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
        if isinstance(item.value, _Held):
            out += _measured(item, [n for n in held if n in needed])
            continue
        bound_next = {n for following in _lines_from(code, at) for n in _bound(following)}
        dead = [n for n in held if n not in needed and n not in bound_next]
        if dead and not all(map(_is_mark, code[at:])):
            out.append(Verbatim(ast.Delete([ast.Name(n, ast.Del()) for n in dead]), item.loc))
        held = {n: None for n in held if n in needed}
    return out


def _lines_from(code, at):
    """The lines behind a place, up to the first other statement."""
    return itertools.takewhile(lambda item: isinstance(item, Line), code[at + 1 :])


def _without_marks(item):
    for block in inner_blocks(item):
        out, bound = [], {}
        for at, inner in enumerate(block):
            if not _is_mark(inner):
                out.append(inner)
                bound.update(dict.fromkeys(_bound(inner)))
            elif isinstance(inner.value, _Held):
                needed = exposed_names(block[at + 1 :])
                out += _measured(inner, [n for n in bound if n in needed], inside=True)
        block[:] = out
        for inner in block:
            _without_marks(inner)


def _measured(item, held, inside=False) -> list:
    """The call that tells what is held; `inside` other code, or without knowing it, what has been added."""
    names = item.value.value
    added = inside or not names.whole
    found = [n for n in held if n in (names.own if added else names.whole)]
    if added and not found:
        return []
    function = ast.Name(names.gains if added else names.holds, ast.Load())
    return [Line(None, ast.Call(function, [ast.Name(n, ast.Load()) for n in found], []), None, item.loc, hidden=True, keep=True)]


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


__all__ = ["TapeNames", "held_here", "names_in_functions", "released", "segment_end"]
