"""The rules of adcompiler/rules/joining.py against differences, and the awkward forms of each call."""
import numpy as np
import pytest

import adcompiler as ad

from adcompiler.rules import joining as rules_under_test
from adcompiler.rules.registry import lookup
from adcompiler.runtime.joining import (block_like, inserted, join_like, not_inserted, padding_values, restack,
                                       slices_along, split_like, stack_like, unblock, undelete, unpad, unsplit,
                                       unstack_like)

from .template_check import check_template, uncovered_rules

rng = np.random.default_rng(4)


def normal(*shape):
    return rng.standard_normal(shape)


row, other_row = normal(4), normal(2)
matrix, cube = normal(2, 3), normal(2, 3, 4)
strided = normal(4, 6)[::2, ::-2]
complex_row = normal(3) + 1j * normal(3)
complex_matrix = normal(2, 3) + 1j * normal(2, 3)
scalar = np.array(0.3)

CASES = [
    (np.concatenate, ([row, other_row],), {}), (np.concatenate, ((matrix, normal(1, 3), normal(0, 3)),), {}),
    (np.concatenate, ([matrix, strided], 1), {}), (np.concatenate, ([cube, normal(2, 1, 4)],), {"axis": -2}),
    (np.concatenate, ([cube, row, 1.5],), {"axis": None}), (np.concatenate, ([row],), {"dtype": complex}),
    (np.concat, ([complex_row, row],), {}), (np.concatenate, (cube,), {"axis": 1}),
    (np.stack, ([row, 2 * row],), {}), (np.stack, ([matrix, strided], -1), {}), (np.stack, ([1.0, 2.0],), {}),
    (np.stack, ((matrix, matrix),), {"axis": 1}), (np.stack, ([complex_row, normal(3)], 1), {}),
    (np.stack, (cube,), {}),
    (np.block, ([row, other_row, 1.0],), {}), (np.block, ([[matrix, normal(2, 1)], [normal(1, 4)]],), {}),
    (np.block, (matrix,), {}), (np.block, ([[row], [normal(1, 4)]],), {}), (np.block, ([[[1.0, 2.0]]],), {}),
    (np.block, ([[cube, normal(2, 3, 1)], [normal(2, 2, 5)]],), {}), (np.block, ([[0.1, row], [row, 0.2]],), {}),
    (np.vstack, ([row, row],), {}), (np.vstack, ([matrix, normal(3), normal(1, 3)],), {}),
    (np.vstack, ((1.0, 2.0),), {}),
    (np.vstack, ([cube, cube[:1]],), {}), (np.vstack, ([row],), {"dtype": complex}),
    (np.hstack, ([row, other_row, 1.0],), {}), (np.hstack, ((matrix, normal(2, 1)),), {}),
    (np.hstack, ([cube, cube],), {}),
    (np.hstack, ([scalar, scalar],), {}), (np.hstack, ([complex_matrix, strided],), {"casting": "unsafe"}),
    (np.dstack, ([row, row],), {}), (np.dstack, ([matrix, strided, normal(2, 3, 2)],), {}),
    (np.dstack, ([1.0, 2.0],), {}),
    (np.column_stack, ([row, 2 * row],), {}), (np.column_stack, ((other_row, matrix, other_row),), {}),
    (np.column_stack, ([1.0, 2.0],), {}), (np.column_stack, ([complex_row, normal(3, 2)],), {}),
    (np.split, (row, 2), {}), (np.split, (cube, [1, 2], 1), {}), (np.split, (cube, 2), {"axis": -1}),
    (np.split, (row, [3, 1]), {}), (np.split, (row, [2, 9]), {}), (np.split, (strided, 1), {}),
    (np.split, (complex_matrix, [-1]), {"axis": 1}), (np.array_split, (normal(7), 3), {}),
    (np.array_split, (row, 6), {}), (np.array_split, (cube, (1, 3)), {"axis": 2}),
    (np.dsplit, (cube, 2), {}), (np.dsplit, (cube, [1]), {}), (np.hsplit, (row, 2), {}),
    (np.hsplit, (cube, [1, 2]), {}),
    (np.hsplit, (strided, 3), {}), (np.vsplit, (matrix, 2), {}), (np.vsplit, (cube, [1]), {}),
    (np.tile, (row, 3), {}), (np.tile, (row, (2, 3)), {}), (np.tile, (cube, (2, 1)), {}), (np.tile, (2.0, 4), {}),
    (np.tile, (matrix, ()), {}), (np.tile, (matrix, (2, 0)), {}), (np.tile, (np.zeros((0, 2)), 2), {}),
    (np.tile, (strided, [1, 2, 3, 1]), {}), (np.tile, (scalar, (2, 2)), {}), (np.tile, (complex_row,), {"reps": 2}),
    (np.repeat, (row, 3), {}), (np.repeat, (matrix, 2), {}), (np.repeat, (matrix, 2, 0), {}), (np.repeat, (1.5, 3), {}),
    (np.repeat, (matrix, [2, 0]), {"axis": 0}), (np.repeat, (cube, [1, 2, 0, 3]), {"axis": -1}),
    (np.repeat, (matrix, np.arange(6)), {}), (np.repeat, (strided, [2], -1), {}), (np.repeat, (row, 0), {}),
    (np.ndarray.repeat, (complex_matrix, 2), {"axis": 1}), (np.ndarray.repeat, (cube, [0, 2, 1], 1), {}),
    (np.append, (row, 1.5), {}), (np.append, (matrix, cube), {}), (np.append, (matrix, normal(2, 2), 1), {}),
    (np.append, (cube, cube[:1]), {"axis": -3}), (np.append, (row, [1.0, 2.0]), {}), (np.append, (2.0, row), {}),
    (np.append, (complex_row, row), {}), (np.append, (np.zeros(0), row), {}),
    (np.delete, (row, 1), {}), (np.delete, (row, [0, -1]), {}), (np.delete, (cube, 1, 1), {}),
    (np.delete, (row, []), {}),
    (np.delete, (cube, slice(None, None, 2)), {"axis": -1}), (np.delete, (matrix, 3), {}),
    (np.delete, (row, np.array([True, False, False, True])), {}), (np.delete, (complex_matrix, [1, 1], 1), {}),
    (np.insert, (row, 1, 2.5), {}), (np.insert, (row, [3, 0], [1.0, 2.0]), {}), (np.insert, (row, [1, 1, 4], 0.5), {}),
    (np.insert, (matrix, 2, row), {}), (np.insert, (matrix, 1, 7.0, 1), {}), (np.insert, (matrix, 1, other_row, 1), {}),
    (np.insert, (matrix, [1], normal(2, 1), 1), {}), (np.insert, (matrix, [0, 2], normal(2, 2)), {"axis": 1}),
    (np.insert, (matrix, -1, normal(3)), {"axis": 0}), (np.insert, (matrix, [1, 2], 0.5), {"axis": -1}),
    (np.insert, (cube, 1, normal(2, 4), 1), {}), (np.insert, (row, slice(0, 3), [1.0, 2.0, 3.0]), {}),
    (np.insert, (row, 2, [1.0, 2.0, 3.0]), {}), (np.insert, (row, [2], [1.0, 2.0]), {}),
    (np.insert, (row, [], [0.5]), {}),
    (np.trim_zeros, (row, "f"), {}),
    (np.trim_zeros, (row,), {"trim": "b"}), (np.trim_zeros, (complex_row,), {}),
    (np.insert, (row, np.array([True, False, True, False]), [1.0, 2.0]), {}), (np.insert, (complex_row, 0, 1j), {}),
    (np.insert, (matrix, [0, 2, 1], normal(3)), {"axis": 1, }), (np.insert, (row, slice(1, 2), [1.0, 2.0]), {}),
    (np.resize, (row, 10), {}), (np.resize, (row, (3, 2)), {}), (np.resize, (cube, 5), {}),
    (np.resize, (matrix, (0,)), {}),
    (np.resize, (strided, (2, 7)), {}), (np.resize, (complex_row, 4), {}), (np.resize, (2.0, (2, 2)), {}),
    (np.pad, (row, 2), {}), (np.pad, (row, (1, 2)), {"constant_values": 1.5}), (np.pad, (matrix, ((1, 0), (2, 1))), {}),
    (np.pad, (matrix, ((1, 2), (2, 1))), {"constant_values": np.array([[1.0, 2.0], [3.0, 4.0]])}),
    (np.pad, (cube, 1), {"constant_values": (1.0, 2.0)}), (np.pad, (matrix, ((1,), (2,))), {}),
    (np.pad, (matrix, 1), {"constant_values": np.array([[1.0], [2.0]])}),
    (np.pad, (matrix, 0), {"constant_values": 3.0}),
    (np.pad, (complex_matrix, (1, 1)), {"mode": "constant", "constant_values": 1j}), (np.pad, (scalar, 0), {}),
    (np.pad, (np.zeros((0, 2)), 1), {"constant_values": 2.0}), (np.pad, (strided, 1, "edge"), {}),
    (np.pad, (row, (5, 6), "edge"), {}), (np.pad, (cube, ((1, 2), (0, 0), (3, 1)), "edge"), {}),
    (np.pad, (row, (2, 7), "reflect"), {}), (np.pad, (cube, 1, "reflect"), {}),
    (np.pad, (normal(1, 2), 2, "reflect"), {}),
    (np.pad, (row, (6, 3), "symmetric"), {}), (np.pad, (matrix, ((2, 1), (1, 4)), "symmetric"), {}),
    (np.pad, (row, (9, 2), "wrap"), {}), (np.pad, (complex_matrix, 3, "wrap"), {}),
]
if hasattr(np, "unstack"):
    CASES += [(np.unstack, (matrix,), {}), (np.unstack, (cube,), {"axis": -1}), (np.unstack, (row,), {}),
              (np.unstack, (complex_matrix,), {"axis": 1})]


