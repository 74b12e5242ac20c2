"""Splines as plain tuples: what is fitted, and functions that evaluate it.

SciPy's interpolators are objects; in differentiated code they are these tuples, whose fields are arrays. A spline is
linear in the values it interpolates; its knots are constants.
"""

from __future__ import annotations

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
    axis: int = 0

    def __call__(self, t, nu=0, extrapolate=None):
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        if extrapolate == "periodic":
            value = polynomial_value(self.c, self.x, wrapped(t, self.x[0], self.x[-1]), nu)
        else:
            value = polynomial_value(self.c, self.x, t, nu, extrapolate)
        return value if self.axis == 0 else at_axis(value, np.ndim(t), self.axis)

    def derivative(self, nu=1):
        """The spline of the derivative."""
        return PiecewisePolynomial(derived_coefficients(self.c, nu), self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu=1):
        """The spline of the integral from the first break point."""
        extrapolate = False if self.extrapolate == "periodic" else self.extrapolate
        return PiecewisePolynomial(integrated_coefficients(self.c, self.x, nu), self.x, extrapolate, self.axis)

    def integrate(self, a, b, extrapolate=None):
        """The integral from a to b."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        if extrapolate == "periodic":
            return periodic_integral(self.c, self.x, a, b)
        return polynomial_integral(self.c, self.x, a, b, extrapolate)


def demand_real(name, y):
    """Refuse complex values, which are interpolated in two parts.

    >>> demand_real("CubicSpline", np.ones(3))
    """
    if np.iscomplexobj(y):
        raise UnsupportedSyntaxError(
            f"scipy.interpolate.{name} has a derivative for real values", hint="use y.real and y.imag"
        )


def along_first(y, axis):
    """Values with the interpolation axis in front.

    >>> along_first(np.ones((2, 3)), -1).shape
    (3, 2)
    """
    return y if axis % np.ndim(y) == 0 else np.moveaxis(y, axis, 0)


def at_axis(value, rank, axis):
    """Values at points with `rank` axes, which come in front, with these in the place of the interpolation axis.

    >>> at_axis(np.ones((4, 5, 2, 3)), 2, 1).shape
    (2, 4, 5, 3)
    """
    return np.moveaxis(value, tuple(range(rank)), tuple(range(axis, axis + rank)))


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
    demand_real("CubicSpline", y)
    if extrapolate is None:
        extrapolate = "periodic" if bc_type == "periodic" else True
    coefficients = cubic_coefficients(x, along_first(y, axis), 0, bc_type)
    return PiecewisePolynomial(coefficients, x, extrapolate, axis % np.ndim(y))


def piecewise_polynomial(c, x, extrapolate=None):
    """`scipy.interpolate.PPoly` as a tuple.

    >>> float(piecewise_polynomial(np.array([[2.0]]), np.array([0.0, 1.0]))(0.5))
    2.0
    """
    demand_real("PPoly", c)
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


def integrated_coefficients(c, x, nu=1):
    """The coefficients of the integral of order `nu` from the first break point.

    >>> integrated_coefficients(np.array([[2.0, 4.0]]), np.arange(3.0)).tolist()
    [[2.0, 4.0], [0.0, 2.0]]
    """
    steps = np.diff(x)
    for _ in range(nu):
        powers = np.arange(c.shape[0], 0.0, -1.0)
        rows = np.transpose(np.transpose(c) / powers)
        whole = np.transpose(rows[0])
        for row in rows[1:]:
            whole = whole * steps + np.transpose(row)
        ends = np.transpose(np.cumsum(whole * steps, axis=-1))
        start = np.concatenate((np.zeros_like(ends[:1]), ends[:-1]))
        c = np.concatenate((rows, start[np.newaxis]))
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
    axis: int = 0

    def __call__(self, x, nu=0, extrapolate=None):
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        if extrapolate == "periodic":
            value = basis_value(self.t, self.c, self.k, wrapped(x, self.t[self.k], self.t[-self.k - 1]), nu)
        else:
            value = basis_value(self.t, self.c, self.k, x, nu, extrapolate)
        return value if self.axis == 0 else at_axis(value, np.ndim(x), self.axis)


def basis_spline(t, c, k, extrapolate=True):
    """`scipy.interpolate.BSpline` as a tuple.

    >>> float(basis_spline(np.array([0.0, 0.0, 1.0, 1.0]), np.array([2.0, 4.0]), 1)(0.5))
    3.0
    """
    demand_real("BSpline", c)
    return BasisSpline(t, c, k, extrapolate)


def interpolating_spline(x, y, k=3, t=None, bc_type=None, axis=0, check_finite=True):
    """`scipy.interpolate.make_interp_spline` as a tuple.

    >>> round(float(interpolating_spline(np.arange(4.0), np.arange(4.0) ** 3)(1.5)), 12)
    3.375
    """
    demand_real("make_interp_spline", y)
    knots, coefficients = spline_knots(x, k, t, bc_type), spline_coefficients(x, along_first(y, axis), k, t, bc_type, 0)
    return BasisSpline(knots, coefficients, k, "periodic" if bc_type == "periodic" else True, axis % np.ndim(y))


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
