"""What is kept, and where the forward sweep does more than the user's program."""

from __future__ import annotations

from dataclasses import dataclass, field

OVERWRITTEN = "its memory is overwritten later"  # why a copy is kept


@dataclass
class Kept:
    """One value on the tape: `site` is its name there, `listed` whether it is a list of one value per trip."""

    site: str
    var: object
    line: int
    reason: str
    listed: bool
    what: str = "value"
    label: str = ""
    loc: object = None


@dataclass
class Insertions:
    """What the forward sweep does beyond the user's program."""

    before: dict = field(default_factory=dict)  # statement -> lines in front of it
    after: dict = field(default_factory=dict)  # statement or block key -> lines behind it
    head: dict = field(default_factory=dict)  # loop -> lines at the start of its body
    start: list = field(default_factory=list)  # at the start of the function
    counters: dict = field(default_factory=dict)  # loop -> name of its trip counter
