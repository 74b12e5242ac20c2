"""Tangents of Cholesky, eigenvalue, singular value and QR decompositions, for stacks of matrices.

They make the same choices as the adjoints in `decompositions`: eigenvectors and singular vectors do not turn within
what leaves them free. Within the space of a repeated value the vectors have a derivative only if the direction does
not mix them; elsewhere the result is NaN. The tangents of repeated values are those of the diagonal.
"""

import numpy as np

from .decompositions import negligible_gaps
from .products import ctranspose


def hermitian_direction(a_dot, uplo="L"):
    """The direction of a Hermitian matrix of which NumPy reads one triangle.

    >>> hermitian_direction(np.array([[1.0, 9.0], [2.0, 3.0]])).tolist()
    [[1.0, 2.0], [2.0, 3.0]]
    """
    below = np.tril(a_dot, -1) if uplo in ("L", "l") else ctranspose(np.triu(a_dot, 1))
    return below + ctranspose(below) + np.real(a_dot) * np.eye(np.shape(a_dot)[-1])


def _diagonal(a):
    return np.sum(a * np.eye(np.shape(a)[-1]), axis=-1)


def cholesky_tangent(a_dot, l, upper=False):
    """The tangent of `l = np.linalg.cholesky(a, upper=upper)`: `L Phi(L^-1 A_dot L^-H)`, where Phi takes the lower
    triangle and half the diagonal (Murray 2016, "Differentiation of the Cholesky decomposition", equation 8).

    >>> cholesky_tangent(np.ones((1, 1)), np.array([[2.0]])).tolist()
    [[0.25]]
    """
    if upper:
        return ctranspose(cholesky_tangent(ctranspose(a_dot), ctranspose(l)))
    inner = np.linalg.solve(l, ctranspose(np.linalg.solve(l, hermitian_direction(a_dot))))
    return l @ (np.tril(inner) - 0.5 * inner * np.eye(np.shape(l)[-1]))


# ---- eigenvalues ----


def eigh_tangents(a_dot, w, v, uplo="L"):
    """The tangents of `w, v = np.linalg.eigh(a, uplo)`: with `P = V^H A_dot V`, the diagonal of P, and `V (F * P)` with
    `F_ij = 1 / (w_j - w_i)` (Giles 2008, section 3.1).

    >>> w_dot, v_dot = eigh_tangents(np.array([[3.0, 0.0], [1.0, 5.0]]), np.array([1.0, 2.0]), np.eye(2))
    >>> w_dot.tolist(), v_dot.tolist()
    ([3.0, 5.0], [[0.0, 1.0], [-1.0, 0.0]])
    """
    p = ctranspose(v) @ hermitian_direction(a_dot, uplo) @ v
    gap = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    return _diagonal(p).real, v @ _over_gaps(p, gap, negligible_gaps(gap, w))


def _over_gaps(p, gap, repeated):
    """`p / gap` beside the diagonal; for repeated values 0 where `p` does not mix them, and NaN where it does."""
    scale = np.max(np.abs(p), axis=(-2, -1), keepdims=True, initial=0.0)
    mixed = np.abs(p) > 1e-10 * scale
    unknown = np.where(mixed & ~np.eye(np.shape(p)[-1], dtype=bool), np.nan, 0.0)
    return np.where(repeated, unknown, p / np.where(repeated, 1.0, gap))


def eigvalsh_tangent(a_dot, a, uplo="L"):
    """The tangent of `w = np.linalg.eigvalsh(a, uplo)`: the diagonal of `V^H A_dot V`.

    >>> eigvalsh_tangent(np.array([[3.0, 0.0], [1.0, 5.0]]), np.diag([1.0, 2.0])).tolist()
    [3.0, 5.0]
    """
    _, v = np.linalg.eigh(a, uplo)
    return np.sum((np.conj(v) * (hermitian_direction(a_dot, uplo) @ v)).real, axis=-2)


def eig_tangents(a_dot, w, v):
    """The tangents of `w, v = np.linalg.eig(a)`, for distinct eigenvalues: with `P = V^-1 A_dot V` the diagonal of P,
    and `V (F * P)` with `F_ij = 1 / (w_j - w_i)`, less what changes the lengths of the columns and, for complex
    vectors, the argument of their largest entries, which LAPACK makes real.

    >>> w_dot, v_dot = eig_tangents(np.array([[3.0, 1.0], [1.0, 5.0]]), np.array([1.0, 2.0]), np.eye(2))
    >>> w_dot.tolist(), v_dot.tolist()
    ([3.0, 5.0], [[0.0, 1.0], [-1.0, 0.0]])
    """
    n = w.shape[-1]
    p = np.linalg.solve(v, a_dot @ v)
    gap = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    zero = (p == 0) | np.eye(n, dtype=bool)
    with np.errstate(divide="ignore", invalid="ignore"):
        v_dot = v @ np.where(zero, 0.0, p / np.where(zero, 1.0, gap))
    v_dot = v_dot - v * np.sum(np.conj(v) * v_dot, axis=-2, keepdims=True).real
    if np.iscomplexobj(v) and n:
        largest = np.expand_dims(np.argmax(np.abs(v), axis=-2), -2) == np.arange(n)[:, np.newaxis]
        turn = np.sum(np.where(largest, v_dot.imag / np.where(largest, v.real, 1.0), 0.0), axis=-2, keepdims=True)
        v_dot = v_dot - 1j * v * turn
    return _diagonal(p), v_dot


