"""Snapshots on two levels: few in memory, more on a disk, where each write and each read costs time.

Two ways to plan, of which `disk` takes the cheaper one. **Placement**: the binomial schedule of all snapshots
together, those that are touched most in memory (P. Stumm and A. Walther, MultiStage approaches for optimal offline
checkpointing, 2009). **Hierarchy**: snapshots on disk divide the chain, each part of it is reversed in memory; where
they go is a dynamic program that weighs steps run again against accesses (in the manner of J. Herrmann and
G. Pallez, H-Revolve, 2020).
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .actions import DISK, MEMORY, Action, Advance, Restore, Snapshot, Tape
from .revolve import counts, extra_steps, reverse_interval, revolve
from .schedule import Schedule, whole

TABLE = 20_000  # entries of the dynamic program's table; longer chains have snapshots on disk at some steps only


def disk(
    steps: int,
    snapshots: int,
    disk_snapshots: int | None = None,
    *,
    write_cost: float = 2.0,
    read_cost: float = 2.0,
) -> Schedule:
    """The cheaper of both plans, with at most `snapshots` states in memory and `disk_snapshots` on disk.

    Costs are those of one access, the unit being one step without tape; `disk_snapshots=None` is as many as pay.
    Raises ValueError unless there is a place for at least one state, and for costs below zero.

    >>> from adcompiler.checkpointing import DISK, check
    >>> cost = check(disk(100, snapshots=4, disk_snapshots=8))
    >>> cost.total, cost.writes[DISK], cost.reads[DISK]
    (331, 8, 8)
    """
    snapshots = whole("snapshots", snapshots)
    limit = None if disk_snapshots is None else whole("disk_snapshots", disk_snapshots)
    if snapshots < 0 or (limit is not None and limit < 0):
        raise ValueError(f"snapshots={snapshots}, disk_snapshots={limit}: numbers of snapshots are not negative")
    if min(write_cost, read_cost) < 0:
        raise ValueError(f"write_cost={write_cost}, read_cost={read_cost}: costs are not negative")
    steps, _ = counts(steps, snapshots + (1 if limit is None else limit))
    plans = []
    if limit is not None or not snapshots:
        plans.append(placement(steps, snapshots, max(steps - 1, 1) if limit is None else limit, write_cost, read_cost))
    if snapshots or steps * (1 + (limit or 0)) <= TABLE:
        plans.append(hierarchy(steps, snapshots, limit, write_cost, read_cost))
    return min(plans, key=lambda plan: cost_of(plan, write_cost, read_cost)) if len(plans) > 1 else plans[0]


def cost_of(actions, write_cost: float, read_cost: float) -> float:
    """The time of a schedule: steps run, with tape or without, and accesses of the disk."""
    total = 0.0
    for action in actions:
        match action:
            case Advance(start, stop) | Tape(start, stop):
                total += stop - start
            case Snapshot(_, level) if level is DISK:
                total += write_cost
            case Restore(_, level) if level is DISK:
                total += read_cost
    return total


def placement(steps: int, snapshots: int, disk_snapshots: int, write_cost: float, read_cost: float) -> Schedule:
    """The binomial schedule of all snapshots, those that are touched least on disk."""
    together = revolve(steps, snapshots + disk_snapshots)
    touched: Counter[int] = Counter()
    for depth, action in _depths(together):
        touched[depth] += write_cost if isinstance(action, Snapshot) else read_cost
    most = sorted(touched, key=lambda depth: (-touched[depth], -depth))
    in_memory = frozenset(most[:snapshots])
    return Schedule(steps, functools.partial(_placed, together, in_memory))


def _depths(schedule):
    """Each access of a binomial schedule, with the number of snapshots that are stored before its own."""
    kept: list[int] = []
    for action in schedule:
        if isinstance(action, Snapshot):
            yield len(kept), action
            kept.append(action.step)
        elif isinstance(action, Restore):
            yield len(kept) - 1, action
            if action.last:
                kept.pop()


def _placed(schedule, in_memory) -> Iterator[Action]:
    depths = (depth for depth, _ in _depths(schedule))
    for action in schedule:
        if isinstance(action, Snapshot | Restore):
            level = MEMORY if next(depths) in in_memory else DISK
            last = (action.last,) if isinstance(action, Restore) else ()
            yield type(action)(action.step, level, *last)
        else:
            yield action


class _Choices(NamedTuple):
    """By the number of blocks of an interval: whether it is reversed in memory, and else where it is divided."""

    fresh_in_memory: np.ndarray  # the state at its beginning is not stored
    stored_in_memory: np.ndarray  # it was read from disk just now
    first_advance: np.ndarray


def hierarchy(steps: int, snapshots: int, disk_snapshots: int | None, write_cost: float, read_cost: float) -> Schedule:
    """Snapshots on disk that divide the chain into parts, each of them reversed by the binomial rule in memory.

    With `snapshots=0` the parts are single steps, and the chain must be short enough for a table of all its steps.
    """
    rows = 1 if disk_snapshots is None else min(disk_snapshots, steps) + 1
    if rows > 1 and steps * rows > TABLE:  # a table of one row for as many as pay; perhaps these are enough
        free = hierarchy(steps, snapshots, None, write_cost, read_cost)
        if _most_on_disk(free) < rows:
            return free
    block = max(1, -(-steps * rows // TABLE))
    if disk_snapshots is None:
        table = [_unlimited(steps, block, snapshots, write_cost, read_cost)]
    else:
        table = _limited(steps, block, snapshots, rows - 1, write_cost, read_cost)
    return Schedule(steps, functools.partial(_divided, steps, block, snapshots, table))


def _most_on_disk(schedule):
    now = most = 0
    for action in schedule:
        if isinstance(action, Snapshot | Restore) and action.level is DISK:
            now += 1 if isinstance(action, Snapshot) else -action.last
            most = max(most, now)
    return most


def _in_memory(steps, block, snapshots):
    """The advances that reversing an interval in memory takes, by its number of blocks."""
    number = -(-steps // block)
    if snapshots:
        return np.array([float(extra_steps(length * block, snapshots)) for length in range(number + 1)])
    if block > 1:
        raise ValueError(f"{steps} steps are too many to be planned without snapshots in memory")
    return np.array([0.0 if length <= 1 else np.inf for length in range(number + 1)])


def _limited(steps, block, snapshots, disk_snapshots, write_cost, read_cost) -> list[_Choices]:
    """Row `c`: what to do with `c` places left on disk."""
    memory = _in_memory(steps, block, snapshots)
    table = []
    stored = None  # the cost of an interval whose beginning is stored on disk, with one place less
    for _ in range(disk_snapshots + 1):
        fresh = memory if stored is None else np.minimum(memory, write_cost + stored)
        next_stored, advance = memory.copy(), np.zeros(len(memory), int)
        with_way = np.arange(len(memory)) * float(block) + read_cost  # m + read + stored[m]
        for length in range(1, len(memory)):
            _divide(length, fresh, next_stored, with_way, advance)
        table.append(_Choices(fresh == memory, next_stored == memory, advance))
        stored = next_stored
    return table


def _unlimited(steps, block, snapshots, write_cost, read_cost) -> _Choices:
    memory = _in_memory(steps, block, snapshots)
    fresh, stored, advance = memory.copy(), memory.copy(), np.zeros(len(memory), int)
    with_way = np.arange(len(memory)) * float(block) + read_cost
    for length in range(1, len(memory)):
        _divide(length, fresh, stored, with_way, advance)
        fresh[length] = min(memory[length], write_cost + stored[length])
    return _Choices(fresh == memory, stored == memory, advance)


def _divide(length, fresh, stored, with_way, advance):
    """The best division of an interval whose beginning is on disk, if that beats reversing it in memory."""
    if length > 1:
        candidates = with_way[1:length] + fresh[length - 1 : 0 : -1]
        best = int(candidates.argmin())
        advance[length] = best + 1
        stored[length] = min(stored[length], candidates[best])
    with_way[length] += stored[length]


def _divided(stop, block, snapshots, table) -> Iterator[Action]:
    kept: list[int] = []

    def choices(here):
        """The row of an interval, and its number of blocks."""
        left = len(table) - 1 - len(kept)
        return table[max(0, left)], -(-(stop - here) // block)

    def reverse_in_memory(here):
        if stop - here > 1:
            yield Snapshot(here)
        yield from reverse_interval(here, stop, snapshots)

    here = 0
    while stop > 0:
        row, length = choices(here)
        while not row.fresh_in_memory[length]:
            yield Snapshot(here, DISK)
            kept.append(here)
            row, length = choices(here)
            place = here + int(row.first_advance[length]) * block
            yield Advance(here, place)
            here = place
            row, length = choices(here)
        yield from reverse_in_memory(here)
        stop = here
        while kept:
            here = kept[-1]
            row, length = choices(here)
            whole = bool(row.stored_in_memory[length])
            yield Restore(here, DISK, last=whole)
            if not whole:
                place = here + int(row.first_advance[length]) * block
                yield Advance(here, place)
                here = place
                break
            kept.pop()
            yield from reverse_in_memory(here)
            stop = here
