"""The reverse of branches: each side backwards under the same test, from one state of adjoints to one.

Takes an `If` and the state of adjoints behind it; afterwards an adjoint that only one side has set is zero on the other,
and one that the sides leave owned and borrowed counts as borrowed.
"""

from __future__ import annotations

from ..ir.nodes import If, blocks
from ..ir.types import Ref
from .code import Branch, Enter, Line, Restore, name
from .move_adjoints import move_phis
from .primal_operands import need_operand
from .states import BORROWED, OWNED, UNSET


def reverse_branch(b, s: If):
    """The reverse of a branch."""
    b.spread_all(s)
    phis = [p for p in s.phis if p.target.active and not isinstance(p.target.type, Ref) and p.target.items is None]
    before = dict(b.states)
    then, after_then = _side(b, s.then, [(p.target, p.then) for p in phis], before, s)
    orelse, after_else = _side(b, s.orelse, [(p.target, p.orelse) for p in phis], before, s)
    _merge_sides(b, then, after_then, orelse, after_else, s)
    if does_nothing(then) and does_nothing(orelse):
        return
    test = need_operand(b, s.test, s)
    b.code.append(Branch(test, then, orelse, s.loc))


def _side(b, block, moves, before, s):
    """One side of a branch, reversed, from the state `before`."""
    code, states = b.code, b.states
    b.code, b.states = [], dict(before)
    b.code.append(Enter(block, b.loc))
    move_phis(b, [(t, v) for t, v in moves])
    for inner in reversed(block):
        loc, b.loc = b.loc, inner.loc
        b.statement(inner)
        b.loc = loc
    b.spread_all(s)
    made, after = b.code, b.states
    b.code, b.states = code, states
    return made, after


def _merge_sides(b, then, after_then, orelse, after_orelse, s):
    """Bring both sides to one state: an adjoint set on one side only is zero on the other."""
    merged = {}
    for bar in sorted(set(after_then) | set(after_orelse)):
        x, y = after_then.get(bar, UNSET), after_orelse.get(bar, UNSET)
        if x == y:
            merged[bar] = x
        elif UNSET in (x, y):
            v = _live_version(b, bar, s)
            if v is None:
                merged[bar] = UNSET
                continue
            code = then if x == UNSET else orelse
            code.append(Line(name(bar, True), b.zero(v, s), None, s.loc))
            merged[bar] = OWNED if OWNED in (x, y) else BORROWED
        else:
            merged[bar] = BORROWED
    b.states = merged


def _live_version(b, bar, s):
    """The variable, defined before `s`, whose adjoint is called `bar` in front of it."""
    found = [v for v in b.versions.get(bar, ()) if v.active and b.layout.defined_before(v, s) and _visible(b, v, s)]
    return max(found, key=lambda v: (b.layout.home[v][1], v.uid)) if found else None


def _visible(b, v, s):
    """Is the block that defines `v` around `s`?"""
    home = b.layout.home[v][0]
    while id(home) in b.contexts:  # what runs in a context always runs
        home = b.layout.block[b.contexts[id(home)]]
    if home is b.function.body:
        return True
    around = [*b.layout.branches[s]]
    return any(block is home for outer in around for block in blocks(outer)) or home is b.layout.block[s]


def is_empty(code) -> bool:
    """Does this reverse code hold no adjoint? Memory may have to be restored in it."""
    return all(isinstance(c, (Enter, Restore)) or isinstance(c, Branch) and is_empty(c.then) and is_empty(c.orelse) for c in code)


def does_nothing(code) -> bool:
    return all(isinstance(c, Enter) for c in code)
