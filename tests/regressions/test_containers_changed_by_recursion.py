"""What a recursive helper changes in a list, dict or object is changed for its caller: in what the reverse sweep reads of
the container, in the tests that it repeats, and in the structure of the gradient."""
from types import SimpleNamespace

import numpy as np
import pytest

from tests.programs.check import check_program
from tests.programs.program import Program

X = np.array([0.7, 1.2, 1.6, 0.9, 1.1])


def grow(items, v, n):
    if n:
        items.append(v * items[-1])
        grow(items, v, n - 1)


def scale(items, v, n):
    if n:
        items[n - 1] *= v
        scale(items, v, n - 1)


def norm_of_a_list_that_grows(x):
    items = [x[0], x[1]]
    first = np.linalg.norm(items) * np.prod(items)
    grow(items, x[2], 3)
    return first * np.linalg.norm(items)


def product_of_a_list_that_changes(x):
    items = [x[0], x[1]]
    first = np.prod(items)
    scale(items, x[2], 2)
    return first * np.prod(items)


def check_repeated_on_a_list_that_grows(x):
    items = []
    y = x if items else x * x
    items.append(x[0])
    grow(items, x[2], 2)
    return y * items[-1]


def arrays_in_a_list(x):
    rows = [x[0:2] * 1.0, x[2:4] * 2.0]
    joined = np.concatenate(rows).sum() * np.stack(rows).sum()

    def rec(n):
        if n:
            rows[0] *= rows[1]
            rows[1] = rows[0] + 1
            rows.append(rows[0])
            rec(n - 1)

    rec(2)
    return joined * np.stack(rows).sum()


def appended_to_an_argument(items):
    grow(items, items[0], 2)
    return items[-1] * items[1]


def popped_off_an_argument(items):
    def rec(n):
        if n:
            items[0] = items.pop() * items[0]
            rec(n - 1)

    rec(2)
    return items[-1] * items[0]


def renamed_in_an_argument(d):
    def rec(n):
        if n:
            d["z"] = d.pop("y") * 2.0
            d["y"] = d["z"] * d["x"][n]
            rec(n - 1)

    rec(2)
    return d["y"] * d["x"]


def attribute_added_to_an_argument(o):
    o.total = o.x[0]

    def rec(n):
        if n:
            o.total = o.total * o.x[n]
            rec(n - 1)

    rec(2)
    return o.total * o.x


PROGRAMS = [
    *[Program(f, (X,)) for f in (
        norm_of_a_list_that_grows, product_of_a_list_that_changes, check_repeated_on_a_list_that_grows, arrays_in_a_list,
    )],
    Program(appended_to_an_argument, ([X[:3], X[1:4]],)),
    Program(popped_off_an_argument, ([X[:3], X[1:4], X[2:]],)),
    Program(renamed_in_an_argument, ({"x": X, "y": 2.0},)),
    Program(attribute_added_to_an_argument, (SimpleNamespace(x=X),)),
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_gradients(program):
    check_program(program)
