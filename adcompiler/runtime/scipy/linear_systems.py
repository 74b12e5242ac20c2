"""Adjoints and tangents of SciPy's linear systems, in which a matrix may have a structure or be factorised before.

Of a matrix with a structure SciPy reads a part; the adjoint of an entry that it does not read is zero. `H` stands for
the conjugate transpose. Stacks of matrices are allowed everywhere.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from ..products import ctranspose, sum_to

_SYMMETRIC = ("sym", "symmetric")
_HERMITIAN = ("her", "hermitian", "pos", "positive definite")


def effective_matrix(a, lower=False, assume_a=None):
    """The matrix that `scipy.linalg.solve(a, b, lower, assume_a=assume_a)` takes from the entries that it reads.

    >>> effective_matrix(np.array([[1.0, 2.0], [9.0, 3.0]]), False, "sym").tolist()
    [[1.0, 2.0], [2.0, 3.0]]
    """
    if assume_a in _SYMMETRIC or assume_a in _HERMITIAN:
        half = np.tril(a, -1) if lower else np.triu(a, 1)
        mirrored = np.swapaxes(half, -1, -2) if assume_a in _SYMMETRIC else ctranspose(half)
        diagonal = a * np.eye(np.shape(a)[-1])
        return half + mirrored + (diagonal if assume_a in _SYMMETRIC else diagonal.real)
    return _kept(a, assume_a)


def effective_adjoint(g, lower=False, assume_a=None):
    """The adjoint of the entries that are read, from that of the effective matrix; the transpose of the map above.

    >>> effective_adjoint(np.array([[1.0, 2.0], [9.0, 3.0]]), False, "sym").tolist()
    [[1.0, 11.0], [0.0, 3.0]]
    """
    if assume_a in _SYMMETRIC or assume_a in _HERMITIAN:
        full = g + (np.swapaxes(g, -1, -2) if assume_a in _SYMMETRIC else ctranspose(g))
        return (np.tril(full) if lower else np.triu(full)) - 0.5 * full * np.eye(np.shape(g)[-1])
    return _kept(g, assume_a)


def _kept(a, assume_a):
    if assume_a == "diagonal":
        return a * np.eye(np.shape(a)[-1])
    if assume_a == "tridiagonal":
        return np.triu(np.tril(a, 1), -1)
    if assume_a == "upper triangular":
        return np.triu(a)
    return np.tril(a) if assume_a == "lower triangular" else a


def times(a, x, rank):
    """`a @ x`, where x has columns, or is a vector for each matrix if `rank`, that of the right side, is 1.

    >>> times(np.eye(2), np.ones(2), 1).tolist()
    [1.0, 1.0]
    """
    return (a @ x[..., np.newaxis])[..., 0] if rank == 1 else a @ x


def outer(s, x, rank):
    """`s x^H` for columns, or for a vector for each matrix if `rank` is 1.

    >>> outer(np.ones(1), np.array([2.0]), 1).tolist()
    [[2.0]]
    """
    return s[..., np.newaxis] * np.conj(x)[..., np.newaxis, :] if rank == 1 else s @ ctranspose(x)


def solve_adjoint(x_bar, a, rank, lower=False, assume_a=None, transposed=False):
    """`A^-H x_bar`, where A is the effective matrix, or its transpose.

    >>> solve_adjoint(np.ones(2), np.diag([2.0, 4.0]), 1).tolist()
    [0.5, 0.25]
    """
    whole = effective_matrix(a, lower, assume_a)
    symmetric = assume_a in _SYMMETRIC or assume_a in _HERMITIAN
    whole = np.conj(whole) if transposed or assume_a in _SYMMETRIC else whole if symmetric else ctranspose(whole)
    if rank == 1:
        return _solve(whole, x_bar[..., np.newaxis], assume_a if symmetric else None)[..., 0]
    return _solve(whole, x_bar, assume_a if symmetric else None)


def _solve(a, b, assume_a):
    return np.linalg.solve(a, b) if assume_a is None else linalg.solve(a, b, assume_a=assume_a)


def solve_matrix_adjoint(solved, x, a, rank, lower=False, assume_a=None, transposed=False):
    """The adjoint of the entries of `a`, with `solved = A^-H x_bar`.

    >>> solve_matrix_adjoint(np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.eye(2), 1).tolist()
    [[-3.0, -4.0], [-6.0, -8.0]]
    """
    g = -outer(solved, x, rank)
    if g.shape[-2:] != np.shape(a)[-2:]:
        raise ValueError(
            f"scipy.linalg.solve of a matrix of shape {np.shape(a)} and {g.shape[-1]} equations has no adjoint"
        )
    g = np.swapaxes(g, -1, -2) if transposed else g
    return sum_to(effective_adjoint(g, lower, assume_a), np.shape(a))


def solve_tangent(a_dot, b_dot, a, x, rank, lower=False, assume_a=None, transposed=False):
    """The tangent `A^-1 (b_dot - A_dot x)` of `x = scipy.linalg.solve(a, b, ...)`.

    >>> solve_tangent(np.eye(2), np.ones(2), np.diag([2.0, 4.0]), np.array([1.0, 3.0]), 1).tolist()
    [0.0, -0.5]
    """
    change = effective_matrix(a_dot, lower, assume_a)
    right = b_dot - times(np.swapaxes(change, -1, -2) if transposed else change, x, rank)
    if rank == 1:
        return linalg.solve(a, right[..., np.newaxis], lower, assume_a=assume_a, transposed=transposed)[..., 0]
    return linalg.solve(a, right, lower, assume_a=assume_a, transposed=transposed)


def demand_one(a):
    """A single matrix as it is; a stack is refused.

    >>> demand_one(np.eye(1)).tolist()
    [[1.0]]
    """
    if np.ndim(a) != 2:
        raise ValueError(f"the derivative is that of one matrix, not of a stack of shape {np.shape(a)}")
    return a


# ---- triangular matrices ----


def triangle(a, lower=False, unit_diagonal=False):
    """The entries of a triangular matrix that are read.

    >>> triangle(np.ones((2, 2)), True, True).tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    beside = 1 if unit_diagonal else 0
    return np.tril(a, -beside) if lower else np.triu(a, beside)


