"""SciPy's interpolators that carry no derivative themselves, at points that do: they stay the objects that they are."""

from __future__ import annotations

import itertools

import numpy as np
from scipy import interpolate

from ...errors import UnsupportedSyntaxError
from .grids import GridInterpolator, demand_known, grid_derivatives, shape_of_points  # noqa: F401  (examples)
from .splines import PiecewisePolynomial  # noqa: F401  (examples)


def interpolator_value(interpolator, x, nu=0, extrapolate=None):
    """The value of one of SciPy's interpolators at `x`, or its derivative of order `nu`.

    >>> float(interpolator_value(interpolate.CubicSpline(np.arange(3.0), np.arange(3.0)), 1.5))
    1.5
    """
    if isinstance(interpolator, interpolate.interp1d):
        return interpolator(x)[()] if nu == 0 else _line_derivative(interpolator, x, nu)
    if isinstance(interpolator, (interpolate.PPoly, interpolate.BSpline)):
        return interpolator(x, nu, extrapolate)[()]
    if isinstance(interpolator, interpolate.UnivariateSpline):
        return _univariate(interpolator, x, nu, extrapolate)
    raise UnsupportedSyntaxError(
        f"the derivative of a scipy.interpolate.{type(interpolator).__name__} in its points is not known",
        hint="use CubicSpline, make_interp_spline, PchipInterpolator or RegularGridInterpolator",
    )


def _univariate(spline, x, nu, ext):
    """A spline of degree k; it has no derivatives above that, and none where the value at the end is held (`ext=3`)."""
    ext = spline.ext if ext is None else ext
    if nu > spline._eval_args[2]:
        return np.zeros(np.shape(x))[()]
    found = spline(x, nu, ext)
    if nu > 0 and ext in (3, "const"):
        start, end = spline.get_knots()[[0, -1]]
        found = np.where((x < start) | (x > end), 0.0, found)
    return found[()]


def interpolator_points_adjoint(y_bar, slope, rank, interpolator):
    """The adjoint of points of this rank: over the axes of the values that do not belong to the points.

    >>> spline = interpolate.CubicSpline(np.arange(3.0), np.ones((2, 3)), axis=1)
    >>> interpolator_points_adjoint(np.ones((2, 5)), np.ones((2, 5)), 1, spline).tolist()
    [2.0, 2.0, 2.0, 2.0, 2.0]
    """
    return np.sum(np.conj(y_bar) * slope, axis=axes_of_values(interpolator, np.ndim(slope), rank)).real


def interpolator_factor(x_dot, y, interpolator):
    """A tangent of points as a factor of the values.

    >>> spline = interpolate.CubicSpline(np.arange(3.0), np.ones((2, 3, 4)), axis=1)
    >>> interpolator_factor(np.ones(5), np.ones((2, 5, 4)), spline).shape
    (5, 1)
    """
    behind = np.ndim(y) - np.ndim(x_dot) - interpolation_axis(interpolator)
    return np.reshape(x_dot, np.shape(x_dot) + (1,) * behind)


def interpolation_axis(interpolator):
    """In front of which axis of the other values those of the points stand.

    >>> interpolation_axis(interpolate.CubicSpline(np.arange(3.0), np.ones((2, 3)), axis=1))
    1
    """
    return getattr(interpolator, "axis", 0)


def axes_of_values(interpolator, total, rank):
    """Of `total` axes those that are not among the `rank` axes of points.

    >>> axes_of_values(interpolate.CubicSpline(np.arange(3.0), np.ones((2, 3)), axis=1), 2, 1)
    (0,)
    """
    axis = interpolation_axis(interpolator)
    return tuple(p for p in range(total) if not axis <= p < axis + rank)


def _line_derivative(interpolator, x, nu):
    """A derivative of `scipy.interpolate.interp1d`; 0 outside where a constant is filled in."""
    line, y = interpolator.x, np.moveaxis(np.asarray(interpolator.y), interpolator.axis, 0)
    kind = interpolator._kind
    if kind == "spline":
        found = interpolator._spline(x, nu)
        found = np.reshape(found, np.shape(x) + y.shape[1:])
    elif kind == "linear" and nu == 1:
        slopes = np.transpose(np.diff(np.transpose(y)) / np.diff(line))
        found = interpolate.PPoly(slopes[np.newaxis], line)(x)
    else:
        found = np.zeros(np.shape(x) + y.shape[1:])
    if not isinstance(interpolator.fill_value, str):
        place = np.reshape(x, np.shape(x) + (1,) * (y.ndim - 1))
        found = np.where((place < line[0]) | (place > line[-1]), 0.0, found)
    rank, axis = np.ndim(x), interpolator.axis
    return np.moveaxis(found, tuple(range(rank)), tuple(range(axis, axis + rank)))[()]


def spline_integral(spline, a, b, extrapolate=None):
    """The method `integrate` of a spline.

    >>> float(spline_integral(interpolate.CubicSpline(np.arange(3.0), np.arange(3.0)), 0.0, 2.0))
    2.0
    """
    return spline.integrate(a, b, extrapolate)[()]


# ---- the same of interpolators that are tuples: where a derivative in their points is differentiated in their values ----


def tuple_value(interpolator, x, nu=0, extrapolate=None):
    """The value of an interpolator that is a tuple, or its derivative.

    >>> float(tuple_value(PiecewisePolynomial(np.array([[2.0], [1.0]]), np.array([0.0, 1.0])), 0.5))
    2.0
    """
    return interpolator(x, nu, extrapolate)


