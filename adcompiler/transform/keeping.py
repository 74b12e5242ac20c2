"""Keeping values on the tape: by name outside loops, on a list with one value per trip inside.

Takes a saver and what is needed (a value, a copy of memory, a shape, the entries of a container, the trips of a loop);
inserts the lines that keep it in the forward sweep and those that read it back, and gives the expression that stands
for it in reverse.
"""

from __future__ import annotations

import ast

from ..analysis.alias import root_of
from ..errors import NOWHERE
from ..ir.nodes import Assign
from ..ir.types import Num, Ref, Tup
from ..runtime.kept_objects import kept_object
from ..runtime.shadows import entries
from .bars import unique
from .code import END, Line, attribute, call, name, push
from .object_changes import is_object
from .packed_values import packed, unpacked
from .primal_operands import need_operand, stands_alone
from .tape_sites import OVERWRITTEN


def keep(saver, v, *, exact=False):
    """Keep `v` where it is defined: by name outside loops, on a list inside; `exact`: the object, not only its numbers."""
    if v.items is not None and not stands_alone(v):
        return need_operand(saver.b, v, END)
    if not saver.layout.home_loops.get(v):
        return _hold(saver, v, exact)
    site = unique(f"{saver.names.name(v)}_saved", saver.taken)
    saver.insert.start.append(Line(name(site, True), ast.List([], ast.Load()), None, NOWHERE))
    read, popped = _read(saver, v), call(attribute(name(site), "pop"))
    if not exact:
        read, popped = packed(saver, v, read), unpacked(saver, v, popped)
    saver.after(v, Line(None, call(push(site), read), None, v.loc, keep=True))
    text = saver.reverse_name(v)
    saver.place(v, Line(name(text, True), popped, None, v.loc, keep=True))
    saver.on_tape(site, site, v, "read by the adjoint, different in each trip", listed=True)
    return name(text)


def _hold(saver, v, exact=False):
    text = saver.names.name(v)
    conditional = not saver.layout.always_runs(saver.layout.home[v][0])
    rebound = saver.names.is_rebound(v, text) or v.hidden and v in saver.names.components
    if rebound or saver.used_names.get(text, v) is not v:
        other = unique(f"{text}_0" if v.definition == "param" else text, saver.taken)
        saver.after(v, Line(name(other, True), _read(saver, v), None, v.loc))
        text = other
    saver.used_names[text] = v
    if not saver.joint and (conditional or not rebound and saver.layout.may_be_missing(v)):
        preset(saver, text)
    saver.on_tape(text, text, v, "argument" if v.definition == "param" else "read by the adjoint", listed=False)
    if exact:
        saver.exact_sites.add(text)
    return name(text)


def _read(saver, v):
    """The text of a value where it is kept; a component of a tuple that is None on this path is None, too."""
    text, base = saver.names.read(v), v
    while base in saver.names.components:
        base = saver.names.components[base][0]
        if base.optional:
            test = ast.Compare(saver.names.read(base), [ast.Is()], [ast.Constant(None)])
            text = ast.IfExp(test, ast.Constant(None), text)
    return text


def preset(saver, text):
    """The tape reads the name whatever path has run: one that the program may leave without a value starts as None."""
    if not any(text == p.name for p in saver.function.params):
        saver.insert.start.append(Line(name(text, True), ast.Constant(None), None, NOWHERE))


def keep_copy(saver, v, at):
    """Keep a copy of memory as `at` reads it, since it changes later."""
    base = saver.names.name(v)
    if is_object(v):
        copied = call(saver.b.runtime(kept_object), _read(saver, v))
    elif isinstance(v.type, Num) and v.type.is_array and not saver.layout.may_be_missing(v):
        copied = call(attribute(_read(saver, v), "copy"))
    else:
        copied = call(saver.b.numpy("copy"), _read(saver, v))
    made_here = saver.layout.home[v][1] >= saver.layout.position[at]  # the adjoint reads its own result

    def insert(line):
        saver.after(v, line) if made_here else saver.before(at, line)

    if not saver.layout.loops[at]:
        text = unique(f"{base}_0", saver.taken)
        insert(Line(name(text, True), copied, None, at.loc))
        if not saver.layout.always_runs(saver.layout.block[at]) and not saver.joint:
            saver.insert.start.append(Line(name(text, True), ast.Constant(None), None, NOWHERE))
        saver.on_tape(text, text, v, OVERWRITTEN, listed=False)
        return name(text)
    site = unique(f"{base}_saved", saver.taken)
    saver.insert.start.append(Line(name(site, True), ast.List([], ast.Load()), None, NOWHERE))
    insert(Line(None, call(push(site), packed(saver, v, copied)), None, at.loc, keep=True))
    text = unique(f"{base}_0", saver.taken)
    key = ("copy", v, at)
    saver.place_key(
        key,
        saver.layout.block[at],
        Line(name(text, True), unpacked(saver, v, call(attribute(name(site), "pop"))), None, at.loc, keep=True),
    )
    saver.on_tape(site, site, v, OVERWRITTEN, listed=True)
    return name(text)


