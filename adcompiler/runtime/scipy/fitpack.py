"""Interpolating splines by the names of FITPACK in scipy.interpolate: `splrep`, `splev`, `InterpolatedUnivariateSpline`."""

from __future__ import annotations

import numpy as np

from ...errors import UnsupportedSyntaxError
from .splines import basis_value, interpolating_spline, spline_coefficients, spline_knots



def interpolating_univariate_spline(x, y, w=None, bbox=(None, None), k=3, ext=0, check_finite=False):
    """`scipy.interpolate.InterpolatedUnivariateSpline` as a tuple.

    >>> round(float(interpolating_univariate_spline(np.arange(4.0), np.arange(4.0) ** 3)(1.5)), 12)
    3.375
    """
    if ext not in (0, "extrapolate") or w is not None or not (bbox[0] is None and bbox[1] is None):
        raise UnsupportedSyntaxError(
            "scipy.interpolate.InterpolatedUnivariateSpline has a derivative without w=, bbox= and ext=",
            hint="make_interp_spline(x, y, k) with the points clipped or chosen beforehand",
        )
    return interpolating_spline(x, y, k)


def fitted_spline(x, y, w=None, xb=None, xe=None, k=3, task=0, s=None, t=None, full_output=0, per=0, quiet=1):
    """`scipy.interpolate.splrep` of an interpolating spline: knots, coefficients and degree.

    >>> fitted_spline(np.arange(4.0), np.ones(4))[1].round(12).tolist()
    [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    """
    if not (w is None and xb is None and xe is None and task == 0 and t is None and full_output == 0 and per == 0):
        raise UnsupportedSyntaxError(
            "scipy.interpolate.splrep has a derivative for an interpolating spline, splrep(x, y, k=k)",
            hint="make_interp_spline or make_lsq_spline outside, and its coefficients as variables",
        )
    if s is not None and s != 0:
        raise UnsupportedSyntaxError(
            "scipy.interpolate.splrep has a derivative for an interpolating spline, splrep(x, y, k=k), not for s > 0",
            hint="the knots of a smoothing spline jump with the values: choose them, and solve for the coefficients",
        )
    return spline_knots(x, k), np.concatenate((spline_coefficients(x, y, k), np.zeros(k + 1))), k


def fitted_spline_value(x, tck, der=0, ext=0):
    """`scipy.interpolate.splev`, as it is differentiated.

    >>> round(float(fitted_spline_value(1.5, fitted_spline(np.arange(4.0), np.arange(4.0) ** 3))), 12)
    3.375
    """
    t, c, k = tck
    if ext == 0:
        return basis_value(t, c, k, np.asarray(x), der)
    if ext == 1:
        return np.where((x < t[k]) | (x > t[-k - 1]), 0.0, basis_value(t, c, k, np.asarray(x), der))
    raise UnsupportedSyntaxError(
        "scipy.interpolate.splev has a derivative for ext=0 and ext=1", hint="clip the points, np.clip(x, t[0], t[-1])"
    )
