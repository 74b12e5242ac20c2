"""Third derivatives in each of the eight pairings of modes, against closed forms.

`python -m tests.programs.third_order` runs all of them.
"""
from __future__ import annotations

import itertools
import math
import sys

import numpy as np

import adcompiler as ad
from tests.programs.oracle import agree

PAIRINGS = ["".join(p) for p in itertools.product("rf", repeat=3)]  # the innermost derivative first


def by_loop(x):
    """x ** 6."""
    y = 1.0
    for k in range(3):
        y = y * x * x
    return y


def by_stores(x):
    """exp(2 x) by its series, in an array that is changed in place."""
    a = np.zeros(30)
    a[0] = 1.0
    for k in range(1, 30):
        a[k] = 2.0 * x * a[k - 1] / k
    return np.sum(a)


def by_recursion(x, n=5):
    """x ** 5."""
    return 1.0 if n == 0 else x * by_recursion(x, n - 1)


def by_search(x):
    """x ** 4, where a loop leaves early."""
    kept = [x]
    while True:
        kept.append(kept[-1] * x)
        if len(kept) == 4:
            return kept[-1]


def by_parts(x):
    """sin(x) * x, through a dict, a helper and a branch."""
    def scaled(v):
        return v * x if x > 0.0 else -v * x

    d = {"s": math.sin(x)}
    d["t"] = scaled(d["s"])
    return d["t"]


def by_rows(x):
    """x ** 5, in arrays that a list holds, and an object."""
    rows = [np.full(2, x), np.full(2, x * x)]
    box = Box(x)
    for k in range(2):
        rows[k] *= x
        box.factor = box.factor * x
    return rows[1][0] * box.factor / x


class Box:
    def __init__(self, factor):
        self.factor = factor


def by_attempt(x):
    """1 / x, behind an attempt that fails."""
    try:
        y = math.sqrt(x - 5.0)
    except ValueError:
        y = 1.0 / x
    return y


def by_system(x):
    """2 / x, as the solution of linear equations."""
    a = np.array([[x, 0.0], [1.0, 2.0]])
    return np.linalg.solve(a, np.array([2.0, 0.0]))[0]


def by_views(x):
    """8 x ** 3, through views of one array."""
    a = np.full(4, x)
    b = a[1:]
    b *= 2.0
    a[0] = a[1] * a[2] * b[2]
    return a[0]


FORMS = [  # the function, a point, the third derivative there
    (by_loop, 1.2, 120 * 1.2**3),
    (by_stores, 0.4, 8 * math.exp(0.8)),
    (by_recursion, 1.1, 60 * 1.1**2),
    (by_search, 1.3, 24 * 1.3),
    (by_parts, 0.7, -3 * math.sin(0.7) - 0.7 * math.cos(0.7)),
    (by_attempt, 1.5, -6 / 1.5**4),
    (by_rows, 1.2, 60 * 1.2**2),
    (by_system, 1.5, -12 / 1.5**4),
    (by_views, 1.7, 48.0),
]


def derivative(f, mode):
    """The derivative of a function of one number in a mode, as a function."""
    if mode == "r":
        return ad.grad(f)

    def slope(x):
        return ad.jvp(f, (x,), (1.0,))[1]

    return slope


def third(f, pairing, x):
    for mode in pairing:
        f = derivative(f, mode)
    return f(x)


def assert_third(f, x, wanted, pairing):
    got = third(f, pairing, x)
    assert agree([got], [wanted], 1e-11), f"{f.__name__} {pairing}: {got}, right is {wanted}"


def main() -> int:
    wrong = 0
    for (f, x, wanted), pairing in itertools.product(FORMS, PAIRINGS):
        try:
            assert_third(f, x, wanted, pairing)
        except Exception as error:
            wrong += 1
            print(f"WRONG {f.__name__} {pairing}: {type(error).__name__}: {error}", flush=True)
    print(f"{len(FORMS)} functions in {len(PAIRINGS)} pairings, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
