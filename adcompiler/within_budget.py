"""Calls of generated code with a memory budget: the tape is measured, and kept below it or refused.

The loops of a program share its budget. Where the rest of the tape (of recursive calls, of loops that cannot run again)
leaves less than that, the program runs once more with less for its loops; the share that fits is remembered for calls
with arguments of the same sizes. A program that must not run twice, or whose tape is too large whatever its loops get, is
a MemoryBudgetError.
"""

from __future__ import annotations

import numpy as np

from .budget_trials import name_least_budget, on_trial, share_on_trial, sharing, with_smaller_shares
from .errors import MemoryBudgetError
from .runtime.seeds import unit_seed
from .runtime.tape_limit import TapeLimit

REMEMBERED = 100  # shares


def gradient_within_budget(compiled, values, again, call):
    """`(value, gradients)` of a program with two sweeps, the gradient of one number. See `forward_within_budget`."""

    def run(values):
        value, tape = _forward(compiled, values, compiled.memory, call)
        gradients = adjoint_within_budget(compiled, tape, unit_seed(_differentiated(compiled, value)), call)
        if compiled.conjugated:
            several = isinstance(gradients, tuple)
            gradients = tuple(map(np.conj, gradients)) if several else np.conj(gradients)
        return value, gradients

    return _fitted(compiled, run, run, values, again)


def forward_within_budget(compiled, values, again, call):
    """`(value, tape)`.

    again: gives the arguments as they were, where the code changes them, or is None if they are lost. call: runs a
    generated function, by its kind, and puts the user's line on exceptions.
    """

    def run(values):
        return _forward(compiled, values, compiled.memory, call)

    return _fitted(compiled, run, lambda values: _swept(compiled, run(values)), values, again)


def adjoint_within_budget(compiled, tape, seed, call):
    """The gradients; the tape is measured as it is swept back."""
    limit = tape.limit
    if limit is None:
        return call("adjoint", (tape, seed))
    limit.beside = limit.whole
    with limit.in_force(), sharing(limit.share):
        return call("adjoint", (tape, seed))


def smaller_tape(compiled, values, error):
    """A tape that stays within the budget in both sweeps, where that of another run of the program did not.

    Raises `error`, with the least budget that works, if there is none. values: the arguments, or None if they are lost.
    """
    again = None if values is None else lambda: values
    return _with_less(compiled, lambda v: _swept(compiled, _forward(compiled, v, compiled.memory, None)), again, values, error)[1]


def _forward(compiled, values, limit, call):
    limit = TapeLimit(limit, values)
    limit.share = share_on_trial(compiled.memory)
    with limit.in_force():
        value, tape = compiled.functions["forward"](*values) if call is None else call("forward", values)
    tape.limit = limit
    try:
        limit.turned(tape)
    except MemoryBudgetError as error:
        error.locate(compiled.loc)
        raise
    return value, tape


def _differentiated(compiled, value):
    return value[0] if compiled.has_auxiliary else value


def _swept(compiled, run):
    """The value and the tape of a run, when the reverse sweep has been tried on a copy."""
    value, tape = run
    try:
        adjoint_within_budget(
            compiled, tape.replay(), _differentiated(compiled, value), lambda kind, values: compiled.functions[kind](*values)
        )
    except MemoryBudgetError:
        raise
    except Exception:  # not every value can stand for a seed; then the forward sweep and the loops of known length count
        pass
    return value, tape


def _fitted(compiled, run, run_less, values, again):
    """`run(values)`, or `run_less` of them with smaller shares for the loops of the program."""
    memory = compiled.memory
    if again is None and not compiled.mutated:
        again = lambda: values  # noqa: E731
    share = compiled.shares.get(sizes_of(values), memory)
    try:
        with sharing((memory, share) if share < memory else None):
            return run(values)
    except MemoryBudgetError as error:
        return _with_less(compiled, run_less, again, values, error)


def _with_less(compiled, run, again, values, error):
    memory = compiled.memory
    error.locate(compiled.loc)
    if again is None or compiled.effects or compiled.changes_globals:
        if not error.hint:
            error.set_hint(
                f"at least {error.reached} bytes are needed; the least budget that works is not known, since the program must "
                "not run again: it prints, draws random numbers, steps through an iterator, or changes what it is given or reads"
            )
        raise error
    key = sizes_of(values)
    is_reduced = compiled.shares.pop(key, None) is not None
    with np.errstate(all="ignore"):
        if error.least is None or is_reduced:  # the tape as a whole, not a loop by itself
            made = with_smaller_shares(memory, lambda: run(again()), max(error.reached, memory))
            if made is not None:
                if len(compiled.shares) >= REMEMBERED:
                    compiled.shares.clear()
                compiled.shares[key], result = made
                return result
        least = name_least_budget(error, memory, lambda: peak_of(compiled, again()))
        if least is not None and compiled.is_recursive:
            _name_one_that_works(compiled, error, least, again)
    raise error


def _name_one_that_works(compiled, error, least, again):
    """With recursive calls less for the loops may be more for the tape, so that the least budget is not known for certain."""
    for limit in (least, 5 * least // 4, 3 * least // 2, 2 * least):
        run = lambda limit=limit: _swept(compiled, _forward(compiled, again(), limit, None))  # noqa: E731
        try:
            with on_trial(compiled.memory, limit):
                run()
            break
        except MemoryBudgetError as found:
            if with_smaller_shares(compiled.memory, run, max(found.reached, limit), limit) is not None:
                break
    else:
        error.set_hint(f"more than {limit} bytes are needed")
        return
    error.set_hint(f"a budget that works is {limit} bytes")


def peak_of(compiled, values) -> int:
    """The most that the tape takes in both sweeps, without a limit for it."""
    return _swept(compiled, _forward(compiled, values, None, None))[1].limit.peak


def sizes_of(value):
    """What of the arguments decides how much a program takes: shapes, and whole numbers."""
    if isinstance(value, (np.ndarray, np.generic)):
        return np.shape(value)
    if isinstance(value, (tuple, list)):
        return tuple(map(sizes_of, value))
    if isinstance(value, dict):
        return tuple((k, sizes_of(v)) for k, v in value.items())
    if isinstance(value, int):
        return value
    return sizes_of(vars(value)) if hasattr(value, "__dict__") and not callable(value) else None


__all__ = ["adjoint_within_budget", "forward_within_budget", "gradient_within_budget", "peak_of", "sizes_of", "smaller_tape"]
