"""The rules of adcompiler/rules/creating.py against differences."""
import numpy as np
import pytest

from adcompiler.rules import creating as rules_under_test
from adcompiler.rules.registry import is_inactive, lookup
from adcompiler.runtime.creating import ungrid, weighted_sum

from .template_check import check_template, uncovered_rules

rng = np.random.default_rng(5)
row, positive = rng.standard_normal(4), 0.5 + rng.random(3)
matrix, cube = rng.standard_normal((2, 3)), rng.standard_normal((2, 3, 4))
strided = rng.standard_normal((4, 6))[::2, ::-2]
complex_row = rng.standard_normal(3) + 1j * rng.standard_normal(3)
scalar = np.array(0.3)
empty = np.zeros((0, 3))

CASES = [
    (np.array, (cube,), {}), (np.array, (strided,), {"ndmin": 4}), (np.array, (1.5,), {}),
    (np.array, (scalar,), {"ndmin": 1}),
    (np.array, ([1.0, 2.0],), {}), (np.array, ([[1.0, 2.0], (3.0, 4.0)],), {}),
    (np.array, ([row, row],), {"dtype": float}),
    (np.array, ([[row, row], row.reshape(1, 4) + np.zeros((2, 1))],), {}), (np.array, ([1.0, scalar],), {"ndmin": 3}),
    (np.array, ([1.0, 2j, scalar],), {"dtype": complex, "order": "F"}), (np.array, (empty,), {"copy": True}),
    (np.array, (complex_row,), {"copy": None}), (np.array, ([scalar, [1.0][0]],), {"copy": None}),
    (np.array, ([1.0, 2.0], complex), {}), (np.array, ([[scalar], [2.0]],), {"subok": True}),
    (np.asarray, (cube,), {}), (np.asarray, ([1.0, [2.0][0]],), {"dtype": float}), (np.asarray, (2.0,), {}),
    (np.asanyarray, ([matrix, strided],), {}), (np.asarray, (scalar,), {"order": "F"}),
    (np.asarray, (complex_row,), {}),
    (np.ascontiguousarray, (strided,), {}), (np.ascontiguousarray, (1.5,), {}), (np.ascontiguousarray, (scalar,), {}),
    (np.asfortranarray, (cube,), {}), (np.asfortranarray, ([row, row], float), {}),
    (np.asarray_chkfinite, (matrix,), {}), (np.asarray_chkfinite, ([1.0, 2.0],), {"dtype": float}),
    (np.require, (strided, float, "C"), {}), (np.require, ([1.0, 2.0],), {}),
    (np.require, (row,), {"requirements": ["W"]}),
    (np.float64, (1.5,), {}), (np.float64, (matrix,), {}), (np.complex128, (complex_row,), {}),
    (np.complex128, (2.0,), {}),
    (np.longdouble, (scalar,), {}),
    (np.full, (3, 1.5), {}), (np.full, ((2, 3), positive), {}), (np.full, ((2, 3),), {"fill_value": np.ones((2, 1))}),
    (np.full, ((), 0.5), {}), (np.full, ((0, 3), 0.5), {}), (np.full, ((2, 2), 1j), {}),
    (np.full, (2, 1.5, complex), {}),
    (np.full_like, (cube, 1.5), {}), (np.full_like, (matrix, positive), {}),
    (np.full_like, (np.arange(3), 2.5, float), {}),
    (np.full_like, (row, 0.5), {"shape": (2, 2)}), (np.full_like, (empty, scalar), {}),
    (np.arange, (0.5, 3.0), {}), (np.arange, (0.5, 3.0, 0.4), {}), (np.arange, (2.5,), {}),
    (np.arange, (3.0, -1.0, -0.3), {}),
    (np.arange, (1.0, 0.0), {}), (np.arange, (0.5,), {"stop": 2.0, "step": 0.4}),
    (np.linspace, (0.5, 2.0), {}), (np.linspace, (0.5, 2.0, 5), {"endpoint": False}), (np.linspace, (1.0, 2.0, 1), {}),
    (np.linspace, (1.0, 2.0, 0), {}), (np.linspace, (positive, 2.0, 4), {}),
    (np.linspace, (matrix, positive, 4), {"axis": 1}),
    (np.linspace, (matrix, 1.0, 4), {"axis": -1, "dtype": complex}), (np.linspace, (1j, 2.0, 3), {}),
    (np.linspace, (0.5, 2.0, 4), {"retstep": True}), (np.linspace, (positive, 2.0, 4, False, True), {}),
    (np.logspace, (0.1, 0.7), {"num": 5}), (np.logspace, (0.1, 0.7, 5, False), {"base": 2.5}),
    (np.logspace, (0.1 * positive, 0.7, 4), {"base": positive, "axis": -1}),
    (np.logspace, (positive, 0.5, 3), {"axis": 1}),
    (np.logspace, (0.5, 0.3, 3), {"base": np.array([[2.0], [3.0]])}), (np.logspace, (0.2 + 0.1j, 0.3, 4), {}),
    (np.geomspace, (1.0, 8.0, 4), {}), (np.geomspace, (-1.0, -8.0, 4), {"endpoint": False}),
    (np.geomspace, (2.0, 3.0, 1), {}),
    (np.geomspace, (positive, 8.0, 5), {"axis": -1}), (np.geomspace, (1.0, positive, 5), {}),
    (np.geomspace, (1.0 + 1j, 2.0 - 0.5j, 4), {}),
    (np.meshgrid, (row,), {}), (np.meshgrid, (row, positive), {}), (np.meshgrid, (row, positive), {"indexing": "ij"}),
    (np.meshgrid, (row, positive, np.ones(2)), {}), (np.meshgrid, (row, positive, np.ones(2)), {"sparse": True}),
    (np.meshgrid, (row, 1.5), {"copy": False}), (np.meshgrid, (complex_row, row), {"sparse": True, "indexing": "ij"}),
    (np.meshgrid, (np.zeros(0), row), {}),
    (np.vander, (row,), {}), (np.vander, (positive, 5), {}), (np.vander, (row, 3, True), {}),
    (np.vander, (np.zeros(2), 4), {}),
    (np.vander, (complex_row,), {"N": 4, "increasing": True}), (np.vander, (row, 0), {}),
    # what adjoints call
    (weighted_sum, (np.arange(3), cube, 1), {}), (weighted_sum, (np.arange(4), row), {}),
    (ungrid, ([np.ones((3, 2)), np.ones((3, 2))], [(2,), (3,)]), {}), (ungrid, ([row], [(4,)]), {}),
    (ungrid, ([np.ones((2, 1, 1)), np.ones((1, 3, 1)), np.ones((1, 1, 4))], [(2,), (3,), (2, 2)], "ij"), {}),
]


