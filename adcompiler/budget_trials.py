"""The share of a program's budget that its loops get: all of it, or less where the rest of the tape needs more.

What a loop needs shows only as it runs, and what recursive calls and the code around the loops take shows only then, too.
Where the tape has grown too large the program runs again, on the same arguments and with less for its loops; where one
of them has found its share too small, to find the least budget that works, which the error names.
"""

from __future__ import annotations

import contextlib
import time
from contextvars import ContextVar

from .errors import MemoryBudgetError

LOOPS = 12  # whose needs are gone through one by one; few programs have more than two that want more than the one before
LONG = 1.0  # seconds; where a run takes longer, the least budget is found to one percent
SHRINK = 0.7  # of the bytes that the loops had, for the next run


class Trial:
    """Bytes that the loops of programs with a budget of `memory` share; whether any has asked for them."""

    __slots__ = ("memory", "budget", "asked")

    def __init__(self, memory: int, budget: int):
        self.memory, self.budget, self.asked = memory, budget, False


_TRIAL: ContextVar[Trial | None] = ContextVar("budget on trial", default=None)


def tried(memory: int | None) -> int | None:
    """The bytes that the loops of a program share: its budget, or what is on trial in its place.

    >>> with on_trial(100, 5000):
    ...     tried(100), tried(200), tried(None)
    (5000, 200, None)
    >>> tried(100)
    100
    """
    trial = _TRIAL.get()
    if memory is None or trial is None or trial.memory != memory:
        return memory
    trial.asked = True
    return trial.budget


@contextlib.contextmanager
def on_trial(memory: int, budget: int):
    """Inside, the loops of programs with a budget of `memory` share `budget` bytes."""
    trial = Trial(memory, budget)
    token = _TRIAL.set(trial)
    try:
        yield trial
    finally:
        _TRIAL.reset(token)


def is_on_trial() -> bool:
    return _TRIAL.get() is not None


def share_on_trial(memory: int) -> tuple[int, int] | None:
    """The budget of a program, and what its loops share where that is not all of it."""
    trial = _TRIAL.get()
    return None if trial is None or trial.memory != memory else (memory, trial.budget)


def sharing(share: tuple[int, int] | None):
    """`on_trial(*share)`, if there is one."""
    return contextlib.nullcontext() if share is None else on_trial(*share)


def with_smaller_shares(memory: int, run, tapes: int, limit: int | None = None):
    """`(share, run())` with the largest share for the loops, of some that are tried, that leaves the tape below `limit`.

    That is the budget, `memory`, if it is not given. tapes: the bytes that were too many with all of it for the loops.
    None if there is no such share.

    >>> def run():
    ...     if 3 * tried(1000) > 1000:
    ...         raise MemoryBudgetError("the tape")
    ...     return "done"
    >>> with_smaller_shares(1000, run, 3000)
    (300, 'done')
    """
    limit = memory if limit is None else limit
    low, high = 0, limit
    share = int(min(0.9 * limit / tapes, SHRINK) * limit)
    while low < share < high:
        begun = time.monotonic()
        with on_trial(memory, share) as trial:
            try:
                return share, run()
            except MemoryBudgetError as error:
                low, high = (low, share) if error.least is None else (share, high)
        if not trial.asked or time.monotonic() - begun > LONG and high - low <= high // 100:
            return None
        share = int(SHRINK * high) if low == 0 else (low + high) // 2
    return None


def name_least_budget(error: MemoryBudgetError, memory: int, run) -> int | None:
    """Let the hint of an error name the least budget of the program, which `run()` runs on its arguments; that, if known.

    `run` returns the peak of the tape in bytes, without a limit for it. The hint stays as it is where no other loop can
    need more, or where the program raises another error.

    >>> def run():
    ...     for least in (300, 700):
    ...         if tried(100) < least:
    ...             error = MemoryBudgetError("too little")
    ...             error.least, error.is_whole = least, False
    ...             raise error
    ...     return tried(100) + 50
    >>> try:
    ...     with on_trial(100, 100):
    ...         run()
    ... except MemoryBudgetError as error:
    ...     name_least_budget(error, 100, run)
    ...     error.hint
    750
    'the least budget that works is 750 bytes'
    """
    if is_on_trial():
        return None
    failure, below = error, 0
    begun = time.monotonic()
    if error.least is None:  # the tape, with enough for each loop
        budget = memory
        with on_trial(memory, budget) as trial:
            failure = _outcome(run)
    for _ in range(LOOPS if error.least is not None or isinstance(failure, MemoryBudgetError) else 0):
        if getattr(failure, "least", None) is None:
            return None
        budget, below = failure.least, max(below, _too_small(failure))
        begun = time.monotonic()
        with on_trial(memory, budget) as trial:
            failure = _outcome(run)
        if not isinstance(failure, Exception):
            break
        if getattr(failure, "least", None) is None or failure.least <= budget:
            return None
    if isinstance(failure, Exception):
        return None
    peak = failure
    spread = budget // 100 if time.monotonic() - begun > LONG else 1
    while trial.asked and budget - below > max(spread, 1):
        middle = (below + budget) // 2
        with on_trial(memory, middle):
            found = _outcome(run)
        if isinstance(found, Exception):
            below = middle
        else:
            budget, peak = middle, found
    more = " to one percent" if trial.asked and budget - below > 1 else ""
    least = max(budget if trial.asked else 0, peak)
    error.set_hint(f"the least budget that works is {least} bytes{more}")
    return least


def _too_small(error) -> int:
    """A budget that is too small by what one loop said: of an estimate, half of it was what the loop would take now."""
    return (error.least // 2 if error.is_estimate else error.least) - 1


def _outcome(run) -> int | Exception:
    try:
        return run()
    except Exception as error:
        return error


__all__ = ["Trial", "is_on_trial", "name_least_budget", "on_trial", "share_on_trial", "sharing", "tried", "with_smaller_shares"]
