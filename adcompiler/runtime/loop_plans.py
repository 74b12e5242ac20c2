"""Which schedule a checkpointed loop follows, from the options that the user gave and the sizes that its first trip shows."""

from __future__ import annotations

from collections.abc import Callable

from ..checkpointing import MeasuredSchedule, Schedule, best_two_level, disk, least_memory, revolve, two_level, within

DEFAULT_SNAPSHOTS = 20


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
) -> Schedule | MeasuredSchedule:
    """The schedule of a loop of `steps` trips.

    schedule: "revolve" (also None), "two_level", "disk", or "auto": the least recomputation within `memory` bytes, and
    without `memory` the least bytes in which no trip is run more than twice. measure, discard: see MeasuredSchedule.

    >>> from adcompiler.checkpointing import check
    >>> check(plan_of(10, None, None, snapshots=3)).advances
    15
    """
    if schedule == "auto":
        return MeasuredSchedule(steps, measure, discard, least_memory if memory is None else within(memory))
    if schedule == "two_level" and period is None and snapshots is None:
        return MeasuredSchedule(steps, measure, discard, best_two_level)
    if schedule == "two_level":
        return two_level(steps, max(1, round(steps**0.5)) if period is None else period, snapshots)
    snapshots = DEFAULT_SNAPSHOTS if snapshots is None else snapshots
    return disk(steps, snapshots, disk_snapshots) if schedule == "disk" else revolve(steps, snapshots)
