"""Attempts in a tangent function: where the primal stops, no tangent may have changed.

An attempt is a piece of the program that counts as a whole or not at all. Its tangents are taken once the primal has
got through, in the `else` of the `try`, so that a tangent that cannot be computed (at a point without a derivative) is
not mistaken for an exception of the program either. Where the primal changes memory, the tangents have to come first:
then the names that they bind take their values in the `else`.
"""

from __future__ import annotations

import ast

from ..errors import UnsupportedSyntaxError
from ..transform.bars import unique
from ..transform.code import Line, TangentLine, lines, name, nodes_in


def tangents_behind(then, is_number, taken) -> tuple[list, list]:
    """The code of an attempt in forward mode as (what may stop, what follows if it does not).

    is_number: does the last statement bind a number, so that `x += e` changes no memory?
    """
    if not any(isinstance(i, TangentLine) for i in lines(then)):
        return then, []
    primal = [i for i in then if not isinstance(i, TangentLine)]
    end = max((k for k, i in enumerate(primal) if not _only_renames(i)), default=-1)
    if end >= 0 and all(map(_binds_a_temporary, primal[:end])) and _binds(primal[end], is_number):
        return _all_behind(then, primal[:end], primal[end], taken)
    return _names_behind(then, taken)


def _is_plain(item) -> bool:
    return isinstance(item, Line) and isinstance(item.target, ast.Name) and not item.keep


def _only_renames(item) -> bool:
    return _is_plain(item) and item.op is None and isinstance(item.value, ast.Name)


def _binds_a_temporary(item) -> bool:
    return _is_plain(item) and item.op is None and item.hidden


def _binds(item, is_number) -> bool:
    """Does this line bind a name, without an effect on memory?"""
    return _is_plain(item) and (item.op is None or is_number)


def _all_behind(then, temporaries, last, taken):
    """The values of the primal first; then the tangents, and the name that the primal binds."""
    body = list(temporaries)
    if last.hidden:
        body.append(last)
    elif not isinstance(last.value, (ast.Name, ast.Constant)) or isinstance(last.op, (ast.Div, ast.FloorDiv, ast.Mod)):
        value = unique("value", taken)
        computed = last.value if last.op is None else ast.BinOp(name(last.target.id), last.op, last.value)
        body.append(Line(name(value, True), computed, None, last.loc, hidden=True))
        last.value, last.op = name(value), None
    return body, [i for i in then if i not in body]


def _names_behind(then, taken):
    """Everything in its order, with other names for the tangents that the attempt binds."""
    renamed: dict[str, str] = {}
    for item in then:
        for inner in lines([item]):
            if renamed:
                _rename_reads(inner, renamed)
            if isinstance(inner, TangentLine) and inner.op is None and not inner.hidden:
                _rename_target(inner, item, renamed, taken)
    loc = then[-1].loc
    behind = [TangentLine(name(old, True), name(new), None, loc) for old, new in renamed.items()]
    effects = [k for k, i in enumerate(then) if isinstance(i, TangentLine) and not isinstance(i.target, ast.Name)]
    for item in then[: max(effects, default=0)]:
        if isinstance(item, Line) and item.hidden and not isinstance(item.value, (ast.Name, ast.Constant)):
            item.keep = True
    return then, behind


def _rename_target(line, item, renamed, taken):
    for n in nodes_in(line.target) if line.target is not None else ():
        if not (isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)):
            continue
        if line is not item:
            raise UnsupportedSyntaxError(
                "the tangent of this part of a 'try' depends on a condition inside it",
                line.loc,
                hint="compute it in a statement of its own, in front of the 'try' or in its 'else'",
            )
        if n.id not in renamed:
            renamed[n.id] = unique(f"{n.id}_next", taken)
        n.id = renamed[n.id]


def _rename_reads(item, renamed):
    parts = [getattr(item, part, None) for part in ("value", "target", "test", "iterable")]
    for e in parts:
        for n in nodes_in(e) if e is not None else ():
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in renamed:
                n.id = renamed[n.id]


__all__ = ["tangents_behind"]
