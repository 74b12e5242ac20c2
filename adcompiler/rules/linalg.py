"""Rules for numpy.linalg: decompositions, eigenvalues, norms, systems of equations and inverses.

Every function takes stacks of matrices; a single one is written out where that is one or two calls.
"""

import numpy as np

from ..runtime.decompositions import (
    cholesky_adjoint,
    eig_adjoint,
    eigh_adjoint,
    eigvals_adjoint,
    eigvalsh_adjoint,
    qr_adjoint,
    qr_r_adjoint,
    svd_adjoint,
    svdvals_adjoint,
)
from ..runtime.decomposition_tangents import (
    cholesky_tangent,
    eig_tangents,
    eigh_tangents,
    eigvals_tangent,
    eigvalsh_tangent,
    qr_r_tangent,
    qr_tangents,
    svd_tangents,
    svdvals_tangent,
)
from ..runtime.linalg import (
    det_adjoint,
    inv_adjoint,
    logdet_adjoint,
    lstsq_adjoints,
    matrix_power_adjoint,
    pinv_adjoint,
    slogdet_adjoint,
    solve_adjoint,
    solve_matrix_adjoint,
    tensorinv_adjoint,
    tensorsolve_adjoints,
)
from ..runtime.linalg_tangents import (
    cond_tangent,
    det_tangent,
    lstsq_tangents,
    matrix_norm_tangent,
    matrix_power_tangent,
    norm_tangent,
    pinv_tangent,
    slogdet_tangents,
    solve_tangent,
    tensorinv_tangent,
    tensorsolve_tangent,
    vector_norm_tangent,
)
from ..runtime.norms import cond_adjoint, matrix_norm_adjoint, norm_adjoint, vector_norm_adjoint
from ..runtime.products import sum_to
from .registry import conj, inactive, is_real, ndim, rule

# ---- decompositions ----


@rule(np.linalg.cholesky)
def cholesky(a, /, *, upper=False):
    l = np.linalg.cholesky(a, upper=upper)
    a_bar = cholesky_adjoint(l_bar, l, upper)
    l_dot = cholesky_tangent(a_dot, l, upper)


@rule(np.linalg.qr, when={"mode": "reduced"})
def qr(a, mode="reduced"):
    q, r = np.linalg.qr(a, mode)
    a_bar = qr_adjoint(q_bar, r_bar, q, r)
    tangents = qr_tangents(a_dot, q, r)
    q_dot = tangents[0]
    r_dot = tangents[1]


@rule(np.linalg.qr, when={"mode": "r"})
def qr_r(a, mode="reduced"):
    r = np.linalg.qr(a, mode)
    a_bar = qr_r_adjoint(r_bar, a)
    r_dot = qr_r_tangent(a_dot, a)


@rule(np.linalg.svd, when={"compute_uv": True})
def svd(a, full_matrices=True, compute_uv=True):
    u, s, vh = np.linalg.svd(a, full_matrices, compute_uv)
    a_bar = svd_adjoint(u_bar, s_bar, vh_bar, u, s, vh)
    tangents = svd_tangents(a_dot, u, s, vh)
    u_dot = tangents[0]
    s_dot = tangents[1]
    vh_dot = tangents[2]


@rule(np.linalg.svd, when={"compute_uv": False})
def svd_values(a, full_matrices=True, compute_uv=True):
    s = np.linalg.svd(a, full_matrices, compute_uv)
    a_bar = svdvals_adjoint(s_bar, a)
    s_dot = svdvals_tangent(a_dot, a)


@rule(np.linalg.svdvals)
def svdvals(x, /):
    s = np.linalg.svdvals(x)
    x_bar = svdvals_adjoint(s_bar, x)
    s_dot = svdvals_tangent(x_dot, x)


# ---- eigenvalues: NumPy reads one triangle, whose entries get the whole adjoint ----


@rule(np.linalg.eig, infer="unknown")
def eig(a):
    w, v = np.linalg.eig(a)
    a_bar = eig_adjoint(w_bar, v_bar, w, v)
    tangents = eig_tangents(a_dot, w, v)
    w_dot = tangents[0]
    v_dot = tangents[1]


@rule(np.linalg.eigh)
def eigh(a, UPLO="L"):
    w, v = np.linalg.eigh(a, UPLO)
    a_bar = eigh_adjoint(w_bar, v_bar, w, v, UPLO)
    tangents = eigh_tangents(a_dot, w, v, UPLO)
    w_dot = tangents[0]
    v_dot = tangents[1]


@rule(np.linalg.eigvals, infer="unknown")
def eigvals(a):
    w = np.linalg.eigvals(a)
    a_bar = eigvals_adjoint(w_bar, a)
    w_dot = eigvals_tangent(a_dot, a)


@rule(np.linalg.eigvalsh)
def eigvalsh(a, UPLO="L"):
    w = np.linalg.eigvalsh(a, UPLO)
    a_bar = eigvalsh_adjoint(w_bar, a, UPLO)
    w_dot = eigvalsh_tangent(a_dot, a, UPLO)


# ---- norms and other numbers ----


