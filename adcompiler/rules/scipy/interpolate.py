"""Rules for scipy.interpolate: cubic and other splines in values and points, and linear interpolation on grids.

Splines are linear in the values that they interpolate; the first and last value of a periodic one share their adjoint
evenly. Knots and the points of a grid have no rule. Interpolator objects are tuples in differentiated code, see
`adcompiler.runtime.scipy.splines` and `local_interpolation`.
"""

from __future__ import annotations

import numpy as np
from scipy import interpolate

from ...ir.types import Num, Tup
from ...runtime.scipy.local_interpolation import akima_interpolator, linear_interpolator, pchip_interpolator
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
    grid_interpolator,
    grid_points_adjoint,
    grid_tangent,
    grid_values_adjoint,
    integral_coefficients_adjoint,
    interpolator_adjoint,
    interpolator_tangent,
    interpolator_value,
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
from ..registry import inactive, ndim, rule, written_out
from ..unsupported import first_order


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
    a, b = _rank(values), _rank(xi)
    known = isinstance(points, Tup) and a is not None and b is not None
    return _array(max(b - 1, 1) + a - len(points.items) if known else None)


# ---- interpolators as tuples ----

written_out(interpolate.CubicSpline, cubic_spline)
written_out(interpolate.PPoly, piecewise_polynomial)
written_out(interpolate.BSpline, basis_spline)
written_out(interpolate.make_interp_spline, interpolating_spline)
written_out(interpolate.RegularGridInterpolator, grid_interpolator)
written_out(interpolate.interp1d, linear_interpolator)
written_out(interpolate.PchipInterpolator, pchip_interpolator)
written_out(interpolate.Akima1DInterpolator, akima_interpolator)


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


@rule(
    interpolate.interpn,
    when={"method": "linear"},
    infer=_on_grid,
    constant_in=("fill_value",),
    unchecked={"second order": "the cells of the points are found when the program runs"},
)
def interpn(points, values, xi, method="linear", bounds_error=True, fill_value=np.nan):
    y = interpolate.interpn(points, values, xi, method, bounds_error, fill_value)
    values_bar = grid_values_adjoint(y_bar, np.shape(values), points, xi, fill_value)
    xi_bar = grid_points_adjoint(y_bar, points, values, xi, fill_value)
    y_dot = grid_tangent(values_dot, xi_dot, y, points, values, xi, bounds_error, fill_value)


# ---- interpolators that carry no derivative ----


@rule(interpolator_value, infer=lambda *types, **named: Num("f"))
def interpolator_value_(interpolator, x, nu=0, extrapolate=None):
    y = interpolator_value(interpolator, x, nu, extrapolate)
    x_bar = interpolator_adjoint(y_bar, interpolator, x, nu, extrapolate)
    y_dot = interpolator_tangent(x_dot, y, interpolator, x, nu, extrapolate)


first_order(
    grid_values_adjoint,
    grid_points_adjoint,
    grid_tangent,
    reason="interpolation on a grid has derivatives of first order",
    instead="a spline in each direction, whose derivatives are continuous",
)
inactive(spline_knots)
