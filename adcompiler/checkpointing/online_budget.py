"""Chains of unknown length within a number of bytes.

In the first sweep states take up to half of the budget, as in `OnlineSchedule`. In the reverse sweep every piece of the
chain is a chain of its own, of known length, in what the states before it leave of the budget. The size of a step's
tape shows only there: where it is more than half of the budget, the first one goes beyond it for a moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from .actions import Action, Advance, Drop, Restore, Reverse, Snapshot, Tape
from .budget import smallest_budget, too_small, within_budget
from .online import OnlineSchedule


class OnlineBudget:
    """A schedule for a chain of unknown length within `budget` bytes.

    `state_bytes()` gives the size of a state; it is asked when one is stored. shares, nests: see
    `budget.too_small`.

    >>> online = OnlineBudget(1000, lambda: 100)
    >>> kept = [step for step in range(50) for action in online.before(step) if isinstance(action, Snapshot)]
    >>> online.sweep.kept, online.sweep.snapshots
    ([0, 16, 32, 48], 5)
    >>> reverse = online.reverse(50, tape_bytes=lambda: 40, discard=lambda: None)
    >>> for action in reverse:
    ...     if isinstance(action, Tape | Reverse):
    ...         print(action)
    ...         if action.start < 32:
    ...             break
    Tape(start=48, stop=49)
    Tape(start=49, stop=50)
    Reverse(start=48, stop=50)
    Tape(start=32, stop=48)
    Reverse(start=32, stop=48)
    Tape(start=16, stop=32)
    """

    def __init__(self, budget: int, state_bytes: Callable[[], int], shares: int | Fraction = 1, nests: bool = False):
        self.budget, self.state_bytes, self.shares, self.nests = budget, state_bytes, shares, nests
        self.sweep = OnlineSchedule(1)
        self.size: int | None = None

    def before(self, step: int) -> tuple[Action, ...]:
        """What to do with the state before `step`, which is about to be run; steps come in order from 0."""
        if step == 1:
            self.size = self.state_bytes()
            self.sweep.snapshots = max(1, self.budget // 2 // max(self.size, 1))
        return self.sweep.before(step)

    def reverse(self, steps: int, tape_bytes: Callable[[], int], discard: Callable[[], None]) -> Iterator[Action]:
        """The reverse sweep of a chain of `steps` steps.

        After the first `Tape` of one step, `tape_bytes()` is to give its size; `discard()` is to throw it away. Raises
        MemoryBudgetError if a state and the tape of a step are too much.
        """
        kept, stop = list(self.sweep.kept[:steps]), steps
        if not kept:
            return
        state = self.state_bytes() if self.size is None else self.size
        yield Restore(kept[-1])
        yield Tape(kept[-1], kept[-1] + 1)
        tape, is_taped = tape_bytes(), True
        while kept:
            place, budget = kept[-1], self.budget - (len(kept) - 1) * state
            least = smallest_budget(stop - place, state, tape)
            if budget < least and len(kept) > 1:  # the states before this one leave too little for so long a rest
                if is_taped:
                    discard()
                    is_taped = False
                yield Drop(kept.pop())
                continue
            if budget < least:
                raise too_small(steps, self.budget, state, tape, self.shares, self.nests)
            plan = list(within_budget(stop - place, budget, state, tape))
            yield from _piece(plan, place, is_taped, discard)
            stop, is_taped = kept.pop(), False


def _piece(plan: list[Action], place: int, is_taped: bool, discard) -> Iterator[Action]:
    """A plan for the steps from `place` on, whose state is stored; with `is_taped` the first step has been taped."""
    divided = isinstance(plan[0], Snapshot)
    first, rest = (plan[1], plan[2:]) if divided else (plan[0], plan[1:])
    if not is_taped:
        yield Restore(place, last=not divided)
        yield _moved(first, place)
    else:
        if not divided:
            yield Drop(place)
        if isinstance(first, Advance):
            discard()
        if first.stop > 1:
            yield type(first)(place + 1, place + first.stop)
    for action in rest:
        yield _moved(action, place)


def _moved(action, by):
    match action:
        case Advance(start, stop) | Tape(start, stop) | Reverse(start, stop):
            return type(action)(start + by, stop + by)
        case Restore(step, level, last):
            return Restore(step + by, level, last)
        case Snapshot(step, level) | Drop(step, level):
            return type(action)(step + by, level)
