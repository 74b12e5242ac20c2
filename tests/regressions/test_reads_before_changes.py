"""Values that are read before a later part of the same statement changes memory, and tuples that hold changed arrays."""
from tests.random_programs.check import check

import numpy as np


def test_element_is_read_before_the_right_side_changes_it():
    check('''
def h1(u):
    u[0] = 2
    return u[1]

def f(a):
    a[0] /= h1(a)
    return np.sum(a * a)
''', {'a': np.array([-1.107, -0.508, -0.841])}, ('a',))


def test_part_shows_what_the_right_side_changes():
    check('''
def h1(u):
    u[0] = 2
    return u[1]

def f(a):
    a[:2] /= h1(a)
    return np.sum(a * a)
''', {'a': np.array([-1.107, -0.508, -0.841])}, ('a',))


def test_tuple_in_front_of_a_loop_holds_the_array_that_changes_behind_it():
    check('''
def f(a):
    p2 = (1.0, a)
    c2 = 0
    while c2 < 3:
        c2 += 1
        s2, v2 = p2
        a = v2
    v4 = p2[1]
    v4[2:1:-1] = v4[2:] * 0.479
    return np.sum(np.sin(a)) + np.sum(np.sin(v4))
''', {'a': np.array([-0.799, -1.319, -1.094])}, ('a',))


def test_tuple_that_one_branch_makes_holds_the_array_that_changes_behind_it():
    check('''
def f(a, b):
    p = (1.0, b)
    if b[0] > 0.0:
        p = (2.0, a)
    p[1][1] = 3.0 * a[0]
    return np.sum(a * a) * p[0] + np.sum(b)
''', {'a': np.array([-0.799, -1.319, -1.094]), 'b': np.array([0.2, 0.3, 0.4])}, ('a', 'b'))
