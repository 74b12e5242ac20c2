"""Adjoints and tangents of histograms with respect to their weights, and of their edges."""

import numpy as np

from .creating import unit_steps
from .reduction_tangents import shared
from .reductions import extremum_weights


def bin_numbers(a, edges):
    """The bin of each element of the flat array, as `np.histogram` counts it (the last bin includes its right edge).

    Elements outside get -1.

    >>> bin_numbers(np.array([0.5, 2.0, 3.0]), np.array([0.0, 1.0, 2.0]))
    array([ 0,  1, -1])
    """
    a = np.ravel(a)
    bins = np.where(a == edges[-1], len(edges) - 2, np.searchsorted(edges, a, side="right") - 1)
    return np.where((a >= edges[0]) & (a <= edges[-1]), bins, -1)


def bin_weights(value, a, edges):
    """The cotangent of the bin that each element of `a` falls into, 0 outside: the adjoint with respect to `weights`.

    >>> bin_weights(np.array([10.0, 20.0]), np.array([0.5, 2.0, 3.0]), np.array([0.0, 1.0, 2.0]))
    array([10., 20.,  0.])
    """
    return np.reshape(np.take(np.concatenate((value, np.zeros(1))), bin_numbers(a, edges)), np.shape(a))


def density_weights(value, a, y, edges, weights):
    """The adjoint of the density `y` of a weighted histogram with respect to `weights`.

    >>> density_weights(np.array([1.0, 0.0]), np.array([0.5, 1.5]), np.array([0.25, 0.75]), np.arange(3.0),
    ...                 np.array([1.0, 3.0]))
    array([ 0.1875, -0.0625])
    """
    bins = bin_numbers(a, edges)
    total = np.sum(np.where(bins >= 0, np.ravel(weights), 0.0))
    of_counts = (value / np.diff(edges) - np.sum(value * np.conj(y))) / np.conj(total)
    return np.reshape(np.take(np.concatenate((of_counts, np.zeros(1))), bins), np.shape(a))


def density_tangent(counts_dot, a, y, edges, weights):
    """The tangent of the density `y` of a weighted histogram, given the tangent of the sums of weights in its bins.

    >>> density_tangent(np.array([1.0, 0.0]), np.array([0.5, 1.5]), np.array([0.25, 0.75]), np.arange(3.0),
    ...                 np.array([1.0, 3.0]))
    array([ 0.1875, -0.1875])
    """
    total = np.sum(np.where(bin_numbers(a, edges) >= 0, np.ravel(weights), 0.0))
    return (counts_dot / np.diff(edges) - y * np.sum(counts_dot)) / total


def grid_bins(columns, edges):
    """The flat number of the bin of each sample in a histogram of several dimensions; -1 for samples outside.

    >>> grid_bins([np.array([0.5, 9.0]), np.array([1.5, 0.5])], [np.array([0.0, 1.0]), np.array([0.0, 1.0, 2.0])])
    array([ 1, -1])
    """
    number, inside = 0, True
    for column, edge in zip(columns, edges, strict=True):
        bins = bin_numbers(column, edge)
        number, inside = number * (len(edge) - 1) + bins, inside & (bins >= 0)
    return np.where(inside, number, -1)


def sample_columns(sample):
    """The coordinates of samples, from an array with one row per sample or a sequence of arrays, as `np.histogramdd`.

    >>> sample_columns(np.array([[1.0, 2.0], [3.0, 4.0]]))
    [array([1., 3.]), array([2., 4.])]
    """
    return [*np.atleast_2d(sample.T)] if isinstance(sample, np.ndarray) else [np.asarray(c) for c in sample]


def grid_weights(value, y, columns, edges, weights, density=None):
    """The adjoint of a histogram `y` of several dimensions with respect to the weights of its samples.

    >>> grid_weights(np.array([[10.0, 20.0]]), np.zeros((1, 2)), [np.array([0.5, 9.0]), np.array([1.5, 0.5])],
    ...              [np.array([0.0, 1.0]), np.array([0.0, 1.0, 2.0])], np.ones(2))
    array([20.,  0.])
    """
    bins = grid_bins(columns, edges)
    if density:
        total = np.sum(np.where(bins >= 0, weights, 0.0))
        value = (value / volumes(edges) - np.sum(value * y)) / total
    return np.reshape(np.take(np.append(value, 0.0), bins), np.shape(weights))


def grid_tangent(weights_dot, y, columns, edges, weights, density=None):
    """The tangent of a histogram `y` of several dimensions along its weights.

    >>> grid_tangent(np.array([3.0, 1.0]), np.zeros((1, 2)), [np.array([0.5, 9.0]), np.array([1.5, 0.5])],
    ...              [np.array([0.0, 1.0]), np.array([0.0, 1.0, 2.0])], np.ones(2))
    array([[0., 3.]])
    """
    bins = grid_bins(columns, edges)
    counts_dot = np.reshape(np.bincount(bins[bins >= 0], weights_dot[bins >= 0], np.size(y)), np.shape(y))
    if density:
        total = np.sum(np.where(bins >= 0, weights, 0.0))
        return (counts_dot / volumes(edges) - y * np.sum(counts_dot)) / total
    return counts_dot


def volumes(edges):
    """The volumes of the bins of a histogram of several dimensions.

    >>> volumes([np.array([0.0, 2.0]), np.array([0.0, 1.0, 4.0])])
    array([[2., 6.]])
    """
    product = np.ones(())
    for edge in edges:
        product = np.multiply.outer(product, np.diff(edge))
    return product


def edges_adjoint(y_bar, a, bins=10, range=None):
    """The adjoint of `np.histogram_bin_edges(a, bins, range)`: equal steps from the least element to the greatest.

    >>> edges_adjoint(np.array([1.0, 0.0, 5.0]), np.array([3.0, 1.0, 2.0]), 2)
    array([5., 1., 0.])
    """
    if range is not None or np.ndim(bins):
        return np.zeros(np.shape(a))
    t = unit_steps(len(y_bar))
    least, greatest = extremum_weights(a, np.min(a)), extremum_weights(a, np.max(a))
    return np.sum((1.0 - t) * y_bar) * least + np.sum(t * y_bar) * greatest


def edges_tangent(a_dot, y, a, bins=10, range=None):
    """The tangent of `y = np.histogram_bin_edges(a, bins, range)`.

    >>> edges_tangent(np.array([1.0, 0.0, 9.0]), np.arange(3.0), np.array([3.0, 1.0, 2.0]), 2)
    array([0. , 0.5, 1. ])
    """
    if range is not None or np.ndim(bins):
        return np.zeros(np.shape(y))
    t = unit_steps(len(y))
    least, greatest = extremum_weights(a, np.min(a)), extremum_weights(a, np.max(a))
    return (1.0 - t) * shared(a_dot, least) + t * shared(a_dot, greatest)
