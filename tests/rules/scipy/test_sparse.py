"""Rules of scipy.sparse: entries and dense operands of products and solutions, in both modes."""
import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import linalg

import adcompiler as ad
from adcompiler.rules.registry import lookup
from adcompiler.runtime.scipy import factors, iterative, matrices
from tests.rules.scipy.both_modes import check_both_modes
from tests.rules.template_check import check_template, uncovered_rules

lookup(linalg.spsolve)
from adcompiler.rules.scipy import sparse as rules  # noqa: E402

RNG = np.random.default_rng(14)
ROWS, COLS = np.array([0, 1, 2, 0, 2, 2, 1]), np.array([0, 1, 2, 2, 0, 0, 3])


def real(*shape):
    return RNG.standard_normal(shape)


def cplx(*shape):
    return real(*shape) + 1j * real(*shape)


SQUARE = (np.array([0, 1, 2, 0, 2, 2]), np.array([0, 1, 2, 2, 0, 0]))
DATA = np.array([4.0, 5.0, 6.0, 0.5, 0.3, 0.4])
CONSTANT = sparse.csc_matrix((DATA, SQUARE), (3, 3))
COMPLEX = sparse.csc_matrix(CONSTANT + 1j * sparse.eye(3))
SYMMETRIC, HERMITIAN, EXACT = CONSTANT @ CONSTANT.T, COMPLEX @ COMPLEX.conj().T, {"rtol": 1e-14}
ROW = np.array([1.0, 2.0, -1.0])
CASES = (
    [(matrices.sparse_product, (f(7), ROWS, COLS, (3, 4), g(*s)), {}) for f in (real, cplx) for g in (real, cplx) for s in [(4,), (4, 2)]]
    + [(matrices.sparse_dense, (f(7), ROWS, COLS, (3, 4)), {}) for f in (real, cplx)]
    + [(matrices.sparse_solution, (DATA + 0.1 * f(6), *SQUARE, (3, 3), f(*s)), {}) for f in (real, cplx) for s in [(3,), (3, 2)]]
    + [(matrices.constant_product, (m, f(*s)), {}) for m in (CONSTANT, sparse.csr_array(CONSTANT), 1j * CONSTANT, linalg.aslinearoperator(CONSTANT))
       for f in (real, cplx) for s in [(3,), (3, 2)]]
    + [(matrices.constant_product, (m, real(3)), {}) for m in (ROW, np.ones((2, 4, 3)), np.ones((4, 3)))]
    + [(linalg.spsolve, (CONSTANT, f(*s)), {}) for f in (real,) for s in [(3,), (3, 2)]]
    + [(solver, (SYMMETRIC, real(3)), EXACT) for solver in (linalg.cg, linalg.minres)]
    + [(linalg.cg, (HERMITIAN, cplx(3, 1)), EXACT), (linalg.gmres, (CONSTANT, real(3), real(3)), EXACT)]
    + [(solver, (CONSTANT, f(3)), EXACT) for solver in (linalg.gmres, linalg.bicgstab) for f in (real, cplx)]
    + [(iterative.solution_by, ("gmres", COMPLEX, cplx(3), 0, EXACT, None, a), {}) for a in (False, True)]
    + [(iterative.iterative_solution, ("gmres", DATA + 0.1 * f(6), *SQUARE, (3, 3), f(3), None, EXACT), {}) for f in (real, cplx)]
    + [(iterative.entries_solution, ("bicgstab", DATA + 0.1 * f(6), *SQUARE, (3, 3), f(3), 0, EXACT, None, a), {})
       for f in (real, cplx) for a in (False, True)]
)
# Factors cannot be copied, as the walk over all rules does.
FACTORED = [(factors.constant_solution, (linalg.splu(m), f(3), t), {}) for m in (CONSTANT, COMPLEX) for f in (real, cplx) for t in "NTH"]
LAPLACIAN = sparse.diags([np.full(5, -2.0), np.ones(4), np.ones(4)], [0, 1, -1]).tocsr()
ELSEWHERE = [  # the factors must move with the entries: checked by programs below
    (factors.factor_solution, (linalg.splu(CONSTANT), DATA, *SQUARE, (3, 3), ROW), {}),
]




