"""Elements of arrays by their place, in compiled code."""

import numpy as np
from numba import njit

from .checks import checked_index


@njit(cache=True)
def check_only(extent):
    """Raise ValueError where an array from which its only element is read has more than one.

    >>> check_only(1)
    """
    if extent != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")


@njit(cache=True)
def put(a, places, values):
    """`np.put(a, places, values)` of vectors: nothing is stored where a place is out of bounds.

    >>> a = np.zeros(4)
    >>> put(a, np.array([0, -1, 2]), np.array([1.0, 2.0]))
    >>> a
    array([1., 0., 1., 2.])
    """
    given = values.copy()  # it may be a part of `a`
    for place in places:
        checked_index(place, a.size)
    if given.size > 0:
        for k in range(places.size):
            a[checked_index(places[k], a.size)] = given[k % given.size]


@njit(cache=True)
def put_values(y_bar, places, size):
    """The adjoint of `values`, of which there are `size`, in `put(y, places, values)`.

    >>> put_values(np.array([7.0, 8.0]), np.array([0, 0]), 2)
    array([0., 7.])
    """
    made = np.zeros(size, y_bar.dtype)
    source = np.full(y_bar.size, -1)
    for k in range(places.size):
        source[checked_index(places[k], y_bar.size)] = k
    for i in range(y_bar.size):
        if source[i] >= 0 and size > 0:
            made[source[i] % size] += y_bar[i]
    return made
