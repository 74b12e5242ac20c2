"""The least recomputation of a chain of unequal stages within a number of bytes.

With `C(i, j, b)` the least time to run and reverse stages `i` to `j`, `b` bytes being left beside the state in front
of stage `i`, there are two ways to begin:

    keep the tape of stage i:  time(i) + C(i + 1, j, b - tape(i) - state(i + 1))
    keep state k only:         plain(i) + … + plain(k - 1) + C(k, j, b - state(k)) + C(i, k - 1, b)

and `C(i, i, b) = time(i)` if its tape fits. This is the dynamic program of O. Beaumont et al., Optimal checkpointing
for heterogeneous chains (2019), best among schedules that keep a snapshot until its stage is reversed. A stage may
have several tapes to choose from: a loop has one for each budget that it can be given.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..errors import MemoryBudgetError
from .actions import Action, Advance, Restore, Reverse, Snapshot, Tape
from .schedule import Schedule

UNITS = 1000  # into so many parts the budget is divided, if the sizes have no greater common measure


class TapeChoice(NamedTuple):
    """One way to tape a stage: the bytes that takes at most, and the time to run it so, all its reruns included."""

    nbytes: int
    time: float


@dataclass(frozen=True)
class Stage:
    """A part of a program: the time of a plain run, the bytes of the state in front of it, and its tapes."""

    time: float
    state_bytes: int
    tapes: tuple[TapeChoice, ...]

    @classmethod
    def simple(cls, time: float, state_bytes: int, tape_bytes: int) -> Stage:
        """A stage with one tape; running it with tape takes the same time."""
        return cls(time, state_bytes, (TapeChoice(tape_bytes, time),))


@dataclass(frozen=True)
class ChainPlan:
    """What to keep of a chain: the schedule over its stages, the tape chosen for each, and the time of all runs.

    nesting: the same as segments inside one another: numbers of stages that are taped when they run, and tuples of such
    for stages that run again, later ones first.
    """

    schedule: Schedule
    tapes: tuple[TapeChoice, ...]
    time: float
    nesting: tuple = ()


def plan_chain(stages: Sequence[Stage], budget: int) -> ChainPlan:
    """The schedule of least time whose snapshots and tapes together never exceed `budget` bytes.

    The state in front of the first stage is not counted: the caller has it. Where sizes have no common measure they
    are rounded up to a thousandth of the budget. Raises MemoryBudgetError, with the least budget that works.

    >>> stages = [Stage.simple(*s) for s in [(1, 1, 2), (2, 1, 3), (3, 2, 4), (2, 1, 3), (1, 1, 2)]]
    >>> plan_chain(stages, 13).time, plan_chain(stages, 19).time
    (12.0, 9.0)
    >>> plan_chain(stages, 13).nesting
    ((0, 1), 2, 3, 4)
    """
    stages = tuple(stages)
    if not stages:
        return ChainPlan(Schedule(0, functools.partial(iter, ())), (), 0.0)
    table = _Leanest(stages)
    least = table.needed(0, len(stages) - 1)
    if budget < least:
        raise MemoryBudgetError(
            f"a program of {len(stages)} parts cannot be reversed within {budget} bytes",
            hint=f"the least budget that works is {least} bytes",
        )
    fastest = _Fastest(stages, budget)
    chosen = fastest if math.isfinite(fastest.time) else table
    tree = _tree(stages, chosen, 0, len(stages) - 1, chosen.budget)
    schedule = Schedule(len(stages), functools.partial(_actions, tree))
    tapes = tuple(tape for _, tape in sorted(_tapes(tree)))
    return ChainPlan(schedule, tapes, _time(stages, schedule, tapes), _nesting(tree))


def smallest_chain_budget(stages: Sequence[Stage]) -> int:
    """The least budget with which `plan_chain` finds a schedule.

    >>> smallest_chain_budget([Stage.simple(1, 8, 30), Stage.simple(1, 8, 20)])
    30
    """
    return _Leanest(tuple(stages)).needed(0, len(stages) - 1) if stages else 0


# A choice for an interval: ("tape", number of the tape) of its first stage, or ("state", k).


class _Leanest:
    """Which choices need the fewest bytes, and how many; exact."""

    def __init__(self, stages):
        self.stages = stages
        self.tapes = [min(range(len(s.tapes)), key=lambda n, s=s: s.tapes[n].nbytes) for s in stages]
        self.best: dict[tuple[int, int], tuple[int, tuple]] = {}
        for length in range(1, len(stages) + 1):
            for i in range(len(stages) - length + 1):
                self._fill(i, i + length - 1)

    def _fill(self, i, j):
        tape = self.stages[i].tapes[self.tapes[i]].nbytes
        choices = []
        if i == j:
            choices.append((tape, ("tape", self.tapes[i])))
        else:
            after = self.stages[i + 1].state_bytes + self.best[i + 1, j][0]
            choices.append((tape + after, ("tape", self.tapes[i])))
        for k in range(i + 1, j + 1):
            behind = self.stages[k].state_bytes + self.best[k, j][0]
            choices.append((max(behind, self.best[i, k - 1][0]), ("state", k)))
        self.best[i, j] = min(choices)

    budget = 0

    def units(self, nbytes):
        return 0

    def needed(self, i, j) -> int:
        return self.best[i, j][0]

    def choose(self, i, j, left):
        return self.best[i, j][1]


class _Fastest:
    """Which choices take the least time, by the bytes that are left, in whole units."""

    def __init__(self, stages, budget):
        sizes = [s.state_bytes for s in stages] + [t.nbytes for s in stages for t in s.tapes]
        measure = math.gcd(*sizes) or 1
        self.unit = measure if budget // measure <= UNITS else -(-budget // UNITS)
        self.stages, self.budget = stages, budget // self.unit
        self.plain = [0.0, *itertools.accumulate(s.time for s in stages)]
        self.times: dict[tuple[int, int], np.ndarray] = {}
        self.choices: dict[tuple[int, int], np.ndarray] = {}
        for length in range(1, len(stages) + 1):
            for i in range(len(stages) - length + 1):
                self._fill(i, i + length - 1)
        self.time = float(self.times[0, len(stages) - 1][self.budget])

    def units(self, nbytes):
        return -(-nbytes // self.unit)

    def _fill(self, i, j):
        """Choices are numbers: of a tape from -1 downwards, of a state itself."""
        times, choices = np.full(self.budget + 1, np.inf), np.zeros(self.budget + 1, np.int32)

        def offer(offered, size, choice):
            if size <= self.budget:
                better = offered < times[size:]
                times[size:][better] = offered[better]
                choices[size:][better] = choice

        for number, tape in enumerate(self.stages[i].tapes):
            size = self.units(tape.nbytes)
            if i < j:
                size += self.units(self.stages[i + 1].state_bytes)
            rest = self.times[i + 1, j] if i < j else np.zeros(self.budget + 1)
            offer(tape.time + rest[: max(0, self.budget + 1 - size)], size, -1 - number)
        for k in range(i + 1, j + 1):
            size = self.units(self.stages[k].state_bytes)
            before = self.plain[k] - self.plain[i] + self.times[i, k - 1][size:]
            offer(before + self.times[k, j][: max(0, self.budget + 1 - size)], size, k)
        self.times[i, j], self.choices[i, j] = times, choices

    def choose(self, i, j, left):
        choice = int(self.choices[i, j][left])
        return ("state", choice) if choice >= 0 else ("tape", -1 - choice)


class _Node(NamedTuple):
    """An interval of stages with what was chosen for it: a tape of its first stage, or a later state."""

    first: int
    tape: TapeChoice | None
    state: int | None
    behind: _Node | None  # the stages behind the tape, or from that state on
    before: _Node | None  # the stages before that state


def _tree(stages, table, i, j, left) -> _Node:
    kind, value = table.choose(i, j, left)
    if kind == "state":
        behind = _tree(stages, table, value, j, left - table.units(stages[value].state_bytes))
        return _Node(i, None, value, behind, _tree(stages, table, i, value - 1, left))
    tape, behind = stages[i].tapes[value], None
    if i < j:
        left -= table.units(tape.nbytes) + table.units(stages[i + 1].state_bytes)
        behind = _tree(stages, table, i + 1, j, left)
    return _Node(i, tape, None, behind, None)


def _actions(node, is_stored=False) -> Iterator[Action]:
    i = node.first
    if node.tape is not None:
        yield Tape(i, i + 1)
        if node.behind is not None:
            yield from _actions(node.behind)
        yield Reverse(i, i + 1)
        return
    if not is_stored:
        yield Snapshot(i)
    yield Advance(i, node.state)
    yield from _actions(node.behind)
    again = node.before.state is not None
    yield Restore(i, last=not again)
    yield from _actions(node.before, again)


def _nesting(node) -> tuple:
    behind = () if node.behind is None else _nesting(node.behind)
    return ((node.first, *behind) if node.tape is not None else (_nesting(node.before), *behind))


def _tapes(node) -> Iterator[tuple[int, TapeChoice]]:
    if node.tape is not None:
        yield node.first, node.tape
    for part in (node.before, node.behind):
        if part is not None:
            yield from _tapes(part)


def _time(stages, actions, tapes) -> float:
    runs = (range(a.start, a.stop) for a in actions if isinstance(a, Advance))
    return float(sum(stages[i].time for run in runs for i in run) + sum(tape.time for tape in tapes))
