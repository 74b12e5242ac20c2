"""The rules of adcompiler/rules/shape.py against differences, and the memory orders that they undo."""
import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import adcompiler as ad
from adcompiler.rules import shape as rules_under_test
from adcompiler.rules.registry import is_inactive, lookup
from adcompiler.runtime.shape import (broadcast_each, layout_positions, ravel_at, reshape_each, unbroadcast_each, unravel,
                                     unrepeat, unresize, unroll_axis, unslide, untile, untranspose)

from .template_check import check_template, uncovered_rules

rng = np.random.default_rng(3)
row = rng.standard_normal(4)
matrix = rng.standard_normal((2, 3))
cube = rng.standard_normal((2, 3, 4))
strided = rng.standard_normal((4, 6))[::2, ::-2]
fortran = np.asfortranarray(cube)
swapped = cube.transpose(1, 2, 0)
complex_cube = cube + 1j * rng.standard_normal(cube.shape)
scalar = np.array(0.7)
empty = np.zeros((0, 3))
thin = rng.standard_normal((1, 3, 1))
array = np.ndarray

CASES = [
    (np.ndarray.view, (np.ones((2, 3)),), {}),
    (np.copy, (cube,), {}), (np.copy, (1.5,), {}), (np.copy, (fortran, "F"), {}), (array.copy, (swapped,), {}),
    (array.copy, (complex_cube,), {"order": "K"}), (np.copy, (empty,), {}),
    (array.astype, (cube, float), {}), (array.astype, (cube, np.float64), {"copy": False}),
    (array.astype, (matrix, complex), {}), (array.astype, (scalar, "f8"), {"order": "F", "casting": "same_kind"}),
    (np.reshape, (cube, (6, 4)), {}), (np.reshape, (cube, -1), {}), (np.reshape, (cube,), {"shape": (4, -1)}),
    (np.reshape, (cube, (8, 3), "F"), {}), (np.reshape, (fortran, (8, 3)), {"order": "A"}),
    (np.reshape, (cube, (8, 3)), {"order": "A"}), (np.reshape, (2.0, (1, 1)), {}), (np.reshape, (empty, (3, 0)), {}),
    (np.reshape, (strided, (3, 2)), {}), (np.reshape, (complex_cube, (12, 2)), {}), (np.reshape, (scalar, ()), {}),
    (array.reshape, (cube, 6, 4), {}), (array.reshape, (cube, (6, 4)), {}), (array.reshape, (cube, -1), {"order": "F"}),
    (array.reshape, (fortran, 24), {"order": "A"}), (array.reshape, (scalar, (1, 1)), {}),
    (np.ravel, (cube,), {}), (np.ravel, (strided,), {}), (np.ravel, (cube, "F"), {}), (np.ravel, (fortran, "A"), {}),
    (np.ravel, (swapped, "K"), {}), (np.ravel, (strided,), {"order": "K"}), (np.ravel, (0.5,), {}),
    (np.ravel, (empty,), {"order": "K"}), (array.ravel, (complex_cube,), {}), (array.ravel, (swapped, "K"), {}),
    (array.flatten, (cube,), {}), (array.flatten, (cube, "F"), {}), (array.flatten, (swapped, "K"), {}),
    (array.flatten, (fortran, "A"), {}), (array.flatten, (scalar,), {}), (array.flatten, (empty,), {}),
    (np.moveaxis, (cube, 0, -1), {}), (np.moveaxis, (cube, [0, 1], [-1, 0]), {}),
    (np.moveaxis, (cube,), {"source": -1, "destination": 0}),
    (np.rollaxis, (cube, 2), {}), (np.rollaxis, (cube, 0, 3), {}), (np.rollaxis, (cube, -2, -1), {}),
    (np.rollaxis, (cube, 1), {"start": 1}),
    (np.swapaxes, (cube, 0, 2), {}), (np.swapaxes, (cube, -1, 1), {}), (array.swapaxes, (complex_cube, 0, -1), {}),
    (np.transpose, (cube,), {}), (np.transpose, (cube, (1, 2, 0)), {}), (np.transpose, (cube, (2, 0, -2)), {}),
    (np.transpose, (scalar,), {}), (np.transpose, (row,), {}), (np.transpose, (matrix,), {"axes": [1, 0]}),
    (np.permute_dims, (complex_cube, (2, 0, 1)), {}), (np.transpose, (empty,), {}),
    (array.transpose, (cube,), {}), (array.transpose, (cube, 1, 2, 0), {}), (array.transpose, (cube, (-1, 0, 1)), {}),
    (array.transpose, (cube, None), {}), (array.transpose, (row, 0), {}), (array.transpose, (scalar,), {}),
    (np.matrix_transpose, (cube,), {}), (np.matrix_transpose, (empty,), {}),
    (np.atleast_1d, (2.0,), {}), (np.atleast_1d, (2.0, matrix), {}), (np.atleast_2d, (row,), {}),
    (np.atleast_2d, (cube, row, scalar), {}), (np.atleast_3d, (row,), {}), (np.atleast_3d, (matrix, 1.0), {}),
    (np.broadcast_to, (row, (3, 4)), {}), (np.broadcast_to, (2.0, (3, 2)), {}),
    (np.broadcast_to, (thin, (2, 3, 4)), {}),
    (np.broadcast_to, (scalar,), {"shape": ()}), (np.broadcast_to, (row, (0, 4)), {}),
    (np.broadcast_to, (complex_cube[:1], (5, 2, 3, 4)), {}), (np.broadcast_to, (np.ones((1, 3)), (0, 3)), {}),
    (np.broadcast_arrays, (cube, row, 2.0), {}), (np.broadcast_arrays, (thin, np.ones((2, 1, 4))), {}),
    (np.broadcast_arrays, (row,), {}),
    (np.expand_dims, (row, 0), {}), (np.expand_dims, (matrix, -1), {}), (np.expand_dims, (matrix, (0, 2)), {}),
    (np.expand_dims, (scalar,), {"axis": (0, -1)}), (np.expand_dims, (1.0, 0), {}), (np.expand_dims, (empty, 1), {}),
    (np.squeeze, (thin,), {}), (np.squeeze, (thin, 0), {}), (np.squeeze, (thin,), {"axis": -1}),
    (np.squeeze, (thin, (0, 2)), {}), (np.squeeze, (cube,), {}), (array.squeeze, (thin,), {"axis": (-1, 0)}),
    (array.squeeze, (scalar,), {}),
    (np.flip, (cube,), {}), (np.flip, (cube, 1), {}), (np.flip, (cube,), {"axis": (0, -1)}), (np.flip, (scalar,), {}),
    (np.fliplr, (matrix,), {}), (np.fliplr, (empty,), {}), (np.flipud, (row,), {}), (np.flipud, (complex_cube,), {}),
    (np.roll, (row, 1), {}), (np.roll, (cube, -5), {}), (np.roll, (cube, 2, -1), {}), (np.roll, (empty, 1), {}),
    (np.roll, (cube, (1, 2)), {"axis": (0, 2)}), (np.roll, (matrix, 1), {"axis": (0, 1)}), (np.roll, (scalar, 3), {}),
    (np.roll, (matrix, np.array([1, -1])), {"axis": [0, 0]}),
    (np.rot90, (matrix,), {}), (np.rot90, (cube, 2), {}), (np.rot90, (cube,), {"k": -1, "axes": (2, 0)}),
    (np.rot90, (cube, 3, (1, -1)), {}), (np.rot90, (empty, 5), {}),
    (sliding_window_view, (row, 2), {}), (sliding_window_view, (matrix, (2, 2)), {}),
    (sliding_window_view, (cube, 3), {"axis": -1}), (sliding_window_view, (row, (2, 3)), {"axis": (0, 0)}),
    (sliding_window_view, (cube, (2, 2)), {"axis": (2, 0)}), (sliding_window_view, (complex_cube, 4, 2), {}),
]
if hasattr(np, "astype"):
    CASES += [(np.astype, (cube, float), {}), (np.astype, (matrix, complex), {"copy": False})]

