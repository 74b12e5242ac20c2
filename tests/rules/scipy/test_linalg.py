"""Rules of scipy.linalg: keyword forms, complex matrices, stacks, and the part of a matrix that SciPy reads.

The differences move every entry of a matrix, so they tell which entries are read.
"""
import numpy as np
import pytest
from scipy import linalg

import adcompiler as ad
from adcompiler.rules.registry import lookup
from tests.rules.scipy.both_modes import check_both_modes
from tests.rules.template_check import check_template, uncovered_rules

lookup(linalg.inv)
from adcompiler.rules.scipy import linalg as rules  # noqa: E402

RNG = np.random.default_rng(17)


def real(*shape):
    return RNG.standard_normal(shape)


def cplx(*shape):
    return RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)


def regular(f, *shape):
    """Matrices far from singular ones."""
    return 0.3 * f(*shape) + 2.0 * np.eye(shape[-1])


def positive(a):
    return a @ np.swapaxes(a, -1, -2).conj() + 3.0 * np.eye(a.shape[-1])


def spread_out(f, *shape):
    u, _, vh = np.linalg.svd(f(*shape), full_matrices=False)
    return (u * np.arange(1.0, u.shape[-1] + 1)) @ vh


def pencil():
    """Matrices whose eigenvectors keep their signs nearby."""
    rng = np.random.default_rng(0)
    return np.diag([1.0, 3.0, 8.0]) + 0.2 * rng.standard_normal((3, 3)), positive(0.2 * rng.standard_normal((3, 3)))


BOTH = (real, cplx)
STRUCTURES = [None, "gen", "general", "sym", "symmetric", "her", "hermitian", "pos", "positive definite", "diagonal",
              "tridiagonal", "upper triangular", "lower triangular"]


def symmetric(a):
    return a + a.T