blocks = [[(2, 3), (2, 1)], [(4,)]]
CASES += [  # what adjoints call
    (split_like, (normal(5), [(2,), (3,)]), {}), (split_like, (normal(7), [(2, 2), (), (2,)], None), {}),
    (split_like, (normal(3, 4), [(4,), (2, 4)]), {"axis": 0, "rank": 2}),
    (split_like, (normal(1, 4, 2), [(4,), (4,)], 2, 3), {}),
    (split_like, (normal(3, 2), [(3,), (3, 1)], 1, 2), {}), (join_like, ([row, other_row], (6,), [(4,), (2,)]), {}),
    (join_like, ([complex_row, normal(2, 3)], (3, 3), [(3,), (2, 3)], 0, 2), {}),
    (slices_along, (matrix, -1), {}), (slices_along, (row,), {}), (restack, ([row, row], (4, 2)), {"axis": 1}),
    (unstack_like, (normal(1, 2, 2), [(2,), [(), ()]]), {}), (unstack_like, (cube, (2, 12)), {}),
    (stack_like, ([[1.0, 2.0], normal(2)], [[(), ()], (2,)], (1, 2, 2)), {}),
    (unblock, (normal(3, 4), blocks), {}), (block_like, ([[matrix, normal(2, 1)], [row]], blocks, (3, 4)), {}),
    (unsplit, ([row, other_row], (6,), [4]), {}), (unsplit, ([normal(3), normal(0), normal(3)], (4,), [3, 1]), {}),
    (not_inserted, (normal(7), (4,), 2, (3,), None), {}), (not_inserted, (normal(2, 5), (2, 3), [0, 2], (), 1), {}),
    (not_inserted, (normal(4, 3), (2, 3), [1], (2, 3), 0), {}), (inserted, (normal(2, 4), (2, 3), 1, (2,), 1), {}),
    (inserted, (normal(6), (4,), [3, 0], (2,), None), {}), (inserted, (complex_row, (2,), 0, (), None), {}),
    (undelete, (normal(2, 2), (2, 3), 1, -1), {}), (unpad, (normal(4, 5), (2, 3), 1), {}),
    (unpad, (normal(7), (3,), 2, "reflect"), {}), (padding_values, (normal(4, 5), (2, 3), 1, (2, 2)), {}),
    (padding_values, (complex_row, (1,), 1, ()), {}),
]


