"""Each rule of adcompiler/rules/scipy/special.py against differences, in both modes, and its choices at special points."""
import numpy as np
import pytest
from scipy import integrate, special

import adcompiler as ad
from adcompiler.rules.registry import is_inactive, lookup
from adcompiler.runtime.scipy.special import gammainc_order_slope, gammaincc_order_slope
from tests.rules.elementwise_inputs import adjoints, float32_adjoint_dtype, real_inputs
from tests.rules.template_check import check_template, uncovered_rules

lookup(special.gamma)  # the rules of scipy.special are read when one of its functions is first looked up
from adcompiler.rules.scipy import special as rules  # noqa: E402

RNG = np.random.default_rng(3)
X = np.array([0.3, 0.9, 1.7, 2.6])  # positive
U = np.array([0.15, 0.4, 0.62, 0.9])  # between 0 and 1
W = np.array([-1.6, -0.7, 0.4, 2.2])  # of either sign
Z = np.array([0.6 + 0.4j, -0.7 + 0.9j, 1.3 - 0.8j])
N = np.array([0, 1, 2, 5])
V = np.array([0.3, 1.0, 2.5, 3.4])  # real orders

REAL = {  # functions of one variable, and where
    special.ellipk: 0.9 * W / 2.3, special.ellipkm1: U, special.ellipe: 0.9 * W / 2.3,
    special.j0: W, special.j1: W, special.y0: X, special.y1: X, special.i0: W, special.i0e: W, special.i1: W,
    special.i1e: W, special.k0: X, special.k0e: X, special.k1: X, special.k1e: X,
    special.ndtr: W, special.log_ndtr: 3 * W, special.ndtri: U, special.ndtri_exp: -X,
    special.logit: U, special.expit: W, special.log_expit: W, special.entr: X,
    special.gamma: np.array([-1.6, -0.4, 0.7, 3.2]), special.gammaln: np.array([-1.6, -0.4, 0.7, 30.2]),
    special.loggamma: X, special.psi: np.array([-1.6, -0.4, 0.7, 30.2]), special.rgamma: W,
    special.erf: W, special.erfc: W, special.erfcx: W, special.erfi: W, special.erfinv: W / 2.5,
    special.erfcinv: 2 * U, special.wofz: W, special.dawsn: W, special.fresnel: W,
    special.ber: X, special.bei: X, special.ker: X, special.kei: X, special.berp: np.append(0.0, X), special.beip: np.append(0.0, X),
    special.kerp: X, special.keip: X, special.exp1: X, special.expi: W,
    special.sici: X, special.shichi: X, special.wrightomega: W, special.cbrt: W, special.exp10: W, special.exp2: W,
    special.sindg: 50 * W, special.cosdg: 50 * W, special.tandg: 20 * W, special.expm1: W, special.cosm1: W,
    special.log1p: X, special.exprel: np.array([-3.0, 0.0, 1e-9, 2.0]), special.airy: W, special.lambertw: X,
}
HOLOMORPHIC = [
    special.airy, special.ndtr, special.log_ndtr, special.gamma, special.loggamma, special.rgamma,
    special.erf, special.erfc, special.erfcx, special.erfi, special.wofz, special.dawsn, special.fresnel,
    special.exp1, special.expi, special.sici, special.shichi, special.wrightomega, special.expm1, special.log1p,
    special.lambertw,
]
SEVERAL = [
    (special.ellipj, (W, 0.3)), (special.ellipkinc, (np.array([-4.0, -1.0, 0.3, 2.9]), 0.4)),
    (special.ellipkinc, (1.2, np.array([-2.0, 0.0, 1e-9, 0.7]))),
    (special.ellipeinc, (np.array([-4.0, -1.0, 0.3, 2.9]), 0.4)), (special.ellipeinc, (9.1, np.array([-2.0, 0.0, 0.7]))),
    (special.elliprf, (X, 0.7, U)), (special.elliprf, (Z + 2, 0.7 + 0.1j, 1.1)),
    (special.jv, (V, X)), (special.jv, (V[:3], Z)), (special.jve, (V, X)), (special.jve, (V[:3], Z)),
    (special.jn, (N, X)), (special.yn, (N, X)), (special.yv, (V, X)), (special.yv, (V[:3], Z)),
    (special.yve, (V, X)), (special.yve, (V[:3], Z)), (special.kn, (N, X)), (special.kv, (V, X)),
    (special.kv, (V[:3], Z)), (special.kve, (V, X)), (special.kve, (V[:3], Z)), (special.iv, (V, X)),
    (special.iv, (V[:3], Z)), (special.ive, (V, X)), (special.ive, (V[:3], Z)),
    (special.hankel1, (V, X)), (special.hankel1, (V[:3], Z)), (special.hankel2, (V, X)), (special.hankel2, (V[:3], Z)),
    *[(f, (N, X, d)) for f in (special.spherical_jn, special.spherical_yn, special.spherical_in, special.spherical_kn)
      for d in (False, True)],
    (special.struve, (V, X)), (special.modstruve, (V, X)),
    (special.bdtr, (2.0, 7, U)), (special.fdtr, (3.0, 5.0, X)), (special.gdtr, (1.3, V, X)), (special.gdtrc, (1.3, V, X)),
    (special.pdtr, (np.array([0.0, 2.0, 3.5, 9.0]), X)), (special.pdtrc, (np.array([0.0, 2.0, 3.5, 9.0]), X)),
    (special.stdtr, (3, W)), (special.stdtrit, (3, U)), (special.chdtr, (V, X)), (special.chdtrc, (V, X)),
    (special.owens_t, (W, W[::-1])), (special.boxcox, (X, W)), (special.boxcox, (X, np.array([0.0, 1e-8, 1.0, 2.0]))),
    (special.boxcox1p, (X, W)), (special.inv_boxcox, (U, W)), (special.inv_boxcox, (U, 0.0)),
    (special.inv_boxcox1p, (U, W)), (special.rel_entr, (X, U)), (special.kl_div, (X, U)),
    (special.huber, (1.0, W)), (special.pseudo_huber, (1.3, W)), (special.gammainc, (V, X)), (special.gammaincc, (V, X)),
    (special.gammaincinv, (V, U)), (special.gammainccinv, (V, U)), (special.beta, (V, X)), (special.betaln, (V, X)),
    (special.betainc, (1.3, 2.0, U)), (special.betaincinv, (1.3, 2.0, U)), (special.betaincc, (1.3, 2.0, U)),
    (special.betainccinv, (1.3, 2.0, U)), (special.polygamma, (2, X)), (special.polygamma, (0, X)),
    (special.multigammaln, (X + 1.0, 3)), (special.poch, (X, V)), (special.voigt_profile, (W, 0.8, 0.3)),
    (special.voigt_profile, (0.2, X, U)), (special.eval_legendre, (N, W / 3)), (special.eval_legendre, (2.5, U)),
    (special.eval_chebyt, (N, W / 3)), (special.eval_chebyu, (N, W / 3)), (special.eval_gegenbauer, (N, 1.5, W / 3)),
    (special.eval_jacobi, (N, 0.5, 1.5, W / 3)), (special.eval_laguerre, (N, W)), (special.eval_genlaguerre, (N, 0.5, W)),
    (special.eval_hermite, (N, W)), (special.eval_hermitenorm, (N, W)), (special.eval_sh_legendre, (N, U)),
    (special.hyp2f1, (0.5, 1.5, 2.5, W / 3)), (special.hyp2f1, (0.5, 1.5, 2.5, Z / 3)), (special.hyp1f1, (0.5, 1.5, W)),
    (special.hyp1f1, (0.5, 1.5, Z)), (special.hyperu, (0.5, 1.5, X)), (special.hyp0f1, (1.5, W)), (special.hyp0f1, (1.5, Z)),
    (special.expn, (N, X)), (special.zeta, (2.5, X)), (special.lambertw, (-0.2, -1)), (special.binom, (X + 3.0, V)),
    (special.xlogy, (W, X)), (special.xlogy, (Z, Z + 2)), (special.xlog1py, (W, X)), (special.xlog1py, (Z, Z + 2)),
    (special.powm1, (X, W)),
]
STRUCTURED = [
    (special.logsumexp, (RNG.standard_normal((2, 3)),), {}),
    *[(special.logsumexp, (RNG.standard_normal((2, 3)),), {"axis": a, "keepdims": k}) for a in (0, -1, (0, 1)) for k in (0, 1)],
    (special.logsumexp, (RNG.standard_normal((2, 3)),), {"axis": 1, "b": RNG.uniform(0.5, 2.0, (3,))}),
    (special.logsumexp, (RNG.standard_normal(3),), {"b": RNG.uniform(0.5, 2.0, (2, 3))}),
    *[(f, (RNG.standard_normal((2, 3)),), {"axis": a}) for f in (special.softmax, special.log_softmax)
      for a in (None, 0, -1, (0, 1))],
]
CASES = [(f, (x,), {}) for f, x in REAL.items()] + [(f, args, {}) for f, args in SEVERAL] + STRUCTURED


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_adjoint_and_tangent_agree_with_differences(function, args, kwargs):
    check_template(function, *args, tolerance=2e-5, **kwargs)


