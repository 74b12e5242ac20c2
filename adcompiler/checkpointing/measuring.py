"""Schedules that are chosen when the first step has been run, from the sizes of its state and of its tape."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from .actions import DISK, Action, Advance, Drop, Snapshot, Tape
from .budget import smallest_budget, too_small, within_budget
from .schedule import Schedule


class MeasuredSchedule:
    """A schedule for `steps` steps that `choose(steps, state_bytes, tape_bytes)` gives.

    The first step is taped; then `measure()` is to give the bytes of the snapshot in front of it and of its tape. Where
    the plan does not begin with that tape, `discard()` is called, which is to throw it away. No step is run more often
    than the plan itself says.

    >>> schedule = MeasuredSchedule(100, lambda: (8, 40), lambda: None, least_memory)
    >>> for action in schedule.forward():
    ...     print(action)  # doctest: +ELLIPSIS
    Snapshot(step=0, level=Level.MEMORY)
    Tape(start=0, stop=1)
    Advance(start=1, stop=6)
    Snapshot(step=6, level=Level.MEMORY)
    ...
    """

    def __init__(
        self,
        steps: int,
        measure: Callable[[], tuple[int, int]],
        discard: Callable[[], None],
        choose: Callable[[int, int, int], Schedule],
    ):
        self.steps, self.measure, self.discard, self.choose = steps, measure, discard, choose
        self.plan: Schedule | None = None

    def forward(self) -> Iterator[Action]:
        """The forward sweep; the plan is there when its second step begins.

        Raises what `choose` raises, and ValueError if it puts the first state on disk.
        """
        if self.steps == 0:
            self.plan = Schedule(0, _nothing)
            return
        yield Snapshot(0)
        yield Tape(0, 1)
        self.plan = self.choose(self.steps, *self.measure())
        is_wanted = False
        for action in self.plan.forward():
            if isinstance(action, Snapshot) and action.step == 0:
                if action.level is DISK:
                    raise ValueError("the state in front of the first step was kept in memory, and cannot go to disk")
                is_wanted = True
            elif isinstance(action, Advance | Tape) and action.start == 0:
                if isinstance(action, Advance):
                    self.discard()
                if not is_wanted:
                    yield Drop(0)
                if action.stop > 1:
                    yield type(action)(1, action.stop)
            else:
                yield action

    def reverse(self) -> Iterator[Action]:
        """The reverse sweep."""
        return self.plan.reverse()


def _nothing() -> Iterator[Action]:
    return iter(())


def least_memory(steps: int, state_bytes: int, tape_bytes: int) -> Schedule:
    """The least memory in which no step is run more than twice."""
    budget = smallest_budget(steps, state_bytes, tape_bytes, repetitions=1)
    return within_budget(steps, budget, state_bytes, tape_bytes)


def within(budget: int, shares: int | Fraction = 1, nests: bool = False) -> Callable[[int, int, int], Schedule]:
    """The least recomputation within so many bytes, one of `shares` equal ones.

    The choice raises MemoryBudgetError if they are too few, and names a budget of all shares together (`too_small`).
    """

    def choose(steps, state_bytes, tape_bytes):
        if budget < smallest_budget(steps, state_bytes, tape_bytes):
            raise too_small(steps, budget, state_bytes, tape_bytes, shares, nests)
        return within_budget(steps, budget, state_bytes, tape_bytes)

    return choose