def operated(a, trans):
    """The matrix of the system: `a`, its transpose (1, "T") or its conjugate transpose (2, "C").

    >>> operated(np.array([[1j, 2.0]]), "C").tolist()
    [[-1j], [(2-0j)]]
    """
    return np.swapaxes(a, -1, -2) if trans in (1, "T") else ctranspose(a) if trans in (2, "C") else a


def _adjoint_system(a, trans):
    """A matrix and a `trans` whose system is the conjugate transpose of the given one."""
    return (np.conj(a), 0) if trans in (1, "T") else (a, 0 if trans in (2, "C") else 2)


def solve_triangular_adjoint(x_bar, a, trans=0, lower=False, unit_diagonal=False):
    """The adjoint of `b` in `x = scipy.linalg.solve_triangular(a, b, trans, lower, unit_diagonal)`.

    >>> solve_triangular_adjoint(np.ones(1), np.array([[2.0]])).tolist()
    [0.5]
    """
    matrix, operation = _adjoint_system(a, trans)
    return linalg.solve_triangular(matrix, x_bar, operation, lower, unit_diagonal)


def solve_triangular_matrix_adjoint(solved, x, rank, trans=0, lower=False, unit_diagonal=False):
    """The adjoint of the triangle of `a` that is read, with `solved` the adjoint of `b`.

    >>> solve_triangular_matrix_adjoint(np.ones(1), np.ones(1), 1).tolist()
    [[-1.0]]
    """
    return triangle(operated(-outer(solved, x, rank), trans), lower, unit_diagonal)


def solve_triangular_tangent(a_dot, b_dot, a, x, rank, trans=0, lower=False, unit_diagonal=False):
    """The tangent of `x = scipy.linalg.solve_triangular(a, b, trans, lower, unit_diagonal)`.

    >>> solve_triangular_tangent(np.zeros((1, 1)), np.ones(1), np.array([[2.0]]), np.ones(1), 1).tolist()
    [0.5]
    """
    change = operated(triangle(a_dot, lower, unit_diagonal), trans)
    return linalg.solve_triangular(a, b_dot - times(change, x, rank), trans, lower, unit_diagonal)


# ---- factorised matrices ----


def permuted(b, piv):
    """The rows of `b` exchanged as the pivots of `lu_factor` say.

    >>> permuted(np.array([1.0, 2.0]), np.array([1, 1])).tolist()
    [2.0, 1.0]
    """
    return b[_order(piv)]


def permuted_back(b, piv):
    """The inverse of `permuted`.

    >>> permuted_back(permuted(np.arange(3), np.array([2, 2, 2])), np.array([2, 2, 2])).tolist()
    [0, 1, 2]
    """
    return b[np.argsort(_order(piv))]


