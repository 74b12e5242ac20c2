"""Attempts in the forward sweep: a `try` whose handlers note which of the user's handlers is to run.

What a stopped attempt has put on lists of the tape is taken off again, so that the reverse sweep, which skips the
attempt, finds every list as it was.
"""

from __future__ import annotations

import ast

from ..ir.nodes import Store, Try, Var, walk
from ..transform.bars import unique
from ..transform.code import Line, TangentLine, Verbatim, call, clone, constant, lines, name, subscript


def print_try(printer, s: Try):
    """Print an attempt with a printer of the primal."""
    then = printer.nested(s.then)
    stopped = [i for i in printer.nested(s.orelse) if not (isinstance(i, Verbatim) and isinstance(i.node, ast.Pass))]
    for phi in s.phis:
        printer.rename(then, phi.target, phi.then, s)
        printer.rename(stopped, phi.target, phi.orelse, s)
    printer.undefined(stopped, s, "orelse")
    marks, undo = _undone(printer, then, s)
    printer.out.extend(marks)
    again = {
        printer.names.name(i.value)
        for i in walk(s.then)
        if isinstance(i, Store) and isinstance(i.printed, tuple) and isinstance(i.value, Var)
    }
    then, behind = printer.attempted(then, s)
    _keep_all(then, again)
    codes = list(s.orelse[0].writes.values())  # the number, then the exception
    handlers, bodies = [], []
    for k, (types, caught, number) in enumerate(s.clauses):
        handlers.append(ast.ExceptHandler(None if types is None else printer.names.read(types), caught, []))
        body = [Line(name(printer.names.name(codes[0]), True), constant(number), None, s.loc)]
        if caught is not None:
            body.append(Line(name(printer.names.name(codes[1]), True), name(caught), None, s.loc))
        more = [*undo, *stopped]
        bodies.append([*body, *(more if k == len(s.clauses) - 1 else _copied(more))])
    blocks = [then, *bodies, behind] if behind else [then, *bodies]
    printer.out.append(Verbatim(ast.Try([], handlers, [ast.Pass()] if behind else [], []), s.loc, blocks))


def _keep_all(code, again):
    """What is computed may be what raises: nothing of an attempt is dropped, but what an in-place operator does `again`."""
    read: dict[str, int] = {}
    for item in lines(code):
        for e in (
            [item.value, item.target]
            if isinstance(item, Line)
            else [getattr(item, "test", None), getattr(item, "iterable", None), getattr(item, "node", None)]
        ):
            for n in ast.walk(e) if e is not None else ():
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load):
                    read[n.id] = read.get(n.id, 0) + 1
    temporaries = {i.target.id for i in lines(code) if isinstance(i, Line) and i.hidden and isinstance(i.target, ast.Name)}
    for item in lines(code):
        if (
            isinstance(item, Line)
            and not isinstance(item, TangentLine)
            and isinstance(item.target, ast.Name)
            and not (item.hidden and (item.target.id in read or item.target.id in again))
            and not isinstance(item.value, ast.Constant)
            and not (isinstance(item.value, ast.Name) and item.value.id not in temporaries)
        ):
            item.keep = True


def _undone(printer, then, s):
    """Lines in front of the attempt, and in its handlers, that take back what it has put on lists of the tape."""
    sites = {i.target.id for i in printer.insert.start if isinstance(i.value, ast.List)}
    pushed: dict[str, None] = {}
    count = 0
    for item in lines(then):
        v = item.value if isinstance(item, Line) else None
        if (
            item is not None
            and isinstance(v, ast.Call)
            and isinstance(v.func, ast.Attribute)
            and v.func.attr == "append"
            and isinstance(v.func.value, ast.Name)
            and v.func.value.id in sites
        ):
            pushed[v.func.value.id] = None
            count += 1
    if (
        count == 1
        and isinstance(then[-1], Line)
        and isinstance(then[-1].value, ast.Call)
        and isinstance(then[-1].value.func, ast.Attribute)
        and isinstance(then[-1].value.func.value, ast.Name)
        and then[-1].value.func.value.id in pushed
    ):
        return [], []  # the push is the last thing that happens
    marks, undo = [], []
    for site in pushed:
        mark = unique(f"{site}_length", printer.names.taken)
        marks.append(Line(name(mark, True), call(printer.namer.object(len), name(site)), None, s.loc))
        undo.append(
            Line(
                subscript(name(site), ast.Slice(name(mark), None, None), True),
                ast.List([], ast.Load()),
                None,
                s.loc,
                keep=True,
            )
        )
    return marks, undo


def _copied(code):
    return [
        Line(clone(i.target), clone(i.value), i.op, i.loc, i.hidden, i.keep) if isinstance(i, Line) else i for i in code
    ]


__all__ = ["print_try"]
