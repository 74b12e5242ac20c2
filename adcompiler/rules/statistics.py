"""Rules of statistics, in the order of NumPy's documentation: order statistics, averages and variances, histograms.

Arguments after `out` are keyword-only here, as `out` is not among a template's parameters (see lower.numpy_forms). The standard deviation of
equal numbers has slope 0. Of equal elements a quantile takes the first.
"""

import numpy as np

from ..runtime.histograms import (
    bin_weights,
    density_tangent,
    density_weights,
    edges_adjoint,
    edges_tangent,
    grid_tangent,
    grid_weights,
    sample_columns,
)
from ..runtime.nan_quantiles import nanquantile_adjoint, nanquantile_tangent
from ..runtime.order import quantile_adjoint, quantile_level_adjoint
from ..runtime.quotients import quotient_or_zero
from ..runtime.reduction_tangents import average_tangent, deviation_products, quantile_tangent, shared
from ..runtime.reductions import (
    average_adjoint,
    average_weights_adjoint,
    degrees_of_freedom,
    deviations,
    extremum_weights,
    present,
    reduced_count,
    spread,
    total_weight,
    total_weight_adjoint,
)
from ..runtime.shape import unbroadcast
from ..runtime.weighted_quantiles import weighted_quantile_adjoint, weighted_quantile_tangent
from .registry import rule

# Order statistics


@rule(np.ptp)
def ptp(a, axis=None, *, keepdims=False):
    y = np.ptp(a, axis=axis, keepdims=keepdims)
    at_top = extremum_weights(a, np.max(a, axis=axis, keepdims=keepdims), axis, keepdims)
    at_bottom = extremum_weights(a, np.min(a, axis=axis, keepdims=keepdims), axis, keepdims)
    a_bar = spread(y_bar, np.shape(a), axis, keepdims) * (at_top - at_bottom)
    y_dot = shared(a_dot, at_top, axis, keepdims) - shared(a_dot, at_bottom, axis, keepdims)


@rule(np.percentile, when={"weights": None})
def percentile(a, q, axis=None, *, method="linear", keepdims=False, weights=None):
    y = np.percentile(a, q, axis=axis, method=method, keepdims=keepdims)
    a_bar = quantile_adjoint(y_bar, a, np.divide(q, 100.0), axis, method, keepdims)
    q_bar = quantile_level_adjoint(y_bar, a, np.divide(q, 100.0), axis, method, keepdims) / 100.0
    y_dot = quantile_tangent(a_dot, np.divide(q_dot, 100.0), a, np.divide(q, 100.0), axis, method, keepdims)

# An element of `a`; which one does not depend on small changes of the levels and weights.
@rule(np.percentile, when={}, constant_in=("q", "weights"))
def percentile_of_weighted(a, q, axis=None, *, method="linear", keepdims=False, weights=None):
    y = np.percentile(a, q, axis=axis, method=method, keepdims=keepdims, weights=weights)
    a_bar = weighted_quantile_adjoint(y_bar, a, np.divide(q, 100.0), weights, axis, method, keepdims)
    y_dot = weighted_quantile_tangent(a_dot, a, np.divide(q, 100.0), weights, axis, method, keepdims)


@rule(np.quantile, when={"weights": None})
def quantile(a, q, axis=None, *, method="linear", keepdims=False, weights=None):
    y = np.quantile(a, q, axis=axis, method=method, keepdims=keepdims)
    a_bar = quantile_adjoint(y_bar, a, q, axis, method, keepdims)
    q_bar = quantile_level_adjoint(y_bar, a, q, axis, method, keepdims)
    y_dot = quantile_tangent(a_dot, q_dot, a, q, axis, method, keepdims)

# An element of `a`; which one does not depend on small changes of the levels and weights.
@rule(np.quantile, when={}, constant_in=("q", "weights"))
def quantile_of_weighted(a, q, axis=None, *, method="linear", keepdims=False, weights=None):
    y = np.quantile(a, q, axis=axis, method=method, keepdims=keepdims, weights=weights)
    a_bar = weighted_quantile_adjoint(y_bar, a, q, weights, axis, method, keepdims)
    y_dot = weighted_quantile_tangent(a_dot, a, q, weights, axis, method, keepdims)


@rule(np.nanpercentile, when={"weights": None})
def nanpercentile(a, q, axis=None, *, method="linear", keepdims=False, weights=None):
    y = np.nanpercentile(a, q, axis=axis, method=method, keepdims=keepdims)
    a_bar = nanquantile_adjoint(y_bar, a, np.divide(q, 100.0), axis, method, keepdims)
    y_dot = nanquantile_tangent(a_dot, a, np.divide(q, 100.0), axis, method, keepdims)

# An element of `a`; which one does not depend on small changes of the levels and weights.
@rule(np.nanpercentile, when={}, constant_in=("q", "weights"))
def nanpercentile_of_weighted(a, q, axis=None, *, method="linear", keepdims=False, weights=None):
    y = np.nanpercentile(a, q, axis=axis, method=method, keepdims=keepdims, weights=weights)
    a_bar = weighted_quantile_adjoint(y_bar, a, np.divide(q, 100.0), weights, axis, method, keepdims)
    y_dot = weighted_quantile_tangent(a_dot, a, np.divide(q, 100.0), weights, axis, method, keepdims)