def tuple_integral(spline, a, b, extrapolate=None):
    """The integral of a spline that is a tuple.

    >>> float(tuple_integral(PiecewisePolynomial(np.array([[2.0], [1.0]]), np.array([0.0, 1.0])), 0.0, 1.0))
    2.0
    """
    return spline.integrate(a, b, extrapolate)


def tuple_grid_value(interpolator, xi, method=None):
    """The value of an interpolator on a grid that is a tuple.

    >>> tuple_grid_value(GridInterpolator((np.arange(2.0),), np.array([1.0, 3.0])), np.array([[0.5]])).tolist()
    [2.0]
    """
    return interpolator(xi, method)


def tuple_grid_derivatives(interpolator, xi, method=None, depth=0):
    """The derivatives of an interpolator on a grid that is a tuple.

    >>> tuple_grid_derivatives(GridInterpolator((np.arange(2.0),), np.array([1.0, 3.0])), np.array([[0.5]]), None, 1).tolist()
    [[2.0]]
    """
    method = interpolator.method if method is None else method
    return grid_derivatives(interpolator.points, interpolator.values, xi, method, interpolator.fill_value, depth)


# ---- surfaces ----


def surface_value(surface, x, y, dx=0, dy=0, grid=True):
    """The value of a `scipy.interpolate.RectBivariateSpline` and its like, or its derivative of order `dx` and `dy`.

    >>> x = np.arange(4.0)
    >>> surface_value(interpolate.RectBivariateSpline(x, x, np.outer(x, x)), 1.5, 2.0).round(12).tolist()
    [[3.0]]
    """
    if max(dx, dy) >= min(surface.degrees) and (dx >= surface.degrees[0] or dy >= surface.degrees[1]):
        raise UnsupportedSyntaxError(
            f"a surface of degrees {tuple(surface.degrees)} has no derivative of order {(dx, dy)}",
            hint="take a higher degree (kx=, ky=), or RegularGridInterpolator for linear interpolation",
        )
    return surface(x, y, dx, dy, grid)


def surface_at_points(surface, xi, yi, dx=0, dy=0):
    """The method `ev` of a surface, as it is differentiated.

    >>> x = np.arange(4.0)
    >>> float(surface_at_points(interpolate.RectBivariateSpline(x, x, np.outer(x, x)), 1.5, 2.0).round(12))
    3.0
    """
    return surface_value(surface, xi, yi, dx, dy, False)


# ---- grids ----


def constant_grid(interpolator, xi, method=None):
    """A call of a `scipy.interpolate.RegularGridInterpolator`, as it is differentiated.

    >>> grid = interpolate.RegularGridInterpolator((np.arange(2.0),), np.array([1.0, 3.0]))
    >>> constant_grid(grid, np.array([[0.5]])).tolist()
    [2.0]
    """
    if isinstance(xi, tuple) and len(xi) > 1:
        return constant_grid_value(interpolator, np.stack(np.broadcast_arrays(*xi), axis=-1)[np.newaxis], method)[0]
    return constant_grid_value(interpolator, np.asarray(xi[0] if isinstance(xi, tuple) else xi), method)


def constant_grid_value(interpolator, xi, method=None):
    """The value of a `scipy.interpolate.RegularGridInterpolator` at points in one array.

    >>> grid = interpolate.RegularGridInterpolator((np.arange(2.0),), np.array([1.0, 3.0]))
    >>> constant_grid_value(grid, np.array([[0.5]])).tolist()
    [2.0]
    """
    return interpolator(xi, method)


def constant_grid_derivatives(interpolator, xi, method=None, depth=0):
    """All derivatives of one order in the coordinates, as those of `grid_derivatives`.

    >>> grid = interpolate.RegularGridInterpolator((np.arange(2.0),), np.array([1.0, 3.0]))
    >>> constant_grid_derivatives(grid, np.array([[0.5]]), depth=1).tolist()
    [[2.0]]
    """
    rank = len(interpolator.grid)
    if depth and interpolator.method in ("slinear", "cubic", "quintic") and method in (None, interpolator.method):
        known = inside_grid(interpolator, xi)
        every = [
            np.where(known, np.transpose(interpolator(xi, nu=[axes.count(a) for a in range(rank)])), 0.0)
            for axes in itertools.product(range(rank), repeat=depth)
        ]
        made = np.stack([np.transpose(rows) for rows in every])
        return np.reshape(made, (rank,) * depth + made.shape[1:])
    method = interpolator.method if method is None else method
    demand_known(method)
    return grid_derivatives(interpolator.grid, interpolator.values, xi, method, interpolator.fill_value, depth)


def inside_grid(interpolator, xi):
    """Which points are no filled-in ones, with reversed axes.

    >>> inside_grid(interpolate.RegularGridInterpolator((np.arange(2.0),), np.array([1.0, 3.0])), np.array([[0.5], [3.0]])).tolist()
    [True, False]
    """
    rank = len(interpolator.grid)
    places = np.reshape(xi, (*shape_of_points(xi, rank), rank))
    inside = [(places[..., a] >= line[0]) & (places[..., a] <= line[-1]) for a, line in enumerate(interpolator.grid)]
    return np.transpose(np.all(inside, axis=0) | (interpolator.fill_value is None))
