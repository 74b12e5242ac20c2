"""Arrays that change in place while another name, a tuple or a loop still leads to them."""
from tests.random_programs.check import check

import numpy as np


def test_names_exchanged_behind_an_update():
    check('''
def f(a):
    v1 = a
    a += 2
    v1, a = (a, v1)
    return np.dot(a, np.arange(1.0, 5.0))
''', {'a': np.array([-0.001, -0.802, 0.277, -0.785])}, ('a',))


def test_array_read_back_from_a_tuple():
    check('''
def f(b):
    p2 = (4, b)
    b[1] = 3
    b = p2[1]
    return np.sum(b * b)
''', {'b': np.array([-0.098, -1.001, -1.296, 0.161])}, ('b',))


def test_part_of_the_array_takes_its_name():
    check('''
def f(b):
    v1 = b[1:]
    b[2] *= 3.0
    b = v1
    return np.sum(b * b)
''', {'b': np.array([-0.098, -1.001, -1.296, 0.161])}, ('b',))


def test_rows_change_while_the_matrix_is_bound_again():
    check('''
def f(m):
    for t1 in m:
        t1[-2::1] = 0.305
        m = m
    return np.sum(m)
''', {'m': np.array([[1.097, 1.169, -0.606], [-0.554, 1.189, 1.167]])}, ('m',))


def test_matrices_exchanged_while_the_rows_of_one_change():
    check('''
def f(a, b):
    for row in b:
        row[0] = np.sum(a) * row[1]
        a, b = b, a
    return np.sum(a * a) + np.sum(b)
''', {'a': np.array([[1.097, 1.169, -0.606], [-0.554, 1.189, 1.167]]), 'b': np.array([[0.2, 0.3, -0.6], [0.54, 0.1, 0.7]])}, ('a', 'b'))
