"""Rules for scipy.sparse: products and direct solutions, in the entries of a matrix and in the dense operand.

A matrix that is made of active entries, `csr_matrix((data, (rows, cols)))`, `csc_matrix`, `coo_matrix` or `diags`, is a
tuple in differentiated code; it has products with dense operands, `dot`, `toarray`, `transpose`, and `spsolve`.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from ...ir.types import INT, Num, Tup
from ...runtime.scipy.factors import (
    constant_solution,
    constant_solution_adjoint,
    factor_change,
    factor_matrix_adjoint,
    factor_solution,
    factorised,
    factors_of,
)
from ...runtime.scipy import iterative
from ...runtime.scipy.iterative import entries_solution, iterative_solution, solution_by
from ...runtime.scipy.matrices import (
    constant_product,
    constant_product_adjoint,
    constant_product_tangent,
    is_sparse,
    diagonal_columns,
    diagonal_extents,
    diagonal_rows,
    entries_adjoint,
    entries_of,
    extents,
    from_columns,
    from_diagonals,
    from_rows,
    same_extents,
    solve_written,
    sparse_dense,
    sparse_product,
    sparse_solution,
    spread_pointers,
    spsolve_adjoint,
)
from ..registry import inactive, rule, written_out


def _like(position):
    """An array with as many axes as an argument; its kind is told when the program runs."""

    def infer(*types, **named):
        t = types[position]
        rank = t.rank if isinstance(t, Num) else None
        return Num("?", None, rank, None if rank is None else True, None if rank is None else (None,) * rank)

    return infer


def _matrix(*types, **named):
    return Num(types[0].kind if isinstance(types[0], Num) else "?", None, 2, True, (None, None))


for _name in ("csr_matrix", "csr_array", "coo_matrix", "coo_array"):
    written_out(getattr(sparse, _name), from_rows, of_tuple=True)
for _name in ("csc_matrix", "csc_array"):
    written_out(getattr(sparse, _name), from_columns, of_tuple=True)
for _name in ("diags", "diags_array"):
    if hasattr(sparse, _name):
        written_out(getattr(sparse, _name), from_diagonals)
written_out(linalg.spsolve, solve_written, of_tuple=True)
written_out(linalg.splu, factorised, of_tuple=True)
written_out(linalg.factorized, factorised, of_tuple=True)
for _name in ("cg", "minres", "bicgstab", "gmres"):
    written_out(getattr(linalg, _name), getattr(iterative, _name), of_tuple=True)


@rule(sparse_product, multilinear=("data", "x"), infer=_like(4))
def sparse_product_(data, rows, cols, shape, x):
    y = sparse_product(data, rows, cols, shape, x)
    data_bar = entries_adjoint(y_bar, x, rows, cols)
    x_bar = sparse_product(np.conj(data), cols, rows, (shape[1], shape[0]), y_bar)


@rule(sparse_dense, linear=("data",), infer=_matrix)
def sparse_dense_(data, rows, cols, shape):
    y = sparse_dense(data, rows, cols, shape)
    data_bar = y_bar[rows, cols]


@rule(sparse_solution, infer=_like(4))
def sparse_solution_(data, rows, cols, shape, b):
    x = sparse_solution(data, rows, cols, shape, b)
    solved = sparse_solution(np.conj(data), cols, rows, shape, x_bar)
    data_bar = -entries_adjoint(solved, x, rows, cols)
    b_bar = solved
    x_dot = sparse_solution(data, rows, cols, shape, b_dot - sparse_product(data_dot, rows, cols, shape, x))


def _product(matrix, x):
    return Num("?")


@rule(constant_product, infer=_product)
def constant_product_(matrix, x):
    y = constant_product(matrix, x)
    x_bar = constant_product_adjoint(matrix, y_bar, np.shape(x))
    y_dot = constant_product_tangent(matrix, x_dot)


@rule(linalg.spsolve, infer=_like(1))
def spsolve(A, b, permc_spec=None, use_umfpack=True):
    x = linalg.spsolve(A, b)
    b_bar = spsolve_adjoint(A, x_bar)
    x_dot = linalg.spsolve(A, b_dot)


@rule(factor_solution, infer=_like(5))
def factor_solution_(factors, data, rows, cols, shape, b, adjoint=False):
    x = factor_solution(factors, data, rows, cols, shape, b, adjoint)
    solved = factor_solution(factors, data, rows, cols, shape, x_bar, not adjoint)
    data_bar = factor_matrix_adjoint(solved, x, rows, cols, adjoint)
    b_bar = solved
    change = factor_change(data_dot, rows, cols, shape, x, adjoint)
    x_dot = factor_solution(factors, data, rows, cols, shape, b_dot - change, adjoint)


@rule(constant_solution, infer=_like(1))
def constant_solution_(factors, rhs, trans="N"):
    x = constant_solution(factors, rhs, trans)
    rhs_bar = constant_solution_adjoint(x_bar, factors, trans)
    x_dot = constant_solution(factors, rhs_dot, trans)


# ---- iterative solutions: derivatives are solutions by the same method ----


def _solution_and_flag(*types, **named):
    return Tup((Num("?", None, 1, True, (None,)), INT))


@rule(linalg.cg, infer=_solution_and_flag, constant_in=("x0",))
def cg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    x, info = linalg.cg(A, b)
    options = {"rtol": rtol, "atol": atol, "maxiter": maxiter}
    b_bar = np.reshape(solution_by("cg", A, x_bar, info, options, M, True), np.shape(b))
    x_dot = solution_by("cg", A, np.ravel(b_dot), info, options, M)
    info_dot = 0.0


@rule(linalg.minres, infer=_solution_and_flag, constant_in=("x0",))
def minres(A, b, x0=None, *, rtol=1e-5, maxiter=None, M=None, callback=None):
    x, info = linalg.minres(A, b)
    options = {"rtol": rtol, "maxiter": maxiter}
    b_bar = np.reshape(solution_by("minres", A, x_bar, info, options, M, True), np.shape(b))
    x_dot = solution_by("minres", A, np.ravel(b_dot), info, options, M)
    info_dot = 0.0


@rule(linalg.bicgstab, infer=_solution_and_flag, constant_in=("x0",))
def bicgstab(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None):
    x, info = linalg.bicgstab(A, b)
    options = {"rtol": rtol, "atol": atol, "maxiter": maxiter}
    b_bar = np.reshape(solution_by("bicgstab", A, x_bar, info, options, M, True), np.shape(b))
    x_dot = solution_by("bicgstab", A, np.ravel(b_dot), info, options, M)
    info_dot = 0.0


@rule(linalg.gmres, infer=_solution_and_flag, constant_in=("x0",))
def gmres(A, b, x0=None, *, rtol=1e-5, atol=0.0, restart=None, maxiter=None, M=None, callback=None):
    x, info = linalg.gmres(A, b)
    options = {"rtol": rtol, "atol": atol, "restart": restart, "maxiter": maxiter}
    b_bar = np.reshape(solution_by("gmres", A, x_bar, info, options, M, True), np.shape(b))
    x_dot = solution_by("gmres", A, np.ravel(b_dot), info, options, M)
    info_dot = 0.0


@rule(solution_by, linear=("b",), infer=_like(2))
def solution_by_(method, A, b, info=0, options=None, M=None, adjoint=False):
    x = solution_by(method, A, b, info, options, M, adjoint)
    b_bar = solution_by(method, A, x_bar, info, options, M, not adjoint)


@rule(iterative_solution, infer=_solution_and_flag, constant_in=("x0",))
def iterative_solution_(method, data, rows, cols, shape, b, x0=None, options=None, M=None, callback=None):
    x, info = iterative_solution(method, data, rows, cols, shape, b, x0, options, M, callback)
    solved = entries_solution(method, data, rows, cols, shape, x_bar, info, options, M, True)
    data_bar = -entries_adjoint(solved, x, rows, cols)
    b_bar = np.reshape(solved, np.shape(b))
    change = np.ravel(b_dot) - sparse_product(data_dot, rows, cols, shape, x)
    x_dot = entries_solution(method, data, rows, cols, shape, change, info, options, M)
    info_dot = 0.0


@rule(entries_solution, infer=_like(5))
def entries_solution_(method, data, rows, cols, shape, b, info=0, options=None, M=None, adjoint=False):
    x = entries_solution(method, data, rows, cols, shape, b, info, options, M, adjoint)
    solved = entries_solution(method, data, rows, cols, shape, x_bar, info, options, M, not adjoint)
    data_bar = factor_matrix_adjoint(solved, x, rows, cols, adjoint)
    b_bar = solved
    change = b_dot - factor_change(data_dot, rows, cols, shape, x, adjoint)
    x_dot = entries_solution(method, data, rows, cols, shape, change, info, options, M, adjoint)


inactive(factors_of, extents, same_extents, is_sparse, entries_of, spread_pointers, diagonal_rows, diagonal_columns, diagonal_extents)
