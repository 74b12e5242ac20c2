"""The rules of adcompiler/rules/selecting.py against differences; what is picked twice receives twice."""
import numpy as np
import pytest

from adcompiler.rules import selecting as rules_under_test
from adcompiler.rules.registry import is_inactive, lookup
from adcompiler.runtime.selecting import from_diagonal, from_item, take_adjoint, take_along_axis_adjoint

from .template_check import check_template, uncovered_rules

rng = np.random.default_rng(13)
row = rng.standard_normal(5)
matrix = rng.standard_normal((3, 4))
cube = rng.standard_normal((2, 3, 4))
strided = rng.standard_normal((4, 6))[::2, ::-2]
complex_cube = cube + 1j * rng.standard_normal(cube.shape)
scalar = np.array(0.7)
empty = np.zeros((0, 3))
array = np.ndarray
chosen = matrix > 0.0
picks = np.array([[0, 2], [2, -1]])
positive, large = row > 0.0, row > 0.5

CASES = [
    (np.diag, (row,), {}), (np.diag, (row, 2), {}), (np.diag, (row,), {"k": -1}), (np.diag, (matrix,), {}),
    (np.diag, (matrix, 2), {}), (np.diag, (matrix, -2), {}), (np.diag, (matrix, 9), {}),
    (np.diag, (complex_cube[0],), {}),
    (np.diag, (np.zeros(0),), {}),
    (np.diagflat, (row,), {}), (np.diagflat, (matrix, 1), {}), (np.diagflat, (scalar,), {"k": -2}),
    (np.diagflat, (2.0,), {}),
    (np.tril, (matrix,), {}), (np.tril, (cube, -1), {}), (np.tril, (row,), {}), (np.tril, (empty,), {}),
    (np.triu, (matrix,), {"k": 1}), (np.triu, (complex_cube,), {}), (np.triu, (row, -1), {}),
    (np.where, (chosen, matrix, 2.0 * matrix), {}), (np.where, (chosen, 1.0, matrix), {}),
    (np.where, (True, matrix, row[:4]), {}),
    (np.where, (chosen, complex_cube, matrix), {}), (np.where, (chosen[:, :1], row[:4], scalar), {}),
    (np.take, (row, 2), {}), (np.take, (row, [0, 3, 0]), {}), (np.take, (matrix, picks), {}),
    (np.take, (matrix, picks, 0), {}),
    (np.take, (cube, picks), {"axis": -1}), (np.take, (cube, 1), {"axis": 1}),
    (np.take, (row, [-7, 9, 4]), {"mode": "wrap"}),
    (np.take, (matrix, [-2, 9, 1], 1), {"mode": "clip"}), (np.take, (scalar, [0, 0]), {}),
    (np.take, (complex_cube, [1, 1], 0), {}),
    (np.take, (strided, [5, 0, 5]), {}), (np.take, (matrix, np.zeros(0, int), 1), {}),
    (np.take, (empty, [1, 1], 1), {}),
    (array.take, (matrix, picks, 0), {}), (array.take, (matrix, 5), {}),
    (np.take_along_axis, (matrix, np.array([[0, 0, 3]] * 3), 1), {}),
    (np.take_along_axis, (cube, picks.reshape(2, 1, 2), -1), {}),
    (np.take_along_axis, (row, np.array([4, 4, 0])), {"axis": None}),
    (np.take_along_axis, (cube[:1], np.ones((2, 3, 2), int), 2), {}),
    (np.take_along_axis, (complex_cube, np.argsort(cube, 1), 1), {}),
    (np.choose, (np.array([0, 1, 1, 0, 1]), [row, 2.0 * row]), {}),
    (np.choose, (np.array([2, 0]), (1.0, row[:2], matrix[:, :2])), {}),
    (np.choose, (np.array([5, -1, 1, 0]), matrix), {"mode": "wrap"}),
    (np.choose, (np.array([5, -1, 1, 0]), matrix), {"mode": "clip"}),
    (array.choose, (np.array([0, 1, 1, 2]), matrix), {}),
    (np.compress, ([True, False, True], matrix), {"axis": 0}), (np.compress, ([False, True], row), {}),
    (np.compress, ([True, False, True], cube, -1), {}), (np.compress, ([True, False, True], matrix), {}),
    (array.compress, (matrix, [False, True, True]), {"axis": 0}), (array.compress, (row, positive), {}),
    (np.extract, (chosen, matrix), {}), (np.extract, (np.zeros(5), row), {}),
    (np.diagonal, (matrix,), {}), (np.diagonal, (cube, 1), {}), (np.diagonal, (cube, -1, 0, 2), {}),
    (np.diagonal, (cube,), {"offset": 1, "axis1": -1, "axis2": 0}), (np.diagonal, (matrix, -7), {}),
    (np.diagonal, (empty,), {}),
    (array.diagonal, (complex_cube, 0, 1, 2), {}),
    (np.trace, (matrix,), {}), (np.trace, (matrix, 1), {}), (np.trace, (cube, -1, 1, 2), {}),
    (np.trace, (complex_cube,), {}),
    (np.trace, (empty,), {}), (array.trace, (cube,), {"axis1": 2, "axis2": 0}),
    (np.select, ([large, positive], [row, 2.0 * row]), {}), (np.select, ([large, positive], [1.5, row], -row), {}),
    (np.select, ([chosen, ~chosen[:, :1]], [matrix, row[:4]], 0.5), {}),
    (np.select, ([positive], [row]), {"default": 3.0}),
    (array.item, (row, 3), {}), (array.item, (matrix, -2), {}), (array.item, (matrix, 1, -1), {}),
    (array.item, (matrix, (0, 2)), {}),
    (array.item, (scalar,), {}), (array.item, (np.ones((1, 1)),), {}), (array.item, (complex_cube, 5), {}),
    (take_adjoint, (cube[:, :, :2], (2, 3, 4), [1, 1], -1), {}), (take_adjoint, (row, (2, 3), [0, 1, 1, 5, 5]), {}),
    (take_adjoint, (matrix, (3, 3), [-1, 9, 1, 1], 1, "clip"), {}),
    (take_along_axis_adjoint, (matrix, (3, 2), np.array([[0, 1, 1, 0]] * 3), 1), {}),
    (from_diagonal, (row[:2], (2, 4), 1), {}), (from_diagonal, (row[:1], (3, 3)), {}),
    (from_diagonal, (1.5, (3, 3)), {}),
    (from_item, (1.5, (2, 3), (1, 2)), {}), (from_item, (1.5, (), ()), {}),
]


