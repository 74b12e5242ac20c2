"""Adjoints and tangents of `np.histogram` with respect to its weights."""

import numpy as np


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