def keep_memory(saver, v):
    """Keep a reference to an array whose memory the reverse sweep works in; what it holds by then does not matter."""
    text, reason = unique(f"{saver.names.name(v)}_memory", saver.taken), "its memory is used again"
    if not saver.layout.home_loops.get(v):
        saver.after(v, Line(name(text, True), _read(saver, v), None, v.loc))
        if not saver.layout.always_runs(saver.layout.home[v][0]) or saver.layout.may_be_missing(v):
            preset(saver, text)
        saver.on_tape(text, text, v, reason, listed=False, what="memory")
        return name(text)
    site = unique(f"{text}_saved", saver.taken)
    saver.insert.start.append(Line(name(site, True), ast.List([], ast.Load()), None, NOWHERE))
    saver.after(v, Line(None, call(push(site), _read(saver, v)), None, v.loc, keep=True))
    pop = Line(name(text, True), call(attribute(name(site), "pop")), None, v.loc, keep=True)
    saver.place_key(("memory", v), saver.layout.home[v][0], pop)
    saver.on_tape(site, site, v, reason, listed=True, what="memory")
    return name(text)


def plan_shape(saver, v):
    """Something with the shape of `v`."""
    t = v.type
    if isinstance(t, Ref) or v.definition in ("param", "global") and not isinstance(t, Tup):
        return saver.plans.get(("ref", v)) or _named(saver, v)
    if ("value", v) in saver.plans and isinstance(saver.plans[("value", v)], ast.Name):
        return saver.plans[("value", v)]
    if isinstance(t, Num) and t.dims and all(d is not None for d in t.dims):
        for p in (*saver.function.params, *saver.function.globals):
            if isinstance(p.type, Num) and p.type.dims == t.dims and p.type.boxed:
                return _named(saver, p)
    if v.tied or saver.memory.unstable(v):
        root = root_of(v)
        if root is v and not saver.layout.home_loops.get(v):
            return _named(saver, v)
    elif not saver.layout.home_loops.get(v) and not v.hidden:
        return _named(saver, v)
    unnamed = v.hidden and isinstance(v.definition, Assign) and v.definition.implicit
    if unnamed and v not in saver.names.components and v not in saver.names.bound:
        return _named(saver, v)  # no text of the forward sweep could tell its shape
    return _keep_shape(saver, v)


def _named(saver, v):
    key = ("ref", v)
    if key not in saver.plans:
        saver.plans[key] = saver.plan(key)
    return saver.plans[key]


def keep_entries(saver, v):
    """Keep what a container of the caller holds at the start, since the program changes it."""
    text = unique(f"{saver.names.name(v)}_given", saver.taken)
    saver.insert.start.append(
        Line(name(text, True), call(saver.b.runtime(entries), _read(saver, v)), None, NOWHERE)
    )
    saver.on_tape(text, text, v, "what the argument holds at the start", listed=False, what="structure")
    return name(text)


def _keep_shape(saver, v):
    text = unique(f"{saver.names.name(v)}_shape", saver.taken)
    shape = (
        attribute(_read(saver, v), "shape")
        if isinstance(v.type, Num) and v.type.is_array and not saver.layout.may_be_missing(v)
        else call(saver.b.numpy("shape"), _read(saver, v))
    )
    if not saver.layout.home_loops.get(v):
        saver.after(v, Line(name(text, True), shape, None, v.loc))
        if not saver.layout.always_runs(saver.layout.home[v][0]) and not saver.joint:
            saver.insert.start.append(Line(name(text, True), ast.Constant(None), None, NOWHERE))
        saver.on_tape(text, text, v, "shape only", listed=False, what="shape")
    else:
        site = unique(f"{text}s", saver.taken)
        saver.insert.start.append(Line(name(site, True), ast.List([], ast.Load()), None, NOWHERE))
        saver.after(v, Line(None, call(push(site), shape), None, v.loc, keep=True))
        saver.place_key(
            ("shape", v),
            saver.layout.home[v][0],
            Line(name(text, True), call(attribute(name(site), "pop")), None, v.loc, keep=True),
        )
        saver.on_tape(site, site, v, "shape only", listed=True, what="shape")
    return ShapeName(text)


def keep_trips(saver, loop):
    counter = unique("trips", saver.taken)
    saver.insert.counters[loop] = counter
    if not saver.layout.loops[loop]:
        if not saver.layout.always_runs(saver.layout.block[loop]) and not saver.joint:
            saver.insert.start.append(Line(name(counter, True), ast.Constant(0), None, NOWHERE))
        saver.on_tape(counter, counter, None, "how often the loop ran", listed=False, what="trips", loc=loop.loc)
        return name(counter)
    site = unique(f"{counter}_saved", saver.taken)
    saver.insert.start.append(Line(name(site, True), ast.List([], ast.Load()), None, NOWHERE))
    saver.insert.after.setdefault(loop, []).append(
        Line(None, call(push(site), name(counter)), None, loop.loc, keep=True)
    )
    saver.place_key(
        ("trips", loop),
        saver.layout.block[loop],
        Line(name(counter, True), call(attribute(name(site), "pop")), None, loop.loc, keep=True),
    )
    saver.on_tape(site, site, None, "how often the loop ran", listed=True, what="trips", loc=loop.loc)
    return name(counter)


class ShapeName(ast.Name):
    """A name that holds a shape where an array was asked for."""

    _fields = ("id", "ctx")

    def __init__(self, id="shape", ctx=None):
        super().__init__(id, ctx or ast.Load())