def with_factors(data, b):
    return factors.factorised(matrices.SparseMatrix(data, *SQUARE, (3, 3))).solve(b)


def with_constant_factors(b):
    return linalg.splu(CONSTANT).solve(b, "T")


PROGRAMS = [(factors.factor_solution, with_factors, (DATA, ROW)), (factors.constant_solution, with_constant_factors, (ROW,))]


@pytest.mark.parametrize("function", sorted({f for f, _, _ in CASES + FACTORED}, key=lambda f: f.__name__))
def test_adjoint_and_tangent_agree_with_differences(function):
    for f, args, kwargs in CASES + FACTORED:
        if f is function:
            check_template(f, *args, tolerance=1e-5, **kwargs)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES + FACTORED + ELSEWHERE) == []


# ---- programs ----


def entries(data, b):
    a = sparse.csr_matrix((data, SQUARE), shape=(3, 3))
    return np.sum((a @ b) ** 2) + np.sum(a.dot(b)) + np.sum(a.toarray() ** 3)


def pointers(data, b):
    a = sparse.csc_array((data, np.array([0, 2, 1, 0, 1, 2]), np.array([0, 2, 3, 6])), shape=(3, 3))
    return np.sum((a @ b) ** 2)


def solved(data, b):
    a = sparse.csc_matrix((data, SQUARE))
    x = linalg.spsolve(a, b)
    return np.sum(x ** 3)


def poisson(k, f):
    """Diffusion with coefficients `k` at the faces between cells."""
    n = len(f)
    main = k[:-1] + k[1:]
    a = sparse.diags([main, -k[1:-1], -k[1:-1]], [0, 1, -1])
    u = linalg.spsolve(a.tocsc(), f)
    return np.sum(u ** 2) / n


def in_steps(data, b):
    a = sparse.csr_matrix((data, SQUARE), shape=(3, 3))
    for _ in range(3):
        b = b + 0.1 * (a @ b)
    return np.sum(b ** 2)


def transposed(data, b):
    a = sparse.coo_matrix((data, SQUARE), shape=(3, 3))
    return np.sum((a.transpose() @ b) ** 3)


@pytest.mark.parametrize("f", [entries, solved, in_steps, transposed])
def test_matrices_of_active_entries(f):
    ad.check_gradients(f, DATA, real(3), wrt=(0, 1))
    direction = real(6), real(3)
    b = real(3)
    _, tangent = ad.jvp(f, (DATA, b), direction)
    bars = ad.grad(f, wrt=(0, 1))(DATA, b)
    np.testing.assert_allclose(tangent, sum(g @ d for g, d in zip(bars, direction, strict=True)), rtol=1e-9)


class Solver:
    """A solver as programs keep one: matrices and factors in attributes."""

    def __init__(self):
        self.laplacian, self.factors = LAPLACIAN, linalg.splu(CONSTANT)

    def step(self, u, rate):
        """One implicit step of diffusion."""
        n = len(u)
        return linalg.spsolve((sparse.identity(n) - rate * self.laplacian).tocsc(), u)


def implicit_steps(rate, u):
    solver = Solver()
    for _ in range(3):
        u = solver.step(u, rate)
    return np.sum(u ** 3)


def factorised_once(rate, u):
    solve = linalg.factorized((sparse.eye(5) - rate * LAPLACIAN).tocsc())
    for _ in range(3):
        u = solve(u)
    return np.sum(u ** 3)


def arithmetic(rate, u):
    a = rate * LAPLACIAN - LAPLACIAN.T / (1.0 + rate)
    return np.sum(((2.0 * a - (-a) + sparse.eye(5) * rate) @ u) ** 2)


def of_constants(rate, u):
    x = linalg.factorized(CONSTANT)(rate * u[:3])
    return np.sum(x * linalg.splu(CONSTANT).solve(u[2:], trans="T") + Solver().factors.solve(rate * x))


