"""Random programs through both backends: `python -m tests.numba.random_programs --count 200 --seed 1`.

A program that the Numba backend refuses counts as refused; a different number, or any other error, is a failure.
"""
from __future__ import annotations

import argparse
import sys
from collections import Counter

import numpy as np

import adcompiler as ad
from tests.random_programs.grammar import from_seed

TOLERANCE = 1e-12
# Features whose programs the backend refuses: only programs without them are of interest.
BEYOND = ("dict", "recursion", "generator", "del", "starred")


def within_reach(seed, count):
    """So many programs, of those that belong to `seed:0`, `seed:1` and so on, that use no feature beyond the backend."""
    index = 0
    while count:
        program = from_seed(f"{seed}:{index}")
        if not any(word in feature for feature in program.features for word in BEYOND):
            count -= 1
            yield f"{seed}:{index}", program
        index += 1


def compare(program) -> str:
    """"fine", "refused: ..." or "discarded: ..."; AssertionError where the backends differ."""
    with program.function() as f, np.errstate(all="ignore"):
        try:
            expected = ad.value_and_grad(f, wrt=program.wrt)(*program.fresh_args())
        except Exception as error:  # the program itself fails, or is refused: nothing to compare with
            return f"discarded: {type(error).__name__}"
        if not all(np.all(np.isfinite(part)) for part in (expected[0], *expected[1])):
            return "discarded: not finite"
        try:
            found = ad.value_and_grad(f, wrt=program.wrt, backend="numba")(*program.fresh_args())
        except ad.AdcompilerError as error:
            return f"refused: {error.reason}"
    scale = max(1.0, *(float(np.max(np.abs(part), initial=0.0)) for part in (expected[0], *expected[1])))
    for got, want in zip((found[0], *found[1]), (expected[0], *expected[1]), strict=True):
        assert np.shape(got) == np.shape(want), (got, want)
        assert np.max(np.abs(np.subtract(got, want)), initial=0.0) <= TOLERANCE * scale, (
            f"Numba gives {found}, NumPy {expected}\n\n{program.regression()}"
        )
    return "fine"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.numba.random_programs", description=__doc__)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    outcomes, failures = Counter(), 0
    for label, program in within_reach(options.seed, options.count):
        try:
            outcome = compare(program)
        except Exception as error:
            failures += 1
            print(f"{label}: {type(error).__name__}: {error}", flush=True)
            outcome = "failed"
        outcomes[outcome] += 1
        print(f"{label} {outcome}", flush=True)
    for outcome, count in outcomes.most_common():
        print(f"{count:5d} {outcome}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