@pytest.mark.parametrize(("function", "args", "kwargs"), CASES)
def test_adjoint_agrees_with_differences(function, args, kwargs):
    check_template(function, *args, **kwargs)


def test_every_rule_has_a_case():
    assert uncovered_rules(rules_under_test, CASES) == []


def test_all_pieces_unused_gives_zeros():
    y_bar = lookup(np.split).evaluate_adjoint("ary", (matrix, 3, 1), {}, [None, None, None])
    np.testing.assert_array_equal(y_bar, np.zeros((2, 3)))


def test_overlapping_pieces_add():
    bars = [np.ones(3), np.zeros(0), np.ones(3)]
    np.testing.assert_array_equal(lookup(np.split).evaluate_adjoint("ary", (row, [3, 1]), {}, bars), [1, 2, 2, 1])


@pytest.mark.parametrize(("function", "args", "bar"), [
    (np.split, (row.astype(np.float32), 2), [np.ones(2, np.float32)] * 2),
    (np.repeat, (row.astype(np.float32), 2), np.ones(8, np.float32)),
    (np.tile, (row.astype(np.float32), 2), np.ones(8, np.float32)),
    (np.delete, (row.astype(np.float32), 0), np.ones(3, np.float32)),
    (np.resize, (row.astype(np.float32), 5), np.ones(5, np.float32)),
])
def test_float32_stays_float32(function, args, bar):
    rule = lookup(function)
    assert rule.evaluate_adjoint(rule.differentiable[0], args, {}, bar).dtype == np.float32


COMPUTED = [("mean", {}), ("mean", {"stat_length": ((1, 2), (3, 9))}), ("maximum", {}), ("minimum", {"stat_length": 2}), ("median", {}),
            ("linear_ramp", {}), ("linear_ramp", {"end_values": ((1.0, 2.0), (3.0, 4.0))}), ("reflect", {"reflect_type": "odd"}),
            ("symmetric", {"reflect_type": "odd"}), ("symmetric", {"reflect_type": "even"})]


