"""Loops over the user's generator functions, and builtins that take them as they stand; both sides may change things."""
import numpy as np
import pytest

import adcompiler as ad
from tests.random_programs.check import check

X = np.array([0.7, -0.3, 1.1, 0.45])
PROGRAMS = {
    "sum": """
def squares(x):
    for v in x:
        yield v * v

def f(x):
    return sum(squares(x)) * x[0]
""",
    "for": """
def pairs(x):
    for i in range(len(x)):
        for j in range(i):
            yield i, j, x[i] - x[j]

def f(x):
    s = 0.0
    for i, j, d in pairs(x):
        s += (i + j) * d ** 2
    return s
""",
    "state": """
import numpy as np

def steps(u, n):
    yield u
    for k in range(n):
        u = u + 0.1 * np.sin(u)
        if k == 2:
            return
        yield u

def f(x):
    s = 0.0
    for k, u in enumerate(steps(x, 5)):
        s += np.sum(u) * (k + 1)
    return s
""",
    "while break": """
def newton(a):
    z = a
    while True:
        z = 0.5 * (z + a / z)
        yield z

def f(x):
    a = x[0] + 2.0
    for k, z in enumerate(newton(a)):
        if k > 4:
            break
    return z * x[1]
""",
    "dict": """
def items(x):
    yield 'a', x[0]
    yield 'b', x[1] * x[2]

def f(x):
    d = dict(items(x))
    return d['a'] * d['b']
""",
    "yield from": """
def both(x):
    yield from x
    yield from x[::-1] * 2

def f(x):
    return sum(v * v * k for k, v in enumerate(both(x)))
""",
    "local": """
import numpy as np

def f(x):
    def windows(n):
        for i in range(len(x) - n + 1):
            yield x[i:i + n]
    return sum(np.prod(w) for w in windows(2))
""",
    "return in body": """
def vals(x):
    for v in x:
        yield v * v
    yield x[0]
def first_big(x):
    for k, v in enumerate(vals(x), 1):
        if v > 0.4 and k > 1:
            return v * k
        if k > 100: continue
    return 0.0

def f(x):
    return first_big(x) * x[1] + first_big(-x)
""",
    "method": """
import numpy as np

class Grid:
    def __init__(self, u): self.u = u
    def cells(self):
        for i in range(1, len(self.u) - 1):
            yield i, self.u[i - 1] - 2 * self.u[i] + self.u[i + 1]

def f(x):
    g = Grid(x * 1.0)
    s = 0.0
    for i, lap in g.cells():
        g.u[i] += 0.1 * lap
        s += lap ** 2
    return s + np.sum(g.u ** 2)
""",
    "two loops": """
def ev(x):
    for v in x:
        if v > 0:
            yield v

def f(x):
    s = 0.0
    for a in ev(x):
        for b in ev(x * 2):
            if b > 1.5: break
            if a == b: continue
            s += a * b * b
    while s > 10:
        s = s - sum(ev(x))
    return s
""",
    "stale": """
def g(x, n):
    for i in range(n): yield x[i] * x[0]

def f(x):
    s = 0.0
    v = x[3]
    for n in (2, 0, 3):
        for v in g(x, n):
            s += v
        s += v * v
    for w in g(x, 2):
        pass
    return s * w
""",
    "nonloc": """
def g(x):
    yield x[0]
    yield x[1] * x[2]

def f(x):
    t = 0.0
    def add():
        nonlocal t
        for v in g(x):
            t += v * v
    add(); add()
    return t * x[3]
""",
    "lists in body": """
import numpy as np

def chunks(x, n):
    for i in range(0, len(x), n):
        yield x[i:i + n]

def f(x):
    out = []
    d = {}
    for k, c in enumerate(chunks(x, 2)):
        c = c * 2.0
        out.append(np.sum(c))
        d[k] = out[-1] * c[0]
    y = x * 1.0
    for c in chunks(y, 2):
        c *= c[1]
    return out[0] * out[1] + d[0] * d[1] + np.sum(y)
""",
    "closure state": """
def f(x):
    n = 0
    def gen():
        nonlocal n
        a = x[0]
        while n < 4:
            yield a
            a = a * x[n] + 1.0
            n += 1
    s = 0.0
    for v in gen():
        if n == 2: x = x * 2.0
        s += v * (n + 1)
    return s + n
""",
    "rng order": """
import numpy as np

def noisy(x, rng):
    for v in x: yield v * rng.normal()

def f(x):
    rng = np.random.default_rng(0)
    s = 0.0
    for v in noisy(x, rng):
        s += v * rng.normal()
    return s * s
""",
    "default kw": """
def powers(v, n=3, *, start=1.0):
    p = start
    for _ in range(n):
        yield p
        p = p * v

def f(x):
    s = 0.0
    for p in powers(x[0], start=x[1]): s += p
    return s + sum(powers(x[2], 4)) + sum(p for p in powers(x[3], n=2, start=2.0) if p < 5)
""",
    "both change one array": """
import numpy as np

def steps(u, n):
    for k in range(n):
        u += 0.05 * np.sin(u)
        yield u
        u[0] = u[0] * u[1]

def f(x):
    w = x * 0.5
    s = 0.0
    for v in steps(w, 3):
        w[1] += 0.1 * v[2] * s
        s += np.sum(v * w)
        v[1] = s * 0.1
    return s + np.sum(w) + np.sum(sum(steps(x * 0.5, 2)) * w)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_generator_function(name):
    check(PROGRAMS[name], {"x": X}, ("x",))


def squares(x):
    for v in x:
        yield v * v


def in_parts(x):
    try:
        yield x * x
    finally:
        x = x * 2.0


def kept(x):
    it = squares(x)
    return next(it) + next(it)


def behind_the_loop(x):
    s = 0.0
    for v in squares(x):
        s += v
    else:
        s *= 2.0
    return s


def yields_in_try(x):
    return sum(in_parts(x))


@pytest.mark.parametrize("f, hint", [(kept, "for v in squares"), (behind_the_loop, "without 'else'"), (yields_in_try, "outside of 'try'")])
def test_what_is_not_followed_is_refused(f, hint):
    with pytest.raises(ad.UnsupportedSyntaxError, match="is a generator function") as caught:
        ad.grad(f)(X)
    assert caught.value.lineno and hint in caught.value.hint


def test_second_derivative():
    def f(x):
        s = 0.0
        for k, v in enumerate(squares(x)):
            if k == 3:
                break
            s += v * v * (k + 1)
        return s

    assert np.allclose(np.diag(ad.hessian(f)(X)), 12.0 * X**2 * np.array([1.0, 2.0, 3.0, 0.0]))
