"""The rules of adcompiler/rules/sorting.py against differences, and their choice among equals."""
import numpy as np
import pytest

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
]


@pytest.mark.parametrize(("function", "args", "kwargs"), CASES)
def test_adjoint_agrees_with_differences(function, args, kwargs):
    check_template(function, *args, **kwargs)


def test_every_rule_has_a_case():
    assert uncovered_rules(rules_under_test, CASES) == []


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
