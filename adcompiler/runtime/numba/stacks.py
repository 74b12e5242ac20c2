"""Arrays that grow: the tape of compiled code."""

import numpy as np
from numba import njit


@njit(cache=True)
def grown(values):
    """A longer array that starts with `values`.

    >>> grown(np.array([1.0, 2.0]))[:2]
    array([1., 2.])
    """
    longer = np.empty(max(16, 2 * values.size), values.dtype)
    for k in range(values.size):
        longer[k] = values[k]
    return longer


@njit(cache=True)
def with_room(values, count, extra):
    """`values` with room for `extra` numbers behind the first `count`: itself, or a longer array that starts with them.

    >>> with_room(np.array([1.0, 2.0]), 2, 3).size
    5
    """
    needed = np.int64(count) + max(0, extra)
    if needed <= values.size:
        return values
    longer = np.empty(max(2 * values.size, needed), values.dtype)
    for k in range(count):
        longer[k] = values[k]
    return longer
