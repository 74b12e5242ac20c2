"""What the tape takes while a program with a memory budget runs, and the error as soon as that is too much.

Most tapes of a budget are planned, but not all sizes can be known before: of recursive calls, of loops that cannot run
again, of data whose lengths depend on values. So a tape with a limit is measured when it is made (those of recursive
calls too), and generated code tells what it holds at the places of the reverse sweep where something runs again.
"""

from __future__ import annotations

import contextlib
import weakref
from contextvars import ContextVar

from ..errors import MemoryBudgetError
from .sizes import nbytes

_LIMIT: ContextVar[TapeLimit | None] = ContextVar("limit of the tape", default=None)


class TapeLimit:
    """How many bytes the tape of one run may take, and how many it has taken.

    limit: None where it is only measured. arguments: of the caller, whose arrays are not counted. whole: the bytes
    behind the forward sweep; beside: what is held while something runs again; peak: the most so far.

    >>> import numpy as np
    >>> x = np.zeros(100)
    >>> limit = TapeLimit(1000, [x])
    >>> limit.saw(limit.bytes_of([x, np.zeros(10)]))
    >>> limit.peak
    80
    >>> limit.saw(2000)
    Traceback (most recent call last):
        ...
    adcompiler.errors.MemoryBudgetError: the tape takes 2000 bytes, more than its budget of 1000
    """

    def __init__(self, limit: int | None, arguments):
        self.limit = limit
        self.arguments: set[int] = set()
        nbytes(list(arguments), self.arguments)
        self.held = list(arguments)  # so that no other array takes the place of one of them
        self.whole = self.beside = self.peak = 0
        self.share: tuple | None = None  # what the loops of the program have of its budget: see `budget_trials`
        self.nested = 0  # checkpointed loops around, in reverse: the outer one counts
        self.live = weakref.WeakSet()  # tapes and checkpointed loops, of recursive calls that run again too
        self.grown = self.measured = 0  # their bytes, those dropped included; what of that was gone through

    def bytes_of(self, values) -> int:
        return nbytes(values, set(self.arguments))

    def saw(self, nbytes: int) -> None:
        """So many bytes are held now. Raises MemoryBudgetError if that is too much."""
        self.peak = max(self.peak, nbytes)
        if self.limit is not None and nbytes > self.limit:
            raise over_budget(nbytes, self.limit)

    def made(self, tape) -> None:
        """A tape was made, of the program or of a recursive call, whose caller holds tapes and loops of its own."""
        self.live.add(tape)
        kind = type(tape)  # those of the calls inside were counted when they were made
        own = [v for v in tape.kept() if not isinstance(v[0] if type(v) is list and v else v, kind)]
        self.grown += self.bytes_of(own)
        if self.limit is None or self.grown > max(self.limit, self.measured + self.limit // 64):
            held = self.bytes_of(list(self.live))
            self.saw(held)
            self.grown = self.measured = held  # much of what was counted may be gone

    def turned(self, tape) -> None:
        """The forward sweep is over, and this is its tape."""
        found: set[int] = set()
        nbytes(tape.kept(), found)
        self.arguments &= found  # the others may be gone when the tape is swept back
        self.held = None
        self.whole = self.beside = self.bytes_of(tape.kept())
        ahead = [loop for loop in tape.loops() if hasattr(type(loop), "is_counted_ahead")]
        self.saw(max([self.whole, *[self.whole - nbytes(loop, set()) + loop.stats.peak_nbytes for loop in ahead]]))

    @contextlib.contextmanager
    def in_force(self):
        """Inside, generated code keeps to this limit."""
        token = _LIMIT.set(self)
        try:
            yield self
        finally:
            _LIMIT.reset(token)


def over_budget(nbytes: int, limit: int) -> MemoryBudgetError:
    """The error of a tape that has grown beyond its budget."""
    error = MemoryBudgetError(f"the tape takes {nbytes} bytes, more than its budget of {limit}")
    error.reached = nbytes
    return error


def limit_in_force() -> TapeLimit | None:
    return _LIMIT.get()


@contextlib.contextmanager
def no_limit():
    """Inside, no limit is in force."""
    token = _LIMIT.set(None)
    try:
        yield
    finally:
        _LIMIT.reset(token)


def tape_holds(*values) -> None:
    """In the reverse sweep of a program with a budget: this is all that is left of the tape, and what was run again."""
    limit = _LIMIT.get()
    if limit is not None:
        limit.beside = limit.bytes_of(values)
        limit.saw(limit.beside)


def tape_gains(*values) -> None:
    """In the reverse sweep of a program with a budget: a part was run again, and this comes on top of the tape."""
    limit = _LIMIT.get()
    if limit is not None:
        limit.saw(limit.beside + limit.bytes_of(values))


__all__ = ["TapeLimit", "limit_in_force", "no_limit", "over_budget", "tape_gains", "tape_holds"]
