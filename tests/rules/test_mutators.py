"""The pure counterparts of mutators against what the mutators do, and their rules against differences."""
import random

import numpy as np
import pytest

from adcompiler.rules import mutators as rules_under_test
from adcompiler.rules.mutators import MUTATORS, lookup_mutator
from adcompiler.rules.registry import lookup
from adcompiler.runtime.mutators import (along_values, diagonal_values, factors_beside, masked_values, placed_values,
                                        put_values)

from .template_check import check_template, uncovered_rules

rng = np.random.default_rng(6)


def normal(*shape):
    return rng.standard_normal(shape)


row, matrix, cube = normal(5), normal(2, 3), normal(2, 3, 4)
square, tall, box = normal(3, 3), normal(7, 3), normal(2, 2, 2)
strided = normal(4, 6)[::2, ::-2]
complex_row = normal(5) + 1j * normal(5)
scalar, empty = np.array(0.3), np.zeros((0, 3))
mask = np.array([[True, False, True], [False, False, True]])
ranked = np.array([[2, 0], [1, 1]])

# the mutator, its arguments, its keywords
CASES = [
    (np.copyto, (matrix, normal(3)), {}), (np.copyto, (matrix, 2.5), {"where": mask}),
    (np.copyto, (strided, matrix), {}),
    (np.copyto, (matrix, normal(2, 1)), {"where": np.array([True, False, True])}), (np.copyto, (scalar, 1.0), {}),
    (np.copyto, (complex_row, row, "unsafe"), {}), (np.copyto, (matrix, matrix), {"where": False}),
    (np.copyto, (empty, 1.0), {}), (np.copyto, (matrix, normal(1, 3)), {"casting": "no", "where": True}),
    (np.ndarray.fill, (matrix, 1.5), {}), (np.ndarray.fill, (strided, scalar), {}), (np.ndarray.fill, (empty, 1.0), {}),
    (np.ndarray.fill, (scalar, 2.0), {}), (np.ndarray.fill, (complex_row, 1j), {}),
    (np.put, (row, [0, 3], [1.0, 2.0]), {}), (np.put, (matrix, [1, 4, 1], [1.0, 2.0, 3.0]), {}),
    (np.put, (row, [0, 1, 2], [1.0, 2.0]), {}), (np.put, (row, -1, 0.5), {}),
    (np.put, (strided, [7, -8], normal(2)), {"mode": "wrap"}),
    (np.put, (row, np.array([[9, 0], [4, -3]]), normal(4)), {"mode": "clip"}), (np.put, (row, [1], [1.0, 2.0]), {}),
    (np.put, (complex_row, [2, 2], np.array([1j, 2.0])), {}), (np.put, (row, [], [1.0]), {}),
    (np.ndarray.put, (row, [0, 0], [1.0, 2.0]), {}), (np.ndarray.put, (matrix, [6], 1.0, "wrap"), {}),
    (np.place, (matrix, mask, [1.0, 2.0]), {}), (np.place, (matrix, mask, normal(5)), {}),
    (np.place, (strided, mask, 1.5), {}),
    (np.place, (row, [0, 1, 0, 1, 1], normal(2)), {}), (np.place, (row, row > 99, [1.0]), {}),
    (np.putmask, (matrix, mask, matrix + 1), {}), (np.putmask, (matrix, mask, [1.0, 2.0]), {}),
    (np.putmask, (row, row > 0, 2.0), {}),
    (np.putmask, (strided, mask, normal(8)), {}), (np.putmask, (complex_row, row > 0, complex_row * 2), {}),
    (np.fill_diagonal, (square, 1.5), {}), (np.fill_diagonal, (square, [1.0, 2.0, 3.0]), {}),
    (np.fill_diagonal, (matrix, [1.0, 2.0]), {}),
    (np.fill_diagonal, (tall, normal(2)), {}), (np.fill_diagonal, (tall, normal(4), True), {}),
    (np.fill_diagonal, (box, normal(2)), {}),
    (np.fill_diagonal, (tall, 2.0), {"wrap": True}), (np.fill_diagonal, (square, normal(5)), {}),
    (np.fill_diagonal, (square.T, scalar), {}),
    (np.put_along_axis, (matrix, ranked, normal(2, 2), 1), {}), (np.put_along_axis, (matrix, ranked, 1.5, -1), {}),
    (np.put_along_axis, (matrix, np.array([[1, 0, 1]]), normal(3), 0), {}),
    (np.put_along_axis, (row, np.array([0, 4, 0]), normal(3), None), {}),
    (np.put_along_axis, (cube, np.array([[[1], [0], [3]]]), normal(2, 3, 1)), {"axis": 2}),
    (np.put_along_axis, (matrix, np.array([5, 0]), normal(2)), {"axis": None}),
    (np.add.at, (row, [0, 2, 0], normal(3)), {}), (np.add.at, (matrix, (mask,), 1.5), {}),
    (np.add.at, (matrix, 1, normal(3)), {}),
    (np.add.at, (matrix, ([0, 1, 0], [2, 2, 2]), normal(3)), {}),
    (np.add.at, (cube, (slice(None), [1, 1]), normal(2, 1)), {}),
    (np.add.at, (scalar, (), 1.0), {}), (np.add.at, (complex_row, np.array([], int), normal(0)), {}),
    (np.add.at, (row, slice(1, 3), 2.0), {}),
    (np.subtract.at, (row, [0, 2, 0], normal(3)), {}), (np.subtract.at, (strided, ([1, 1], [0, 0]), 0.5), {}),
    (np.multiply.at, (row, [0, 2, 0, 0], normal(4)), {}),
    (np.multiply.at, (row, [0, 0, 1], np.array([0.0, 2.0, 0.0])), {}),
    (np.multiply.at, (row, [0, 0, 0], np.array([0.0, 2.0, 0.0])), {}),
    (np.multiply.at, (matrix, ([1, 0, 1], [2, 1, 2]), 1.5), {}),
    (np.multiply.at, (strided, mask, normal(3)), {}), (np.multiply.at, (complex_row, [1, 1, 3], complex_row[:3]), {}),
    (np.multiply.at, (np.zeros(3), [0, 0], normal(2)), {}), (np.multiply.at, (row, np.array([], int), normal(0)), {}),
    (np.multiply.at, (cube, (slice(None), [1, 1]), normal(2, 4)), {}),
    (np.divide.at, (row, [0, 2, 0], normal(3) + 2.0), {}), (np.divide.at, (complex_row, [1, 3], complex_row[:2]), {}),
    (np.divide.at, (matrix, (slice(None), [1, 1]), 2.5), {}),
    (np.maximum.at, (row, [0, 2, 0], normal(3)), {}), (np.maximum.at, (matrix, ([0, 1], [2, 2]), 0.1), {}),
    (np.minimum.at, (row, [0, 2, 0, 4], normal(4)), {}), (np.minimum.at, (cube, (slice(None), [1, 1]), normal(2, 4)), {}),
    (np.ndarray.sort, (row,), {}), (np.ndarray.sort, (matrix, 0), {}), (np.ndarray.sort, (cube,), {"axis": -2}),
    (np.ndarray.partition, (row, 2), {}), (np.ndarray.partition, (matrix, 1, 1), {}),
]