@pytest.mark.parametrize("function", HOLOMORPHIC)
def test_complex(function):
    check_template(function, Z, tolerance=2e-5)


@pytest.mark.parametrize("function", [f for f in REAL if f not in (special.exprel, special.ndtri_exp)])
def test_every_shape(function):
    low, high = float(REAL[function].min()), float(REAL[function].max())
    for x in real_inputs(max(low, 0.1), high).values():
        check_template(function, x, tolerance=2e-5)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES) == []


@pytest.mark.parametrize("function", [special.erf, special.gammaln, special.expit, special.j0, special.ndtr, special.i0e])
def test_float32_stays(function):
    assert float32_adjoint_dtype(function, X) == np.float32


def test_programs_with_special_functions():
    def log_likelihood(shape, rate, x):
        return np.sum(shape * np.log(rate) - special.gammaln(shape) + (shape - 1.0) * np.log(x) - rate * x)

    def attention(q, k):
        return np.sum(special.softmax(q @ k.T, axis=1) @ k)

    ad.check_gradients(log_likelihood, 2.3, 0.7, X, wrt=(0, 1, 2))
    ad.check_gradients(attention, RNG.standard_normal((2, 3)), RNG.standard_normal((4, 3)), wrt=(0, 1))
    ad.check_gradients(lambda xs: special.logsumexp([xs[0] * xs[1], xs[1] ** 2]), np.array([0.3, 0.8]))
    ad.check_gradients(lambda x: np.sum(special.hankel1(0.5, x).real * special.hankel1(0.5, x).imag), X)


