"""Rules of sums, products, extrema and scans.

Arguments after `out` are keyword-only here, as `out` is not among a template's parameters (see lower.numpy_forms). Equal extrema share the
cotangent evenly; a constant `initial` that equals them takes it.
"""

import numpy as np

from ..runtime.reduction_tangents import cumprod_tangent, shared
from ..runtime.reductions import (
    cumprod_adjoint,
    cumsum_from_end,
    degrees_of_freedom,
    extremum_weights,
    present,
    products_of_others,
    last_axes,
    reduced_axes,
    reduced_count,
    spread,
)
from ..runtime.scans import after_first, zero_first
from ..runtime.shape import unbroadcast
from .registry import conj, inactive, is_active, rule

# Sums, products, differences of extrema


@rule(np.prod, np.ndarray.prod)
def prod(a, axis=None, dtype=None, *, keepdims=False, initial=None, where=True):
    y = np.prod(a, axis=axis, keepdims=keepdims, initial=initial, where=where)
    scaled = y_bar if initial is None else y_bar * conj(initial)
    a_bar = spread(scaled, np.shape(a), axis, keepdims) * conj(products_of_others(a, axis, where))
    initial_bar = np.sum(y_bar * conj(np.prod(a, axis=axis, keepdims=keepdims, where=where)))
    others_dot = np.sum(a_dot * products_of_others(a, axis, where), axis=axis, keepdims=keepdims, where=where)
    y_dot = (
        others_dot
        if initial is None
        else initial * others_dot + initial_dot * np.prod(a, axis=axis, keepdims=keepdims, where=where)
    )


@rule(np.sum, np.ndarray.sum, linear=("a", "initial"))
def sum_(a, axis=None, dtype=None, *, keepdims=False, initial=None, where=True):
    y = np.sum(a, axis=axis, keepdims=keepdims, initial=initial, where=where)
    a_bar = (
        (np.broadcast_to(y_bar, np.shape(a)) if axis is None else spread(y_bar, np.shape(a), axis, keepdims))
        if where is True
        else np.where(where, spread(y_bar, np.shape(a), axis, keepdims), 0.0)
    )
    initial_bar = np.sum(y_bar)


@rule(np.nanprod)
def nanprod(a, axis=None, dtype=None, *, keepdims=False, initial=None, where=True):
    y = np.nanprod(a, axis=axis, keepdims=keepdims, initial=initial, where=where)
    scaled = y_bar if initial is None else y_bar * conj(initial)
    a_bar = spread(scaled, np.shape(a), axis, keepdims) * conj(products_of_others(a, axis, present(a, where)))
    initial_bar = np.sum(y_bar * conj(np.nanprod(a, axis=axis, keepdims=keepdims, where=where)))
    kept = present(a, where)
    others_dot = np.sum(a_dot * products_of_others(a, axis, kept), axis=axis, keepdims=keepdims, where=kept)
    y_dot = (
        others_dot
        if initial is None
        else initial * others_dot + initial_dot * np.prod(a, axis=axis, keepdims=keepdims, where=kept)
    )


@rule(np.nansum)
def nansum(a, axis=None, dtype=None, *, keepdims=False, initial=None, where=True):
    y = np.nansum(a, axis=axis, keepdims=keepdims, initial=initial, where=where)
    a_bar = np.where(present(a, where), spread(y_bar, np.shape(a), axis, keepdims), 0.0)
    initial_bar = np.sum(y_bar)
    y_dot = np.sum(a_dot, axis=axis, keepdims=keepdims, where=present(a, where)) + initial_dot


@rule(np.cumprod, np.ndarray.cumprod)
def cumprod(a, axis=None, dtype=None):
    y = np.cumprod(a, axis=axis)
    a_bar = cumprod_adjoint(y_bar, a, axis)
    y_dot = cumprod_tangent(a_dot, a, axis)


@rule(np.cumsum, np.ndarray.cumsum, linear=("a",))
def cumsum(a, axis=None, dtype=None):
    y = np.cumsum(a, axis=axis)
    a_bar = np.reshape(cumsum_from_end(y_bar, 0 if axis is None else axis), np.shape(a))


@rule(np.nancumprod)
def nancumprod(a, axis=None, dtype=None):
    y = np.nancumprod(a, axis=axis)
    a_bar = np.where(np.isnan(a), 0.0, cumprod_adjoint(y_bar, np.where(np.isnan(a), 1.0, a), axis))
    y_dot = cumprod_tangent(np.where(np.isnan(a), 0.0, a_dot), np.where(np.isnan(a), 1.0, a), axis)


@rule(np.nancumsum)
def nancumsum(a, axis=None, dtype=None):
    y = np.nancumsum(a, axis=axis)
    a_bar = np.where(np.isnan(a), 0.0, np.reshape(cumsum_from_end(y_bar, 0 if axis is None else axis), np.shape(a)))
    y_dot = np.cumsum(np.where(np.isnan(a), 0.0, a_dot), axis=axis)