def _order(piv):
    order = list(range(len(piv)))
    for k in range(len(piv)):
        other = int(piv[k])
        order[k], order[other] = order[other], order[k]
    return np.array(order, int)


def lu_adjoint(l_bar, u_bar, l, u):
    """The adjoint of a square matrix `L U`: `L^-H (tril(L^H L_bar, -1) + triu(U_bar U^H)) U^-H`.

    >>> lu_adjoint(np.zeros((1, 1)), np.ones((1, 1)), np.eye(1), np.array([[2.0]])).tolist()
    [[1.0]]
    """
    if np.ndim(l) != 2 or np.shape(l) != np.shape(u):
        raise ValueError(
            f"an LU decomposition has a derivative for one square matrix, not for {l.shape} times {u.shape}"
        )
    core = np.tril(ctranspose(l) @ l_bar, -1) + np.triu(u_bar @ ctranspose(u))
    left = linalg.solve_triangular(l, core, trans=2, lower=True, unit_diagonal=True)
    return ctranspose(linalg.solve_triangular(u, ctranspose(left)))


def lu_tangents(a_dot, l, u):
    """The tangents of the factors of a square matrix `L U`: with `X = L^-1 A_dot U^-1`, L times the strict lower
    triangle of X, and the upper triangle of X times U.

    >>> [t.tolist() for t in lu_tangents(np.ones((1, 1)), np.eye(1), np.array([[2.0]]))]
    [[[0.0]], [[1.0]]]
    """
    if np.ndim(l) != 2 or np.shape(l) != np.shape(u):
        raise ValueError(
            f"an LU decomposition has a derivative for one square matrix, not for {l.shape} times {u.shape}"
        )
    left = linalg.solve_triangular(l, a_dot, lower=True, unit_diagonal=True)
    x = linalg.solve_triangular(u, left.T, trans=1).T
    return l @ np.tril(x, -1), np.triu(x) @ u


def lu_factor_adjoint(lu_bar, lu, piv):
    """The adjoint of a square `a` in `lu, piv = scipy.linalg.lu_factor(a)`.

    >>> lu_factor_adjoint(np.ones((1, 1)), np.array([[2.0]]), np.array([0])).tolist()
    [[1.0]]
    """
    l, u = lu_parts(lu)
    return permuted_back(lu_adjoint(np.tril(lu_bar, -1), np.triu(lu_bar), l, u), piv)


def lu_factor_tangent(a_dot, lu, piv):
    """The tangent of the first result of `lu, piv = scipy.linalg.lu_factor(a)`, for a square `a`.

    >>> lu_factor_tangent(np.ones((1, 1)), np.array([[2.0]]), np.array([0])).tolist()
    [[1.0]]
    """
    l, u = lu_parts(lu)
    l_dot, u_dot = lu_tangents(permuted(a_dot, piv), l, u)
    return l_dot + u_dot


def lu_parts(lu):
    """The factors L and U of a square matrix that `lu_factor` stores in one.

    >>> [f.tolist() for f in lu_parts(np.array([[2.0]]))]
    [[[1.0]], [[2.0]]]
    """
    if np.ndim(lu) != 2 or lu.shape[0] != lu.shape[1]:
        raise ValueError(f"an LU decomposition has a derivative for one square matrix, not for shape {np.shape(lu)}")
    return np.tril(lu, -1) + np.eye(len(lu)), np.triu(lu)


def lu_solve_adjoint(x_bar, lu, piv, trans=0):
    """The adjoint of `b` in `x = scipy.linalg.lu_solve((lu, piv), b, trans)`.

    >>> lu_solve_adjoint(np.ones(1), np.array([[2.0]]), np.array([0])).tolist()
    [0.5]
    """
    matrix, operation = _adjoint_system(lu, trans)
    return linalg.lu_solve((matrix, piv), x_bar, operation)


def lu_solve_matrix_adjoint(solved, x, lu, piv, rank, trans=0):
    """The adjoint of `lu` in `x = scipy.linalg.lu_solve((lu, piv), b, trans)`, with `solved` the adjoint of `b`.

    The adjoint of `P A = L U` is `G = -solved x^H` (transposed as the system is) with its rows exchanged, so that
    `L_bar = G U^H` and `U_bar = L^H G`.

    >>> lu_solve_matrix_adjoint(np.ones(1), np.ones(1), np.array([[2.0]]), np.array([0]), 1).tolist()
    [[-1.0]]
    """
    g = permuted(operated(-outer(solved, x, rank), trans), piv)
    l, u = lu_parts(lu)
    return np.tril(g @ ctranspose(u), -1) + np.triu(ctranspose(l) @ g)