@pytest.mark.parametrize("mode, options", COMPUTED)
@pytest.mark.parametrize("width", [((1, 2), (0, 3)), {1: (9, 2)}])
def test_padding_that_computes_what_it_fills_in(mode, options, width):
    def f(a):
        return np.pad(a, width, mode, **options)

    def curved(a):
        return np.sum(np.sin(f(a)))

    a, direction, step = normal(3, 4), normal(3, 4), 1e-6
    value, pullback = ad.vjp(f, a, wrt=0)
    np.testing.assert_allclose(value, f(a))
    seed = np.cos(value)
    assert np.sum(seed * ad.jvp(f, (a,), (direction,))[1]) == pytest.approx(np.sum(pullback(seed) * direction))
    ad.check_gradients(curved, a)
    gradient = ad.grad(curved)
    want = (gradient(a + step * direction) - gradient(a - step * direction)) / (2 * step)
    np.testing.assert_allclose(ad.hvp(curved)(a, direction), want, atol=1e-6)
    assert ad.jvp(f, (a.astype(np.float32),), (a.astype(np.float32),))[1].dtype == np.float32


def test_end_values_of_ramps():
    ad.check_gradients(lambda a, ends: np.sum(np.pad(a, 2, "linear_ramp", end_values=ends) ** 2), row, 0.5, wrt=(0, 1))


def test_padding_of_an_empty_axis_is_the_error_of_numpy():
    with pytest.raises(ValueError, match="empty axis 0"):
        ad.grad(lambda a: np.sum(np.pad(a, 1, "mean")))(np.zeros(0))


@pytest.mark.parametrize("mode, told", [("empty", "without a value"), (np.copyto, "a function that fills in")])
def test_padding_that_leaves_elements_to_others_is_refused(mode, told):
    with pytest.raises(ad.UnsupportedSyntaxError, match=told):
        ad.grad(lambda a: np.sum(np.pad(a, 1, mode)))(row)


@pytest.mark.parametrize("mode", ["mean", "maximum", "linear_ramp", "empty"])
def test_padding_that_copies_nothing_is_refused(mode):
    with pytest.raises(ValueError, match=f"mode '{mode}' has no derivative"):
        unpad(np.ones(5), (3,), 1, mode)


@pytest.mark.parametrize("pad_width", [{0: 1}, {-1: (2, 1)}, {0: (1, 0), 1: 2}])
def test_padding_given_by_axis(pad_width):
    rows = {axis % 2: width for axis, width in pad_width.items()}
    pairs = [(w, w) if isinstance(w, int) else w for w in (rows.get(k, 0) for k in range(2))]
    y_bar = normal(*(n + sum(p) for n, p in zip(matrix.shape, pairs, strict=True)))
    np.testing.assert_array_equal(unpad(y_bar, matrix.shape, pad_width), unpad(y_bar, matrix.shape, pairs))


def test_none_within_nested_adjoints_is_zero():
    np.testing.assert_array_equal(block_like([None, [row]], blocks, (3, 4)), np.vstack([np.zeros((2, 4)), row]))
    np.testing.assert_array_equal(stack_like([None, [1.0, None]], [(2,), [(), ()]], (2, 2)), [[0, 0], [1, 0]])


@pytest.mark.parametrize("trim", ["fb", "f", "b"])
def test_zeros_that_are_cut_off_have_no_influence(trim):
    a = np.array([0.0, 1.0, 0.0, 2.0, 0.0])
    y = np.trim_zeros(a, trim)
    a_bar = lookup(np.trim_zeros).evaluate_adjoint("filt", (a, trim), {}, np.arange(1.0, 1.0 + len(y)))
    first = 0 if trim == "b" else 1
    want = np.zeros(5)
    want[first:first + len(y)] = np.arange(1.0, 1.0 + len(y))
    np.testing.assert_array_equal(a_bar, want)
    along = lookup(np.trim_zeros).evaluate_tangent({"filt": np.arange(5.0)}, (a, trim), {})
    np.testing.assert_array_equal(along, np.arange(5.0)[first:first + len(y)])


def test_the_tangent_of_a_block_matrix_with_a_row_of_constants():
    def with_ones(x):
        return np.block([[np.outer(x, x), np.zeros((2, 1))], [np.ones((1, 2)), 1.0]])

    x, direction = np.array([1.0, 2.0]), np.array([0.5, -1.0])
    _, tangent = ad.jvp(lambda x: np.block([[with_ones(x)], [np.zeros((1, 2)), x[0]]]), (x,), (direction,))
    want = np.zeros((4, 3))
    want[:2, :2], want[3, 2] = np.outer(x, direction) + np.outer(direction, x), direction[0]
    np.testing.assert_allclose(tangent, want)
