"""Names bound to an array whose memory the last statement of a block changes, read where paths join."""
from tests.random_programs.check import check

import numpy as np
import pytest

MATRIX = np.array([[-0.087, 0.115], [0.439, 0.772]])
VECTOR = np.array([-0.597, -0.945])

PROGRAMS = {
    "loop": '''
def f(a, m, n):
    for i in range(n):
        b = m
        m[1] = m @ a
    return np.sum(b)
''',
    "branch": '''
def f(a, m, n):
    b = a
    if n > 1:
        b = m[0]
        m[0] = 2.0 * m[0] * m[1]
    return np.sum(b * b) + np.sum(m)
''',
    "branch in a branch": '''
def f(a, m, n):
    b = a
    if n > 1:
        if n > 2:
            b = m[0]
            m[0] = 2.0 * m[0] * m[1]
    return np.sum(b * b) + np.sum(m)
''',
    "store in a branch": '''
def f(a, m, n):
    for i in range(n):
        b = m[0]
        if i < 2:
            m[0] = m @ a
    return np.sum(b * b)
''',
    "while": '''
def f(a, m, n):
    k = 0
    while k < n:
        k += 1
        b = m[0]
        b *= m[1]
        c = m
        m[1] = m @ a
    return np.sum(b * b) + np.sum(c)
''',
    "index that changes": '''
def f(a, m, n):
    for i in range(n):
        b = m[i % 2]
        m[1] = a * m[0]
    return np.sum(b * b) + np.sum(m)
''',
    "index before a loop": '''
def f(a, m, n):
    b = m[n % 2]
    m[1] = a * m[0]
    for i in range(n):
        b = 2.0 * b
    return np.sum(b * b) + np.sum(m)
''',
}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=list(PROGRAMS))
def test_name_bound_before_the_last_store_of_a_block(source):
    check(source, {"a": VECTOR.copy(), "m": MATRIX.copy(), "n": 3}, ("a", "m"))
