"""The rules of adcompiler/rules/signals.py against differences."""
import numpy as np
import pytest

import adcompiler as ad

from adcompiler.rules import signals as rules_under_test
from adcompiler.rules.registry import lookup
from adcompiler.runtime.signals import interp_spread, periodic_knots, periodic_values, periodic_values_adjoint

from .template_check import check_template, uncovered_rules

rng = np.random.default_rng(17)
row = rng.standard_normal(6)
matrix = rng.standard_normal((3, 5))
cube = rng.standard_normal((3, 4, 5))
strided = rng.standard_normal((6, 8))[::2, ::-2]
complex_row = row + 1j * rng.standard_normal(6)
complex_matrix = matrix + 1j * rng.standard_normal((3, 5))
knots = np.array([0.0, 0.5, 1.5, 2.0, 3.5, 4.0])
points = np.array([[-0.7, 0.2, 0.9], [2.7, 3.9, 5.0]])

CASES = [
    (np.diff, (row,), {}), (np.diff, (matrix, 2), {}), (np.diff, (cube,), {"axis": 0}), (np.diff, (cube, 3, 1), {}),
    (np.diff, (strided, 1, -2), {}), (np.diff, (row, 0), {}), (np.diff, (row[:2], 4), {}),
    (np.diff, (complex_row, 2), {}),
    (np.diff, (row,), {"prepend": 0.5}), (np.diff, (row, 2), {"prepend": row[:2], "append": 1.5}),
    (np.diff, (matrix,), {"axis": 0, "append": matrix[:2]}), (np.diff, (matrix, 1, -1, 0.0), {}),
    (np.diff, (matrix,), {"prepend": np.array(2.0), "append": np.ones((3, 1))}),
    (np.diff, (np.zeros((0, 3)),), {"axis": 0}),
    (np.diff, (row[:1], 3), {"prepend": 1.0}),
    (np.ediff1d, (row,), {}), (np.ediff1d, (matrix,), {}), (np.ediff1d, (row, 1.0, [2.0, 3.0]), {}),
    (np.ediff1d, (row[:1],), {}),
    (np.ediff1d, (row,), {"to_begin": 0.5}), (np.ediff1d, (complex_row,), {"to_end": row[:2]}),
    (np.ediff1d, (row[:0],), {}),
    (np.gradient, (row,), {}), (np.gradient, (row, 0.3), {}), (np.gradient, (row, 0.3), {"edge_order": 2}),
    (np.gradient, (row[:2],), {}), (np.gradient, (row[:3], 2.0), {"edge_order": 2}), (np.gradient, (matrix,), {}),
    (np.gradient, (matrix, 0.5), {}), (np.gradient, (cube, 0.5, 2.0, 0.1), {}), (np.gradient, (cube,), {"axis": 1}),
    (np.gradient, (cube, 0.4), {"axis": -1, "edge_order": 2}), (np.gradient, (cube, 0.4, 0.7), {"axis": (0, -1)}),
    (np.gradient, (complex_row, 0.3), {}), (np.gradient, (cube,), {"axis": (1,)}),
    (np.trapezoid, (row,), {}), (np.trapezoid, (row, None, 0.3), {}), (np.trapezoid, (matrix,), {"dx": 0.3, "axis": 0}),
    (np.trapezoid, (row, knots), {}), (np.trapezoid, (cube, knots[:4]), {"axis": 1}),
    (np.trapezoid, (cube, np.sort(cube)), {}),
    (np.trapezoid, (matrix, knots[:5]), {}), (np.trapezoid, (complex_row, knots), {}),
    (np.trapezoid, (cube, knots[:3], 1.0, -3), {}),
    (np.trapezoid, (row[:1],), {}), (np.trapezoid, (row, complex_row), {}),
    (np.trapezoid, (matrix, np.sort(matrix[:1])), {}),
    (np.trapezoid, (np.zeros((2, 0)),), {}), (np.trapezoid, (row[:5], np.sort(matrix)), {}),
    (np.interp, (points, knots, row), {}), (np.interp, (1.2, knots, row), {}),
    (np.interp, (points, knots, row, 1.0), {}),
    (np.interp, (points, knots, row), {"right": -2.0}), (np.interp, (points, knots, row, 1.0, 2.0), {}),
    (np.interp, (points, knots, complex_row), {}), (np.interp, (points, knots[:1], row[:1]), {}),
    (np.interp, (points[:0], knots, row), {}), (np.interp, (3.1 * points, knots, row), {"period": 5.3}),
    (np.interp, (points, 3.0 * knots[::-1] + 0.13, complex_row), {"period": -4.3}), (np.interp, (7.7, knots, row, 1.0, 2.0, 4.5), {}),
    (np.interp, (points[0], [0.3], [2.0]), {"period": 2.0}), (periodic_knots, (3.0 * knots + 0.1, 4.3), {}),
    (periodic_values, (complex_row, 3.0 * knots, 4.3), {}), (periodic_values_adjoint, (np.arange(8.0), 3.0 * knots, 4.3), {}),
    (np.unwrap, (np.array([0.3, 6.2, 12.9, 0.1, -7.0]),), {}), (np.unwrap, (4.0 * matrix,), {"axis": 0}),
    (np.unwrap, (4.0 * cube, 4.0, 1), {"period": 5.0}), (np.unwrap, (row,), {"period": 2.0}),
    (np.kaiser, (5, 2.5), {}), (np.kaiser, (4, 0.3), {}), (np.kaiser, (1, 1.0), {}),
    (np.corrcoef, (matrix,), {}), (np.corrcoef, (row, np.cos(row)), {}), (np.corrcoef, (matrix, None, False), {}),
    (np.corrcoef, (matrix, 2.0 * np.sin(matrix)), {}), (np.corrcoef, (row,), {}), (np.corrcoef, (complex_matrix,), {}),
    (np.cov, (matrix,), {}), (np.cov, (row,), {}), (np.cov, (row, np.cos(row)), {}),
    (np.cov, (matrix, matrix[:1] ** 2), {}),
    (np.cov, (matrix,), {"rowvar": False}), (np.cov, (matrix, matrix ** 2, False), {}),
    (np.cov, (matrix,), {"bias": True}),
    (np.cov, (matrix,), {"ddof": 2}), (np.cov, (matrix,), {"fweights": np.array([1, 2, 1, 3, 2])}),
    (np.cov, (complex_matrix,), {}),
    (np.cov, (row[None, :4], None, False, False, 0), {}), (np.cov, (matrix, row[None, :3], False), {}),
    (np.cov, (complex_row, row), {}),
    (interp_spread, (points + 1.0, points, knots), {}), (interp_spread, (2.0, 0.7, knots), {}),
    (interp_spread, (points * 1j, points, knots), {}),
]
CASES += [(f, (a, v, mode), {}) for f in (np.convolve, np.correlate) for mode in ("full", "same", "valid")
          for a, v in [(row, matrix[0]), (row[:3], matrix[0]), (matrix[0], row[:4]), (row[:2], row), (row[:1], row[:1]),
                       (complex_row, row[:3]), (row[:2], complex_row), (strided[0], strided[1]),
                       (complex_row[:4], complex_row)]]