def eigvals_tangent(a_dot, a):
    """The tangent of `w = np.linalg.eigvals(a)`, for distinct eigenvalues: the diagonal of `V^-1 A_dot V`.

    >>> eigvals_tangent(np.array([[3.0, 1.0], [1.0, 5.0]]), np.diag([1.0, 2.0])).real.tolist()
    [3.0, 5.0]
    """
    _, v = np.linalg.eig(a)
    return _diagonal(np.linalg.solve(v, a_dot @ v))


# ---- singular values ----


def svd_tangents(a_dot, u, s, vh):
    """The tangents of `u, s, vh = np.linalg.svd(a)`, with full or reduced matrices (Giles 2008, section 3.2).

    With `P = U^H A_dot V`, its Hermitian part H and its skew part D, U turns by `H / (s_j - s_i) + D / (s_j + s_i)`
    and V by their difference.

    >>> [t.tolist() for t in svd_tangents(np.eye(1), np.eye(1), np.array([2.0]), np.eye(1))]
    [[[0.0]], [1.0], [[0.0]]]
    """
    k = s.shape[-1]
    u1, v1 = u[..., :k], ctranspose(vh)[..., :k]
    p = ctranspose(u1) @ a_dot @ v1
    even, odd = 0.5 * (p + ctranspose(p)), 0.5 * (p - ctranspose(p))
    gap = np.expand_dims(s, -2) - np.expand_dims(s, -1)
    total = np.expand_dims(s, -2) + np.expand_dims(s, -1)
    common = _over_gaps(even * ~np.eye(k, dtype=bool), gap, negligible_gaps(gap, s))
    opposite = _quotient(odd, total)
    u_dot, v_dot = u1 @ (common + opposite), v1 @ (common - opposite)

    # What lies outside the span of U or V, and the further columns of full matrices, which turn against the first ones.
    row = np.expand_dims(s, -2)
    if np.shape(u)[-2] > k:
        u_dot = u_dot + _quotient(a_dot @ v1 - u1 @ p, row)
    if np.shape(vh)[-1] > k:
        v_dot = v_dot + _quotient(ctranspose(a_dot) @ u1 - v1 @ ctranspose(p), row)
    if u.shape[-1] > k:
        u_dot = np.concatenate([u_dot, -u1 @ ctranspose(u_dot) @ u[..., k:]], axis=-1)
    if np.shape(vh)[-2] > k:
        v_dot = np.concatenate([v_dot, -v1 @ ctranspose(v_dot) @ ctranspose(vh)[..., k:]], axis=-1)
    return u_dot, _diagonal(p).real, ctranspose(v_dot)


def _quotient(a, b):
    """`a / b`; where `b` is zero 0 for a zero and NaN (not determined) for anything else."""
    zero = b == 0
    return np.where(zero, np.where(a == 0, 0.0, np.nan), a / np.where(zero, 1.0, b))


def svdvals_tangent(a_dot, a):
    """The tangent of `s = np.linalg.svdvals(a)`: the diagonal of `U^H A_dot V`.

    >>> svdvals_tangent(np.array([[1.0, 7.0], [7.0, 2.0]]), np.diag([5.0, 1.0])).tolist()
    [1.0, 2.0]
    """
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return np.sum((np.conj(u) * (a_dot @ ctranspose(vh))).real, axis=-2)


# ---- QR ----


def qr_tangents(a_dot, q, r):
    """The tangents of `q, r = np.linalg.qr(a)` (mode "reduced"), for independent leading columns.

    Of `X = Q^H A_dot R^-1` the skew matrix with its lower triangle turns Q, and the rest times R is `R_dot`; of a wide
    matrix the columns after the square part are `Q^H A`.

    >>> [t.tolist() for t in qr_tangents(np.ones((1, 1)), np.eye(1), np.array([[2.0]]))]
    [[[0.0]], [[1.0]]]
    """
    rows, columns = r.shape[-2:]
    if columns > rows:
        q_dot, square_dot = qr_tangents(a_dot[..., :rows], q, r[..., :rows])
        rest_dot = ctranspose(q_dot) @ q @ r[..., rows:] + ctranspose(q) @ a_dot[..., rows:]
        return q_dot, np.concatenate([square_dot, rest_dot], axis=-1)
    x = ctranspose(np.linalg.solve(ctranspose(r), ctranspose(ctranspose(q) @ a_dot)))
    below = np.tril(x, -1)
    turn = below - ctranspose(below) + (x - x.real) * np.eye(columns)
    r_dot = np.triu((x - turn) @ r)
    return ctranspose(np.linalg.solve(ctranspose(r), ctranspose(a_dot - q @ r_dot))), r_dot


def qr_r_tangent(a_dot, a):
    """The tangent of `r = np.linalg.qr(a, mode="r")`.

    >>> qr_r_tangent(np.ones((1, 1)), np.array([[2.0]])).tolist()
    [[1.0]]
    """
    q, r = np.linalg.qr(a)
    return qr_tangents(a_dot, q, r)[1]
