"""Distances of scipy.spatial.distance in NumPy, as they are differentiated. That of a point to itself has slope 0."""

from __future__ import annotations

import numpy as np

from ...errors import UnsupportedSyntaxError


def between_sets(XA, XB, metric="euclidean", *, out=None, p=2, w=None):
    """`scipy.spatial.distance.cdist`.

    >>> between_sets(np.zeros((1, 2)), np.array([[3.0, 4.0], [0.0, 1.0]])).tolist()
    [[5.0, 1.0]]
    """
    demand_plain("cdist", out, w)
    XA, XB = np.asarray(XA), np.asarray(XB)
    if metric == "cosine":
        return 1.0 - (XA @ XB.T) / (np.linalg.norm(XA, axis=1)[:, np.newaxis] * np.linalg.norm(XB, axis=1))
    return lengths(XA[:, np.newaxis, :] - XB[np.newaxis, :, :], metric, p)


def within_set(X, metric="euclidean", *, out=None, p=2, w=None):
    """`scipy.spatial.distance.pdist`.

    >>> within_set(np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]), "cityblock").tolist()
    [7.0, 1.0, 6.0]
    """
    demand_plain("pdist", out, w)
    X = np.asarray(X)
    rows, columns = np.triu_indices(X.shape[0], 1)
    if metric == "cosine":
        sizes = np.linalg.norm(X, axis=1)
        return 1.0 - np.sum(X[rows] * X[columns], axis=1) / (sizes[rows] * sizes[columns])
    return lengths(X[rows] - X[columns], metric, p)


def lengths(difference, metric, p=2):
    """The lengths of vectors along the last axis.

    >>> lengths(np.array([[3.0, -4.0]]), "chebyshev").tolist()
    [4.0]
    """
    if metric == "euclidean":
        return np.linalg.norm(difference, axis=-1)
    if metric == "sqeuclidean":
        return np.sum(difference**2, axis=-1)
    if metric == "cityblock":
        return np.sum(np.abs(difference), axis=-1)
    if metric == "chebyshev":
        return np.max(np.abs(difference), axis=-1)
    if metric == "minkowski":
        return np.linalg.norm(difference, p, axis=-1)
    raise UnsupportedSyntaxError(
        f"the metric {metric!r} of scipy.spatial.distance has no derivative here",
        hint="'euclidean', 'sqeuclidean', 'cityblock', 'chebyshev', 'minkowski' and 'cosine' have one; or write it in NumPy, "
        "of XA[:, np.newaxis] - XB",
    )


def demand_plain(name, out, w):
    """Refuse forms that are not differentiated.

    >>> demand_plain("cdist", None, None)
    """
    if out is not None or w is not None:
        raise UnsupportedSyntaxError(
            f"scipy.spatial.distance.{name} has a derivative without out= and w=",
            hint="multiply the coordinates by the roots of the weights",
        )


def square_form(X, force="no", checks=True):
    """`scipy.spatial.distance.squareform`.

    >>> square_form(np.array([1.0, 2.0, 3.0])).tolist()
    [[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]]
    """
    if np.ndim(X) == 2:
        rows, columns = np.triu_indices(np.shape(X)[0], 1)
        return X[rows, columns]
    size = int(np.ceil(np.sqrt(2.0 * np.size(X))))
    rows, columns = np.triu_indices(max(size, 1), 1)
    half = np.zeros((max(size, 1), max(size, 1)))
    half[rows, columns] = X
    return half + half.T


def euclidean(u, v, w=None):
    """`scipy.spatial.distance.euclidean`.

    >>> float(euclidean(np.array([3.0, 0.0]), np.array([0.0, 4.0])))
    5.0
    """
    demand_plain("euclidean", None, w)
    return np.linalg.norm(np.asarray(u) - np.asarray(v))


def squared_euclidean(u, v, w=None):
    """`scipy.spatial.distance.sqeuclidean`.

    >>> float(squared_euclidean(np.array([3.0, 0.0]), np.array([0.0, 4.0])))
    25.0
    """
    demand_plain("sqeuclidean", None, w)
    return np.sum((np.asarray(u) - np.asarray(v)) ** 2)


def city_block(u, v, w=None):
    """`scipy.spatial.distance.cityblock`.

    >>> float(city_block(np.array([3.0, 0.0]), np.array([0.0, 4.0])))
    7.0
    """
    demand_plain("cityblock", None, w)
    return np.sum(np.abs(np.asarray(u) - np.asarray(v)))


def cosine(u, v, w=None):
    """`scipy.spatial.distance.cosine`.

    >>> float(cosine(np.array([3.0, 0.0]), np.array([0.0, 4.0])))
    1.0
    """
    demand_plain("cosine", None, w)
    u, v = np.asarray(u), np.asarray(v)
    return 1.0 - np.dot(u, v) / (np.linalg.norm(u) * np.linalg.norm(v))
