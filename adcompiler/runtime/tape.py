"""The tape: what the forward function keeps for the adjoint function."""

from __future__ import annotations

import numpy as np

from ..errors import TapeFreedError, TapeMismatchError
from .checkpointed import CheckpointedLoop
from .loop_sizes import bytes_of_list
from .sizes import nbytes
from .tape_limit import limit_in_force


def private(kept):
    """A copy of a kept array, or of each in a list: the next call of the program writes into their memory.

    >>> private([np.array([1.0, 2.0]), None])
    [array([1., 2.]), None]
    """
    if isinstance(kept, list):
        return [private(k) for k in kept]
    return kept.copy() if isinstance(kept, np.ndarray) else kept


class Kept:
    """A tape in a derivative of a derivative: one attribute for each site."""


class Tape:
    """Saved values of one run of a forward function, one entry per site; a site in a loop holds a list.

    `owner` names the forward function and `sites` the entries. The adjoint function opens the tape, which frees it;
    `replay()` gives a copy that can be opened while the original stays. `containers` are the sites that hold a list of
    the program itself: it is known by its identity, and never copied.

    >>> tape = Tape("f", ("x", "y_saved"), (2.0, [1.0, 2.0]))
    >>> tape.nbytes
    48
    >>> tape.open("f")
    (2.0, [1.0, 2.0])
    >>> tape.open("f")
    Traceback (most recent call last):
    ...
    adcompiler.errors.TapeFreedError: this tape has been replayed and freed
      hint: pass retain=True to the earlier call, or run forward again
    """

    __slots__ = ("owner", "sites", "values", "containers", "key", "costs", "limit", "__weakref__")

    def __init__(self, owner, sites, values, containers=()):
        self.owner, self.sites, self.values, self.containers, self.key = owner, sites, values, containers, None
        self.costs: tuple = (0, [])  # bytes of all, and of each checkpointed loop with its statistics
        self.limit = None  # of a program with a memory budget
        limit = limit_in_force()
        if limit is not None and values is not None:
            limit.made(self)

    def open(self, owner) -> tuple:
        """The saved values; the tape is freed. Raises TapeFreedError, TapeMismatchError."""
        if owner != self.owner:
            raise TapeMismatchError(
                f"a tape of '{self.owner}' was given to the adjoint of '{owner}'",
                hint="pass the tape that the forward function of the same compilation returned",
            )
        if self.values is None:
            raise TapeFreedError(
                "this tape has been replayed and freed",
                hint="pass retain=True to the earlier call, or run forward again",
            )
        self._measure()
        values, self.values = self.values, None
        return values

    @property
    def is_freed(self) -> bool:
        return self.values is None

    def replay(self) -> Tape:
        """A copy to open once: lists are copied, the saved values themselves are shared."""
        made = Tape(self.owner, self.sites, self.values, self.containers)
        made.key, made.limit = self.key, self.limit
        waiting = [made]
        while waiting:  # tapes of recursive calls may be nested deeper than Python's own stack
            tape = waiting.pop()
            if tape.values is not None:
                tape.values = tuple(
                    v if site in tape.containers else _copied(v, waiting)
                    for site, v in zip(tape.sites, tape.values, strict=True)
                )
        return made

    def handed_over(self) -> Tape:
        """What is saved as another tape; this one is freed."""
        made = Tape(self.owner, self.sites, self.values, self.containers)
        made.key, made.limit = self.key, self.limit
        self.free()  # its bytes are noted there, and asked of it
        return made

    def free(self):
        """Drop everything that is saved; its bytes are known afterwards, of long lists an estimate."""
        self._measure()
        if not self.costs[1] and self.values is not None:
            seen: set[int] = set() if self.limit is None else set(self.limit.arguments)
            self.costs = (sum(_estimated(value, seen) for value in self.values), [])
        self.values = None

    def kept(self) -> list:
        """Everything that is saved, for counting bytes."""
        return list(self.values or ())

    # -- checkpointed loops ----------------------------------------------------------------------------------------
    def loops(self) -> list:
        """The checkpointed loops whose snapshots are kept, in tapes of recursive calls too."""
        found, waiting = [], list(self.values or ())
        while waiting:
            value = waiting.pop()
            if hasattr(type(value), "stats"):  # an object of the program may make up any attribute
                found.append(value)
            elif isinstance(value, Tape):
                waiting.extend(value.values or ())
            elif type(value) is list and value and isinstance(value[0], (CheckpointedLoop, Tape)):
                waiting.extend(value)
        return found

    def _measure(self):
        """Note what checkpointed loops take, before the tape is freed; they go on counting."""
        loops = self.loops()
        if loops:
            self.costs = (self.nbytes, [(loop.stats, nbytes(loop, set())) for loop in loops])

    @property
    def recomputed_steps(self) -> int:
        """How many trips of checkpointed loops the last adjoint has run again."""
        self._measure()
        return sum(stats.recomputed_steps for stats, _ in self.costs[1])

    @property
    def peak_nbytes(self) -> int:
        """The most that the tape has taken: what it held behind the forward sweep, or more while a loop is run again.

        What an adjoint function frees that is called by hand, outside of this package, is known with checkpointed loops only.
        """
        self._measure()
        if self.limit is not None:
            return self.limit.peak
        if not self.costs[1]:
            return self.costs[0] if self.is_freed else self.nbytes
        whole, loops = self.costs
        return max([whole, *[whole - held + stats.peak_nbytes for stats, held in loops]])

    @property
    def nbytes(self) -> int:
        """Bytes of the saved values; arrays count once however often they are saved.

        With a memory budget, arrays of the caller do not count.
        """
        return sum(self.bytes_by_site().values())

    def bytes_by_site(self) -> dict[str, int]:
        """Bytes per site."""
        seen: set[int] = set() if self.limit is None else set(self.limit.arguments)
        values = self.values if self.values is not None else ()
        return {site: nbytes(v, seen) for site, v in zip(self.sites, values, strict=False)}

    def __repr__(self):
        state = "freed" if self.values is None else f"{self.nbytes} bytes"
        return f"<Tape of {self.owner}: {', '.join(self.sites) or 'empty'}; {state}>"


def _estimated(value, seen) -> int:
    """The bytes of a site. A list is measured in a time that does not grow with its length."""
    if type(value) is list:
        return bytes_of_list(value, lambda values: nbytes(values, seen))
    return nbytes(value, seen)


def _copied(value, waiting):
    """A list or a nested tape copied; tapes whose entries are still to be copied go to `waiting`."""
    if type(value) is list:
        return [_copied(v, waiting) if isinstance(v, (Tape, CheckpointedLoop)) else v for v in value]
    if isinstance(value, CheckpointedLoop):
        return value.fork(lambda site: _copied(site, waiting))
    if not isinstance(value, Tape):
        return value
    made = Tape(value.owner, value.sites, value.values, value.containers)
    waiting.append(made)
    return made
