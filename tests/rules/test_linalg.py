"""Rules of numpy.linalg: stacks, complex matrices, keyword forms, and the choices at singular points.

Of a matrix of which NumPy reads one triangle the differences move every entry, so they tell which triangle it is.
"""
import numpy as np
import pytest

from adcompiler.rules import linalg
from adcompiler.rules.registry import all_rules, lookup
from tests.rules.template_check import check_template, inner, randomly

RNG = np.random.default_rng(11)


def real(*shape):
    return RNG.standard_normal(shape)


def cplx(*shape):
    return RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)


def positive(a):
    """A positive definite matrix (or a stack) made from a square one."""
    return a @ np.swapaxes(a, -1, -2).conj() + 3.0 * np.eye(a.shape[-1])


def spread_out(*shape, kind=real):
    """Matrices with well separated singular values."""
    u, _, vh = np.linalg.svd(kind(*shape), full_matrices=False)
    return (u * np.arange(1.0, u.shape[-1] + 1)) @ vh


BOTH = (real, cplx)
SQUARES = [(1, 1), (3, 3), (2, 3, 3), (2, 2, 4, 4)]
LONG = np.array([1.0, -2.0, 3.0, 0.5])

CASES = (
    [(np.linalg.cholesky, (positive(f(*s)),), {"upper": u}) for f in BOTH for s in SQUARES for u in (False, True)]
    + [(np.linalg.cholesky, (positive(real(3, 3)) + np.triu(real(3, 3), 1),), {})]
    + [(np.linalg.qr, (f(*s),), {"mode": m}) for f in BOTH for m in ("reduced", "r")
       for s in [(3, 3), (5, 3), (3, 5), (2, 4, 3), (2, 3, 4), (1, 1), (4, 1), (1, 4)]]
    + [(np.linalg.svd, (spread_out(*s),), {"full_matrices": full}) for s, full in [
        ((3, 3), True), ((3, 3), False), ((5, 3), False), ((3, 5), False), ((4, 3), True), ((3, 4), True),
        ((2, 3, 3), True),
        ((2, 4, 3), False), ((1, 1), True), ((4, 1), False)]]
    + [(np.linalg.svd, (f(*s),), {"compute_uv": False}) for f in BOTH for s in [(3, 3), (5, 3), (2, 3, 4)]]
    + [(np.linalg.svdvals, (f(*s),), {}) for f in BOTH for s in [(3, 3), (2, 5, 3)]]
    + [(np.linalg.eig, (a,), {}) for a in [
        np.diag([1.0, 2.0, 4.0]) + 0.3 * real(3, 3), np.array([[1.0, 2.0], [-3.0, 1.5]]), cplx(3, 3), cplx(2, 3, 3),
        np.diag([1.0, 2.0]) + 0.2 * real(2, 2, 2), real(1, 1)]]
    + [(np.linalg.eigvals, (a,), {}) for a in [
        real(3, 3), cplx(3, 3), cplx(2, 3, 3), np.array([[0.0, 1.0], [-1.0, 0.0]])]]
    + [(np.linalg.eigh, (real(*s),), {"UPLO": uplo}) for s in SQUARES for uplo in "LUlu"]
    + [(np.linalg.eigvalsh, (f(*s),), {"UPLO": uplo}) for f in BOTH for s in SQUARES for uplo in "LU"]
    + [(np.linalg.eigh, (real(4, 4),), {}), (np.linalg.eigvalsh, (real(3, 3).T,), {})]
    + [(np.linalg.norm, (f(*s), *a), kw) for f in BOTH for s, a, kw in [
        ((4,), (), {}), ((2, 3), (), {}), ((2, 3, 4), (), {}), ((2, 3), (), {"keepdims": True}),
        ((4,), (), {"axis": 0}),
        ((2, 3), (None, -1), {}), ((2, 3), (), {"axis": (0, 1)}), ((2, 3, 4), (), {"axis": (2, 0), "keepdims": True}),
        ((2, 3), (2, 1), {}), ((2, 3), (2, 0, True), {})]]
    + [(np.linalg.norm, (f(4) + 0.1,), {"ord": p}) for f in BOTH
       for p in (None, 0, 1, 2, 3, 1.5, 0.5, -1, -2.5, np.inf, -np.inf)]
    + [(np.linalg.norm, (f(3, 4),), {"ord": p, "axis": 1, "keepdims": k}) for f in BOTH
       for p in (0, 1, 2, 3, 0.5, np.inf, -np.inf) for k in (True, False)]
    + [(np.linalg.norm, (f(3, 4),), {"ord": p}) for f in BOTH for p in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)]
    + [(np.linalg.norm, (f(3, 2, 4),), {"ord": p, "axis": axis, "keepdims": k}) for f in BOTH
       for p in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf) for axis, k in [((0, 2), False), ((-1, 1), True)]]
    + [(np.linalg.norm, (LONG[::2],), {}), (np.linalg.norm, (real(3, 4).T,), {"ord": 1})]
    + [(np.linalg.matrix_norm, (f(*s),), {"ord": p, "keepdims": k}) for f in BOTH for s in [(3, 2), (2, 3, 4)]
       for p in ("fro", "nuc", 1, -1, 2, -2, np.inf) for k in (True, False)]
    + [(np.linalg.matrix_norm, (real(2, 3),), {})]
    + [(np.linalg.vector_norm, (f(2, 3, 4),), {"axis": axis, "keepdims": k, "ord": p}) for f in BOTH
       for axis in (None, 0, -1, (0, 2)) for p in (1, 2, 3, np.inf) for k in (True, False)]
    + [(np.linalg.vector_norm, (real(3),), {})]
    + [(np.linalg.cond, (f(*s),), {"p": p}) for f in BOTH for s in [(3, 3), (2, 3, 3)]
       for p in (None, 2, -2, 1, -1, np.inf, -np.inf, "fro")]
    + [(np.linalg.cond, (real(4, 3),), {})]
    + [(f, (k(*s),), {}) for f in (np.linalg.det, np.linalg.slogdet, np.linalg.inv, np.linalg.pinv) for k in BOTH
       for s in SQUARES]
    + [(np.linalg.det, (a,), {}) for a in [np.array([[1.0, 2.0], [2.0, 4.0]]), np.zeros((2, 2)), np.zeros((1, 1)),
                                           np.diag([1.0, 0.0, 3.0]), np.diag([1.0, 0.0, 0.0, 2.0]),
                                           np.zeros((3, 3)) + 0j,
                                           np.stack([np.eye(2), np.ones((2, 2))]), np.diag(np.r_[0.0, np.ones(13)]),
                                           np.diag(np.r_[0j, 1j * np.ones(13)]) + np.triu(cplx(14, 14), 1)]]
    + [(np.linalg.det, (real(3, 3).T,), {})]
    + [(np.linalg.solve, (f(*s), g(*t)), {}) for f in BOTH for g in BOTH for s, t in [
        ((3, 3), (3,)), ((3, 3), (3, 2)), ((2, 3, 3), (3,)), ((2, 3, 3), (3, 2)), ((3, 3), (5, 3, 2)),
        ((2, 3, 3), (2, 3, 2)), ((1, 3, 3), (5, 3, 2)), ((4, 1, 3, 3), (5, 3, 1)), ((1, 1), (1,))]]
    + [(np.linalg.solve, (real(3, 3).T, real(6)[::2]), {})]
    + [(np.linalg.tensorsolve, (f(2, 3, 6), f(2, 3)), {}) for f in BOTH]
    + [(np.linalg.tensorsolve, (real(2, 6, 3), real(2, 3)), {"axes": (1,)}),
       (np.linalg.tensorsolve, (cplx(2, 3, 3, 2), cplx(3, 2)), {"axes": (0, 2)})]
    + [(np.linalg.lstsq, (f(*s), f(*t)), {"rcond": None}) for f in BOTH for s, t in [
        ((5, 3), (5,)), ((5, 3), (5, 2)), ((3, 3), (3,)), ((3, 5), (3,)), ((3, 5), (3, 2)), ((5, 1), (5,))]]
    + [(np.linalg.lstsq, (real(5, 3), real(5)), {"rcond": r}) for r in (1e-10, -1)]
    + [(np.linalg.pinv, (f(*s),), {}) for f in BOTH for s in [(4, 3), (3, 4), (2, 3, 2)]]
    + [(np.linalg.pinv, (real(4, 3),), {option: 1e-10}) for option in ("rcond", "rtol")]
    + [(np.linalg.tensorinv, (f(*s),), {"ind": i}) for f in BOTH for s, i in [((4, 6, 8, 3), 2), ((6, 2, 3), 1)]]
    + [(np.linalg.matrix_power, (f(*s) + 2 * np.eye(s[-1]), n), {}) for f in BOTH for s in [(1, 1), (3, 3), (2, 3, 3)]
       for n in (-3, -1, 0, 1, 2, 5)]
)


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_adjoint_agrees_with_differences(function, args, kwargs):
    check_template(function, *args, tolerance=2e-5, **kwargs)


