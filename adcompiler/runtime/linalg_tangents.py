"""Tangents of linear systems, inverses, determinants, norms and pseudo-inverses; stacks of matrices everywhere."""

import numpy as np

from .linalg import det_adjoint, effective_rcond, logdet_adjoint
from .norms import cond_adjoint, matrix_norm_adjoint, norm_adjoint, vector_norm_adjoint
from .products import ctranspose


def solve_tangent(a_dot, b_dot, a, x, vector):
    """The tangent `A^-1 (b_dot - A_dot x)` of `x = np.linalg.solve(a, b)`; `vector` says that `b` has one axis.

    >>> solve_tangent(np.eye(2), np.ones(2), np.diag([2.0, 4.0]), np.array([1.0, 3.0]), True).tolist()
    [0.0, -0.5]
    """
    if vector:
        return np.linalg.solve(a, np.expand_dims(b_dot, -1) - a_dot @ np.expand_dims(x, -1))[..., 0]
    return np.linalg.solve(a, b_dot - a_dot @ x)


def tensorsolve_tangent(a_dot, b_dot, x, a, axes=None):
    """The tangent of `x = np.linalg.tensorsolve(a, b, axes)`.

    >>> tensorsolve_tangent(np.ones((1, 1)), np.ones(1), np.array([3.0]), np.full((1, 1), 2.0)).tolist()
    [-1.0]
    """
    moved = [] if axes is None else [i % np.ndim(a) for i in axes]
    last = np.transpose(a_dot, [i for i in range(np.ndim(a)) if i not in moved] + moved)
    return np.linalg.tensorsolve(a, b_dot - np.reshape(np.tensordot(last, x, np.ndim(x)), np.shape(b_dot)), axes)


def tensorinv_tangent(a_dot, y, ind=2):
    """The tangent of `y = np.linalg.tensorinv(a, ind)`: minus y, `a_dot` and y contracted.

    >>> tensorinv_tangent(np.ones((1, 1)), np.full((1, 1), 0.5), 1).tolist()
    [[-0.25]]
    """
    return -np.tensordot(np.tensordot(y, a_dot, ind), y, np.ndim(a_dot) - ind)


# ---- numbers from matrices: the product of the direction with the gradient ----


def det_tangent(a_dot, y, a):
    """The tangent of `y = np.linalg.det(a)`, by cofactors where the matrix is singular.

    >>> float(det_tangent(np.eye(2), 0.0, np.array([[1.0, 2.0], [2.0, 4.0]])).round(12))
    5.0
    """
    return np.sum(np.conj(det_adjoint(np.ones(np.shape(y)), y, a)) * a_dot, axis=(-2, -1))


def slogdet_tangents(a_dot, sign, a):
    """The tangents of `sign, logdet = np.linalg.slogdet(a)`: with `t = tr(A^-1 A_dot)`, `i sign Im t` and `Re t`.

    >>> sign_dot, logdet_dot = slogdet_tangents(np.eye(2), 1.0, np.diag([2.0, 4.0]))
    >>> float(sign_dot), float(logdet_dot)
    (0.0, 0.75)
    """
    slope = np.conj(logdet_adjoint(np.ones(np.shape(sign)), sign, a))
    trace = np.sum(np.where(a_dot == 0, 0.0, slope) * a_dot, axis=(-2, -1))
    return 1j * sign * trace.imag if np.iscomplexobj(sign) else np.zeros(np.shape(sign)), trace.real


def norm_tangent(x_dot, y, x, ord=None, axis=None, keepdims=False):
    """The tangent of `y = np.linalg.norm(x, ord, axis, keepdims)`.

    >>> float(norm_tangent(np.array([1.0, 0.0]), 5.0, np.array([3.0, 4.0])))
    0.6
    """
    slope = norm_adjoint(np.ones(np.shape(y)), y, x, ord, axis, keepdims)
    return _directional(slope, x_dot, axis, keepdims)


