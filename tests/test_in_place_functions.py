"""Functions that change an argument, or copy what it holds: those of `operator` and `dataclasses`, `np.clip` and `np.nan_to_num`."""
import operator
from dataclasses import asdict, astuple, dataclass

import numpy as np
import pytest

from tests.programs.check import check_program
from tests.programs.program import Program

X = np.array([0.7, 1.2, 1.6, 0.9])


@dataclass
class Part:
    a: np.ndarray
    n: int = 3
    label: str = "part"


@dataclass
class Whole:
    part: Part
    k: float
    pair: tuple = (1.0, 2.0)


def functions_of_operator(x):
    y = x * 1.0
    operator.setitem(y, 0, y[1] ** 2)
    operator.setitem(y, slice(2, 4), operator.getitem(y, slice(0, 2)))
    z = operator.imul(y, x[0])
    z[1] = y[2] * 2.0
    items = [operator.iadd(x[1], x[2])]
    operator.iadd(items, [y[0]])
    operator.delitem(items, 0)
    named = {}
    operator.setitem(named, "a", items[0])
    return y * z * named["a"]


def fields_as_dict(whole):
    d, t = asdict(whole), astuple(whole)
    d["part"]["a"][0] *= 2.0
    d["k"] *= 3.0
    t[0][0][1] *= 4.0
    return d["part"]["a"] * whole.part.a * d["k"] * t[0][0] * t[1] * d["pair"][1] * d["part"]["n"]


def clipped_into(x):
    y = x * 1.0
    z = np.clip(y, 0.8, 1.4, y)
    z *= x
    w = np.zeros(4)
    x.clip(0.8, 1.3, w)
    return y * w


def nans_replaced_in_place(x):
    y = x * 1.0
    y[0] = np.nan
    z = np.nan_to_num(y, copy=False, nan=2.0)
    z *= x
    return y * np.nan_to_num(x, True)


PROGRAMS = [
    *[Program(f, (X,)) for f in (functions_of_operator, clipped_into, nans_replaced_in_place)],
    Program(fields_as_dict, (Whole(Part(X), 1.5),)),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_gradients(program):
    check_program(program)