@pytest.mark.parametrize(("mutator", "args", "kwargs"), CASES)
def test_pure_function_returns_what_the_mutator_leaves(mutator, args, kwargs):
    before, changed = args[0].copy(), args[0].copy(order="K")
    mutator(changed, *args[1:], **kwargs)
    y = lookup_mutator(mutator).pure(*args, **kwargs)
    np.testing.assert_array_equal(y, changed)
    np.testing.assert_array_equal(args[0], before)
    assert y.dtype == changed.dtype and not np.shares_memory(y, args[0])


@pytest.mark.parametrize(("mutator", "args", "kwargs"), CASES)
def test_adjoint_agrees_with_differences(mutator, args, kwargs):
    pure = lookup_mutator(mutator).pure
    check_template(pure, *args, **kwargs)


HELPER_CASES = [  # what adjoints call
    (put_values, (row, [0, 3, 0], (2,)), {}), (put_values, (matrix, [7, -2], ()), {"mode": "wrap"}),
    (placed_values, (matrix, mask, (2,)), {}), (masked_values, (matrix, mask, (4,)), {}),
    (diagonal_values, (tall, (4,), True), {}), (diagonal_values, (square, ()), {}),
    (along_values, (matrix, ranked, (2, 2), 1), {}), (along_values, (row, np.array([0, 4, 0]), (3,), None), {}),
    (masked_values, (complex_row, row > 0, (5,)), {}),
]


