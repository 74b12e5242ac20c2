"""The actions of a schedule, on a chain of steps: step `i` takes state `i` to state `i + 1`.

Whoever carries them out has three things: the current state, the snapshots, and a stack of step tapes.

| action | needs | does |
|---|---|---|
| `Advance(start, stop)` | state `start` | runs the steps without tape; the state becomes `stop` |
| `Tape(start, stop)` | state `start` | runs the steps and pushes a tape of each; the state becomes `stop` |
| `Reverse(start, stop)` | tapes of these steps on top | pops them, last step first, and runs the adjoint of each |
| `Snapshot(step, level)` | state `step` | stores the current state |
| `Restore(step, level, last)` | that snapshot | makes it the current state; with `last` it is freed as well |
| `Drop(step, level)` | that snapshot | frees it |

`last` says that nobody asks for the snapshot again, so that the program may go on in its memory without a copy.

>>> Restore(3, DISK)
Restore(step=3, level=Level.DISK, last=False)
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Level(enum.Enum):
    """Where a snapshot lies."""

    MEMORY = "memory"
    DISK = "disk"

    def __repr__(self):
        return f"Level.{self.name}"


MEMORY, DISK = Level.MEMORY, Level.DISK


@dataclass(frozen=True, slots=True)
class Advance:
    """Run steps `start` to `stop - 1` without tape."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Tape:
    """Run steps `start` to `stop - 1`, and keep what the adjoint of each needs."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Reverse:
    """Run the adjoints of steps `stop - 1` down to `start`, each from its tape, which is freed."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Store the current state, that before `step`."""

    step: int
    level: Level = MEMORY


@dataclass(frozen=True, slots=True)
class Restore:
    """Make the stored state before `step` the current one; with `last`, its snapshot is freed."""

    step: int
    level: Level = MEMORY
    last: bool = False


@dataclass(frozen=True, slots=True)
class Drop:
    """Free the snapshot of the state before `step`."""

    step: int
    level: Level = MEMORY


Action = Advance | Tape | Reverse | Snapshot | Restore | Drop
