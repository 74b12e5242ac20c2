"""Adjoints of sums, means, extrema, products and scans: spreading a reduced cotangent back over the reduced axes."""

import numpy as np

from .shape import unbroadcast


def spread(value, shape, axis=None, keepdims=False):
    """Broadcast `value`, the shape of a reduction's result, to `shape`, the shape before the reduction (read-only).

    >>> spread(np.array([1.0, 2.0]), (2, 3), axis=1)
    array([[1., 1., 1.],
           [2., 2., 2.]])
    """
    if axis is not None and not keepdims and len(shape) > 0:
        value = np.expand_dims(value, axis)
    return np.broadcast_to(value, shape)


def reduced_axes(ndim, axis=None) -> tuple:
    """The axes that a reduction removes, as a sorted tuple of non-negative numbers.

    >>> reduced_axes(3, -1), reduced_axes(3), reduced_axes(3, (2, 0))
    ((2,), (0, 1, 2), (0, 2))
    """
    axes = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return tuple(sorted(int(a) % ndim for a in axes)) if ndim else ()


def last_axes(ndim, count) -> tuple:
    """The last `count` of `ndim` axes.

    >>> last_axes(3, 2)
    (1, 2)
    """
    return tuple(range(ndim - count, ndim))


def reduced_count(shape, axis=None, keepdims=False, where=True):
    """How many elements a reduction takes into each of its results: one number, or with `where` an array of them.

    A result of no elements counts 1, so that dividing by the count is harmless.

    >>> reduced_count((2, 3), axis=1)
    3
    """
    if where is not True:
        return np.maximum(np.sum(np.broadcast_to(where, shape), axis=axis, keepdims=keepdims), 1)
    count = 1
    for removed in reduced_axes(len(shape), axis):
        count *= shape[removed]
    return max(count, 1)


def present(a, where=True):
    """The elements that a nan-reduction takes: not NaN, and selected by `where`.

    >>> present(np.array([1.0, np.nan]))
    array([ True, False])
    """
    kept = ~np.isnan(a)
    return kept if where is True else kept & where


# Maximum and minimum


def extremum_weights(a, y, axis=None, keepdims=False, where=True, initial=None, initial_shares=False):
    """The share of each element of `a` in its extremum `y`: 1 divided evenly among equals, 0 elsewhere.

    Where the constant `initial` equals the extremum it wins and the shares are 0; with `initial_shares` it is one of
    the equals. If the extremum is NaN, the NaNs share. Returns an array of the shape of `a`.

    >>> extremum_weights(np.array([3.0, 1.0, 3.0]), 3.0)
    array([0.5, 0. , 0.5])
    """
    a, shape = np.asarray(a), np.shape(a)
    full = spread(y, shape, axis, keepdims)
    hits = (a == full) | ((a != a) & (full != full))
    if where is not True:
        hits &= where
    ties = np.sum(hits, axis=axis, keepdims=True)
    if initial is not None:
        met = spread(y, ties.shape, axis, keepdims) == initial
        ties = ties + met if initial_shares else np.where(met, np.inf, ties)
    return hits / np.maximum(ties, 1)


# Products


def products_of_others(a, axis=None, where=True):
    """For each element the product of all other elements reduced with it; right with any number of zeros.

    Elements that `where` leaves out get 0. Returns an array of the shape of `a`.

    >>> products_of_others(np.array([2.0, 0.0, 3.0]))
    array([0., 6., 0.])
    """
    shape = np.shape(a)
    factors = np.array(a) if where is True else np.where(where, a, 1)  # a copy: `a` may be changed later
    axes = reduced_axes(len(shape), axis)
    last = last_axes(len(shape), len(axes))
    moved = np.moveaxis(factors, axes, last)
    kept = moved.shape[: len(shape) - len(axes)]
    lanes = np.reshape(moved, kept + (reduced_count(shape, axis) if np.size(a) else 0,))
    ones = np.ones(kept + (min(1, lanes.shape[-1]),))
    before = np.cumprod(np.concatenate((ones, lanes[..., :-1]), axis=-1), axis=-1)
    after = np.flip(np.cumprod(np.concatenate((ones, np.flip(lanes, -1)[..., :-1]), axis=-1), axis=-1), -1)
    others = np.moveaxis(np.reshape(before * after, moved.shape), last, axes)
    return others if where is True else np.where(where, others, 0.0)


# Scans


def cumsum_from_end(value, axis):
    """Running sums from the last element back to the first, along one axis: the adjoint of `np.cumsum`.

    >>> cumsum_from_end(np.array([1.0, 2.0, 3.0]), 0)
    array([6., 5., 3.])
    """
    return np.flip(np.cumsum(np.flip(value, axis), axis=axis), axis)