@pytest.mark.parametrize(("function", "args", "kwargs"), CASES)
def test_adjoint_agrees_with_differences(function, args, kwargs):
    check_template(function, *args, **kwargs)


def test_every_rule_has_a_case():
    assert uncovered_rules(rules_under_test, CASES) == []


def test_take_adds_up_repeated_elements():
    np.testing.assert_array_equal(take_adjoint(np.array([1.0, 2.0, 4.0]), (2,), [1, 1, -1]), [0.0, 7.0])


def test_an_index_out_of_bounds_is_an_error():
    with pytest.raises(IndexError):
        take_adjoint(np.ones(1), (2,), [5])


def test_a_branch_not_taken_gives_zero_even_for_infinite_cotangents():
    rule, z_bar = lookup(np.where), np.array([np.inf, 1.0])
    args = (np.array([False, True]), np.ones(2), np.ones(2))
    np.testing.assert_array_equal(rule.evaluate_adjoint("x", args, {}, z_bar), [0.0, 1.0])
    np.testing.assert_array_equal(rule.evaluate_adjoint("y", args, {}, z_bar), [np.inf, 0.0])


def test_of_several_true_conditions_the_first_receives():
    conditions, choices = [np.array([True, False]), np.array([True, True])], [np.ones(2), np.ones(2)]
    got = lookup(np.select).evaluate_adjoint("choicelist", (conditions, choices), {}, np.array([3.0, 5.0]))
    np.testing.assert_array_equal(got, [[3.0, 0.0], [0.0, 5.0]])


def test_choices_in_one_array_have_one_adjoint_array():
    got = lookup(np.choose).evaluate_adjoint("choices", (np.array([1, 0]), np.ones((2, 2))), {}, np.array([3.0, 5.0]))
    assert isinstance(got, np.ndarray)
    np.testing.assert_array_equal(got, [[0.0, 5.0], [3.0, 0.0]])


def test_float32_stays_float32():
    single = matrix.astype(np.float32)
    for function, args in [(np.take, (single, [0, 0], 1)), (np.diagonal, (single,)), (np.extract, (chosen, single))]:
        rule = lookup(function)
        got = rule.evaluate_adjoint("arr" if function is np.extract else "a", args, {}, function(*args))
        assert got.dtype == np.float32


def test_keywords_that_are_not_supported_are_refused():
    with pytest.raises(TypeError):
        lookup(np.take).signature.bind(row, [0], out=row[:1])


def test_searches_are_inactive():
    assert all(map(is_inactive, (np.nonzero, np.ndarray.nonzero, np.flatnonzero, np.argwhere)))
