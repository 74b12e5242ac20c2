"""Gradients through the Numba backend beside the same functions compiled by Numba: `python -m benchmarks.numba_loops`.

For each program of the benchmark that the backend compiles: seconds to compile the gradient (of a fresh cache), then
medians of interleaved rounds of the Numba primal and of value and gradient, and their ratio. The primal is the plain
function under `numba.njit`, in the form in which it is written.
"""
from __future__ import annotations

import argparse
import os
import sys
import tempfile
import warnings

from .harness import compiled_by_numba, median_times
from .programs import factorisations, helmholtz, loops, stencils


def cases():
    for module in (helmholtz, loops, stencils, factorisations):
        yield from module.CASES


def measured(case, rounds):
    """Seconds to compile the gradient, and per call of the primal and of value and gradient."""
    compiling, calls, _ = compiled_by_numba(case, case.arguments())
    return compiling, *median_times(calls, rounds=rounds)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.numba_loops", description=__doc__)
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="adcompiler-benchmark-") as directory:
        os.environ["ADCOMPILER_CACHE_DIR"] = directory
        import numba

        numba.njit(lambda x: x)(1.0)  # Numba's own start is not part of a compilation
        print(f"{'program':24s} {'compile s':>10s} {'primal us':>10s} {'gradient us':>12s} {'ratio':>6s}")
        for case in cases():
            if options.only in case.name:
                compiling, primal, gradient = measured(case, options.rounds)
                row = f"{compiling:10.1f} {primal * 1e6:10.1f} {gradient * 1e6:12.1f} {gradient / primal:6.2f}"
                print(f"{case.name:24s} {row}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
