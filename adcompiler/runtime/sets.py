"""Adjoints and tangents of `np.unique`: each value belongs to all places where it stands, evenly."""

import numpy as np

from .indexing import add_at


def _members(ar, y):
    """For each element of the flat `ar` its number in `y`, and how many elements each number has."""
    order = np.argsort(y, kind="stable")
    number = order[np.searchsorted(y[order], np.ravel(ar))]
    return number, np.maximum(np.bincount(number, minlength=len(y)), 1)


def unique_adjoint(y_bar, ar, y):
    """The adjoint of `y = np.unique(ar)` (in any order): equal elements share.

    >>> unique_adjoint(np.array([1.0, 4.0]), np.array([7.0, 5.0, 7.0]), np.array([5.0, 7.0]))
    array([2., 1., 2.])
    """
    number, counts = _members(ar, y)
    return np.reshape(np.take(y_bar / counts, number), np.shape(ar))


def unique_tangent(ar_dot, ar, y):
    """The tangent of `y = np.unique(ar)` (in any order): the mean over equal elements.

    >>> unique_tangent(np.array([1.0, 9.0, 3.0]), np.array([7.0, 5.0, 7.0]), np.array([5.0, 7.0]))
    array([9., 2.])
    """
    number, counts = _members(ar, y)
    total = np.zeros(len(y), np.result_type(ar_dot, 0.0))
    add_at(total, number, np.ravel(ar_dot))
    return total / counts
