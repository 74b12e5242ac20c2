"""Two levels: a snapshot every few steps in the first sweep, then one period after the other.

Taping a period whole is the scheme of T. Chen et al., Training deep nets with sublinear memory cost (2016): no step is
run more than twice. Binomial snapshots inside the periods need less memory still.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator

from .actions import Action, Advance, Restore, Reverse, Snapshot, Tape
from .revolve import counts, reverse_interval
from .schedule import Schedule, whole


def two_level(steps: int, period: int, snapshots: int | None = None) -> Schedule:
    """A snapshot every `period` steps; each period is taped whole, or with `snapshots` reversed by the binomial rule.

    `snapshots` counts the states in memory while one period is reversed, the one where it begins among them. Raises
    ValueError for a period or a number of snapshots below 1.

    >>> from adcompiler.checkpointing import check
    >>> cost = check(two_level(100, period=10))
    >>> cost.advances, cost.peak_tapes, cost.writes.total()
    (90, 10, 9)
    >>> check(two_level(100, period=10, snapshots=4)).advances
    230
    """
    period = whole("period", period)
    steps, _ = counts(steps, 1 if snapshots is None else snapshots)
    if period < 1:
        raise ValueError(f"period={period}: a period has at least one step")
    return Schedule(steps, functools.partial(_periods, steps, period, snapshots))


def _periods(steps: int, period: int, snapshots: int | None) -> Iterator[Action]:
    starts = list(range(0, steps, period))
    whole = period == 1 or snapshots is None  # a period is taped at once
    for start in starts[:-1]:
        yield Snapshot(start)
        yield Advance(start, start + period)
    for start in reversed(starts):
        stop = min(start + period, steps)
        at_once = whole or stop - start == 1
        if start != starts[-1]:
            yield Restore(start, last=at_once)
        elif not at_once:
            yield Snapshot(start)
        if at_once:
            yield Tape(start, stop)
            yield Reverse(start, stop)
        else:
            yield from reverse_interval(start, stop, snapshots)


def best_period(steps: int, state_bytes: int, tape_bytes: int) -> int:
    """The period with which `two_level` needs the least memory, for states and step tapes of these sizes.

    It is close to the square root of `steps * state_bytes / tape_bytes`.

    >>> best_period(100, 8, 8), best_period(1000, 100, 500)
    (13, 15)
    """
    if steps <= 1 or tape_bytes <= 0:
        return max(1, steps)
    near = math.sqrt(steps * tape_bytes / max(state_bytes, 1))
    numbers = range(max(2, int(near / 2)), max(2, min(steps, int(near * 2) + 2)) + 1)
    shortest = {-(-steps // number) for number in numbers}
    level = {int((steps + state_bytes / tape_bytes) / number) + up for number in numbers for up in (0, 1)}
    periods = {1, steps} | shortest | {period for period in level if 1 <= period <= steps}
    return min(
        sorted(periods, reverse=True), key=lambda period: two_level_bytes(steps, period, state_bytes, tape_bytes)
    )


def two_level_bytes(steps: int, period: int, state_bytes: int, tape_bytes: int) -> int:
    """The peak memory of `two_level(steps, period)`.

    >>> two_level_bytes(100, 10, state_bytes=1, tape_bytes=5)
    59
    """
    number = -(-steps // period)
    if number <= 1:
        return steps * tape_bytes
    last = steps - (number - 1) * period
    return max((number - 1) * state_bytes + last * tape_bytes, (number - 2) * state_bytes + period * tape_bytes)
