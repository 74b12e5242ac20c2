"""Tangents of extrema, averages, scans and quantiles."""

import numpy as np

from .order import group_ranks, quantile_slopes
from .reductions import average_weights, deviations, has_safe_divisors, reduced_count, spread


def shared(a_dot, weights, axis=None, keepdims=False):
    """The tangent of an extremum from the shares of the elements in it: an element without a share does not count,
    whatever its tangent.

    >>> float(shared(np.array([1.0, np.inf, 3.0]), np.array([0.5, 0.0, 0.5])))
    2.0
    """
    return np.sum(np.where(weights == 0, 0.0, a_dot) * weights, axis=axis, keepdims=keepdims)


def cumprod_tangent(a_dot, a, axis=None):
    """The tangent of `np.cumprod(a, axis)`; right with zeros.

    Without zeros (or products so small that digits are lost) `y * cumsum(a_dot / a)`, else by the product rule from
    element to element.

    >>> cumprod_tangent(np.ones(3), np.array([2.0, 0.0, 3.0]))
    array([1., 2., 6.])
    """
    flat = axis is None or np.ndim(a) == 0
    factors = np.ravel(a) if flat else np.moveaxis(a, axis, 0)
    directions = np.ravel(a_dot) if flat else np.moveaxis(a_dot, axis, 0)
    products = np.cumprod(factors, axis=0)
    if has_safe_divisors(products):
        lanes_dot = products * np.cumsum(directions / factors, axis=0)
    else:
        lanes = [directions[0]]
        for k in range(1, len(factors)):
            lanes.append(lanes[-1] * factors[k] + products[k - 1] * directions[k])
        lanes_dot = np.stack(lanes)
    return lanes_dot if flat else np.moveaxis(lanes_dot, 0, axis)


def average_tangent(a_dot, weights_dot, a, y, weights, axis=None, keepdims=False):
    """The tangent of the weighted average `y` of `a`.

    >>> float(average_tangent(np.array([1.0, 0.0]), np.zeros(2), np.array([0.0, 4.0]), 3.0, np.array([1.0, 3.0])))
    0.25
    """
    shape = np.shape(a)
    full = average_weights(weights, shape, axis)
    total = np.sum(np.broadcast_to(full, shape), axis=axis, keepdims=keepdims)
    change = full * a_dot + average_weights(weights_dot, shape, axis) * (a - spread(y, shape, axis, keepdims))
    return np.sum(change, axis=axis, keepdims=keepdims) / total


def quantile_tangent(a_dot, q_dot, a, q, axis=None, method="linear", keepdims=False):
    """The tangent of `np.quantile(a, q, axis)`: the element of rank `r` has the weight `max(0, 1 - |r - p|)`, where `p`
    is the place between two ranks that the method chooses; see `quantile_adjoint`.

    >>> float(quantile_tangent(np.array([1.0, 9.0, 3.0, 9.0]), 0.0, np.array([5.0, 1.0, 2.0, 9.0]), 0.5))
    2.0
    """
    rank = group_ranks(a, axis)
    chosen = np.quantile(np.arange(float(reduced_count(np.shape(a), axis))), q, method=method)
    parts = [
        shared(a_dot, np.maximum(0.0, 1.0 - np.abs(rank - place)), axis, keepdims) for place in np.ravel(chosen)
    ]
    of_elements = np.reshape(np.stack(parts), np.shape(q) + np.shape(parts[0]))
    levels = np.reshape(q_dot, np.shape(q_dot) + (1,) * np.ndim(parts[0]))
    return of_elements + levels * np.reshape(quantile_slopes(a, q, axis, method), np.shape(of_elements))


def deviation_products(a_dot, mean_dot, a, axis=None, where=True, mean=None):
    """The product of each element's distance from the mean (see `deviations`) with the change of that distance; its
    sum is half the tangent of the sum of squares. 0 for elements that `where` leaves out.

    >>> deviation_products(np.array([1.0, 0.0]), 0.0, np.array([1.0, 3.0]))
    array([-1.,  0.])
    """
    # The mean over the elements themselves needs no tangent: their distances from it have the sum 0.
    products = np.real(np.conj(deviations(a, axis, where, mean)) * (a_dot - mean_dot))
    return products if where is True else np.where(where, products, 0.0)
