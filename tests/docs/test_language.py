"""Each row of "Refused" in docs/language.md is refused, with a hint; the same on an inactive path is kept."""
import itertools
import math
import re
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg

import adcompiler as ad

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "language.md").read_text()


def generator(x):
    yield x


async def coroutine(x):
    return x


def matching(x):
    match {"a": x, "b": 2.0 * x}:
        case {"a": a, **rest}:
            return a * rest["b"]


def left_inside_of_branches(x, y):
    for t in (x, y, x * y):
        if t > 0.5:
            if t < 2.0:
                break
    return t * t


def exception_group(x):
    try:
        y = x * x
    except* ValueError:
        y = x
    return y


def evaluated(x):
    return sum(eval(text) for text in ["x"] * int(x))


def scaling_by(w):
    return lambda v: w * v


def stored_functions(x):
    fs = []
    for k in range(3):
        fs.append(scaling_by(x * k))
    return fs[0](x) * fs[2](x)


def all_globals(x):
    y = x * x
    return y * len(globals()) * globals().get("y", y)


def named_generator(x):
    squares = (v * v for v in x)
    return sum(squares)


def changed_twice(a):
    a[0] = a[0] * 2.0
    a[1] = math.log(a[0])
    return a[1]


def tried(x):
    try:
        y = changed_twice(x)
    except ValueError:
        y = 1.0
    return y * x[0]


def without_rule(x):
    return np.sum(np.intersect1d(x, [1.0]))


def unnamed_argument(x):
    return np.sum(np.array(x[:2], like=x))


def left_without_values(x):
    return np.sum(np.sin(x, where=x > 0.5))


def told_by_signature(x):
    return np.sum(np.sin(x, signature="d->d"))


def repeated_by_a_number(x):
    return np.sum(x.reshape((1,) * int(x.ndim > 0) + (3,)))


def order_of_a_norm(x):
    return np.linalg.norm([1.0, 2.0], x)


def overlapping(x, y):
    x[0] = 2.0 * y[1]
    return np.sum(x * y)


def broadcast(x):
    y = np.broadcast_to(x, (2, 3))
    x[0] = 1.0
    return np.sum(y)


def stored_as_integer(x):
    a = np.zeros(3, int)
    a[0] = x
    return a[0] * x


def mutable_default(x, seen=[]):  # noqa: B006
    seen.append(x)
    return sum(seen)


def stored_in_a_global(x):
    global LATEST
    LATEST = x
    return LATEST * x


def in_a_set(x):
    return sum({x, 2.0 * x})


def taken_one_by_one(x):
    elements = iter(x)
    return next(elements) * next(elements)


def pairs(x):
    return sum(a * b for a, b in itertools.zip_longest(x, x[1:], fillvalue=1.0))


def changes_what_it_runs_over(x):
    total = 0.0
    for v in itertools.chain(x, x):
        total = total + v * v
        x[1] = 2.0 * v
    return total


def type_of_what_may_be_none(x):
    best = None
    for k in range(3):
        if type(best) is np.ndarray:
            x = x * best
        best = x * k
    return np.sum(x)


class Doubles:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, 2.0 * value)


def sets_its_way(x):
    doubles = Doubles()
    doubles.value = x
    return doubles.value


class Answers:
    def __init__(self, w):
        self.w = w

    def __getattr__(self, name):
        return self.w * 2.0


def sets_what_is_answered(x):
    answers = Answers(x)
    answers.u += x
    return answers.u


class Shown:
    def __init__(self, value):
        self.value = value

    def __str__(self):
        self.value *= 2.0
        return "shown"


def changed_by_a_text(x):
    shown = Shown(x)
    print(shown)
    return shown.value


class Elements:
    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return iter(self.values)


def spread_object(x):
    return sum([*Elements(x)])


def read_from_text(x):
    return float(f"{x}") * x


def counted_evaluations(x):
    calls = [0]

    def integrand(t):
        calls[0] += 1
        return x * t

    return scipy.integrate.quad(integrand, 0.0, 1.0)[0]


def without_rule_in_scipy(x):
    return scipy.linalg.schur(x * np.eye(2))[0][0, 0]


def clock_in_a_segment(x):
    with ad.checkpoint():
        y = x * x + 0.0 * time.perf_counter()
        y = y * y
    return y * y


MEMORY = np.ones(4)
def changes_what_is_around(x):
    seen = []

    def g(v):
        seen.append(v)
        return v * len(seen)

    return ad.grad(g)(x) * len(seen) * x


def draws_in_a_pullback(x):
    def g(v):
        return v * np.random.random()

    value, pullback = ad.vjp(g, x, wrt=0)
    return value * pullback(1.0)


