"""Arrays without axes in compiled code: arrays where they have names or are stored into, numbers in arithmetic."""
import numpy as np
import pytest

import adcompiler as ad
from tests.programs.differentiate import assert_same_numbers, assert_structure

pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore")
X = np.array([0.4, -1.2, 0.7])


def argument_of_one_branch(a, x):
    t = np.array(0.0)
    if a > 0.5:
        t[...] = x[0] * a
    else:
        t += x[1]
    for k in range(2):
        t[...] = t * a + np.sin(t) + k
    return t * np.sum(x - a) + a[()] ** 2


def names_of_one_array(a, x):
    chosen = np.where(x[0] > 0, x[0], a)
    same = chosen
    chosen += 1.0  # also of `same`
    total = np.zeros(())
    for v in x:
        total += v * a
    m = np.outer(x, x)
    part, copy = m[1, 2, ...], m[np.array(1)]
    part *= total
    copy *= 3.0  # a copy, where an integer would give a view
    flat = np.reshape(part, (1,))
    flat[0] += same
    return np.sum(m) * chosen + np.sum(copy)


def array_as_result(a, x):
    made = np.array(np.prod(x) * a)
    other = np.asarray(made)
    other *= made
    return made


def array_of_one(a, x):
    return np.array([[np.sum(x * x) * a]])


@pytest.mark.parametrize("f", [argument_of_one_branch, names_of_one_array, array_as_result, array_of_one])
def test_as_by_numpy(f):
    for a in (np.array(0.7), np.array(0.3)):
        value, gradient = ad.value_and_grad(f, wrt=(0, 1), backend="numba")(a, X)
        expected, right = ad.value_and_grad(f, wrt=(0, 1))(a, X)
        assert np.isclose(value, expected, rtol=1e-12) and np.shape(value) == np.shape(expected)
        for part, other, argument in zip(gradient, right, (a, X), strict=True):
            assert np.allclose(part, other, rtol=1e-12, atol=1e-14)
            assert_structure(part, argument)
        assert a in (0.7, 0.3)


def test_pullbacks_and_tangents():
    def f(a, x):
        a = a.copy()
        same = a
        a += a * x[0]
        return same, np.asarray(x[1]) * x

    args = (np.array(0.7), X)
    found = []
    for backend in ("numba", "numpy"):
        function = ad.differentiable(f, backend=backend)
        value, pullback = ad.vjp(function, *args, wrt=(0, 1))
        found.append((value, pullback((2.0, X)), ad.jvp(function, args, (np.array(1.0), X))))
    assert_same_numbers(*found, "compiled code differs")
    assert isinstance(found[0][0][0], np.ndarray) and isinstance(found[0][1][0], np.ndarray)


def test_number_and_array_on_two_paths():
    def f(x):
        if x[0] > 10:
            t = 1.0
        else:
            t = np.zeros(())
        t += x[1]
        return t * x[0]

    with pytest.raises(ad.UnsupportedSyntaxError, match="'t', which holds values of different types on different paths"):
        ad.grad(f, backend="numba")(X)
