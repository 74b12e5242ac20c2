"""Gradients with a memory budget that keep their whole tape where they are differentiated again: it is measured first.

    def grad_of_f(x, n):
        assert whole_tape_fits(x, n)
        return f_gradient(x, n)[1]
"""

from __future__ import annotations

from ..errors import MemoryBudgetError
from ..runtime.finish import private_copy
from ..within_budget import peak_of


def whole_tape_test(programs, compiled, measured):
    """The test that a program's whole tape, with the tangent of each value, stays below its budget.

    compiled: the gradient that is differentiated; measured: gives the two sweeps of the same program, without
    checkpointing. The test is given the arguments, and raises MemoryBudgetError. Nothing is known of the tape of a
    program that must not run twice: that is an error, too.
    """
    memory, name = programs.memory, compiled.name

    def whole_tape_fits(*values) -> bool:
        if compiled.effects or compiled.changes_globals:
            raise MemoryBudgetError(
                f"a derivative of the gradient of '{name}' keeps its whole tape, which a budget of {memory} bytes does not "
                "bound, and which cannot be measured: the program prints, draws random numbers or changes what is outside",
                compiled.loc,
                hint="leave out memory= where a gradient is differentiated again, or take ad.hvp of the function itself",
            )
        split = measured()
        nbytes = 2 * peak_of(split, private_copy(values, split))
        if nbytes > memory:
            raise MemoryBudgetError(
                f"a derivative of the gradient of '{name}' keeps its whole tape with tangents, {nbytes} bytes, more than the "
                f"budget of {memory}",
                compiled.loc,
                hint=f"the least budget that works is {nbytes} bytes",
            )
        return True

    whole_tape_fits.is_inactive = True
    return whole_tape_fits


__all__ = ["whole_tape_test"]
