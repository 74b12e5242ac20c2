"""Checkpointed loops: what the loop over the actions of a schedule, in generated code, asks for.

The forward function makes a `CheckpointedLoop` and carries out the actions of `forward()`, the adjoint function those of
`reverse()`: each is a word and the trips that it is about. `save` and `load` store the state of the loop under the
action at hand.
"""

from __future__ import annotations

import contextlib

from ..checkpointing import Advance, Drop, OnlineSchedule, Restore, Reverse, Snapshot, Tape, revolve, two_level
from .contents import Contents, unchanged

DEFAULT_SNAPSHOTS = 20


class CheckpointedLoop:
    """The snapshots of one run of a loop, and the lists on which its trips are taped.

    over: what the loop runs over (None for `while`). sites: the lists of the tape. length: the number of trips, where
    `over` does not tell.

    >>> steps = CheckpointedLoop(range(3), [], snapshots=1)
    >>> x = 2.0
    >>> for action, trips in steps.forward():
    ...     if action == "snapshot":
    ...         steps.save((x,))
    ...     else:
    ...         for t in trips:
    ...             x = x * x
    >>> for action, trips in steps.reverse():
    ...     if action == "restore":
    ...         (x,) = steps.load()
    ...     print(action, *(trips or ()))
    reverse 2
    restore
    advance 0
    tape 1
    reverse 1
    restore
    tape 0
    reverse 0
    """

    def __init__(self, over, sites, *, length=None, schedule=None, snapshots=None, period=None, directory=None, memory=None):
        self.sites = list(sites)
        self.over, self.indexed = over, isinstance(over, range)
        self.elements: list = []  # of what is no range: the elements of the trips so far
        self.schedule, self.snapshots, self.period, self.directory = schedule, snapshots, period, directory
        self.count = 0  # trips run so far
        self.stored: dict = {}  # step -> (names, contents of memory)
        self.at, self.last = None, False  # the step of the action at hand; whether its snapshot is read for the last time
        self.end: Contents | None = None
        self.recomputed = 0
        if schedule == "online":
            self.online = OnlineSchedule(DEFAULT_SNAPSHOTS if snapshots is None else snapshots)
        else:
            self.length = len(over) if length is None else length
            self.plan = self._planned()

    def _planned(self):
        snapshots = DEFAULT_SNAPSHOTS if self.snapshots is None else self.snapshots
        if self.schedule == "two_level":
            period = self.period if self.period is not None else max(1, round(self.length**0.5))
            return two_level(self.length, period, self.snapshots)
        return revolve(self.length, snapshots)

    # -- the forward sweep -----------------------------------------------------------------------------------------
    def forward(self):
        """The actions of the forward sweep, as (word, trips)."""
        source = None if self.indexed else iter(self.over)
        for action in self.plan.forward():
            yield from self._carried(action, source)

    def each(self):
        """The elements of a loop of unknown length."""
        for element in self.over:
            if not self.indexed:
                self.elements.append(element)
            yield element

    def is_due(self) -> bool:
        """Whether the state in front of this trip is to be saved; counts the trip."""
        wanted = False
        for action in self.online.before(self.count):
            if isinstance(action, Drop):
                del self.stored[action.step]
            else:
                self.at, wanted = action.step, True
        self.count += 1
        return wanted

    def save(self, names, memory=None):
        """Store the state of the loop: what its names stand for, and the contents of memory."""
        self.stored[self.at] = (names, memory)

    def finish(self, *objects):
        """Note the contents of memory behind the loop, which the program changes later, or others see."""
        self.end = Contents(objects)
        self.objects = objects

    # -- the reverse sweep -----------------------------------------------------------------------------------------
    def reverse(self):
        """The actions of the reverse sweep, as (word, trips)."""
        plan = self.plan if self.schedule != "online" else self.online.finish(self.count)
        for action in plan.reverse():
            if isinstance(action, (Advance, Tape)):
                self.recomputed += action.stop - action.start
            yield from self._carried(action, None)

    @contextlib.contextmanager
    def unchanged(self):
        """Inside, memory is what it was behind the loop, and may change; afterwards it is what it was before."""
        with unchanged(*self.objects):
            self.end.restore()
            yield

    def load(self):
        """What the names of the loop stood for at the snapshot; memory is as it was then."""
        names, memory = self.stored[self.at]
        if memory is not None:
            memory.restore()
        if self.last:
            del self.stored[self.at]
        return names

    def _carried(self, action, source):
        if isinstance(action, Snapshot):
            self.at = action.step
            yield "snapshot", None
        elif isinstance(action, Restore):
            self.at, self.last = action.step, action.last
            yield "restore", None
        elif isinstance(action, Drop):
            del self.stored[action.step]
        else:
            word = {Advance: "advance", Tape: "tape", Reverse: "reverse"}[type(action)]
            yield word, self._trips(word, action.start, action.stop, source)

    def _trips(self, word, start, stop, source):
        if self.indexed:
            return self.over[start:stop]
        if word == "reverse" or self.over is None:
            return range(start, stop)
        return self.elements[start:stop] if source is None else self._further(source, stop - start)

    def _further(self, source, count):
        for _ in range(count):
            element = next(source)
            self.elements.append(element)
            yield element

    # -- copies and sizes ------------------------------------------------------------------------------------------
    def fork(self, copied=list) -> CheckpointedLoop:
        """A copy to be reversed while this one stays: lists are copied (by `copied`), what they hold is shared."""
        made = object.__new__(CheckpointedLoop)
        made.__dict__.update(self.__dict__)
        made.sites = [copied(site) for site in self.sites]
        made.stored = dict(self.stored)
        return made

    def kept(self) -> list:
        """Everything that is kept, for counting bytes."""
        contents = [memory for _, memory in self.stored.values() if memory is not None]
        return [*self.sites, *[names for names, _ in self.stored.values()], *contents, *([self.end] if self.end else [])]


__all__ = ["CheckpointedLoop"]
