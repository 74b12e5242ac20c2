"""The least budget of a whole program, where one of its loops has found its share too small.

What a loop needs shows only as it runs, and where it is given that, another one may need more. So the program runs again,
on the same arguments and within other budgets, and the error names the least one that works.
"""

from __future__ import annotations

import contextlib
import time
from contextvars import ContextVar

from .errors import MemoryBudgetError

LOOPS = 12  # whose needs are gone through one by one; few programs have more than two that want more than the one before
LONG = 1.0  # seconds; where a run takes longer, the least budget is found to one percent
_TRIAL: ContextVar[int | None] = ContextVar("budget on trial", default=None)


def tried(memory: int | None) -> int | None:
    """The budget of a program, or the one on trial in its place.

    >>> with on_trial(5000):
    ...     tried(100), tried(None)
    (5000, None)
    >>> tried(100)
    100
    """
    trial = _TRIAL.get()
    return memory if memory is None or trial is None else trial


@contextlib.contextmanager
def on_trial(budget: int):
    """Inside, programs with a budget have this one."""
    token = _TRIAL.set(budget)
    try:
        yield
    finally:
        _TRIAL.reset(token)


def name_least_budget(error: MemoryBudgetError, run) -> None:
    """Let the hint of an error about one loop name the least budget of the program, which `run()` runs on its arguments.

    The hint stays as it is where no other loop can need more, or where the program raises another error.

    >>> def run():
    ...     for least in (300, 700):
    ...         if tried(100) < least:
    ...             error = MemoryBudgetError("too little")
    ...             error.least, error.is_whole = least, False
    ...             raise error
    >>> try:
    ...     run()
    ... except MemoryBudgetError as error:
    ...     name_least_budget(error, run)
    ...     error.hint
    'the least budget that works is 700 bytes'
    """
    if error.least is None or error.is_whole or _TRIAL.get() is not None:
        return
    failure, below = error, 0
    for _ in range(LOOPS):
        budget, below = failure.least, max(below, _too_small(failure))
        begun = time.monotonic()
        failure = _failure(budget, run)
        if failure is None:
            break
        if getattr(failure, "least", None) is None or failure.least <= budget:
            return
    else:
        return
    spread = budget // 100 if time.monotonic() - begun > LONG else 1
    while budget - below > max(spread, 1):
        middle = (below + budget) // 2
        below, budget = (below, middle) if _failure(middle, run) is None else (middle, budget)
    more = " to one percent" if budget - below > 1 else ""
    error.set_hint(f"the least budget that works is {budget} bytes{more}")


def _too_small(error) -> int:
    """A budget that is too small by what one loop said: of an estimate, half of it was what the loop would take now."""
    return (error.least // 2 if error.is_estimate else error.least) - 1


def _failure(budget, run) -> Exception | None:
    try:
        with on_trial(budget):
            run()
    except Exception as error:
        return error
    return None


__all__ = ["name_least_budget", "on_trial", "tried"]
