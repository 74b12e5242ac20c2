"""Rules for scipy.linalg: systems of equations, decompositions, matrix functions, matrix equations, special matrices.

Of a matrix of which SciPy reads one triangle, or a band, only those entries get an adjoint. `overwrite_a=True` and its
like are refused before a rule is asked. Eigenvectors and singular vectors follow the conventions of numpy.linalg.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from ...runtime.decomposition_tangents import (
    cholesky_tangent,
    eig_tangents,
    eigh_tangents,
    eigvals_tangent,
    eigvalsh_tangent,
    qr_tangents,
    svd_tangents,
    svdvals_tangent,
)
from ...runtime.decompositions import (
    cholesky_adjoint,
    eig_adjoint,
    eigh_adjoint,
    eigvals_adjoint,
    eigvalsh_adjoint,
    qr_adjoint,
    svd_adjoint,
    svdvals_adjoint,
)
from ...runtime.linalg import det_adjoint, inv_adjoint, lstsq_adjoints, pinv_adjoint
from ...runtime.linalg_tangents import det_tangent, lstsq_tangents, norm_tangent, pinv_tangent
from ...runtime.norms import norm_adjoint
from ...runtime.products import ctranspose, sum_to
from ...runtime.scipy.linear_systems import (
    cho_solve_matrix_adjoint,
    circulant_adjoint,
    cho_solve_tangent,
    continuous_gain,
    demand_one,
    discrete_gain,
    effective_adjoint,
    effective_matrix,
    hankel_sums,
    hermitian_part,
    lu_adjoint,
    lu_factor_adjoint,
    lu_factor_tangent,
    lu_solve_adjoint,
    lu_solve_matrix_adjoint,
    lu_solve_tangent,
    lu_tangents,
    outer,
    solve_adjoint,
    solve_banded_adjoint,
    solve_banded_matrix_adjoint,
    solve_banded_tangent,
    solve_matrix_adjoint,
    solve_tangent,
    solve_toeplitz_adjoint,
    solve_triangular_adjoint,
    solve_triangular_matrix_adjoint,
    solve_triangular_tangent,
    sylvester_adjoint,
    times,
    toeplitz_column_adjoint,
    toeplitz_sums,
)
from ...runtime.scipy.matrix_functions import (
    block_diag_adjoints,
    demand_complete,
    fractional_power_adjoint,
    fractional_power_derivative,
    frechet_adjoint,
    frechet_derivative,
    generalised_eigh_adjoints,
    generalised_eigh_tangents,
    khatri_rao_adjoints,
    polar_adjoint,
    polar_tangents,
    square_root_adjoint,
)
from ...runtime.scipy.structured_systems import solve_hermitian_banded
from ..registry import inactive, ndim, rule, shapes, written_out

# ---- basics ----


@rule(linalg.inv)
def inv(a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False):
    y = linalg.inv(a, assume_a=assume_a, lower=lower)
    a_bar = effective_adjoint(inv_adjoint(y_bar, y), lower, assume_a)
    y_dot = -y @ effective_matrix(a_dot, lower, assume_a) @ y


@rule(linalg.solve)
def solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=None, transposed=False):
    x = linalg.solve(a, b, lower, assume_a=assume_a, transposed=transposed)
    solved = solve_adjoint(x_bar, a, ndim(b), lower, assume_a, transposed)
    a_bar = solve_matrix_adjoint(solved, x, a, ndim(b), lower, assume_a, transposed)
    b_bar = sum_to(solved, np.shape(b))
    x_dot = solve_tangent(a_dot, b_dot, a, x, ndim(b), lower, assume_a, transposed)


@rule(linalg.solve_banded)
def solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True):
    x = linalg.solve_banded(l_and_u, ab, b)
    solved = solve_banded_adjoint(x_bar, ab, *l_and_u)
    ab_bar = solve_banded_matrix_adjoint(solved, x, *l_and_u)
    b_bar = solved
    x_dot = solve_banded_tangent(ab_dot, b_dot, x, ab, *l_and_u)


@rule(linalg.solve_triangular)
def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    x = linalg.solve_triangular(a, b, trans, lower, unit_diagonal)
    solved = solve_triangular_adjoint(x_bar, a, trans, lower, unit_diagonal)
    a_bar = sum_to(solve_triangular_matrix_adjoint(solved, x, ndim(b), trans, lower, unit_diagonal), np.shape(a))
    b_bar = sum_to(solved, np.shape(b))
    x_dot = solve_triangular_tangent(a_dot, b_dot, a, x, ndim(b), trans, lower, unit_diagonal)


@rule(linalg.solve_toeplitz)
def solve_toeplitz(c_or_cr, b, check_finite=True):
    x = linalg.solve_toeplitz(c_or_cr, b)
    solved = (
        solve_toeplitz_adjoint(x_bar, *c_or_cr)
        if isinstance(c_or_cr, tuple)
        else solve_toeplitz_adjoint(x_bar, c_or_cr)
    )
    g = -outer(solved, x, ndim(b))
    c_or_cr_bar = (
        (toeplitz_sums(g), toeplitz_sums(g.T, 1)) if isinstance(c_or_cr, tuple) else toeplitz_column_adjoint(g, True)
    )
    b_bar = solved
    change = linalg.toeplitz(*c_or_cr_dot) if isinstance(c_or_cr, tuple) else linalg.toeplitz(c_or_cr_dot)
    x_dot = linalg.solve_toeplitz(c_or_cr, b_dot - times(change, x, ndim(b)))


written_out(linalg.solveh_banded, solve_hermitian_banded)


@rule(linalg.det)
def det(a, overwrite_a=False, check_finite=True):
    y = linalg.det(a)
    a_bar = det_adjoint(y_bar, y, a)
    y_dot = det_tangent(a_dot, y, a)


@rule(linalg.norm)
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    y = linalg.norm(a, ord, axis, keepdims)
    a_bar = norm_adjoint(y_bar, y, a, ord, axis, keepdims)
    y_dot = norm_tangent(a_dot, y, a, ord, axis, keepdims)


@rule(linalg.lstsq, constant_in=("cond",))
def lstsq(a, b, cond=None, overwrite_a=False, overwrite_b=False, check_finite=True, lapack_driver=None):
    x, residuals, rank, s = linalg.lstsq(a, b, cond)
    adjoints = lstsq_adjoints(x_bar, residuals_bar, s_bar, x, residuals, demand_one(a), b, -1 if cond is None else cond)
    a_bar = adjoints[0]
    b_bar = adjoints[1]
    tangents = lstsq_tangents(a_dot, b_dot, x, residuals, demand_one(a), b, -1 if cond is None else cond)
    x_dot = tangents[0]
    residuals_dot = np.reshape(tangents[1], np.shape(residuals))
    s_dot = tangents[2]


@rule(linalg.pinv, when={"return_rank": False}, constant_in=("atol", "rtol"))
def pinv(a, *, atol=None, rtol=None, return_rank=False, check_finite=True):
    y = linalg.pinv(a, atol=atol, rtol=rtol)
    a_bar = pinv_adjoint(y_bar, y, a)
    y_dot = pinv_tangent(a_dot, y, a)


@rule(linalg.khatri_rao, multilinear=("a", "b"))
def khatri_rao(a, b):
    y = linalg.khatri_rao(a, b)
    adjoints = khatri_rao_adjoints(y_bar, a, b)
    a_bar = adjoints[0]
    b_bar = adjoints[1]


# ---- eigenvalues: of Hermitian matrices one triangle is read ----


@rule(linalg.eig, when={"b": None, "left": False, "right": True}, infer="unknown")
def eig(a, b=None, left=False, right=True, overwrite_a=False, overwrite_b=False, check_finite=True):
    w, v = linalg.eig(a)
    a_bar = eig_adjoint(w_bar, v_bar, w, v)
    tangents = eig_tangents(a_dot, w, v)
    w_dot = tangents[0]
    v_dot = tangents[1]


@rule(linalg.eigvals, when={"b": None}, infer="unknown")
def eigvals(a, b=None, overwrite_a=False, *, check_finite=True):
    w = linalg.eigvals(a)
    a_bar = eigvals_adjoint(w_bar, a)
    w_dot = eigvals_tangent(a_dot, a)


@rule(linalg.eigh, when={"b": None, "eigvals_only": False})
def eigh(
    a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, check_finite=True, driver=None
):
    w, v = linalg.eigh(a, lower=lower)
    a_bar = eigh_adjoint(w_bar, v_bar, w, v, "L" if lower else "U")
    tangents = eigh_tangents(a_dot, w, v, "L" if lower else "U")
    w_dot = tangents[0]
    v_dot = tangents[1]


@rule(linalg.eigh, when={"b": None, "eigvals_only": True})
def eigh_values(
    a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, check_finite=True, driver=None
):
    w = linalg.eigh(a, lower=lower, eigvals_only=True)
    a_bar = eigvalsh_adjoint(w_bar, a, "L" if lower else "U")
    w_dot = eigvalsh_tangent(a_dot, a, "L" if lower else "U")


@rule(linalg.eigh, when={"eigvals_only": False, "type": 1})
def generalised_eigh(
    a,
    b=None,
    *,
    lower=True,
    eigvals_only=False,
    overwrite_a=False,
    overwrite_b=False,
    type=1,
    check_finite=True,
    driver=None,
):
    w, v = linalg.eigh(a, b, lower=lower)
    adjoints = generalised_eigh_adjoints(w_bar, v_bar, w, v)
    a_bar = effective_adjoint(adjoints[0], lower, "her")
    b_bar = effective_adjoint(adjoints[1], lower, "her")
    tangents = generalised_eigh_tangents(
        effective_matrix(a_dot, lower, "her"), effective_matrix(b_dot, lower, "her"), w, v
    )
    w_dot = tangents[0]
    v_dot = tangents[1]


@rule(linalg.eigvalsh, when={"b": None})
def eigvalsh(a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, check_finite=True, driver=None):
    w = linalg.eigvalsh(a, lower=lower)
    a_bar = eigvalsh_adjoint(w_bar, a, "L" if lower else "U")
    w_dot = eigvalsh_tangent(a_dot, a, "L" if lower else "U")


# ---- decompositions ----


@rule(linalg.lu, when={"permute_l": False, "p_indices": False})
def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    p, l, u = linalg.lu(a)
    a_bar = p @ lu_adjoint(l_bar, u_bar, l, u)
    tangents = lu_tangents(p.T @ a_dot, l, u)
    l_dot = tangents[0]
    u_dot = tangents[1]


@rule(linalg.lu_factor)
def lu_factor(a, overwrite_a=False, check_finite=True):
    lu, piv = linalg.lu_factor(a)
    a_bar = lu_factor_adjoint(lu_bar, lu, piv)
    lu_dot = lu_factor_tangent(a_dot, lu, piv)


@rule(linalg.lu_solve)
def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    x = linalg.lu_solve(lu_and_piv, b, trans)
    solved = lu_solve_adjoint(x_bar, lu_and_piv[0], lu_and_piv[1], trans)
    lu_and_piv_bar = (lu_solve_matrix_adjoint(solved, x, lu_and_piv[0], lu_and_piv[1], ndim(b), trans), None)
    b_bar = solved
    x_dot = lu_solve_tangent(lu_and_piv_dot[0], b_dot, x, lu_and_piv[0], lu_and_piv[1], ndim(b), trans)


@rule(linalg.svd, when={"compute_uv": True})
def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    u, s, vh = linalg.svd(a, full_matrices)
    a_bar = svd_adjoint(u_bar, s_bar, vh_bar, u, s, vh)
    tangents = svd_tangents(a_dot, u, s, vh)
    u_dot = tangents[0]
    s_dot = tangents[1]
    vh_dot = tangents[2]


@rule(linalg.svd, when={"compute_uv": False})
def svd_values(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    s = linalg.svd(a, full_matrices, False)
    a_bar = svdvals_adjoint(s_bar, a)
    s_dot = svdvals_tangent(a_dot, a)


@rule(linalg.svdvals)
def svdvals(a, overwrite_a=False, check_finite=True):
    s = linalg.svdvals(a)
    a_bar = svdvals_adjoint(s_bar, a)
    s_dot = svdvals_tangent(a_dot, a)


@rule(linalg.diagsvd, linear=("s",))
def diagsvd(s, M, N):
    y = linalg.diagsvd(s, M, N)
    s_bar = np.diagonal(y_bar, 0, -2, -1)[..., : np.shape(s)[-1]]


@rule(linalg.cholesky)
def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    c = linalg.cholesky(a, lower)
    full = cholesky_adjoint(c_bar, c, False if lower else True)
    a_bar = full if ndim(a) > 1 else np.reshape(full, np.shape(a))
    change = a_dot if ndim(a) > 1 else np.reshape(a_dot, np.shape(c))
    c_dot = cholesky_tangent(change, c, False if lower else True)


@rule(linalg.cho_solve)
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    x = linalg.cho_solve(c_and_lower, b)
    solved = linalg.cho_solve(c_and_lower, x_bar)
    c_and_lower_bar = (cho_solve_matrix_adjoint(solved, x, c_and_lower[0], c_and_lower[1], ndim(b)), None)
    b_bar = solved
    x_dot = cho_solve_tangent(c_and_lower_dot[0], b_dot, x, c_and_lower[0], c_and_lower[1], ndim(b))


@rule(linalg.cho_factor)
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    c, is_lower = linalg.cho_factor(a, lower)
    full = cholesky_adjoint(c_bar, np.tril(c) if lower else np.triu(c), False if lower else True)
    a_bar = full if ndim(a) > 1 else np.reshape(full, np.shape(a))
    change = a_dot if ndim(a) > 1 else np.reshape(a_dot, np.shape(c))
    c_dot = cholesky_tangent(change, np.tril(c) if lower else np.triu(c), False if lower else True)


@rule(linalg.polar, when={"side": "right"})
def polar(a, side="right"):
    u, p = linalg.polar(a)
    a_bar = polar_adjoint(u_bar, p_bar, u, p)
    tangents = polar_tangents(a_dot, u, p)
    u_dot = tangents[0]
    p_dot = tangents[1]


@rule(linalg.qr, when={"mode": "economic", "pivoting": False})
def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    q, r = linalg.qr(a, mode="economic")
    a_bar = qr_adjoint(q_bar, r_bar, q, r)
    tangents = qr_tangents(a_dot, q, r)
    q_dot = tangents[0]
    r_dot = tangents[1]


@rule(linalg.qr, when={"mode": "full", "pivoting": False})
def qr_full(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    q, r = linalg.qr(a)
    a_bar = qr_adjoint(q_bar, r_bar, demand_complete(q, r), r)
    tangents = qr_tangents(a_dot, demand_complete(q, r), r)
    q_dot = tangents[0]
    r_dot = tangents[1]


@rule(linalg.qr, when={"mode": "economic", "pivoting": True})
def qr_pivoted(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    q, r, p = linalg.qr(a, mode="economic", pivoting=True)
    a_bar = qr_adjoint(q_bar, r_bar, q, r)[:, np.argsort(p)]
    tangents = qr_tangents(a_dot[:, p], q, r)
    q_dot = tangents[0]
    r_dot = tangents[1]


# ---- functions of matrices ----


@rule(linalg.expm)
def expm(A):
    y = linalg.expm(A)
    A_bar = frechet_adjoint(linalg.expm, A, y_bar) if ndim(A) > 1 else np.reshape(y_bar * np.conj(y), np.shape(A))
    y_dot = frechet_derivative(linalg.expm, A, A_dot) if ndim(A) > 1 else y * np.reshape(A_dot, np.shape(y))


@rule(linalg.cosm)
def cosm(A):
    y = linalg.cosm(A)
    A_bar = frechet_adjoint(linalg.cosm, A, y_bar)
    y_dot = frechet_derivative(linalg.cosm, A, A_dot)


@rule(linalg.sinm)
def sinm(A):
    y = linalg.sinm(A)
    A_bar = frechet_adjoint(linalg.sinm, A, y_bar)
    y_dot = frechet_derivative(linalg.sinm, A, A_dot)


@rule(linalg.tanm)
def tanm(A):
    y = linalg.tanm(A)
    A_bar = frechet_adjoint(linalg.tanm, A, y_bar)
    y_dot = frechet_derivative(linalg.tanm, A, A_dot)


@rule(linalg.coshm)
def coshm(A):
    y = linalg.coshm(A)
    A_bar = frechet_adjoint(linalg.coshm, A, y_bar)
    y_dot = frechet_derivative(linalg.coshm, A, A_dot)


@rule(linalg.sinhm)
def sinhm(A):
    y = linalg.sinhm(A)
    A_bar = frechet_adjoint(linalg.sinhm, A, y_bar)
    y_dot = frechet_derivative(linalg.sinhm, A, A_dot)


@rule(linalg.tanhm)
def tanhm(A):
    y = linalg.tanhm(A)
    A_bar = frechet_adjoint(linalg.tanhm, A, y_bar)
    y_dot = frechet_derivative(linalg.tanhm, A, A_dot)


@rule(linalg.logm, infer="unknown")
def logm(A):
    y = linalg.logm(A)
    A_bar = frechet_adjoint(linalg.logm, A, y_bar)
    y_dot = frechet_derivative(linalg.logm, A, A_dot)


@rule(linalg.sqrtm, infer="unknown")
def sqrtm(A):
    y = linalg.sqrtm(A)
    A_bar = square_root_adjoint(y_bar, y, np.shape(A))
    y_dot = linalg.solve_sylvester(y, y, A_dot)


@rule(linalg.fractional_matrix_power, infer="unknown")
def fractional_matrix_power(A, t):
    y = linalg.fractional_matrix_power(A, t)
    A_bar = fractional_power_adjoint(A, t, y_bar)
    y_dot = fractional_power_derivative(A, t, A_dot)


# ---- matrix equations ----


@rule(linalg.solve_sylvester)
def solve_sylvester(a, b, q):
    x = linalg.solve_sylvester(a, b, q)
    solved = sylvester_adjoint(x_bar, a, b)
    a_bar = -solved @ ctranspose(x)
    b_bar = -ctranspose(x) @ solved
    q_bar = solved
    x_dot = linalg.solve_sylvester(a, b, q_dot - a_dot @ x - x @ b_dot)


@rule(linalg.solve_continuous_lyapunov, linalg.solve_lyapunov)
def solve_continuous_lyapunov(a, q):
    x = linalg.solve_continuous_lyapunov(a, q)
    solved = linalg.solve_continuous_lyapunov(ctranspose(a), x_bar)
    a_bar = -solved @ ctranspose(x) - ctranspose(solved) @ x
    q_bar = solved
    x_dot = linalg.solve_continuous_lyapunov(a, q_dot - a_dot @ x - x @ ctranspose(a_dot))


@rule(linalg.solve_discrete_lyapunov)
def solve_discrete_lyapunov(a, q, method=None):
    x = linalg.solve_discrete_lyapunov(a, q, method)
    solved = linalg.solve_discrete_lyapunov(ctranspose(a), x_bar, method)
    a_bar = solved @ a @ ctranspose(x) + ctranspose(solved) @ a @ x
    q_bar = solved
    x_dot = linalg.solve_discrete_lyapunov(a, q_dot + a_dot @ x @ ctranspose(a) + a @ x @ ctranspose(a_dot), method)


@rule(linalg.solve_continuous_are, when={"e": None, "s": None})
def solve_continuous_are(a, b, q, r, e=None, s=None, balanced=True):
    x = linalg.solve_continuous_are(a, b, q, r)
    gain = continuous_gain(x, b, r)
    solved = linalg.solve_continuous_lyapunov(a - b @ gain, -hermitian_part(x_bar))
    a_bar = 2.0 * x @ solved
    b_bar = -2.0 * x @ solved @ ctranspose(gain)
    q_bar = solved
    r_bar = gain @ solved @ ctranspose(gain)
    half = x @ (a_dot - b_dot @ gain) + 0.5 * (q_dot + ctranspose(gain) @ r_dot @ gain)
    x_dot = linalg.solve_continuous_lyapunov(ctranspose(a - b @ gain), -half - ctranspose(half))


@rule(linalg.solve_discrete_are, when={"e": None, "s": None})
def solve_discrete_are(a, b, q, r, e=None, s=None, balanced=True):
    x = linalg.solve_discrete_are(a, b, q, r)
    gain = discrete_gain(x, a, b, r)
    solved = linalg.solve_discrete_lyapunov(a - b @ gain, hermitian_part(x_bar))
    a_bar = 2.0 * x @ (a - b @ gain) @ solved
    b_bar = -2.0 * x @ (a - b @ gain) @ solved @ ctranspose(gain)
    q_bar = solved
    r_bar = gain @ solved @ ctranspose(gain)
    half = ctranspose(a - b @ gain) @ x @ (a_dot - b_dot @ gain) + 0.5 * (q_dot + ctranspose(gain) @ r_dot @ gain)
    x_dot = linalg.solve_discrete_lyapunov(ctranspose(a - b @ gain), half + ctranspose(half))


# ---- special matrices ----


@rule(linalg.block_diag, linear=("arrs",))
def block_diag(*arrs):
    y = linalg.block_diag(*arrs)
    arrs_bar = block_diag_adjoints(y_bar, shapes(arrs))


@rule(linalg.circulant, linear=("c",))
def circulant(c):
    y = linalg.circulant(c)
    c_bar = circulant_adjoint(y_bar, np.shape(c))


@rule(linalg.toeplitz, linear=("c", "r"))
def toeplitz(c, r=None):
    y = linalg.toeplitz(c, r)
    sums = toeplitz_column_adjoint(y_bar, r is None)
    c_bar = sums if ndim(c) == 1 else np.reshape(sums, np.shape(c))
    others = toeplitz_sums(y_bar.T, 1)
    r_bar = others if ndim(r) == 1 else np.reshape(others, np.shape(r))


@rule(linalg.hankel, linear=("c", "r"))
def hankel(c, r=None):
    y = linalg.hankel(c, r)
    sums = hankel_sums(y_bar)
    c_bar = sums[: np.size(c)]
    r_bar = np.concatenate([0.0 * sums[:1], sums[np.size(c) :]])


inactive(linalg.bandwidth, linalg.issymmetric, linalg.ishermitian)
