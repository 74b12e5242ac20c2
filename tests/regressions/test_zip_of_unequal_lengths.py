"""A loop over `zip` ends with the shortest, also where the lists are written out turn by turn."""
import numpy as np
import pytest

import adcompiler as ad

x = np.array([0.5, -1.0, 2.0])


def numbers_and_arrays(x):
    s = 0.0
    for c, a in zip([1.0, 2.0], [x, x * x, x ** 3]):
        s = s + np.sum(c * a ** 2)
    return s


def functions_and_masks(x):
    y = np.zeros_like(x)
    functions, masks = [np.sin, np.cos, np.exp], [x < 0, x > 0]
    for mask, f in zip(masks, functions):
        y[mask] = f(x[mask])
    return np.sum(y)


def tuple_and_longer_list(x):
    s = 0.0
    rows = [x, 2.0 * x, x * x, x]
    for f, a in zip((np.sin, np.cos), rows):
        s = s + np.sum(f(a))
    return s


def tuple_and_shorter_list(x):
    s = 0.0
    rows = [x]
    for f, a in zip((np.sin, np.cos), rows):
        s = s + np.sum(f(a))
    return s


@pytest.mark.parametrize("function", [numbers_and_arrays, functions_and_masks, tuple_and_longer_list,
                                      tuple_and_shorter_list])
def test_the_shortest_ends_the_loop(function):
    ad.check_gradients(function, x)
    assert ad.differentiable(function).forward(x)[0] == function(x)
