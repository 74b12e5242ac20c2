"""`copy.copy` and `copy.deepcopy` of active values, with changes on both sides."""
import copy
from dataclasses import dataclass

import numpy as np
import pytest

import adcompiler as ad
from tests.random_programs.check import check

X = np.array([0.7, -0.3, 1.1, 0.45])
PROGRAMS = {
    "shallow object loop": """
import copy
import numpy as np

class S:
    def __init__(self, p, v):
        self.p, self.v = p, v
        self.n = 0

def f(x):
    s = S(x * 1.0, x[0])
    hist = []
    for k in range(3):
        t = copy.copy(s)
        hist.append(t)
        s.v = s.v * x[k]
        s.p[k] += s.v
        s.p = s.p * 1.5
        t.n += k
    return sum(np.sum(h.p) * h.v * (h.n + 1) for h in hist) + s.v
""",
    "deep object": """
import copy
import numpy as np

class S:
    def __init__(self, p, v):
        self.p, self.v = p, v

def f(x):
    s = S(x * 1.0, x[0])
    u = copy.deepcopy(s)
    w = copy.copy(s)
    u.p[0] = u.p[1] * 2.0
    w.p[2] = x[3] * x[3]
    s.v = 2.0 * s.v
    return np.sum(s.p * u.p) * s.v * u.v * w.v
""",
    "deep lists": """
import copy
import numpy as np

def f(x):
    a = [x[0], x[1] * x[2]]
    b = copy.deepcopy(a)
    d = {'u': x[0] ** 2, 'v': x[1]}
    e = copy.deepcopy(d)
    g = copy.copy(d)
    b[0] = b[1] * 2
    e['u'] = e['v'] * 3
    d['v'] = d['u']
    t = (x * 2.0, x[0])
    r = copy.deepcopy(t)
    r[0][1] = 0.0
    return a[0] * b[0] + sum(b) + e['u'] * d['v'] + g['v'] + np.sum(r[0] * t[0]) * r[1]
""",
    "shallow rows": """
import copy
import numpy as np

def f(x):
    rows = [x * 1.0, x * 2.0]
    b = copy.copy(rows)
    b[0][1] = x[2] ** 2
    b[1] = x
    return np.sum(rows[0] * rows[1]) + np.sum(b[0] * b[1])
""",
    "copy arrays": """
import copy
import numpy as np

def f(x):
    y = copy.copy(x)
    z = copy.deepcopy(y[1:])
    y[0] = z[0] * x[2]
    z[1] = y[0]
    return np.sum(y) * np.sum(z * z) + copy.copy(x[0]) + copy.deepcopy(y[1])
""",
    "optional attr": """
import copy
import numpy as np

class S:
    def __init__(self, v):
        self.v = v
        self.h = None

def f(x):
    s = S(x[0])
    out = 0.0
    for k in range(4):
        t = copy.copy(s)
        if t.h is not None:
            out += t.h * t.v
        t.h = t.v * x[k]
        s = copy.copy(t)
        s.v = s.v + x[k] ** 2
    return out
""",
    "copy in helper": """
import copy
import numpy as np

class S:
    def __init__(self, q, v): self.q, self.v = q, v
    def moved(self, dt):
        o = copy.copy(self)
        o.q = self.q + dt * self.v
        o.v = self.v - dt * np.sin(self.q)
        return o

def f(x):
    s = S(x, x * 0.1)
    for _ in range(3): s = s.moved(0.1)
    return np.sum(s.q * s.v)
""",
    "inactive": """
import copy
import numpy as np

class Cfg:
    def __init__(self): self.w = np.arange(4.0); self.names = ['a', 'b']; self.d = {'k': [1, 2]}
CFG = Cfg()
BASE = {'a': [1.0, 2.0], 'b': np.ones(4)}

def f(x):
    c = copy.deepcopy(CFG)
    d = copy.deepcopy(BASE)
    l = copy.copy([0.0, 0.0])
    l[0] = x[0] ** 2
    m = copy.deepcopy([1.0, 2.0])
    m[1] = l[0] * x[1]
    return np.sum(x * c.w * d['b']) + l[0] + m[1] * len(d['a'])
""",
    "inactive local": """
import copy
import numpy as np

class Cfg:
    def __init__(self, n): self.w = np.arange(n * 1.0); self.n = n

def f(x):
    c = Cfg(4)
    e = copy.deepcopy(c)
    e.n = 2
    g = copy.copy(c)
    return np.sum(x * e.w) * e.n + g.n * x[0] ** 2
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_copies(name):
    check(PROGRAMS[name], {"x": X}, ("x",))


@dataclass
class State:
    p: np.ndarray
    v: float
    tag: str = "a"


def test_deepcopy_of_a_dataclass_in_a_loop():
    def f(x):
        s = State(x * 2.0, x[0])
        best = None
        for k in range(3):
            s.p = s.p * x
            s.v = s.v + x[k]
            if best is None or s.v > best.v:
                best = copy.deepcopy(s)
            s.p[0] = s.v
        return best.v * np.sum(best.p) + s.v

    ad.check_gradients(f, X)


class Two:
    def __init__(self, p, v):
        self.p, self.v = p, v


class Late:
    def __init__(self, p):
        self.p = p
        if p[0] > 0.0:
            self.q = p[0]


class Own(Two):
    def __copy__(self):
        return Own(self.p * 2.0, self.v)


def several_arrays(x):
    s = copy.deepcopy(Two(x * 1.0, x * 2.0))
    return np.sum(s.p * s.v)


def not_always_set(x):
    s = copy.copy(Late(x * 1.0))
    return np.sum(s.p)


def its_own_way(x):
    s = copy.copy(Own(x, x[0]))
    return np.sum(s.p)


@pytest.mark.parametrize("f, told", [
    (several_arrays, "holds several arrays"), (not_always_set, "'q' may not be set"), (its_own_way, "which defines __copy__"),
])
def test_what_is_not_followed_is_refused(f, told):
    with pytest.raises(ad.UnsupportedSyntaxError, match=told) as caught:
        ad.grad(f)(X)
    assert caught.value.lineno and caught.value.hint
