"""The sweeps of a checkpointed loop: the schedule goes through a table of rows, word by word."""

from __future__ import annotations

import ast

from ....runtime.checkpointed import BOOKKEEPING
from ....runtime.numba import plans
from ....transform.code import attribute, call, constant, name, subscript
from ..typed import Typed
from ..types import INT, Array, Items, Scalar, Trips, Word
from .checkpoints import WORDS, method_of, named, planned, plan


# -- the two sweeps ----------------------------------------------------------------------------------------------------
def is_sweep(lo, node) -> bool:
    """Is this `steps.forward()`, `steps.reverse()` or `steps.each()`?"""
    return method_of(lo, node) in ("forward", "reverse", "each")


def lower_sweep(lo, s):
    """`for action, trips in steps.forward()`: a loop over the rows of the plan."""
    steps = s.iter.func.value.id
    p = plan(lo, steps)
    if s.iter.func.attr == "each":
        _each(lo, s, p)
        return
    if s.iter.func.attr == "reverse" and p.online:
        lo.assign(named(lo, p, "rows"), call(
            lo.helper(plans.planned_reverse), name(p.names["count"]), p.options.get("snapshots") or constant(-1),
            subscript(name(p.names["places"]), ast.Slice(None, constant(-1), None))))
        lo.assign(named(lo, p, "row"), constant(0))
    rows, row = p.names["rows"], p.names["row"]
    action, trips = (e.id for e in s.target.elts)
    at = lambda k: subscript(name(rows), ast.Tuple([name(row), constant(k)], ast.Load()))  # noqa: E731

    if s.iter.func.attr == "reverse":
        lo.reversing.add(p.base)

    def body():
        reserved, lo.stacks.reserved = lo.stacks.reserved, []
        lo.set_name(action, Word(rows, row))
        lo.set_name(trips, Trips(steps))
        lo.statements(s.body)
        if s.iter.func.attr == "forward" and _is_measured(p):
            _measure(lo, p, at(0))
        lo.emit(ast.AugAssign(name(row, True), ast.Add(), constant(1)))
        lo.stacks.reserved = reserved

    made, head, _ = lo.loop(body)
    lo.restore(head)
    lo.env.pop(action, None)
    lo.env.pop(trips, None)
    lo.reversing.discard(p.base)
    lo.emit(ast.While(ast.Compare(at(0), [ast.NotEq()], [word(lo, "END")]), made, []))
    lo.emit(ast.AugAssign(name(row, True), ast.Add(), constant(1)))


def word(lo, which):
    return attribute(lo.helper(plans.Step), which)


def _is_measured(p) -> bool:
    schedule = p.options["schedule"].value
    return schedule == "auto" or schedule == "two_level" and not {"period", "snapshots"} & set(p.options)


def _measure(lo, p, what):
    """Behind the first trip: the sizes of the state and of the tape decide the plan."""
    state = [_bytes_of(lo, n) for n in (*p.state, *p.memory)]
    tape = [_bytes_of_site(lo, n) for n in p.sites if lo.stacks.element(n) is not None]
    again = ast.Assign([name(p.names["rows"], True)], planned(lo, p, _sum([constant(BOOKKEEPING), *state]), _sum(tape)))
    discard, lo.out = lo.out, []
    for site in p.sites:
        lo.stacks.clear(site)
    discard, lo.out = lo.out, discard
    inner = [ast.If(ast.Compare(what, [ast.Eq()], [word(lo, "DISCARD")]), discard, [])] if discard else []
    lo.emit(ast.If(ast.Compare(what, [ast.Eq()], [word(lo, "MEASURE")]), [again], inner))


def _sum(parts):
    made = parts[0] if parts else constant(0)
    for part in parts[1:]:
        made = ast.BinOp(made, ast.Add(), part)
    return made


def _bytes_of(lo, values):
    t = lo.learnt.elements.get(values)
    if isinstance(t, Array):
        return call(lo.helper(plans.bytes_of), name(values))
    return ast.BinOp(constant(8 if not isinstance(t, Items) else 8 * len(t.items)), ast.Mult(), call(name("len"), name(values)))


def _bytes_of_site(lo, site):
    t = lo.stacks.element(site)
    if isinstance(t, Array):
        return call(lo.helper(plans.bytes_of), name(site))
    if isinstance(t, Scalar):
        return ast.BinOp(call(name("int"), name(lo.stacks.counter(site))), ast.Mult(), constant(t.dtype.itemsize))
    parts = getattr(t, "items", ())
    sizes = [attribute(subscript(subscript(name(site), constant(0)), constant(k)), "nbytes")
             for k, i in enumerate(parts) if isinstance(i, Array)]
    length = call(name("len"), name(site))
    if not sizes:
        return ast.BinOp(length, ast.Mult(), constant(8 * max(1, len(parts))))
    return ast.IfExp(ast.Compare(length, [ast.Gt()], [constant(0)]), ast.BinOp(length, ast.Mult(), _sum(sizes)), constant(0))


def _each(lo, s, p):
    """The elements of a loop that may end early."""
    from ..lowering.loops import counted_trips

    if p.over == "range":
        start, step = (constant(0), constant(1)) if p.simple else (name(p.names["start"]), name(p.names["step"]))
    else:
        start = step = None
    counted_trips(lo, s, Typed(constant(0), INT, 0), Typed(name(p.names["length"]), INT), start, step, p.names.get("items"))


def lower_trips(lo, s, trips, backwards):
    """`for t in trips`: the trips of the row at hand."""
    from ..lowering.loops import counted_trips

    p = plan(lo, lo.env[trips].steps)
    at = lambda k: subscript(name(p.names["rows"]), ast.Tuple([name(p.names["row"]), constant(k)], ast.Load()))  # noqa: E731
    size = dict(weak=True, low=0, size=1)
    first = lo.held(Typed(at(1), Scalar(INT.dtype, **size)), "first")
    stop = lo.held(Typed(at(2), Scalar(INT.dtype, **size)), "stop")
    numbers = p.over == "range" and not p.simple
    start, step = (name(p.names["start"]), name(p.names["step"])) if numbers else (None, None)
    items = p.names.get("items") if not backwards and p.over == "array" else None
    counted_trips(lo, s, first, stop, start, step, items, backwards)


def is_trips(lo, node) -> bool:
    return isinstance(node, ast.Name) and isinstance(lo.env.get(node.id), Trips)


def compare_word(lo, left, text) -> Typed:
    """`action == "snapshot"`."""
    t = left.type
    at = subscript(name(t.rows), ast.Tuple([name(t.row), constant(0)], ast.Load()))
    from ..types import BOOL

    return Typed(ast.Compare(at, [ast.Eq()], [word(lo, WORDS[text].name)]), BOOL)
