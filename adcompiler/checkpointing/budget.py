"""The least recomputation of a chain of equal steps within a number of bytes, which snapshots and step tapes share.

This is the binomial rule with tapes of more than one step. Beside `j` snapshots there is room for the tapes of
`room[j]` steps; an interval that begins with `j` snapshots stored before it is taped at once if it is no longer. Any
other is divided: `D(l, j)` advances are needed for `l` steps,

    D(l, j) = 0                                                   if l <= room[j]
            = min over 0 < m < l of  m + D(m, j) + D(l - m, j + 1)  otherwise

With `state == tape` these are the schedules whose places hold a state or a tape, as it pays (J. Maddison, Step-based
checkpointing with high-level algorithmic differentiation, 2024). Long chains are divided by how far one comes without
advancing a step more than `r` times, as in `revolve`; that is within a few percent of the recurrence.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from ..errors import MemoryBudgetError
from .actions import Action, Advance, Restore, Reverse, Snapshot, Tape
from .revolve import counts
from .schedule import Schedule

EXACT_TABLE = 20_000  # entries of the recurrence's table, up to which it is evaluated


def within_budget(steps: int, budget: int, state_bytes: int, tape_bytes: int) -> Schedule:
    """The schedule of least recomputation whose snapshots and tapes together never exceed `budget` bytes.

    Every state takes `state_bytes` and the tape of every step `tape_bytes`. Raises MemoryBudgetError if even one
    snapshot and the tape of one step are too much.

    >>> from adcompiler.checkpointing import check
    >>> cost = check(within_budget(1000, budget=20_000, state_bytes=100, tape_bytes=500))
    >>> cost.advances, cost.peak_tapes
    (966, 40)
    """
    steps, _ = counts(steps, 1)
    least = smallest_budget(steps, state_bytes, tape_bytes)
    if budget < least:
        raise too_small(steps, budget, state_bytes, tape_bytes)
    return Schedule(steps, functools.partial(_stream, steps, _room(steps, budget, state_bytes, tape_bytes)))


def too_small(
    steps: int, budget: int, state_bytes: int, tape_bytes: int, shares: int | Fraction = 1, nests: bool = False
) -> MemoryBudgetError:
    """The error for a budget that is one of `shares` equal ones, and too small.

    nests: the tape of a step has loops in it that grow with the budget; with twice of what it would take now there is
    room for that.
    """
    least = math.ceil(smallest_budget(steps, state_bytes, tape_bytes) * shares)
    shared = ""
    if shares > 1:
        shared = f", {'its share of' if shares >= 2 else 'a sixteenth less than'} {math.ceil(budget * shares)}"
    hint = f"a budget that works is {2 * least} bytes" if nests else f"the least budget that works is {least} bytes"
    if shares >= 2:
        hint = f"for this loop {hint}"
    error = MemoryBudgetError(
        f"a loop of {steps} steps cannot be reversed within {budget} bytes{shared}: a state takes {state_bytes} bytes, "
        f"the tape of one step {tape_bytes}",
        hint=hint,
    )
    error.least = 2 * least if nests else least
    error.is_whole, error.is_estimate = shares < 2 and not nests, nests
    return error


def smallest_budget(steps: int, state_bytes: int, tape_bytes: int, repetitions: int | None = None) -> int:
    """The least budget for a chain; with `repetitions` (at least 1), such that no step is advanced more often.

    With one repetition this is what `two_level` reaches for, and less: as snapshots are freed on the way back, the
    pieces that are taped whole may grow.

    >>> smallest_budget(1000, 100, 500), smallest_budget(1000, 100, 500, repetitions=1)
    (600, 10200)
    """
    if min(state_bytes, tape_bytes) < 0:
        raise ValueError(f"sizes are not negative: state_bytes={state_bytes}, tape_bytes={tape_bytes}")
    whole, one_by_one = steps * tape_bytes, state_bytes + tape_bytes
    if repetitions is None or whole <= one_by_one:
        return min(whole, one_by_one)

    def reaches(budget):
        return _reach(steps, _room(steps, budget, state_bytes, tape_bytes), repetitions)[-1][0] >= steps

    return bisect.bisect_left(range(whole), True, lo=one_by_one, key=reaches)


def _room(steps, budget, state_bytes, tape_bytes) -> tuple[int, ...]:
    """For each number of snapshots, the number of steps whose tapes fit beside them.

    It ends where not one fits, or where the pieces make up the chain: each step is then advanced once at most.
    """
    if tape_bytes == 0:
        return (steps,)
    room, total = [], 0
    while total < steps and budget >= tape_bytes:
        room.append(min(steps, budget // tape_bytes))
        total += room[-1]
        budget -= state_bytes
    return tuple(room)


def _stream(stop, room) -> Iterator[Action]:
    """An interval that begins at `kept[j]` has the snapshots `kept[:j]` before it; it is stored if it is divided."""
    if stop == 0:
        return
    advance = _exact(stop, room) if stop * len(room) <= EXACT_TABLE else _by_reach(_reach(stop, room))
    kept: list[int] = []
    here = 0
    while True:
        while stop - here > room[len(kept)]:
            if not kept or kept[-1] != here:
                yield Snapshot(here)
                kept.append(here)
            place = here + advance(stop - here, len(kept) - 1)
            yield Advance(here, place)
            here = place
        yield Tape(here, stop)
        yield Reverse(here, stop)
        if not kept:
            return
        stop, here = here, kept[-1]
        last = stop - here <= room[len(kept) - 1]
        yield Restore(here, last=last)
        if last:
            kept.pop()


def _reach(steps, room, repetitions=None) -> list[list[int]]:
    """`reach[r][j]`: how long an interval behind `j` snapshots may be without more than `r` advances of a step."""
    reach = [list(room)]
    while len(reach) - 1 != repetitions and reach[-1][0] < steps:
        row = [room[-1]]
        for before in reversed(reach[-1][:-1]):
            row.append(min(steps, before + row[-1]))
        reach.append(row[::-1])
    return reach


def _by_reach(reach):
    """Where to go first in an interval, by the binomial rule."""

    def advance(steps, stored):
        r = next(r for r in itertools.count(1) if reach[r][stored] >= steps)
        return min(reach[r - 1][stored], steps - reach[r - 1][stored + 1])

    return advance


def _exact(steps, room):
    """Where to go first in an interval, by the recurrence."""
    lengths = np.arange(steps + 1.0)
    costs = np.where(lengths <= room[-1], 0, np.inf)  # of intervals that nothing more can be stored in
    choices = []
    for whole in reversed(room[:-1]):
        behind = costs[::-1]
        costs, choice = np.zeros(steps + 1), [0] * (steps + 1)
        with_way = lengths.copy()  # m + D(m, j)
        for length in range(whole + 1, steps + 1):
            candidates = with_way[1:length] + behind[steps - length + 1 : steps]
            best = int(candidates.argmin())
            choice[length] = best + 1
            costs[length] = candidates[best]
            with_way[length] += candidates[best]
        choices.append(choice)
    choices.reverse()
    return lambda length, stored: choices[stored][length]
