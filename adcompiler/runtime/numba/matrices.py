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
