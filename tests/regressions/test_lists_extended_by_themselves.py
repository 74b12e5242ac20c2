"""`q.extend(p)` where q and p are one list under two names: the reverse sweep took twice as many slots away."""

import numpy as np

import adcompiler as ad


def by_another_name(x):
    rows = [[x[0], x[1]], [x[2]]]
    rows.append(rows[0])
    rows[0].extend(rows[2])
    total = 0.0
    for k, v in enumerate(rows[0]):
        total = total + (k + 1) * v * v
    return total * x[2]


def test_all_modes():
    x = np.array([0.3, 0.5, 0.7])
    slopes = np.array([2.4 * 0.7, 6.0 * 0.7, 4.0 * 0.09 + 6.0 * 0.25])
    assert np.allclose(ad.grad(by_another_name)(x), slopes)
    assert np.isclose(ad.jvp(by_another_name, (x,), (x,))[1], slopes @ x)
    assert np.allclose(ad.grad(by_another_name, backend="numba")(x), slopes)