SYSTEMS = (
    [(linalg.solve, (regular(f, *s), g(*t)), {}) for f in BOTH for g in BOTH for s, t in [
        ((3, 3), (3,)), ((3, 3), (3, 2)), ((1, 1), (1,)), ((2, 3, 3), (3, 2)), ((2, 3, 3), (3,)), ((2, 3, 3), (2, 3, 1))]]
    + [(linalg.solve, (positive(0.4 * real(4, 4)), real(4)), {"assume_a": s, "lower": low}) for s in STRUCTURES
       for low in (False, True)]
    + [(linalg.solve, (positive(0.4 * cplx(4, 4)), cplx(4, 2)), {"assume_a": s, "lower": low}) for s in STRUCTURES
       if s not in ("sym", "symmetric") for low in (False, True)]
    + [(linalg.solve, (symmetric(regular(cplx, 4, 4)), cplx(4)), {"assume_a": "sym", "lower": low}) for low in (0, 1)]
    + [(linalg.solve, (regular(real, 3, 3), real(3)), {"transposed": True}),
       (linalg.solve, (regular(real, 3, 3), real(3, 2)), {"transposed": True, "check_finite": False})]
    + [(linalg.inv, (regular(f, *s),), {}) for f in BOTH for s in [(3, 3), (2, 3, 3), (1, 1)]]
    + [(linalg.solve_banded, ((low, up), 0.3 * f(low + up + 1, 5) + 3.0 * (np.arange(low + up + 1) == up)[:, None], g), {}) for f in BOTH
       for low, up in [(1, 1), (2, 0), (0, 1), (1, 2)] for g in (f(5), f(5, 2))]
    + [(linalg.solve_triangular, (regular(f, 3, 3), g), {"trans": t, "lower": low, "unit_diagonal": u})
       for f in BOTH for g in (f(3), f(3, 2)) for t in (0, 1, 2, "N", "T", "C") for low in (False, True)
       for u in (False, True)]
    + [(linalg.solve_toeplitz, (np.r_[4.0, real(3)], real(4)), {}), (linalg.solve_toeplitz, (np.r_[4.0, real(3)], real(4, 2)), {}),
       (linalg.solve_toeplitz, (np.r_[4.0, cplx(3)], cplx(4)), {}),
       (linalg.solve_toeplitz, ((np.r_[4.0, real(3)], real(4)), real(4)), {}),
       (linalg.solve_toeplitz, ((np.r_[4.0, cplx(3)], cplx(4)), cplx(4)), {})]
    + [(linalg.det, (f(*s),), {}) for f in BOTH for s in [(3, 3), (2, 3, 3)]]
    + [(linalg.norm, (f(3, 2),), {"ord": p}) for f in BOTH for p in (None, "fro", 1, 2, np.inf)]
    + [(linalg.norm, (real(3, 2),), {"axis": 1, "keepdims": True}), (linalg.norm, (real(4), 3), {})]
    + [(linalg.lstsq, (f(*s), f(*t)), {}) for f in BOTH for s, t in [
        ((5, 3), (5,)), ((5, 3), (5, 2)), ((3, 3), (3,)), ((3, 5), (3,)), ((3, 5), (3, 2))]]
    + [(linalg.lstsq, (real(5, 3), real(5)), {"cond": 1e-10, "lapack_driver": "gelsd"})]
    + [(linalg.pinv, (f(*s),), {}) for f in BOTH for s in [(4, 3), (3, 4)]]
    + [(linalg.khatri_rao, (f(3, 2), f(4, 2)), {}) for f in BOTH]
)
DECOMPOSITIONS = (
    [(linalg.eig, (np.diag([1.0, 2.0, 4.0]) + 0.3 * real(3, 3),), {}), (linalg.eig, (cplx(3, 3),), {}),
     (linalg.eigvals, (real(3, 3),), {}), (linalg.eigvals, (cplx(3, 3),), {})]
    + [(linalg.eigh, pencil()[:1], {"lower": low, "driver": "evd"}) for low in (True, False)]
    + [(linalg.eigh, (f(3, 3),), {"lower": low, "eigvals_only": True}) for f in BOTH for low in (True, False)]
    + [(linalg.eigvalsh, (f(3, 3),), {"lower": low}) for f in BOTH for low in (True, False)]
    + [(linalg.eigh, pencil(), {"lower": low})
       for low in (True, False)]
    + [(linalg.lu, (f(4, 4),), {}) for f in BOTH] + [(linalg.lu_factor, (f(4, 4),), {}) for f in BOTH]
    + [(linalg.svd, (spread_out(real, *s),), {"full_matrices": full}) for s, full in [
        ((3, 3), True), ((5, 3), False), ((3, 5), False)]]
    + [(linalg.svd, (f(4, 3),), {"compute_uv": False}) for f in BOTH] + [(linalg.svdvals, (f(4, 3),), {}) for f in BOTH]
    + [(linalg.diagsvd, (real(2), m, n), {}) for m, n in [(2, 2), (3, 2), (2, 4)]]
    + [(linalg.cholesky, (positive(f(3, 3)) + np.triu(real(3, 3), 1),), {"lower": low}) for f in BOTH for low in (True, False)]
    + [(linalg.polar, (regular(f, 3, 3),), {}) for f in BOTH]
    + [(linalg.qr, (f(*s),), {"mode": "economic"}) for f in BOTH for s in [(3, 3), (5, 3), (3, 5)]]
    + [(linalg.qr, (f(*s),), {}) for f in BOTH for s in [(3, 3), (3, 5)]]
)
FUNCTIONS = (
    [(linalg.expm, (f(*s),), {}) for f in BOTH for s in [(3, 3), (1, 1), (2, 3, 3)]] + [(linalg.expm, (np.zeros((2, 2)),), {})]
    + [(g, (0.4 * f(3, 3),), {}) for f in BOTH
       for g in (linalg.cosm, linalg.sinm, linalg.tanm, linalg.coshm, linalg.sinhm, linalg.tanhm)]
    + [(g, (positive(0.3 * f(3, 3)) + 0.2 * f(3, 3),), {}) for g in (linalg.logm, linalg.sqrtm) for f in BOTH]
    + [(linalg.fractional_matrix_power, (positive(0.3 * f(3, 3)), t), {}) for f in BOTH for t in (0.3, -1.5, 2)]
    + [(linalg.solve_sylvester, (regular(f, 3, 3), regular(f, 2, 2), f(3, 2)), {}) for f in BOTH]
    + [(linalg.solve_continuous_lyapunov, (regular(f, 3, 3), f(3, 3)), {}) for f in BOTH]
    + [(linalg.solve_discrete_lyapunov, (0.3 * f(3, 3), f(3, 3)), {"method": m}) for f in BOTH for m in (None, "direct")]
    + [(linalg.block_diag, (f(2, 3), f(1, 1), f(3)), {}) for f in BOTH] + [(linalg.block_diag, (real(2, 2), 1.5), {})]
    + [(linalg.circulant, (f(4),), {}) for f in BOTH]
    + [(linalg.toeplitz, (f(4),), {}) for f in BOTH] + [(linalg.toeplitz, (f(4), f(3)), {}) for f in BOTH]
    + [(linalg.hankel, (f(4), f(3)), {}) for f in BOTH] + [(linalg.hankel, (f(4),), {}) for f in BOTH]
)
LINE = np.array([1.0, 2.0, 0.5])
SCALARS = [  # a number is a matrix of one row, or a column of one entry
    *[(g, (4.0,), k) for g, k in [(linalg.cholesky, {}), (linalg.cholesky, {"lower": True}), (linalg.expm, {}), (linalg.toeplitz, {}),
                                  (linalg.circulant, {})]],
    (linalg.toeplitz, (4.0, LINE), {}), (linalg.toeplitz, (LINE, 2.0), {}), (linalg.expm, (np.array([0.3]),), {}),
]
CASES = SYSTEMS + DECOMPOSITIONS + FUNCTIONS + SCALARS
ELSEWHERE = [  # adjoints checked by programs below: results that are not smooth in every entry, directions that are not free
    (linalg.lu_solve, ((np.eye(2), np.arange(2)), real(2)), {}), (linalg.cho_solve, ((np.eye(2), True), real(2)), {}),
    (linalg.cho_factor, (np.eye(2),), {}), (linalg.solve_continuous_are, (np.eye(2),) * 4, {}),
    (linalg.solve_discrete_are, (np.eye(2),) * 4, {}), (linalg.qr, (np.eye(2),), {"mode": "economic", "pivoting": True}),
]


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_adjoint_and_tangent_agree_with_differences(function, args, kwargs):
    check_template(function, *args, tolerance=2e-5, **kwargs)


