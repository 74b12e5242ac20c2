"""A budget for a whole program: how its parts share the memory, from the measured times and sizes of each.

Parts follow one another. A part without a loop is taped whole or run again; a loop has in addition the schedules of
`within_budget`, one for each number of bytes that it is given.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Sequence
from dataclasses import dataclass

from .actions import Advance
from .budget import smallest_budget, within_budget
from .chain import Stage, TapeChoice, plan_chain
from .schedule import Schedule

_UNITS = {"": 1, "B": 1} | {
    f"{prefix}{i}B": (1024 if i else 1000) ** power for power, prefix in enumerate("KMGT", 1) for i in ("", "i")
}
# The schedules that a loop can choose from: how often a step may be advanced, and how many lie between the first of
# these and a tape of everything.
REPETITIONS = (1, 2, 3, 4, 6, 8, 12)
BETWEEN = 8


def parse_memory(memory: int | str) -> int:
    """Bytes, from a whole number or a text such as "500MB" (powers of 1000) or "1.5 GiB" (powers of 1024).

    Raises ValueError for anything else.

    >>> parse_memory("500MB"), parse_memory("1.5 GiB"), parse_memory(4096), parse_memory(1e6)
    (500000000, 1610612736, 4096, 1000000)
    """
    if isinstance(memory, str):
        match = re.fullmatch(r"\s*((?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:e\+?\d+)?)\s*([a-zA-Z]*)\s*", memory)
        unit = match and next((u for u in _UNITS if u.lower() == match[2].lower()), None)
        if unit is not None:
            return int(float(match[1]) * _UNITS[unit])
    elif isinstance(memory, numbers.Real) and not isinstance(memory, bool) and memory >= 0:
        if math.isfinite(memory) and memory == int(memory):
            return int(memory)
    raise ValueError(f"memory={memory!r} is no size: write a number of bytes, or a text like '500MB' or '2 GiB'")


@dataclass(frozen=True)
class Part:
    """A part of a program that is taped as a whole: the time of a plain run, the bytes in front of it and of its tape."""

    time: float
    state_bytes: int
    tape_bytes: int

    def stage(self) -> Stage:
        return Stage.simple(self.time, self.state_bytes, self.tape_bytes)


@dataclass(frozen=True)
class LoopPart:
    """A loop of equal steps: time, state and tape of one step, and the bytes of what stands in front of the loop."""

    steps: int
    step_time: float
    step_state_bytes: int
    step_tape_bytes: int
    state_bytes: int

    def stage(self) -> Stage:
        """The loop as a stage, with its schedules from the leanest to the fastest."""
        whole = self.steps * self.step_tape_bytes
        runs = {whole: float(self.steps)}  # bytes: steps run in all
        for r in REPETITIONS:
            runs.setdefault(self._smallest(r), self._runs(self._smallest(r), r))
        most = max(runs.keys() - {whole}, default=0)
        for i in range(1, BETWEEN + 1) if 0 < most < whole else ():
            budget = int(most * (whole / most) ** (i / (BETWEEN + 1)))
            runs.setdefault(budget, self._runs(budget, 1))
        # One step at a time from the beginning: so slow that it is worth no schedule of its own.
        runs.setdefault(self._smallest(None), self.steps * (self.steps + 1) / 2)
        tapes = tuple(TapeChoice(budget, runs[budget] * self.step_time) for budget in sorted(runs))
        return Stage(self.steps * self.step_time, self.state_bytes, tapes)

    def _runs(self, budget, repetitions) -> float:
        """Steps run in all; of schedules with millions of actions a bound."""
        if repetitions > 1 and self.steps > 20_000:
            return self.steps * (repetitions + 1.0)
        advances = (a.stop - a.start for a in self.schedule(budget) if isinstance(a, Advance))
        return float(self.steps + sum(advances))

    def schedule(self, budget: int) -> Schedule:
        """What to do with the steps in so many bytes."""
        return within_budget(self.steps, budget, self.step_state_bytes, self.step_tape_bytes)

    def _smallest(self, repetitions):
        return smallest_budget(self.steps, self.step_state_bytes, self.step_tape_bytes, repetitions)


@dataclass(frozen=True)
class ProgramPlan:
    """What to do with a program: the schedule over its parts, that of each loop (None for other parts), and the time."""

    schedule: Schedule
    loops: tuple[Schedule | None, ...]
    time: float


def plan_program(parts: Sequence[Part | LoopPart], memory: int | str) -> ProgramPlan:
    """The plan of least time in which snapshots and tapes together stay within `memory`.

    Raises MemoryBudgetError, with the least budget that works, and ValueError for a size that is none.

    >>> parts = [Part(1.0, 80, 800), LoopPart(1000, 0.01, 80, 400, 80), Part(0.5, 80, 80)]
    >>> plan = plan_program(parts, "20 kB")
    >>> round(plan.time, 2)
    21.26
    """
    budget = parse_memory(memory)
    chain = plan_chain([part.stage() for part in parts], budget)
    loops = tuple(
        part.schedule(tape.nbytes) if isinstance(part, LoopPart) else None
        for part, tape in zip(parts, chain.tapes, strict=True)
    )
    return ProgramPlan(chain.schedule, loops, chain.time)
