"""A list whose name is bound again in a loop that also changes it: its adjoint was lost, and the gradient came out as zero."""
import numpy as np
import pytest

from tests.random_programs.check import check

ONCE = """
def f(x, a):
    for i in range(3):
        if i == 0:
            path = [x * a[i], x]
        else:
            path.append(path[-1] * a[i])
    return sum(path)
"""
SOMETIMES = """
def f(x, a):
    path = []
    for i in range(4):
        if len(path) < 2 or i == 2:
            path = [x * a[i], x]
        else:
            path.append(path[-1] * a[i])
    return sum(path)
"""
READ_INSIDE = """
def f(x, a):
    s = 0.0
    for i in range(4):
        if i % 2 == 0:
            path = [x * a[i], x]
        else:
            path.append(path[-1] * a[i])
            s += path[0]
    for k in range(3):
        s += path[k] * a[k]
    return s
"""


@pytest.mark.parametrize("text", [ONCE, SOMETIMES, READ_INSIDE])
def test_list_bound_anew(text):
    check(text, {"x": -0.54, "a": np.array([-0.175, 1.055, 0.773, 0.865])}, ("x", "a"))
