"""Kelvin functions, exponential and other integrals, convenience functions and the softmax family:
each rule against differences, in both modes, and its choices at special points."""
import numpy as np
import pytest
from scipy import special

import adcompiler as ad
from adcompiler.rules.registry import lookup
from tests.rules.elementwise_inputs import adjoints, real_inputs
from tests.rules.scipy.special.points import N, RNG, V, W, X, Z
from tests.rules.template_check import check_template, uncovered_rules

lookup(special.gamma)  # the rules of scipy.special are read when one of its functions is first looked up
from adcompiler.rules.scipy.special import further as rules  # noqa: E402

REAL = {  # functions of one variable, and where
    special.ber: X, special.bei: X, special.ker: X, special.kei: X, special.berp: np.append(0.0, X),
    special.beip: np.append(0.0, X), special.kerp: X, special.keip: X, special.exp1: X, special.expi: W,
    special.sici: X, special.shichi: X, special.wrightomega: W, special.cbrt: W, special.exp10: W, special.exp2: W,
    special.spence: X, special.itj0y0: X, special.iti0k0: X, special.sindg: 50 * W, special.cosdg: 50 * W, special.tandg: 20 * W, special.expm1: W, special.cosm1: W,
    special.log1p: X, special.exprel: np.array([-3.0, 0.0, 1e-9, 2.0]), special.lambertw: X,
}
HOLOMORPHIC = [
    special.exp1, special.expi, special.sici, special.shichi, special.wrightomega, special.expm1, special.log1p,
    special.lambertw,
]
SEVERAL = [
    (special.lpmv, (1, V, W / 3.0)), (special.pbdv, (V, W)), (special.pbvv, (V, W)), (special.wright_bessel, (0.7, 1.3, X)),
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


@pytest.mark.parametrize("function", [f for f in REAL if f is not special.exprel])
def test_every_shape(function):
    low, high = float(REAL[function].min()), float(REAL[function].max())
    for x in real_inputs(max(low, 0.1), high).values():
        check_template(function, x, tolerance=2e-5)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES) == []


def test_programs_with_special_functions():
    def log_likelihood(shape, rate, x):
        return np.sum(shape * np.log(rate) - special.gammaln(shape) + (shape - 1.0) * np.log(x) - rate * x)

    def attention(q, k):
        return np.sum(special.softmax(q @ k.T, axis=1) @ k)

    ad.check_gradients(log_likelihood, 2.3, 0.7, X, wrt=(0, 1, 2))
    ad.check_gradients(attention, RNG.standard_normal((2, 3)), RNG.standard_normal((4, 3)), wrt=(0, 1))
    ad.check_gradients(lambda xs: special.logsumexp([xs[0] * xs[1], xs[1] ** 2]), np.array([0.3, 0.8]))
    ad.check_gradients(lambda x: np.sum(special.hankel1(0.5, x).real * special.hankel1(0.5, x).imag), X)


def test_special_points():
    assert adjoints(special.xlogy, 0.0, 2.0) == [np.log(2.0), 0.0]
