"""Adjoints of Cholesky, eigenvalue, singular value and QR decompositions, for stacks of matrices.

Eigenvectors and singular vectors are determined only up to a factor of modulus 1, and within the space of a repeated
value up to a rotation. The adjoints are those of functions that do not depend on this choice (up to the sign, for real
matrices with distinct values, any function will do).
"""

import numpy as np

from .products import ctranspose


def _on_triangle(s, uplo):
    """The adjoint of the triangle that NumPy reads of a Hermitian matrix whose full adjoint is `s`."""
    full = s + ctranspose(s)
    half = 0.5 * full * np.eye(np.shape(s)[-1])
    return (np.tril(full) if uplo in ("L", "l") else np.triu(full)) - half


def _diagonal(a):
    return np.sum(a * np.eye(np.shape(a)[-1]), axis=-1)


def cholesky_adjoint(l_bar, l, upper=False):
    """The adjoint of `a` in `l = np.linalg.cholesky(a, upper=upper)`, in the triangle that NumPy reads.

    `L^-H Phi(L^H L_bar) L^-1`, where Phi takes the lower triangle and half the diagonal (Murray 2016, "Differentiation
    of the Cholesky decomposition", equation 10).

    >>> cholesky_adjoint(np.ones((1, 1)), np.array([[2.0]])).tolist()
    [[0.25]]
    """
    if upper:
        return ctranspose(cholesky_adjoint(ctranspose(l_bar), ctranspose(l)))
    lh = ctranspose(l)
    product = lh @ np.tril(l_bar)
    phi = np.tril(product) - 0.5 * product * np.eye(np.shape(l)[-1])
    s = ctranspose(np.linalg.solve(lh, ctranspose(np.linalg.solve(lh, phi))))
    return _on_triangle(s, "L")


# ---- eigenvalues ----


def eigh_adjoint(w_bar, v_bar, w, v, uplo="L"):
    """The adjoint of `a` in `w, v = np.linalg.eigh(a, uplo)`, in the triangle that NumPy reads.

    `V (diag(w_bar) + F * (V^H V_bar)) V^H` with `F_ij = 1 / (w_j - w_i)` (Giles 2008, section 3.1). For equal
    eigenvalues see `_within_repeated`.

    >>> eigh_adjoint(np.ones(2), np.zeros((2, 2)), np.full(2, 3.0), np.eye(2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    g = ctranspose(v) @ v_bar
    gap = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    repeated = negligible_gaps(gap, w)
    core = np.where(repeated, 0.0, g / np.where(repeated, 1.0, gap)) + np.expand_dims(w_bar, -2) * np.eye(w.shape[-1])
    if np.any(v_bar) and np.sum(repeated) > w.size:
        core = core + _within_repeated(0.5 * (g + ctranspose(g)), 0.5 * (g - ctranspose(g)), w_bar, repeated)
    return _on_triangle(v @ core @ ctranspose(v), uplo)


def eigvalsh_adjoint(w_bar, a, uplo="L"):
    """The adjoint `V diag(w_bar) V^H` of `a` in `w = np.linalg.eigvalsh(a, uplo)`, in the triangle that NumPy reads.

    >>> eigvalsh_adjoint(np.array([2.0, 3.0]), np.diag([1.0, 5.0])).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    _, v = np.linalg.eigh(a, uplo)
    return _on_triangle((v * np.expand_dims(w_bar, -2)) @ ctranspose(v), uplo)


def negligible_gaps(gap, w):
    """Which differences of values may be no more than rounding, so that nothing can be divided by them."""
    if w.shape[-1] == 0:
        return gap == 0
    scale = np.max(np.abs(w), axis=-1)[..., np.newaxis, np.newaxis]
    return np.abs(gap) <= 100 * np.finfo(w.dtype).eps * w.shape[-1] * scale


