"""A helper on inactive arrays that returns a view: what is done to its result was done to the caller's array."""
import numpy as np
import pytest

from tests.random_programs.check import check

BY_NAME = """
def h(u, k):
    if k > 0:
        return u[1:]
    return u

def f(x, a):
    v = h(a, 1)
    v *= 2.0
    w = h(a, 0)
    w[0] = 7.0
    q = [h(a, 1)]
    q[0][0] += 1.0
    return x * a[1] + a[0] * x
"""
FILLED = """
def h(u):
    return u.reshape(-1)

def f(x, a):
    v = h(a)
    v[1] = x
    return x * a[1] + a[0]
"""
SEVERAL = """
def h(u):
    return u[1:], u[:2]

def f(x, a):
    v, w = h(a)
    v[0] = 2.0
    w[0] = 3.0
    return x * a[1] + a[0] * x
"""
RECURSIVE = """
def h(n, u):
    return u if n == 0 else h(n - 1, u[1:])

def f(x, a):
    v = h(1, a)
    v[0] = 2.0
    return x * a[1] + a[0] * x
"""


@pytest.mark.parametrize("text", [BY_NAME, FILLED, SEVERAL, RECURSIVE])
def test_view_from_a_helper(text):
    check(text, {"x": 0.141, "a": np.array([-0.107, 0.453, -0.235])}, ("x",))
