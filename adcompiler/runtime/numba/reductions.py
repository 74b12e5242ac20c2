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
def maximum_from(a, initial):
    """`np.max(a, initial=initial)`.

    >>> maximum_from(np.array([1.0, 3.0]), 4.0)
    4.0
    """
    best = initial
    for x in a.flat:
        if x > best or x != x:
            best = x
        if best != best:
            return best
    return best


@njit(cache=True)
def minimum_from(a, initial):
    """`np.min(a, initial=initial)`.

    >>> minimum_from(np.array([1.0, 3.0]), 0.0)
    0.0
    """
    best = initial
    for x in a.flat:
        if x < best or x != x:
            best = x
        if best != best:
            return best
    return best


@njit(cache=True)
def weight_total(total):
    """The sum of the weights of an average. Raises ZeroDivisionError for 0, as NumPy does.

    >>> weight_total(2.0)
    2.0
    """
    if total == 0:
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    return total


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
def running_product_tangent(a_dot, a):
    """The tangent of `np.cumprod(a)` of a vector.

    >>> running_product_tangent(np.ones(3), np.array([2.0, 0.0, 3.0]))
    array([1., 2., 6.])
    """
    made = np.empty(a.size, a.dtype)
    product, change = a.dtype.type(1), a.dtype.type(0)
    for k in range(a.size):
        change = change * a[k] + product * a_dot[k]
        product *= a[k]
        made[k] = change
    return made


@njit(cache=True)
def products_of_others(a):
    """For each element the product of all others.

    >>> products_of_others(np.array([2.0, 0.0, 3.0]))
    array([0., 6., 0.])
    """
    factors, made = a.ravel(), np.empty(a.size, a.dtype)
    product = a.dtype.type(1)
    for k in range(a.size):
        made[k] = product
        product *= factors[k]
    product = a.dtype.type(1)
    for back in range(a.size):
        k = a.size - 1 - back
        made[k] *= product
        product *= factors[k]
    return made.reshape(a.shape)


@njit(cache=True)
def position_of_largest(keys):
    """The position of the first largest key, as `max` chooses it. Raises ValueError for no keys.

    >>> position_of_largest(np.array([1.0, 3.0, 3.0]))
    1
    """
    if keys.size == 0:
        raise ValueError("max() arg is an empty sequence")
    best = 0
    for k in range(keys.size):
        if keys[k] > keys[best]:
            best = k
    return best


@njit(cache=True)
def position_of_smallest(keys):
    """The position of the first smallest key, as `min` chooses it. Raises ValueError for no keys.

    >>> position_of_smallest(np.array([2.0, 1.0, 1.0]))
    1
    """
    if keys.size == 0:
        raise ValueError("min() arg is an empty sequence")
    best = 0
    for k in range(keys.size):
        if keys[k] < keys[best]:
            best = k
    return best
