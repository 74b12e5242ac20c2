"""Textbook factorisations: loops over rows and columns, products of slices, the matrix overwritten by its factors."""
import numpy as np

from ..harness import Case


def lu(A):
    """Doolittle without pivoting, row by row; both factors in A."""
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return np.sum(A)


def cholesky(A):
    """The lower factor in the lower triangle of A; the rest is left alone."""
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[j, :j]
            A[i, j] /= A[j, j]
        A[i, i] -= A[i, :i] @ A[i, :i]
        A[i, i] = np.sqrt(A[i, i])
    return np.sum(A)


def gramschmidt(A):
    """Modified Gram-Schmidt: the columns of A become orthogonal, R holds the coefficients."""
    n = A.shape[1]
    Q = np.zeros_like(A)
    R = np.zeros((n, n))
    for k in range(n):
        R[k, k] = np.sqrt(A[:, k] @ A[:, k])
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, n):
            R[k, j] = Q[:, k] @ A[:, j]
            A[:, j] -= Q[:, k] * R[k, j]
    return np.sum(R) + np.sum(Q)


def dominant(n=50):
    return (np.random.default_rng(0).standard_normal((n, n)) + 2.0 * n * np.eye(n),)


def positive(n=50):
    M = np.random.default_rng(0).standard_normal((n, n))
    return (M @ M.T + n * np.eye(n),)


CASES = (
    Case("lu", lu, dominant, mutates=(0,)),
    Case("cholesky", cholesky, positive, mutates=(0,)),
    Case("gramschmidt", gramschmidt, dominant, mutates=(0,)),
)
