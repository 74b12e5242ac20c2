"""Rules of sums, products, means, extrema, order statistics and scans.

Arguments after `out` are keyword-only here, as `out` is not among a template's parameters. Equal extrema share the
cotangent evenly; a constant `initial` that equals them takes it. The standard deviation of equal numbers has slope 0.
"""

import numpy as np

from ..runtime.histograms import bin_weights, density_tangent, density_weights
from ..runtime.order import quantile_adjoint, quantile_level_adjoint
from ..runtime.quotients import quotient_or_zero
from ..runtime.reduction_tangents import (
    average_tangent,
    cumprod_tangent,
    deviation_products,
    quantile_tangent,
    shared,
)
from ..runtime.reductions import (
    average_adjoint,
    average_weights_adjoint,
    cumprod_adjoint,
    cumsum_from_end,
    degrees_of_freedom,
    deviations,
    extremum_weights,
    present,
    products_of_others,
    reduced_axes,
    reduced_count,
    spread,
)
from ..runtime.shape import unbroadcast
from .registry import conj, inactive, is_active, rule, ufunc_method

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


# Order statistics


@rule(np.ptp)
def ptp(a, axis=None, *, keepdims=False):
    y = np.ptp(a, axis=axis, keepdims=keepdims)
    at_top = extremum_weights(a, np.max(a, axis=axis, keepdims=keepdims), axis, keepdims)
    at_bottom = extremum_weights(a, np.min(a, axis=axis, keepdims=keepdims), axis, keepdims)
    a_bar = spread(y_bar, np.shape(a), axis, keepdims) * (at_top - at_bottom)
    y_dot = shared(a_dot, at_top, axis, keepdims) - shared(a_dot, at_bottom, axis, keepdims)


@rule(np.percentile)
def percentile(a, q, axis=None, *, method="linear", keepdims=False):
    y = np.percentile(a, q, axis=axis, method=method, keepdims=keepdims)
    a_bar = quantile_adjoint(y_bar, a, np.divide(q, 100.0), axis, method, keepdims)
    q_bar = quantile_level_adjoint(y_bar, a, np.divide(q, 100.0), axis, method, keepdims) / 100.0
    y_dot = quantile_tangent(a_dot, np.divide(q_dot, 100.0), a, np.divide(q, 100.0), axis, method, keepdims)


@rule(np.quantile)
def quantile(a, q, axis=None, *, method="linear", keepdims=False):
    y = np.quantile(a, q, axis=axis, method=method, keepdims=keepdims)
    a_bar = quantile_adjoint(y_bar, a, q, axis, method, keepdims)
    q_bar = quantile_level_adjoint(y_bar, a, q, axis, method, keepdims)
    y_dot = quantile_tangent(a_dot, q_dot, a, q, axis, method, keepdims)


# Averages and variances


@rule(np.median)
def median(a, axis=None, *, keepdims=False):
    y = np.median(a, axis=axis, keepdims=keepdims)
    a_bar = quantile_adjoint(y_bar, a, 0.5, axis, "linear", keepdims)
    y_dot = quantile_tangent(a_dot, 0.0, a, 0.5, axis, "linear", keepdims)


@rule(np.average)
def average(a, axis=None, weights=None, *, keepdims=False):
    y = np.average(a, axis=axis, weights=weights, keepdims=keepdims)
    a_bar = (
        spread(y_bar / reduced_count(np.shape(a), axis), np.shape(a), axis, keepdims)
        if weights is None
        else average_adjoint(y_bar, np.shape(a), weights, axis, keepdims)
    )
    weights_bar = average_weights_adjoint(y_bar, a, y, weights, axis, keepdims)
    y_dot = (
        np.mean(a_dot, axis=axis, keepdims=keepdims)
        if weights is None
        else average_tangent(a_dot, weights_dot, a, y, weights, axis, keepdims)
    )


@rule(np.mean, np.ndarray.mean, linear=("a",))
def mean(a, axis=None, dtype=None, *, keepdims=False, where=True):
    y = np.mean(a, axis=axis, keepdims=keepdims, where=where)
    a_bar = (
        (
            np.broadcast_to(y_bar / np.size(a), np.shape(a))
            if axis is None
            else spread(y_bar / reduced_count(np.shape(a), axis), np.shape(a), axis, keepdims)
        )
        if where is True
        else np.where(
            where, spread(y_bar / reduced_count(np.shape(a), axis, keepdims, where), np.shape(a), axis, keepdims), 0.0
        )
    )


