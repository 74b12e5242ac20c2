"""Checkpointed loops: what the loop over the actions of a schedule, in generated code, asks for.

The forward function makes a `CheckpointedLoop` and carries out the actions of `forward()`, the adjoint function those of
`reverse()`: each is a word and the trips that it is about. `save` and `load` store the state of the loop under the
action at hand.
"""

from __future__ import annotations

import contextlib

from ..checkpointing import DISK, Advance, Drop, Level, OnlineBudget, OnlineSchedule, Restore, Reverse, Snapshot, SnapshotFolder, Tape
from .contents import Contents, unchanged
from .loop_plans import online_plan, plan_of
from .loop_sizes import LoopStats, bytes_of_list
from .sizes import nbytes
from .spilling import PackedArrays, Spilled, to_file
from .tape_limit import limit_in_force


BOOKKEEPING = 250  # bytes that a snapshot takes beside what it holds


class CheckpointedLoop:
    """The snapshots of one run of a loop, and the lists on which its trips are taped.

    over: what the loop runs over (None for `while`). sites: the lists of the tape. length: the number of trips, where
    `over` does not tell. tape_dtype: the format in which the arrays of snapshots are kept in memory.

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

    stats: LoopStats | None = None  # what it has cost

    def __init__(
        self,
        over,
        sites,
        *,
        length=None,
        schedule=None,
        snapshots=None,
        period=None,
        disk_snapshots=None,
        directory=None,
        memory=None,
        shares=1,
        nests=False,
        room=False,
        tape_dtype=None,
    ):
        self.sites, self.tape_dtype = list(sites), tape_dtype
        self.over, self.indexed = over, isinstance(over, range)
        self.elements: list = []  # of what is no range: the elements of the trips so far
        self.count = 0  # trips run so far, where their number is not known
        self.taped = 0  # trips of which the last action has made the tape
        self.stored: dict[tuple[int, Level], Kept | Spilled] = {}
        self.at: tuple[int, Level] = (0, DISK)  # the snapshot that the action at hand is about
        self.last = False  # and whether it is freed when it is loaded
        self.end: Contents | None = None
        self.folder, self.directory = None, directory
        self.stats = LoopStats()
        limit = limit_in_force()
        if limit is not None:
            limit.live.add(self)
        if schedule == "online":
            self.plan = online_plan(lambda: self._measured()[0], snapshots=snapshots, memory=memory, shares=shares, nests=nests, room=room)
        else:
            self.plan = plan_of(
                len(over) if length is None else length,
                self._measured,
                self._discard,
                schedule=schedule,
                snapshots=snapshots,
                period=period,
                disk_snapshots=disk_snapshots,
                memory=memory,
                shares=shares,
                nests=nests,
                room=room,
            )

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
        for action in self.plan.before(self.count):
            if isinstance(action, Drop):
                del self.stored[action.step, action.level]
            else:
                self.at, wanted = (action.step, action.level), True
        self.count += 1
        return wanted

    def save(self, names, memory=None, fixed=()):
        """Store the state of the loop: what its names stand for, and the contents of memory.

        fixed: positions of names whose objects others know by their identity; they stay in memory.
        """
        step, level = self.at
        if level is DISK:
            self.folder = self.folder or SnapshotFolder(self.directory)
            self.stored[self.at] = Spilled(to_file(self.folder, step), names, memory, fixed)
        elif self.tape_dtype is not None and step > 0:  # what the first trip begins with is often still in use elsewhere
            self.stored[self.at] = Spilled(lambda arrays: PackedArrays(arrays, self.tape_dtype), names, memory, fixed)
        else:
            self.stored[self.at] = Kept(names, memory)
        self.stats.saw(self.nbytes)

    def finish(self, *objects):
        """Note the contents of memory behind the loop, which the program changes later, or others see."""
        self.end = Contents(objects)
        self.objects = objects

    # -- the reverse sweep -----------------------------------------------------------------------------------------
    def reverse(self):
        """The actions of the reverse sweep, as (word, trips)."""
        self.stats.recomputed_steps = 0
        limit = limit_in_force()
        if limit is None or limit.nested:
            yield from self._reverse()
            return
        beside = max(0, limit.beside - nbytes(self, set()))
        limit.nested += 1
        try:
            for action in self._reverse():
                limit.saw(beside + self.stats.peak_nbytes)
                yield action
        finally:
            limit.nested -= 1
        limit.saw(beside + self.stats.peak_nbytes)

    def _reverse(self):
        for action in self._actions_in_reverse():
            if isinstance(action, (Advance, Tape)):
                self.stats.recomputed_steps += action.stop - action.start
            inner = self._loops_inside() if isinstance(action, Reverse) else []
            before = self.nbytes if inner else 0
            yield from self._carried(action, None)
            for loop, held in inner:
                self.stats.recomputed_steps += loop.stats.recomputed_steps
                self.stats.saw(before - held + loop.stats.peak_nbytes)

    def _actions_in_reverse(self):
        if isinstance(self.plan, OnlineBudget):
            return self.plan.reverse(self.count, lambda: self._measured()[1], self._discard)
        plan = self.plan.finish(self.count) if isinstance(self.plan, OnlineSchedule) else self.plan
        return plan.reverse()

    @contextlib.contextmanager
    def unchanged(self):
        """Inside, memory is what it was behind the loop, and may change; afterwards it is what it was before."""
        with unchanged(*self.objects):
            self.end.restore()
            yield

    def load(self):
        """What the names of the loop stood for at the snapshot; memory is as it was then."""
        names, memory = self.stored[self.at].load()
        if memory is not None:
            memory.restore()
        if self.last:
            del self.stored[self.at]
        return names

    def _carried(self, action, source):
        if isinstance(action, Snapshot):
            self.at = action.step, action.level
            yield "snapshot", None
        elif isinstance(action, Restore):
            self.at, self.last = (action.step, action.level), action.last
            yield "restore", None
        elif isinstance(action, Drop):
            del self.stored[action.step, action.level]
        else:
            word = {Advance: "advance", Tape: "tape", Reverse: "reverse"}[type(action)]
            self.taped = action.stop - action.start if word == "tape" else self.taped
            yield word, self._trips(word, action.start, action.stop, source)
            if word == "tape":
                now = self.nbytes
                self.stats.saw(max([now, *[now - held + loop.stats.peak_nbytes for loop, held in self._loops_inside()]]))

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

    # -- what it costs -----------------------------------------------------------------------------------------------
    @property
    def trips(self) -> int:
        """How many trips the loop has run."""
        return self.count if isinstance(self.plan, (OnlineBudget, OnlineSchedule)) else self.plan.steps

    def reruns(self) -> int | None:
        """How many trips the adjoint will run again; None where that shows only as it runs."""
        if isinstance(self.plan, OnlineBudget):
            return None
        runs = (a.stop - a.start for a in self._actions_in_reverse() if isinstance(a, (Advance, Tape)))
        return sum(runs)

    # -- copies and sizes ------------------------------------------------------------------------------------------
    def fork(self, copied=list) -> CheckpointedLoop:
        """A copy to be reversed while this one stays: lists are copied (by `copied`), what they hold is shared."""
        made = object.__new__(CheckpointedLoop)
        made.__dict__.update(self.__dict__)
        made.sites = [copied(site) for site in self.sites]
        made.stored = dict(self.stored)
        return made

    def kept(self) -> list:
        """Everything that is kept in memory, for counting bytes."""
        contents = [kept.memory for kept in self.stored.values() if kept.memory is not None]
        return [*self.sites, *[kept.names for kept in self.stored.values()], *contents, *([self.end] if self.end else [])]

    @property
    def nbytes(self) -> int:
        """Bytes of the snapshots and step tapes in memory; of long lists an estimate."""
        return self._state_bytes() + self._tape_bytes()

    def _state_bytes(self):
        return sum(kept.nbytes for kept in self.stored.values())

    def _tape_bytes(self):
        return sum(bytes_of_list(site, nbytes) for site in self.sites)

    def _loops_inside(self) -> list[tuple[CheckpointedLoop, int]]:
        """The loops on the tapes of the trips, each with the bytes that it keeps."""
        found, waiting = [], [site for site in self.sites if site and hasattr(type(site[0]), "kept")]
        while waiting:
            value = waiting.pop()
            if isinstance(value, CheckpointedLoop):
                found.append((value, value.nbytes))
            elif isinstance(value, (list, tuple)):
                waiting.extend(value)
            elif hasattr(type(value), "kept"):
                waiting.extend(value.kept())
        return found

    def _measured(self):
        """The bytes of the first snapshot and of the tape of the first trip."""
        return self._state_bytes() + BOOKKEEPING, self._tape_bytes()

    def _discard(self):
        for site in self.sites:
            site.clear()


class Kept:
    """What the names of a loop stand for, and the contents of memory."""

    __slots__ = ("memory", "names", "nbytes")

    def __init__(self, names: tuple, memory: Contents | None):
        self.names, self.memory = names, memory
        self.nbytes = nbytes(names) + (0 if memory is None else memory.nbytes)

    def load(self):
        return self.names, self.memory


__all__ = ["CheckpointedLoop"]
