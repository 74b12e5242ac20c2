"""Functions of NumPy that need no rule because they can be said in the language that the compiler reads.

They call a function of the user, or are made of a few functions that have rules. The compiler walks these in the place
of NumPy's own where a value carries a derivative; each returns what NumPy's returns.
"""

from __future__ import annotations

import numpy as np

from .heaps import HEAPS


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """`np.apply_along_axis`: the results for all lanes along an axis, whose own axes stand in its place.

    >>> apply_along_axis(lambda lane: lane[0] * lane, 0, np.array([[2.0, 3.0], [4.0, 5.0]]))
    array([[ 4.,  9.],
           [ 8., 15.]])
    """
    lanes = np.moveaxis(arr, axis, -1)
    rows = np.reshape(lanes, (-1, lanes.shape[-1]))
    results = np.stack([func1d(row, *args, **kwargs) for row in rows])
    shaped = np.reshape(results, lanes.shape[:-1] + results.shape[1:])
    if results.ndim == 2:
        return np.moveaxis(shaped, -1, axis)
    if results.ndim > 2:
        raise ValueError("np.apply_along_axis of a function that returns an array of several axes has no derivative")
    return shaped


def apply_over_axes(func, a, axes):
    """`np.apply_over_axes`: a reduction along one axis after the other, which keeps the number of axes.

    >>> apply_over_axes(np.sum, np.ones((2, 3)), [0, 1])
    array([[6.]])
    """
    for axis in axes:
        reduced = func(a, axis)
        a = np.expand_dims(reduced, axis) if np.ndim(reduced) < np.ndim(a) else reduced
    return a


def fromfunction(function, shape, *, dtype=float):
    """`np.fromfunction`: the function of the coordinates of every element.

    >>> fromfunction(lambda i, j: i + 10 * j, (2, 2))
    array([[ 0., 10.],
           [ 1., 11.]])
    """
    return function(*np.indices(shape, dtype=dtype))


def piecewise(x, condlist, funclist, *args, **kw):
    """`np.piecewise`: each function where its condition is true, the last of several; a further one elsewhere.

    >>> piecewise(np.array([-2.0, 3.0]), [np.array([True, False])], [lambda t: -t, lambda t: t * t])
    array([2., 9.])
    """
    y = np.zeros_like(x)
    for condition, function in zip(condlist, funclist):  # noqa: B905  there may be one more function
        y[condition] = function(x[condition], *args, **kw) if callable(function) else function
    if len(funclist) > len(condlist):
        function = funclist[-1]
        rest = np.logical_not(np.any(np.stack(condlist), axis=0))
        y[rest] = function(x[rest], *args, **kw) if callable(function) else function
    return y


def polydiv(u, v):
    """`np.polydiv`: quotient and remainder of polynomials.

    >>> polydiv(np.array([1.0, 0.0, -1.0]), np.array([1.0, 1.0]))
    (array([ 1., -1.]), array([0.]))
    """
    m, n = len(u) - 1, len(v) - 1
    q = np.zeros(max(m - n + 1, 1), np.result_type(u, v, 0.0))
    r = np.array(u, np.result_type(u, v, 0.0))
    for k in range(m - n + 1):
        d = r[k] / v[0]
        q[k] = d
        r[k : k + n + 1] -= d * np.asarray(v)
    first = 0
    while np.allclose(r[first], 0, rtol=1e-14) and first < len(r) - 1:
        first += 1
    return q, r[first:]


def setdiff1d(ar1, ar2, assume_unique=False):
    """`np.setdiff1d`: the values of the first array that are not in the second.

    >>> setdiff1d(np.array([3.0, 1.0, 2.0]), np.array([2.0]))
    array([1., 3.])
    """
    values = np.ravel(ar1) if assume_unique else np.unique(ar1)
    return values[np.logical_not(np.isin(values, ar2))]


def setxor1d(ar1, ar2, assume_unique=False):
    """`np.setxor1d`: the values that are in one of the two arrays.

    >>> setxor1d(np.array([3.0, 1.0, 2.0]), np.array([2.0, 5.0]))
    array([1., 3., 5.])
    """
    return np.sort(np.concatenate((setdiff1d(ar1, ar2, assume_unique), setdiff1d(ar2, ar1, assume_unique))))


SOURCES = HEAPS | {
    getattr(np, f.__name__): f
    for f in (
        apply_along_axis,
        apply_over_axes,
        fromfunction,
        piecewise,
        polydiv,
        setdiff1d,
        setxor1d,
    )
}