def cumprod_adjoint(value, a, axis=None):
    """The adjoint of `np.cumprod(a, axis)` applied to `value`; right with zeros. Returns an array of the shape of `a`.

    `conj(before[k]) * (value[k] + conj(a[k+1]) * (value[k+1] + ...))`, by Horner's scheme from the end; without zeros
    (or products so small that digits are lost) by a sum and a division.

    >>> cumprod_adjoint(np.ones(3), np.array([2.0, 0.0, 3.0]))
    array([1., 8., 0.])
    """
    shape = np.shape(a)
    factors = np.conj(np.ravel(a) if axis is None or len(shape) == 0 else np.moveaxis(a, axis, 0))
    lanes = np.ravel(value) if axis is None or len(shape) == 0 else np.moveaxis(value, axis, 0)
    count = factors.shape[0]
    if count == 0:
        return np.zeros(shape)
    products = np.cumprod(factors, axis=0)
    if has_safe_divisors(products):
        lanes_bar = cumsum_from_end(lanes * products, 0) / factors
    else:
        before = np.concatenate((np.ones_like(factors[:1]), products[:-1]))
        after = [lanes[count - 1]]
        for k in range(count - 2, -1, -1):
            after.append(lanes[k] + factors[k + 1] * after[-1])
        lanes_bar = before * np.stack(after[::-1])
    return np.reshape(lanes_bar, shape) if axis is None or len(shape) == 0 else np.moveaxis(lanes_bar, 0, axis)


def has_safe_divisors(products) -> bool:
    """Are all products finite, and large enough to hold all their digits?"""
    if products.dtype.kind not in "fc":
        return False
    sizes, limits = np.abs(products), np.finfo(products.dtype)
    return bool(np.all((sizes > limits.tiny / limits.eps) & (sizes < limits.max)))


# Averages and spreads about them


def average_weights(weights, shape, axis=None):
    """The weights of `np.average` with an axis of length 1 for every axis that they do not cover.

    >>> average_weights(np.array([1.0, 2.0]), (2, 3), axis=0).shape
    (2, 1)
    """
    if np.shape(weights) == tuple(shape):
        return np.asarray(weights)
    axes = axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(int(a) % len(shape) for a in axes)
    ordered = np.transpose(weights, np.argsort(axes))
    return np.reshape(ordered, tuple(n if i in axes else 1 for i, n in enumerate(shape)))


def average_adjoint(value, shape, weights, axis=None, keepdims=False):
    """The adjoint of the weighted `np.average` with respect to the averaged array, of this shape.

    >>> average_adjoint(1.0, (2,), np.array([1.0, 3.0]))
    array([0.25, 0.75])
    """
    full = average_weights(weights, shape, axis)
    total = np.conj(np.sum(np.broadcast_to(full, shape), axis=axis, keepdims=keepdims))
    return spread(value / total, shape, axis, keepdims) * np.conj(full)


def total_weight(weights, shape, axis=None, keepdims=False):
    """The sums of weights that `np.average(a, axis, weights, returned=True)` gives, for `a` of this shape.

    >>> total_weight(np.array([1.0, 3.0]), (2, 3), axis=0)
    array([4., 4., 4.])
    """
    return np.sum(np.broadcast_to(average_weights(weights, shape, axis), shape), axis=axis, keepdims=keepdims)


def total_weight_adjoint(value, shape, weights, axis=None, keepdims=False):
    """The adjoint of `total_weight` with respect to the weights.

    >>> total_weight_adjoint(np.array([1.0, 2.0, 4.0]), (2, 3), np.array([1.0, 3.0]), axis=0)
    array([7., 7.])
    """
    full = average_weights(weights, shape, axis)
    return _in_order_of_weights(unbroadcast(spread(value, shape, axis, keepdims), full.shape), shape, weights, axis)


def average_weights_adjoint(value, a, y, weights, axis=None, keepdims=False):
    """The adjoint of the weighted average `y` of `a` with respect to the weights.

    >>> average_weights_adjoint(1.0, np.array([0.0, 4.0]), 3.0, np.array([1.0, 3.0]))
    array([-0.75,  0.25])
    """
    shape = np.shape(a)
    full = average_weights(weights, shape, axis)
    total = np.conj(np.sum(np.broadcast_to(full, shape), axis=axis, keepdims=keepdims))
    slope = np.conj(a - spread(y, shape, axis, keepdims))
    full_bar = unbroadcast(spread(value / total, shape, axis, keepdims) * slope, full.shape)
    return _in_order_of_weights(full_bar, shape, weights, axis)


def _in_order_of_weights(full_bar, shape, weights, axis):
    """The adjoint of the weights from that of `average_weights(weights, shape, axis)`."""
    if np.shape(weights) == shape:
        return full_bar
    axes = tuple(int(i) % len(shape) for i in (axis if isinstance(axis, tuple) else (axis,)))
    order = np.argsort(axes)
    return np.transpose(np.reshape(full_bar, tuple(shape[axes[i]] for i in order)), np.argsort(order))


def deviations(a, axis=None, where=True, mean=None):
    """The distances of the elements from their mean (or the given one); 0 for those that `where` leaves out.

    >>> deviations(np.array([1.0, 3.0]))
    array([-1.,  1.])
    """
    apart = a - (mean_over(a, axis, where) if mean is None else mean)
    return apart if where is True else np.where(where, apart, 0.0)


def mean_over(a, axis=None, where=True):
    """The mean over `axis`, which keeps length 1; 0 for a group without elements.

    >>> mean_over(np.array([[1.0, 3.0]]), 1)
    array([[2.]])
    """
    return np.sum(a, axis=axis, keepdims=True, where=where) / reduced_count(np.shape(a), axis, True, where)


def degrees_of_freedom(shape, axis=None, keepdims=False, where=True, ddof=0):
    """The divisor of a variance, `count - ddof`, not below 0.

    >>> degrees_of_freedom((2, 3), axis=1, ddof=1)
    np.float64(2.0)
    """
    return np.maximum(reduced_count(shape, axis, keepdims, where) - np.float64(ddof), 0.0)
