"""What a report says of `parallel=True`: which loops of compiled code run on several threads, and why others do not."""

from __future__ import annotations

import copy
from dataclasses import dataclass

from ..backends import Backend
from ..errors import NotScalarError

SWEEPS = {"forward": "forward sweep", "adjoint": "reverse sweep", "gradient": "gradient", "tangent": "tangent"}


@dataclass(frozen=True)
class LoopOnThreads:
    """A loop that may run on several threads, or why it cannot.

    line: where it stands in the program, or the first statement in it. name: the sweep that it belongs to. threads: does
    it run on several threads (if it is long enough)? reason: the test of that, as it stands in the generated code, or why not.
    """

    line: int
    name: str
    reason: str
    threads: bool
    filename: str = ""


def on_one_thread(programs):
    """The same programs without `parallel=True`, which says nothing about what is saved."""
    if not getattr(programs.backend, "parallel", False):
        return programs
    made = copy.copy(programs)
    made.backend, made.cache = Backend(programs.backend), {}
    made.backend.vector_math = programs.backend.vector_math
    return made


def loops_on_threads(programs, signature) -> list[LoopOnThreads]:
    """The loops of a gradient, or of both sweeps where there is none; nothing if threads were not asked for."""
    if not getattr(programs.backend, "parallel", False):
        return []
    try:
        compiled = programs.compiled(signature, joint=True)
    except NotScalarError:
        compiled = programs.compiled(signature, joint=False)
    rows = []
    for kind, function in compiled.functions.items():
        walk = function.part.walk
        for place, test in walk.apart:
            told = f"several threads if {test}" if test else "several threads"
            rows.append(LoopOnThreads(place.lineno, SWEEPS[kind], told, True, place.filename))
        for place, reason in walk.together:
            rows.append(LoopOnThreads(place.lineno, SWEEPS[kind], f"one thread: {reason}", False, place.filename))
    return sorted(dict.fromkeys(rows), key=lambda r: (r.filename, r.line))


__all__ = ["LoopOnThreads", "loops_on_threads", "on_one_thread"]
