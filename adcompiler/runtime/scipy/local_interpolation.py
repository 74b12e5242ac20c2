"""SciPy's interpolants whose slopes depend on the nearest points only, in NumPy: they are differentiated in its place,
in the values and in the points.

Inside, the interpolation axis is the last one, along which the points broadcast.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import UnsupportedSyntaxError
from .splines import PiecewisePolynomial, along_first, at_axis, beside, demand_real, interpolating_spline


class StepFunction(NamedTuple):
    """`scipy.interpolate.interp1d` of a kind that takes the value of one point: values and where they begin.

    side: of which step a border between two is ("right": the upper one).

    >>> float(StepFunction(np.array([2.0, 5.0]), np.array([0.5]), "right")(0.5))
    5.0
    """

    values: np.ndarray
    borders: np.ndarray
    side: str

    def __call__(self, t, nu=0):
        value = self.values[np.searchsorted(self.borders, t, side=self.side)]
        return value if nu == 0 else np.zeros_like(value)


class LineInterpolator(NamedTuple):
    """`scipy.interpolate.interp1d`: an interpolant along the first axis, and what stands outside.

    >>> inside = PiecewisePolynomial(np.array([[2.0], [1.0]]), np.array([0.0, 1.0]))
    >>> float(LineInterpolator(inside, inside.x, "extrapolate")(2.0))
    5.0
    """

    inside: tuple
    x: np.ndarray
    fill_value: float | tuple | str
    bounds_error: bool | None = None
    axis: int = 0

    def __call__(self, t, nu=0, extrapolate=None):
        value = self.inside(t, nu)
        if not isinstance(self.fill_value, str):
            if self.bounds_error is not False and (np.any(t < self.x[0]) or np.any(t > self.x[-1])):
                raise ValueError("a point in x_new is outside the interpolation range")
            if nu > 0:
                below, above = 0.0, 0.0
            elif isinstance(self.fill_value, tuple):
                below, above = self.fill_value
            else:
                below, above = self.fill_value, self.fill_value
            place = beside(t, value)
            value = np.where(place < self.x[0], below, np.where(place > self.x[-1], above, value))
        return value if self.axis == 0 else at_axis(value, np.ndim(t), self.axis)


def line_interpolator(
    x, y, kind="linear", axis=-1, copy=True, bounds_error=None, fill_value=np.nan, assume_sorted=False
):
    """`scipy.interpolate.interp1d` as a tuple.

    >>> float(line_interpolator(np.array([1.0, 0.0]), np.array([5.0, 3.0]))(0.5))
    4.0
    """
    demand_real("interp1d", y)
    x, y = np.asarray(x), along_first(np.asarray(y), axis)
    if not assume_sorted:
        order = np.argsort(x, kind="mergesort")
        x, y = x[order], y[order]
    place = axis % np.ndim(y)
    if kind in ("linear", "slinear", 1):
        slopes = np.transpose(np.diff(np.transpose(y)) / np.diff(x))
        return LineInterpolator(PiecewisePolynomial(np.stack((slopes, y[:-1])), x), x, fill_value, bounds_error, place)
    if kind in ("quadratic", 2):
        return LineInterpolator(interpolating_spline(x, y, 2), x, fill_value, bounds_error, place)
    if kind in ("cubic", 3):
        return LineInterpolator(interpolating_spline(x, y, 3), x, fill_value, bounds_error, place)
    if kind in ("nearest", "nearest-up"):
        side = "left" if kind == "nearest" else "right"
        step = StepFunction(y, x[1:] / 2.0 + x[:-1] / 2.0, side)
        return LineInterpolator(step, x, fill_value, bounds_error, place)
    if kind in ("previous", "next") and not isinstance(fill_value, str):
        step = StepFunction(y, x[1:], "right") if kind == "previous" else StepFunction(y, x[:-1], "left")
        return LineInterpolator(step, x, fill_value, bounds_error, place)
    raise UnsupportedSyntaxError(
        f"scipy.interpolate.interp1d of kind {kind!r} has no derivative for this fill_value",
        hint="kinds 'previous' and 'next' have one with a constant fill_value; make_interp_spline(x, y, k) has other degrees",
    )


def pchip_interpolator(x, y, axis=0, extrapolate=None):
    """`scipy.interpolate.PchipInterpolator` as a tuple.

    >>> round(float(pchip_interpolator(np.arange(3.0), np.array([0.0, 1.0, 4.0]))(1.5)), 12)
    2.1875
    """
    demand_real("PchipInterpolator", y)
    x, y = np.asarray(x), along_first(np.asarray(y), axis)
    return hermite_polynomial(
        x, y, monotone_slopes(x, y), True if extrapolate is None else extrapolate, axis % np.ndim(y)
    )


def pchip_interpolation(xi, yi, x, der=0, axis=0):
    """`scipy.interpolate.pchip_interpolate`, as it is differentiated.

    >>> round(float(pchip_interpolation(np.arange(3.0), np.array([0.0, 1.0, 4.0]), 1.5)), 12)
    2.1875
    """
    if isinstance(der, (list, tuple)):
        raise UnsupportedSyntaxError(
            "scipy.interpolate.pchip_interpolate has a derivative for one number of der=", hint="call it once for each"
        )
    return pchip_interpolator(xi, yi, axis)(x, der)


def akima_interpolator(x, y, axis=0, *, method="akima", extrapolate=None):
    """`scipy.interpolate.Akima1DInterpolator` as a tuple.

    >>> round(float(akima_interpolator(np.arange(3.0), np.array([0.0, 1.0, 4.0]))(1.5)), 12)
    2.25
    """
    demand_real("Akima1DInterpolator", y)
    x, y = np.asarray(x), along_first(np.asarray(y), axis)
    return hermite_polynomial(
        x, y, akima_slopes(x, y, method), False if extrapolate is None else extrapolate, axis % np.ndim(y)
    )


def hermite_spline(x, y, dydx, axis=0, extrapolate=None):
    """`scipy.interpolate.CubicHermiteSpline` as a tuple.

    >>> float(hermite_spline(np.arange(2.0), np.array([0.0, 1.0]), np.zeros(2))(0.5))
    0.5
    """
    demand_real("CubicHermiteSpline", y)
    x, y, slopes = np.asarray(x), along_first(np.asarray(y), axis), along_first(np.asarray(dydx), axis)
    return hermite_polynomial(
        x, y, np.transpose(slopes), True if extrapolate is None else extrapolate, axis % np.ndim(y)
    )


def hermite_polynomial(x, y, slopes, extrapolate=True, axis=0):
    """The piecewise cubic polynomial with these values and slopes, which come with the interpolation axis as the last.

    >>> float(hermite_polynomial(np.arange(2.0), np.array([0.0, 1.0]), np.zeros(2))(0.5))
    0.5
    """
    steps, values = np.diff(x), np.transpose(y)
    chords = np.diff(values) / steps
    bend = (slopes[..., :-1] + slopes[..., 1:] - 2.0 * chords) / steps
    second = (chords - slopes[..., :-1]) / steps - bend
    rows = (np.transpose(bend / steps), np.transpose(second), np.transpose(slopes[..., :-1]), y[:-1])
    return PiecewisePolynomial(np.stack(rows), x, extrapolate, axis)


def monotone_slopes(x, y):
    """Slopes of Fritsch and Butland (1984, doi:10.1137/0905021): weighted harmonic means of those beside, 0 where these
    differ in sign; at the ends a parabola's, cut so that no overshoot comes.

    >>> monotone_slopes(np.arange(3.0), np.array([0.0, 1.0, 4.0])).tolist()
    [0.0, 1.5, 4.0]
    """
    h = np.diff(x)
    m = np.diff(np.transpose(y)) / h
    if len(x) == 2:
        return np.concatenate((m, m), axis=-1)
    before, after = m[..., :-1], m[..., 1:]
    turns = (np.sign(before) != np.sign(after)) | (before == 0.0) | (after == 0.0)
    w1, w2 = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    mean = (w1 + w2) / (w1 / np.where(turns, 1.0, before) + w2 / np.where(turns, 1.0, after))
    first = _end_slope(h[:1], h[1:2], m[..., :1], m[..., 1:2])
    last = _end_slope(h[-1:], h[-2:-1], m[..., -1:], m[..., -2:-1])
    return np.concatenate((first, np.where(turns, 0.0, mean), last), axis=-1)


def _end_slope(h0, h1, m0, m1):
    d = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    overshoots = (np.sign(m0) != np.sign(m1)) & (np.abs(d) > 3.0 * np.abs(m0))
    return np.where(np.sign(d) != np.sign(m0), 0.0, np.where(overshoots, 3.0 * m0, d))


def akima_slopes(x, y, method="akima"):
    """Slopes of Akima (1970, doi:10.1145/321607.321609): means of those beside, weighted by the change of the others.

    >>> akima_slopes(np.arange(3.0), np.array([0.0, 1.0, 4.0])).tolist()
    [0.0, 2.0, 4.0]
    """
    m = np.diff(np.transpose(y)) / np.diff(x)
    if len(x) == 2:
        return np.concatenate((m, m), axis=-1)
    before = 2.0 * m[..., :1] - m[..., 1:2]
    after = 2.0 * m[..., -1:] - m[..., -2:-1]
    m = np.concatenate((2.0 * before - m[..., :1], before, m, after, 2.0 * after - m[..., -1:]), axis=-1)
    change = np.abs(np.diff(m))
    if method == "makima":
        change = change + 0.5 * np.abs(m[..., 1:] + m[..., :-1])
    weight, other = change[..., 2:], change[..., :-2]
    known = weight + other > 1e-9 * np.max(weight + other)
    share = other / np.where(known, weight + other, 1.0)
    middle = m[..., 1:-2] + share * (m[..., 2:-1] - m[..., 1:-2])
    return np.where(known, middle, 0.5 * (m[..., 3:] + m[..., :-3]))
