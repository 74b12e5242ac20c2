"""Binomial checkpointing: the least recomputation for a given number of snapshots.

After A. Griewank, Achieving logarithmic growth of temporal and spatial complexity in reverse automatic
differentiation (1992), and A. Griewank and A. Walther, Algorithm 799: revolve (2000). With `s` snapshots and no step
advanced more than `r` times, a chain of up to `capacity(s, r)` steps can be reversed.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator

from .actions import MEMORY, Action, Advance, Level, Restore, Reverse, Snapshot, Tape
from .schedule import Schedule, whole


def capacity(snapshots: int, repetitions: int) -> int:
    """The longest chain that can be reversed when no step is advanced more than `repetitions` times.

    >>> [capacity(3, r) for r in range(5)]
    [1, 4, 10, 20, 35]
    """
    return math.comb(snapshots + repetitions, snapshots) if repetitions >= 0 else 0


@functools.lru_cache(maxsize=1 << 16)
def repetitions(steps: int, snapshots: int) -> int:
    """How often the most repeated step is advanced: the least `r` with `steps <= capacity(snapshots, r)`.

    >>> repetitions(10, 3), repetitions(11, 3)
    (2, 3)
    """
    r, reached = 0, 1
    while reached < steps:
        r += 1
        reached = reached * (snapshots + r) // r
    return r


def extra_steps(steps: int, snapshots: int) -> int:
    """How many steps `revolve` runs without tape; with them, reversing a chain takes `steps + extra_steps` in all.

    The initial state occupies one of the snapshots.

    >>> extra_steps(10, 3), extra_steps(100, 5), extra_steps(10_000, 25)
    (15, 316, 36346)
    """
    if steps == 0:
        return 0
    r = repetitions(steps, snapshots)
    return r * steps - capacity(snapshots + 1, r - 1)


def first_advance(steps: int, snapshots: int) -> int:
    """After how many of `steps` steps the second of `snapshots` is to be taken; the longest way among the best ones."""
    r = repetitions(steps, snapshots)
    return min(capacity(snapshots, r - 1), steps - capacity(snapshots - 1, r - 1))


def revolve(steps: int, snapshots: int) -> Schedule:
    """The binomial schedule for `steps` steps with at most `snapshots` states in memory; one step is taped at a time.

    Raises ValueError for a negative number of steps, or for less than one snapshot.

    >>> from adcompiler.checkpointing import check
    >>> check(revolve(10, snapshots=3)).advances
    15
    """
    steps, snapshots = counts(steps, snapshots)
    return Schedule(steps, functools.partial(_binomial, steps, snapshots))


def counts(steps: int, snapshots: int) -> tuple[int, int]:
    """Both as ints; ValueError unless there are no fewer than zero steps and one snapshot."""
    steps, snapshots = whole("steps", steps), whole("snapshots", snapshots)
    if steps < 0:
        raise ValueError(f"a chain has zero or more steps, not {steps}")
    if snapshots < 1:
        raise ValueError(f"snapshots={snapshots}: the initial state needs one, so at least 1 is needed")
    return steps, snapshots


def _binomial(steps: int, snapshots: int) -> Iterator[Action]:
    if steps > 1:
        yield Snapshot(0)
    yield from reverse_interval(0, steps, snapshots)


def reverse_interval(start: int, stop: int, snapshots: int, level: Level = MEMORY) -> Iterator[Action]:
    """Reverse steps `start` to `stop - 1`; the current state is `start`, and unless only one step is left it is stored.

    `snapshots` counts that stored state, which is on `level`; further ones go into memory.
    """
    kept = [(start, level)]
    while stop > start:
        here, there = kept[-1]
        while stop - here > 1 and len(kept) < snapshots:
            place = here + first_advance(stop - here, snapshots - len(kept) + 1)
            yield Advance(here, place)
            here, there = place, MEMORY
            if stop - here > 1:
                yield Snapshot(here)
                kept.append((here, there))
        if stop - here > 1:
            yield Advance(here, stop - 1)
        yield Tape(stop - 1, stop)
        yield Reverse(stop - 1, stop)
        stop -= 1
        if kept[-1][0] == stop:
            kept.pop()
        if stop > start:
            here, there = kept[-1]
            yield Restore(here, there, last=stop - here == 1)
