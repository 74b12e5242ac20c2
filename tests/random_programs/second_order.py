"""Second derivatives of one random program: reverse over reverse, forward over reverse, and differences of the gradient.

`python -m tests.random_programs --second-order` runs this check. A clear refusal is no failure here: the language of
second derivatives is smaller than that of first ones.
"""
from __future__ import annotations

from typing import Any

import numpy as np

import adcompiler

from .check import ProgramFailure, error_kind
from .oracle import Oracle
from .program import Program

TOLERANCE = 1e-8
STEP = 1e-5
DIFFERENCES = 1e-4


def check_second_order(program: Program) -> bool:
    """False if second derivatives of the program are refused. Raises Discarded and ProgramFailure as `check_program`."""
    Oracle(program).gradient()  # discards programs that are not smooth at their arguments
    rng = np.random.default_rng(1)
    direction, weights = _like(program, rng), _like(program, rng)
    with program.function() as f, np.errstate(all="ignore"):
        gradient = adcompiler.grad(f, wrt=program.wrt)

        def weighted(step: float) -> float:
            args = dict(zip(program.args, program.fresh_args(), strict=True))
            for name, d in zip(program.wrt, direction, strict=True):
                args[name] = args[name] + step * d
            return _dot(weights, gradient(*args.values()))

        try:
            weighted(0.0)
        except adcompiler.AdcompilerError:
            return False
        differences = (8 * (weighted(STEP) - weighted(-STEP)) - (weighted(2 * STEP) - weighted(-2 * STEP))) / (12 * STEP)
        found = {}
        for kind, run in (("reverse over reverse", _reverse), ("forward over reverse", _forward)):
            args = program.fresh_args()
            try:
                found[kind] = run(gradient, program, args, direction, weights)
            except adcompiler.UnsupportedSyntaxError as error:
                if not (error.hint and error.lineno):
                    raise ProgramFailure(program, f"{kind}: an unclear refusal", str(error)) from error
            except Exception as error:
                raise ProgramFailure(program, f"{kind}: {error_kind(error)}", str(error)) from error
            if any(not np.array_equal(a, b) for a, b in zip(args, program.args.values(), strict=True)):
                raise ProgramFailure(program, f"{kind}: argument changed", f"{args}")
    if len(found) == 2:
        one, other = found.values()
        if not abs(one - other) <= TOLERANCE * max(1.0, abs(one), abs(other)):
            raise ProgramFailure(program, "second derivatives differ by mode", f"{found}, differences {differences}")
    for kind, value in found.items():
        if not abs(value - differences) <= DIFFERENCES * max(1.0, abs(value), abs(differences)):
            raise ProgramFailure(program, f"{kind}: wrong", f"got {value}, differences give {differences}")
    return bool(found)


def _reverse(gradient, program: Program, args: list, direction: list, weights: list) -> float:
    _, pullback = adcompiler.vjp(gradient, *args, wrt=program.wrt)
    return _dot(direction, pullback(tuple(weights)))


def _forward(gradient, program: Program, args: list, direction: list, weights: list) -> float:
    _, tangent = adcompiler.jvp(gradient, args, tuple(direction), wrt=tuple(program.wrt))
    return _dot(weights, tangent)


def _like(program: Program, rng) -> list[Any]:
    return [
        rng.standard_normal(np.shape(program.args[w])) if np.ndim(program.args[w]) else float(rng.standard_normal())
        for w in program.wrt
    ]


def _dot(weights: list, values: Any) -> float:
    return sum(float(np.sum(np.multiply(w, v))) for w, v in zip(weights, values, strict=True))
