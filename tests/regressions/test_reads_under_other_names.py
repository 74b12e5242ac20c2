"""Numbers read from an array under two names in turn: each store that follows the first read is undone or kept."""
import numpy as np
import pytest

import adcompiler as ad


def pairs(a, b):
    s = 0.0
    for t, u in zip(b, b):
        s = s + t * u
    b += s
    b *= a
    return np.sum(b)


def pairs_of_another_name(a, b):
    v = b
    b /= sum(t * u for t, u in zip(v, v))
    b *= a
    return np.sum(b)


def pairs_with_a_view(a, b):
    v = b[::-1]
    s = 0.0
    for k, (t, u) in enumerate(zip(v, b)):
        w = t
        s = s + w * u * (k + 1)
    b[...] = b / s
    b *= a
    return np.sum(b)


def copies_of_numbers(a, b):
    s = 1.0
    for k in range(3):
        t = b[k]
        u = t
        s = s * np.sin(u) + u * u
    b += s
    b *= a
    b[0] = s
    return np.sum(b * b)


@pytest.mark.parametrize("f", [pairs, pairs_of_another_name, pairs_with_a_view, copies_of_numbers], ids=lambda f: f.__name__)
def test_against_differences(f):
    ad.check_gradients(f, np.array([-1.235, 0.893, 0.768]), np.array([-0.045, 1.381, 1.138]), wrt=(0, 1))
