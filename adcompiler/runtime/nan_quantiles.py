"""Adjoints and tangents of quantiles that pass over NaNs: each group has its own number of elements."""

import numpy as np

from .order import group_ranks
from .reduction_tangents import shared
from .reductions import spread


def nan_quantile_weights(a, q, axis=None, method="linear"):
    """The weight of each element of `a` in `np.nanquantile(a, q, axis)` for one level `q`; see `quantile_adjoint`.

    >>> nan_quantile_weights(np.array([4.0, np.nan, 1.0]), 0.5)
    array([0.5, 0. , 0.5])
    """
    present = ~np.isnan(a)
    counts = np.sum(present, axis=axis, keepdims=True)
    places = np.zeros(np.shape(counts))
    for n in np.unique(counts):
        if n > 0:
            places = np.where(counts == n, np.quantile(np.arange(float(n)), q, method=method), places)
    return np.where(present, np.maximum(0.0, 1.0 - np.abs(group_ranks(a, axis) - places)), 0.0)


def nanquantile_adjoint(value, a, q, axis=None, method="linear", keepdims=False):
    """The adjoint of `np.nanquantile(a, q, axis)` with respect to `a`, for any shape of `q`.

    >>> nanquantile_adjoint(1.0, np.array([4.0, np.nan, 1.0]), 0.5)
    array([0.5, 0. , 0.5])
    """
    shape, levels = np.shape(a), np.ravel(q)
    reduced = np.shape(np.sum(a, axis=axis, keepdims=keepdims))
    values = np.reshape(value, (levels.size, -1))
    total = np.zeros(shape)
    for k in range(levels.size):
        full = spread(np.reshape(values[k], reduced), shape, axis, keepdims)
        total = total + full * nan_quantile_weights(a, levels[k], axis, method)
    return total


def nanquantile_tangent(a_dot, a, q, axis=None, method="linear", keepdims=False):
    """The tangent of `np.nanquantile(a, q, axis)`.

    >>> float(nanquantile_tangent(np.array([1.0, np.nan, 3.0]), np.array([4.0, np.nan, 1.0]), 0.5))
    2.0
    """
    parts = [shared(a_dot, nan_quantile_weights(a, level, axis, method), axis, keepdims) for level in np.ravel(q)]
    return np.reshape(np.stack(parts), np.shape(q) + np.shape(parts[0]))