def of_active_entries(rate, u):
    a = linalg.splu(sparse.csc_matrix((rate * DATA * (1.0 + 0.3j), SQUARE)))
    return np.sum(np.abs(a.solve(u[:3])) ** 2 + np.abs(a.solve(u[:3] * rate, "T")) ** 2 + np.abs(a.solve(u[1:4] * 1j, "H")) ** 2)


@pytest.mark.parametrize("f", [implicit_steps, factorised_once, arithmetic, of_constants, of_active_entries])
def test_matrices_that_depend_on_a_number_and_factorisations(f):
    u = real(5)
    check_both_modes(f, 0.7, u, tolerance=1e-6)
    second = ad.hessian(f)(0.7, u)
    np.testing.assert_allclose(second, (ad.grad(f)(0.7 + 1e-5, u) - ad.grad(f)(0.7 - 1e-5, u)) / 2e-5, rtol=1e-6)


def diffusion(k):
    return sparse.diags([k[:-1] + k[1:], -k[1:-1], -k[1:-1]], [0, 1, -1])


def by_conjugate_gradients(k, b):
    x, _ = linalg.cg(diffusion(k), b, rtol=1e-14)
    return np.sum(x * linalg.minres(diffusion(k), b, rtol=1e-14)[0] ** 2)


def started_from_the_last_step(k, b):
    x = np.zeros(len(b))
    for _ in range(3):
        x, info = linalg.cg(diffusion(k), b + 0.1 * x, x0=x, rtol=1e-14)
        if info != 0:
            raise ValueError(info)
    return np.sum(x ** 3)


def not_symmetric(k, b):
    a = sparse.diags([k[:-1] + k[1:], -k[1:-1], -0.5 * k[1:-1]], [0, 1, -1])
    return np.sum(linalg.bicgstab(a, linalg.gmres(a, b, rtol=1e-14)[0], rtol=1e-14)[0] ** 3)


ONE_WAY = linalg.LinearOperator((5, 5), linalg.spilu(sparse.csc_matrix(3.0 * sparse.eye(5) - LAPLACIAN)).solve)  # no rmatvec


def preconditioned(k, b):
    return np.sum(linalg.gmres(3.0 * sparse.eye(5) - k[0] * LAPLACIAN, b, rtol=1e-14, M=ONE_WAY)[0] ** 3)


@pytest.mark.parametrize("f", [by_conjugate_gradients, started_from_the_last_step, not_symmetric, preconditioned])
def test_iterative_solutions(f):
    k, b = np.array([1.0, 0.7, 1.6, 0.9, 1.2, 1.4]), np.array([0.4, -1.0, 0.3, 0.8, 0.5])
    check_both_modes(f, k, b, tolerance=1e-6)
    along, gradient = np.array([0.3, -0.5, 0.2, 1.0, 0.4, -0.7]), ad.grad(f)
    bent = (gradient(k + 1e-5 * along, b) - gradient(k - 1e-5 * along, b)) / 2e-5
    np.testing.assert_allclose(ad.hvp(f)(k, b, along), bent, rtol=1e-6, atol=1e-8)


def test_a_real_right_side_of_a_complex_matrix():
    """Its gradient is real at every order, though nothing in the program tells that the solution is complex."""
    def f(b):
        return np.sum(np.abs(linalg.gmres(COMPLEX, b, rtol=1e-14)[0]) ** 2)

    b = real(3)
    inverse = np.linalg.inv(COMPLEX.toarray())
    hessian = ad.hessian(f)(b)
    assert ad.grad(f)(b).dtype == float and hessian.dtype == float
    np.testing.assert_allclose(hessian, 2.0 * np.real(inverse.conj().T @ inverse), rtol=1e-10)


def test_an_iteration_that_was_stopped_has_no_derivative():
    with pytest.raises(RuntimeError, match="cg did not get to its tolerances .*raise maxiter"):
        ad.grad(lambda b: np.sum(linalg.cg(LAPLACIAN, b, maxiter=1)[0]))(real(5))
    with pytest.raises(TypeError, match="rmatvec="):
        ad.grad(lambda b: np.sum(linalg.gmres(ONE_WAY, b)[0]))(real(5))


