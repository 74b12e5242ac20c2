"""The rules of adcompiler/rules/polynomials.py against differences."""
import numpy as np
import pytest

import adcompiler as ad
from adcompiler.rules import polynomials as rules_under_test

from .template_check import check_template, uncovered_rules

rng = np.random.default_rng(31)
p3, p5, points = rng.standard_normal(3), rng.standard_normal(5), rng.standard_normal((2, 3))
complex_p = p3 + 1j * rng.standard_normal(3)
samples, weights = np.linspace(-1.0, 2.0, 7), 0.5 + rng.random(7)
values, columns = rng.standard_normal(7), rng.standard_normal((7, 2))

CASES = [
    (np.poly, (p3,), {}), (np.poly, (p3[:1],), {}), (np.poly, (complex_p,), {}), (np.poly, (np.ones(3),), {}),
    (np.roots, (np.array([1.0, -6.0, 11.0, -6.0]),), {}), (np.roots, (np.array([1.0, 0.0, 1.0]),), {}),
    (np.roots, (complex_p,), {}), (np.roots, (p5[:2],), {}),
    (np.polyval, (p3, points), {}), (np.polyval, (p5, 0.4), {}), (np.polyval, (complex_p, points), {}),
    (np.polyval, (p3[:1], points[0]), {}), (np.polyval, (p3, points[0] + 1j), {}),
    (np.polyder, (p5,), {}), (np.polyder, (p5, 2), {}), (np.polyder, (p5, 0), {}), (np.polyder, (p3, 3), {}),
    (np.polyder, (p3[:1],), {}), (np.polyder, (complex_p,), {"m": 2}),
    (np.polyint, (p3,), {}), (np.polyint, (p3, 2), {}), (np.polyint, (p3, 1, 0.5), {}), (np.polyint, (p3, 0), {}),
    (np.polyint, (p3, 2), {"k": 0.5}), (np.polyint, (p3, 2, p5[:2]), {}), (np.polyint, (complex_p,), {"k": [1.0]}),
    (np.polyadd, (p3, p5), {}), (np.polysub, (p5, p3), {}), (np.polyadd, (p3, p3), {}), (np.polysub, (p3, 1.5), {}),
    (np.polyadd, (complex_p, p5), {}), (np.polysub, (2.0, p3), {}),
    (np.polymul, (p3, p5), {}), (np.polymul, (complex_p, p3), {}), (np.polymul, (p3, 2.0), {}),
    (np.polyfit, (samples, values, 2), {}), (np.polyfit, (samples, columns, 3), {}), (np.polyfit, (samples, values, 0), {}),
    (np.polyfit, (samples, values, 1), {"w": weights}), (np.polyfit, (samples, columns, 2, None, False, weights), {}),
    (np.polyfit, (samples[:3], values[:3], 2), {}), (np.polyfit, (samples, values + 1j * weights, 1), {}),
]


@pytest.mark.parametrize(("function", "args", "kwargs"), CASES)
def test_adjoint_agrees_with_differences(function, args, kwargs):
    check_template(function, *args, tolerance=1e-5, **kwargs)


def test_every_rule_has_a_case():
    assert uncovered_rules(rules_under_test, CASES) == []


def test_leading_zeros_of_factors_are_cut_off():
    def f(a, b):
        return np.sum(np.polymul(a, b) ** 2)

    a, b = np.array([0.0, 1.0, 2.0]), np.array([3.0, -1.0])
    whole = ad.grad(f, wrt=(0, 1))(a, b)
    cut = ad.grad(f, wrt=(0, 1))(a[1:], b)
    np.testing.assert_allclose(whole[0], [0.0, *cut[0]])
    np.testing.assert_allclose(whole[1], cut[1])


def test_in_programs():
    def fit(y, x, w):
        p = np.polyfit(x, y, 2, w=w)
        return np.sum((np.polyval(p, x) - y) ** 4)

    ad.check_gradients(fit, values, samples, weights)

    def coefficients(a, b, x):
        return np.polyval([a, a * b, 1.0], x) + np.sum(np.polyval(np.polyder([a, b, 2.0]), np.array([x, 2.0])))

    ad.check_gradients(coefficients, 0.3, -1.2, 0.7)

    def largest_root(p):
        return np.max(np.roots(p).real) ** 2

    ad.check_gradients(largest_root, np.array([1.0, -6.0, 11.0, -6.0]))
    ad.check_gradients(lambda z: np.sum(np.poly(z) ** 2), p3)


def test_forms_that_are_refused():
    with pytest.raises(ValueError, match="pass its eigenvalues"):
        ad.grad(lambda a: np.sum(np.poly(a)))(np.eye(2))
    with pytest.raises(ad.MissingRuleError, match="this form of numpy.polyfit"):
        ad.grad(lambda y: np.polyfit(samples, y, 1, full=True)[0][0])(values)

    def fit(y):
        return np.polyfit(samples, y, 1, full=y[0] > 99.0)[0]

    with pytest.raises(ad.MissingRuleError, match="this form of numpy.polyfit"):
        ad.grad(fit)(values)
