"""The functions of NumPy that are walked in a form that the compiler reads: values, and gradients in programs."""
import numpy as np
import pytest

import adcompiler as ad
from adcompiler.runtime import by_source

rng = np.random.default_rng(3)
row, matrix, cube = rng.standard_normal(5), rng.standard_normal((3, 4)), rng.standard_normal((2, 3, 4))
WEIGHT = 1.7


def scaled_first(lane, factor=1.0):
    return factor * lane[0] * np.sum(lane ** 2)


CASES = [
    (np.apply_along_axis, (scaled_first, 0, matrix), {}), (np.apply_along_axis, (scaled_first, -1, cube, 2.0), {}),
    (np.apply_along_axis, (scaled_first, 1, cube), {"factor": 0.5}), (np.apply_along_axis, (np.cumsum, 0, matrix), {}),
    (np.apply_along_axis, (lambda lane: lane[:2] ** 2, 1, cube), {}), (np.apply_along_axis, (np.sort, 0, row), {}),
    (np.apply_over_axes, (np.sum, cube, (0, 2)), {}), (np.apply_over_axes, (np.max, cube, [1]), {}),
    (np.apply_over_axes, (np.cumsum, matrix, (0, 1)), {}),
    (np.fromfunction, (lambda i: np.sin(i) * WEIGHT, (4,)), {}), (np.fromfunction, (lambda i, j: i - j, (2, 3)), {}),
    (np.fromfunction, (lambda i, j: i + j, (2, 3)), {"dtype": int}),
    (np.piecewise, (row, [row > 0, row <= 0], [lambda t: t ** 2, lambda t: -3.0 * t]), {}),
    (np.piecewise, (matrix, [matrix < -0.5, matrix > 0.5], [np.sin, np.cos, np.square]), {}),
    (np.piecewise, (row, [row > 0], [np.exp]), {}), (np.piecewise, (row, [row > 9], [np.exp, np.sin]), {}),
    (np.piecewise, (row, [row > 0, row < 1], [1.5, -2.0]), {}), (np.piecewise, (row, [row > 0], [1.5, -2.0]), {}),
    (np.polydiv, (row, row[:2]), {}), (np.polydiv, (row[:2], row), {}), (np.polydiv, (row, row[:1]), {}),
    (np.polydiv, (np.array([1.0, 0.0, -1.0]), np.array([1.0, 1.0])), {}),
    (np.setdiff1d, (row, row[1:3]), {}), (np.setxor1d, (row[:3], row[1:]), {}), (np.setdiff1d, (row, row[2:4], True), {}),
]


@pytest.mark.parametrize(("function", "args", "kwargs"), CASES)
def test_values_are_those_of_numpy(function, args, kwargs):
    got, want = by_source.SOURCES[function](*args, **kwargs), function(*args, **kwargs)
    for g, w in zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]:
        np.testing.assert_array_equal(g, w)
        assert g.dtype == w.dtype


def test_every_function_has_a_case():
    of_numpy = {f for f in by_source.SOURCES if f.__module__ != "_heapq"}  # the others: tests of programs with heaps
    assert of_numpy == {function for function, _, _ in CASES}


def along(x, c):
    return np.sum(np.apply_along_axis(lambda lane: lane[0] * lane * c, 0, x) ** 2)


def along_with_arguments(x, c):
    return np.sum(np.apply_along_axis(scaled_first, -1, x, c) ** 2)


def over(x):
    return np.sum(np.apply_over_axes(np.max, x, (0, 2)) ** 2)


def grid(c):
    return np.sum(np.fromfunction(lambda i, j: np.sin(c * i) + c * j, (3, 4)) ** 2)


def pieces(x, c):
    y = np.piecewise(x, [x < -0.5, x > 0.5], [lambda t: t ** 2 * c, np.exp, lambda t: c - t])
    return np.sum(y ** 2)


def numbers_among_pieces(x):
    return np.sum(np.piecewise(x, [x < 0, x >= 0], [lambda t: t ** 3, 2.0]) * x)


def quotients(u, v):
    q, r = np.polydiv(u, v)
    return np.sum(q ** 2) + np.sum(r ** 3)


def sets(x):
    return np.sum(np.setdiff1d(x, [0.5]) ** 2) + np.sum(np.setxor1d(x, np.array([3.0])) ** 3)


@pytest.mark.parametrize(("function", "args"), [
    (along, (matrix, 1.5)), (along_with_arguments, (cube, 0.7)), (over, (cube,)), (grid, (0.4,)), (pieces, (row, 0.8)),
    (pieces, (matrix, 0.8)), (numbers_among_pieces, (row,)), (quotients, (row, row[1:3])), (sets, (row,)),
])
def test_gradients(function, args):
    ad.check_gradients(function, *args)
    assert ad.differentiable(function).forward(*args)[0] == function(*args)
