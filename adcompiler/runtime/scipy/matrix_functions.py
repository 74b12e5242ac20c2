"""Derivatives of functions of matrices, and of generalised eigenvalue problems."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from ..products import ctranspose


def frechet_derivative(function, a, direction):
    """The derivative of a matrix function at `a` along `direction`: the upper right block of `f([[A, E], [0, A]])`
    (Higham 2008, "Functions of Matrices", theorem 3.6).

    >>> frechet_derivative(linalg.expm, np.zeros((1, 1)), np.ones((1, 1))).round(12).tolist()
    [[1.0]]
    """
    if np.iscomplexobj(direction) and not np.iscomplexobj(a):  # eigenvalues on a branch cut stay on their side of it
        return _at_real(function, a, np.real(direction)) + 1j * _at_real(function, a, np.imag(direction))
    return _at_real(function, a, direction)


def _at_real(function, a, direction):
    n = np.shape(a)[-1]
    a = np.broadcast_to(a, np.shape(direction))
    block = np.block([[a, direction], [np.zeros_like(a), a]])
    return _repeatably(function, block)[..., :n, n:]


def _repeatably(function, a):
    """The value of a matrix function, in which SciPy may draw from NumPy's global generator to estimate norms: the same for
    each call, and without a trace in the program's random numbers."""
    state = np.random.get_state()
    try:
        np.random.seed(0)
        return function(a)
    finally:
        np.random.set_state(state)


def frechet_adjoint(function, a, y_bar):
    """The adjoint of `a` in `y = function(a)`, for a function of matrices that is a power series in its argument: the
    conjugate of the derivative at `A^T` along the conjugate of `y_bar`.

    >>> frechet_adjoint(linalg.logm, np.diag([1.0, -1.0]), np.array([[0.0, 1.0], [0.0, 0.0]]))[0, 1].round(12).imag.item()
    1.570796326795
    """
    return np.conj(frechet_derivative(function, np.swapaxes(a, -1, -2), np.conj(y_bar)))


def powered(a, t):
    """`scipy.linalg.fractional_matrix_power(a, t)`.

    >>> powered(np.array([[4.0]]), 0.5).tolist()
    [[2.0]]
    """
    return linalg.fractional_matrix_power(a, t)


def fractional_power_adjoint(a, t, y_bar):
    """The adjoint of `a` in `y = scipy.linalg.fractional_matrix_power(a, t)`.

    >>> fractional_power_adjoint(np.array([[4.0]]), 0.5, np.ones((1, 1))).round(12).tolist()
    [[0.25]]
    """
    return frechet_adjoint(lambda m: powered(m, t), a, y_bar)


def square_root_adjoint(y_bar, y, shape):
    """The adjoint of `a`, of this shape, in `y = scipy.linalg.sqrtm(a)`: that of the equation `y y = a`.

    >>> square_root_adjoint(np.ones((1, 1)), np.array([[2.0]]), (1, 1)).tolist()
    [[0.25]]
    """
    if len(shape) < 2:
        raise ValueError(f"scipy.linalg.sqrtm has a derivative for square matrices, not for shape {shape}")
    return linalg.solve_sylvester(ctranspose(y), ctranspose(y), y_bar)


def fractional_power_derivative(a, t, direction):
    """The derivative of `scipy.linalg.fractional_matrix_power(a, t)` along `direction`.

    >>> fractional_power_derivative(np.array([[4.0]]), 0.5, np.ones((1, 1))).round(12).tolist()
    [[0.25]]
    """
    return frechet_derivative(lambda m: powered(m, t), a, direction)


def generalised_eigh_adjoints(w_bar, v_bar, w, v):
    """The adjoints of Hermitian `a` and `b` in `w, v = scipy.linalg.eigh(a, b)`, as if all their entries were read.

    `V C V^H` with `C = diag(w_bar) + F * (V^H V_bar)` and `F_ij = 1 / (w_j - w_i)` for `a`, and for `b` minus
    `V (C diag(w) + diag(V^H V_bar) / 2) V^H`, for distinct eigenvalues.

    >>> a_bar, b_bar = generalised_eigh_adjoints(np.ones(1), np.zeros((1, 1)), np.array([3.0]), np.eye(1))
    >>> a_bar.tolist(), b_bar.tolist()
    ([[1.0]], [[-3.0]])
    """
    eye = np.eye(len(w))
    g = ctranspose(v) @ v_bar
    gap = w[np.newaxis, :] - w[:, np.newaxis]
    core = eye * w_bar + np.where(eye == 1.0, 0.0, g / np.where(eye == 1.0, 1.0, gap))
    return v @ core @ ctranspose(v), -v @ (core * w + 0.5 * eye * g.real) @ ctranspose(v)


