"""Rules for scipy.interpolate: cubic and other splines in values and points, and linear interpolation on grids.

Splines are linear in the values that they interpolate; the first and last value of a periodic one share their adjoint
evenly. Knots and the points of a grid have no rule. Interpolator objects are tuples in differentiated code, see
`adcompiler.runtime.scipy.splines`, `local_interpolation` and `grids`; those of constants stay what they are.
"""

from __future__ import annotations

import numpy as np
from scipy import interpolate

from ...ir.types import Num, Tup
from ...runtime.scipy.constant_interpolators import (
    axes_of_values,
    constant_grid_derivatives,
    constant_grid_value,
    interpolation_axis,
    interpolator_factor,
    interpolator_points_adjoint,
    interpolator_value,
    spline_integral,
    surface_value,
    tuple_grid_derivatives,
    tuple_grid_value,
    tuple_integral,
    tuple_value,
)
from ...runtime.scipy.fitpack import fitted_spline, fitted_spline_value, interpolating_univariate_spline
from ...runtime.scipy.grids import (
    coordinates_adjoint,
    coordinates_product,
    coordinates_tangent,
    grid_derivatives,
    grid_derivatives_adjoint,
    grid_interpolation,
    grid_interpolator,
    grid_value,
)
from ...runtime.scipy.local_interpolation import (
    akima_interpolator,
    hermite_spline,
    line_interpolator,
    pchip_interpolation,
    pchip_interpolator,
)
from ...runtime.scipy.splines import (
    basis_coefficients_adjoint,
    basis_spline,
    basis_value,
    beside,
    breaks_adjoint,
    cubic_coefficients,
    cubic_coefficients_tangent,
    cubic_spline,
    cubic_values_adjoint,
    from_breaks,
    integral_coefficients_adjoint,
    interpolating_spline,
    piecewise_polynomial,
    points_adjoint,
    polynomial_coefficients_adjoint,
    polynomial_integral,
    polynomial_value,
    spline_coefficients,
    spline_coefficients_tangent,
    spline_knots,
    spline_values_adjoint,
)
from ..registry import conj, inactive, ndim, rule, written_out


def _array(rank):
    if rank == 0:
        return Num("f", np.dtype(float), 0, False, ())
    return Num("f", np.dtype(float), rank, None if rank is None else True, None if rank is None else (None,) * rank)


def _rank(t):
    return t.rank if isinstance(t, Num) else None


def _with(more, at):
    """The type of an array with `more` axes than the argument at this position."""

    def infer(*types, **named):
        rank = _rank(types[at])
        return _array(None if rank is None else rank + more)

    return infer


def _evaluated(coefficients, points, taken):
    def infer(*types, **named):
        a, b = _rank(types[coefficients]), _rank(types[points])
        return _array(None if a is None or b is None else a - taken + b)

    return infer


def _on_grid(points, values, xi, *types, **named):
    """The type of values; of derivatives, which have an axis for each, the rank is not known."""
    a, b = _rank(values), _rank(xi)
    known = isinstance(points, Tup) and a is not None and b is not None and "depth" not in named and len(types) < 3
    kind = values.kind if isinstance(values, Num) else "f"
    rank = max(b - 1, 1) + a - len(points.items) if known else None
    return Num(kind, None, rank, True, None if rank is None else (None,) * rank)


def _like_shape(bar, shape, *types, **named):
    rank = len(shape.items) if isinstance(shape, Tup) else None
    return Num(bar.kind if isinstance(bar, Num) else "f", None, rank, True, None if rank is None else (None,) * rank)


def _of_shape(y_bar, slopes, shape, *types, **named):
    return _like_shape(Num("f"), shape)


def _unknown(*types, **named):
    return Num("f")


# ---- interpolators as tuples ----

written_out(interpolate.CubicSpline, cubic_spline)
written_out(interpolate.PPoly, piecewise_polynomial)
written_out(interpolate.BSpline, basis_spline)
written_out(interpolate.make_interp_spline, interpolating_spline)
written_out(interpolate.RegularGridInterpolator, grid_interpolator)
written_out(interpolate.interpn, grid_interpolation)
written_out(interpolate.interp1d, line_interpolator)
written_out(interpolate.PchipInterpolator, pchip_interpolator)
written_out(interpolate.pchip_interpolate, pchip_interpolation)
written_out(interpolate.Akima1DInterpolator, akima_interpolator)
written_out(interpolate.CubicHermiteSpline, hermite_spline)
written_out(interpolate.InterpolatedUnivariateSpline, interpolating_univariate_spline)
written_out(interpolate.splrep, fitted_spline)
written_out(interpolate.splev, fitted_spline_value)


@rule(cubic_coefficients, when={"axis": 0}, infer=_with(1, 1))
def cubic_coefficients_(x, y, axis=0, bc_type="not-a-knot"):
    c = cubic_coefficients(x, y, axis, bc_type)
    y_bar = cubic_values_adjoint(c_bar, x, np.shape(y), bc_type)
    c_dot = cubic_coefficients_tangent(y_dot, x, bc_type)


