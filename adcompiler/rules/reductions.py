"""Rules of sums, products, means, extrema, order statistics and scans.

Arguments after `out` are keyword-only here, as `out` is not among a template's parameters. Equal extrema share the
cotangent evenly; a constant `initial` that equals them takes it. The standard deviation of equal numbers has slope 0.
"""

import numpy as np

from ..runtime.histograms import bin_weights, density_weights
from ..runtime.order import quantile_adjoint, quantile_level_adjoint
from ..runtime.quotients import quotient_or_zero
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


@rule(np.sum, np.ndarray.sum)
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


@rule(np.nansum)
def nansum(a, axis=None, dtype=None, *, keepdims=False, initial=None, where=True):
    y = np.nansum(a, axis=axis, keepdims=keepdims, initial=initial, where=where)
    a_bar = np.where(present(a, where), spread(y_bar, np.shape(a), axis, keepdims), 0.0)
    initial_bar = np.sum(y_bar)


@rule(np.cumprod, np.ndarray.cumprod)
def cumprod(a, axis=None, dtype=None):
    y = np.cumprod(a, axis=axis)
    a_bar = cumprod_adjoint(y_bar, a, axis)


@rule(np.cumsum, np.ndarray.cumsum)
def cumsum(a, axis=None, dtype=None):
    y = np.cumsum(a, axis=axis)
    a_bar = np.reshape(cumsum_from_end(y_bar, 0 if axis is None else axis), np.shape(a))


@rule(np.nancumprod)
def nancumprod(a, axis=None, dtype=None):
    y = np.nancumprod(a, axis=axis)
    a_bar = np.where(np.isnan(a), 0.0, cumprod_adjoint(y_bar, np.where(np.isnan(a), 1.0, a), axis))


@rule(np.nancumsum)
def nancumsum(a, axis=None, dtype=None):
    y = np.nancumsum(a, axis=axis)
    a_bar = np.where(np.isnan(a), 0.0, np.reshape(cumsum_from_end(y_bar, 0 if axis is None else axis), np.shape(a)))


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


# Order statistics


@rule(np.ptp)
def ptp(a, axis=None, *, keepdims=False):
    y = np.ptp(a, axis=axis, keepdims=keepdims)
    at_top = extremum_weights(a, np.max(a, axis=axis, keepdims=keepdims), axis, keepdims)
    at_bottom = extremum_weights(a, np.min(a, axis=axis, keepdims=keepdims), axis, keepdims)
    a_bar = spread(y_bar, np.shape(a), axis, keepdims) * (at_top - at_bottom)


@rule(np.percentile)
def percentile(a, q, axis=None, *, method="linear", keepdims=False):
    y = np.percentile(a, q, axis=axis, method=method, keepdims=keepdims)
    a_bar = quantile_adjoint(y_bar, a, q / 100.0, axis, method, keepdims)
    q_bar = quantile_level_adjoint(y_bar, a, q / 100.0, axis, method, keepdims) / 100.0


@rule(np.quantile)
def quantile(a, q, axis=None, *, method="linear", keepdims=False):
    y = np.quantile(a, q, axis=axis, method=method, keepdims=keepdims)
    a_bar = quantile_adjoint(y_bar, a, q, axis, method, keepdims)
    q_bar = quantile_level_adjoint(y_bar, a, q, axis, method, keepdims)


# Averages and variances


@rule(np.median)
def median(a, axis=None, *, keepdims=False):
    y = np.median(a, axis=axis, keepdims=keepdims)
    a_bar = quantile_adjoint(y_bar, a, 0.5, axis, "linear", keepdims)


@rule(np.average)
def average(a, axis=None, weights=None, *, keepdims=False):
    y = np.average(a, axis=axis, weights=weights, keepdims=keepdims)
    a_bar = (
        spread(y_bar / reduced_count(np.shape(a), axis), np.shape(a), axis, keepdims)
        if weights is None
        else average_adjoint(y_bar, np.shape(a), weights, axis, keepdims)
    )
    weights_bar = average_weights_adjoint(y_bar, a, y, weights, axis, keepdims)


@rule(np.mean, np.ndarray.mean)
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


