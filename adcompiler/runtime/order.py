"""Adjoints of sorting, partitioning and quantiles: where each element went, and where each one came from."""

import numpy as np

from .reductions import reduced_axes, reduced_count, spread


def ranks(a, axis=-1):
    """The place of each element in the sorted array along `axis` (of the flat array for None); equals keep their order.

    Returns integers in the shape of `a`.

    >>> ranks(np.array([3.0, 1.0, 3.0, 2.0]))
    array([2, 0, 3, 1])
    """
    if axis is None:
        return np.reshape(ranks(np.ravel(a)), np.shape(a))
    return np.argsort(np.argsort(a, axis=axis, kind="stable"), axis=axis, kind="stable")


def places(a, y, axis=-1):
    """Where each element of `a` stands in `y`, a rearrangement of it along `axis` (of the flat array for None).

    Returns integers in the shape of `a`.

    >>> places(np.array([3.0, 1.0, 2.0]), np.array([1.0, 3.0, 2.0]))
    array([1, 0, 2])
    """
    if axis is None:
        return np.reshape(places(np.ravel(a), np.ravel(y)), np.shape(a))
    return np.take_along_axis(np.argsort(y, axis=axis, kind="stable"), ranks(a, axis), axis)


def sources(a, y, axis=-1):
    """From where in `a` each element of `y` comes, a rearrangement of it along `axis` (of the flat array for None).

    >>> sources(np.array([3.0, 1.0, 2.0]), np.array([1.0, 3.0, 2.0]))
    array([1, 0, 2])
    """
    if axis is None:
        return sources(np.ravel(a), np.ravel(y))
    return np.argsort(places(a, y, axis), axis=axis, kind="stable")


def group_ranks(a, axis=None):
    """The place of each element among those reduced together over `axis` (None, an integer or a tuple).

    >>> group_ranks(np.array([[1.0, 4.0], [3.0, 2.0]]))
    array([[0, 3],
           [2, 1]])
    """
    axes = reduced_axes(np.ndim(a), axis)
    last = tuple(range(np.ndim(a) - len(axes), np.ndim(a)))
    moved = np.moveaxis(a, axes, last)
    lanes = np.reshape(moved, moved.shape[: np.ndim(a) - len(axes)] + (reduced_count(np.shape(a), axis),))
    return np.moveaxis(np.reshape(ranks(lanes), moved.shape), last, axes)


def quantile_adjoint(value, a, q, axis=None, method="linear", keepdims=False):
    """The adjoint of `np.quantile(a, q, axis)` with respect to `a`, for any shape of `q` and every method.

    The quantile of `0, 1, ...` is the place `p` between two ranks that the method chooses, so the element of rank `r`
    has the weight `max(0, 1 - |r - p|)`. Returns an array of the shape of `a`.

    >>> quantile_adjoint(1.0, np.array([5.0, 1.0, 2.0, 9.0]), 0.5)
    array([0.5, 0. , 0.5, 0. ])
    """
    shape = np.shape(a)
    if np.size(a) == 0:
        return np.zeros(shape)
    rank = group_ranks(a, axis)
    chosen = np.quantile(np.arange(float(reduced_count(shape, axis))), q, method=method)
    if np.ndim(q) == 0:
        return spread(value, shape, axis, keepdims) * np.maximum(0.0, 1.0 - np.abs(rank - chosen))
    reduced = np.shape(np.sum(a, axis=axis, keepdims=keepdims))
    values, flat = np.reshape(value, (np.size(q), -1)), np.ravel(chosen)
    total = np.zeros(shape)
    for k in range(np.size(q)):
        full = spread(np.reshape(values[k], reduced), shape, axis, keepdims)
        total = total + full * np.maximum(0.0, 1.0 - np.abs(rank - flat[k]))
    return total


# the place is q * (n + slope) + constant for the methods that interpolate
_PLACES_BEYOND_COUNT = {
    "linear": -1.0,
    "weibull": 1.0,
    "hazen": 0.0,
    "interpolated_inverted_cdf": 0.0,
    "median_unbiased": 1.0 / 3.0,
    "normal_unbiased": 0.25,
}


def quantile_slopes(a, q, axis=None, method="linear"):
    """The slope of `np.quantile(a, q, axis)` in its level, one row per level and a column per result; 0 for methods that
    do not interpolate.

    >>> quantile_slopes(np.array([5.0, 1.0, 2.0, 9.0]), 0.4)
    array([[9.]])
    """
    count = reduced_count(np.shape(a), axis)
    axes = reduced_axes(np.ndim(a), axis)
    moved = np.moveaxis(a, axes, tuple(range(len(axes))))
    ordered = np.sort(np.reshape(moved, (count, -1)), axis=0)
    if method not in _PLACES_BEYOND_COUNT:
        return np.zeros((np.size(q), ordered.shape[1]))
    place = np.ravel(np.quantile(np.arange(float(count)), q, method=method))
    below = np.clip(np.floor(place).astype(int), 0, max(count - 2, 0))
    above = np.minimum(below + 1, count - 1)
    inside = (place > 0) & (place < count - 1) | (method == "linear")
    slopes = (ordered[above] - ordered[below]) * (count + _PLACES_BEYOND_COUNT[method])
    return np.where(inside[:, np.newaxis], slopes, 0.0)


def quantile_level_adjoint(value, a, q, axis=None, method="linear", keepdims=False):
    """The adjoint of `np.quantile(a, q, axis)` with respect to the level `q`; 0 for methods that do not interpolate.

    >>> quantile_level_adjoint(1.0, np.array([5.0, 1.0, 2.0, 9.0]), 0.4)
    np.float64(9.0)
    """
    slopes = quantile_slopes(a, q, axis, method)
    return np.reshape(np.sum(np.reshape(value, slopes.shape) * slopes, axis=1), np.shape(q))[()]
