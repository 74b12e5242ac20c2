"""Reductions in compiled code, of all elements or along the last axis, with NaN as NumPy has it."""

import numpy as np
from numba import njit


@njit(cache=True)
def is_hit(x, extremum):
    """Is an element the extremum? If the extremum is NaN, the NaNs are.

    >>> is_hit(1.0, 1.0)
    True
    """
    return x == extremum or (x != x and extremum != extremum)


@njit(cache=True)
def maximum_of(a):
    """`np.max(a)`. Raises ValueError for an empty array.

    >>> maximum_of(np.array([1.0, 3.0, 2.0]))
    3.0
    """
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation maximum which has no identity")
    first, best = True, a.dtype.type(0)
    for x in a.flat:
        if first or x > best or x != x:
            first, best = False, x
        if best != best:
            return best
    return best


@njit(cache=True)
def minimum_of(a):
    """`np.min(a)`. Raises ValueError for an empty array.

    >>> minimum_of(np.array([1.0, 3.0, 2.0]))
    1.0
    """
    if a.size == 0:
        raise ValueError("zero-size array to reduction operation minimum which has no identity")
    first, best = True, a.dtype.type(0)
    for x in a.flat:
        if first or x < best or x != x:
            first, best = False, x
        if best != best:
            return best
    return best


@njit(cache=True)
def product_of(a):
    """`np.prod(a)`.

    >>> product_of(np.array([2.0, 3.0]))
    6.0
    """
    made = a.dtype.type(1)
    for x in a.flat:
        made *= x
    return made


@njit(cache=True)
def maxima_of_rows(a):
    """`np.max(a, axis=-1)` of a matrix.

    >>> maxima_of_rows(np.array([[1.0, 3.0]]))
    array([3.])
    """
    made = np.empty(a.shape[0], a.dtype)
    for i in range(a.shape[0]):
        made[i] = maximum_of(a[i])
    return made


@njit(cache=True)
def minima_of_rows(a):
    """`np.min(a, axis=-1)` of a matrix.

    >>> minima_of_rows(np.array([[1.0, 3.0]]))
    array([1.])
    """
    made = np.empty(a.shape[0], a.dtype)
    for i in range(a.shape[0]):
        made[i] = minimum_of(a[i])
    return made


@njit(cache=True)
def products_of_rows(a):
    """`np.prod(a, axis=-1)` of a matrix.

    >>> products_of_rows(np.array([[2.0, 3.0]]))
    array([6.])
    """
    made = np.empty(a.shape[0], a.dtype)
    for i in range(a.shape[0]):
        made[i] = product_of(a[i])
    return made


@njit(cache=True)
def running_sum(a):
    """`np.cumsum(a)` of a vector.

    >>> running_sum(np.array([1.0, 2.0]))
    array([1., 3.])
    """
    made = np.empty(a.size, a.dtype)
    total = a.dtype.type(0)
    for k in range(a.size):
        total += a[k]
        made[k] = total
    return made


@njit(cache=True)
def running_sum_from_end(a):
    """Running sums from the last element back to the first.

    >>> running_sum_from_end(np.array([1.0, 2.0]))
    array([3., 2.])
    """
    made = np.empty(a.size, a.dtype)
    total = a.dtype.type(0)
    for back in range(a.size):
        k = a.size - 1 - back
        total += a[k]
        made[k] = total
    return made


# of all elements, and of the rows of a matrix
maxima = (maximum_of, maxima_of_rows)
minima = (minimum_of, minima_of_rows)
products = (product_of, products_of_rows)


@njit(cache=True)
def running_product(a):
    """`np.cumprod(a)` of a vector.

    >>> running_product(np.array([2.0, 3.0]))
    array([2., 6.])
    """
    made = np.empty(a.size, a.dtype)
    product = a.dtype.type(1)
    for k in range(a.size):
        product *= a[k]
        made[k] = product
    return made


@njit(cache=True)
def running_product_adjoint(value, a):
    """The adjoint of `np.cumprod(a)` applied to `value`, by Horner's scheme from the end.

    >>> running_product_adjoint(np.ones(3), np.array([2.0, 0.0, 3.0]))
    array([1., 8., 0.])
    """
    made = np.empty(a.size, a.dtype)
    product = a.dtype.type(1)
    for k in range(a.size):
        made[k] = product
        product *= a[k]
    after = a.dtype.type(0)
    for back in range(a.size):
        k = a.size - 1 - back
        after = value[k] + (a[k + 1] * after if k + 1 < a.size else a.dtype.type(0))
        made[k] *= after
    return made


@njit(cache=True)
def products_of_others(a):
    """For each element of a vector the product of all others.

    >>> products_of_others(np.array([2.0, 0.0, 3.0]))
    array([0., 6., 0.])
    """
    made = np.empty(a.size, a.dtype)
    product = a.dtype.type(1)
    for k in range(a.size):
        made[k] = product
        product *= a[k]
    product = a.dtype.type(1)
    for back in range(a.size):
        k = a.size - 1 - back
        made[k] *= product
        product *= a[k]
    return made
