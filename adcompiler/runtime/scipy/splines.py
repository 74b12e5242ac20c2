"""Splines and interpolants on grids as plain tuples: what is fitted, and functions that evaluate it.

SciPy's interpolators are objects; in differentiated code they are these tuples, whose fields are arrays. A spline is
linear in the values it interpolates; its knots are constants.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from scipy import interpolate

from ...errors import UnsupportedSyntaxError

# Unit vectors that are interpolated at once, which bounds the memory of an adjoint.
_CHUNK = 256


class PiecewisePolynomial(NamedTuple):
    """`scipy.interpolate.CubicSpline` and `PPoly`: coefficients `c[m, i]` of `(t - x[i])**(k - m)`.

    >>> float(PiecewisePolynomial(np.array([[2.0], [1.0]]), np.array([0.0, 1.0]))(0.5))
    2.0
    """

    c: np.ndarray
    x: np.ndarray
    extrapolate: bool | str = True

    def __call__(self, t, nu=0, extrapolate=None):
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        if extrapolate == "periodic":
            return polynomial_value(self.c, self.x, wrapped(t, self.x[0], self.x[-1]), nu)
        return polynomial_value(self.c, self.x, t, nu, extrapolate)

    def derivative(self, nu=1):
        """The spline of the derivative."""
        return PiecewisePolynomial(derived_coefficients(self.c, nu), self.x, self.extrapolate)

    def integrate(self, a, b, extrapolate=None):
        """The integral from a to b."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        if extrapolate == "periodic":
            return periodic_integral(self.c, self.x, a, b)
        return polynomial_integral(self.c, self.x, a, b, extrapolate)


def wrapped(t, start, end):
    """`t` moved by whole periods into the interval from `start` to `end`.

    >>> wrapped(5.5, 0.0, 2.0)
    1.5
    """
    return start + (t - start) % (end - start)


def periodic_integral(c, x, a, b):
    """The integral of a piecewise polynomial that is continued periodically.

    >>> float(periodic_integral(np.array([[2.0, 4.0]]), np.array([0.0, 1.0, 2.0]), 0.5, 4.5))
    12.0
    """
    start, end = x[0], x[-1]
    periods = np.floor((b - start) / (end - start)) - np.floor((a - start) / (end - start))
    part = polynomial_integral(c, x, wrapped(a, start, end), wrapped(b, start, end))
    return part + periods * polynomial_integral(c, x, start, end)


