"""The work of compiling grows with the length of a function, not with its square: Python calls are counted, not seconds."""
import importlib.util
import sys

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.pipeline import switched

# One statement of each kind of program, for every number of a line.
STATEMENTS = {
    "arrays": lambda k: ("a = np.sin(a) * y + b", "b = b * 0.5 + a", "a = a / (2.0 + np.cos(b))")[k % 3],
    "names": lambda k: f"a{k} = np.tanh({f'a{k - 1}' if k else 'a'}) + x; a = a{k} * y",
    "numbers": lambda k: "c = math.sin(d) + 0.5 * c" if k % 2 else "d = d + math.cos(c)",
    "stores": lambda k: f"a[{k % 4}] = np.sin(a[{(k + 1) % 4}]) * y[{k % 4}]",
    "slices": lambda k: "a[1:] = np.sin(a[:-1]) * y[1:]" if k % 2 else "a *= y",
    "branches": lambda k: f"c = c * d if c > {k}.5 else c + d",
    "loops": lambda k: "for i in range(3):\n        c = c * y[i] + math.sin(d)",
    "lists": lambda k: f"values.append(values[{k}] * x[{k % 4}])",
    "helpers": lambda k: "a = helper(a, y)",
}
HEAD = """import math

import numpy as np


def helper(p, q):
    r = p * q
    return np.sin(r) + p


def f(x, y):
    a, b, c, d = x.copy(), y * 2.0, x[0], y[0]
    values = [c]
"""


def function(kind, lines, folder):
    """A function of so many statements, from a new module."""
    name = f"long_{kind}_{lines}"
    path = folder / f"{name}.py"
    body = "".join(f"    {STATEMENTS[kind](k)}\n" for k in range(lines))
    path.write_text(HEAD + body + "    return np.sum(a * b) + c * d + values[-1]\n")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def calls_to_compile(f, *args) -> int:
    """Calls of Python functions from decoration to the first gradient."""
    counted = 0

    def count(frame, event, argument):
        nonlocal counted
        counted += event == "call"

    with switched(verify=False, check_types=False):
        sys.setprofile(count)
        try:
            ad.differentiable(f).grad(*args)
        finally:
            sys.setprofile(None)
    return counted


@pytest.mark.parametrize("kind", STATEMENTS)
def test_work_grows_with_the_length(kind, tmp_path):
    x, y = np.linspace(0.1, 0.5, 4), np.linspace(0.2, 0.8, 4)
    calls_to_compile(function(kind, 3, tmp_path), x, y)       # tables filled at first use are not the program's cost
    short, middle, long = (calls_to_compile(function(kind, lines, tmp_path), x, y) for lines in (16, 32, 64))
    # Linear cost: the second step, twice as long, costs twice the first. Quadratic cost: four times.
    assert long - middle < 2.6 * (middle - short)
