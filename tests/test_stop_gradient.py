"""`stop_gradient` is a constant, and a store through it stays in it."""
import numpy as np

import adcompiler as ad


def stored_through(y):
    z = ad.stop_gradient(y)
    z[0] = 5.0
    return np.sum(y ** 2) + np.sum(z)


def stored_beside(y):
    z = ad.stop_gradient(y)
    y[0] = 3.0 * y[1]
    return np.sum(z * y)


def added_through(y):
    w = 2.0 * y
    z = ad.stop_gradient(w)
    z += y
    return np.sum(w)


def stored_in_a_dict(y):
    held = ad.stop_gradient({"a": y})
    held["a"][0] = 7.0
    return np.sum(y * y)


def test_a_store_through_the_constant_leaves_the_variable():
    y = np.array([1.0, 2.0])
    for function, expected in (
        (stored_through, [2.0, 4.0]),
        (added_through, [2.0, 2.0]),
        (stored_in_a_dict, [2.0, 4.0]),
        (stored_beside, [0.0, 5.0]),
    ):
        assert ad.grad(function)(y).tolist() == expected, function.__name__
    assert stored_through(y) == 12.0
    assert y.tolist() == [1.0, 2.0]