@pytest.mark.parametrize("function", [linalg.cholesky, linalg.toeplitz, linalg.expm])
def test_the_gradient_of_a_number_is_a_number(function):
    gradient = ad.grad(lambda x: np.sum(function(x)))(2.0)
    assert type(gradient) is float and np.isclose(gradient, ad.jvp(lambda x: np.sum(function(x)), (2.0,), (1.0,))[1])


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES + ELSEWHERE) == []


def tangent_agrees(function, directions, *args, several=None, **kwargs):
    """The tangent of one result along directions of the arguments, with the difference quotient; returns it."""
    rule = lookup(function)
    rule = rule.for_call(rule.signature.bind(*args, **kwargs).arguments)
    names = list(rule.signature.parameters)

    def at(h):
        out = function(*[a + h * d if d is not None else a for a, d in zip(args, directions)], **kwargs)
        return out if several is None else out[several]

    given = {names[k]: d for k, d in enumerate(directions) if d is not None}
    got = rule.evaluate_tangent(given, args, kwargs, function=function)
    got = got if several is None else got[several]
    return np.asarray(got), (at(1e-6) - at(-1e-6)) / 2e-6


def check_factorised(function, factor, rest, b, f, **kwargs):
    """Both modes of `function((factor, rest), b)` against differences."""
    rule = lookup(function)
    first = next(iter(rule.signature.parameters))
    x_bar, factor_dot, b_dot = f(*b.shape), f(*factor.shape), f(*b.shape)
    args = ((factor, rest), b)

    def at(h):
        return function((factor + h * factor_dot, rest), b + h * b_dot, **kwargs)

    x_dot = rule.evaluate_tangent({first: (factor_dot, None), "b": b_dot}, args, kwargs, function=function)
    np.testing.assert_allclose(x_dot, (at(1e-6) - at(-1e-6)) / 2e-6, rtol=1e-6, atol=1e-7)
    factor_bar, none = rule.evaluate_adjoint(first, args, kwargs, x_bar)
    b_bar = rule.evaluate_adjoint("b", args, kwargs, x_bar)
    assert none is None
    inner = np.sum(factor_bar.conj() * factor_dot) + np.sum(b_bar.conj() * b_dot)
    np.testing.assert_allclose(inner.real, np.sum(x_bar.conj() * x_dot).real)


