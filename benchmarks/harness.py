"""Cases and timing: medians of interleaved rounds, so that all columns of a row saw the same machine."""
from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Case:
    """One program with its arguments.

    function: plain Python; its first argument is differentiated, its result is one real number.
    arguments: makes a fresh tuple of arguments.
    mutates: positions of the arguments that the function overwrites; the primal is timed with a copy of them, because
        a gradient call keeps the caller's arrays intact and pays for that copy too.
    portable: the same function for array libraries without in-place updates, as `portable(xp, *arguments)`.
    peers: the systems that can run `portable`.
    """

    name: str
    function: Callable
    arguments: Callable[[], tuple]
    mutates: tuple[int, ...] = ()
    portable: Callable | None = None
    peers: tuple[str, ...] = ("autograd", "jax", "torch")

    def run_primal(self, arguments):
        """Call the function on `arguments`, which stay as they are."""
        return self.function(*(a.copy() if i in self.mutates else a for i, a in enumerate(arguments)))


@dataclass(frozen=True)
class Row:
    """One measured quantity of the report, beside its limit (None: no limit set)."""

    name: str
    measured: float
    unit: str
    limit: float | None = None
    detail: str = ""
    peers: dict[str, float] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        if self.limit is None:
            return ""
        return "ok" if self.measured <= self.limit else "over"


def median_times(calls, rounds=15, slice_seconds=5e-3):
    """Median seconds per call of each callable; every round times each of them once, for about `slice_seconds`.

    >>> fast, slow = median_times([lambda: None, lambda: sum(range(5000))], rounds=3, slice_seconds=1e-3)
    >>> fast < slow
    True
    """
    repeats = []
    for call in calls:
        call()                              # compiles, fills caches
        start = time.perf_counter()
        call()
        repeats.append(max(1, int(slice_seconds / max(time.perf_counter() - start, 1e-9))))
    samples = [[] for _ in calls]
    for _ in range(rounds):
        for call, repeat, sample in zip(calls, repeats, samples, strict=True):
            start = time.perf_counter()
            for _ in range(repeat):
                call()
            sample.append((time.perf_counter() - start) / repeat)
    return [statistics.median(sample) for sample in samples]


def assert_gradient(case: Case, gradient, arguments, tolerance=1e-4):
    """Raise AssertionError unless `gradient` agrees with a central difference along one random direction.

    A wrong gradient is not worth timing.
    """
    x = np.asarray(arguments[0], dtype=float)
    direction = np.random.default_rng(7).standard_normal(x.shape)
    step = 1e-6 * max(1.0, float(np.max(np.abs(x), initial=0.0)))

    def at(shift):
        moved = x + shift * direction
        return float(case.run_primal((moved if x.ndim else float(moved), *arguments[1:])))

    expected = (at(step) - at(-step)) / (2.0 * step)
    got = float(np.sum(np.asarray(gradient) * direction))
    if not abs(got - expected) <= tolerance * max(1.0, abs(expected)):
        raise AssertionError(f"{case.name}: directional derivative {got!r}, differences give {expected!r}")


def compiled_by_numba(case: Case, arguments):
    """Seconds to compile the gradient; calls of the compiled primal and of value and gradient; the gradient found."""
    import numba

    import adcompiler as ad

    gradient = ad.value_and_grad(case.function, backend="numba")
    begun = time.perf_counter()
    _, found = gradient(*arguments)
    compiling = time.perf_counter() - begun
    assert_gradient(case, found, arguments)
    primal = numba.njit(error_model="numpy")(case.function)

    def run_primal():
        return primal(*(a.copy() if k in case.mutates else a for k, a in enumerate(arguments)))

    return compiling, [run_primal, lambda: gradient(*arguments)], found
