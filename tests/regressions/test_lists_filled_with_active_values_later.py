"""Lists made of inactive values that receive active ones later: `[t for t in a] + [s]` gave a wrong gradient."""
import json
import math

import numpy as np
import pytest

import adcompiler as ad
from tests.random_programs.check import check

A = np.array([0.1, 0.2, 0.3, 0.5])


def appended(a, s):
    u = [t for t in a]
    u.append(s)
    return u[-1] * s


def extended(a, s):
    u = [math.tanh(t) for t in a if t > 0.15]
    u += [s]
    u.extend([s * s, s])
    return u[-1] * u[-2] + u[-3] * u[0]


def joined(a, s):
    u = [t for t in a]
    v = u + [s]
    w = [*u, s * s]
    return v[-1] * w[-1] * v[0]


def made_by_list(a, s):
    u = list(a)
    u[1:2] = [s, s * s]
    u[0] += s
    rows = list(np.outer(a, a))
    rows[0] = rows[0] * s
    return u[1] * u[2] * u[0] + np.sum(rows[0])


def emptied_and_filled(a, s):
    u = [t for t in a]
    while len(u) > 2:
        u.pop()
    u.append(s)
    return sum(u) * s


@pytest.mark.parametrize("f", [appended, extended, joined, made_by_list, emptied_and_filled])
def test_filled_later(f):
    ad.check_gradients(f, A, 0.5, wrt=1)
    assert np.isclose(ad.jvp(f, (A, 0.5), (1.0,), wrt=1)[1], ad.grad(f, wrt=1)(A, 0.5))


def test_joined_with_what_is_not_known_is_refused():
    def f(a, s):
        u = json.loads("[1.0, 2.0]")
        v = u + [s]
        return v[-1] * s

    with pytest.raises(ad.UnsupportedSyntaxError, match="a value of unknown kind") as caught:
        ad.grad(f, wrt=1)(A, 0.5)
    assert caught.value.hint


def test_array_that_becomes_active_behind_the_loop_that_reads_it():
    check("""
def f(x, a, y):
    k = 0
    while k < 4 and a.sum() <= 0.611:
        k += 1
        a += 0.15 * sum([x * a[i] for i in range(3)])
        y /= 1.2 + y
    a[2] = 0.6 * y
    return np.sum(a * a) + y
""", {"x": 0.3, "a": np.array([0.1, -0.2, 0.3]), "y": 0.5}, ("y",))
