"""Functions listed as inactive give values that do not move with their floating arguments."""
import cmath
import math
import operator

import numpy as np
import pytest

from adcompiler.rules import (complex_scalar, elementwise, inactive, random_draws, scalar,  # noqa: F401
                              transcendental)
from adcompiler.rules.registry import all_inactive, is_inactive, lookup

x = np.array([[-1.4, 0.3, 2.7], [1.2, -0.4, 0.9]])
y = np.array([0.23, 0.7, -1.6])
ONE = [np.isfinite, np.isinf, np.isnan, np.isposinf, np.isneginf, np.signbit, np.iscomplex, np.isreal, np.isscalar,
       np.logical_not, np.all, np.any, np.ndarray.all, np.ndarray.any, np.floor, np.ceil, np.trunc, np.rint, np.fix,
       np.round, np.around, np.ndarray.round, np.argmax, np.argmin, np.nanargmax, np.nanargmin, np.argsort,
       np.argwhere, np.nonzero, np.flatnonzero, np.count_nonzero, np.ndarray.argmax, np.ndarray.argmin,
       np.ndarray.argsort, np.ndarray.nonzero, np.linalg.matrix_rank, len]
TWO = [np.equal, np.not_equal, np.greater, np.greater_equal, np.less, np.less_equal, np.logical_and, np.logical_or,
       np.logical_xor, np.allclose, np.isclose, np.array_equal, np.array_equiv, np.isin, np.floor_divide,
       operator.lt, operator.le, operator.eq, operator.ne, operator.ge, operator.gt, operator.floordiv]
NUMBERS = [(math.floor, 1), (math.ceil, 1), (math.trunc, 1), (math.isnan, 1), (math.isinf, 1), (math.isfinite, 1),
           (math.isclose, 2), (cmath.isnan, 1), (cmath.isclose, 2), (operator.not_, 1), (operator.truth, 1), (int, 1),
           (bool, 1), (round, 1), (isinstance, 0), (float.is_integer, 1), (np.int64, 1), (np.bool_, 1),
           (np.generic.round, 1)]
DIFFERENTIABLE = [np.add, np.sum, np.sort, np.unique, np.where, np.random.normal, np.random.Generator.permutation,
                  np.random.Generator.choice, sorted, list, zip, float, abs, max]


@pytest.mark.filterwarnings("ignore:numpy.fix is deprecated")
@pytest.mark.parametrize("function", ONE)
def test_array_argument(function):
    assert is_inactive(function)
    np.testing.assert_array_equal(function(x), function(x + 1e-7 * np.cos(x)))


@pytest.mark.parametrize("function", TWO)
def test_two_arguments(function):
    assert is_inactive(function)
    np.testing.assert_array_equal(function(x, y), function(x + 1e-7, y - 1e-7))


@pytest.mark.parametrize("function, count", NUMBERS)
def test_numbers(function, count):
    assert is_inactive(function)
    if count:
        a, b = np.float64(1.3), np.float64(-0.6)
        assert function(*(a, b)[:count]) == function(*(a + 1e-7, b - 1e-7)[:count])


def test_searches():
    edges = np.array([0.0, 1.0, 2.0])
    for function, args in [(np.searchsorted, (edges, y)), (np.digitize, (y, edges)), (np.argpartition, (y, 1)),
                           (np.lexsort, ([y, edges],)), (np.ndarray.searchsorted, (edges, y))]:
        assert is_inactive(function) and np.issubdtype(function(*args).dtype, np.integer)


@pytest.mark.parametrize("function", [print, repr, str, format, hash, id, type, hasattr, range, np.array2string,
                                      np.finfo, np.errstate, str.format, np.random.randint, np.random.randn,
                                      np.random.Generator.integers, np.random.RandomState.rand, np.random.default_rng,
                                      np.random.Generator.standard_normal, operator.and_, math.factorial])
def test_text_types_and_draws_without_parameters(function):
    assert is_inactive(function)


@pytest.mark.parametrize("function", DIFFERENTIABLE)
def test_functions_that_pass_values_on_are_not_inactive(function):
    assert not is_inactive(function)


def test_nothing_is_inactive_and_has_a_rule():
    assert [function for function in all_inactive() if lookup(function) is not None] == []
