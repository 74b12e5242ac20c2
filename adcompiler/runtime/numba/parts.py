"""Loops whose trips run apart: how they are cut into parts, and what the parts have summed.

The number of parts does not depend on the number of threads, so that sums are the same on every machine.
"""

import numpy as np
from numba import njit

# Numba parallelises the loops marked with `prange`, and nothing else
MARKED_LOOPS = dict.fromkeys(("comprehension", "reduction", "inplace_binop", "setitem", "numpy", "stencil", "fusion"), False)


@njit(cache=True)
def parts_of(trips, most):
    """The number of parts of so many trips.

    >>> parts_of(5, 64), parts_of(1000, 64), parts_of(-3, 64)
    (5, 64, 0)
    """
    return max(0, min(trips, most))


@njit(cache=True)
def part_start(trips, part, parts):
    """The first trip of a part; that of the part behind the last is the number of trips.

    >>> [part_start(10, k, 4) for k in range(5)]
    [0, 2, 5, 7, 10]
    """
    return np.int64(trips) * np.int64(part) // np.int64(parts)


@njit(cache=True)
def zeros_for(number, parts):
    """A zero of the type of `number` for each part.

    >>> zeros_for(1.5, 2)
    array([0., 0.])
    """
    made = np.full(parts, number)
    made[:] = 0
    return made


@njit(cache=True)
def sum_of(sums):
    """The sum of what the parts have summed.

    >>> sum_of(np.array([1.0, 2.0]))
    3.0
    """
    total = sums.dtype.type(0)
    for k in range(sums.size):
        total += sums[k]
    return total


@njit(cache=True)
def zero_arrays_for(array, parts):
    """Zeros of the shape and type of `array` for each part.

    >>> zero_arrays_for(np.ones(2), 3).shape
    (3, 2)
    """
    return np.zeros((parts, *array.shape), array.dtype)


@njit(cache=True)
def add_arrays(array, sums):
    """Add what the parts have summed to `array`.

    >>> x = np.ones(2); add_arrays(x, np.full((3, 2), 2.0)); x
    array([7., 7.])
    """
    for k in range(sums.shape[0]):
        array += sums[k]
