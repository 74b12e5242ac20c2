"""Names that are None until they get an array, a list, a dict or an object; tests for None are made at run time."""
import numpy as np
import pytest

import adcompiler as ad
from tests.random_programs.check import check

X = np.array([0.7, -0.3, 1.1, 0.45])
PROGRAMS = {
    "sum of arrays": """
def f(x):
    t = None
    for v in x:
        if t is None:
            t = x * v
        else:
            t += x * v
    return np.sum(t * t)
""",
    "best array": """
def f(x):
    best, score = None, -1e9
    for k in range(3):
        c = x * (k - 1.2)
        if best is None or np.sum(c) > score:
            best, score = c, np.sum(c)
    return best @ best * score
""",
    "set back to None": """
def f(x):
    prev, s = None, 0.0
    for k in range(6):
        if k % 3 == 0:
            prev = None
        cur = x * (k + 1) * x[1]
        if prev is not None:
            s += np.sum(prev * cur)
        prev = cur
    return s
""",
    "buffer made when it is needed": """
def f(x):
    buf, s = None, 0.0
    for k in range(4):
        if buf is None:
            buf = np.zeros(4)
        buf[k] = x[k] * s + x[0]
        s += np.sum(buf ** 2)
        if k == 1:
            buf = None
    return s
""",
    "view of the last row": """
def f(x):
    m = np.outer(x, x)
    prev, s = None, 0.0
    for row in m:
        if prev is not None:
            s += prev @ row
            prev[0] = row[1] * 2.0
        prev = row
    return s + np.sum(m)
""",
    "list": """
def f(x):
    path, s = None, 0.0
    for k, v in enumerate(x):
        if not path:
            path = [v * v]
        else:
            path.append(path[-1] * v)
        if len(path) == 2:
            s += path[0] * path[1]
            path = None
    return s
""",
    "dict": """
def f(x):
    d = None
    for v in x:
        if d is None:
            d = {'s': v, 'n': 1.0}
        else:
            d['s'] += v * v
            d['n'] += 1.0
    return d['s'] ** 2 / d['n']
""",
    "object": """
class State:
    def __init__(self, a, b):
        self.a, self.b = a, b

def f(x):
    o = None
    for k, v in enumerate(x):
        if o is None:
            o = State(v, x * v)
        elif k == 2:
            o = State(o.a * v, o.b + v)
        else:
            o.a = o.a * 2.0
            o.b[0] += v * v
    return o.a * np.sum(o.b ** 2)
""",
    "into a helper and a tuple": """
def scaled(v, w):
    return v * 1.0 if w is None else v * w

def f(x):
    w, y, s = None, x, 0.0
    for k in range(3):
        y = scaled(y, w)
        pair = (w, x[k])
        if pair[0] is not None:
            s += np.sum(pair[0]) * pair[1]
        if isinstance(w, np.ndarray):
            s += w[0]
        w = y + x
    return np.sum(y) + s
""",
    "until nothing changes": """
def f(x):
    prev, z = None, x * 1.0
    for n in range(12):
        if prev is not None and np.max(np.abs(z - prev)) < 1e-3:
            break
        prev = z
        z = 0.5 * (z + (1.0 + x * x) / (0.5 + z * z))
    return np.sum(z)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_starts_as_none(name):
    check(PROGRAMS[name], {"x": X}, ("x",))


def never_set(x):
    best = None
    for k in range(3):
        if x[0] > 100.0:
            best = x * k
    return x[0] * x[1] if best is None else np.sum(best)


def test_never_set():
    assert np.allclose(ad.grad(never_set)(X), [-0.3, 0.7, 0.0, 0.0])


def test_second_derivatives():
    def f(x):
        t = None
        for v in x:
            t = x * v if t is None else t + x * v * t
        return np.sum(t)

    step = 1e-5 * np.array([1.0, -2.0, 0.5, 1.0])
    change = (ad.grad(f)(X + step) - ad.grad(f)(X - step)) / 2
    assert np.allclose(ad.hvp(f)(X, step), change, atol=1e-9)


def test_type_of_what_may_be_none_is_refused():
    def f(x):
        best = None
        for k in range(3):
            if type(best) is np.ndarray:
                x = x * best
            best = x * k
        return np.sum(x)

    with pytest.raises(ad.UnsupportedSyntaxError, match="'best' may be None here") as caught:
        ad.grad(f)(X)
    assert caught.value.hint