@rule(np.nanmean)
def nanmean(a, axis=None, dtype=None, *, keepdims=False, where=True):
    y = np.nanmean(a, axis=axis, keepdims=keepdims, where=where)
    kept = present(a, where)
    each = y_bar / reduced_count(np.shape(a), axis, keepdims, kept)
    a_bar = np.where(kept, spread(each, np.shape(a), axis, keepdims), 0.0)


@rule(np.nanstd)
def nanstd(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True):
    y = np.nanstd(a, axis=axis, ddof=ddof, keepdims=keepdims, where=where)
    kept = present(a, where)
    free = degrees_of_freedom(np.shape(a), axis, keepdims, kept, ddof)
    slope = spread(quotient_or_zero(y_bar, free * y), np.shape(a), axis, keepdims)
    a_bar = np.where(kept, slope * deviations(a, axis, kept), 0.0)


@rule(np.nanvar)
def nanvar(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True):
    y = np.nanvar(a, axis=axis, ddof=ddof, keepdims=keepdims, where=where)
    kept = present(a, where)
    slope = 2.0 * y_bar / degrees_of_freedom(np.shape(a), axis, keepdims, kept, ddof)
    a_bar = np.where(kept, spread(slope, np.shape(a), axis, keepdims) * deviations(a, axis, kept), 0.0)


# Histograms: the counts are constant between the points where an element changes its bin


@rule(np.histogram)
def histogram(a, bins=10, range=None, *, density=None, weights=None):
    y, edges = np.histogram(a, bins=bins, range=range, density=density, weights=weights)
    weights_bar = density_weights(y_bar, a, y, edges, weights) if density else bin_weights(y_bar, a, edges)


@rule(np.bincount)
def bincount(x, /, weights=None, minlength=0):
    y = np.bincount(x, weights, minlength)
    weights_bar = np.take(y_bar, x)


# Methods of ufuncs


@rule(ufunc_method(np.add, "reduce"))
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


@rule(ufunc_method(np.add, "accumulate"))
def add_accumulate(array, axis=0, dtype=None):
    y = np.add.accumulate(array, axis=axis)
    array_bar = cumsum_from_end(y_bar, axis)


@rule(ufunc_method(np.multiply, "accumulate"))
def multiply_accumulate(array, axis=0, dtype=None):
    y = np.multiply.accumulate(array, axis=axis)
    array_bar = cumprod_adjoint(y_bar, array, axis)


@rule(ufunc_method(np.add, "outer"))
def add_outer(a, b, /):
    y = np.add.outer(a, b)
    a_bar = np.sum(y_bar, axis=tuple(range(np.ndim(a), np.ndim(y_bar))))
    b_bar = np.sum(y_bar, axis=tuple(range(np.ndim(a))))


@rule(ufunc_method(np.subtract, "outer"))
def subtract_outer(a, b, /):
    y = np.subtract.outer(a, b)
    a_bar = np.sum(y_bar, axis=tuple(range(np.ndim(a), np.ndim(y_bar))))
    b_bar = -np.sum(y_bar, axis=tuple(range(np.ndim(a))))


@rule(ufunc_method(np.multiply, "outer"))
def multiply_outer(a, b, /):
    y = np.multiply.outer(a, b)
    a_bar = np.tensordot(y_bar, conj(b), np.ndim(b))
    b_bar = np.tensordot(conj(a), y_bar, np.ndim(a))


# The functions that adjoints call, so that derivatives of derivatives call them again


@rule(spread, alias="view", alias_of="value", cheap=True)
def spread_(value, shape, axis=None, keepdims=False):
    y = spread(value, shape, axis, keepdims)
    value_bar = (
        np.sum(y_bar)
        if axis is None and np.ndim(value) == 0
        else np.reshape(np.sum(y_bar, axis=axis, keepdims=keepdims), np.shape(value))
    )


@rule(unbroadcast, alias="maybe", alias_of="value")
def unbroadcast_(value, shape):
    y = unbroadcast(value, shape)
    value_bar = np.broadcast_to(y_bar, np.shape(value))


@rule(cumsum_from_end)
def cumsum_from_end_(value, axis):
    y = cumsum_from_end(value, axis)
    value_bar = np.cumsum(y_bar, axis=axis)


inactive(extremum_weights, reduced_axes, reduced_count, present, degrees_of_freedom)
