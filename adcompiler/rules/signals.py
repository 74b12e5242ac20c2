"""Rules of functions of sampled data: differences, integrals, convolution, interpolation, covariances."""

import numpy as np

from ..runtime.signals import (
    axis_length,
    convolve_adjoint,
    correlate_adjoint,
    correlate_kernel_adjoint,
    diff_adjoint,
    gradient_adjoint,
    gradient_axes,
    interp_pieces,
    interp_shift,
    interp_slope,
    interp_spread,
    periodic_knots,
    periodic_values,
    periodic_values_adjoint,
    trapezoid_adjoint,
    trapezoid_points_adjoint,
    trapezoid_steps_adjoint,
)
from ..runtime.statistics import corrcoef_adjoint, corrcoef_tangent, cov_adjoint, cov_tangent
from ..runtime.special import kaiser_slope
from .registry import conj, inactive, rule

# Differences and integrals


@rule(np.diff, linear=("a",), alias="maybe", alias_of="a", when={"n": 0})
def undifferenced(a, n=1, axis=-1, prepend=None, append=None):
    y = np.diff(a, n=n)
    a_bar = y_bar


@rule(np.diff, linear=("a", "prepend", "append"), when={})
def diff(a, n=1, axis=-1, prepend=None, append=None):
    y = np.diff(a, n=n, axis=axis, prepend=prepend, append=append)
    before = 0 if prepend is None else axis_length(np.shape(prepend), axis)
    after = 0 if append is None else axis_length(np.shape(append), axis)
    a_bar = diff_adjoint(y_bar, np.shape(a), n, axis, before, after)
    prepend_bar = diff_adjoint(y_bar, np.shape(prepend), n, axis, 0, np.shape(a)[axis] + after)
    append_bar = diff_adjoint(y_bar, np.shape(append), n, axis, before + np.shape(a)[axis], 0)


@rule(np.ediff1d, linear=("ary", "to_end", "to_begin"))
def ediff1d(ary, to_end=None, to_begin=None):
    y = np.ediff1d(ary, to_end=to_end, to_begin=to_begin)
    start = 0 if to_begin is None else np.size(to_begin)
    stop = np.size(y) if to_end is None else np.size(y) - np.size(to_end)
    ary_bar = np.reshape(diff_adjoint(y_bar[start:stop], (np.size(ary),)), np.shape(ary))
    to_end_bar = np.reshape(y_bar[stop:], np.shape(to_end))
    to_begin_bar = np.reshape(y_bar[:start], np.shape(to_begin))


# Distances of the samples that carry a derivative: see lower.numpy_twins.
@rule(np.gradient, linear=("f",))
def gradient(f, /, *varargs, axis=None, edge_order=1):
    y = np.gradient(f, *varargs, axis=axis, edge_order=edge_order)
    f_bar = gradient_adjoint(y_bar, np.shape(f), varargs, axis, edge_order)


@rule(*[getattr(np, name) for name in ("trapezoid", "trapz") if name in np.__dict__])
def trapezoid(y, x=None, dx=1.0, axis=-1):
    area = np.trapezoid(y, x, dx, axis)
    y_bar = trapezoid_adjoint(area_bar, np.shape(y), x, dx, axis)
    x_bar = trapezoid_points_adjoint(area_bar, y, x, axis)
    dx_bar = 0.0 if x is not None else trapezoid_steps_adjoint(area_bar, y, np.shape(dx), axis)
    area_dot = np.trapezoid(y_dot, x, dx, axis) + (
        np.trapezoid(y, x, dx_dot, axis) if x is None else np.trapezoid(y, x_dot, axis=axis)
    )


# An element is moved by a whole number of periods.
@rule(np.unwrap, elementwise=True, constant_in=("discont",))
def unwrap(p, discont=None, axis=-1, *, period=2.0 * np.pi):
    y = np.unwrap(p, discont, axis, period=period)
    p_bar = y_bar
    period_bar = y_bar * np.round((y - p) / period)


# Convolution


@rule(np.convolve, multilinear=("a", "v"))
def convolve(a, v, mode="full"):
    y = np.convolve(a, v, mode)
    a_bar = convolve_adjoint(y_bar, v, np.shape(a), mode)
    v_bar = convolve_adjoint(y_bar, a, np.shape(v), mode)


@rule(np.correlate, multilinear=("a", "v"))
def correlate(a, v, mode="valid"):
    y = np.correlate(a, v, mode)
    a_bar = correlate_adjoint(y_bar, v, np.shape(a), mode)
    v_bar = correlate_kernel_adjoint(y_bar, a, np.shape(v), mode)