@rule(polynomial_value, infer=_evaluated(0, 2, 2))
def polynomial_value_(c, x, t, nu=0, extrapolate=True):
    y = polynomial_value(c, x, t, nu, extrapolate)
    c_bar = polynomial_coefficients_adjoint(y_bar, np.shape(c), x, t, nu, extrapolate)
    slope_bar = points_adjoint(y_bar, polynomial_value(c, x, t, nu + 1, extrapolate), ndim(t))
    x_bar = breaks_adjoint(slope_bar, x, t)
    t_bar = slope_bar
    moved = beside(t_dot, y) + beside(from_breaks(x_dot, x, t), y)
    y_dot = polynomial_value(c_dot, x, t, nu, extrapolate) + moved * polynomial_value(c, x, t, nu + 1, extrapolate)


@rule(polynomial_integral, infer=_with(-2, 0))
def polynomial_integral_(c, x, a, b, extrapolate=True):
    y = polynomial_integral(c, x, a, b, extrapolate)
    c_bar = integral_coefficients_adjoint(y_bar, np.shape(c), x, a, b, extrapolate)
    a_bar = -np.sum(y_bar * polynomial_value(c, x, a, 0, extrapolate))
    b_bar = np.sum(y_bar * polynomial_value(c, x, b, 0, extrapolate))
    y_dot = (
        polynomial_integral(c_dot, x, a, b, extrapolate)
        - a_dot * polynomial_value(c, x, a, 0, extrapolate)
        + b_dot * polynomial_value(c, x, b, 0, extrapolate)
    )


@rule(spline_coefficients, when={"axis": 0}, infer=_with(0, 1))
def spline_coefficients_(x, y, k=3, t=None, bc_type=None, axis=0):
    c = spline_coefficients(x, y, k, t, bc_type, axis)
    y_bar = spline_values_adjoint(c_bar, x, np.shape(y), k, t, bc_type)
    c_dot = spline_coefficients_tangent(y_dot, x, k, t, bc_type)


@rule(basis_value, infer=_evaluated(1, 3, 1))
def basis_value_(t, c, k, x, nu=0, extrapolate=True):
    y = basis_value(t, c, k, x, nu, extrapolate)
    c_bar = basis_coefficients_adjoint(y_bar, np.shape(c), t, k, x, nu, extrapolate)
    x_bar = points_adjoint(y_bar, basis_value(t, c, k, x, nu + 1, extrapolate), ndim(x))
    y_dot = basis_value(t, c_dot, k, x, nu, extrapolate) + beside(x_dot, y) * basis_value(
        t, c, k, x, nu + 1, extrapolate
    )


# ---- grids ----


@rule(grid_value, infer=_on_grid, constant_in=("fill_value",))
def grid_value_(points, values, xi, method="linear", bounds_error=True, fill_value=np.nan):
    y = grid_value(points, values, xi, method, bounds_error, fill_value)
    values_bar = grid_derivatives_adjoint(y_bar, np.shape(values), points, xi, method, fill_value)
    slopes = grid_derivatives(points, values, xi, method, fill_value, depth=1)
    xi_bar = coordinates_adjoint(y_bar, slopes, np.shape(xi))
    y_dot = grid_derivatives(points, values_dot, xi, method, fill_value) + coordinates_tangent(xi_dot, slopes)


@rule(grid_derivatives, infer=_on_grid)
def grid_derivatives_(points, values, xi, method="linear", fill_value=np.nan, depth=0):
    y = grid_derivatives(points, values, xi, method, fill_value, depth)
    values_bar = grid_derivatives_adjoint(y_bar, np.shape(values), points, xi, method, fill_value, depth)
    slopes = grid_derivatives(points, values, xi, method, fill_value, depth + 1)
    xi_bar = coordinates_adjoint(y_bar, slopes, np.shape(xi), depth)
    y_dot = grid_derivatives(points, values_dot, xi, method, fill_value, depth) + coordinates_tangent(
        xi_dot, slopes, depth
    )


@rule(grid_derivatives_adjoint, infer=_like_shape)
def grid_derivatives_adjoint_(y_bar, shape, points, xi, method="linear", fill_value=np.nan, depth=0):
    values = grid_derivatives_adjoint(y_bar, shape, points, xi, method, fill_value, depth)
    y_bar_bar = grid_derivatives(points, values_bar, xi, method, fill_value, depth)
    slopes = grid_derivatives(points, values_bar, xi, method, fill_value, depth + 1)
    xi_bar = coordinates_adjoint(y_bar, slopes, np.shape(xi), depth)
    rank = depth + 1 + max(np.ndim(xi) - 1, 1) + len(shape) - len(points)
    moved = coordinates_product(y_bar, xi_dot, depth, rank)
    values_dot = grid_derivatives_adjoint(
        y_bar_dot, shape, points, xi, method, fill_value, depth
    ) + grid_derivatives_adjoint(moved, shape, points, xi, method, fill_value, depth + 1)


