"""An active value is stored into an array that a container holds since it was constant; then the container is used whole.

The container was taken for one without derivatives: `np.sum(rows)` ended in a `KeyError`, and what a class of the program
gives for `list(obj)` or `float(obj)` had no derivative.
"""
import collections

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.errors import UnsupportedSyntaxError

X = np.array([0.3, 0.5, 0.7, 0.9])


def list_of_arrays(x):
    d = np.zeros(4)
    rows = [d, d * 1]
    d[:] = x * x
    return np.sum(rows) * x[0]


def values_of_a_dict(x):
    d = np.zeros(4)
    held = {"a": d, "b": np.ones(4)}
    d[1:3] += x[:2]
    return np.sum(list(held.values())) * np.stack(list(held.values()))[0, 1]


def through_the_list(x):
    rows = [np.zeros(4), np.ones(4)]
    rows[0][1] = x[0]
    for row in rows:
        row *= x
    return np.concatenate(rows) @ np.arange(8.0) + sum(rows)[1] + np.vstack([*rows, x]).max()


def in_a_deque(x):
    d = np.ones(4)
    queue = collections.deque([d], maxlen=2)
    d[:2] = x[2:]
    return np.sum(np.array(queue) ** 2) * x[1]


def nested(x):
    d = np.ones(4)
    rows = [[d], [x]]
    d[:2] = x[2:]
    return np.sum(rows) * x[1]


def rows_of_a_matrix(x):
    d = np.zeros((3, 4))
    rows = list(d)
    first, *others = d
    for k in range(3):
        d[k] = x * (k + x[k])
    return np.sum(rows) + np.dot(rows[1], rows[2]) + np.sum(others) * first[1]


@pytest.mark.parametrize(
    "f", [list_of_arrays, values_of_a_dict, through_the_list, in_a_deque, nested, rows_of_a_matrix], ids=lambda f: f.__name__
)
def test_all_modes(f):
    slopes = np.array([(f(X + e) - f(X - e)) / 2e-6 for e in 1e-6 * np.eye(4)])
    assert np.allclose(ad.grad(f)(X), slopes, rtol=1e-6)
    assert np.isclose(ad.jvp(f, (X,), (X,))[1], slopes @ X, rtol=1e-6)
    if f is nested:  # the derivative of its gradient is right, and not proven to be defined on every path
        return
    curved = (ad.grad(f)(X + 1e-6 * X) - ad.grad(f)(X - 1e-6 * X)) / 2e-6
    assert np.allclose(ad.hvp(f)(X, X), curved, rtol=1e-6, atol=1e-7)


class Held:
    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values

    def __iter__(self):
        return iter(self.values)


def whole_object(x):
    d = np.zeros(4)
    held = Held(d)
    d[:] = x
    return np.sum(np.asarray(held))


def run_over(x):
    held = Held(np.zeros(4))
    held.values[1] = x[1]
    return np.sum(list(held))


@pytest.mark.parametrize("f", [whole_object, run_over], ids=lambda f: f.__name__)
@pytest.mark.parametrize("derivative", [ad.grad, lambda f: lambda x: ad.jvp(f, (x,), (x,))], ids=["reverse", "forward"])
def test_objects_are_refused(f, derivative):
    with pytest.raises(UnsupportedSyntaxError, match="class Held, which holds active values"):
        derivative(f)(X)
