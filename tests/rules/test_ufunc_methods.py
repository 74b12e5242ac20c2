"""The rules of adcompiler/rules/ufunc_methods.py against differences."""
import numpy as np
import pytest

import adcompiler as ad
from adcompiler.rules import ufunc_methods as rules_under_test
from adcompiler.rules.registry import is_inactive, lookup

from .template_check import check_template, uncovered_rules
from .test_reductions import CASES as REDUCTIONS
from .test_reductions import complex_cube, cube, empty, matrix, row

rng = np.random.default_rng(9)
mixed = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, 2.0], [2.0, -5.0, 3.5]])

CASES = [
    *[(f, args, {}) for f in (np.maximum.accumulate, np.minimum.accumulate)
      for args in [(row,), (matrix,), (cube, 1), (cube, -1), (mixed.T, 0), (empty, 1)]],
    *[(f, args, kwargs) for f in (np.logaddexp.reduce, np.hypot.reduce)
      for args, kwargs in [((row,), {}), ((cube, 1), {}), ((matrix, None), {}), ((matrix,), {"axis": 1, "keepdims": True})]
      if not (f is np.hypot.reduce and args[-1] is None)],
    *[(np.add.reduceat, args, {}) for args in [
        (row, [0, 2]), (row, [1, 3, 2, 2]), (matrix, np.array([0, 2]), 1), (cube, [1], -1), (complex_cube, [0, 1], 0)]],
]


@pytest.mark.parametrize(("function", "args", "kwargs"), CASES)
def test_adjoint_agrees_with_differences(function, args, kwargs):
    check_template(function, *args, **kwargs)


def test_every_rule_has_a_case():
    assert uncovered_rules(rules_under_test, CASES + REDUCTIONS) == []


def test_a_running_extremum_takes_the_first_of_equals():
    rule = lookup(np.maximum.accumulate)
    a = np.array([1.0, 3.0, 3.0, 2.0])
    np.testing.assert_array_equal(rule.evaluate_adjoint("array", (a,), {}, np.ones(4)), [1.0, 3.0, 0.0, 0.0])
    assert rule.evaluate_tangent({"array": np.array([0.0, 1.0, 5.0, 0.0])}, (a,), {}).tolist() == [0.0, 1.0, 1.0, 1.0]


def test_shares_of_exponentials_do_not_overflow():
    rule = lookup(np.logaddexp.reduce)
    a = np.array([1000.0, 1000.0, -np.inf])
    np.testing.assert_array_equal(rule.evaluate_adjoint("array", (a,), {}, 1.0), [0.5, 0.5, 0.0])


@pytest.mark.parametrize("ufunc", [np.divide, np.power, np.maximum, np.arctan2, np.hypot, np.logaddexp, np.copysign])
def test_outer_of_any_ufunc_with_a_rule(ufunc):
    x, y = 0.5 + rng.random(3), 0.5 + rng.random((2, 4))

    def f(x, y):
        return np.sum(np.cos(ufunc.outer(x, y)) * np.arange(24.0).reshape(3, 2, 4))

    ad.check_gradients(f, x, y)
    assert ad.differentiable(f).forward(x, y)[0] == f(x, y)
    ad.check_gradients(lambda x: np.sum(ufunc.outer(x, 1.5) ** 2) + np.sum(ufunc.outer(2.5, x)), x)


def test_methods_of_inactive_ufuncs_are_inactive():
    assert is_inactive(np.logical_and.reduce) and is_inactive(np.greater.outer) and is_inactive(np.bitwise_or.accumulate)
    assert not is_inactive(np.add.reduce)
    assert ad.grad(lambda x: np.sum(np.where(np.greater.outer(x, x), 1.0, 0.0)) * x[0])(np.array([1.0, 2.0]))[0] == 1.0


@pytest.mark.parametrize("f", [lambda x: np.sum(np.multiply.reduceat(x, [0, 1])), lambda x: np.divide.reduce(x)])
def test_methods_without_a_rule_are_refused(f):
    with pytest.raises(ad.MissingRuleError):
        ad.grad(f)(row)
