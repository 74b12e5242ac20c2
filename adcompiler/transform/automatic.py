"""The compiler's own choice of what is checkpointed: the loops of a program, or for tests every block of it.

Takes a lowered function before its layout is made; loops and blocks that the user has marked stay as they are. Whether
a loop is really run again is decided at run time, from the measured sizes of its state and of the tape of a trip.
"""

from __future__ import annotations

from ..ir.nodes import Checkpoints, Const, If, Kept, Loop, Segment, Try, With, blocks, walk
from ..ir.types import OPAQUE

DEEPEST = 2  # checkpointed loops inside one another
FORMS = ("auto", "revolve", "two_level", "online", "segments", "bodies", "whole")


def mark_for_checkpointing(function, cx, form: str | None, memory: int | None = None, loops: int = 1, deepest=DEEPEST):
    """Mark what is to be checkpointed. form: "auto"; the others are for tests. `loops` loops share the memory.

    "revolve", "two_level", "online": every loop with that schedule and two snapshots. "segments": every two statements
    of a block, "bodies": the body of every loop, "whole": the body of the function, as segments.
    deepest: how many checkpointed loops may stand inside one another.
    """
    if form in ("auto", "revolve", "two_level", "online"):
        marked = loops_to_mark(function, deepest)
        inside = {inner for s in marked for inner in walk(s.body) if isinstance(inner, Loop) and inner in marked}
        for s in marked:
            s.checkpoints = _checkpoints(s, cx, form, _options(s, form, memory, loops, inside))
    elif form == "bodies":
        _bodies(function.body, cx)
    elif form == "segments":
        _pairs(function.body, cx)
    elif form == "whole":
        function.body = [_segment(function.body, cx)]


INNER = 4  # a loop inside another one has so much less: it leaves room for what the outer one keeps


def _options(s, form, memory, loops, inside) -> dict:
    if form != "auto":
        return {"snapshots": Const(2)}
    if memory is None:
        return {}
    shares = loops * INNER if s in inside else loops
    nests = any(inner in inside for inner in walk(s.body))
    options = {"memory": Const(memory), "shares": Const(shares), "nests": Const(nests), "room": Const(True)}
    return {k: v for k, v in options.items() if (k, v.value) not in (("shares", 1), ("nests", False))}


def follow_plan(function, cx, plan):
    """Put the statements of the function's block into the segments of a plan, and give its loops their bytes."""
    if len(function.body) != plan.count:
        return
    for k, nbytes in plan.loops:
        marks = function.body[k].checkpoints
        if marks is not None and marks.is_automatic:
            marks.options = {"memory": Const(nbytes)}

    def block(nesting):
        made = []
        for item in nesting:
            if isinstance(item, int):
                made += function.body[plan.bounds[item] : plan.bounds[item + 1]]
            else:
                made.append(_segment(block(item), cx))
        return made

    function.body = block(plan.nesting)


def loops_to_mark(function, deepest=DEEPEST) -> list:
    """The loops that the compiler may checkpoint: the outer ones that the user has not marked."""
    return list(_outer_loops(function.body, deepest))


def _outer_loops(block, depth):
    for s in block:
        inner = depth
        if isinstance(s, Loop) and depth:
            if s.checkpoints is None:
                yield s
            inner -= 1
        for part in blocks(s):
            yield from _outer_loops(part, inner)


def _checkpoints(s, cx, form, options):
    store = cx.new_var("steps", OPAQUE, hidden=True)
    store.definition, store.loc = s, s.loc
    return Checkpoints(form, options, store, is_automatic=True)


def _segment(body, cx):
    store = cx.new_var("kept", OPAQUE, hidden=True)
    loc = body[0].loc if body else None
    made = Segment([], body, store=store, is_automatic=True, **({"loc": loc} if loc is not None else {}))
    store.definition, store.loc = Kept(made), made.loc
    return made


def _bodies(block, cx):
    for s in block:
        for part in blocks(s):
            _bodies(part, cx)
        if isinstance(s, Loop) and _bound_by_header(s.body) < len(s.body):
            first = _bound_by_header(s.body)
            s.body[first:] = [_segment(s.body[first:], cx)]


def _pairs(block, cx):
    for s in block:
        if isinstance(s, (If, Loop, With)):
            for part in [s.then] if isinstance(s, Try) else blocks(s):
                if part is not getattr(s, "test_block", None):
                    _pairs(part, cx)
    out, waiting = block[: _bound_by_header(block)], []
    for s in [*block[len(out) :], None]:
        if waiting and (s is None or len(waiting) == 2 or isinstance(s, With)):
            out.append(_segment(waiting, cx))
            waiting = []
        if isinstance(s, With):
            out.append(s)
        elif s is not None:
            waiting.append(s)
    block[:] = out


def _bound_by_header(block) -> int:
    """How many statements at the start of a loop's body stand for what its header does."""
    return next((k for k, s in enumerate(block) if not getattr(s, "implicit", False)), len(block))


__all__ = ["FORMS", "loops_to_mark", "mark_for_checkpointing"]
