"""How much a schedule keeps, action by action."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from .actions import DISK, Action, Drop, Restore, Reverse, Snapshot, Tape

Sizes = int | Sequence[int] | Callable[[int], int]


class Point(NamedTuple):
    """What is kept behind an action: bytes in memory and on disk."""

    action: Action
    memory: int
    disk: int


def profile(schedule: Iterable[Action], state_bytes: Sizes, tape_bytes: Sizes) -> list[Point]:
    """The bytes that are kept behind each action of a schedule.

    `state_bytes` and `tape_bytes` are one size for all steps, a sequence, or a function of the step.

    >>> from adcompiler.checkpointing import revolve
    >>> [point.memory for point in profile(revolve(3, snapshots=2), state_bytes=10, tape_bytes=4)]
    [10, 10, 20, 20, 24, 20, 10, 14, 10, 0, 4, 0]
    """
    state, tape = _by_step(state_bytes), _by_step(tape_bytes)
    points = []
    memory = disk = 0
    for action in schedule:
        match action:
            case Snapshot(step, level):
                change = state(step)
            case Restore(step, level, last):
                change = -state(step) if last else 0
            case Drop(step, level):
                change = -state(step)
            case Tape(start, stop):
                level, change = None, sum(map(tape, range(start, stop)))
            case Reverse(start, stop):
                level, change = None, -sum(map(tape, range(start, stop)))
            case _:
                level, change = None, 0
        if level is DISK:
            disk += change
        else:
            memory += change
        points.append(Point(action, memory, disk))
    return points


def peak_bytes(schedule: Iterable[Action], state_bytes: Sizes, tape_bytes: Sizes) -> int:
    """The most bytes that a schedule keeps in memory at one time.

    >>> from adcompiler.checkpointing import revolve
    >>> peak_bytes(revolve(3, snapshots=2), state_bytes=10, tape_bytes=4)
    24
    """
    return max((point.memory for point in profile(schedule, state_bytes, tape_bytes)), default=0)


def _by_step(sizes: Sizes) -> Callable[[int], int]:
    if callable(sizes):
        return sizes
    return (lambda step: sizes) if isinstance(sizes, int) else sizes.__getitem__
