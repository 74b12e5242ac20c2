"""The reverse of loops: the body backwards, for each trip that ran, last trip first.

Takes a `Loop` and the state of adjoints behind it. Adjoints that the body adds to are made before the loop; the body is
built again with weaker states until a trip leaves the states in which it found them. A loop whose trips all run repeats
its range in reverse; of others the forward sweep counts the trips.
"""

from __future__ import annotations

import ast

from ..analysis.activity import operands_of
from ..analysis.alias import root_of
from ..ir.nodes import Assign, Call, ContainerOp, If, Loop, Store, Unpack, UserCall, Var, operands, walk
from ..ir.types import Num, Ref
from .branch_adjoints import does_nothing, is_empty
from .code import Enter, LoopTarget, Repeat, Replay, Trips, call, clone, constant, name, subscript
from .move_adjoints import move_phis
from .primal_operands import changes, need_operand
from .states import BORROWED, OWNED, UNSET


def reverse_loop(b, s: Loop):
    """The reverse of a loop."""
    numeric = [p for p in s.phis if p.target.active and not isinstance(p.target.type, Ref) and p.target.items is None]
    exits = [p for p in s.exits if p.target.active and not isinstance(p.target.type, Ref) and p.target.items is None]
    touched = _touched_outside(b, s)
    if not numeric and not touched and not _has_memory_work(b, s):
        return
    move_phis(b, [(p.target, p.then) for p in exits])
    b.spread_all(s)
    heads = []
    for p in numeric:
        if p.target.tied or b.shadow_kind(p.target):
            continue
        heads.append(p)
        if b.state(p.target) == UNSET:
            b.line(
                name(b.bar(p.target), True),
                b.zero(p.then if p.then is not None else p.target, s)
                if b.is_immutable(p.target)
                else _zero_head(b, p, s),
            )
            b.states[b.bar(p.target)] = OWNED
    for v in touched:
        if v.tied:
            v = root_of(v)
        if not b.is_immutable(v) or b.state(v) == UNSET:
            if b.state(v) != OWNED:
                if b.state(v) == BORROWED and b.is_immutable(v):
                    continue
                b.own(v, s) if not b.is_immutable(v) else _start_at_zero(b, v, s)
    entry = dict(b.states)
    names = {b.bar(p.target) for p in heads}
    for _ in range(4):
        body, after = _reverse_body(b, s, heads, entry, touched)
        weaker = {bar for bar in entry if entry[bar] == OWNED and after.get(bar, UNSET) == BORROWED}
        if not weaker:
            break
        for bar in weaker:
            entry[bar] = BORROWED
    b.states = {
        bar: (after.get(bar, UNSET) if bar in entry or bar in names else UNSET) for bar in set(entry) | set(after)
    }
    for bar in entry:
        if entry[bar] != UNSET and b.states.get(bar, UNSET) == UNSET:
            b.states[bar] = entry[bar]
    replayed = s.checkpoints is not None and not b.plain
    if does_nothing(body) or replayed and is_empty(body):
        move_phis(b, [(p.target, p.then) for p in heads])
        return
    if replayed:
        b.code.append(Replay(s, body, s.loc))
    else:
        b.code.append(reversed_loop(b, s, body))
    move_phis(b, [(p.target, p.then) for p in heads])


def _zero_head(b, p, s):
    """A zero adjoint for what a loop carries, where nothing behind the loop has used it."""
    last = next((e.target for e in s.exits if e.then is p.target), None)
    return b.zero(last if last is not None else p.orelse if p.orelse is not None else p.target, s)


def _start_at_zero(b, v, s):
    b.line(name(b.bar(v), True), constant(0.0))
    b.states[b.bar(v)] = OWNED


def _reverse_body(b, s, heads, entry, touched=()):
    code, states = b.code, b.states
    b.code, b.states = [], dict(entry)
    b.code.append(Enter(s.body, b.loc))
    move_phis(b, [(p.target, p.orelse) for p in heads])
    for inner in reversed(s.body):
        loc, b.loc = b.loc, inner.loc
        b.statement(inner)
        b.loc = loc
    for inner in reversed(s.test_block):
        loc, b.loc = b.loc, inner.loc
        b.statement(inner)
        b.loc = loc
    for p in heads:
        if b.state(p.target) == UNSET:
            b.line(name(b.bar(p.target), True), b.zero(p.target, s))
            b.states[b.bar(p.target)] = OWNED
    for v in touched:
        v = root_of(v) if v.tied else v
        if b.state(v) == UNSET and not b.shadow_kind(v):
            b.line(name(b.bar(v), True), b.zero(v, s))
            b.states[b.bar(v)] = OWNED
    b.spread_all(s)
    made, after = b.code, b.states
    b.code, b.states = code, states
    return made, after


