"""A schedule: the actions of the forward sweep, and those of the reverse sweep."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .actions import Action, Advance, Tape


def whole(option: str, value) -> int:
    """The value of an option as an int. Raises TypeError, with the option's name, unless it is a whole number.

    >>> whole("snapshots", 3)
    3
    """
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{option}={value!r}: this must be an int") from None


@dataclass(frozen=True)
class Schedule:
    """The plan for a chain of `steps` steps; `stream()` begins a new run over all its actions.

    The forward sweep ends where the last step has run for the first time. Both sweeps may be gone through as often as
    one likes: nothing in a schedule is used up. A chain of no steps has no actions.

    >>> from adcompiler.checkpointing import revolve
    >>> schedule = revolve(3, snapshots=2)
    >>> for action in schedule.forward():
    ...     print(action)
    Snapshot(step=0, level=Level.MEMORY)
    Advance(start=0, stop=1)
    Snapshot(step=1, level=Level.MEMORY)
    Advance(start=1, stop=2)
    Tape(start=2, stop=3)
    >>> for action in schedule.reverse():
    ...     print(action)
    Reverse(start=2, stop=3)
    Restore(step=1, level=Level.MEMORY, last=True)
    Tape(start=1, stop=2)
    Reverse(start=1, stop=2)
    Restore(step=0, level=Level.MEMORY, last=True)
    Tape(start=0, stop=1)
    Reverse(start=0, stop=1)
    """

    steps: int
    stream: Callable[[], Iterator[Action]]

    def __iter__(self) -> Iterator[Action]:
        return self.stream()

    def forward(self) -> Iterator[Action]:
        """The actions up to the last state: `Advance`, `Tape`, `Snapshot` and, in some schedules, `Drop`."""
        for action in self.stream():
            yield action
            if self._arrives(action):
                return

    def reverse(self) -> Iterator[Action]:
        """The actions after the last state is reached."""
        actions = self.stream()
        for action in actions:
            if self._arrives(action):
                break
        yield from actions

    def _arrives(self, action) -> bool:
        return isinstance(action, Advance | Tape) and action.stop == self.steps
