"""Tests of `while` loops that do more than give a value, and elements that change behind their loop's back."""
from tests.random_programs.check import check

import numpy as np


def test_loop_inside_the_test():
    check('''
def f(a, b):
    a[2::1] = a[np.array(1)]
    v2 = b[2::1] / (1.5 + a)
    c1 = 0
    while c1 < 3 and sum((3 for t1, t2 in zip(a[1:], a))):
        c1 += 1
    return np.sum(v2) + 0.5
''', {'a': np.array([1.158, -0.977, -0.363, 0.387]), 'b': np.array([0.832, 0.532, 0.201])}, ('a',))


def test_test_that_changes_an_array():
    check('''
def h1(u):
    u[0] = u[0] * u[1]
    return u[0]

def f(a):
    c1 = 0
    while h1(a) > 0.5:
        c1 += 1
        a[1] = np.sin(a[1])
    return np.sum(a * a) + c1
''', {'a': np.array([1.9, 1.2])}, ('a',))


def test_element_of_an_array_that_changes_in_the_trip():
    check('''
def f(a, y):
    for i1, t1 in enumerate(a):
        a[1::2] = y
        return a @ (t1 * a)
    return np.sum(a)
''', {'a': np.array([-0.919, -1.198]), 'y': -0.768}, ('a', 'y'))