def _touched_outside(b, s: Loop) -> list[Var]:
    """Variables from outside a loop that receive contributions inside, in the order of their definition."""
    inside = {
        v
        for v, (_, position) in b.layout.home.items()
        if b.layout.position[s] <= position <= b.layout.last[s] and s in b.layout.home_loops.get(v, ())
    }
    found: dict[Var, None] = {}

    def note(v):
        if not isinstance(v, Var) or not v.active:
            return
        if v.items is not None:
            for i in v.items:
                note(i)
            return
        if isinstance(v.type, Ref) or b.shadow_kind(v) or not isinstance(v.type, Num):
            return
        v = root_of(v) if v.tied else v
        if v not in inside and v.active:
            found[v] = None

    for inner in walk(s.body + s.test_block):
        for v in _differentiable_operands(inner):
            note(v)
    for p in s.phis:
        if p.orelse is not None and p.orelse is not p.target:
            note(p.orelse)
    return sorted(found, key=lambda v: (b.layout.home[v][1], v.uid))


def _has_memory_work(b, s):
    return any(
        isinstance(i, ContainerOp)
        and (b.contributes(i.value) or (i.target is not None and i.target.active) or i.base.active)
        or isinstance(i, Store)
        and isinstance(i.base, Var)
        and i.base.active
        or isinstance(i, UserCall)
        and i.instance.needs_shadow
        for i in walk(s.body)
    )


def reversed_loop(b, s: Loop, body):
    """The loop that walks backwards over the trips that ran."""
    if s.kind == "range" and not s.breaks:
        bounds = [need_operand(b, bound, s) for bound in s.bounds]
        span = call(b.namer.object(range), *bounds)
        return Repeat(LoopTarget(s), span if s.backward else call(b.namer.object(reversed), span), body, s.loc)
    if s.kind == "range":
        bounds = [need_operand(b, bound, s) for bound in s.bounds]
        span = call(b.namer.object(range), *bounds)
        if s.backward:  # the last trips of the range, from the one that was left
            first = ast.BinOp(call(b.namer.object(len), span), ast.Sub(), Trips(s, ran=True))
            return Repeat(LoopTarget(s), subscript(clone(span), ast.Slice(first, None, None)), body, s.loc)
        span = subscript(span, ast.Slice(None, Trips(s, ran=True), None))
        return Repeat(LoopTarget(s), call(b.namer.object(reversed), span), body, s.loc)
    if (
        s.kind == "sequence"
        and not s.breaks
        and not any(isinstance(v.type, Ref) and changes(b, v, s) for v in operands(s.length))
    ):
        return Repeat(
            LoopTarget(s),
            call(b.namer.object(reversed), call(b.namer.object(range), need_operand(b, s.length, s))),
            body,
            s.loc,
        )
    return Repeat(
        LoopTarget(s),
        call(b.namer.object(reversed), call(b.namer.object(range), Trips(s, ran=True))),
        body,
        s.loc,
    )


def _differentiable_operands(s):
    if isinstance(s, Assign):
        if (
            isinstance(s.value, Call)
            and s.value.rule is not None
            and s.value.bound is not None
            and not s.value.rule.vjp
        ):
            for p in s.value.rule.differentiable:
                yield from operands_of(s.value.bound.get(p))
        else:
            yield from operands(s.value)
    elif isinstance(s, Unpack):
        for _, source in s.pairs:
            yield source
    elif isinstance(s, Store):
        yield s.base
        yield from operands(s.value)
    elif isinstance(s, ContainerOp):
        yield s.value
    elif isinstance(s, (If, Loop)):
        for p in (*s.phis, *getattr(s, "exits", ())):
            yield p.then
            yield p.orelse
    elif isinstance(s, UserCall):
        yield from s.args
