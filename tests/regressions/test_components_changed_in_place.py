"""Results of functions with several results that change in place: their components are restored in copies of the tape's."""
import numpy as np
import pytest

import adcompiler as ad
from tests.programs.check import check_program
from tests.programs.program import Program

X = np.array([0.7, 1.2, 1.6, 0.9])
A = np.array([[1.0, 0.3, 0.2], [0.4, 2.0, 0.1], [0.5, 0.6, 3.0]])


def truncated(a):
    u, s, vt = np.linalg.svd(a)
    s[-1] = 0.0
    s[1:] = s[0] * s[1:]
    s *= s
    return (u * s) @ vt


def factors(a):
    q, r = np.linalg.qr(a)
    r[0] *= r[1, 1]
    q *= r
    r[0, 0] = q[0, 0] * r[0, 1]
    return q * r


def grids(x):
    g = np.meshgrid(x, x[1:], indexing="ij")
    g[0][0] *= g[1][0]
    g[1][:] = g[0] * g[1]
    return g[0] * g[1]


def parts_of_numbers(x):
    fraction, whole = np.modf(x * 1.7)
    for k in range(3):
        fraction *= whole + 1.0
        fraction[k] = fraction[k + 1] * fraction[k]
    whole += fraction
    return fraction * whole


def each_trip(a):
    for _ in range(2):
        w, v = np.linalg.eigh(a + a.T)
        w *= w
        if w[0] > -1.0:
            w[1] *= w[2]
        a = a * np.sum(w) * 0.01 + w
        w *= a[0]
    return a * w


PROGRAMS = [
    *[Program(f, (A,)) for f in (truncated, factors, each_trip)],
    *[Program(f, (X,)) for f in (grids, parts_of_numbers)],
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_gradients(program):
    check_program(program)
    value, pullback = ad.vjp(program.fn, *program.args, wrt=0)
    first = np.array(pullback(np.ones_like(value)))
    assert np.array_equal(first, pullback(np.ones_like(value)))  # the tape holds what it held
    single = ad.grad(lambda v: np.sum(program.fn(v)))(*program.args)
    assert np.allclose(first, single, rtol=1e-13, atol=1e-13)
