"""Functions that return views of several arguments: a change of the shared memory reaches the others, or is refused."""
import numpy as np
import pytest

import adcompiler as ad


def view_changed(x):
    y = np.atleast_1d(x)
    y *= 2.0
    return np.sum(x * x)


def source_changed(x):
    y = np.atleast_2d(x)
    x *= 2.0
    return np.sum(y * y)


@pytest.mark.parametrize("function", [view_changed, source_changed])
def test_a_single_argument(function):
    assert ad.grad(function)(np.array([1.0, 3.0])).tolist() == [8.0, 24.0]


def several(x):
    z = 1.0 * x
    y, w = np.atleast_1d(z, x[0])
    z *= 2.0
    return np.sum(y * y) + w[0]


def broadcast(x):
    z = 1.0 * x
    y, _ = np.broadcast_arrays(z, np.ones((2, 2)))
    z *= 2.0
    return np.sum(y * y)


def grid(x):
    z = 1.0 * x
    y, _ = np.meshgrid(z, np.ones(2), copy=False)
    z *= 2.0
    return np.sum(y * y)


@pytest.mark.parametrize("function", [several, broadcast, grid])
def test_several_arguments_are_refused(function):
    with pytest.raises(ad.UnsupportedSyntaxError, match="view") as caught:
        ad.grad(function)(np.ones(2))
    assert "copy" in caught.value.hint and caught.value.lineno > 0


def test_several_arguments_of_which_none_changes():
    def f(x):
        y, w = np.atleast_1d(x, x[0])
        return np.sum(y * y) + w[0]

    assert ad.grad(f)(np.array([1.0, 3.0])).tolist() == [3.0, 6.0]


def row_of_one(x):
    return np.reshape(x, (1,)), np.ravel(x)


@pytest.mark.parametrize("function", [row_of_one, lambda x: (np.atleast_1d(x), np.expand_dims(x, 0)),
                                      lambda x: (np.append(x, 2.0 * np.ones(0)), np.reshape(x, (1,)))])
def test_the_adjoint_of_a_number_is_no_array_over_the_seed(function):
    seed = (np.array([1.0]), np.array([10.0]))
    _, pullback = ad.vjp(function, 0.5, wrt=0)
    assert pullback(seed) == 11.0
    assert [s.tolist() for s in seed] == [[1.0], [10.0]]