@pytest.mark.parametrize(("function", "args", "kwargs"), CASES)
def test_adjoint_agrees_with_differences(function, args, kwargs):
    check_template(function, *args, **kwargs)


def test_every_rule_has_a_case():
    assert uncovered_rules(rules_under_test, CASES) == []


def test_nested_lists_have_nested_adjoints():
    bars = lookup(np.array).evaluate_adjoint("object", ([[1.0, 2.0], [3.0, 4.0]],), {}, np.arange(4.0).reshape(2, 2))
    assert bars == [[0.0, 1.0], [2.0, 3.0]]


def test_every_floating_scalar_type_has_a_rule():
    kinds = (np.float16, np.float32, np.float64, np.longdouble, np.complex64, np.complex128, np.clongdouble)
    assert all(lookup(kind) is lookup(np.float64) for kind in kinds)


def test_arange_does_not_depend_on_where_it_stops():
    assert "stop" in lookup(np.arange).constant_in
    assert lookup(np.arange).evaluate_adjoint("start_or_stop", (3.0,), {}, np.ones(3)) == 0.0


def test_constructors_without_values_are_inactive():
    assert all(map(is_inactive, (np.zeros, np.ones_like, np.eye, np.ix_, np.empty)))
    assert not any(map(is_inactive, (np.array, np.full, np.full_like, np.arange, np.linspace)))
