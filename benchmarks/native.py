"""Gradients through the Numba backend beside JAX and beside the compiled function: `python -m benchmarks.native`.

For each program: seconds to compile the gradient (of a fresh cache; Numba's own start left out), then medians of
interleaved rounds of the function under `numba.njit`, of value and gradient, and of JAX where it is installed (compiled,
its result awaited; its compilation left out). "jax" is the time of JAX over ours. Nothing fails: "over" says that a
limit of `programs/native.py` was missed on this machine.
"""
from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import tempfile
import warnings

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"  # one thread, set before NumPy is loaded
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

import numpy as np  # noqa: E402

from .harness import compiled_by_numba, median_times  # noqa: E402
from .programs.native import PROGRAMS  # noqa: E402

HEAD = f"{'program':18s}{'compile s':>10s}{'primal us':>11s}{'gradient us':>12s}{'ratio':>7s}{'limit':>6s}{'jax us':>11s}{'jax':>7s}{'limit':>6s}"


def compiled_by_jax(program, arguments):
    """Value and gradient by JAX as a call without arguments."""
    import jax

    jax.config.update("jax_enable_x64", True)
    counts = tuple(k for k, a in enumerate(arguments) if isinstance(a, int))
    run = jax.jit(jax.value_and_grad(lambda *a: program.for_jax(jax, *a)), static_argnums=counts)
    on_device = [a if k in counts else jax.numpy.asarray(a) for k, a in enumerate(arguments)]
    return lambda: jax.block_until_ready(run(*on_device))


def measured(program, rounds, with_jax):
    """Seconds to compile the gradient, and per call of the primal, of value and gradient, and of JAX or None."""
    arguments = program.case.arguments()
    compiling, calls, found = compiled_by_numba(program.case, arguments)
    if with_jax:
        calls.append(compiled_by_jax(program, arguments))
        np.testing.assert_allclose(calls[-1]()[1], found, rtol=1e-7, atol=1e-9)
    times = median_times(calls, rounds=rounds)
    return compiling, *times, *(() if with_jax else (None,))


def bandwidth_time(megabytes, rounds):
    """Seconds to move so many megabytes: half of them read, half written."""
    source = np.ones(int(megabytes * 1e6 / 16))
    target = np.empty_like(source)
    return median_times([lambda: np.copyto(target, source)], rounds=rounds)[0]


def row(program, compiling, primal, gradient, jax, rounds):
    ratio, over = gradient / primal, []
    limit = program.over_primal
    text = f"{program.case.name:18s}{compiling:10.1f}{primal * 1e6:11.1f}{gradient * 1e6:12.1f}{ratio:7.2f}{limit or '':>6}"
    if limit and ratio > limit:
        over.append("primal")
    if jax:
        text += f"{jax * 1e6:11.1f}{jax / gradient:7.1f}{program.faster_than_jax or '':>6}"
        if program.faster_than_jax and jax / gradient < program.faster_than_jax:
            over.append("jax")
    if program.microseconds and gradient * 1e6 > program.microseconds:
        over.append(f"{program.microseconds} us")
    if program.megabytes:
        times = gradient / bandwidth_time(program.megabytes, rounds)
        text += f"  {times:.1f} of the memory's time (limit 2)"
        if times > 2.0:
            over.append("memory")
    return text + ("  over: " + ", ".join(over) if over else "")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.native", description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="programs whose name holds this text")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--no-peers", action="store_true", help="leave JAX out")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with_jax = not options.no_peers and importlib.util.find_spec("jax") is not None
    with tempfile.TemporaryDirectory(prefix="adcompiler-benchmark-") as directory:
        os.environ["ADCOMPILER_CACHE_DIR"] = directory
        import numba

        numba.njit(lambda x: x)(1.0)
        print(HEAD)
        for program in PROGRAMS:
            if options.only in program.case.name:
                print(row(program, *measured(program, options.rounds, with_jax), options.rounds), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