CASES += [  # what adjoints call
    (unbroadcast_each, ([cube, cube], [(4,), (2, 3, 1)]), {}), (broadcast_each, ([row, thin], [(4,), (1, 3, 1)]), {}),
    (reshape_each, (matrix, [(6,)]), {}), (reshape_each, ([matrix, row], [(6,), (2, 2)]), {}),
    (untranspose, (cube, (2, 0, -2)), {}), (untranspose, (complex_cube, ()), {}),
    (untranspose, (cube, ((1, 0, 2),)), {}),
    (unroll_axis, (cube, -1, 0), {}), (unroll_axis, (cube, 0, 3), {}),
    (unravel, (np.arange(24.0), layout_positions(swapped, "K"), swapped.shape), {}),
    (unravel, (np.arange(24.0), layout_positions(cube, "F"), cube.shape), {}),
    (ravel_at, (cube, layout_positions(swapped, "K"), "K"), {}), (untile, (np.ones((4, 6)), (2, 3)), {"reps": (2, 2)}),
    (unrepeat, (np.ones(3), (3,), [2, 0, 1], 0), {}), (unrepeat, (np.ones(12), (2, 3), 2, None), {}),
    (unresize, (np.ones((3, 3)), (2, 2)), {}), (unslide, (np.ones((3, 2)), (4,), 2, None), {}),
]