def lu_solve_tangent(lu_dot, b_dot, x, lu, piv, rank, trans=0):
    """The tangent of `x = scipy.linalg.lu_solve((lu, piv), b, trans)`.

    >>> lu_solve_tangent(np.zeros((1, 1)), np.ones(1), np.ones(1), np.array([[2.0]]), np.array([0]), 1).tolist()
    [0.5]
    """
    l, u = lu_parts(lu)
    change = permuted_back(np.tril(lu_dot, -1) @ u + l @ np.triu(lu_dot), piv)
    return linalg.lu_solve((lu, piv), b_dot - times(operated(change, trans), x, rank), trans)


def cho_solve_matrix_adjoint(solved, x, c, lower, rank):
    """The adjoint of the triangle `c` in `x = scipy.linalg.cho_solve((c, lower), b)`, with `solved` the adjoint of `b`.

    >>> cho_solve_matrix_adjoint(np.ones(1), np.ones(1), np.array([[2.0]]), True, 1).tolist()
    [[-4.0]]
    """
    g = -outer(solved, x, rank)
    g = g + ctranspose(g)
    return np.tril(g @ np.tril(c)) if lower else np.triu(np.triu(c) @ g)


def cho_solve_tangent(c_dot, b_dot, x, c, lower, rank):
    """The tangent of `x = scipy.linalg.cho_solve((c, lower), b)`.

    >>> cho_solve_tangent(np.ones((1, 1)), np.zeros(1), np.ones(1), np.array([[2.0]]), True, 1).tolist()
    [-1.0]
    """
    c, c_dot = (np.tril(c), np.tril(c_dot)) if lower else (np.triu(c), np.triu(c_dot))
    change = c_dot @ ctranspose(c) if lower else ctranspose(c_dot) @ c
    return linalg.cho_solve((c, lower), b_dot - times(change + ctranspose(change), x, rank))


# ---- banded matrices ----


def transposed_bands(ab, l, u):
    """The bands of the conjugate transpose, with `u` diagonals below and `l` above the main one.

    >>> transposed_bands(np.array([[0.0, 2.0], [1.0, 4.0], [3.0, 0.0]]), 1, 1).tolist()
    [[0.0, 3.0], [1.0, 4.0], [2.0, 0.0]]
    """
    n = np.shape(ab)[-1]
    out = np.zeros((l + u + 1, n), np.result_type(ab))
    for k in range(-l, u + 1):
        start, length = max(k, 0), n - abs(k)
        if length > 0:
            out[l + k, max(-k, 0) : max(-k, 0) + length] = np.conj(ab[u - k, start : start + length])
    return out


def solve_banded_adjoint(x_bar, ab, l, u):
    """The adjoint of `b` in `x = scipy.linalg.solve_banded((l, u), ab, b)`.

    >>> solve_banded_adjoint(np.ones(1), np.array([[2.0]]), 0, 0).tolist()
    [0.5]
    """
    return linalg.solve_banded((u, l), transposed_bands(ab, l, u), x_bar)


def solve_banded_matrix_adjoint(solved, x, l, u):
    """The adjoint of the bands in `x = scipy.linalg.solve_banded((l, u), ab, b)`, without a full matrix.

    >>> solve_banded_matrix_adjoint(np.ones(1), np.ones(1), 0, 0).tolist()
    [[-1.0]]
    """
    n = len(x)
    bands = np.zeros((l + u + 1, n), np.result_type(solved, x))
    for k in range(-l, u + 1):
        rows, columns = slice(max(-k, 0), n - max(k, 0)), slice(max(k, 0), n - max(-k, 0))
        if n > abs(k):
            product = solved[rows] * np.conj(x[columns])
            bands[u - k, columns] = -(product if product.ndim == 1 else np.sum(product, axis=1))
    return bands


def solve_banded_tangent(ab_dot, b_dot, x, ab, l, u):
    """The tangent of `x = scipy.linalg.solve_banded((l, u), ab, b)`.

    >>> solve_banded_tangent(np.ones((1, 1)), np.zeros(1), np.ones(1), np.array([[2.0]]), 0, 0).tolist()
    [-0.5]
    """
    n = len(x)
    right = np.array(np.broadcast_to(b_dot, np.shape(x)), np.result_type(b_dot, ab_dot, x))
    for k in range(-l, u + 1):
        rows, columns = slice(max(-k, 0), n - max(k, 0)), slice(max(k, 0), n - max(-k, 0))
        if n > abs(k):
            band = ab_dot[u - k, columns]
            right[rows] = right[rows] - (band if x.ndim == 1 else band[:, np.newaxis]) * x[columns]
    return linalg.solve_banded((l, u), ab, right)