@pytest.mark.parametrize(("function", "args", "kwargs"), HELPER_CASES)
def test_adjoints_of_written_values_have_adjoints(function, args, kwargs):
    check_template(function, *args, **kwargs)


def test_every_rule_has_a_case():
    pure_cases = [(lookup_mutator(f).pure, args, kwargs) for f, args, kwargs in CASES]
    assert uncovered_rules(rules_under_test, pure_cases + HELPER_CASES) == []


def test_every_supported_mutator_has_a_case_and_a_rule():
    called = {id(lookup_mutator(f)) for f, _, _ in CASES}
    for key, mutator in MUTATORS.items():
        if mutator.pure is None:
            assert mutator.reason and mutator.hint, key
        else:
            assert id(mutator) in called, key
            assert lookup(mutator.pure) is not None, key
            assert next(iter(lookup(mutator.pure).signature.parameters)) == mutator.parameter, key


@pytest.mark.parametrize("function", [
    np.ndarray.resize, np.ndarray.byteswap, np.ndarray.setflags, np.random.shuffle, random.shuffle,
    np.random.default_rng(0).shuffle, np.random.RandomState(0).shuffle, np.random.Generator.shuffle, row.resize,
])
def test_refused_mutators_say_why(function):
    assert lookup_mutator(function).pure is None
    assert lookup_mutator(function).reason.startswith("it ")


def test_bound_methods_and_ufunc_methods_are_recognised():
    assert lookup_mutator(row.sort) is lookup_mutator(np.ndarray.sort)
    assert lookup_mutator(np.add.at) is MUTATORS[np.add, "at"]
    assert lookup_mutator(np.add.at) is not lookup_mutator(np.subtract.at)


class Unhashable:
    __hash__ = None

    def __call__(self):
        return 0.0


@pytest.mark.parametrize("function", [np.sin, np.sort, np.add, np.add.reduce, np.power.at, row.sum, [].sort, len,
                                      Unhashable()])
def test_other_functions_are_not_mutators_of_arrays(function):
    assert lookup_mutator(function) is None


def test_of_values_put_in_one_place_the_last_gets_the_adjoint():
    np.testing.assert_array_equal(put_values(np.array([7.0, 8.0]), [0, 0, 1], (3,)), [0.0, 7.0, 8.0])


def test_equal_values_share_an_extremum():
    rule, a, b = lookup(lookup_mutator(np.maximum.at).pure), np.array([2.0, 5.0]), np.array([2.0, 2.0, 5.0])
    np.testing.assert_allclose(rule.evaluate_adjoint("a", (a, [0, 0, 1], b), {}, np.ones(2)), [1 / 3, 0.5])
    np.testing.assert_allclose(rule.evaluate_adjoint("b", (a, [0, 0, 1], b), {}, np.ones(2)), [1 / 3, 1 / 3, 0.5])
    low = np.array([np.inf, 1.0])  # an entry without a share does not count
    along = rule.evaluate_tangent({"a": low}, (np.array([-3.0, 5.0]), [0, 0, 1], b), {})
    np.testing.assert_allclose(along, [0.0, 0.5])


def test_factors_beside_zeros_are_exact():
    beside = factors_beside(np.array([2.0]), [0, 0, 0], np.array([0.0, 3.0, 0.0]))
    np.testing.assert_array_equal(beside, [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(factors_beside(np.array([2.0]), [0, 0], np.array([0.0, 3.0])), [6.0, 0.0])
