"""The rules of adcompiler/rules/sorting.py against differences, and their choice among equals."""
import numpy as np
import pytest

import adcompiler as ad
from adcompiler.rules import sorting as rules_under_test
from adcompiler.rules.registry import is_inactive, lookup
from adcompiler.runtime.order import group_ranks, places, ranks

from .template_check import check_template, uncovered_rules

rng = np.random.default_rng(11)
row = rng.standard_normal(7)
matrix = rng.standard_normal((3, 5))
cube = rng.standard_normal((2, 3, 4))
strided = rng.standard_normal((4, 6))[::2, ::-2]
complex_matrix = matrix + 1j * rng.standard_normal(matrix.shape)

CASES = [
    (np.sort, (row,), {}), (np.sort, (matrix,), {}), (np.sort, (matrix, 0), {}), (np.sort, (cube, -2), {}),
    (np.sort, (cube,), {"axis": None}), (np.sort, (strided, 0, "heapsort"), {}), (np.sort, (row,), {"stable": True}),
    (np.sort, (complex_matrix,), {"axis": 1}), (np.sort, (np.array(0.5),), {"axis": None}),
    (np.sort, (np.ones((1, 1)),), {}),
    (np.sort, (np.zeros((0, 3)),), {}), (np.sort, (np.zeros((0, 3)), 0), {}),
    (np.partition, (row, 3), {}), (np.partition, (matrix, 1, 0), {}), (np.partition, (cube, (0, 2)), {"axis": -1}),
    (np.partition, (matrix, -2), {"axis": None}), (np.partition, (strided, 1), {"kind": "introselect"}),
    (np.sort_complex, (complex_matrix,), {}), (np.sort_complex, (cube,), {}),
    (np.unique, (matrix,), {}), (np.unique, (complex_matrix,), {}), (np.unique, (np.zeros(0),), {}),
    (np.unique_values, (cube,), {}), (np.union1d, (row, matrix), {}), (np.union1d, (row[:0], row), {}),
]
WITH_INDICES = [(np.unique, (strided,), {flag: True}) for flag in ("return_index", "return_inverse", "return_counts")]


@pytest.mark.parametrize(("function", "args", "kwargs"), CASES)
def test_adjoint_agrees_with_differences(function, args, kwargs):
    check_template(function, *args, **kwargs)


def test_every_rule_has_a_case():
    assert uncovered_rules(rules_under_test, CASES + WITH_INDICES) == []


@pytest.mark.parametrize(("function", "args", "kwargs"), WITH_INDICES)
def test_indices_beside_the_values_change_nothing(function, args, kwargs):
    y = function(*args)
    a_bar = lookup(function).for_call(kwargs).evaluate_adjoint("ar", args, kwargs, np.cos(y), None)
    np.testing.assert_array_equal(a_bar, lookup(function).evaluate_adjoint("ar", args, {}, np.cos(y)))
    y_dot, nothing = lookup(function).for_call(kwargs).evaluate_tangent({"ar": np.sin(args[0])}, args, kwargs)
    np.testing.assert_array_equal(y_dot, np.sin(y))


def test_equal_elements_share_their_value_in_a_set():
    rule, a = lookup(np.unique), np.array([7.0, 5.0, 7.0])
    np.testing.assert_array_equal(rule.evaluate_adjoint("ar", (a,), {}, np.array([1.0, 4.0])), [2.0, 1.0, 2.0])
    assert rule.evaluate_tangent({"ar": np.array([1.0, 9.0, 3.0])}, (a,), {}).tolist() == [9.0, 2.0]


def test_sets_in_programs():
    def f(x):
        values, counts = np.unique(x, return_counts=True)
        return np.sum(values ** 2 * counts) + np.max(np.unique(x)) * np.sum(np.union1d(x, [0.1, 5.0]))

    ad.check_gradients(f, row)
    with pytest.raises(ad.MissingRuleError, match="this form of numpy.unique"):
        ad.grad(lambda x: np.sum(np.unique(x, axis=0)))(matrix)


def test_the_first_of_equals_takes_the_lower_place():
    a = np.array([2.0, 1.0, 2.0, 0.5])
    y_bar = np.array([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(lookup(np.sort).evaluate_adjoint("a", (a,), {}, y_bar), [3.0, 2.0, 4.0, 1.0])


@pytest.mark.parametrize("kth", [0, 50, 199])
def test_partition_keeps_every_cotangent_with_its_value(kth):
    a = np.round(rng.standard_normal(200), 1)  # many equals
    y = np.partition(a, kth)
    got = lookup(np.partition).evaluate_adjoint("a", (a, kth), {}, y)
    np.testing.assert_array_equal(got, a)
    assert sorted(places(a, y)) == list(range(200))


def test_ranks_are_places_in_the_sorted_array():
    np.testing.assert_array_equal(np.take_along_axis(np.sort(cube, 1), ranks(cube, 1), 1), cube)
    np.testing.assert_array_equal(np.sort(cube, None)[ranks(cube, None)], cube)
    np.testing.assert_array_equal(group_ranks(cube, (0, 2))[:, 1], ranks(cube[:, 1], None))


def test_keywords_that_are_not_supported_are_refused():
    for function, args in [(np.sort, (row,)), (np.partition, (row, 1))]:
        with pytest.raises(TypeError):
            lookup(function).signature.bind(*args, order="f0")


def test_index_results_are_inactive():
    assert all(map(is_inactive, (np.argsort, np.lexsort, np.searchsorted, np.digitize, ranks)))
