"""A list that is built behind a check, and kept under a second name for the reverse sweep, has one adjoint."""
import numpy as np

import adcompiler as ad

A = np.arange(9.0).reshape(3, 3) + 1.0


def traces(g):
    if np.shape(g)[0] != 3:
        raise ValueError("three rows are needed")
    sums = [np.trace(g, -k) for k in range(np.shape(g)[0])]
    return sums[0] * sums[1]


def joined(g, first):
    if np.shape(g)[0] != 3:
        raise ValueError("three rows are needed")
    sums = [np.trace(g, -k) for k in range(np.shape(g)[0])]
    return np.sum(np.array([0.0 * sums[0]] * first + sums[first:]) ** 3)


def appended(g):
    if g[0, 0] < 0.0:
        raise ValueError("a negative entry")
    kept = []
    for k in range(3):
        kept.append(g[k, k] * g[0, k])
    return kept[0] * kept[2]


def test_lists_behind_a_check():
    ad.check_gradients(traces, A)
    ad.check_gradients(joined, A, 1, wrt=0)
    ad.check_gradients(appended, A)
