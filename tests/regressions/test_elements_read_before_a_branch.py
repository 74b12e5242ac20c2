"""An element read in front of a branch that uses it and then overwrites it: the reverse sweep must not read it there again."""
import numpy as np
import pytest

import adcompiler as ad


def stored_in_the_branch(x, n):
    s = 0.0
    for k in range(n):
        w = x[1]
        if k < 2:
            s += np.sin(w) * (k + 1.0)
            x[k] = s
    return s


def at_the_same_place(x, n):
    s = 0.0
    for k in range(n):
        w = x[1]
        if s < 10.0:
            s += np.sin(w) * x[0]
            x[1] = 0.3 * s
        else:
            s += w
    return s


def named_in_the_test(x, n):
    c = 0
    while (w := x[1]) > -0.4 and c < n:
        c += 1
        x[0] *= np.cos(0.5 * np.sin(w))
        x[c % 3] = 0.36
    return x[0]


def in_nested_branches(x, n):
    s = 0.0
    for k in range(n):
        w, v = x[1], x[2]
        if k != 1:
            if s < 10.0:
                s += w * v * v
                x[2] = w
            x[1] += np.sin(s)
    return s


def in_a_loop_of_a_branch(x, n):
    s = 0.0
    for k in range(n):
        w = x[1]
        if k > 0:
            for j in range(2):
                s += w * w * x[j]
                x[1] = 0.5 * x[1] + j
    return s


def index_read_before(x, n):
    places, s = np.array([0, 1, 2]), 0.0
    for k in range(n):
        i = places[1] + 0
        if k < 2:
            s += np.sin(x[i]) * x[i]
            places[1] = (i + 1) % 3
            x[i] = s
    return s


def matrix_element(x, n):
    m, s = x[:, None] * np.ones(3), 0.0
    for k in range(n):
        w = m[0, 1]
        with np.errstate(all="ignore"):
            if k < 2:
                s += np.exp(w)
                m[0, k] = 0.1 * s
    return s


PROGRAMS = (
    stored_in_the_branch, at_the_same_place, named_in_the_test, in_nested_branches, in_a_loop_of_a_branch,
    index_read_before, matrix_element,
)  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients(f):
    x = np.array([0.7, 0.4, 0.9])
    ad.check_gradients(f, x.copy(), 3)
    expected = ad.grad(f)(x.copy(), 3)
    slopes = [ad.jvp(f, (x.copy(), 3), (e,), wrt=(0,))[1] for e in np.eye(3)]
    np.testing.assert_allclose(expected, slopes, rtol=1e-12)
    np.testing.assert_array_equal(ad.grad(f, checkpoint="auto")(x.copy(), 3), expected)
