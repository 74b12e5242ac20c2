"""Checks of the generator and the oracle themselves, without the compiler."""
from __future__ import annotations

import inspect

import numpy as np

from .oracle import Discarded, Oracle, distance
from .program import Program


class Invalid(AssertionError):
    """A generated program does not run, is not deterministic, or the oracle contradicts itself about it."""


def validate(program: Program) -> list[float]:
    """Run the program and compare complex step with differences at two steps; the gradient as one flat list.

    Raises `Invalid`, or `Discarded` where the program is not smooth enough to tell.
    """
    with program.function() as f, np.errstate(all="ignore"):
        if inspect.getsource(f) not in program.source:
            raise Invalid("the source text of the function is not found")
        try:
            first, second = f(*program.fresh_args()), f(*program.fresh_args())
        except Exception as error:
            raise Invalid(f"does not run: {type(error).__name__}: {error}") from error
    if not isinstance(first, float):
        raise Invalid(f"the result is a {type(first).__name__}")
    oracle = Oracle(program)
    if not first == second == oracle.value:
        raise Invalid("not deterministic, or changed by the instrumentation")
    gradient = oracle.gradient()
    coarse, fine = oracle.differences(1e-3), oracle.differences(1e-4)
    if distance(fine, coarse) > 1e-6:
        raise Discarded("the differences have not converged")
    if distance(gradient, fine) > 1e-6:
        raise Invalid("complex step and differences disagree")
    return [float(number) for part in gradient for number in np.ravel(part)]
