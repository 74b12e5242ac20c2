"""Components of a tuple whose name is bound again while they are in use: `t = (t[1], t[0])` in a loop gave wrong values."""
import numpy as np
import pytest

import adcompiler as ad
from tests.random_programs.check import check

A = np.array([-0.34, -0.93, 0.4, 0.5])

BEHIND_A_LOOP_HEAD = """
def f(x, a):
    t = (x, 2.0 * x)
    s = 0.0
    for i in range(3):
        t = t[1], t[0] * x
        u, v = t
        s += t[0] ** 2 - 3.0 * t[1] + u * v
    return s
"""
BEHIND_A_BRANCH = """
def f(x, a):
    t = (x, 2.0 * x)
    if x > 0:
        t = (3.0 * x, t[1])
    w = t
    t = t[1], t[0]
    (u, v), t = t, 4.0
    return u ** 2 - 3.0 * v + w[0] * w[1] * t
"""
OF_ARRAYS_CHANGED_IN_PLACE = """
def f(x, a):
    t = (x, (a, 2.0 * a))
    s = 0.0
    for i in range(3):
        s += t[0] * np.sum(t[1][0] * t[1][1]) + np.sum(a)
        t = (x * s, (t[1][1], t[1][0] * x))
        u, v = t[1]
        u *= 0.5
    return s
"""
JOINED_AND_SLICED = """
def f(x, a):
    t = (x, 2.0 * x, x + 1.0)
    if x > 0:
        t = (3.0 * x, t[1], x * x)
    t = (x * x,) + t
    t = t[1:3] + (t[0],)
    return t[0] * t[1] + t[2] ** 2
"""
TWO_THAT_SWAP = """
def f(x, a):
    lo, hi = (x, x * x), (2.0 * x, a[0])
    s = 0.0
    for i in range(4):
        lo, hi = hi, (lo[0] + hi[1], lo[1] * 0.5)
        s += lo[0] * hi[1] + hi[0]
        if i == 2:
            hi = lo
    return s + lo[1]
"""
NESTED_IN_A_LOOP = """
def f(x, a):
    t = (x, (a, (2.0 * a, 1)))
    s = 0.0
    while t[1][1][1] < 4:
        s += t[0] * np.sum(t[1][0] * t[1][1][0]) + np.sum(a)
        t = (x * s, (t[1][1][0], (t[1][0] * x, t[1][1][1] + 1)))
    return s + t[0]
"""
READ_BEFORE_IT_IS_ASSIGNED = """
def f(x, a, y):
    s = 0.0
    for i in range(len(a)):
        s = s + y * y
        if i > 1:
            y, (p, q) = r[0], r[1]
            s += p * q
        for j in range(3):
            r = (x * y * j, (x, y))
        if i == 1:
            s += r[1][0]
    return s * y + r[1][1]
"""
NUMBERS_FROM_AN_INNER_LOOP = """
def f(x, a):
    y = x
    s = 0.0
    for i in range(len(a)):
        s = s + y * y
        if i == 1:
            y = w[0]
        w = x * a
        for k in range(2, 4):
            pass
        y = 0.2 * y * k
    return s * y
"""


@pytest.mark.parametrize("text", [
    BEHIND_A_LOOP_HEAD, BEHIND_A_BRANCH, OF_ARRAYS_CHANGED_IN_PLACE, JOINED_AND_SLICED, TWO_THAT_SWAP, NESTED_IN_A_LOOP,
    NUMBERS_FROM_AN_INNER_LOOP,
])
def test_components_outlive_the_name(text):
    check(text, {"x": 0.829, "a": A}, ("x", "a"))


def test_tuple_read_before_its_assignment_in_the_text():
    check(READ_BEFORE_IT_IS_ASSIGNED, {"x": 0.829, "a": A, "y": -1.2}, ("x", "y"))


def test_what_is_now_a_number_and_now_a_tuple_is_refused():
    def f(x, a):
        t = (x, a)
        s = 0.0
        for k in range(3):
            s += t[0] + (np.sum(t[1]) if k < 1 else t[1][1])
            t = (x, (x, s))
        return s + t[0]

    with pytest.raises(ad.UnsupportedSyntaxError, match="a tuple or a list on one path and something else on another"):
        ad.grad(f)(0.829, A)


def test_local_name_without_value_is_not_the_global_of_that_name():
    def f(x):
        y = x * A_number
        A_number = 2.0  # noqa: F841
        return y

    f.__globals__["A_number"] = 3.0
    try:
        with pytest.raises(UnboundLocalError):
            ad.grad(f)(1.0)
    finally:
        del f.__globals__["A_number"]
