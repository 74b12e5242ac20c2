"""Distributions of vectors."""
import numpy as np
import pytest
from scipy import special, stats

import adcompiler as ad
from adcompiler.rules.registry import lookup
from tests.rules.scipy.both_modes import check_both_modes
from tests.rules.template_check import check_template, uncovered_rules

lookup(stats.norm.logpdf)
from adcompiler.rules.scipy.stats import vectors as rules  # noqa: E402

RNG = np.random.default_rng(4)
COV = np.array([[2.0, 0.4, 0.1], [0.4, 1.5, -0.3], [0.1, -0.3, 1.2]])
VECTORS = [
    (stats.multivariate_normal.logpdf, (RNG.standard_normal(s), RNG.standard_normal(3), COV), {}) for s in [(3,), (4, 3), (2, 4, 3)]
] + [
    (stats.multivariate_normal.logpdf, (RNG.standard_normal((4, 3)),), {"mean": np.zeros(3), "cov": c}) for c in (2.0, np.array([1.0, 2.0, 0.7]))
] + [
    (stats.multivariate_normal.logpdf, (RNG.standard_normal(4), 0.3, 1.7), {}), (stats.multivariate_normal.logpdf, (0.4, 0.3, 1.7), {}),
]
VECTORS += [(stats.multivariate_normal.pdf, args, kwargs) for _, args, kwargs in VECTORS[:2]]
SHARES = RNG.dirichlet(np.ones(3), 4).T
AT_A_POINT = [(stats.dirichlet.logpdf, (x, np.array([1.7, 2.4, 0.8])), {}) for x in (SHARES[:-1], SHARES[:-1, 0])]


@pytest.mark.parametrize("function, args, kwargs", AT_A_POINT)
def test_shares(function, args, kwargs):
    """SciPy refuses shares whose sum is not 1, and takes those that leave the last one out."""
    check_template(function, *args, **kwargs)
    x, alpha = SHARES[:, 0] if args[0].ndim == 1 else SHARES, args[1]
    rule, y_bar = lookup(function), np.ones(np.shape(x)[1:])[()]
    np.testing.assert_allclose(rule.evaluate_adjoint("alpha", (x, alpha), {}, y_bar), rule.evaluate_adjoint("alpha", args, {}, y_bar))
    whole, part = (rule.evaluate_adjoint("x", (s, alpha), {}, y_bar) for s in (x, args[0]))
    np.testing.assert_allclose(whole[:-1] - whole[-1:], part)


def test_a_likelihood_of_shares():
    def likelihood(logits, alpha):
        return stats.dirichlet.logpdf(special.softmax(logits), np.exp(alpha))

    check_both_modes(likelihood, np.array([0.3, -0.2, 0.9]), np.array([0.5, 0.1, -0.4]))
    check_both_modes(lambda a, b: np.sum(ad.grad(likelihood)(a, b) * b), np.array([0.3, -0.2, 0.9]), np.array([0.5, 0.1, -0.4]))


@pytest.mark.parametrize("function, args, kwargs", VECTORS)
def test_vectors(function, args, kwargs):
    """A covariance is moved as a symmetric matrix: SciPy refuses others, and reads the lower triangle."""
    rule = lookup(function)
    bound = dict(rule.signature.bind(*args, **kwargs).arguments)
    y = function(*args, **kwargs)
    y_bar = np.asarray(RNG.standard_normal(np.shape(y)))[()]
    directions = {p: np.asarray(RNG.standard_normal(np.shape(v)))[()] for p, v in bound.items()}
    if np.ndim(bound.get("cov")) == 2:
        directions["cov"] = directions["cov"] + directions["cov"].T

    def at(h):
        return function(**{p: v + h * directions[p] for p, v in bound.items()})

    want = (at(1e-6) - at(-1e-6)) / 2e-6
    tangent = rule.evaluate_tangent(directions, args, kwargs, function=function)
    assert np.shape(tangent) == np.shape(y)
    np.testing.assert_allclose(tangent, want, rtol=1e-6, atol=1e-7)
    bars = {p: rule.evaluate_adjoint(p, args, kwargs, y_bar, function=function) for p in bound}
    assert all(np.shape(bars[p]) == np.shape(bound[p]) for p in bound)
    if np.ndim(bound.get("cov")) == 2:
        assert np.all(np.triu(bars["cov"], 1) == 0.0)
    # of the lower triangle the whole symmetric direction is known
    np.testing.assert_allclose(sum(np.sum(bars[p] * directions[p]) for p in bound), np.sum(y_bar * tangent))


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, VECTORS + AT_A_POINT) == []