@rule(coordinates_adjoint, multilinear=("y_bar", "slopes"), infer=_of_shape)
def coordinates_adjoint_(y_bar, slopes, shape, depth=0):
    x = coordinates_adjoint(y_bar, slopes, shape, depth)
    y_bar_bar = coordinates_tangent(x_bar, slopes, depth)
    slopes_bar = coordinates_product(y_bar, x_bar, depth, np.ndim(slopes))


@rule(coordinates_tangent, multilinear=("xi_dot", "slopes"), infer="unknown")
def coordinates_tangent_(xi_dot, slopes, depth=0):
    y = coordinates_tangent(xi_dot, slopes, depth)
    xi_dot_bar = coordinates_adjoint(y_bar, slopes, np.shape(xi_dot), depth)
    slopes_bar = coordinates_product(y_bar, xi_dot, depth, np.ndim(slopes))


@rule(coordinates_product, multilinear=("y_bar", "xi_dot"), infer="unknown")
def coordinates_product_(y_bar, xi_dot, depth, rank):
    z = coordinates_product(y_bar, xi_dot, depth, rank)
    y_bar_bar = coordinates_tangent(xi_dot, z_bar, depth)
    xi_dot_bar = coordinates_adjoint(y_bar, z_bar, np.shape(xi_dot), depth)


# ---- interpolators that carry no derivative ----


@rule(interpolator_value, infer="unknown")
def interpolator_value_(interpolator, x, nu=0, extrapolate=None):
    y = interpolator_value(interpolator, x, nu, extrapolate)
    slope = interpolator_value(interpolator, x, nu + 1, extrapolate)
    x_bar = interpolator_points_adjoint(y_bar, slope, ndim(x), interpolator)
    y_dot = interpolator_factor(x_dot, y, interpolator) * slope


@rule(constant_grid_value, infer="unknown")
def constant_grid_value_(interpolator, xi, method=None):
    y = constant_grid_value(interpolator, xi, method)
    slopes = constant_grid_derivatives(interpolator, xi, method, 1)
    xi_bar = coordinates_adjoint(y_bar, slopes, np.shape(xi))
    y_dot = coordinates_tangent(xi_dot, slopes)


@rule(constant_grid_derivatives, infer="unknown")
def constant_grid_derivatives_(interpolator, xi, method=None, depth=0):
    y = constant_grid_derivatives(interpolator, xi, method, depth)
    slopes = constant_grid_derivatives(interpolator, xi, method, depth + 1)
    xi_bar = coordinates_adjoint(y_bar, slopes, np.shape(xi), depth)
    y_dot = coordinates_tangent(xi_dot, slopes, depth)


@rule(spline_integral, infer="unknown")
def spline_integral_(spline, a, b, extrapolate=None):
    y = spline_integral(spline, a, b, extrapolate)
    a_bar = -np.sum(conj(y_bar) * interpolator_value(spline, a, 0, extrapolate)).real
    b_bar = np.sum(conj(y_bar) * interpolator_value(spline, b, 0, extrapolate)).real
    y_dot = b_dot * interpolator_value(spline, b, 0, extrapolate) - a_dot * interpolator_value(
        spline, a, 0, extrapolate
    )


# of interpolators that are tuples in a derivative of the derivative
written_out(interpolator_value, tuple_value, of_tuple=True)
written_out(spline_integral, tuple_integral, of_tuple=True)
written_out(constant_grid_value, tuple_grid_value, of_tuple=True)
written_out(constant_grid_derivatives, tuple_grid_derivatives, of_tuple=True)


@rule(surface_value, when={"grid": True}, infer=_unknown)
def surface_value_on_a_grid(surface, x, y, dx=0, dy=0, grid=True):
    z = surface_value(surface, x, y, dx, dy, True)
    x_bar = np.reshape(np.sum(z_bar * surface_value(surface, x, y, dx + 1, dy, True), axis=1), np.shape(x))
    y_bar = np.reshape(np.sum(z_bar * surface_value(surface, x, y, dx, dy + 1, True), axis=0), np.shape(y))
    z_dot = np.reshape(x_dot, (-1, 1)) * surface_value(surface, x, y, dx + 1, dy, True) + np.reshape(
        y_dot, (1, -1)
    ) * surface_value(surface, x, y, dx, dy + 1, True)


@rule(surface_value, when={"grid": False}, elementwise=True, infer=_unknown)
def surface_value_at_points(surface, x, y, dx=0, dy=0, grid=True):
    z = surface_value(surface, x, y, dx, dy, False)
    x_bar = z_bar * surface_value(surface, x, y, dx + 1, dy, False)
    y_bar = z_bar * surface_value(surface, x, y, dx, dy + 1, False)


inactive(spline_knots, interpolation_axis, axes_of_values)