@pytest.mark.parametrize("f, words", [
    (lambda c: np.sum(np.multiply(c, CONSTANT) @ ROW), "an active value meets a sparse matrix"),
    (lambda c: np.sum((c * (CONSTANT if ROW[0] > 0 else CONSTANT.T)) @ ROW), "an active value meets a sparse matrix"),
    (lambda c: np.sum((c * ROW * CONSTANT)), "is multiplied and divided by single numbers"),
    (lambda c: np.sum((c * CONSTANT) @ CONSTANT @ ROW), "has products with dense arrays"),
    (lambda c: np.sum((c * CONSTANT + np.eye(3).tolist()) @ ROW), "added to a list|an operator between"),
    (lambda c: np.sum((c * CONSTANT + sparse.eye(2)) @ ROW), "have no sum"),
    (lambda c: np.sum((c * CONSTANT + c * np.eye(3)) @ ROW), "is added to an array"),
])
def test_a_sparse_matrix_beside_an_active_value_is_never_taken_for_an_array(f, words):
    with pytest.raises((TypeError, ValueError, ad.AdcompilerError), match=words):
        ad.grad(f)(2.0)


def test_pointers_to_columns():
    ad.check_gradients(pointers, DATA, real(3), wrt=(0, 1))


def test_poisson_with_respect_to_its_coefficients():
    k, f = RNG.uniform(0.5, 2.0, 7), real(6)
    ad.check_gradients(poisson, k, f, wrt=(0, 1))
    n = 6
    a = np.diag(k[:-1] + k[1:]) - np.diag(k[1:-1], 1) - np.diag(k[1:-1], -1)
    u = np.linalg.solve(a, f)
    adjoint = np.linalg.solve(a.T, 2 * u / n)
    ends = np.concatenate([[0.0], u, [0.0]])
    adjoint = np.concatenate([[0.0], adjoint, [0.0]])
    np.testing.assert_allclose(ad.grad(poisson)(k, f), -np.diff(ends) * np.diff(adjoint), rtol=1e-10)


def constant_matrix(u):
    for _ in range(3):
        u = u + 0.1 * (LAPLACIAN @ u)
    return np.sum(u ** 2)


def constant_made_inside(u, n):
    a = sparse.diags([np.full(n, 4.0), np.ones(n - 1)], [0, 1]).tocsc()
    return np.sum(linalg.spsolve(a, u) * (a @ u) + a.dot(u))


def test_constant_matrices():
    check_both_modes(constant_matrix, real(5), tolerance=1e-7)
    check_both_modes(lambda u: constant_made_inside(u, 5), real(5), tolerance=1e-7)
    assert "LAPLACIAN.conj" not in ad.differentiable(constant_matrix).source("gradient", real(5))


def test_what_is_no_matrix_is_told():
    class Doubling:
        def __matmul__(self, x):
            return 2.0 * x

    with pytest.raises(TypeError, match="a product with a Doubling is not known"):
        matrices.constant_product_adjoint(Doubling(), real(3), (3,))


@pytest.mark.parametrize("f, words", [
    (lambda p: sparse.csr_matrix(p * np.eye(2)).toarray()[0, 0], "csr_matrix"),
    (lambda p: linalg.lgmres(sparse.eye(2), p * np.ones(2))[0][0], "lgmres"),
    (lambda p: sparse.csr_matrix((p * DATA, SQUARE)).power(2).toarray()[0, 0], "power"),
])
def test_refused(f, words):
    with pytest.raises(ad.AdcompilerError, match=words):
        ad.grad(f)(1.1)


def of_kinds_that_only_the_run_knows(x):
    before, pairs, total = None, [], 0.0
    for v in x:
        pairs.append((before, v))
        before = v * v
    for a, b in pairs:
        total += b if a is None else a * b
    return total


def test_the_look_for_sparse_matrices_cuts_no_derivative():
    ad.check_gradients(of_kinds_that_only_the_run_knows, np.array([0.7, -0.3, 1.1, 0.45]))
