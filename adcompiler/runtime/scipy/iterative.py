"""Iterative solutions of sparse systems, by `cg`, `gmres` and their kin, as functions of the right side and of the entries.

A derivative is that of the exact solution, wherever the iteration starts: the adjoint system, and the system for the
tangent, are solved by the same method to the same tolerances, which are those of the derivative. Of an iteration that was
stopped before them there is none.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

_HERMITIAN = ("cg", "minres")  # for matrices that are their own adjoints


def cg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    """`scipy.sparse.linalg.cg` of a matrix of active entries."""
    options = {"rtol": rtol, "atol": atol, "maxiter": maxiter}
    return iterative_solution("cg", A.data, A.rows, A.cols, A.shape, b, x0, options, M, callback)


def minres(A, b, x0=None, *, rtol=1e-5, maxiter=None, M=None, callback=None):
    """`scipy.sparse.linalg.minres` of a matrix of active entries."""
    options = {"rtol": rtol, "maxiter": maxiter}
    return iterative_solution("minres", A.data, A.rows, A.cols, A.shape, b, x0, options, M, callback)


def bicgstab(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    """`scipy.sparse.linalg.bicgstab` of a matrix of active entries."""
    options = {"rtol": rtol, "atol": atol, "maxiter": maxiter}
    return iterative_solution("bicgstab", A.data, A.rows, A.cols, A.shape, b, x0, options, M, callback)


def gmres(A, b, x0=None, *, rtol=1e-5, atol=0.0, restart=None, maxiter=None, M=None, callback=None):
    """`scipy.sparse.linalg.gmres` of a matrix of active entries."""
    options = {"rtol": rtol, "atol": atol, "restart": restart, "maxiter": maxiter}
    return iterative_solution("gmres", A.data, A.rows, A.cols, A.shape, b, x0, options, M, callback)


def iterative_solution(method, data, rows, cols, shape, b, x0=None, options=None, M=None, callback=None):
    """The solution by a method of `scipy.sparse.linalg` for a matrix by its entries, and the method's flag.

    >>> iterative_solution("cg", np.array([2.0]), np.array([0]), np.array([0]), (1, 1), np.array([3.0]))
    (array([1.5]), 0)
    """
    A = sparse.csr_matrix((data, (rows, cols)), shape)
    return getattr(linalg, method)(A, b, x0, M=M, callback=callback, **(options or {}))


def entries_solution(method, data, rows, cols, shape, b, info=0, options=None, M=None, adjoint=False):
    """The same for the system (or the adjoint one) of a derivative; RuntimeError if the tolerances are not met.

    >>> entries_solution("cg", np.array([2.0]), np.array([0]), np.array([0]), (1, 1), np.array([3.0])).tolist()
    [1.5]
    """
    return solution_by(method, sparse.csr_matrix((data, (rows, cols)), shape), b, info, options, M, adjoint)


def solution_by(method, A, b, info=0, options=None, M=None, adjoint=False):
    """The solution for a right side of a derivative; `info` is the flag of the solution that is differentiated.

    Raises RuntimeError if either method has not got to its tolerances.

    >>> solution_by("gmres", np.array([[2.0, 1.0], [0.0, 2.0]]), np.array([2.0, 0.0]), adjoint=True).round(9).tolist()
    [1.0, -0.5]
    """
    if info != 0:
        raise RuntimeError(f"{method} did not get to its tolerances (info = {info}): the solution has no derivative; {_HINT}")
    if adjoint and method not in _HERMITIAN:
        A, M = _adjoint(A), _adjoint(M) if _has_adjoint(M) else None
    x, flag = getattr(linalg, method)(A, np.ravel(b), M=M, **(options or {}))
    if flag != 0:
        raise RuntimeError(f"{method} did not solve the system of the derivative (info = {flag}); {_HINT}")
    return np.reshape(x, np.shape(b))


_HINT = "raise maxiter, give a preconditioner M, or use spsolve"


def _adjoint(matrix):
    if not _has_adjoint(matrix):
        raise TypeError("the derivative needs the adjoint of the linear operator; make it with rmatvec=")
    return matrix.H if isinstance(matrix, linalg.LinearOperator) else matrix.conj().T


def _has_adjoint(matrix):
    """Has it one? Operators are asked by a product, as SciPy tells only there; a missing preconditioner has none."""
    if not isinstance(matrix, linalg.LinearOperator):
        return matrix is not None
    try:
        matrix.rmatvec(np.zeros(matrix.shape[0]))
    except (NotImplementedError, TypeError):
        return False
    return True