def test_every_rule_of_the_file_has_a_case():
    tried = set()
    for function, args, kwargs in CASES:
        rule = lookup(function)
        rule = rule.for_call(rule.signature.bind(*args, **kwargs).arguments)
        tried.add(rule.name + str(rule.when))
    here = [r for r in all_rules() if r.namespace.get("__name__") == linalg.__name__]
    assert here and [r.name for r in here if r.name + str(r.when) not in tried] == []


@pytest.mark.parametrize("kwargs", [{"mode": "complete"}, {"mode": "raw"}])
def test_forms_without_a_derivative_have_no_template(kwargs):
    assert lookup(np.linalg.qr).for_call(kwargs) is None


# ---- functions that do not depend on the choice of eigenvectors ----

def spectral_difference(matrix_function, a, g, direction, step=1e-6):
    moved = matrix_function(a + step * direction) - matrix_function(a - step * direction)
    return inner(g, moved / (2 * step))


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("uplo", "LU")
@pytest.mark.parametrize("spectrum", [[1.0, 2.0, 4.0], [2.0, 2.0, 2.0], [1.0, 3.0, 3.0]])
def test_eigh_of_a_matrix_function(kind, uplo, spectrum):
    q, _ = np.linalg.qr(kind(3, 3))
    a = (q * spectrum) @ q.conj().T
    g, direction = kind(3, 3), kind(3, 3)

    def exponential(m):
        w, v = np.linalg.eigh(m, uplo)
        return (v * np.exp(w)) @ v.conj().T

    w, v = np.linalg.eigh(a, uplo)
    f = np.exp(w)
    w_bar = (v.conj().T @ g @ v).diagonal().real * f
    v_bar = (g + g.conj().T) @ v * f
    a_bar = linalg.eigh_adjoint(w_bar, v_bar, w, v, uplo)
    want = spectral_difference(exponential, a, g, direction)
    assert inner(a_bar, direction) == pytest.approx(want, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 5)])
