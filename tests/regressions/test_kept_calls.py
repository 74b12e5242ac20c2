"""Calls of helpers whose arguments look inactive where they are lowered, and loops over components that are known."""
from tests.random_programs.check import check

import numpy as np


def test_helper_reads_memory_that_becomes_active_through_another_name():
    check('''
def h(r):
    return np.sin(r) * r

def f(x, a):
    v = np.ones(3)
    w = v[1:]
    total = 0.0
    for i in range(3):
        total += h(v[i])
        w[0] = x * a[i]
        w[1] = total
    return total + np.sum(v)
''', {'x': 0.4, 'a': np.array([0.3, -0.2, 0.9])}, ('x', 'a'))


def test_loop_over_further_arguments_that_are_known():
    check('''
def h1(r, *rest):
    for t in rest:
        r = 0.43 * (r - t)
    return np.tanh(-0.282 * r - r)

def f(x, y):
    if h1(0.855, 0.315) > 0.321:
        return np.tanh(y)
    return x * y
''', {'x': 0.539, 'y': -1.077}, ('x', 'y'))


def test_assertion_binds_names_of_its_own():
    check('''
def f(x, a):
    assert (t for t in range(1))
    assert all(t < 2.0 for t in a)
    return x * a[0]
''', {'x': 0.539, 'a': np.array([0.3, -0.2, 0.9])}, ('x', 'a'))


def test_comprehension_reads_memory_that_becomes_active_later():
    check('''
def f(a, b):
    b, a = (a, b)
    q = [t for t in a]
    a[-2:] = a
    d = {'p': b, 'q': 2, 'r': a}
    return sum(q) + d['r'][0]
''', {'a': np.array([-0.218, -0.215]), 'b': np.array([-0.164, -0.548])}, ('a',))


def test_reshaped_array_is_read_before_a_store_in_every_pullback():
    check('''
def f(a, n):
    m = np.ones(6).reshape(2, 3)
    a /= m[n, -3]
    m[-2, 2] = a[n]
    return np.sum(m ** 2)
''', {'a': np.array([1.068, 0.295]), 'n': 1}, ('a',))