def test_the_text_imports_scipy():
    text = ad.differentiable(lambda x: special.gamma(x) * special.erf(x)).source("gradient", 1.3)
    assert "from scipy import special" in text and "special.psi(x)" in text
    namespace = {}
    exec(text, namespace)
    function = next(v for k, v in namespace.items() if k.endswith("_gradient"))
    assert function(1.3)[0] == special.gamma(1.3) * special.erf(1.3)


def test_special_points():
    assert adjoints(special.entr, np.array([-1.0])) == [[0.0]]
    assert adjoints(special.xlogy, 0.0, 2.0) == [np.log(2.0), 0.0]
    assert adjoints(special.huber, 1.0, np.array([1.0, -1.0])) == [[0.0, 0.0], [1.0, -1.0]]
    assert adjoints(special.rgamma, np.array([0.0, -1.0, -2.0])) == [[1.0, -1.0, 2.0]]
    assert adjoints(special.i0e, np.array([0.0])) == [[0.0]]
    np.testing.assert_allclose(adjoints(special.ellipk, np.array([0.0])), [[np.pi / 8]])


@pytest.mark.parametrize("function, orders", [
    (special.spherical_jn, (1 / 3, 1 / 5)), (special.spherical_in, (1 / 3, 1 / 5))])
def test_spherical_functions_at_zero(function, orders):
    for n in range(5):
        difference = (function(n, 1e-4, True) - function(n, 0.0, True)) / 1e-4
        np.testing.assert_allclose(adjoints(function, n, 0.0, True), [difference], atol=1e-4)


