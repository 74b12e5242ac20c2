"""Costs that are not ratios: a call, element reads, compilation, decoration. Each function gives rows of the report."""
from __future__ import annotations

import importlib.util
import math
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

import adcompiler as ad

from .harness import Row, median_times
from .limits import LIMITS


def three_operations(x, y):
    return x * y + math.sin(x)


def sum_of_reads(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * x[i]
    return total


def call(rounds):
    """Microseconds per gradient of three operations on Python floats."""
    f = ad.differentiable(three_operations)
    primal, gradient = median_times([lambda: f(2.0, 5.0), lambda: f.grad(2.0, 5.0)], rounds)
    return [Row("scalar gradient, one call", gradient * 1e6, "us", LIMITS["call"], f"function {primal * 1e6:.2f} us")]


def reads(rounds, sizes=(1000, 2000, 4000, 8000)):
    """Growth of the time per element when n elements are read one by one: 1 if the cost is O(n), n if it is O(n^2)."""
    f = ad.differentiable(sum_of_reads)
    arrays = [np.linspace(0.0, 1.0, n) for n in sizes]
    times = median_times([lambda x=x: f.grad(x) for x in arrays], rounds)
    per_element = [seconds / n for seconds, n in zip(times, sizes, strict=True)]
    detail = ", ".join(f"n={n} {seconds * 1e9:.0f} ns" for n, seconds in zip(sizes, per_element, strict=True))
    return [Row("element reads, growth per element", per_element[-1] / per_element[0], "x", LIMITS["reads"], detail)]


def straight_line(lines: int) -> str:
    """Source of a function `f(x, y)` of `lines` assignments.

    >>> print(straight_line(2))
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def f(x, y):
        a = np.sin(x) * y
        b = a + np.exp(-y * x)
        return np.sum(a * b)
    <BLANKLINE>
    """
    forms = ("a = np.sin({0}) * y", "b = a + np.exp(-y * x)", "a = b * b + x", "b = np.tanh(a) - 0.5 * b",
             "a = a / (2.0 + np.cos(b))")
    body = ["a = np.sin(x) * y", "b = a + np.exp(-y * x)"]
    body += [forms[i % len(forms)].format("b") for i in range(2, lines)]
    return "import numpy as np\n\n\ndef f(x, y):\n" + "".join(f"    {s}\n" for s in body) + "    return np.sum(a * b)\n"


def compile_times(lengths, rounds):
    """Median seconds from decoration to the first gradient, less a second call, for straight-line functions."""
    x, y = np.linspace(0.1, 0.5, 4), np.linspace(0.2, 0.8, 4)
    samples = {lines: [] for lines in lengths}
    with tempfile.TemporaryDirectory() as folder:
        for round_number in range(rounds):
            for lines in lengths:
                # A new module each time, so that nothing of an earlier round is cached.
                name = f"straight_{lines}_{round_number}"
                path = Path(folder) / f"{name}.py"
                path.write_text(straight_line(lines))
                spec = importlib.util.spec_from_file_location(name, path)
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                start = time.perf_counter()
                f = ad.differentiable(module.f)
                f.grad(x, y)
                compiled = time.perf_counter()
                f.grad(x, y)
                samples[lines].append(2.0 * compiled - start - time.perf_counter())
    return [statistics.median(samples[lines]) for lines in lengths]


def compile(rounds, lengths=(25, 50, 100, 200, 400)):
    """Compile time for 100 lines, and whether it grows linearly up to 400."""
    compile_times((25,), 1)                 # imports and first-use tables are not the program's cost
    times = dict(zip(lengths, compile_times(lengths, min(rounds, 5)), strict=True))
    detail = ", ".join(f"{lines} lines {seconds:.3f} s" for lines, seconds in times.items())
    growth = (times[400] / 400) / (times[100] / 100)
    return [Row("compile 100 lines", times[100], "s", LIMITS["compile"], detail),
            Row("compile, growth per line", growth, "x", LIMITS["compile linearity"], "400 lines against 100")]


def decorate(rounds):
    """Microseconds to decorate a function that was never decorated before."""

    def once():
        def fresh(x):
            return x * x

        return ad.differentiable(fresh)

    (seconds,) = median_times([once], rounds)
    return [Row("decorate", seconds * 1e6, "us", LIMITS["decorate"])]


COSTS = {"call": call, "reads": reads, "compile": compile, "decorate": decorate}
