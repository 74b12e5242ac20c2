"""Checkpointing: what is kept of a chain of steps, and what is run again, so that its adjoint needs little memory.

A schedule knows nothing of arrays: it is a stream of actions on numbered steps. `actions` has the vocabulary,
`schedule` the two sweeps, `checking` the rules that every stream obeys and what it costs; the other modules plan.
"""

from .actions import DISK, MEMORY, Advance, Drop, Level, Restore, Reverse, Snapshot, Tape
from .checking import Cost, ScheduleError, check
from .revolve import extra_steps, revolve
from .schedule import Schedule

__all__ = [
    "DISK",
    "MEMORY",
    "Advance",
    "Cost",
    "Drop",
    "Level",
    "Restore",
    "Reverse",
    "Schedule",
    "ScheduleError",
    "Snapshot",
    "Tape",
    "check",
    "extra_steps",
    "revolve",
]
