"""A branch or a loop that only overwrites what an earlier line needs is undone in reverse, though no adjoint stands in it."""
import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline

A = np.array([0.934, 0.529, -0.286])


def in_a_branch_on_a_value(a, x):
    u = np.tanh(a)
    w = u[2]
    if w:
        u[-1] = x
    return w


def in_a_branch(a, x):
    u = np.exp(a)
    w = u * u
    if x < 0:
        u[0] = 1.0
    else:
        u[1] = 2.0
    return np.sum(w)


def in_nested_branches(a, x):
    u = np.exp(a)
    s = np.sum(u * a)
    if x < 0:
        if x > -5:
            u[0] = 1.0
        else:
            u[1] = 2.0
    return s


def in_a_loop(a, x):
    u = np.exp(a)
    w = u * u
    for k in range(3):
        if k != 1:
            u[k] = x
    return np.sum(w)


def in_a_while(a, x):
    u = np.exp(a)
    w = u * u
    k = 0
    while True:
        u[k] = 0.0
        k += 1
        if k == 2:
            break
    return np.sum(w)


def in_a_loop_inside(a, x):
    u = np.exp(a)
    s = 0.0
    for j in range(3):
        s += np.sum(u * a)
        if j == 1:
            u[0] = 1.0
            for k in range(2):
                u[k] = x
    return s


def in_a_checkpointed_loop(a, x):
    u = np.exp(a)
    w = u * u
    for k in ad.checkpointed(range(3), snapshots=2):
        u[k] = x
    return np.sum(w)


def in_a_segment(a, x):
    u = np.exp(a)
    w = u * u
    with ad.checkpoint():
        if x < 0:
            u[1] = x
    return np.sum(w)


def in_a_helper(a, x):
    def clear(u):
        if u[0] > 0:
            u[:2] = 0.0

    u = np.exp(a)
    w = u * u
    clear(u)
    return np.sum(w)


PROGRAMS = [
    in_a_branch_on_a_value, in_a_branch, in_nested_branches, in_a_loop, in_a_while, in_a_loop_inside, in_a_checkpointed_loop,
    in_a_segment, in_a_helper,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("switches", [{}, {"simplify": False}, {"tbr": False}], ids=str)
def test_gradients(program, switches):
    want = [(program(A + e, -0.557) - program(A - e, -0.557)) / 2e-6 for e in 1e-6 * np.eye(3)]
    with pipeline.switched(**switches):
        np.testing.assert_allclose(ad.grad(program)(A, -0.557), want, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(ad.vjp(program, A, -0.557, wrt=0)[1](1.0), want, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(ad.jvp(program, (A, -0.557), (A,), wrt=(0,))[1], np.dot(want, A), rtol=1e-6)