# Windows


@rule(np.kaiser)
def kaiser(M, beta):
    y = np.kaiser(M, beta)
    beta_bar = np.sum(y_bar * kaiser_slope(y, beta))
    y_dot = kaiser_slope(y, beta) * beta_dot


# Interpolation


@rule(np.interp, when={"period": None})
def interp(x, xp, fp, left=None, right=None, period=None):
    y = np.interp(x, xp, fp, left, right)
    x_bar = y_bar * conj(interp_slope(x, xp, fp))
    not_left = y_bar if left is None else np.where(x < xp[0], 0.0, y_bar)
    known = not_left if right is None else np.where(x > xp[-1], 0.0, not_left)
    xp_bar = -interp_spread((y_bar * conj(interp_slope(x, xp, fp))).real, x, xp)
    fp_bar = interp_spread(known, x, xp)
    left_bar = np.sum(np.where(x < xp[0], y_bar, 0.0))
    right_bar = np.sum(np.where(x > xp[-1], y_bar, 0.0))
    fp_part = np.interp(
        x, xp, fp_dot, None if left is None else left_dot, None if right is None else right_dot
    )
    y_dot = fp_part + interp_slope(x, xp, fp) * (x_dot - np.interp(x, xp, xp_dot))


# `left` and `right` have no effect there.
@rule(np.interp, when={}, constant_in=("left", "right"))
def periodic_interp(x, xp, fp, left=None, right=None, period=None):
    y = np.interp(x, xp, fp, period=period)
    phase = np.mod(x, np.abs(period))
    knots = periodic_knots(xp, period)
    slope = interp_slope(phase, knots, periodic_values(fp, xp, period))
    x_bar = y_bar * conj(slope)
    xp_bar = -periodic_values_adjoint(interp_spread((y_bar * conj(slope)).real, phase, knots), xp, period)
    fp_bar = periodic_values_adjoint(interp_spread(y_bar, phase, knots), xp, period)
    y_dot = np.interp(x, xp, fp_dot, period=period) + slope * (x_dot - np.interp(x, xp, xp_dot, period=period))


# Correlation of variables


@rule(np.corrcoef)
def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    r = np.corrcoef(x, y, rowvar)
    x_bar = corrcoef_adjoint(r_bar, x, y, rowvar)[0]
    y_bar = corrcoef_adjoint(r_bar, x, y, rowvar)[1]
    r_dot = corrcoef_tangent(x_dot, 0.0 if y is None else y_dot, r, x, y, rowvar)


@rule(np.cov)
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    c = np.cov(m, y, rowvar, bias, ddof, fweights, aweights)
    m_bar = cov_adjoint(c_bar, m, y, rowvar, bias, ddof, fweights, aweights)[0]
    y_bar = cov_adjoint(c_bar, m, y, rowvar, bias, ddof, fweights, aweights)[1]
    c_dot = cov_tangent(m_dot, 0.0 if y is None else y_dot, c, m, y, rowvar, bias, ddof, fweights, aweights)


@rule(interp_spread)
def interp_spread_(value, x, xp):
    fp_bar = interp_spread(value, x, xp)
    value_bar = np.interp(x, xp, fp_bar_bar)
    x_bar = conj(value) * interp_slope(x, xp, fp_bar_bar)
    xp_bar = -interp_spread((conj(value) * interp_slope(x, xp, fp_bar_bar)).real, x, xp)
    shifted = interp_shift(value * (x_dot - np.interp(x, xp, xp_dot)), x, xp)
    fp_bar_dot = interp_spread(value_dot, x, xp) + shifted


@rule(periodic_knots)
def periodic_knots_(xp, period):
    knots = periodic_knots(xp, period)
    xp_bar = periodic_values_adjoint(knots_bar, xp, period)
    knots_dot = periodic_values(xp_dot, xp, period)


@rule(periodic_values, linear=("fp",), constant_in=("xp",))
def periodic_values_(fp, xp, period):
    values = periodic_values(fp, xp, period)
    fp_bar = periodic_values_adjoint(values_bar, xp, period)


@rule(periodic_values_adjoint, linear=("value",), constant_in=("xp",))
def periodic_values_adjoint_(value, xp, period):
    fp_bar = periodic_values_adjoint(value, xp, period)
    value_bar = periodic_values(fp_bar_bar, xp, period)


inactive(axis_length, gradient_axes, interp_pieces)
