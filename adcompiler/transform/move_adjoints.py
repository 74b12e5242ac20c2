"""The reverse of statements that only give values other names: copies, tuples, unpacking, and the phis of joins.

Takes (target, source) pairs; afterwards the adjoints of the targets are consumed and those of the sources hold them.
Several pairs move at once, as in `a, b = b, a`; a name that is about to mean something else is set aside before.
"""

from __future__ import annotations

import ast

from ..analysis.alias import root_of, view_source
from ..ir.nodes import Assign, Unpack, Var
from ..ir.types import Ref
from .code import name
from .contributions import real_part
from .states import BORROWED, OWNED, UNSET


def move_items(b, target, value, s):
    if isinstance(value, Var) and value.items is not None:
        for t, v in zip(target.items, value.items, strict=True):
            if t is not v and b.is_set(t):
                move(b, t, v, s)


def move(b, target: Var, source: Var, s):
    """`target` is another name for `source`."""
    if target is source or not source.active:
        return
    if b.shadow_kind(target) and b.shadow_kind(source):
        return
    if target.items is not None and source.items is not None:
        move_items(b, target, source, s)
        return
    source = unaliased(b, source)
    if not source.tied and not b.shadow_kind(source) and not target.tied and b.bar(source) == b.bar(target):
        return
    bar, state = _brought(b, target, source, s)
    if source.tied and region_name(b, source) == b.bar(target):
        bar = set_aside(b, bar)
    b.kill(target)
    if not source.tied and not b.shadow_kind(source) and b.state(source) == UNSET:
        b.line(name(b.bar(source), True), bar, hidden=b.is_hidden(source))
        b.states[b.bar(source)] = state
        return
    b.accumulate(source, bar, s, fresh=False)


def _brought(b, target, source, s):
    """The adjoint of `target` as that of `source`, and its state. What is real on one path takes the real part."""
    bar, state = b.bar_value(target, s), b.state(target) if not target.tied else BORROWED
    taken = real_part(b, bar, source, target.type)
    return taken, BORROWED if taken is not bar and state == OWNED else state


def _is_projected(b, target, source) -> bool:
    """Does the adjoint change on its way, though both have the same name for it?"""
    bar = name("bar")
    return b.is_set(target) and real_part(b, bar, source, target.type) is not bar


def unaliased(b, v: Var) -> Var:
    """The variable whose adjoint a tied name is, where it is only another name and no view of a part."""
    while (
        v.tied
        and not b.shadow_kind(v)
        and (
            isinstance(v.definition, Unpack) or isinstance(v.definition, Assign) and isinstance(v.definition.value, Var)
        )
    ):
        v = view_source(v)
    return v


def set_aside(b, value):
    """Keep an adjoint under a name of its own, because its own name is about to mean something else."""
    made = b.temporary("part_bar")
    b.line(name(made, True), value, hidden=True)
    return name(made)


def region_name(b, v):
    """The name of the adjoint buffer of `v` or of the array that it looks into; None for shadows."""
    if b.shadow_kind(v):
        return None
    root = root_of(v) if v.tied else v
    return b.bar(root)


def reverse_unpack(b, s: Unpack):
    """The reverse of assigning several names at once."""
    moved = []
    for target, source in s.pairs:
        collect_moves(b, target, source, moved, s)
    if not moved:
        return
    moved = [(target, unaliased(b, source)) for target, source in moved]
    values = [(source, *_brought(b, target, source, s), target) for target, source in moved]
    killed = {b.bar(t) for t, _ in moved if not t.tied}
    if any(source.tied and region_name(b, source) in killed for _, source in moved):
        values = [(source, set_aside(b, value), BORROWED, target) for source, value, _, target in values]
    for t, _ in moved:
        b.kill(t)
    assigned: list = []
    # what a view brings is added behind the assignment of the adjoint of its array
    own = {b.bar(v) for v, *_ in values if not v.tied and not b.shadow_kind(v) and b.state(v) == UNSET}
    parts = [(v, value) for v, value, *_ in values if v.tied and region_name(b, v) in own]
    for source, value, state, _ in values:
        if any(source is v for v, _ in parts):
            continue
        direct = not source.tied and not b.shadow_kind(source)
        if direct and b.state(source) == UNSET and all(b.bar(source) != b.bar(a) for a, _, _ in assigned):
            assigned.append((source, value, state))
        elif direct and any(b.bar(source) == b.bar(a) for a, _, _ in assigned):
            k = next(i for i, (a, _, _) in enumerate(assigned) if b.bar(a) == b.bar(source))
            assigned[k] = (source, ast.BinOp(assigned[k][1], ast.Add(), value), OWNED)
        else:
            b.accumulate(source, value, s, fresh=False)
    changed = {b.bar(a) for a, _, _ in assigned}
    parts = [
        (v, set_aside(b, value) if any(isinstance(n, ast.Name) and n.id in changed for n in ast.walk(value)) else value)
        for v, value in parts
    ]
    real = [(a, v, st) for a, v, st in assigned if not (isinstance(v, ast.Name) and v.id == b.bar(a))]
    reads = {n.id for _, v, _ in real for n in ast.walk(v) if isinstance(n, ast.Name)}
    writes = {b.bar(a) for a, _, _ in real}
    if len(real) > 1 and reads & writes & killed:
        b.line(
            ast.Tuple([name(b.bar(a), True) for a, _, _ in real], ast.Store()),
            ast.Tuple([v for _, v, _ in real], ast.Load()),
        )
    else:
        for a, v, _ in real:
            b.line(name(b.bar(a), True), v, hidden=b.is_hidden(a))
    for a, _, st in assigned:
        b.states[b.bar(a)] = st
    for source, value in parts:
        b.accumulate(source, value, s, fresh=False)


def collect_moves(b, target, source, moved, s):
    if not isinstance(source, Var):
        b.kill(target)
        return
    if target.items is not None and source.items is not None:
        for t, v in zip(target.items, source.items, strict=True):
            if t is not v:
                collect_moves(b, t, v, moved, s)
        return
    if isinstance(target.type, Ref) or (b.shadow_kind(target) and b.shadow_kind(source)) or target.tied:
        return
    if not b.is_set(target):
        return
    if not source.active:
        b.kill(target)
        return
    moved.append((target, source))


def move_phis(b, pairs):
    """Adjoints of phis go to what they came from, all at once."""
    statement = Unpack((), None, [], loc=b.loc)
    moved = []
    for target, source in pairs:
        if source is None:
            b.kill(target)
            continue
        source = unaliased(b, source)
        same = (
            not source.tied
            and not b.shadow_kind(source)
            and source in b.bars
            and source.active
            and b.bar(source) == b.bar(target)
        )
        if same and not _is_projected(b, target, source):
            continue
        moved.append((target, source))
    if moved:
        statement.pairs = moved
        reverse_unpack(b, statement)
