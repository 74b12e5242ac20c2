"""Which schedule a checkpointed loop follows, from the options that the user gave and the sizes that its first trip shows."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from ..budget_trials import tried
from ..checkpointing import (
    MeasuredSchedule,
    OnlineBudget,
    OnlineSchedule,
    Schedule,
    disk,
    least_memory,
    revolve,
    two_level,
    within,
)

DEFAULT_SNAPSHOTS = 20
ROOM = Fraction(16, 15)


def plan_of(
    steps: int,
    measure: Callable[[], tuple[int, int]],
    discard: Callable[[], None],
    *,
    schedule: str | None = None,
    snapshots: int | None = None,
    period: int | None = None,
    disk_snapshots: int | None = None,
    memory: int | None = None,
    shares: int = 1,
    nests: bool = False,
    room: bool = False,
) -> Schedule | MeasuredSchedule:
    """The schedule of a loop of `steps` trips.

    schedule: "revolve" (also None), "two_level", "disk", or "auto": the least recomputation within `memory` bytes, and
    without `memory` the least bytes in which no trip is run more than twice. It is one of
    `shares` equal shares of `memory`; `nests` says that loops inside have shares too, `room` that a sixteenth of the
    memory is for the code around the loops. measure, discard: see MeasuredSchedule.

    >>> from adcompiler.checkpointing import check
    >>> check(plan_of(10, None, None, snapshots=3)).advances
    15
    """
    shares, memory = (shares * ROOM, tried(memory)) if room else (shares, memory)
    if schedule == "auto":
        return MeasuredSchedule(
            steps, measure, discard, least_memory if memory is None else within(int(memory / shares), shares, nests)
        )
    if schedule == "two_level" and period is None and snapshots is None:
        return MeasuredSchedule(steps, measure, discard, least_memory)
    if schedule == "two_level":
        return two_level(steps, max(1, round(steps**0.5)) if period is None else period, snapshots)
    snapshots = DEFAULT_SNAPSHOTS if snapshots is None else snapshots
    return disk(steps, snapshots, disk_snapshots) if schedule == "disk" else revolve(steps, snapshots)


def online_plan(
    state_bytes: Callable[[], int],
    *,
    snapshots: int | None = None,
    memory: int | None = None,
    shares: int = 1,
    nests: bool = False,
    room: bool = False,
) -> OnlineSchedule | OnlineBudget:
    """The schedule of a loop whose length is not known: within its share of `memory` bytes if they are given.

    >>> online_plan(None, snapshots=3).snapshots
    3
    """
    shares, memory = (shares * ROOM, tried(memory)) if room else (shares, memory)
    if memory is not None:
        return OnlineBudget(int(memory / shares), state_bytes, shares, nests)
    return OnlineSchedule(DEFAULT_SNAPSHOTS if snapshots is None else snapshots)
