"""Products with matrices in compiled code: in loops where a call of the library takes longer than the whole product.

A call costs about 0.14 us. The sizes below which loops are quicker were measured with OpenBLAS on one thread; for
matrices of about that size both take as long.
"""

import numpy as np
from numba import njit

from .scalars import added

_ELEMENTS = 2048  # of a matrix that meets a vector
_PRODUCTS = 216  # of numbers, in a product of two matrices


@njit(cache=True)
def matrix_vector(a, x):
    """`a @ x` of arrays of float64.

    >>> matrix_vector(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 10.0]))
    array([21., 43.])
    """
    rows, columns = a.shape
    if columns != x.shape[0] or rows * columns > _ELEMENTS or not a.flags.c_contiguous:
        return np.dot(a, x)
    made = np.empty(rows)
    for i in range(rows):
        total = 0.0
        for j in range(columns):
            total = added(total, a[i, j] * x[j])
        made[i] = total
    return made


@njit(cache=True)
def vector_matrix(x, a):
    """`x @ a` of arrays of float64.

    >>> vector_matrix(np.array([1.0, 10.0]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([31., 42.])
    """
    rows, columns = a.shape
    if rows != x.shape[0] or rows * columns > _ELEMENTS or not a.flags.c_contiguous:
        return np.dot(x, a)
    made = np.zeros(columns)
    for i in range(rows):
        for j in range(columns):
            made[j] += x[i] * a[i, j]
    return made


@njit(cache=True)
def matrix_matrix(a, b):
    """`a @ b` of arrays of float64.

    >>> matrix_matrix(np.array([[1.0, 2.0]]), np.array([[1.0, 10.0], [0.0, 1.0]]))
    array([[ 1., 12.]])
    """
    rows, inner, columns = a.shape[0], a.shape[1], b.shape[1]
    if inner != b.shape[0] or rows * inner * columns > _PRODUCTS:
        return np.dot(a, b)
    made = np.zeros((rows, columns))
    for i in range(rows):
        for k in range(inner):
            for j in range(columns):
                made[i, j] += a[i, k] * b[k, j]
    return made
