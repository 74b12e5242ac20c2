"""SciPy's interpolants whose slopes depend on the nearest points only, in NumPy: they are differentiated in its place,
in the values and in the points.

Inside, the interpolation axis is the last one, along which the points broadcast.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import UnsupportedSyntaxError
from .splines import PiecewisePolynomial, beside, polynomial_value


class LinearInterpolator(NamedTuple):
    """`scipy.interpolate.interp1d` of kind "linear": coefficients of a piecewise polynomial, and what stands outside.

    >>> float(LinearInterpolator(np.array([[2.0], [1.0]]), np.array([0.0, 1.0]), "extrapolate")(2.0))
    5.0
    """

    c: np.ndarray
    x: np.ndarray
    fill_value: float | tuple | str
    bounds_error: bool | None = None

    def __call__(self, t):
        if isinstance(self.fill_value, str):
            return polynomial_value(self.c, self.x, t)
        if self.bounds_error is not False and (np.any(t < self.x[0]) or np.any(t > self.x[-1])):
            raise ValueError("a point in x_new is outside the interpolation range")
        if isinstance(self.fill_value, tuple):
            below, above = self.fill_value
        else:
            below, above = self.fill_value, self.fill_value
        value = polynomial_value(self.c, self.x, t)
        place = beside(t, value)
        return np.where(place < self.x[0], below, np.where(place > self.x[-1], above, value))


def linear_interpolator(
    x, y, kind="linear", axis=-1, copy=True, bounds_error=None, fill_value=np.nan, assume_sorted=False
):
    """`scipy.interpolate.interp1d` as a tuple.

    >>> float(linear_interpolator(np.array([1.0, 0.0]), np.array([5.0, 3.0]))(0.5))
    4.0
    """
    if kind != "linear":
        raise UnsupportedSyntaxError(
            f"scipy.interpolate.interp1d has a derivative for kind='linear', not for {kind!r}",
            hint="use CubicSpline, make_interp_spline(x, y, k) or PchipInterpolator",
        )
    _demand_real_first_axis("interp1d", axis, y)
    x, y = np.asarray(x), np.asarray(y)
    if not assume_sorted:
        order = np.argsort(x, kind="mergesort")
        x, y = x[order], y[order]
    slopes = np.transpose(np.diff(np.transpose(y)) / np.diff(x))
    return LinearInterpolator(np.stack((slopes, y[:-1])), x, fill_value, bounds_error)


def _demand_real_first_axis(name, axis, y):
    if np.iscomplexobj(y):
        raise UnsupportedSyntaxError(
            f"scipy.interpolate.{name} has a derivative for real values", hint="use y.real and y.imag"
        )
    if axis % np.ndim(y) != 0:
        raise UnsupportedSyntaxError(
            f"scipy.interpolate.{name} has a derivative along the first axis",
            hint=f"move it there, {name}(x, np.moveaxis(y, {axis}, 0), axis=0)",
        )


def pchip_interpolator(x, y, axis=0, extrapolate=None):
    """`scipy.interpolate.PchipInterpolator` as a tuple.

    >>> round(float(pchip_interpolator(np.arange(3.0), np.array([0.0, 1.0, 4.0]))(1.5)), 12)
    2.1875
    """
    _demand_real_first_axis("PchipInterpolator", axis, y)
    x, y = np.asarray(x), np.asarray(y)
    return hermite_polynomial(x, y, monotone_slopes(x, y), True if extrapolate is None else extrapolate)


def akima_interpolator(x, y, axis=0, *, method="akima", extrapolate=None):
    """`scipy.interpolate.Akima1DInterpolator` as a tuple.

    >>> round(float(akima_interpolator(np.arange(3.0), np.array([0.0, 1.0, 4.0]))(1.5)), 12)
    2.25
    """
    _demand_real_first_axis("Akima1DInterpolator", axis, y)
    x, y = np.asarray(x), np.asarray(y)
    return hermite_polynomial(x, y, akima_slopes(x, y, method), False if extrapolate is None else extrapolate)


def hermite_polynomial(x, y, slopes, extrapolate=True):
    """The piecewise cubic polynomial with these values and slopes, which come with the interpolation axis as the last.

    >>> float(hermite_polynomial(np.arange(2.0), np.array([0.0, 1.0]), np.zeros(2))(0.5))
    0.5
    """
    steps, values = np.diff(x), np.transpose(y)
    chords = np.diff(values) / steps
    bend = (slopes[..., :-1] + slopes[..., 1:] - 2.0 * chords) / steps
    second = (chords - slopes[..., :-1]) / steps - bend
    rows = (np.transpose(bend / steps), np.transpose(second), np.transpose(slopes[..., :-1]), y[:-1])
    return PiecewisePolynomial(np.stack(rows), x, extrapolate)


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
