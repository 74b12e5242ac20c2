"""Adjoints and tangents of quantiles of weighted elements, each of which is one of the elements."""

import numpy as np

from .order import group_ranks
from .reduction_tangents import shared
from .reductions import average_weights, spread


def chosen_elements(a, q, weights, axis=None, method="inverted_cdf"):
    """1 for each element that is the quantile of its group, 0 for the others, for one level `q`; NaNs are passed over.

    >>> chosen_elements(np.array([4.0, 1.0, 9.0]), 0.5, np.array([1.0, 1.0, 3.0]))
    array([0., 0., 1.])
    """
    ranks = np.where(np.isnan(a), np.nan, group_ranks(a, axis))
    full = np.broadcast_to(average_weights(weights, np.shape(a), axis), np.shape(a))
    chosen = np.nanquantile(ranks, q, axis=axis, weights=full, method=method, keepdims=True)
    return np.where(ranks == chosen, 1.0, 0.0)


def weighted_quantile_adjoint(value, a, q, weights, axis=None, method="inverted_cdf", keepdims=False):
    """The adjoint of `np.quantile(a, q, axis, weights=weights)` with respect to `a`, for any shape of `q`.

    >>> weighted_quantile_adjoint(2.0, np.array([4.0, 1.0, 9.0]), 0.5, np.array([1.0, 1.0, 3.0]))
    array([0., 0., 2.])
    """
    shape, levels = np.shape(a), np.ravel(q)
    reduced = np.shape(np.sum(a, axis=axis, keepdims=keepdims))
    values = np.reshape(value, (levels.size, -1))
    total = np.zeros(shape)
    for k in range(levels.size):
        full = spread(np.reshape(values[k], reduced), shape, axis, keepdims)
        total = total + full * chosen_elements(a, levels[k], weights, axis, method)
    return total


def weighted_quantile_tangent(a_dot, a, q, weights, axis=None, method="inverted_cdf", keepdims=False):
    """The tangent of `np.quantile(a, q, axis, weights=weights)`.

    >>> a, weights = np.array([4.0, 1.0, 9.0]), np.array([1.0, 1.0, 3.0])
    >>> float(weighted_quantile_tangent(np.array([1.0, 3.0, 5.0]), a, 0.5, weights))
    5.0
    """
    parts = [shared(a_dot, chosen_elements(a, level, weights, axis, method), axis, keepdims) for level in np.ravel(q)]
    return np.reshape(np.stack(parts), np.shape(q) + np.shape(parts[0]))
