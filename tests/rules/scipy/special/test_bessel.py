"""Airy functions, elliptic integrals, Bessel and Struve functions:
each rule against differences, in both modes, and its choices at special points."""
import numpy as np
import pytest
from scipy import special

import adcompiler as ad
from adcompiler.rules.registry import lookup
from tests.rules.elementwise_inputs import adjoints, float32_adjoint_dtype, real_inputs
from tests.rules.scipy.special.points import N, U, V, W, X, Z
from tests.rules.template_check import check_template, uncovered_rules

lookup(special.gamma)  # the rules of scipy.special are read when one of its functions is first looked up
from adcompiler.rules.scipy.special import bessel as rules  # noqa: E402

REAL = {  # functions of one variable, and where
    special.ellipk: 0.9 * W / 2.3, special.ellipkm1: U, special.ellipe: 0.9 * W / 2.3, special.j0: W, special.j1: W,
    special.y0: X, special.y1: X, special.i0: W, special.i0e: W, special.i1: W, special.i1e: W, special.k0: X,
    special.k0e: X, special.k1: X, special.k1e: X, special.airy: W,
}
HOLOMORPHIC = [
    special.airy,
]
SEVERAL = [
    (special.ellipj, (W, 0.3)), (special.ellipkinc, (np.array([-4.0, -1.0, 0.3, 2.9]), 0.4)),
    (special.ellipkinc, (1.2, np.array([-2.0, 0.0, 1e-9, 0.7]))),
    (special.ellipeinc, (np.array([-4.0, -1.0, 0.3, 2.9]), 0.4)),
    (special.ellipeinc, (9.1, np.array([-2.0, 0.0, 0.7]))), (special.elliprf, (X, 0.7, U)),
    (special.elliprf, (Z + 2, 0.7 + 0.1j, 1.1)), (special.jv, (V, X)), (special.jv, (V[:3], Z)), (special.jve, (V, X)),
    (special.jve, (V[:3], Z)), (special.jn, (N, X)), (special.yn, (N, X)), (special.yv, (V, X)),
    (special.yv, (V[:3], Z)), (special.yve, (V, X)), (special.yve, (V[:3], Z)), (special.kn, (N, X)),
    (special.kv, (V, X)), (special.kv, (V[:3], Z)), (special.kve, (V, X)), (special.kve, (V[:3], Z)),
    (special.iv, (V, X)), (special.iv, (V[:3], Z)), (special.ive, (V, X)), (special.ive, (V[:3], Z)),
    (special.hankel1, (V, X)), (special.hankel1, (V[:3], Z)), (special.hankel2, (V, X)), (special.hankel2, (V[:3], Z)),
    *[(f, (N, X, d)) for f in (special.spherical_jn, special.spherical_yn, special.spherical_in, special.spherical_kn) for d in (False, True)],
    *[(f, (V, x, n)) for f in (special.jvp, special.yvp, special.ivp, special.kvp) for x, n in [(X, 1), (Z[0], 2)]],
    *[(f, (V, Z[0])) for f in (special.h1vp, special.h2vp)], (special.struve, (V, X)), (special.modstruve, (V, X)),
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


@pytest.mark.parametrize("function", [special.j0, special.i0e])
def test_float32_stays(function):
    assert float32_adjoint_dtype(function, X) == np.float32


@pytest.mark.parametrize("function, orders", [
    (special.spherical_jn, (1 / 3, 1 / 5)), (special.spherical_in, (1 / 3, 1 / 5))])
def test_spherical_functions_at_zero(function, orders):
    for n in range(5):
        difference = (function(n, 1e-4, True) - function(n, 0.0, True)) / 1e-4
        np.testing.assert_allclose(adjoints(function, n, 0.0, True), [difference], atol=1e-4)


def test_special_points():
    assert adjoints(special.i0e, np.array([0.0])) == [[0.0]]
    np.testing.assert_allclose(adjoints(special.ellipk, np.array([0.0])), [[np.pi / 8]])


def test_orders_are_constants():
    with pytest.raises(ad.MissingRuleError, match="argument 'v' of scipy.special.jv"):
        ad.grad(lambda v: special.jv(v, 1.0))(0.5)


def test_a_function_without_a_rule_is_named():
    with pytest.raises(ad.MissingRuleError, match="scipy.special.mathieu_a"):
        ad.grad(lambda q: special.mathieu_a(1, q))(0.5)
