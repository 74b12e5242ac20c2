"""Random nests of loops over stores and reads with affine indices: `python -m tests.analysis.random_loops FIRST LAST`.

The gradient must be the same when every store keeps what it overwrites, and when the sweeps run apart.
"""
import linecache
import math
import random
import sys

import numpy as np

import adcompiler as ad
from adcompiler.pipeline import switched

RANGES = ["range(n)", "range(1, n)", "range(n - 1, -1, -1)", "range(0, n, 2)", "reversed(range(n))"]
INNER = ["range({0})", "range({0} + 1, n)", "range({0}, 0, -1)"]


class Writer:
    """Writes one program; arrays are large enough for every index, which may be negative and count from the end."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = ["def f(x, n):", "    a, b, s = np.zeros(14), np.zeros((9, 9)), 0.0"]
        self.lines += ["    a[:6] = x * 1.5", "    b[:6, 0] = x"]
        for _ in range(self.random.randint(1, 3)):
            self.loop([], 1)
        self.lines.append("    return s + np.sum(a * a) + np.sum(np.sin(b))")

    def index(self, names):
        choose = self.random.choice
        if not names or self.random.random() < 0.12:
            return choose(["0", "1", "2", "3", "-1", "4"])
        v, w = choose(names), choose(names)
        near = [v, v, f"{v} + 1", f"{v} - 1", f"{v} + 3", f"{v} - 2"]
        return choose([*near, f"n - 1 - {v}", f"{v} - {w}", f"{v} + {w}", f"2 * {v}"])

    def element(self, names):
        i, j = self.index(names), self.index(names)
        return self.random.choice([f"a[{i}]", f"b[{i}, {j}]"])

    def part(self, names):
        return self.random.choice(["b[{}, :4]", "b[:4, {}]", "a[2:6]"]).format(self.index(names))

    def statement(self, names, depth):
        put, choose = "    " * depth, self.random.choice
        e, f, g = [self.element(names) for _ in range(3)]
        kind = self.random.random()
        if kind < 0.45:
            shift = f"{f} * 0.5 + x[{self.random.randint(0, 5)}]"
            value = choose([f"{f} * {g}", f"math.sin({f})", shift, f"{f} + 1.1"])
            self.lines.append(f"{put}{e} = {value}")
        elif kind < 0.6:
            self.lines.append(f"{put}{e} {choose(['+=', '*=', '-='])} {f} * 0.3")
        elif kind < 0.72:
            self.lines.append(f"{put}{self.part(names)} = np.cos({self.part(names)}) * {e}")
        elif kind < 0.8:
            self.lines += [f"{put}w = {self.part(names)}", f"{put}{e} = w[1] * w[2]"]
            self.lines += [f"{put}w[{self.random.randint(0, 3)}] = {f} * 1.2", f"{put}s += w[3] * w[0]"]
        elif kind < 0.9:
            self.lines.append(f"{put}if {choose(names)} % 2 == 0:")
            self.statement(names, depth + 1)
        else:
            self.lines.append(f"{put}s += {e} * {f}")

    def loop(self, names, depth):
        v = "ijk"[len(names)]
        choices = RANGES + [r.format(names[-1]) for r in INNER if names]
        self.lines.append(f"{'    ' * depth}for {v} in {self.random.choice(choices)}:")
        for _ in range(self.random.randint(1, 3)):
            nested = len(names) < 2 and self.random.random() < 0.4
            (self.loop if nested else self.statement)([*names, v], depth + 1)


def program(seed):
    text = "\n".join(Writer(seed).lines) + "\n"
    file = f"<random loops {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace = {"np": np, "math": math}
    exec(compile(text, file, "exec"), namespace)
    return namespace["f"], text


def check(seed, trips=(4, 0, 1)):
    """Raise AssertionError, with the program, if a gradient depends on what is kept."""
    f, text = program(seed)
    x = np.random.default_rng(seed).uniform(0.3, 0.9, 6)
    for n in trips:
        found = ad.grad(f)(x, n)
        with switched(tbr=False):
            everything = ad.grad(f)(x, n)
        apart = ad.vjp(f, x, n)[1](1.0)[0]
        for other in (everything, apart):
            np.testing.assert_allclose(found, other, rtol=1e-12, atol=1e-12, err_msg=f"{seed}, n = {n}\n{text}")
    return found


if __name__ == "__main__":
    for k in range(int(sys.argv[1]), int(sys.argv[2])):
        check(k)
    print("all agree")
