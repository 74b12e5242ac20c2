"""Matrices in compiled code."""

import numpy as np
from numba import njit


@njit(cache=True)
def cofactors(a):
    """The matrix of cofactors: the derivative of the determinant, also where the matrix is singular.

    >>> cofactors(np.array([[1.0, 2.0], [2.0, 4.0]])).round(12) + 0.0
    array([[ 4., -2.],
           [-2.,  1.]])
    """
    n = a.shape[0]
    determinant = np.linalg.det(a)
    if determinant != 0:
        return determinant * np.ascontiguousarray(np.linalg.inv(a).T)
    made = np.empty((n, n), a.dtype)
    minor = np.empty((n - 1, n - 1), a.dtype)
    for i in range(n):
        for j in range(n):
            for p in range(n - 1):
                for q in range(n - 1):
                    minor[p, q] = a[p + (p >= i), q + (q >= j)]
            made[i, j] = (1.0 - 2.0 * ((i + j) % 2)) * np.linalg.det(minor)
    return made


@njit(cache=True)
def with_diagonal(a, values):
    """A copy of a matrix with other numbers on its diagonal, which begin again where they are too few.

    >>> with_diagonal(np.zeros((2, 3)), np.array([5.0]))
    array([[5., 0., 0.],
           [0., 5., 0.]])
    """
    made = np.empty((a.shape[0], a.shape[1]), a.dtype)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            made[i, j] = a[i, j]
    count = min(a.shape[0], a.shape[1])
    if count > 0 and values.size == 0:
        raise ValueError("a diagonal needs at least one number")
    for i in range(count):
        made[i, i] = values[i % values.size]
    return made


@njit(cache=True)
def diagonal_values(y_bar, size):
    """The adjoint of `values` in `y = with_diagonal(a, values)`, of which there are `size`.

    >>> diagonal_values(np.array([[1.0, 2.0], [3.0, 4.0]]), 1)
    array([5.])
    """
    made = np.zeros(size, y_bar.dtype)
    for i in range(min(y_bar.shape[0], y_bar.shape[1])):
        made[i % size] += y_bar[i, i]
    return made