@rule(np.linalg.norm)
def norm(x, ord=None, axis=None, keepdims=False):
    y = np.linalg.norm(x, ord, axis, keepdims)
    x_bar = (
        x * (y_bar / y if y else 0.0)
        if ord is None and axis is None and keepdims is False
        else norm_adjoint(y_bar, y, x, ord, axis, keepdims)
    )
    y_dot = (
        (np.vdot(x, x_dot) / y if y else 0.0)
        if ord is None and axis is None and keepdims is False and is_real(x)
        else norm_tangent(x_dot, y, x, ord, axis, keepdims)
    )


@rule(np.linalg.matrix_norm)
def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    y = np.linalg.matrix_norm(x, keepdims=keepdims, ord=ord)
    x_bar = matrix_norm_adjoint(np.squeeze(y_bar, (-2, -1)), x, ord) if keepdims else matrix_norm_adjoint(y_bar, x, ord)
    y_dot = matrix_norm_tangent(x_dot, x, ord, keepdims)


@rule(np.linalg.vector_norm)
def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    y = np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
    x_bar = vector_norm_adjoint(y_bar, y, x, axis, keepdims, ord)
    y_dot = vector_norm_tangent(x_dot, y, x, axis, keepdims, ord)


@rule(np.linalg.cond)
def cond(x, p=None):
    y = np.linalg.cond(x, p)
    x_bar = cond_adjoint(y_bar, x, p)
    y_dot = cond_tangent(x_dot, x, p)


@rule(np.linalg.det)
def det(a):
    y = np.linalg.det(a)
    a_bar = det_adjoint(y_bar, y, a)
    y_dot = det_tangent(a_dot, y, a)


@rule(np.linalg.slogdet)
def slogdet(a):
    sign, logdet = np.linalg.slogdet(a)
    a_bar = logdet_adjoint(logdet_bar, sign, a) if is_real(sign) else slogdet_adjoint(sign_bar, logdet_bar, sign, a)
    tangents = slogdet_tangents(a_dot, sign, a)
    sign_dot = tangents[0]
    logdet_dot = tangents[1]


# ---- equations and inverses ----


@rule(np.linalg.solve)
def solve(a, b):
    x = np.linalg.solve(a, b)
    solved = (
        np.linalg.solve(conj(a).T, x_bar) if ndim(a) == 2 and ndim(b) <= 2 else solve_adjoint(a, x_bar, ndim(b) == 1)
    )
    a_bar = (
        -np.outer(solved, conj(x))
        if ndim(a) == 2 and ndim(b) == 1
        else -solved @ conj(x).T
        if ndim(a) == 2 and ndim(b) == 2
        else solve_matrix_adjoint(solved, x, np.shape(a), ndim(b) == 1)
    )
    b_bar = solved if ndim(a) == 2 and ndim(b) <= 2 else sum_to(solved, np.shape(b))
    x_dot = (
        np.linalg.solve(a, b_dot - a_dot @ x)
        if ndim(a) == 2 and ndim(b) <= 2
        else solve_tangent(a_dot, b_dot, a, x, ndim(b) == 1)
    )


@rule(np.linalg.tensorsolve)
def tensorsolve(a, b, axes=None):
    x = np.linalg.tensorsolve(a, b, axes)
    adjoints = tensorsolve_adjoints(x_bar, x, a, axes)
    a_bar = adjoints[0]
    b_bar = np.reshape(adjoints[1], np.shape(b))
    x_dot = tensorsolve_tangent(a_dot, b_dot, x, a, axes)


@rule(np.linalg.lstsq, constant_in=("rcond",))
def lstsq(a, b, rcond=None):
    x, residuals, rank, s = np.linalg.lstsq(a, b, rcond)
    adjoints = lstsq_adjoints(x_bar, residuals_bar, s_bar, x, residuals, a, b, rcond)
    a_bar = adjoints[0]
    b_bar = adjoints[1]
    tangents = lstsq_tangents(a_dot, b_dot, x, residuals, a, b, rcond)
    x_dot = tangents[0]
    residuals_dot = tangents[1]
    s_dot = tangents[2]


@rule(np.linalg.inv)
def inv(a):
    y = np.linalg.inv(a)
    a_bar = -conj(y).T @ y_bar @ conj(y).T if ndim(a) == 2 else inv_adjoint(y_bar, y)
    y_dot = -y @ a_dot @ y


@rule(np.linalg.pinv, constant_in=("rcond", "rtol"))
def pinv(a, rcond=None, *, rtol=None):
    y = np.linalg.pinv(a, rcond)
    a_bar = pinv_adjoint(y_bar, y, a)
    y_dot = pinv_tangent(a_dot, y, a)


@rule(np.linalg.tensorinv)
def tensorinv(a, ind=2):
    y = np.linalg.tensorinv(a, ind)
    a_bar = tensorinv_adjoint(y_bar, y, np.shape(a), ind)
    y_dot = tensorinv_tangent(a_dot, y, ind)


@rule(np.linalg.matrix_power, alias="maybe", alias_of="a", when={"n": 1})
def matrix_itself(a, n):
    y = np.linalg.matrix_power(a, n)
    a_bar = y_bar
    y_dot = a_dot


@rule(np.linalg.matrix_power, when={})
def matrix_power(a, n):
    y = np.linalg.matrix_power(a, n)
    a_bar = matrix_power_adjoint(y_bar, a, n)
    y_dot = matrix_power_tangent(a_dot, a, n)


inactive(np.linalg.matrix_rank)
