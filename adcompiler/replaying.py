"""The forward function with its tape, and the adjoint function on that tape."""

from __future__ import annotations

import numpy as np

from .errors import AdcompilerError, MemoryBudgetError
from .generated_calls import call_generated, name_budget
from .runtime.finish import is_nan, private_copy
from .runtime.seeds import checked_seed
from .within_budget import smaller_tape


def program_with_tape(programs, binding, wrt, *, private=False):
    """The forward and adjoint functions for a call; `private`: the forward function gets copies of what it changes.

    Where a NaN appears in the adjoint, it is computed again with strict zeros, on a tape that strict code has made. So
    what must not run a second time, or cannot since it changed its arguments, is strict from the start.
    """
    compiled = programs.split(binding, wrt.paths, constant=wrt.constant)
    if compiled.effects or compiled.mutated and not private:
        return programs.split(binding, wrt.paths, constant=wrt.constant, strict=True)
    return compiled


def run_adjoint(programs, compiled, binding, wrt, tape, value, seed, *, retain, unchanged=None):
    """The adjoint function on a tape, with a seed that is checked; with strict zeros, from a tape of its own, if a NaN appears.

    unchanged: what the arguments held, if they are the caller's own.
    """
    try:
        if tape.is_freed:
            tape.open(tape.owner)
        seed = checked_seed(seed, value)
    except AdcompilerError as error:
        error.locate(binding.places.get(""))
        raise
    if unchanged is not None:
        unchanged.check()
    copy = tape.replay() if retain else tape.handed_over()
    if compiled.strict:
        return wrt.packed(_strict_adjoint(compiled, copy, seed), binding)
    try:
        gradients = call_generated(compiled, "adjoint", (copy, seed))
        bad = is_nan(gradients)
    except MemoryBudgetError as error:  # of what shows only as it runs
        values = None if compiled.mutated else binding.values
        if not compiled.is_measured:
            name_budget(error, compiled, None if values is None else lambda: values)
            raise
        gradients = call_generated(compiled, "adjoint", (smaller_tape(compiled, values, error), seed))
        bad = is_nan(gradients)
    except ZeroDivisionError:
        bad = True
    if bad:
        if unchanged is not None:
            unchanged.check(everything=True)
        strict = programs.split(binding, wrt.paths, strict=True, constant=wrt.constant)
        with np.errstate(all="ignore"):
            _, made = call_generated(strict, "forward", private_copy(binding.values, strict))
        gradients = _strict_adjoint(strict, made, seed)
    return wrt.packed(gradients, binding)


def _strict_adjoint(strict, tape, seed):
    """Numbers are NumPy's, which divide by zero without an exception."""
    with np.errstate(all="ignore"):
        return call_generated(strict, "adjoint", (tape, np.float64(seed) if isinstance(seed, float) else seed))