@rule(np.nanquantile, when={"weights": None})
def nanquantile(a, q, axis=None, *, method="linear", keepdims=False, weights=None):
    y = np.nanquantile(a, q, axis=axis, method=method, keepdims=keepdims)
    a_bar = nanquantile_adjoint(y_bar, a, q, axis, method, keepdims)
    y_dot = nanquantile_tangent(a_dot, a, q, axis, method, keepdims)

# An element of `a`; which one does not depend on small changes of the levels and weights.
@rule(np.nanquantile, when={}, constant_in=("q", "weights"))
def nanquantile_of_weighted(a, q, axis=None, *, method="linear", keepdims=False, weights=None):
    y = np.nanquantile(a, q, axis=axis, method=method, keepdims=keepdims, weights=weights)
    a_bar = weighted_quantile_adjoint(y_bar, a, q, weights, axis, method, keepdims)
    y_dot = weighted_quantile_tangent(a_dot, a, q, weights, axis, method, keepdims)


@rule(np.nanmedian)
def nanmedian(a, axis=None, *, keepdims=False):
    y = np.nanmedian(a, axis=axis, keepdims=keepdims)
    a_bar = nanquantile_adjoint(y_bar, a, 0.5, axis, "linear", keepdims)
    y_dot = nanquantile_tangent(a_dot, a, 0.5, axis, "linear", keepdims)


# Averages and variances


@rule(np.median)
def median(a, axis=None, *, keepdims=False):
    y = np.median(a, axis=axis, keepdims=keepdims)
    a_bar = quantile_adjoint(y_bar, a, 0.5, axis, "linear", keepdims)
    y_dot = quantile_tangent(a_dot, 0.0, a, 0.5, axis, "linear", keepdims)


@rule(np.average, when={"returned": True})
def average_and_total(a, axis=None, weights=None, returned=False, *, keepdims=False):
    y, total = np.average(a, axis=axis, weights=weights, returned=True, keepdims=keepdims)
    a_bar = (
        spread(y_bar / reduced_count(np.shape(a), axis), np.shape(a), axis, keepdims)
        if weights is None
        else average_adjoint(y_bar, np.shape(a), weights, axis, keepdims)
    )
    weights_bar = average_weights_adjoint(y_bar, a, y, weights, axis, keepdims) + total_weight_adjoint(
        total_bar, np.shape(a), weights, axis, keepdims
    )
    y_dot = (
        np.mean(a_dot, axis=axis, keepdims=keepdims)
        if weights is None
        else average_tangent(a_dot, weights_dot, a, y, weights, axis, keepdims)
    )
    total_dot = np.zeros(np.shape(total)) if weights is None else total_weight(weights_dot, np.shape(a), axis, keepdims)


@rule(np.average, when={"returned": False})
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
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
def nanstd(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True, mean=None, correction=None):
    y = np.nanstd(a, axis=axis, ddof=ddof, keepdims=keepdims, where=where)
    kept = present(a, where)
    free = degrees_of_freedom(np.shape(a), axis, keepdims, kept, ddof if correction is None else correction)
    slope = spread(quotient_or_zero(y_bar, free * y), np.shape(a), axis, keepdims)
    a_bar = np.where(kept, slope * deviations(a, axis, kept, mean), 0.0)
    mean_bar = -unbroadcast(np.where(kept, slope * deviations(a, axis, kept, mean), 0.0), np.shape(mean))
    moved = deviation_products(a_dot, 0.0 if mean is None else mean_dot, a, axis, kept, mean)
    y_dot = quotient_or_zero(np.sum(moved, axis=axis, keepdims=keepdims), free * y)


@rule(np.nanvar)
def nanvar(a, axis=None, dtype=None, *, ddof=0, keepdims=False, where=True, mean=None, correction=None):
    y = np.nanvar(a, axis=axis, ddof=ddof, keepdims=keepdims, where=where)
    kept = present(a, where)
    free = degrees_of_freedom(np.shape(a), axis, keepdims, kept, ddof if correction is None else correction)
    slope = spread(2.0 * y_bar / free, np.shape(a), axis, keepdims)
    a_bar = np.where(kept, slope * deviations(a, axis, kept, mean), 0.0)
    mean_bar = -unbroadcast(np.where(kept, slope * deviations(a, axis, kept, mean), 0.0), np.shape(mean))
    moved = deviation_products(a_dot, 0.0 if mean is None else mean_dot, a, axis, kept, mean)
    y_dot = 2.0 * np.sum(moved, axis=axis, keepdims=keepdims) / free


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


@rule(np.histogram2d)
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    h, x_edges, y_edges = np.histogram2d(x, y, bins, range, density, weights)
    weights_bar = grid_weights(h_bar, h, [x, y], [x_edges, y_edges], weights, density)
    h_dot = grid_tangent(weights_dot, h, [x, y], [x_edges, y_edges], weights, density)


@rule(np.histogramdd)
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    h, edges = np.histogramdd(sample, bins, range, density, weights)
    weights_bar = grid_weights(h_bar, h, sample_columns(sample), edges, weights, density)
    h_dot = grid_tangent(weights_dot, h, sample_columns(sample), edges, weights, density)


@rule(np.histogram_bin_edges, constant_in=("weights",))
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    y = np.histogram_bin_edges(a, bins, range, weights)
    a_bar = edges_adjoint(y_bar, a, bins, range)
    y_dot = edges_tangent(a_dot, y, a, bins, range)