@pytest.mark.parametrize("f", BOTH)
@pytest.mark.parametrize("columns", [(), (2,)])
def test_factorised_systems(f, columns):
    for lower in (True, False):
        c, _ = linalg.cho_factor(positive(f(3, 3)), lower)
        check_factorised(linalg.cho_solve, c, lower, f(3, *columns), f)
    for trans in (0, 1, 2):
        lu, piv = linalg.lu_factor(f(4, 4))
        check_factorised(linalg.lu_solve, lu, piv, f(4, *columns), f, trans=trans)


@pytest.mark.parametrize("f", BOTH)
@pytest.mark.parametrize("lower", [True, False])
def test_cho_factor_has_a_derivative_in_its_triangle(f, lower):
    part = np.tril if lower else np.triu
    a, c_bar, direction = positive(f(3, 3)), f(3, 3), f(3, 3)
    got, want = tangent_agrees(linalg.cho_factor, (direction,), a, several=0, lower=lower)
    np.testing.assert_allclose(part(got), part(want), rtol=1e-6, atol=1e-7)
    a_bar = lookup(linalg.cho_factor).evaluate_adjoint("a", (a, lower), {}, c_bar, None)
    np.testing.assert_allclose(np.sum(a_bar.conj() * direction).real, np.sum(part(c_bar).conj() * part(got)).real)


@pytest.mark.parametrize("f", BOTH)
def test_pivoted_qr(f):
    a = f(4, 3)
    q, r, p = linalg.qr(a, mode="economic", pivoting=True)
    rule = lookup(linalg.qr).for_call({"mode": "economic", "pivoting": True})
    q_bar, r_bar, direction = f(*q.shape), f(*r.shape), f(*a.shape)
    kwargs = {"mode": "economic", "pivoting": True}
    for k in (0, 1):
        got, want = tangent_agrees(linalg.qr, (direction,), a, several=k, **kwargs)
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-7)
    a_bar = rule.evaluate_adjoint("a", (a,), kwargs, q_bar, r_bar, 0.0)
    q_dot, r_dot, _ = rule.evaluate_tangent({"a": direction}, (a,), kwargs, function=linalg.qr)
    want = np.sum(q_bar.conj() * q_dot).real + np.sum(r_bar.conj() * r_dot).real
    np.testing.assert_allclose(np.sum(a_bar.conj() * direction).real, want)


@pytest.mark.parametrize("function", [linalg.solve_continuous_are, linalg.solve_discrete_are])
@pytest.mark.parametrize("f", BOTH)
def test_riccati_equations(function, f):
    """Weights move along Hermitian directions only: others are refused by SciPy."""
    args = (0.5 * f(3, 3), f(3, 2), positive(f(3, 3)), positive(f(2, 2)))
    free = (f(3, 3), f(3, 2), f(3, 3), f(2, 2))
    directions = (*free[:2], *[d + d.conj().T for d in free[2:]])
    got, want = tangent_agrees(function, directions, *args)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    x_bar = f(3, 3)
    bars = [lookup(function).evaluate_adjoint(p, args, {}, x_bar) for p in "abqr"]
    inner = sum(np.sum(g.conj() * d).real for g, d in zip(bars, directions, strict=True))
    np.testing.assert_allclose(inner, np.sum(x_bar.conj() * got).real, rtol=1e-9)


def solved_by_factors(a, b):
    return linalg.lu_solve(linalg.lu_factor(a), b)


def solved_by_cholesky(a, b):
    return linalg.cho_solve(linalg.cho_factor(a @ a.T + np.eye(3)), b)


def log_determinant(a):
    return 2.0 * np.sum(np.log(np.diag(linalg.cho_factor(a @ a.T + np.eye(3))[0])))


def pivoted(a):
    q, r, p = linalg.qr(a, mode="economic", pivoting=True)
    return q * q @ (r * r)


def continuous_riccati(a, b, q, r):
    return linalg.solve_continuous_are(a, b, q @ q.T + np.eye(3), r @ r.T + np.eye(2))


def discrete_riccati(a, b, q, r):
    return linalg.solve_discrete_are(a, b, q @ q.T + np.eye(3), r @ r.T + np.eye(2))


