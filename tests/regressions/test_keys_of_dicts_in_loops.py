"""Loops over dicts inside other loops: the keys are needed again in the reverse sweep, named by the loop or not."""
from tests.random_programs.check import check

import pytest

PROGRAMS = {
    "items": '''
def f(x):
    d = {'p': 0.066, 'q': x}
    for i in range(2):
        for k, v in d.items():
            x = v * v + x
    return x
''',
    "key without a use": '''
def f(x):
    d = {'p': 0.066, 'q': x}
    for i in range(2):
        for _, v in d.items():
            x = 0.6 * x + 0.4 * v
    return x
''',
    "values": '''
def f(x):
    d = {'p': 0.066, 'q': x}
    c = 0
    while c < 2:
        c += 1
        for v in d.values():
            x = v * v + x
        d['p'] = x
    return x
''',
    "key bound again": '''
def f(x):
    d = {'p': 0.066, 'q': x}
    q = [x, 2 * x]
    for i in range(2):
        for (k, v), w in zip(d.items(), q):
            k = 'p'
            x = v * v + x * w
    return x
''',
}


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=list(PROGRAMS))
def test_dict_is_run_over_in_a_loop(source):
    check(source, {"x": 0.3}, ("x",))