@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("spectrum", [[1.0, 2.0, 4.0], [2.0, 2.0, 2.0], [1.0, 3.0, 3.0]])
def test_svd_of_a_matrix_function(kind, shape, full, spectrum):
    u, _, vh = np.linalg.svd(kind(*shape), full_matrices=False)
    a = (u * spectrum) @ vh
    g, direction = kind(*shape), kind(*shape)

    def cube(m):
        u, s, vh = np.linalg.svd(m, full_matrices=False)
        return (u * s ** 3) @ vh

    u, s, vh = np.linalg.svd(a, full_matrices=full)
    u_bar, vh_bar = np.zeros_like(u), np.zeros_like(vh)
    u_bar[:, :3] = g @ vh[:3].conj().T * s ** 3
    vh_bar[:3] = (s ** 3)[:, np.newaxis] * (u[:, :3].conj().T @ g)
    s_bar = 3 * s ** 2 * (u[:, :3].conj().T @ g @ vh[:3].conj().T).diagonal().real
    a_bar = linalg.svd_adjoint(u_bar, s_bar, vh_bar, u, s, vh)
    assert inner(a_bar, direction) == pytest.approx(spectral_difference(cube, a, g, direction), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("shape", [(5, 2), (2, 5)])
def test_full_svd_of_a_function_of_the_null_space(kind, shape):
    a, direction = spread_out(*shape, kind=kind), kind(*shape)
    g = kind(5, 5)

    def projector(m):
        u, s, vh = np.linalg.svd(m)
        null = u[:, 2:] if shape[0] == 5 else vh[2:].conj().T
        return null @ null.conj().T

    u, s, vh = np.linalg.svd(a)
    u_bar, vh_bar = np.zeros_like(u), np.zeros_like(vh)
    if shape[0] == 5:
        u_bar[:, 2:] = (g + g.conj().T) @ u[:, 2:]
    else:
        vh_bar[2:] = vh[2:] @ (g + g.conj().T)
    a_bar = linalg.svd_adjoint(u_bar, np.zeros(2), vh_bar, u, s, vh)
    assert inner(a_bar, direction) == pytest.approx(spectral_difference(projector, a, g, direction), rel=1e-5, abs=1e-6)


# ---- singular points ----

def adjoint(function, x, *args, result_bar=1.0, **kwargs):
    rule = lookup(function)
    bars = result_bar if isinstance(result_bar, tuple) else (result_bar,)
    return rule.evaluate_adjoint(rule.differentiable[0], (x, *args), kwargs, *bars)


def test_values_alone_are_smooth_where_all_eigenvalues_are_equal():
    a = np.diag([2.0, 2.0])
    assert adjoint(np.linalg.eigvalsh, a, result_bar=np.array([4.0, 4.0])).tolist() == [[4.0, 0.0], [0.0, 4.0]]
    bars = (np.array([4.0, 4.0]), np.zeros((2, 2)))
    assert adjoint(np.linalg.eigh, a, result_bar=bars).tolist() == [[4.0, 0.0], [0.0, 4.0]]


def test_single_eigenvectors_of_a_repeated_eigenvalue_have_no_derivative():
    bars = (np.zeros(2), np.array([[0.0, 1.0], [0.0, 0.0]]))
    assert np.isnan(adjoint(np.linalg.eigh, np.eye(2), result_bar=bars)).any()


def test_the_projector_on_a_repeated_eigenspace_is_smooth():
    a, g, direction = np.diag([1.0, 3.0, 3.0]), real(3, 3), real(3, 3)

    def projector(m):
        v = np.linalg.eigh(m)[1][:, 1:]
        return v @ v.T

    v = np.linalg.eigh(a)[1]
    v_bar = np.zeros((3, 3))
    v_bar[:, 1:] = (g + g.T) @ v[:, 1:]
    a_bar = adjoint(np.linalg.eigh, a, result_bar=(np.zeros(3), v_bar))
    assert inner(a_bar, direction) == pytest.approx(spectral_difference(projector, a, g, direction), rel=1e-6, abs=1e-6)


def test_svd_at_zero_singular_values():
    a = np.diag([2.0, 0.0, 0.0])[:, :2]
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    # The part that belongs to the value 2 alone, `u[:, :1] * s[:1] @ vh[:1]`, is smooth.
    g, direction = real(3, 2), real(3, 2)

    def leading(m):
        u, s, vh = np.linalg.svd(m, full_matrices=False)
        return s[0] * np.outer(u[:, 0], vh[0])

    u_bar, vh_bar = np.zeros((3, 2)), np.zeros((2, 2))
    u_bar[:, 0], vh_bar[0] = s[0] * g @ vh[0], s[0] * u[:, 0] @ g
    bars = (u_bar, np.array([u[:, 0] @ g @ vh[0], 0.0]), vh_bar)
    a_bar = linalg.svd_adjoint(*bars, u, s, vh)
    assert inner(a_bar, direction) == pytest.approx(spectral_difference(leading, a, g, direction), rel=1e-6, abs=1e-6)
    # A singular vector of the value 0 is not determined.
    assert np.isnan(linalg.svd_adjoint(np.ones((3, 2)), np.zeros(2), np.zeros((2, 2)), u, s, vh)).any()
    # Nor can the whole be told from a kink by the factors' cotangents alone.
    bars = ((g @ vh.T) * s, (u.T @ g @ vh.T).diagonal(), s[:, np.newaxis] * (u.T @ g))
    assert np.isnan(linalg.svd_adjoint(*bars, u, s, vh)).any()


@pytest.mark.parametrize("ord", [None, 1, 2, 3, 0.5, np.inf, -np.inf])
def test_vector_norms_have_slope_zero_at_zero(ord):
    assert adjoint(np.linalg.norm, np.zeros(3), ord).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("ord", [None, "fro", "nuc", 1, 2, -2, np.inf])
def test_matrix_norms_have_slope_zero_at_zero(ord):
    assert adjoint(np.linalg.norm, np.zeros((2, 3)), ord).tolist() == [[0.0] * 3] * 2


def test_rows_of_zeros_beside_others():
    x = np.array([[3.0, 4.0], [0.0, 0.0]])
    for ord in (None, 2):
        assert adjoint(np.linalg.norm, x, ord, 1, result_bar=np.ones(2)).tolist() == [[0.6, 0.8], [0.0, 0.0]]


def test_ties_of_the_maximum_norm_share_evenly():
    assert adjoint(np.linalg.norm, np.array([2.0, -2.0, 1.0]), np.inf).tolist() == [0.5, -0.5, 0.0]
    assert adjoint(np.linalg.norm, np.ones((2, 2)), 1).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert np.allclose(adjoint(np.linalg.norm, np.eye(2), 2), 0.5 * np.eye(2))


def test_slope_below_one_is_infinite_unless_the_cotangent_is_zero():
    x = np.array([0.0, 4.0])
    assert adjoint(np.linalg.norm, x, 0.5).tolist()[0] == np.inf
    assert adjoint(np.linalg.norm, x, 0.5, result_bar=0.0).tolist() == [0.0, 0.0]


def test_slogdet_of_a_singular_matrix_is_infinite_unless_the_cotangent_is_zero():
    a = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert adjoint(np.linalg.slogdet, a, result_bar=(0.0, 1.0)).tolist() == [[np.inf, -np.inf], [-np.inf, np.inf]]
    assert adjoint(np.linalg.slogdet, a, result_bar=(0.0, 0.0)).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_pinv_and_lstsq_of_a_matrix_that_stays_of_rank_one():
    # The differences move one entry by a factor, which keeps the rank.
    a = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    b, step = np.array([2.0, 1.0, 1.0]), 1e-6
    e = np.zeros((3, 2))
    e[0, 0] = 1.0
    x_bar = real(2)
    moved = [np.linalg.lstsq(a + h * e, b, rcond=None)[0] for h in (step, -step)]
    a_bar = adjoint(np.linalg.lstsq, a, b, rcond=None, result_bar=(x_bar, np.zeros(0), 0, np.zeros(2)))
    assert a_bar[0, 0] == pytest.approx(x_bar @ (moved[0] - moved[1]) / (2 * step))
    y_bar = real(2, 3)
    moved = [np.linalg.pinv(a + h * e) for h in (step, -step)]
    assert adjoint(np.linalg.pinv, a, result_bar=y_bar)[0, 0] == pytest.approx(
        inner(y_bar, moved[0] - moved[1]) / (2 * step))


@pytest.mark.parametrize("function, shape", [
    (np.linalg.det, (0, 0)), (np.linalg.inv, (0, 2, 2)), (np.linalg.eigh, (0, 2, 2)), (np.linalg.eigh, (0, 0)),
    (np.linalg.cholesky, (0, 3, 3)), (np.linalg.svd, (0, 2, 3)), (np.linalg.qr, (0, 3, 2)),
    (np.linalg.slogdet, (0, 2, 2)), (np.linalg.norm, (0,)), (np.linalg.norm, (0, 3))])
def test_empty_arrays_have_empty_adjoints(function, shape):
    x = np.zeros(shape)
    result = function(x)
    results = tuple(result) if isinstance(result, tuple) else (result,)
    bars = tuple(randomly(RNG, r) for r in results)
    assert adjoint(function, x, result_bar=bars).shape == shape


def test_float32_stays_float32():
    a = positive(real(3, 3)).astype("f4")
    for function in (np.linalg.inv, np.linalg.pinv):
        assert adjoint(function, a, result_bar=np.ones((3, 3), "f4")).dtype == "f4"
    assert adjoint(np.linalg.norm, a, result_bar=np.float32(1.0)).dtype == "f4"
    assert adjoint(np.linalg.solve, a, np.ones(3, "f4"), result_bar=np.ones(3, "f4")).dtype == "f4"
