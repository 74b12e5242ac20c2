"""Sparse matrices that are factorised once for many right sides: `splu` and `factorized` of `scipy.sparse.linalg`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from .matrices import entries_adjoint, sparse_product


class SparseFactors(NamedTuple):
    """What `splu` gives for a matrix of active entries: the factors, and the entries by which it is differentiated."""

    factors: object
    data: np.ndarray
    rows: np.ndarray
    cols: np.ndarray
    shape: tuple

    def solve(self, rhs, trans="N"):
        """The solution of a system with the matrix, its transpose ("T") or its conjugate transpose ("H")."""
        if trans == "N":
            return factor_solution(self.factors, self.data, self.rows, self.cols, self.shape, rhs)
        if trans == "H":
            return factor_solution(self.factors, self.data, self.rows, self.cols, self.shape, rhs, True)
        return np.conj(factor_solution(self.factors, self.data, self.rows, self.cols, self.shape, np.conj(rhs), True))

    def __call__(self, rhs):
        return self.solve(rhs)


def factorised(A):
    """`scipy.sparse.linalg.splu` and `factorized` of a matrix of active entries."""
    return SparseFactors(factors_of(A.data, A.rows, A.cols, A.shape), A.data, A.rows, A.cols, A.shape)


def factors_of(data, rows, cols, shape):
    """The factors of a sparse matrix that is given by its entries.

    >>> factors_of(np.array([2.0]), np.array([0]), np.array([0]), (1, 1)).solve(np.array([3.0])).tolist()
    [1.5]
    """
    return linalg.splu(sparse.csc_matrix((data, (rows, cols)), shape))


def factor_solution(factors, data, rows, cols, shape, b, adjoint=False):
    """The solution of a system with factors of a matrix (or its conjugate transpose) that has these entries."""
    return solved(factors, b, "H" if adjoint else "N")


def solved(factors, b, trans="N"):
    """`factors.solve(b, trans)`, also of complex right sides where the matrix is real.

    >>> solved(linalg.splu(sparse.csc_matrix([[2.0]])), np.array([3.0 + 2.0j])).tolist()
    [(1.5+1j)]
    """
    b = np.asarray(b)
    try:
        return factors.solve(b, trans)
    except TypeError:
        if not np.iscomplexobj(b):
            raise
    real, imaginary = np.ascontiguousarray(b.real), np.ascontiguousarray(b.imag)
    return factors.solve(real, trans) + 1j * factors.solve(imaginary, trans)


def factor_matrix_adjoint(solved, x, rows, cols, adjoint=False):
    """The adjoint of the entries in `factor_solution`, from the solution `x` and that of the adjoint system."""
    if adjoint:
        return -np.conj(entries_adjoint(solved, x, cols, rows))
    return -entries_adjoint(solved, x, rows, cols)


def factor_change(data_dot, rows, cols, shape, x, adjoint=False):
    """The change of the matrix (or of its conjugate transpose) times `x`."""
    if adjoint:
        return sparse_product(np.conj(data_dot), cols, rows, (shape[1], shape[0]), x)
    return sparse_product(data_dot, rows, cols, shape, x)


# ---- factors that carry no derivative ----


def constant_solution(factors, rhs, trans="N"):
    """`splu(A).solve(rhs, trans)`, or `factorized(A)(rhs)`.

    >>> constant_solution(linalg.splu(sparse.csc_matrix([[2.0]])), np.array([3.0])).tolist()
    [1.5]
    """
    return solved(_object(factors), rhs, trans)


def constant_solution_adjoint(x_bar, factors, trans="N"):
    """The adjoint of the right side.

    >>> constant_solution_adjoint(np.array([3.0]), linalg.splu(sparse.csc_matrix([[2.0]]))).tolist()
    [1.5]
    """
    if trans == "T":
        return np.conj(constant_solution(factors, np.conj(x_bar), "N"))
    return constant_solution(factors, x_bar, "H" if trans == "N" else "N")


def _object(factors):
    """The object whose method `factorized` gives; anything else is no factorisation of this kind."""
    found = getattr(factors, "__self__", factors)
    if not isinstance(found, linalg.SuperLU):
        raise TypeError(f"the derivative of a solution by a {type(factors).__name__} is not known; use splu or spsolve")
    return found
