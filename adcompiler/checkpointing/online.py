"""Checkpointing of chains whose length shows only at their end: `while` loops, `break`, iterables.

The first sweep keeps a snapshot every `stride` steps; when all are in use, the stride is doubled and every other one
is dropped. When the length is known, the reverse sweep decides how many of those kept are of use: keeping the first
only, and planning anew from it, costs a second forward sweep and is never much worse than any other choice.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

from .actions import Action, Advance, Drop, Restore, Snapshot
from .revolve import counts, extra_steps, reverse_interval
from .schedule import Schedule


class OnlineSchedule:
    """The first sweep of a chain of unknown length; ask `before(step)` for what is to be done before each step.

    >>> online = OnlineSchedule(snapshots=2)
    >>> for step in range(5):
    ...     print(step, *online.before(step))
    0 Snapshot(step=0, level=Level.MEMORY)
    1 Snapshot(step=1, level=Level.MEMORY)
    2 Drop(step=1, level=Level.MEMORY) Snapshot(step=2, level=Level.MEMORY)
    3
    4 Drop(step=2, level=Level.MEMORY) Snapshot(step=4, level=Level.MEMORY)
    >>> schedule = online.finish(5)
    >>> for action in itertools.islice(schedule.reverse(), 3):
    ...     print(action)
    Restore(step=4, level=Level.MEMORY, last=True)
    Tape(start=4, stop=5)
    Reverse(start=4, stop=5)
    """

    def __init__(self, snapshots: int):
        _, self.snapshots = counts(0, snapshots)
        self.stride = 1
        self.kept: list[int] = []

    def before(self, step: int) -> tuple[Action, ...]:
        """What to do with the state before `step`, which is about to be run; steps come in order from 0."""
        if step % self.stride:
            return ()
        actions: list[Action] = []
        while len(self.kept) == self.snapshots and step % self.stride == 0:
            self.stride *= 2
            actions += [Drop(place) for place in self.kept if place % self.stride]
            self.kept = [place for place in self.kept if place % self.stride == 0]
        if step % self.stride == 0:
            actions.append(Snapshot(step))
            self.kept.append(step)
        return tuple(actions)

    def finish(self, steps: int) -> Schedule:
        """The schedule of the chain, now that `steps` steps have been run; its reverse sweep is what is left to do."""
        return online(steps, self.snapshots)


def online(steps: int, snapshots: int) -> Schedule:
    """What `OnlineSchedule` does with a chain that turns out to have `steps` steps.

    Raises ValueError for a negative number of steps, or for less than one snapshot.

    >>> from adcompiler.checkpointing import check
    >>> check(online(100, snapshots=5)).advances
    340
    """
    steps, snapshots = counts(steps, snapshots)
    return Schedule(steps, functools.partial(_stream, steps, snapshots))


def _stream(steps: int, snapshots: int) -> Iterator[Action]:
    first_sweep, done = OnlineSchedule(snapshots), 0
    for step in range(steps):
        actions = first_sweep.before(step)
        if actions and step:
            yield Advance(done, step)
            done = step
        yield from actions
    if steps:
        yield Advance(done, steps)
    yield from _reverse(steps, first_sweep.kept, snapshots)


def _reverse(steps: int, kept: list[int], snapshots: int) -> Iterator[Action]:
    used = kept[: useful(steps, kept, snapshots)]
    for place in kept[len(used) :]:
        yield Drop(place)
    for index, place in reversed(list(enumerate(used))):
        yield Restore(place, last=steps - place == 1)
        yield from reverse_interval(place, steps, snapshots - index)
        steps = place


def useful(steps: int, kept: list[int], snapshots: int) -> int:
    """How many of the snapshots `kept`, from the first on, make the reverse sweep of `steps` steps shortest.

    A late snapshot may be worse than none: a long rest of the chain behind it is left with few snapshots.

    >>> useful(2999, [0, 1024, 2048], snapshots=3)
    1
    """
    before, costs = 0, []
    for index, (place, following) in enumerate(itertools.pairwise([*kept, steps])):
        costs.append(before + extra_steps(steps - place, snapshots - index))
        before += extra_steps(following - place, snapshots - index)
    return 1 + costs.index(min(costs)) if costs else 0
