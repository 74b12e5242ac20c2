"""Names for shadows: `table_bar = shadow(table)` once, where the same shadow is used several times.

Takes and gives code without `Needed` nodes. A shadow stays the same object as long as its primal does, so one look-up
serves a block up to where the primal's name is bound again; uses inside a loop count as several.

>>> from .code import Line, call, name, subscript
>>> import ast
>>> slot = lambda k: subscript(call(name("shadow"), name("table")), ast.Constant(k), True)
>>> block = [Line(slot(0), ast.Constant(1.0)), Line(slot(1), ast.Constant(2.0))]
>>> name_shadows(block, set())
>>> [f"{ast.unparse(line.target)} = {ast.unparse(line.value)}" for line in block]
['table_bar = shadow(table)', 'table_bar[0] = 1.0', 'table_bar[1] = 2.0']
"""

from __future__ import annotations

import ast

from .bars import unique
from .code import Line, Repeat, Verbatim, call, expressions, inner_blocks, lines, name


def name_shadows(code, taken, free=None, always=()):
    """Bind the shadows that a block of reverse code uses more than once, in place.

    New names go to `taken`; those in `free` are reserved for this, and leave it when used. A primal has a value in
    front of a branch or a loop that uses it if it is one of `always`, or if the block itself uses it too.
    """
    free = set() if free is None else free
    for primal in _primals(code):
        _bind(code, primal, taken, free, always)
    for item in code:
        for inner in inner_blocks(item):
            name_shadows(inner, taken, free, always)


def _new_name(primal, taken, free):
    wanted = f"{primal}_bar"
    if wanted in free:
        free.remove(wanted)
        return wanted
    return unique(wanted, taken)


def _primals(code) -> list[str]:
    """Names whose shadow is taken, in the order of the text."""
    found: dict[str, None] = {}
    for item in lines(code):
        for e in expressions(item):
            for n in ast.walk(e):
                if _is_shadow(n):
                    found[n.args[0].id] = None
    return list(found)


def _is_shadow(n, primal=None) -> bool:
    return (
        isinstance(n, ast.Call)
        and isinstance(n.func, ast.Name)
        and n.func.id == "shadow"
        and len(n.args) == 1
        and isinstance(n.args[0], ast.Name)
        and primal in (None, n.args[0].id)
    )


def _bind(code, primal, taken, free, always):
    """One name per stretch of the block in which `primal` means the same object."""
    start = 0
    while start < len(code):
        end = start
        while end < len(code) and not _binds(code[end], primal):
            end += 1
        uses = [_uses(item, primal) for item in code[start:end]]
        if sum(uses) > 1 and (primal in always or any(_own_uses(item, primal) for item in code[start:end])):
            first = start + next(k for k, n in enumerate(uses) if n)
            bar = _new_name(primal, taken, free)
            for item in code[first:end]:
                _replace(item, primal, bar)
            code.insert(first, Line(name(bar, True), call(name("shadow"), name(primal)), None, code[first].loc))
            end += 1
        start = end + 1


def _own_uses(item, primal) -> int:
    return sum(_is_shadow(n, primal) for e in expressions(item) for n in ast.walk(e))


def _uses(item, primal) -> int:
    own = _own_uses(item, primal)
    inside = sum(_uses(i, primal) for block in inner_blocks(item) for i in block)
    return own + (2 * inside if isinstance(item, Repeat) else inside)


def _binds(item, primal) -> bool:
    """Does an item, or something inside it, bind the name?"""
    for i in lines([item]):
        target = getattr(i, "target", None)
        if target is not None and any(
            isinstance(n, ast.Name) and n.id == primal and not isinstance(n.ctx, ast.Load) for n in ast.walk(target)
        ):
            return True
        if isinstance(i, Verbatim) and any(isinstance(n, ast.Name) and n.id == primal for n in ast.walk(i.node)):
            return True
    return False


class _Replace(ast.NodeTransformer):
    def __init__(self, primal, bar):
        self.primal, self.bar = primal, bar

    def visit_Call(self, node):
        self.generic_visit(node)
        return name(self.bar) if _is_shadow(node, self.primal) else node


def _replace(item, primal, bar):
    work = _Replace(primal, bar)
    for i in lines([item]):
        for field in ("target", "value", "test", "iterable"):
            e = getattr(i, field, None)
            if isinstance(e, ast.AST):
                setattr(i, field, work.visit(e))
        if isinstance(i, Line) and isinstance(i.target, ast.Subscript):
            i.keep = True  # other names may look into the same memory


__all__ = ["name_shadows"]