@rule(np.std, np.ndarray.std)
def std(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True, mean=None, correction=None):
    y = np.std(a, axis=axis, ddof=ddof, keepdims=keepdims, where=where)
    free = degrees_of_freedom(np.shape(a), axis, keepdims, where, ddof if correction is None else correction)
    slope = spread(quotient_or_zero(y_bar, free * y), np.shape(a), axis, keepdims)
    a_bar = (
        slope * deviations(a, axis, where, mean)
        if where is True
        else np.where(where, slope * deviations(a, axis, where, mean), 0.0)
    )
    mean_bar = -unbroadcast(slope * deviations(a, axis, where, mean), np.shape(mean))
    moved = deviation_products(a_dot, 0.0 if mean is None else mean_dot, a, axis, where, mean)
    y_dot = quotient_or_zero(np.sum(moved, axis=axis, keepdims=keepdims), free * y)


@rule(np.var, np.ndarray.var)
def var(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True, mean=None, correction=None):
    y = np.var(a, axis=axis, ddof=ddof, keepdims=keepdims, where=where)
    free = degrees_of_freedom(np.shape(a), axis, keepdims, where, ddof if correction is None else correction)
    slope = spread(2.0 * y_bar / free, np.shape(a), axis, keepdims)
    a_bar = (
        slope * deviations(a, axis, where, mean)
        if where is True
        else np.where(where, slope * deviations(a, axis, where, mean), 0.0)
    )
    mean_bar = -unbroadcast(slope * deviations(a, axis, where, mean), np.shape(mean))
    moved = deviation_products(a_dot, 0.0 if mean is None else mean_dot, a, axis, where, mean)
    y_dot = 2.0 * np.sum(moved, axis=axis, keepdims=keepdims) / free


@rule(np.nanmean)
def nanmean(a, axis=None, dtype=None, *, keepdims=False, where=True):
    y = np.nanmean(a, axis=axis, keepdims=keepdims, where=where)
    kept = present(a, where)
    each = y_bar / reduced_count(np.shape(a), axis, keepdims, kept)
    a_bar = np.where(kept, spread(each, np.shape(a), axis, keepdims), 0.0)
    y_dot = np.sum(a_dot, axis=axis, keepdims=keepdims, where=kept) / reduced_count(np.shape(a), axis, keepdims, kept)


@rule(np.nanstd)
def nanstd(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True):
    y = np.nanstd(a, axis=axis, ddof=ddof, keepdims=keepdims, where=where)
    kept = present(a, where)
    free = degrees_of_freedom(np.shape(a), axis, keepdims, kept, ddof)
    slope = spread(quotient_or_zero(y_bar, free * y), np.shape(a), axis, keepdims)
    a_bar = np.where(kept, slope * deviations(a, axis, kept), 0.0)
    y_dot = quotient_or_zero(np.sum(deviation_products(a_dot, 0.0, a, axis, kept), axis=axis, keepdims=keepdims), free * y)


@rule(np.nanvar)
def nanvar(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True):
    y = np.nanvar(a, axis=axis, ddof=ddof, keepdims=keepdims, where=where)
    kept = present(a, where)
    slope = 2.0 * y_bar / degrees_of_freedom(np.shape(a), axis, keepdims, kept, ddof)
    a_bar = np.where(kept, spread(slope, np.shape(a), axis, keepdims) * deviations(a, axis, kept), 0.0)
    free = degrees_of_freedom(np.shape(a), axis, keepdims, kept, ddof)
    y_dot = 2.0 * np.sum(deviation_products(a_dot, 0.0, a, axis, kept), axis=axis, keepdims=keepdims) / free


# Histograms: the counts are constant between the points where an element changes its bin


@rule(np.histogram)
def histogram(a, bins=10, range=None, *, density=None, weights=None):
    y, edges = np.histogram(a, bins=bins, range=range, density=density, weights=weights)
    weights_bar = density_weights(y_bar, a, y, edges, weights) if density else bin_weights(y_bar, a, edges)
    counts_dot = np.histogram(a, edges, weights=weights_dot)[0]
    y_dot = density_tangent(counts_dot, a, y, edges, weights) if density else counts_dot


@rule(np.bincount, linear=("weights",))
def bincount(x, /, weights=None, minlength=0):
    y = np.bincount(x, weights, minlength)
    weights_bar = np.take(y_bar, x)


# Methods of ufuncs