if hasattr(np, "cumulative_sum"):  # NumPy 2.1

    @rule(np.cumulative_sum, linear=("x",))
    def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
        y = np.cumulative_sum(x, axis=axis, include_initial=include_initial)
        scan_bar = after_first(y_bar, axis) if include_initial else y_bar
        x_bar = np.reshape(cumsum_from_end(scan_bar, 0 if axis is None else axis), np.shape(x))  # of a number: one element

    @rule(np.cumulative_prod)
    def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
        y = np.cumulative_prod(x, axis=axis, include_initial=include_initial)
        x_bar = cumprod_adjoint(after_first(y_bar, axis) if include_initial else y_bar, x, axis)
        scan_dot = cumprod_tangent(x_dot, x, axis)
        y_dot = zero_first(scan_dot, axis) if include_initial else scan_dot


# Extrema


@rule(np.max, np.amax, np.ndarray.max)
def max_(a, axis=None, *, keepdims=False, initial=None, where=True):
    y = np.max(a, axis=axis, keepdims=keepdims, initial=initial, where=where)
    weights = (
        extremum_weights(a, y, axis, keepdims, where)
        if initial is None
        else extremum_weights(a, y, axis, keepdims, where, initial, True if is_active(initial) else False)
    )
    a_bar = spread(y_bar, np.shape(a), axis, keepdims) * weights
    initial_bar = np.sum(y_bar * (1.0 - np.sum(weights, axis=axis, keepdims=keepdims)))
    y_dot = shared(a_dot, weights, axis, keepdims) + initial_dot * (1.0 - np.sum(weights, axis=axis, keepdims=keepdims))


@rule(np.min, np.amin, np.ndarray.min)
def min_(a, axis=None, *, keepdims=False, initial=None, where=True):
    y = np.min(a, axis=axis, keepdims=keepdims, initial=initial, where=where)
    weights = (
        extremum_weights(a, y, axis, keepdims, where)
        if initial is None
        else extremum_weights(a, y, axis, keepdims, where, initial, True if is_active(initial) else False)
    )
    a_bar = spread(y_bar, np.shape(a), axis, keepdims) * weights
    initial_bar = np.sum(y_bar * (1.0 - np.sum(weights, axis=axis, keepdims=keepdims)))
    y_dot = shared(a_dot, weights, axis, keepdims) + initial_dot * (1.0 - np.sum(weights, axis=axis, keepdims=keepdims))


@rule(np.nanmax)
def nanmax(a, axis=None, *, keepdims=False, initial=None, where=True):
    y = np.nanmax(a, axis=axis, keepdims=keepdims, initial=initial, where=where)
    weights = (
        extremum_weights(a, y, axis, keepdims, present(a, where))
        if initial is None
        else extremum_weights(a, y, axis, keepdims, present(a, where), initial, True if is_active(initial) else False)
    )
    a_bar = spread(y_bar, np.shape(a), axis, keepdims) * weights
    initial_bar = np.sum(y_bar * (1.0 - np.sum(weights, axis=axis, keepdims=keepdims)))
    y_dot = shared(a_dot, weights, axis, keepdims) + initial_dot * (1.0 - np.sum(weights, axis=axis, keepdims=keepdims))


@rule(np.nanmin)
def nanmin(a, axis=None, *, keepdims=False, initial=None, where=True):
    y = np.nanmin(a, axis=axis, keepdims=keepdims, initial=initial, where=where)
    weights = (
        extremum_weights(a, y, axis, keepdims, present(a, where))
        if initial is None
        else extremum_weights(a, y, axis, keepdims, present(a, where), initial, True if is_active(initial) else False)
    )
    a_bar = spread(y_bar, np.shape(a), axis, keepdims) * weights
    initial_bar = np.sum(y_bar * (1.0 - np.sum(weights, axis=axis, keepdims=keepdims)))
    y_dot = shared(a_dot, weights, axis, keepdims) + initial_dot * (1.0 - np.sum(weights, axis=axis, keepdims=keepdims))


# The functions that adjoints call, so that derivatives of derivatives call them again


@rule(spread, alias="view", alias_of="value", cheap=True, linear=("value",))
def spread_(value, shape, axis=None, keepdims=False):
    y = spread(value, shape, axis, keepdims)
    value_bar = (
        np.sum(y_bar)
        if axis is None and np.ndim(value) == 0
        else np.reshape(np.sum(y_bar, axis=axis, keepdims=keepdims), np.shape(value))
    )


@rule(unbroadcast, alias="maybe", alias_of="value", linear=("value",))
def unbroadcast_(value, shape):
    y = unbroadcast(value, shape)
    value_bar = np.broadcast_to(y_bar, np.shape(value))


@rule(cumsum_from_end, linear=("value",))
def cumsum_from_end_(value, axis):
    y = cumsum_from_end(value, axis)
    value_bar = np.cumsum(y_bar, axis=axis)


inactive(extremum_weights, last_axes, reduced_axes, reduced_count, present, degrees_of_freedom)