def _within_repeated(even, odd, w_bar, repeated):
    """The entries of the core for pairs of equal values, from the Hermitian and the skew part of the cotangent.

    A smooth function does not depend on the basis of a repeated value's space, so `odd` is zero there. Where `even` is
    zero beside the diagonal and the values have the same cotangent, nothing is missing. A spectral function
    `V f(w) V^H` with cotangent G has `even = 2 f G` and `w_bar = diag(f' G)`: the factor `f' / 2f` can be read off the
    diagonal and holds for the other entries. Where neither fits, the derivative is not determined: NaN.
    """
    tolerance = np.sqrt(np.finfo(w_bar.dtype).eps)
    pairs = repeated & ~np.eye(w_bar.shape[-1], dtype=bool)
    block = repeated.astype(w_bar.dtype)
    diagonal = _diagonal(even).real
    scale = np.max(np.abs(even) + np.abs(odd), axis=(-2, -1), keepdims=True)

    over = block @ (diagonal * w_bar)[..., np.newaxis]
    under = block @ (diagonal**2)[..., np.newaxis]
    readable = under > (tolerance * scale) ** 2
    factor = np.where(readable, over / np.where(readable, under, 1.0), 0.0)
    misfit = block @ np.abs(w_bar - factor[..., 0] * diagonal)[..., np.newaxis]
    fits = readable & (misfit <= tolerance * (block @ np.abs(w_bar)[..., np.newaxis]))
    clear = np.abs(even) <= tolerance * scale
    mean = block @ w_bar[..., np.newaxis] / np.sum(block, axis=-1, keepdims=True)
    spread = block @ np.abs(w_bar - mean[..., 0])[..., np.newaxis]
    same = spread <= tolerance * np.sum(np.abs(w_bar), axis=-1)[..., np.newaxis, np.newaxis]
    known = (np.abs(odd) <= tolerance * scale) & (fits | clear & same)
    return np.where(pairs, np.where(known, np.where(fits, factor * even, 0.0), np.nan), 0.0)


def eig_adjoint(w_bar, v_bar, w, v):
    """The adjoint of `a` in `w, v = np.linalg.eig(a)`, for distinct eigenvalues.

    `V^-H (diag(w_bar) + (V^H V_bar - V^H V diag(Re(V^H V_bar))) / E) V^H` with `E_ij = conj(w_j - w_i)` (Boeddeker et
    al. 2017, "On the computation of complex-valued gradients"); columns of V have length 1. LAPACK turns a complex
    column so that its largest entry is real, and the adjoint follows.

    >>> eig_adjoint(np.ones(2), np.zeros((2, 2)), np.array([1.0, 2.0]), np.eye(2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    n = w.shape[-1]
    vh = ctranspose(v)
    if np.iscomplexobj(v) and n and np.any(v_bar):
        largest = np.expand_dims(np.argmax(np.abs(v), axis=-2), -2) == np.arange(n)[:, np.newaxis]
        turn = -np.sum(np.imag(np.conj(v_bar) * v), axis=-2, keepdims=True)
        v_bar = v_bar - 1j * np.where(largest, turn / np.where(largest, v.real, 1.0), 0.0)
    g = vh @ v_bar
    g = g - (vh @ v) * np.expand_dims(_diagonal(g).real, -2)
    gap = np.conj(np.expand_dims(w, -2) - np.expand_dims(w, -1))
    zero = (g == 0) | np.eye(n, dtype=bool)
    core = np.where(zero, 0.0, g / np.where(zero, 1.0, gap)) + np.expand_dims(w_bar, -2) * np.eye(n)
    return np.linalg.solve(vh, core @ vh)


def eigvals_adjoint(w_bar, a):
    """The adjoint `V^-H diag(w_bar) V^H` of `a` in `w = np.linalg.eigvals(a)`, for distinct eigenvalues.

    >>> eigvals_adjoint(np.array([2.0, 3.0]), np.diag([1.0, 5.0])).real.tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    _, v = np.linalg.eig(a)
    vh = ctranspose(v)
    return np.linalg.solve(vh, np.expand_dims(w_bar, -1) * vh)


# ---- singular values ----