RICCATI = (0.5 * real(3, 3), real(3, 2), real(3, 3), real(2, 2))
# the rule that is checked, a program around its call, arguments
PROGRAMS = [
    (linalg.lu_solve, solved_by_factors, (regular(real, 3, 3), real(3))),
    (linalg.cho_solve, solved_by_cholesky, (real(3, 3), real(3))), (linalg.cho_factor, log_determinant, (real(3, 3),)),
    (lookup(linalg.qr).for_call({"mode": "economic", "pivoting": True}), pivoted, (real(4, 3),)), (linalg.solve_continuous_are, continuous_riccati, RICCATI),
    (linalg.solve_discrete_are, discrete_riccati, RICCATI),
]


def test_programs():
    a, b = regular(real, 4, 4), real(4)

    def factorised_once(a, b):
        factors = linalg.lu_factor(a)
        x = b
        for _ in range(3):
            x = linalg.lu_solve(factors, x) + b
        lu, piv = factors
        return np.sum(x ** 2) + np.sum(np.log(np.abs(np.diag(lu))))

    def gaussian(a, b):
        c = linalg.cho_factor(a @ a.T + np.eye(4), lower=True)
        return b @ linalg.cho_solve(c, b) + 2.0 * np.sum(np.log(np.diag(c[0])))

    def by_triangle(a, b):
        l = linalg.cholesky(a @ a.T + np.eye(4), lower=True)
        z = linalg.solve_triangular(l, b, lower=True)
        return z @ z + 2.0 * np.sum(np.log(np.diagonal(l)))

    for f in (factorised_once, gaussian, by_triangle):
        ad.check_gradients(f, a, b, wrt=(0, 1))
    np.testing.assert_allclose(ad.grad(gaussian, wrt=(0, 1))(a, b)[0], ad.grad(by_triangle, wrt=(0, 1))(a, b)[0])
    ad.check_gradients(lambda t: np.sum(linalg.expm(t * a)[0]), 0.3)
    ad.check_gradients(lambda c, r: np.sum(linalg.toeplitz(c, r) ** 2), real(3), real(4), wrt=(0, 1))
    ad.check_gradients(lambda x: np.sum(linalg.block_diag(x[:2], x[2:] * x[0]) ** 3), real(5))
    ad.check_gradients(lambda c, r, b: np.sum(linalg.solve_toeplitz((c, r), b) ** 2), np.r_[4.0, real(2)], real(3), real(3), wrt=(0, 1, 2))
    ad.check_gradients(lambda a: np.sum(linalg.sqrtm(a @ a.T)), a)
    ad.check_gradients(lambda a, b: np.sum(linalg.eigh(a, b @ b.T + np.eye(3), eigvals_only=False)[0] ** 2),
                       real(3, 3), real(3, 3), wrt=(0, 1))


@pytest.mark.parametrize("call, words", [
    (lambda a: np.sum(linalg.inv(a, overwrite_a=True)), "'overwrite_a' lets scipy.linalg.inv write"),
    (lambda a: np.sum(linalg.solve(a, np.ones(3), False, True)), "'overwrite_a' lets scipy.linalg.solve write"),
    (lambda a: np.sum(linalg.eigh(a, subset_by_index=[0, 1])[0]), "subset_by_index"),
    (lambda a: np.sum(linalg.qr(a, pivoting=True)[1]), "this form of scipy.linalg.qr"),
    (lambda a: np.sum(linalg.pinv(a, return_rank=True)[0]), "this form of scipy.linalg.pinv"),
    (lambda a: np.sum(linalg.schur(a)[0]), "scipy.linalg.schur"),
])
def test_refused(call, words):
    with pytest.raises(ad.AdcompilerError, match=words):
        ad.grad(call)(np.eye(3) + 0.1)


def test_a_form_that_only_the_run_tells_is_refused():
    def values(a, only):
        return np.sum(linalg.eigh(a, eigvals_only=only)[0])

    with pytest.raises(ad.MissingRuleError, match="this form of scipy.linalg.eigh"):
        ad.grad(values)(np.eye(3), 1)


def test_overwritten_constants_are_read_before():
    """An inactive array that SciPy may write into is saved in time."""
    def f(x, a):
        a = a.copy()
        y = np.sum(x * a)
        linalg.inv(a, overwrite_a=True)
        return y ** 2

    a = np.asfortranarray(regular(real, 3, 3))
    ad.check_gradients(f, real(3, 3), a, wrt=0)