@pytest.mark.parametrize("a", [0.05, 0.7, 1.0, 4.2, 60.0, 3e3])
@pytest.mark.parametrize("at", [0.01, 0.4, 0.9, 1.0, 1.1, 1.6, 3.0])
def test_the_order_of_incomplete_gamma_functions(a, at):
    """Against the density differentiated in the order and integrated, on the side that the value is small on."""
    x = at * a + (2.5 if at > 1.0 else 0.0)

    def slope(t):
        return (np.log(t) - special.psi(a)) * np.exp((a - 1.0) * np.log(t) - t - special.gammaln(a))

    def slope_in_log(u):
        return (u - special.psi(a)) * np.exp(a * u - np.exp(u) - special.gammaln(a))

    steps = np.array([0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 40.0, 100.0])
    if x > a:
        got, function, ends = gammaincc_order_slope(a, x), slope, x + (np.sqrt(a) + 1.0) * steps
        np.testing.assert_allclose(gammainc_order_slope(a, x), -got)
    else:
        got, function, ends = gammainc_order_slope(a, x), slope_in_log, np.log(x) - steps[::-1] / min(a, np.sqrt(a))
    want = sum(integrate.quad(function, p, q, epsabs=1e-16, epsrel=1e-11)[0] for p, q in zip(ends, ends[1:]))
    np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-15)


@pytest.mark.parametrize("a", [0.5, 60.0, 1e5])
@pytest.mark.parametrize("widths", [0.5, 2.0, 2.9, 3.1, 4.0, 8.0])
def test_the_order_near_the_largest_density(a, widths):
    x = a + 2.0 + widths * np.sqrt(a)

    def slope(t):
        return (np.log(t) - special.psi(a)) * np.exp((a - 1.0) * np.log(t) - t - special.gammaln(a))

    ends = x + (np.sqrt(a) + 1.0) * np.array([0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 40.0, 100.0])
    want = sum(integrate.quad(slope, p, q, epsabs=0.0, epsrel=1e-11)[0] for p, q in zip(ends, ends[1:]))
    np.testing.assert_allclose(gammaincc_order_slope(a, x), want, rtol=1e-8)


def test_at_the_ends_of_the_incomplete_gamma_functions():
    assert gammainc_order_slope(2.0, 0.0) == 0.0 and gammainc_order_slope(2.0, np.inf) == 0.0
    assert np.isnan(gammainc_order_slope(-1.0, 1.0))


def test_orders_are_constants():
    with pytest.raises(ad.MissingRuleError, match="argument 'v' of scipy.special.jv"):
        ad.grad(lambda v: special.jv(v, 1.0))(0.5)
    with pytest.raises(ad.MissingRuleError, match="argument 'a' of scipy.special.betainc"):
        ad.grad(lambda a: special.betainc(a, 1.0, 0.5))(0.5)
    assert is_inactive(special.gammasgn)


def test_a_function_without_a_rule_is_named():
    with pytest.raises(ad.MissingRuleError, match="scipy.special.mathieu_a"):
        ad.grad(lambda q: special.mathieu_a(1, q))(0.5)