CASES += [(np.convolve, (row, row[:3]), {}), (np.correlate, (row, row[:3]), {}), (np.convolve, (2.0, row), {})]


@pytest.mark.parametrize(("function", "args", "kwargs"), CASES)
def test_adjoint_agrees_with_differences(function, args, kwargs):
    check_template(function, *args, **kwargs)


def test_every_rule_has_a_case():
    assert uncovered_rules(rules_under_test, CASES) == []


@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize("axis", [0, 1])
def test_gradient_over_given_coordinates(edge_order, axis):
    x = knots[:cube.shape[axis]]
    y_bar, direction = rng.standard_normal(cube.shape), rng.standard_normal(cube.shape)
    f_bar = lookup(np.gradient).evaluate_adjoint("f", (cube, x), {"axis": axis, "edge_order": edge_order}, y_bar)
    want = np.sum(y_bar * np.gradient(direction, x, axis=axis, edge_order=edge_order))
    assert np.sum(f_bar * direction) == pytest.approx(want)


@pytest.mark.parametrize("options", [{}, {"edge_order": 2}, {"axis": 1, "edge_order": 2}, {"axis": (1, 0)}])
@pytest.mark.parametrize("h", [0.7, np.array([0.0, 0.5, 1.2, 2.0])])
def test_distances_of_the_samples_of_gradient(options, h):
    f = rng.standard_normal((4, 4) if "axis" in options else 4)

    def slopes(f, h):
        return np.sum(np.sin(np.gradient(f, h, **options)))

    def along_both(f, h):
        along, across = np.gradient(f, h, 0.3, axis=(1, 0))
        return np.sum(along ** 2 * across)

    slopes = along_both if options.get("axis") == (1, 0) else slopes
    ad.check_gradients(slopes, f, h, wrt=(0, 1))
    direction, step = rng.standard_normal(np.shape(h)), 1e-6
    gradient = ad.grad(slopes, wrt=1)
    want = (gradient(f, h + step * direction) - gradient(f, h - step * direction)) / (2 * step)
    np.testing.assert_allclose(ad.hvp(slopes, wrt=1)(f, h, direction), want, rtol=1e-6)
    assert ad.jvp(slopes, (f, h), (None, direction))[1] == pytest.approx(np.sum(gradient(f, h) * direction))


def test_slopes_over_active_distances_keep_the_precision_of_the_samples():
    f = row.astype(np.float32)
    assert ad.vjp(lambda f, h: np.gradient(f, h), f, np.float64(0.5))[0].dtype == np.float32


def test_distances_along_axes_that_are_not_known_are_refused():
    with pytest.raises(ad.UnsupportedSyntaxError, match="how many results np.gradient has here"):
        ad.grad(lambda f, h, axes: np.sum(np.gradient(f, h, axis=axes)), wrt=1)(matrix, 0.5, [1])



def test_weights_of_cov():
    weights = np.array([0.2, 1.0, 0.5, 2.0, 0.3])
    c_bar, direction, step = rng.standard_normal((3, 3)), rng.standard_normal((3, 5)), 1e-6
    m_bar = lookup(np.cov).evaluate_adjoint("m", (matrix,), {"aweights": weights}, c_bar)
    plus, minus = (np.cov(matrix + s * direction, aweights=weights) for s in (step, -step))
    assert np.sum(m_bar * direction) == pytest.approx(np.sum(c_bar * (plus - minus)) / (2 * step), rel=1e-6)


def test_interpolation_at_knots_takes_the_piece_to_the_right_and_the_last_at_the_end():
    x, xp, fp = np.array([-1.0, 0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 5.0])
    got = lookup(np.interp).evaluate_adjoint("x", (x, xp, fp), {}, np.ones(5))
    np.testing.assert_array_equal(got, [0.0, 1.0, 4.0, 4.0, 0.0])


def test_the_derivative_in_the_period_is_refused():
    with pytest.raises(ad.MissingRuleError, match="the argument 'period'"):
        ad.grad(lambda period: np.interp(0.3, knots, row, period=period))(4.5)
