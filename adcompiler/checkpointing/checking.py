"""The rules of schedules: `check` carries a stream of actions out on step numbers alone, and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .actions import Action, Advance, Drop, Level, Restore, Reverse, Snapshot, Tape
from .schedule import Schedule


class ScheduleError(AssertionError):
    """A stream of actions that cannot be carried out, or that goes past its limits."""


@dataclass
class Cost:
    """What a schedule costs.

    Attributes: `advances` (steps run without tape), `tapes` (steps run with tape), `repeated` (how often each step is
    advanced), `writes` and `reads` of snapshots per level, `peak_snapshots` per level, and `peak_tapes`. `recomputed`
    is what exceeds the one run of each step that a gradient without checkpointing makes as well.
    """

    steps: int
    advances: int = 0
    tapes: int = 0
    repeated: list[int] = field(default_factory=list)
    writes: Counter[Level] = field(default_factory=Counter)
    reads: Counter[Level] = field(default_factory=Counter)
    peak_snapshots: Counter[Level] = field(default_factory=Counter)
    peak_tapes: int = 0

    @property
    def total(self) -> int:
        return self.advances + self.tapes

    @property
    def recomputed(self) -> int:
        return self.total - self.steps


def check(
    schedule: Schedule | Iterable[Action],
    steps: int | None = None,
    *,
    slots: Mapping[Level, int] | None = None,
    tapes: int | None = None,
) -> Cost:
    """Carry a schedule out on step numbers, and return its Cost.

    `slots` limits the snapshots on each level (a level that is not named may hold none; without `slots` there is no
    limit), `tapes` the step tapes at one time. Raises ScheduleError where an action does not find the state, the
    snapshot or the tapes that it needs, where it goes past what is left to be reversed, or past a limit, and where at
    the end a step is not reversed or something is still kept.

    >>> check([Snapshot(0), Advance(0, 1), Tape(1, 2), Reverse(1, 2), Restore(0, last=True), Tape(0, 1)], 2)
    Traceback (most recent call last):
    ...
    adcompiler.checkpointing.checking.ScheduleError: at the end: steps 0 to 0 are not reversed
    """
    if steps is None:
        steps = schedule.steps
    run = _Run(steps, slots, tapes)
    for number, action in enumerate(schedule):
        try:
            run.carry_out(action)
        except ScheduleError as error:
            raise ScheduleError(f"action {number}, {action}: {error}") from None
    run.finish()
    return run.cost


class _Run:
    def __init__(self, steps, slots, tapes):
        self.cost = Cost(steps, repeated=[0] * steps)
        self.slots, self.tape_limit = slots, tapes
        self.state: int | None = 0
        self.left = steps  # steps from here on are reversed
        self.reached = 0  # the first sweep has run the steps before this one
        self.snapshots: set[tuple[int, Level]] = set()
        self.live: Counter[Level] = Counter()  # how many of them on each level
        self.tapes: list[int] = []

    def carry_out(self, action: Action) -> None:
        match action:
            case Advance(start, stop):
                self._run(start, stop)
                self.cost.advances += stop - start
                for step in range(start, stop):
                    self.cost.repeated[step] += 1
            case Tape(start, stop):
                self._run(start, stop)
                self.cost.tapes += stop - start
                self.tapes.extend(range(start, stop))
                self.cost.peak_tapes = max(self.cost.peak_tapes, len(self.tapes))
                _demand(self.tape_limit is None or len(self.tapes) <= self.tape_limit, "too many tapes")
            case Reverse(start, stop):
                self._reverse(start, stop)
            case Snapshot(step, level):
                self._store(step, level)
            case Restore(step, level, last):
                self._find(step, level)
                _demand(step < self.left, "nothing after this state is left to be reversed")
                self.cost.reads[level] += 1
                self.state = step
                if last:
                    self._free(step, level)
            case Drop(step, level):
                self._find(step, level)
                self._free(step, level)
            case _:
                raise ScheduleError("this is no action")

    def _run(self, start, stop):
        _demand(start < stop, "no step is run")
        _demand(self.state == start, f"the current state is {self.state}")
        _demand(stop <= self.left, f"steps from {self.left} on are reversed, or are no steps")
        self.state = stop
        self.reached = max(self.reached, stop)

    def _reverse(self, start, stop):
        _demand(start < stop, "no step is reversed")
        _demand(self.reached == self.cost.steps, "the forward sweep has not reached the last state")
        _demand(stop == self.left, f"step {self.left - 1} is the next one to be reversed")
        wanted = list(range(start, stop))
        _demand(self.tapes[len(self.tapes) - len(wanted) :] == wanted, f"the tapes are those of {self.tapes}")
        del self.tapes[len(self.tapes) - len(wanted) :]
        self.left = start
        self.state = None  # the adjoint may have used the state's memory

    def _store(self, step, level):
        _demand(self.state == step, f"the current state is {self.state}")
        _demand((step, level) not in self.snapshots, "there is such a snapshot already")
        self.snapshots.add((step, level))
        self.live[level] += 1
        self.cost.writes[level] += 1
        live = self.live[level]
        self.cost.peak_snapshots[level] = max(self.cost.peak_snapshots[level], live)
        if self.slots is not None:
            _demand(live <= self.slots.get(level, 0), f"more than {self.slots.get(level, 0)} snapshots on this level")

    def _find(self, step, level):
        _demand((step, level) in self.snapshots, "there is no such snapshot")

    def _free(self, step, level):
        self.snapshots.remove((step, level))
        self.live[level] -= 1

    def finish(self):
        _demand(self.left == 0, f"at the end: steps 0 to {self.left - 1} are not reversed")
        _demand(not self.tapes, f"at the end: tapes of {self.tapes} are kept")
        _demand(not self.snapshots, f"at the end: snapshots are kept: {sorted(step for step, _ in self.snapshots)}")


def _demand(condition, message):
    if not condition:
        raise ScheduleError(message)