# ---- Toeplitz matrices ----


def toeplitz_sums(g, first=0):
    """The sums over the diagonals of a matrix at and below the main one; those above it for its transpose.

    >>> toeplitz_sums(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [5.0, 3.0]
    """
    if np.ndim(g) != 2:
        raise ValueError(f"a Toeplitz matrix has a derivative for one column, not for a stack of shape {np.shape(g)}")
    sums = [np.trace(g, -k) for k in range(np.shape(g)[0])]
    return np.array([0.0 * sums[0]] * first + sums[first:]) if sums else np.zeros(0)


def circulant_adjoint(y_bar, shape):
    """The adjoint of `c`, of this shape, in `scipy.linalg.circulant(c)`: the sums along the wrapped diagonals.

    >>> circulant_adjoint(np.array([[1.0, 2.0], [3.0, 4.0]]), (2,)).tolist()
    [5.0, 5.0]
    """
    n = np.shape(y_bar)[-1]
    sums = [np.sum(np.diagonal(np.roll(y_bar, -k, -2), 0, -2, -1), axis=-1) for k in range(n)]
    return np.reshape(np.stack(sums, axis=-1), shape)


def toeplitz_column_adjoint(g, mirrored):
    """The adjoint of `c` in `scipy.linalg.toeplitz(c, r)`; `mirrored` says that the row is `conj(c)`.

    >>> toeplitz_column_adjoint(np.array([[1.0, 2.0], [3.0, 4.0]]), True).tolist()
    [5.0, 5.0]
    """
    sums = toeplitz_sums(g)
    if not mirrored:
        return sums
    return sums + np.conj(toeplitz_sums(np.swapaxes(g, 0, 1), first=1))


def hankel_sums(g):
    """The sums over the lines `i + j = k` of a matrix.

    >>> hankel_sums(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [1.0, 5.0, 4.0]
    """
    if np.ndim(g) != 2:
        raise ValueError(f"a Hankel matrix has a derivative for one column, not for a stack of shape {np.shape(g)}")
    rows, columns = np.shape(g)
    return np.array([np.trace(g[::-1], k) for k in range(1 - rows, columns)])


def solve_toeplitz_adjoint(x_bar, c, r=None):
    """The adjoint of `b` in `x = scipy.linalg.solve_toeplitz((c, r), b)`.

    >>> solve_toeplitz_adjoint(np.ones(1), np.array([2.0])).tolist()
    [0.5]
    """
    row = np.conj(c) if r is None else np.concatenate([c[:1], r[1:]])
    return linalg.solve_toeplitz((np.conj(row), np.conj(c)), x_bar)


# ---- matrix equations ----


def sylvester_adjoint(x_bar, a, b):
    """The adjoint of `q` in `x = scipy.linalg.solve_sylvester(a, b, q)`.

    >>> sylvester_adjoint(np.ones((1, 1)), np.eye(1), np.eye(1)).tolist()
    [[0.5]]
    """
    return linalg.solve_sylvester(ctranspose(a), ctranspose(b), x_bar)


def continuous_gain(x, b, r):
    """The gain `R^-1 B^H X` of the continuous Riccati equation.

    >>> continuous_gain(np.eye(1), np.eye(1), np.array([[2.0]])).tolist()
    [[0.5]]
    """
    return np.linalg.solve(r, ctranspose(b) @ x)


def discrete_gain(x, a, b, r):
    """The gain `(R + B^H X B)^-1 B^H X A` of the discrete Riccati equation.

    >>> discrete_gain(np.eye(1), np.eye(1), np.eye(1), np.eye(1)).tolist()
    [[0.5]]
    """
    return np.linalg.solve(r + ctranspose(b) @ x @ b, ctranspose(b) @ x @ a)


def hermitian_part(g):
    """`(G + G^H) / 2`.

    >>> hermitian_part(np.array([[1.0, 2.0], [4.0, 1.0]])).tolist()
    [[1.0, 3.0], [3.0, 1.0]]
    """
    return 0.5 * (g + ctranspose(g))