def matrix_norm_tangent(x_dot, x, ord="fro", keepdims=False):
    """The tangent of `np.linalg.matrix_norm(x, ord=ord, keepdims=keepdims)`.

    >>> float(matrix_norm_tangent(np.eye(2), np.array([[3.0, 0.0], [0.0, -1.0]]), 'nuc').round(12))
    0.0
    """
    slope = matrix_norm_adjoint(np.ones(np.shape(x)[:-2]), x, ord)
    return _directional(slope, x_dot, (-2, -1), keepdims)


def vector_norm_tangent(x_dot, y, x, axis=None, keepdims=False, ord=2):
    """The tangent of `y = np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)`.

    >>> float(vector_norm_tangent(np.array([1.0, 1.0]), 3.0, np.array([1.0, -2.0]), ord=1))
    0.0
    """
    slope = vector_norm_adjoint(np.ones(np.shape(y)), y, x, axis, keepdims, ord)
    return _directional(slope, x_dot, axis, keepdims)


def cond_tangent(x_dot, x, p=None):
    """The tangent of `np.linalg.cond(x, p)`.

    >>> float(cond_tangent(np.diag([0.0, 1.0]), np.diag([3.0, 1.0])).round(12))
    -3.0
    """
    return _directional(cond_adjoint(np.ones(np.shape(x)[:-2]), x, p), x_dot, (-2, -1))


def _directional(slope, x_dot, axis, keepdims=False):
    return np.sum((np.conj(slope) * x_dot).real, axis=axis, keepdims=keepdims)


# ---- pseudo-inverse, least squares, powers ----


def pinv_tangent(a_dot, y, a):
    """The tangent of `y = np.linalg.pinv(a)`, for a rank that does not change nearby (Golub and Pereyra 1973, 4.12).

    >>> pinv_tangent(np.array([[1.0]]), np.array([[0.5]]), np.array([[2.0]])).tolist()
    [[-0.25]]
    """
    yh, a_dot_h = ctranspose(y), ctranspose(a_dot)
    left = y @ (yh @ (a_dot_h - (a_dot_h @ a) @ y))
    right = (a_dot_h - y @ (a @ a_dot_h)) @ yh @ y
    return left + right - y @ a_dot @ y


def lstsq_tangents(a_dot, b_dot, x, residuals, a, b, rcond=None):
    """The tangents of `x`, `residuals` and `s` in `x, residuals, rank, s = np.linalg.lstsq(a, b, rcond)`.

    >>> a, b = np.array([[1.0], [1.0]]), np.array([1.0, 3.0])
    >>> x, residuals, rank, s = np.linalg.lstsq(a, b, rcond=None)
    >>> [t.round(12).tolist() for t in lstsq_tangents(np.zeros((2, 1)), np.ones(2), x, residuals, a, b)]
    [[1.0], [0.0], [0.0]]
    """
    inverse = np.linalg.pinv(a, effective_rcond(a, b, rcond))
    x_dot = inverse @ b_dot + pinv_tangent(a_dot, inverse, a) @ b
    residuals_dot = np.zeros(np.shape(residuals))
    if np.size(residuals):
        change = np.conj(b - a @ x) * (b_dot - a_dot @ x)
        residuals_dot = np.reshape(2.0 * np.sum(change.real, axis=0), np.shape(residuals))
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return x_dot, residuals_dot, np.sum((np.conj(u) * (a_dot @ ctranspose(vh))).real, axis=-2)


def matrix_power_tangent(a_dot, a, n):
    """The tangent of `np.linalg.matrix_power(a, n)`: the upper right block of `[[A, A_dot], [0, A]]^n` (Higham 2008,
    "Functions of Matrices", theorem 3.6).

    >>> matrix_power_tangent(np.ones((1, 1)), np.full((1, 1), 3.0), 2).tolist()
    [[6.0]]
    """
    size = np.shape(a)[-1]
    upper = np.concatenate([a, a_dot], axis=-1)
    lower = np.concatenate([np.zeros_like(a), a], axis=-1)
    return np.linalg.matrix_power(np.concatenate([upper, lower], axis=-2), n)[..., :size, size:]
