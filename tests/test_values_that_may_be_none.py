"""Tuples, numbers, elements and results that may be None: followed, and tested for None at run time."""
import numpy as np
import pytest

import adcompiler as ad
from tests.random_programs.check import check

X = np.array([0.7, -0.3, 1.1, 0.45])
PROGRAMS = {
    "best tuple unpack": """
def f(x):
    best = None
    for i in range(4):
        for j in range(i):
            d = (x[i] - x[j]) ** 2
            if best is None or d < best[0]:
                best = (d, i, j)
    d, i, j = best
    return d * x[i] + x[j]
""",
    "prev none tuple": """
def f(x):
    prev = None
    s = 0.0
    for i in range(4):
        cur = (x[i], x[i] ** 2)
        if prev is not None:
            s += (cur[0] - prev[0]) * (cur[1] + prev[1])
        prev = cur
    return s
""",
    "none list tuples": """
def f(x):
    out = [None] * 4
    for i in range(4):
        out[i] = (x[i], x * x[i])
    s = 0.0
    for a, b in out:
        s += a * np.sum(b)
    return s
""",
    "none 2d": """
def f(x):
    n = 4
    t = [[None] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if i == 0 or j == 0:
                t[i][j] = x[i] * x[j]
            else:
                t[i][j] = t[i-1][j] + t[i][j-1] * x[j]
    return t[n-1][n-1]
""",
    "tuple with none": """
def f(x):
    state = (x[0], None)
    for i in range(1, 4):
        a, b = state
        if b is None:
            state = (a * x[i], x[i])
        else:
            state = (a + b * x[i], a)
    return state[0] * state[1]
""",
    "return none or tuple": """
def hit(o, d):
    t = o * d
    if t < 0:
        return None
    return t, o + d

def f(x):
    s = 0.0
    for i in range(4):
        r = hit(x[i], x[0])
        if r is None:
            continue
        t, p = r
        s += t * p
    return s
""",
    "grads none": """
def f(x):
    grads = [None, None, None]
    h = [x]
    for k in range(3):
        h.append(np.tanh(h[-1] * (k + 1)))
    g = np.ones(4)
    for k in reversed(range(3)):
        g = g * (1 - h[k + 1] ** 2) * (k + 1)
        grads[k] = g
    return sum(np.sum(v ** 2) for v in grads)
""",
    "tree none": """
class Node:
    def __init__(self, v):
        self.v = v
        self.left = None
        self.right = None
def insert(n, v):
    if n is None:
        return Node(v)
    if v < n.v:
        n.left = insert(n.left, v)
    else:
        n.right = insert(n.right, v)
    return n
def walk(n):
    if n is None:
        return 0.0
    return n.v ** 2 + 0.5 * walk(n.left) + 0.3 * walk(n.right)

def f(x):
    root = None
    for v in x:
        root = insert(root, v)
    return walk(root)
""",
    "linked list": """
class Node:
    def __init__(self, v, nxt):
        self.v, self.nxt = v, nxt

def f(x):
    head = None
    for v in x:
        head = Node(v * v, head)
    s, k = 0.0, 1
    while head is not None:
        s += k * head.v
        head = head.nxt
        k += 1
    return s
""",
    "dict of none": """
def f(x):
    p = {'w': x, 'b': None}
    y = p['w'] * 2.0
    if p['b'] is not None:
        y = y + p['b']
    p['b'] = y
    return np.sum(p['b'] * p['w'])
""",
    "truth tuple": """
def f(x):
    best = None
    s = 0.0
    for i in range(4):
        if not best:
            best = (x[i] * x[0], i)
        elif i == 2:
            best = None
        if best:
            s += best[0] * x[i]
    return s
""",
    "tuple back": """
def f(x):
    state = None
    s = 0.0
    for k in range(8):
        v = x[k % 4]
        if state is None:
            state = (v, x * v, 0)
        else:
            a, b, n = state
            s += a * np.sum(b) * v
            state = (a * v, b + x, n + 1) if n < 2 else None
    return s
""",
    "tuple copy inplace": """
def f(x):
    best = None
    buf = x * 1.0
    for k in range(4):
        buf *= 1.1
        buf[k] = buf[k] * x[0]
        if best is None or buf[k] > best[0]:
            best = (buf[k], buf.copy())
        best[1][1] += buf[0] * buf[0]
    best[1][0] = best[0] * 3.0
    return np.sum(buf * x) * best[0] + np.sum(best[1] ** 2)
""",
    "list reset": """
def f(x):
    slots = [None] * 3
    s = 0.0
    for k in range(9):
        i = k % 3
        if slots[i] is None:
            slots[i] = x * x[k % 4]
        elif k % 2:
            slots[i][0] += x[1] * s
            s += np.sum(slots[i])
        else:
            s += np.sum(slots[i] ** 2)
            slots[i] = None
    return s
""",
    "list reset numbers": """
def f(x):
    slots = [None] * 3
    s = 0.0
    for k in range(9):
        i = k % 3
        if slots[i] is None:
            slots[i] = x[k % 4] * x[0]
        elif k % 2:
            slots[i] += x[1] * s
            s += slots[i]
        else:
            s += slots[i] ** 2
            slots[i] = None
    return s
""",
    "list copy": """
def f(x):
    out = [None] * 4
    for i in range(3):
        out[i] = x[i] * x[3]
    a = list(out)
    b = out[1:]
    c = out + [x[0]]
    out[0] = x[1]
    s = 0.0
    for v in a + b + c:
        if v is not None:
            s += v * v
    e = [v for v in out if v is not None]
    return s + e[0] * e[1]
""",
    "tuple in list": """
def f(x):
    prev = None
    pairs = []
    for v in x:
        pairs.append((prev, v))
        prev = v * v
    s = 0.0
    for a, b in pairs:
        if a is not None:
            s += a * b
        else:
            s += b
    return s
""",
    "dict get any": """
def f(x):
    memo = {}
    s = 0.0
    for k in [0, 1, 0, 2, 1, 1]:
        v = memo.get(k)
        if v is None:
            v = x[k] ** 2 + s
            memo[k] = v
        s += v * x[3]
    return s
""",
    "opt attr num": """
class T:
    def __init__(self): self.best = None; self.arg = None
    def offer(self, v, w):
        if self.best is None or v > self.best:
            self.best, self.arg = v, (w, v)

def f(x):
    t = T()
    for i in range(4):
        t.offer(x[i] ** 2, x * x[i])
    return t.best * np.sum(t.arg[0]) * t.arg[1]
""",
    "nested opt": """
def f(x):
    best = None
    for i in range(4):
        inner = None
        for j in range(4):
            d = x[i] * x[j] + x[j] ** 2
            if inner is None or d < inner[0]:
                inner = (d, j)
        if best is None or inner[0] * x[i] * (i + 1) > best[0]:
            best = (inner[0] * x[i], (i, inner))
    return best[0] * best[1][1][0]
""",
    "opt namedtuple": """
import collections

Hit = collections.namedtuple('Hit', 't p')
def hit(o, k):
    if o[k] < 0: return None
    return Hit(o[k] ** 2, o * k)

def f(x):
    closest = None
    for k in range(4):
        h = hit(x, k)
        if h is not None and (closest is None or h.t < closest.t):
            closest = h
    return closest.t * np.sum(closest.p) if closest is not None else 0.0
""",
    "none rows": """
def f(x):
    rows = [None] * 3
    m = np.outer(x, x)
    for i in range(3):
        rows[i] = m[i]
    m[0, 1] = x[3]
    rows[2][0] = rows[1][1] * 2
    return np.sum(m ** 2) + np.sum(rows[0] * rows[2])
""",
    "none rec memo": """
def f(x):
    memo = [None] * 7
    def fib(n):
        if n < 2: return x[n]
        if memo[n] is None:
            memo[n] = fib(n - 1) * x[2] + fib(n - 2)
        return memo[n]
    return fib(6)
""",
    "tree iter": """
class Node:
    def __init__(self, key, v): self.key, self.v, self.left, self.right = key, v, None, None

def f(x):
    root = Node(2, x[2])
    for k in (0, 1, 3):
        n = root
        while True:
            if k < n.key:
                if n.left is None:
                    n.left = Node(k, x[k] * n.v)
                    break
                n = n.left
            else:
                if n.right is None:
                    n.right = Node(k, x[k] + n.v)
                    break
                n = n.right
    stack, s = [root], 0.0
    while stack:
        n = stack.pop()
        s += n.v ** 2
        if n.right is not None: stack.append(n.right)
        if n.left is not None: stack.append(n.left)
    return s
""",
    "rec none result": """
def search(x, lo, hi):
    if hi - lo < 1: return None
    m = (lo + hi) // 2
    left = search(x, lo, m)
    right = search(x, m + 1, hi)
    best = x[m] ** 2
    if left is not None and left > best: best = left
    if right is not None: best = best + 0.1 * right
    return best

def f(x): return search(x, 0, 4)
""",
    "rec opt array arg": """
def go(x, n, prev=None):
    if n == 0: return np.sum(x if prev is None else prev * x)
    return go(x * 0.5, n - 1, x if n % 2 else prev)

def f(x):
    w = None
    if x[0] > 0.5: w = x * x
    return go(x, 3) + go(x, 2, w)
""",
    "bst sum": """
class T:
    def __init__(self): self.root = None
    def add(self, k, v): self.root = self._add(self.root, k, v)
    def _add(self, n, k, v):
        if n is None: return {'k': k, 'v': v, 'l': None, 'r': None}
        if k < n['k']: n['l'] = self._add(n['l'], k, v)
        else: n['r'] = self._add(n['r'], k, v)
        return n
    def fold(self, n, w):
        if n is None: return 0.0
        return w * n['v'] + self.fold(n['l'], w * 0.5) + self.fold(n['r'], w * n['v'])

def f(x):
    t = T()
    for k in (2, 0, 3, 1): t.add(k, x[k] ** 2)
    return t.fold(t.root, x[0])
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_may_be_none(name):
    check(PROGRAMS[name], {"x": X}, ("x",))


def best_pair(x):
    best = None
    for k in range(3):
        c = x * (k - 1.2) * x[1]
        if best is None or np.sum(c) > best[0]:
            best = (np.sum(c), c * x)
    return best[0] * np.sum(best[1])


def filled_list(x):
    out = [None] * 4
    for i in range(4):
        out[i] = x[i] if i == 0 else out[i - 1] * x[i] + x[0] ** 2
    return out[3] * out[1]


@pytest.mark.parametrize("f", [best_pair, filled_list])
def test_second_derivatives(f):
    step = 1e-5 * np.array([1.0, -2.0, 0.5, 1.0])
    change = (ad.grad(f)(X + step) - ad.grad(f)(X - step)) / 2
    assert np.allclose(ad.hvp(f)(X, step), change, atol=1e-9)


def test_checkpointed_loop_over_a_tuple_that_may_be_none():
    def f(x, marked):
        state, s = None, 0.0
        for k in marked(range(7)):
            if state is None:
                state = (x[k % 4], x * x[k % 4])
            else:
                s += state[0] * np.sum(state[1])
                state = (state[0] * x[1], state[1] + x) if k % 3 else None
        return s

    kept = ad.grad(lambda x: f(x, lambda r: r))(X)
    assert np.array_equal(ad.grad(checkpointed_pairs)(X), kept)


def checkpointed_pairs(x):
    state, s = None, 0.0
    for k in ad.checkpointed(range(7), snapshots=2):
        if state is None:
            state = (x[k % 4], x * x[k % 4])
        else:
            s += state[0] * np.sum(state[1])
            state = (state[0] * x[1], state[1] + x) if k % 3 else None
    return s


def test_the_exception_of_a_missing_value_is_that_of_python():
    def f(x):
        best = None
        for k in range(3):
            if x[k] > 100.0:
                best = (x[k], k)
        return best[0] * x[0]

    with pytest.raises(TypeError, match="NoneType"):
        ad.grad(f)(X)
