"""The elements of a tuple or list display are read before the first turn of the loop over it."""
from tests.random_programs.check import check

import numpy as np


def test_target_is_read_in_the_display():
    check('''
def f(x):
    for x in [x * 2, x * x]:
        x = x * 1.5
    return np.sum(x * x)
''', {'x': np.array([0.5, 1.5, -0.7])}, ('x',))


def test_element_is_changed_by_an_earlier_turn():
    check('''
def f(x):
    s = x * 1.0
    for k, a in enumerate((s[0], s[1], s[1] * s[2])):
        s[1] = s[1] * a + k
    return np.sum(s * s)
''', {'x': np.array([0.5, 1.5, -0.7])}, ('x',))


def test_swap_in_a_display():
    check('''
def f(x):
    a, b = x[0], x[1]
    for a, b in ((b, a), (a, a * b)):
        x = x * a + b
    return np.sum(x)
''', {'x': np.array([0.5, 1.5, -0.7])}, ('x',))


def test_display_of_calls_with_effects():
    check('''
def f(x):
    total = 0.0

    def tick(v):
        nonlocal total
        total = total + v[0]
        return v * total

    for a, b in zip([tick(x), tick(2.0 * x)], (total, x[1])):
        x = x * a * total + b
    return np.sum(x)
''', {'x': np.array([0.5, 1.5, -0.7])}, ('x',))