@rule(ufunc_method(np.add, "reduce"), linear=("array", "initial"))
def add_reduce(array, axis=0, dtype=None, *, keepdims=False, initial=None, where=True):
    y = np.add.reduce(array, axis=axis, keepdims=keepdims, initial=initial, where=where)
    array_bar = (
        spread(y_bar, np.shape(array), axis, keepdims)
        if where is True
        else np.where(where, spread(y_bar, np.shape(array), axis, keepdims), 0.0)
    )
    initial_bar = np.sum(y_bar)


@rule(ufunc_method(np.multiply, "reduce"))
def multiply_reduce(array, axis=0, dtype=None, *, keepdims=False, initial=None, where=True):
    y = np.multiply.reduce(array, axis=axis, keepdims=keepdims, initial=initial, where=where)
    scaled = y_bar if initial is None else y_bar * conj(initial)
    array_bar = spread(scaled, np.shape(array), axis, keepdims) * conj(products_of_others(array, axis, where))
    initial_bar = np.sum(y_bar * conj(np.prod(array, axis=axis, keepdims=keepdims, where=where)))
    others_dot = np.sum(array_dot * products_of_others(array, axis, where), axis=axis, keepdims=keepdims, where=where)
    y_dot = (
        others_dot
        if initial is None
        else initial * others_dot + initial_dot * np.prod(array, axis=axis, keepdims=keepdims, where=where)
    )


@rule(ufunc_method(np.maximum, "reduce"))
def maximum_reduce(array, axis=0, dtype=None, *, keepdims=False, initial=None, where=True):
    y = np.maximum.reduce(array, axis=axis, keepdims=keepdims, initial=initial, where=where)
    weights = (
        extremum_weights(array, y, axis, keepdims, where)
        if initial is None
        else extremum_weights(array, y, axis, keepdims, where, initial, True if is_active(initial) else False)
    )
    array_bar = spread(y_bar, np.shape(array), axis, keepdims) * weights
    initial_bar = np.sum(y_bar * (1.0 - np.sum(weights, axis=axis, keepdims=keepdims)))
    y_dot = shared(array_dot, weights, axis, keepdims) + initial_dot * (1.0 - np.sum(weights, axis=axis, keepdims=keepdims))


@rule(ufunc_method(np.minimum, "reduce"))
def minimum_reduce(array, axis=0, dtype=None, *, keepdims=False, initial=None, where=True):
    y = np.minimum.reduce(array, axis=axis, keepdims=keepdims, initial=initial, where=where)
    weights = (
        extremum_weights(array, y, axis, keepdims, where)
        if initial is None
        else extremum_weights(array, y, axis, keepdims, where, initial, True if is_active(initial) else False)
    )
    array_bar = spread(y_bar, np.shape(array), axis, keepdims) * weights
    initial_bar = np.sum(y_bar * (1.0 - np.sum(weights, axis=axis, keepdims=keepdims)))
    y_dot = shared(array_dot, weights, axis, keepdims) + initial_dot * (1.0 - np.sum(weights, axis=axis, keepdims=keepdims))


@rule(ufunc_method(np.add, "accumulate"), linear=("array",))
def add_accumulate(array, axis=0, dtype=None):
    y = np.add.accumulate(array, axis=axis)
    array_bar = cumsum_from_end(y_bar, axis)


@rule(ufunc_method(np.multiply, "accumulate"))
def multiply_accumulate(array, axis=0, dtype=None):
    y = np.multiply.accumulate(array, axis=axis)
    array_bar = cumprod_adjoint(y_bar, array, axis)
    y_dot = cumprod_tangent(array_dot, array, axis)


@rule(ufunc_method(np.add, "outer"), linear=("a", "b"))
def add_outer(a, b, /):
    y = np.add.outer(a, b)
    a_bar = np.sum(y_bar, axis=tuple(range(np.ndim(a), np.ndim(y_bar))))
    b_bar = np.sum(y_bar, axis=tuple(range(np.ndim(a))))


@rule(ufunc_method(np.subtract, "outer"), linear=("a", "b"))
def subtract_outer(a, b, /):
    y = np.subtract.outer(a, b)
    a_bar = np.sum(y_bar, axis=tuple(range(np.ndim(a), np.ndim(y_bar))))
    b_bar = -np.sum(y_bar, axis=tuple(range(np.ndim(a))))


@rule(ufunc_method(np.multiply, "outer"), multilinear=("a", "b"))
def multiply_outer(a, b, /):
    y = np.multiply.outer(a, b)
    a_bar = np.tensordot(y_bar, conj(b), np.ndim(b))
    b_bar = np.tensordot(conj(a), y_bar, np.ndim(a))


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


inactive(extremum_weights, reduced_axes, reduced_count, present, degrees_of_freedom)
