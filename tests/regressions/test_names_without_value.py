"""Names that some path leaves without a value, and parameters that get a new value on one path only."""
from tests.random_programs.check import check

import numpy as np


def test_parameter_rebound_behind_an_early_return():
    check('''
def f(a, n):
    if n < 2:
        return 3.0
    a = a - np.linspace(0.2, 0.9, 2)
    v1 = a
    return v1[1]
''', {'a': np.array([0.241, -0.881]), 'n': 3}, ('a',))


def test_loop_variable_that_no_trip_has_set_before():
    check('''
def f(y, b):
    p1 = (2, b)
    c2 = 0
    while c2 < 4:
        c2 += 1
        s3, v2 = p1
        v3 = np.concatenate([v2, p1[1]])
    b[[1]] += np.tanh(2.0)
    return np.dot(b, np.arange(1.0, 5.0)) + y
''', {'y': -0.776, 'b': np.array([-1.327, 1.394, -1.191, -0.891])}, ('b',))
