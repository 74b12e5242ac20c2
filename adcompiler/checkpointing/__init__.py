"""Checkpointing: what is kept of a chain of steps, and what is run again, so that its adjoint needs little memory.

A schedule knows nothing of arrays: it is a stream of actions on numbered steps. `actions` has the vocabulary,
`schedule` the two sweeps, `checking` the rules that every stream obeys and what it costs; the other modules plan.
"""

from .actions import DISK, MEMORY, Advance, Drop, Level, Restore, Reverse, Snapshot, Tape
from .budget import smallest_budget, within_budget
from .chain import ChainPlan, Stage, TapeChoice, plan_chain, smallest_chain_budget
from .checking import Cost, ScheduleError, check
from .disk import disk
from .measuring import MeasuredSchedule, least_memory, within
from .online import OnlineSchedule, online
from .online_budget import OnlineBudget
from .planner import LoopPart, Part, ProgramPlan, parse_memory, plan_program
from .profile import Point, peak_bytes, profile
from .revolve import extra_steps, revolve
from .schedule import Schedule
from .snapshot_files import SnapshotFile, SnapshotFolder
from .two_level import best_period, two_level, two_level_bytes

__all__ = [
    "DISK",
    "MEMORY",
    "Advance",
    "ChainPlan",
    "Cost",
    "Drop",
    "Level",
    "LoopPart",
    "MeasuredSchedule",
    "OnlineBudget",
    "OnlineSchedule",
    "Part",
    "Point",
    "ProgramPlan",
    "Restore",
    "Reverse",
    "Schedule",
    "ScheduleError",
    "Snapshot",
    "SnapshotFile",
    "SnapshotFolder",
    "Stage",
    "Tape",
    "TapeChoice",
    "best_period",
    "check",
    "disk",
    "extra_steps",
    "least_memory",
    "online",
    "parse_memory",
    "peak_bytes",
    "plan_chain",
    "plan_program",
    "profile",
    "revolve",
    "smallest_budget",
    "smallest_chain_budget",
    "two_level",
    "two_level_bytes",
    "within",
    "within_budget",
]