def generalised_eigh_tangents(a_dot, b_dot, w, v):
    """The tangents of `w, v = scipy.linalg.eigh(a, b)` for Hermitian directions and distinct eigenvalues.

    >>> w_dot, v_dot = generalised_eigh_tangents(np.eye(1), np.zeros((1, 1)), np.array([3.0]), np.eye(1))
    >>> w_dot.tolist(), v_dot.tolist()
    ([1.0], [[0.0]])
    """
    eye = np.eye(len(w))
    p, q = ctranspose(v) @ a_dot @ v, ctranspose(v) @ b_dot @ v
    gap = w[np.newaxis, :] - w[:, np.newaxis]
    change = p - q * w
    turn = np.where(eye == 1.0, -0.5 * np.diagonal(q).real * eye, change / np.where(eye == 1.0, 1.0, gap))
    return np.diagonal(change).real, v @ turn


def khatri_rao_adjoints(y_bar, a, b):
    """The adjoints of both matrices in `scipy.linalg.khatri_rao(a, b)`.

    >>> [g.tolist() for g in khatri_rao_adjoints(np.ones((2, 1)), np.ones((1, 1)), np.array([[2.0], [3.0]]))]
    [[[5.0]], [[1.0], [1.0]]]
    """
    parts = np.reshape(y_bar, (np.shape(a)[0], np.shape(b)[0], np.shape(a)[1]))
    return np.sum(parts * np.conj(b), axis=1), np.sum(parts * np.conj(a)[:, np.newaxis], axis=0)


def block_diag_adjoints(y_bar, shapes):
    """The adjoints of the blocks in `scipy.linalg.block_diag(*arrs)`, of the given shapes.

    >>> [g.tolist() for g in block_diag_adjoints(np.arange(6.0).reshape(2, 3), [(1, 2), ()])]
    [[[0.0, 1.0]], 5.0]
    """
    row = column = 0
    blocks = []
    for shape in shapes:
        rows, columns = (1, 1, *shape)[-2:]
        blocks.append(np.reshape(y_bar[row : row + rows, column : column + columns], shape))
        row, column = row + rows, column + columns
    return blocks


def polar_adjoint(u_bar, p_bar, u, p):
    """The adjoint of a square, invertible `a` in `u, p = scipy.linalg.polar(a)`, `a = u p`.

    For a direction `U M` the unitary factor turns by the skew matrix W of `W P + P W = M - M^H`, and `P_dot = M - W P`.

    >>> polar_adjoint(np.zeros((1, 1)), np.ones((1, 1)), np.eye(1), np.array([[2.0]])).tolist()
    [[1.0]]
    """
    _demand_square(u)
    lead = ctranspose(u) @ u_bar - p_bar @ p
    return u @ (p_bar + linalg.solve_sylvester(p, p, lead - ctranspose(lead)))


def polar_tangents(a_dot, u, p):
    """The tangents of `u, p = scipy.linalg.polar(a)`, for a square, invertible `a`.

    >>> [t.tolist() for t in polar_tangents(np.ones((1, 1)), np.eye(1), np.array([[2.0]]))]
    [[[0.0]], [[1.0]]]
    """
    _demand_square(u)
    m = ctranspose(u) @ a_dot
    turn = linalg.solve_sylvester(p, p, m - ctranspose(m))
    return u @ turn, m - turn @ p


def _demand_square(u):
    if u.shape[0] != u.shape[1]:
        raise ValueError(f"scipy.linalg.polar has a derivative for a square matrix, not for shape {u.shape}")


def demand_complete(q, r):
    """`q` of a QR decomposition in which no column of it is left without a row of `r` that is not zero.

    >>> demand_complete(np.eye(2), np.eye(2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if r.shape[-2] > r.shape[-1]:
        raise ValueError("the further columns of a full Q are not determined: use scipy.linalg.qr(a, mode='economic')")
    return q
