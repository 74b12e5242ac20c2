"""Rules of sorting and searching. Equal elements keep their order: the first of equals takes the lower place."""

import numpy as np

from ..runtime.order import group_ranks, places, ranks, sources
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