def cubic_spline(x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
    """`scipy.interpolate.CubicSpline` as a tuple.

    >>> round(float(cubic_spline(np.arange(4.0), np.arange(4.0) ** 3)(1.5)), 12)
    3.375
    """
    if extrapolate is None:
        extrapolate = "periodic" if bc_type == "periodic" else True
    return PiecewisePolynomial(cubic_coefficients(x, y, axis, bc_type), x, extrapolate)


def piecewise_polynomial(c, x, extrapolate=None):
    """`scipy.interpolate.PPoly` as a tuple.

    >>> float(piecewise_polynomial(np.array([[2.0]]), np.array([0.0, 1.0]))(0.5))
    2.0
    """
    return PiecewisePolynomial(c, x, True if extrapolate is None else extrapolate)


def cubic_coefficients(x, y, axis=0, bc_type="not-a-knot"):
    """The coefficients of `scipy.interpolate.CubicSpline`.

    >>> cubic_coefficients(np.arange(3.0), np.arange(3.0)).round(12)[2:].tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    return interpolate.CubicSpline(x, y, axis, bc_type).c


def without_values(bc_type):
    """The conditions at the ends of a cubic spline with zero in the place of given derivatives.

    >>> without_values(((1, 2.0), (2, 3.0))), without_values("natural")
    (((1, np.float64(0.0)), (2, np.float64(0.0))), 'natural')
    """
    if isinstance(bc_type, str):
        return bc_type
    return tuple(end if isinstance(end, str) else (end[0], 0.0 * np.asarray(end[1]).ravel()[0]) for end in bc_type)


def cubic_coefficients_tangent(y_dot, x, bc_type="not-a-knot"):
    """The tangent of the coefficients of a cubic spline, which are linear in the values.

    >>> cubic_coefficients_tangent(np.arange(3.0), np.arange(3.0)).round(12)[2:].tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    ends = without_values(bc_type)
    if np.ndim(y_dot) > 1 and not isinstance(ends, str):
        ends = tuple(e if isinstance(e, str) else (e[0], np.zeros(np.shape(y_dot)[1:])) for e in ends)
    return interpolate.CubicSpline(x, closed(y_dot) if bc_type == "periodic" else y_dot, 0, ends).c


def closed(y_dot):
    """Tangents of the values of a periodic spline, whose first and last ones are one number: both get their mean.

    >>> closed(np.array([1.0, 5.0, 3.0])).tolist()
    [2.0, 5.0, 2.0]
    """
    made = np.array(y_dot, float)
    made[0] = made[-1] = 0.5 * (made[0] + made[-1])
    return made


def cubic_values_adjoint(c_bar, x, shape, bc_type="not-a-knot"):
    """The adjoint of the values, of this shape, in the coefficients of a cubic spline.

    >>> cubic_values_adjoint(np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0]]), np.arange(3.0), (3,)).tolist()
    [1.0, 0.0, 0.0]
    """
    out = np.zeros(shape)
    for start in range(0, shape[0], _CHUNK):
        units = np.eye(shape[0])[:, start : start + _CHUNK]
        coefficients = cubic_coefficients_tangent(units, x, bc_type)
        out[start : start + _CHUNK] = np.tensordot(coefficients, c_bar, ((0, 1), (0, 1)))
    return out


def polynomial_value(c, x, t, nu=0, extrapolate=True):
    """The derivative of order `nu` of a piecewise polynomial at `t`.

    >>> float(polynomial_value(np.array([[2.0], [1.0]]), np.array([0.0, 1.0]), 0.5))
    2.0
    """
    return interpolate.PPoly(np.asarray(c, float), x)(t, nu, extrapolate)[()]


def derived_coefficients(c, nu=1):
    """The coefficients of the derivative of order `nu`.

    >>> derived_coefficients(np.array([[3.0], [2.0], [1.0]])).tolist()
    [[6.0], [2.0]]
    """
    for _ in range(nu):
        powers = np.arange(c.shape[0] - 1.0, 0.0, -1.0)
        c = np.swapaxes(np.swapaxes(c[:-1], 0, -1) * powers, 0, -1)
    return c


def _pieces(x, t):
    return np.clip(np.searchsorted(x, t, side="right") - 1, 0, len(x) - 2)


def polynomial_coefficients_adjoint(y_bar, shape, x, t, nu=0, extrapolate=True):
    """The adjoint of the coefficients, of this shape, in the value of a piecewise polynomial.

    >>> polynomial_coefficients_adjoint(1.0, (2, 1), np.array([0.0, 1.0]), 0.5).tolist()
    [[0.5], [1.0]]
    """
    points = np.ravel(np.asarray(t, float))
    rows = np.reshape(y_bar, (points.size, *shape[2:]))
    piece = _pieces(x, points)
    inside = (points >= x[0]) & (points <= x[-1])
    out = np.zeros(shape)
    degree = shape[0] - 1
    for m in range(shape[0]):
        power = degree - m
        if power >= nu:
            factor = np.prod(np.arange(power - nu + 1.0, power + 1.0)) * (points - x[piece]) ** (power - nu)
            factor = factor if extrapolate else np.where(inside, factor, 0.0)
            np.add.at(out[m], piece, np.reshape(factor, (-1,) + (1,) * len(shape[2:])) * rows)
    return out


def breaks_adjoint(slope_bar, x, t):
    """The adjoint of the break points in the value of a piecewise polynomial, from that of each point `t`.

    >>> breaks_adjoint(3.0, np.array([0.0, 1.0, 2.0]), 1.5).tolist()
    [0.0, -3.0, 0.0]
    """
    out = np.zeros(np.shape(x))
    np.add.at(out, np.ravel(_pieces(x, np.asarray(t, float))), -np.ravel(slope_bar))
    return out


def from_breaks(x_dot, x, t):
    """How far a point comes nearer to the start of its piece as the break points move.

    >>> from_breaks(np.array([0.0, 3.0, 0.0]), np.array([0.0, 1.0, 2.0]), 1.5)
    np.float64(-3.0)
    """
    return -x_dot[_pieces(x, np.asarray(t, float))]


def beside(t_dot, y):
    """A tangent of points as a factor of values that have further axes.

    >>> beside(np.ones(2), np.ones((2, 3))).shape
    (2, 1)
    """
    return np.reshape(t_dot, np.shape(t_dot) + (1,) * (np.ndim(y) - np.ndim(t_dot)))


def points_adjoint(y_bar, slope, rank):
    """The adjoint of points of this rank, from the slopes of values that may have further axes.

    >>> points_adjoint(np.ones((2, 3)), np.ones((2, 3)), 1).tolist()
    [3.0, 3.0]
    """
    return np.sum(y_bar * slope, axis=tuple(range(rank, np.ndim(slope))))


def polynomial_integral(c, x, a, b, extrapolate=True):
    """The integral of a piecewise polynomial.

    >>> float(polynomial_integral(np.array([[2.0]]), np.array([0.0, 1.0]), 0.0, 0.5))
    1.0
    """
    return interpolate.PPoly(np.asarray(c, float), x).integrate(a, b, extrapolate)[()]


def integral_coefficients_adjoint(y_bar, shape, x, a, b, extrapolate=True):
    """The adjoint of the coefficients in the integral: that of the antiderivative at both ends, and in between.

    >>> integral_coefficients_adjoint(1.0, (1, 2), np.array([0.0, 1.0, 3.0]), 0.5, 2.0).tolist()
    [[0.5, 1.0]]
    """
    low, high, sign = (a, b, 1.0) if a <= b else (b, a, -1.0)
    lower, upper = np.array(x[:-1], float), np.array(x[1:], float)
    origin = lower.copy()
    if extrapolate:
        lower[0], upper[-1] = -np.inf, np.inf
    left, right = np.clip(low, lower, upper) - origin, np.clip(high, lower, upper) - origin
    powers = np.arange(shape[0], 0.0, -1.0)[:, np.newaxis]
    weights = sign * (right**powers - left**powers) / powers
    return np.reshape(weights, shape[:2] + (1,) * len(shape[2:])) * y_bar


# ---- splines in a basis ----


class BasisSpline(NamedTuple):
    """`scipy.interpolate.BSpline`: knots `t`, coefficients `c`, degree `k`.

    >>> float(BasisSpline(np.array([0.0, 0.0, 1.0, 1.0]), np.array([2.0, 4.0]), 1)(0.5))
    3.0
    """

    t: np.ndarray
    c: np.ndarray
    k: int
    extrapolate: bool | str = True

    def __call__(self, x, nu=0, extrapolate=None):
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        if extrapolate == "periodic":
            return basis_value(self.t, self.c, self.k, wrapped(x, self.t[self.k], self.t[-self.k - 1]), nu)
        return basis_value(self.t, self.c, self.k, x, nu, extrapolate)


def basis_spline(t, c, k, extrapolate=True):
    """`scipy.interpolate.BSpline` as a tuple.

    >>> float(basis_spline(np.array([0.0, 0.0, 1.0, 1.0]), np.array([2.0, 4.0]), 1)(0.5))
    3.0
    """
    return BasisSpline(t, c, k, extrapolate)


def interpolating_spline(x, y, k=3, t=None, bc_type=None, axis=0, check_finite=True):
    """`scipy.interpolate.make_interp_spline` as a tuple.

    >>> round(float(interpolating_spline(np.arange(4.0), np.arange(4.0) ** 3)(1.5)), 12)
    3.375
    """
    knots, coefficients = spline_knots(x, k, t, bc_type), spline_coefficients(x, y, k, t, bc_type, axis)
    return BasisSpline(knots, coefficients, k, "periodic" if bc_type == "periodic" else True)


def spline_knots(x, k=3, t=None, bc_type=None):
    """The knots of `scipy.interpolate.make_interp_spline`, which do not depend on the values.

    >>> spline_knots(np.arange(2.0), 1).tolist()
    [0.0, 0.0, 1.0, 1.0]
    """
    return interpolate.make_interp_spline(x, np.zeros(len(x)), k, t, _scalar_ends(bc_type)).t


def spline_coefficients(x, y, k=3, t=None, bc_type=None, axis=0):
    """The coefficients of `scipy.interpolate.make_interp_spline`.

    >>> spline_coefficients(np.arange(2.0), np.array([3.0, 5.0]), 1).tolist()
    [3.0, 5.0]
    """
    return np.array(interpolate.make_interp_spline(x, y, k, t, bc_type, axis).c)  # of degree 1 they are y itself


def _scalar_ends(bc_type):
    if bc_type is None or isinstance(bc_type, str):
        return bc_type
    return tuple(end if end is None or isinstance(end, str) else [(order, 0.0) for order, _ in end] for end in bc_type)


def spline_coefficients_tangent(y_dot, x, k=3, t=None, bc_type=None):
    """The tangent of the coefficients of an interpolating spline, which are linear in the values.

    >>> spline_coefficients_tangent(np.array([3.0, 5.0]), np.arange(2.0), 1).tolist()
    [3.0, 5.0]
    """
    if bc_type == "periodic":
        y_dot = closed(y_dot)
    ends = _scalar_ends(bc_type)
    if np.ndim(y_dot) > 1 and isinstance(ends, tuple):
        zeros = np.zeros(np.shape(y_dot)[1:])
        ends = tuple(e if e is None or isinstance(e, str) else [(order, zeros) for order, _ in e] for e in ends)
    return interpolate.make_interp_spline(x, y_dot, k, t, ends).c


def spline_values_adjoint(c_bar, x, shape, k=3, t=None, bc_type=None):
    """The adjoint of the values, of this shape, in the coefficients of an interpolating spline.

    >>> spline_values_adjoint(np.array([1.0, 2.0]), np.arange(2.0), (2,), 1).tolist()
    [1.0, 2.0]
    """
    out = np.zeros(shape)
    for start in range(0, shape[0], _CHUNK):
        units = np.eye(shape[0])[:, start : start + _CHUNK]
        coefficients = spline_coefficients_tangent(units, x, k, t, bc_type)
        out[start : start + _CHUNK] = np.tensordot(coefficients, c_bar, ((0,), (0,)))
    return out


def basis_value(t, c, k, x, nu=0, extrapolate=True):
    """The derivative of order `nu` of a spline at `x`.

    >>> float(basis_value(np.array([0.0, 0.0, 1.0, 1.0]), np.array([2.0, 4.0]), 1, 0.5))
    3.0
    """
    return interpolate.BSpline(t, c, k)(x, nu, extrapolate)[()]


def basis_coefficients_adjoint(y_bar, shape, t, k, x, nu=0, extrapolate=True):
    """The adjoint of the coefficients, of this shape, in the value of a spline.

    >>> basis_coefficients_adjoint(1.0, (2,), np.array([0.0, 0.0, 1.0, 1.0]), 1, 0.5).tolist()
    [0.5, 0.5]
    """
    points = np.ravel(np.asarray(x, float))
    rows = np.reshape(y_bar, (points.size, *shape[1:]))
    out = np.zeros(shape)
    for start in range(0, shape[0], _CHUNK):
        units = np.eye(shape[0])[:, start : start + _CHUNK]
        values = interpolate.BSpline(t, units, k)(points, nu, extrapolate)
        values = np.where(np.isnan(values), 0.0, values)
        out[start : start + _CHUNK] = np.tensordot(values, rows, ((0,), (0,)))
    return out


# ---- grids ----


class GridInterpolator(NamedTuple):
    """`scipy.interpolate.RegularGridInterpolator`.

    >>> GridInterpolator((np.arange(2.0),), np.array([1.0, 3.0]))(np.array([[0.5]])).tolist()
    [2.0]
    """

    points: tuple
    values: np.ndarray
    method: str = "linear"
    bounds_error: bool = True
    fill_value: float = np.nan

    def __call__(self, xi):
        return interpolate.interpn(self.points, self.values, xi, self.method, self.bounds_error, self.fill_value)


def grid_interpolator(points, values, method="linear", bounds_error=True, fill_value=np.nan):
    """`scipy.interpolate.RegularGridInterpolator` as a tuple.

    >>> grid_interpolator((np.arange(2.0),), np.array([1.0, 3.0]))(np.array([[0.5]])).tolist()
    [2.0]
    """
    return GridInterpolator(points, values, method, bounds_error, fill_value)


def _cells(points, xi, fill_value):
    """For each axis the cells of the points and the places within them, and which points count."""
    rank = len(points)
    if isinstance(xi, (tuple, list)):
        raise TypeError("interpolation on a grid has a derivative for points in one array, np.stack(xi, axis=-1)")
    flat = np.reshape(np.asarray(xi, float), (-1, rank))
    cells, places, widths = [], [], []
    known = np.ones(len(flat), bool)
    for axis, line in enumerate(points):
        line = np.asarray(line, float)
        if np.any(np.diff(line) <= 0.0):
            raise ValueError("interpolation on a grid has a derivative for increasing points")
        cell = _pieces(line, flat[:, axis])
        width = line[cell + 1] - line[cell]
        cells.append(cell)
        widths.append(width)
        places.append((flat[:, axis] - line[cell]) / width)
        if fill_value is not None:
            known &= (flat[:, axis] >= line[0]) & (flat[:, axis] <= line[-1])
    return cells, places, widths, known


def grid_values_adjoint(y_bar, shape, points, xi, fill_value=np.nan):
    """The adjoint of values of this shape in `scipy.interpolate.interpn(points, values, xi)`: each cell's corners.

    >>> grid_values_adjoint(np.ones(1), (2,), (np.arange(2.0),), np.array([[0.25]])).tolist()
    [0.75, 0.25]
    """
    cells, places, _, known = _cells(points, xi, fill_value)
    rank = len(points)
    rows = np.reshape(y_bar, (len(known), *shape[rank:]))
    out = np.zeros(shape)
    for corner in itertools.product((0, 1), repeat=rank):
        weight = known * 1.0
        for side, place in zip(corner, places, strict=True):
            weight = weight * (place if side else 1.0 - place)
        index = tuple(cell + side for cell, side in zip(cells, corner, strict=True))
        np.add.at(out, index, np.reshape(weight, (-1,) + (1,) * (np.ndim(rows) - 1)) * rows)
    return out


def grid_slopes(points, values, xi, fill_value=np.nan):
    """The slopes of the interpolated values in each coordinate: shape (points, axes, further axes).

    >>> grid_slopes((np.arange(2.0),), np.array([1.0, 3.0]), np.array([[0.25]])).tolist()
    [[2.0]]
    """
    cells, places, widths, known = _cells(points, xi, fill_value)
    rank = len(points)
    values = np.asarray(values, float)
    further = values.shape[rank:]
    out = np.zeros((len(known), rank, *further))
    for corner in itertools.product((0, 1), repeat=rank):
        value = values[tuple(cell + side for cell, side in zip(cells, corner, strict=True))]
        for axis in range(rank):
            weight = known * (1.0 if corner[axis] else -1.0) / widths[axis]
            for other in range(rank):
                if other != axis:
                    weight = weight * (places[other] if corner[other] else 1.0 - places[other])
            out[:, axis] += np.reshape(weight, (-1,) + (1,) * len(further)) * value
    return out


def grid_points_adjoint(y_bar, points, values, xi, fill_value=np.nan):
    """The adjoint of the points in `scipy.interpolate.interpn(points, values, xi)`.

    >>> grid_points_adjoint(np.ones(1), (np.arange(2.0),), np.array([1.0, 3.0]), np.array([[0.25]])).tolist()
    [[2.0]]
    """
    slopes = grid_slopes(points, values, xi, fill_value)
    rows = np.reshape(y_bar, (slopes.shape[0], 1, *slopes.shape[2:]))
    return np.reshape(np.sum(rows * slopes, axis=tuple(range(2, slopes.ndim))), np.shape(xi))


def grid_tangent(values_dot, xi_dot, y, points, values, xi, bounds_error=True, fill_value=np.nan):
    """The tangent of `scipy.interpolate.interpn(points, values, xi)`.

    >>> grid_tangent(np.zeros(2), np.ones((1, 1)), np.ones(1), (np.arange(2.0),), np.array([1.0, 3.0]), np.array([[0.25]])).tolist()
    [2.0]
    """
    slopes = grid_slopes(points, values, xi, fill_value)
    steps = np.reshape(xi_dot, slopes.shape[:2] + (1,) * (slopes.ndim - 2))
    moved = np.reshape(np.sum(steps * slopes, axis=1), np.shape(y))
    filled = None if fill_value is None else 0.0
    return moved + interpolate.interpn(points, values_dot, xi, "linear", bounds_error, filled)


# ---- interpolators that carry no derivative ----


def interpolator_value(interpolator, x, nu=0, extrapolate=None):
    """The value of one of SciPy's interpolators at `x`.

    >>> float(interpolator_value(interpolate.CubicSpline(np.arange(3.0), np.arange(3.0)), 1.5))
    1.5
    """
    if isinstance(interpolator, (interpolate.RegularGridInterpolator, interpolate.interp1d)):
        return interpolator(x)[()]
    return interpolator(x, nu, extrapolate)[()]


def interpolator_adjoint(y_bar, interpolator, x, nu=0, extrapolate=None):
    """The adjoint of the points `x`.

    >>> interpolator_adjoint(2.0, interpolate.CubicSpline(np.arange(3.0), np.arange(3.0)), 1.5)
    np.float64(2.0)
    """
    if isinstance(interpolator, interpolate.RegularGridInterpolator):
        _demand_linear(interpolator)
        return grid_points_adjoint(y_bar, interpolator.grid, interpolator.values, x, interpolator.fill_value)
    return points_adjoint(y_bar, _slope(interpolator, x, nu, extrapolate), np.ndim(x))


def interpolator_tangent(x_dot, y, interpolator, x, nu=0, extrapolate=None):
    """The tangent of the value.

    >>> interpolator_tangent(2.0, 1.5, interpolate.CubicSpline(np.arange(3.0), np.arange(3.0)), 1.5)
    np.float64(2.0)
    """
    if isinstance(interpolator, interpolate.RegularGridInterpolator):
        _demand_linear(interpolator)
        slopes = grid_slopes(interpolator.grid, interpolator.values, x, interpolator.fill_value)
        steps = np.reshape(x_dot, slopes.shape[:2] + (1,) * (slopes.ndim - 2))
        return np.reshape(np.sum(steps * slopes, axis=1), np.shape(y))
    return beside(x_dot, y) * _slope(interpolator, x, nu, extrapolate)


def _slope(interpolator, x, nu, extrapolate):
    if isinstance(interpolator, interpolate.interp1d):
        return _line_slope(interpolator, x)
    if not isinstance(interpolator, (interpolate.PPoly, interpolate.BSpline)):
        raise TypeError(f"the derivative of a {type(interpolator).__name__} in its points is not known")
    return interpolator(x, nu + 1, extrapolate)[()]


def _line_slope(interpolator, x):
    """The slope of `scipy.interpolate.interp1d`, 0 outside where a constant is filled in."""
    if interpolator._kind != "linear" or interpolator.axis != 0 or np.iscomplexobj(interpolator.y):
        raise UnsupportedSyntaxError(
            "scipy.interpolate.interp1d has a derivative in its points for real values, kind='linear' and axis=0",
            hint="use CubicSpline or make_interp_spline for other kinds",
        )
    line, values = interpolator.x, np.asarray(interpolator.y, float)
    slopes = np.transpose(np.diff(np.transpose(values)) / np.diff(line))
    slope = interpolate.PPoly(slopes[np.newaxis], line)(x)[()]
    if isinstance(interpolator.fill_value, str):
        return slope
    place = beside(x, slope)
    return np.where((place < line[0]) | (place > line[-1]), 0.0, slope)[()]


def _demand_linear(interpolator):
    if interpolator.method != "linear":
        raise TypeError(
            f"interpolation on a grid has a derivative for the method 'linear', not for '{interpolator.method}'"
        )