def svd_adjoint(u_bar, s_bar, vh_bar, u, s, vh):
    """The adjoint of `a` in `u, s, vh = np.linalg.svd(a)`, with full or reduced matrices.

    With `J = U^H U_bar - U_bar^H U` and `K = V^H V_bar - V_bar^H V`, the core
    `(J S + S K) / (s_j^2 - s_i^2) + diag(s_bar)` (Giles 2008, section 3.2; for complex matrices Wan and Zhang 2019,
    "Automatic differentiation for complex valued SVD") is written with the sum and the difference of J and K, which
    leaves `s_j - s_i` under the sum only.

    >>> svd_adjoint(np.zeros((1, 1)), np.ones(1), np.zeros((1, 1)), np.eye(1), np.array([2.0]), np.eye(1)).tolist()
    [[1.0]]
    """
    k = s.shape[-1]
    v, v_bar = ctranspose(vh), ctranspose(vh_bar)
    u1, v1, u1_bar, v1_bar = u[..., :k], v[..., :k], u_bar[..., :k], v_bar[..., :k]
    core = np.expand_dims(s_bar, -2) * np.eye(k)
    if not np.any(u_bar) and not np.any(vh_bar):
        return u1 @ core @ ctranspose(v1)

    g, h = ctranspose(u1) @ u1_bar, ctranspose(v1) @ v1_bar
    j, m = g - ctranspose(g), h - ctranspose(h)
    gap = np.expand_dims(s, -2) - np.expand_dims(s, -1)
    total = np.expand_dims(s, -2) + np.expand_dims(s, -1)
    repeated = negligible_gaps(gap, s)
    core = core + np.where(repeated, 0.0, 0.5 * (j + m) / np.where(repeated, 1.0, gap))
    core = core + np.where(total == 0, np.where(j == m, 0.0, np.nan), 0.5 * (j - m) / np.where(total == 0, 1.0, total))
    if np.sum(repeated) > s.size:
        even = 0.25 * (g + ctranspose(g) + h + ctranspose(h))
        odd = 0.5 * (j + m) * ~np.eye(k, dtype=bool)
        core = core + _within_repeated(even, odd, s_bar, repeated)
    a_bar = u1 @ core @ ctranspose(v1)

    # What lies outside the span of U or V, and the further columns of full matrices, which turn against the first ones.
    inverse = _reciprocal(s, s_bar, u_bar, vh_bar)
    if np.shape(u)[-2] > k:
        a_bar = a_bar + ((u1_bar - u1 @ g) * inverse) @ ctranspose(v1)
    if np.shape(v)[-2] > k:
        a_bar = a_bar + (u1 * inverse) @ ctranspose(v1_bar - v1 @ h)
    if u.shape[-1] > k:
        a_bar = a_bar - u[..., k:] @ ((ctranspose(u_bar[..., k:]) @ u1) * inverse) @ ctranspose(v1)
    if v.shape[-1] > k:
        a_bar = a_bar - (u1 * inverse) @ (ctranspose(v1) @ v_bar[..., k:]) @ ctranspose(v[..., k:])
    return a_bar


def _reciprocal(s, s_bar, u_bar, vh_bar):
    """`1 / s` as a row; of a value that is zero 0 where nothing depends on it, and NaN (not determined) elsewhere."""
    k = s.shape[-1]
    further = np.any(u_bar[..., k:], axis=(-2, -1)) | np.any(vh_bar[..., k:, :], axis=(-2, -1))
    used = np.any(u_bar[..., :k], axis=-2) | np.any(vh_bar[..., :k, :], axis=-1) | (s_bar != 0)
    zero = np.where(used | further[..., np.newaxis], np.nan, 0.0)
    return np.expand_dims(np.where(s == 0, zero, 1.0 / np.where(s == 0, 1.0, s)), -2)


def svdvals_adjoint(s_bar, a):
    """The adjoint `U diag(s_bar) V^H` of `a` in `s = np.linalg.svdvals(a)`.

    >>> svdvals_adjoint(np.array([2.0, 3.0]), np.diag([5.0, 1.0])).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return (u * np.expand_dims(s_bar, -2)) @ vh


# ---- QR ----


def qr_adjoint(q_bar, r_bar, q, r):
    """The adjoint of `a` in `q, r = np.linalg.qr(a)` (mode "reduced"), for independent leading columns.

    `(Q_bar + Q P) R^-H`, where P is the Hermitian matrix with the upper triangle of `R_bar R^H - Q^H Q_bar` (Roberts
    and Roberts 2020, "QR and LQ decomposition matrix backpropagation algorithms"); of a wide matrix the columns after
    the square part are `Q^H A`.

    >>> qr_adjoint(np.zeros((1, 1)), np.ones((1, 1)), np.eye(1), np.array([[2.0]])).tolist()
    [[1.0]]
    """
    rows, columns = r.shape[-2:]
    if columns > rows:
        rest_bar = r_bar[..., rows:]
        square = r[..., :rows]
        rest = q @ r[..., rows:]
        q_bar = q_bar + rest @ ctranspose(rest_bar)
        return np.concatenate([qr_adjoint(q_bar, r_bar[..., :rows], q, square), q @ rest_bar], axis=-1)
    m = np.triu(r_bar) @ ctranspose(r) - ctranspose(q) @ q_bar
    above = np.triu(m, 1)
    p = above + ctranspose(above) + (m * np.eye(columns)).real
    return ctranspose(np.linalg.solve(r, ctranspose(q_bar + q @ p)))


def qr_r_adjoint(r_bar, a):
    """The adjoint of `a` in `r = np.linalg.qr(a, mode="r")`, which keeps no Q.

    >>> qr_r_adjoint(np.ones((1, 1)), np.array([[2.0]])).tolist()
    [[1.0]]
    """
    q, r = np.linalg.qr(a)
    return qr_adjoint(np.zeros_like(q), r_bar, q, r)