@pytest.mark.parametrize("call, args", [
    (lambda a: linalg.lu_factor(a)[0], (real(4, 3),)), (lambda a: linalg.qr(a)[0], (real(4, 3),)),
    (lambda a: linalg.toeplitz(a), (real(2, 3),)),
])
def test_shapes_without_a_derivative_are_refused_at_run_time(call, args):
    with pytest.raises(ValueError, match="derivative|determined"):
        ad.vjp(call, *args)[1](call(*args))


def test_logarithm_at_an_eigenvalue_on_the_cut():
    """A negative eigenvalue of a real matrix has the argument pi, and stays there for real changes."""
    a, direction, h = np.array([[1.0, 0.3, 0.1], [0.2, -2.0, 0.4], [0.0, 0.3, 3.0]]), real(3, 3), 1e-6
    seed = cplx(3, 3)
    wanted = np.real(np.vdot(seed, (linalg.logm(a + h * direction) - linalg.logm(a - h * direction)) / (2 * h)))
    np.testing.assert_allclose(np.sum(ad.vjp(linalg.logm, a, wrt=0)[1](seed) * direction), wanted, rtol=1e-6)
    np.testing.assert_allclose(np.real(np.vdot(seed, ad.jvp(linalg.logm, (a,), (direction,))[1])), wanted, rtol=1e-6)


@pytest.mark.parametrize("function, c", [
    (linalg.circulant, real(2, 4)), (linalg.circulant, np.array(2.0)), (lambda s: linalg.diagsvd(s, 3, 4), real(2, 3))])
def test_stacks_of_vectors_as_matrices(function, c):
    """The functions are linear, so that the pullback is the transpose of the call."""
    seed, direction = np.random.default_rng(1).standard_normal(function(c).shape), np.random.default_rng(2).standard_normal(c.shape)
    gradient = ad.vjp(function, c, wrt=0)[1](seed)
    assert np.shape(gradient) == np.shape(c)
    np.testing.assert_allclose(np.sum(gradient * direction), np.sum(seed * function(np.asarray(direction))))
    np.testing.assert_allclose(ad.jvp(function, (c,), (direction,))[1], function(np.asarray(direction)))


BAND = np.array([[0.0, 0.0, 0.3, -0.2], [0.0, 0.5, 0.4, 0.6], [4.0, 5.0, 6.0, 5.0]])
RIGHT = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.2], [-0.7, 1.1]])


@pytest.mark.parametrize("f, args", [
    (lambda ab, b: np.sum(linalg.solveh_banded(ab, b) ** 3), (BAND, RIGHT)),
    (lambda ab, b: np.sum(linalg.solveh_banded(ab, b[:, 0], lower=True) ** 3), (BAND[::-1], RIGHT)),
    (lambda ab, b: np.sum(np.abs(linalg.solveh_banded(ab * (1.0 + 0.5j), b)) ** 2), (BAND, RIGHT)),
])
def test_structured_systems(f, args):
    check_both_modes(f, *args, tolerance=1e-6)
    assert np.isclose(f(*args), ad.value_and_grad(f)(*args)[0], rtol=1e-12)


def test_a_band_is_not_overwritten():
    with pytest.raises(ValueError, match="overwrite_ab"):
        ad.grad(lambda c: linalg.solveh_banded(c * BAND, np.ones(4), overwrite_ab=True)[0])(1.5)


@pytest.mark.parametrize("function", [linalg.logm, lambda a: linalg.fractional_matrix_power(a, 0.37)])
def test_derivatives_of_matrix_functions_leave_the_random_numbers_of_the_program_alone(function):
    """SciPy estimates norms with random vectors: a pullback draws the same ones each time, and puts the generator back."""
    a = np.diag([1.0, 2.0, 5.0, 9.0]) + 0.3 * np.ones((4, 4))
    _, pullback = ad.vjp(function, a)
    np.random.seed(1)
    first, drawn = pullback(np.ones((4, 4))), np.random.random()
    np.random.seed(1)
    assert drawn == np.random.random()
    np.testing.assert_array_equal(pullback(np.ones((4, 4))), first)