@pytest.mark.parametrize(("function", "args", "kwargs"), CASES)
def test_adjoint_agrees_with_differences(function, args, kwargs):
    check_template(function, *args, **kwargs)


def test_every_rule_has_a_case():
    assert uncovered_rules(rules_under_test, CASES) == []


@pytest.mark.parametrize("layout", [cube, fortran, swapped, strided, cube[::-1, :, ::2], cube.transpose(2, 0, 1)])
@pytest.mark.parametrize("order", ["A", "K"])
def test_ravel_is_undone_in_any_memory_order(layout, order):
    for function in (np.ravel, np.ndarray.flatten):
        y = function(layout, order)
        np.testing.assert_array_equal(lookup(function).evaluate_adjoint("a", (layout, order), {}, y), layout)


@pytest.mark.parametrize(("descriptor", "function"), [(array.T, np.transpose), (array.mT, np.matrix_transpose)])
def test_attributes_share_the_rule_of_their_function(descriptor, function):
    assert lookup(descriptor) is lookup(function)


@pytest.mark.parametrize("axis", [-3, -2, -1, 0, 1, 2])
@pytest.mark.parametrize("start", [-3, -2, -1, 0, 1, 2, 3])
def test_rollaxis_is_undone_for_every_axis_and_start(axis, start):
    np.testing.assert_array_equal(unroll_axis(np.rollaxis(cube, axis, start), axis, start), cube)


@pytest.mark.parametrize("axes", [(), (None,), ((2, 0, 1),), ([-1, 0, 1],), (1, -1, 0), (np.int64(2), 0, 1)])
def test_the_forms_of_the_method_transpose(axes):
    np.testing.assert_array_equal(untranspose(cube.transpose(*axes), axes), cube)


def test_float32_stays_float32():
    single = cube.astype(np.float32)
    for function, args in [(np.ravel, (single,)), (np.roll, (single, 1)), (sliding_window_view, (single, 2, 0))]:
        rule = lookup(function)
        bar = rule.evaluate_adjoint(next(iter(rule.signature.parameters)), args, {}, function(*args))
        assert bar.dtype == np.float32


def test_questions_about_shapes_are_inactive():
    assert all(map(is_inactive, (np.shape, np.ndim, np.size, np.ndarray.shape, np.ndarray.size)))
    assert not is_inactive(np.reshape)


@pytest.mark.parametrize("order", "FAK")
def test_second_derivatives_of_other_memory_orders(order):
    """The adjoint reads the memory order of the array, which is active where it is differentiated again."""
    weights = np.arange(1.0, 7.0)

    def f(x):
        return np.sum(np.ravel(x, order) ** 3 * weights) + np.sum(x.flatten(order) ** 2 * weights)

    x = np.asfortranarray(np.arange(6.0).reshape(2, 3) - 2.2)
    hessian = ad.hessian(f)(x).reshape(6, 6)
    weights_of_x = np.empty_like(x)
    weights_of_x[...] = np.reshape(weights, (2, 3), order="F")
    np.testing.assert_allclose(hessian, np.diag(((6.0 * x + 2.0) * weights_of_x).ravel()), atol=1e-12)