def squeezed(x):
    a = x[None] * 1.0
    s = np.squeeze(a)
    s[1] *= s[0]
    return np.sum(a) + s[1]


def held_by_an_iterator(x):
    a = np.zeros(3)
    elements = a.flat
    a[:] = x
    return elements[1] * x[0]


def turned(v, n):
    return np.sum(v**2) if n == 0 else np.sin(turned(v * v[::-1], n - 1)) * v[0]


def third_of_a_recursion(x):
    return ad.grad(lambda z: ad.grad(turned)(z, 2) @ z)(x) @ x


ROWS = {
    "some third derivatives of recursive": (third_of_a_recursion, np.ones(3)), "`np.squeeze(a)` without": (squeezed, np.ones(3)),
    "an active value stored into an array": (held_by_an_iterator, np.ones(3)),
    "generator functions": (generator, 2.0), "`async`": (coroutine, 2.0), "`match`": (matching, 2.0),
    "`except*`": (exception_group, 2.0), "`exec`": (evaluated, 2.0),
    "in a `try`": (tried, np.array([2.0, 3.0])),
    "a call without source": (without_rule, np.ones(3)),
    "a function handed to SciPy": (counted_evaluations, 2.0),
    "a function of SciPy without a rule": (without_rule_in_scipy, 2.0),
    "an argument of a known function": (unnamed_argument, np.ones(3)),
    "`where=` of a ufunc without": (left_without_values, np.ones(3)), "`signature=` of a ufunc": (told_by_signature, np.ones(3)),
    "a tuple repeated a number of times": (repeated_by_a_number, np.ones(3)),
    "an active value for an argument": (order_of_a_norm, 3.0),
    "two arguments that overlap": (overlapping, MEMORY[:3], MEMORY[1:]), "`np.broadcast_to`": (broadcast, np.ones(3)),
    "an active number stored": (stored_as_integer, 2.0), "writing into a mutable default": (mutable_default, 2.0),
    "storing an active value in a module global": (stored_in_a_global, 2.0), "a set of active": (in_a_set, 2.0),
    "a derivative taken inside": (changes_what_is_around, 2.0), "`vjp`, `linearize`": (draws_in_a_pullback, 2.0),
    "functions that a helper makes in a loop": (stored_functions, 2.0), "`locals()`": (all_globals, 2.0),
    "a generator expression with a name": (named_generator, np.ones(2)),
    "`iter` of active values": (taken_one_by_one, np.ones(2)), "`itertools` over active values": (pairs, np.ones(3)),
    "a loop over `chain`, `pairwise`": (changes_what_it_runs_over, np.ones(3)),
    "a class with `__setattr__`": (sets_its_way, 2.0), "an active object in an f-string": (changed_by_a_text, 2.0),
    "an object with `__iter__` or `__getitem__`": (spread_object, np.ones(3)),
    "an attribute that is set on some objects": (sets_what_is_answered, 2.0),
    "what may be `None` given to": (type_of_what_may_be_none, np.ones(3)),
    "a number read back from its text": (read_from_text, 2.0),
    "a loop over a tuple of active values": (left_inside_of_branches, 0.7, 0.2),
    "files, clocks and calls of unknown functions": (clock_in_a_segment, 2.0),
}


def refused_rows():
    table = PAGE.partition("## Refused")[2].partition("\n## ")[0]
    return [row for row in re.findall(r"^\| (.*?) \|", table, re.MULTILINE) if row not in ("construct", "---")]


def test_there_is_a_program_for_each_row():
    rows = refused_rows()
    assert len(rows) == len(ROWS)
    assert [row for row in rows if not any(row.startswith(start) for start in ROWS)] == []


@pytest.mark.parametrize("start", ROWS)
def test_refused_with_place_and_hint(start):
    f, *arguments = ROWS[start]
    wrt = tuple(range(len(arguments))) if len(arguments) > 1 else 0
    with pytest.raises((ad.UnsupportedSyntaxError, ad.MissingRuleError)) as caught:
        ad.grad(f, wrt=wrt)(*arguments)
    assert caught.value.hint
    assert caught.value.filename == __file__ and caught.value.loc.line().strip()


def inactive_statements(x, k=1):
    match k:
        case 1:
            factor = 2.0
        case _:
            factor = 3.0
    names = {"a", "b"}
    try:
        limit = eval("k + 1")
    except* ValueError:
        limit = 0
    return factor * x * x + len(names) + limit


def test_inactive_statements_are_kept():
    assert ad.value_and_grad(inactive_statements)(3.0) == (2.0 * 9.0 + 2 + 2, 12.0)
    assert ad.value_and_grad(inactive_statements)(3.0, 2) == (3.0 * 9.0 + 2 + 3, 18.0)
