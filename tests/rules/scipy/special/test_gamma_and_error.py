"""Gamma and beta functions, error functions:
each rule against differences, in both modes, and its choices at special points."""
import numpy as np
import pytest
from scipy import integrate, special

import adcompiler as ad
from adcompiler.rules.registry import is_inactive, lookup
from adcompiler.runtime.scipy.special import gammainc_order_slope, gammaincc_order_slope
from tests.rules.elementwise_inputs import adjoints, float32_adjoint_dtype, real_inputs
from tests.rules.scipy.special.points import U, V, W, X, Z
from tests.rules.template_check import check_template, uncovered_rules

lookup(special.gamma)  # the rules of scipy.special are read when one of its functions is first looked up
from adcompiler.rules.scipy.special import gamma_and_error as rules  # noqa: E402

REAL = {  # functions of one variable, and where
    special.gamma: np.array([-1.6, -0.4, 0.7, 3.2]), special.gammaln: np.array([-1.6, -0.4, 0.7, 30.2]),
    special.loggamma: X, special.psi: np.array([-1.6, -0.4, 0.7, 30.2]), special.rgamma: W, special.erf: W,
    special.erfc: W, special.erfcx: W, special.erfi: W, special.erfinv: W / 2.5, special.erfcinv: 2 * U,
    special.wofz: W, special.dawsn: W, special.fresnel: W,
}
HOLOMORPHIC = [
    special.gamma, special.loggamma, special.rgamma, special.erf, special.erfc, special.erfcx, special.erfi,
    special.wofz, special.dawsn, special.fresnel,
]
SEVERAL = [
    (special.gammainc, (V, X)), (special.gammaincc, (V, X)), (special.gammaincinv, (V, U)),
    (special.gammainccinv, (V, U)), (special.beta, (V, X)), (special.betaln, (V, X)), (special.betainc, (1.3, 2.0, U)),
    (special.betaincinv, (1.3, 2.0, U)), (special.betaincc, (1.3, 2.0, U)), (special.betainccinv, (1.3, 2.0, U)),
    (special.polygamma, (2, X)), (special.polygamma, (0, X)), (special.multigammaln, (X + 1.0, 3)),
    (special.poch, (X, V)), (special.voigt_profile, (W, 0.8, 0.3)), (special.voigt_profile, (0.2, X, U)),
]
CASES = [(f, (x,), {}) for f, x in REAL.items()] + [(f, args, {}) for f, args in SEVERAL]


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_adjoint_and_tangent_agree_with_differences(function, args, kwargs):
    check_template(function, *args, tolerance=2e-5, **kwargs)


@pytest.mark.parametrize("function", HOLOMORPHIC)
def test_complex(function):
    check_template(function, Z, tolerance=2e-5)


@pytest.mark.parametrize("function", REAL)
def test_every_shape(function):
    low, high = float(REAL[function].min()), float(REAL[function].max())
    for x in real_inputs(max(low, 0.1), high).values():
        check_template(function, x, tolerance=2e-5)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES) == []


@pytest.mark.parametrize("function", [special.erf, special.gammaln])
def test_float32_stays(function):
    assert float32_adjoint_dtype(function, X) == np.float32


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


def test_the_text_imports_scipy():
    text = ad.differentiable(lambda x: special.gamma(x) * special.erf(x)).source("gradient", 1.3)
    assert "from scipy import special" in text and "special.psi(x)" in text
    namespace = {}
    exec(text, namespace)
    function = next(v for k, v in namespace.items() if k.endswith("_gradient"))
    assert function(1.3)[0] == special.gamma(1.3) * special.erf(1.3)


def test_special_points():
    assert adjoints(special.rgamma, np.array([0.0, -1.0, -2.0])) == [[1.0, -1.0, 2.0]]


def test_shapes_are_constants():
    with pytest.raises(ad.MissingRuleError, match="argument 'a' of scipy.special.betainc"):
        ad.grad(lambda a: special.betainc(a, 1.0, 0.5))(0.5)
    assert is_inactive(special.gammasgn)
