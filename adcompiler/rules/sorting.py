"""Rules of sorting, searching and sets. Equal elements keep their order: the first of equals takes the lower place."""

import numpy as np

from ..runtime.order import group_ranks, places, ranks, sources
from ..runtime.sets import unique_adjoint, unique_tangent
from .registry import inactive, rule


@rule(np.sort)
def sort(a, axis=-1, kind=None, *, stable=None):
    y = np.sort(a, axis=axis, kind=kind, stable=stable)
    a_bar = np.take(y_bar, ranks(a, None)) if axis is None else np.take_along_axis(y_bar, ranks(a, axis), axis)
    y_dot = (
        np.take(a_dot, np.argsort(a, axis=None, kind="stable"))
        if axis is None
        else np.take_along_axis(a_dot, np.argsort(a, axis=axis, kind="stable"), axis)
    )


@rule(np.partition)
def partition(a, kth, axis=-1, kind="introselect"):
    y = np.partition(a, kth, axis=axis, kind=kind)
    a_bar = np.take(y_bar, places(a, y, None)) if axis is None else np.take_along_axis(y_bar, places(a, y, axis), axis)
    y_dot = np.take(a_dot, sources(a, y, None)) if axis is None else np.take_along_axis(a_dot, sources(a, y, axis), axis)


@rule(np.sort_complex)
def sort_complex(a):
    y = np.sort_complex(a)
    a_bar = np.take_along_axis(y_bar, ranks(a, -1), -1)
    y_dot = np.take_along_axis(a_dot + 0j, np.argsort(a, kind="stable"), -1)


# ---- sets: a value that stands several times is shared evenly among its places ----


@rule(np.unique, when={"return_index": False, "return_inverse": False, "return_counts": False, "axis": None})
def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True):
    y = np.unique(ar)
    ar_bar = unique_adjoint(y_bar, ar, y)
    y_dot = unique_tangent(ar_dot, ar, y)


@rule(np.unique, when={"return_index": True, "return_inverse": False, "return_counts": False, "axis": None})
def unique_and_index(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True):
    y, index = np.unique(ar, return_index=True)
    ar_bar = unique_adjoint(y_bar, ar, y)
    y_dot = unique_tangent(ar_dot, ar, y)


@rule(np.unique, when={"return_index": False, "return_inverse": True, "return_counts": False, "axis": None})
def unique_and_inverse(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True):
    y, inverse = np.unique(ar, return_inverse=True)
    ar_bar = unique_adjoint(y_bar, ar, y)
    y_dot = unique_tangent(ar_dot, ar, y)


@rule(np.unique, when={"return_index": False, "return_inverse": False, "return_counts": True, "axis": None})
def unique_and_counts(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True):
    y, counts = np.unique(ar, return_counts=True)
    ar_bar = unique_adjoint(y_bar, ar, y)
    y_dot = unique_tangent(ar_dot, ar, y)


@rule(np.unique_values)
def unique_values(x, /):
    y = np.unique_values(x)
    x_bar = unique_adjoint(y_bar, x, y)
    y_dot = unique_tangent(x_dot, x, y)


@rule(np.union1d)
def union1d(ar1, ar2):
    y = np.union1d(ar1, ar2)
    joined_bar = unique_adjoint(y_bar, np.append(ar1, ar2), y)
    ar1_bar = np.reshape(joined_bar[: np.size(ar1)], np.shape(ar1))
    ar2_bar = np.reshape(joined_bar[np.size(ar1) :], np.shape(ar2))
    y_dot = unique_tangent(np.append(ar1_dot, ar2_dot), np.append(ar1, ar2), y)


inactive(
    np.lexsort,
    np.argsort,
    np.ndarray.argsort,
    np.argpartition,
    np.ndarray.argpartition,
    np.searchsorted,
    np.ndarray.searchsorted,
    np.digitize,
    ranks,
    group_ranks,
    places,
    sources,
)
