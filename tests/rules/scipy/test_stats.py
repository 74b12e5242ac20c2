"""Rules of scipy.stats: each density in its argument, shapes, location and scale; frozen distributions in programs."""
import numpy as np
import pytest
from scipy import stats

import adcompiler as ad
from adcompiler.rules.registry import lookup
from tests.rules.elementwise_inputs import adjoints
from tests.rules.scipy.both_modes import check_both_modes
from tests.rules.template_check import check_template, uncovered_rules

lookup(stats.norm.logpdf)
from adcompiler.rules.scipy import stats as rules  # noqa: E402

X = np.array([0.4, 1.1, 2.3])
U = np.array([0.2, 0.45, 0.8])
SHAPES = {
    "norm": (), "beta": (1.7, 2.4), "cauchy": (), "chi2": (3.4,), "expon": (), "gamma": (2.3,), "gumbel_l": (),
    "gumbel_r": (), "halfnorm": (), "invgamma": (2.3,), "laplace": (), "logistic": (), "lognorm": (0.7,), "pareto": (2.3,),
    "rayleigh": (), "t": (4.2,), "uniform": (), "weibull_min": (1.6,),
}
WITHOUT_SHAPES = {"beta", "invgamma", "lognorm", "pareto", "t", "weibull_min"}  # cdf


def continuous():
    for name, shapes in SHAPES.items():
        dist = getattr(stats, name)
        x = U if name in ("beta", "uniform") else X + 1.0 if name == "pareto" else X
        loc, scale = 0.1, 1.3
        for method in ("logpdf", "pdf", "cdf"):
            given = tuple(int(s + 1) for s in shapes) if method == "cdf" and name in WITHOUT_SHAPES else shapes
            yield getattr(dist, method), (loc + scale * x, *given, loc, scale), {}
            yield getattr(dist, method), (x[:, None], *given), {}
    for method in ("logcdf", "sf", "logsf"):
        yield getattr(stats.norm, method), (3.0 * X, 0.2, 1.4), {}
    yield stats.norm.ppf, (U, 0.2, 1.4), {}
    yield stats.norm.logpdf, (X,), {"loc": np.array([[0.3], [0.9]]), "scale": 2.0}


COUNTS = [
    (stats.bernoulli.logpmf, (np.array([0, 1, 1]), U), {}), (stats.binom.logpmf, (np.array([0, 3, 5]), 5, U), {}),
    (stats.geom.logpmf, (np.array([1, 3, 5]), U), {}), (stats.nbinom.logpmf, (np.array([0, 3, 5]), X, U), {}),
    (stats.poisson.logpmf, (np.array([0, 3, 5]), X), {}), (stats.poisson.pmf, (np.array([0, 3, 5]), X), {}),
    (stats.binom.pmf, (np.array([0, 3, 5]), 5, U), {}),
]
RNG = np.random.default_rng(4)
COV = np.array([[2.0, 0.4, 0.1], [0.4, 1.5, -0.3], [0.1, -0.3, 1.2]])
VECTORS = [
    (stats.multivariate_normal.logpdf, (RNG.standard_normal(s), RNG.standard_normal(3), COV), {}) for s in [(3,), (4, 3), (2, 4, 3)]
] + [
    (stats.multivariate_normal.logpdf, (RNG.standard_normal((4, 3)),), {"mean": np.zeros(3), "cov": c}) for c in (2.0, np.array([1.0, 2.0, 0.7]))
] + [
    (stats.multivariate_normal.logpdf, (RNG.standard_normal(4), 0.3, 1.7), {}), (stats.multivariate_normal.logpdf, (0.4, 0.3, 1.7), {}),
]
CASES = [*continuous(), *COUNTS]


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_adjoint_and_tangent_agree_with_differences(function, args, kwargs):
    check_template(function, *args, tolerance=1e-5, **kwargs)


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
    assert uncovered_rules(rules, CASES + VECTORS) == []


def test_outside_the_support():
    assert adjoints(stats.expon.logpdf, np.array([-1.0, 1.0])) == [[0.0, -1.0]]
    assert adjoints(stats.gamma.pdf, np.array([-1.0]), 2.0)[0] == [0.0]
    assert adjoints(stats.uniform.logpdf, np.array([0.5, 2.0]), 0.0, 1.0) == [[0.0, 0.0], [0.0, 0.0], [-1.0, 0.0]]


# ---- programs ----


def likelihood(mu, sigma, data):
    return -np.sum(stats.norm.logpdf(data, loc=mu, scale=sigma))


def frozen(mu, sigma, data):
    d = stats.norm(mu, sigma)
    return -np.sum(d.logpdf(data)) + d.cdf(data[0])


def frozen_with_names(a, scale, data):
    return np.sum(stats.gamma(a=a, scale=scale).logpdf(data)) + stats.gamma(2.0, scale=scale).pdf(1.0)


def chosen(mu, sigma, data):
    d = stats.norm(mu, sigma) if mu > 0.0 else stats.norm(sigma, 1.0)
    return np.sum(d.logpdf(data))


def from_a_helper(mu, sigma, data):
    def prior(scale):
        return stats.norm(0.0, scale)

    return prior(sigma).logpdf(mu) + likelihood(mu, sigma, data)


def kept_method(mu, sigma, data):
    log_density = stats.norm(mu, sigma).logpdf
    return np.sum(log_density(data) + log_density(0.0))


@pytest.mark.parametrize("f", [likelihood, frozen, frozen_with_names, from_a_helper, kept_method])
def test_likelihoods(f):
    check_both_modes(f, 0.7, 1.3, X, tolerance=1e-7)


def in_a_list(mu, sigma, data):
    total = 0.0
    for d in [stats.norm(mu, sigma), stats.norm(sigma, 1.0)]:
        total += np.sum(d.logpdf(data))
    return total


def kept_in_a_list(mu, sigma, data):
    kept = [stats.norm(mu, sigma), stats.norm(sigma, 1.0)]
    return sum(np.sum(d.logpdf(data)) for d in kept)


def in_a_dict(mu, sigma, data):
    return np.sum({"prior": stats.norm(mu, sigma)}["prior"].logpdf(data))


def bound_again(mu, sigma, data):
    d, total = stats.norm(mu, sigma), 0.0
    for _ in range(3):
        total += np.sum(d.logpdf(data))
        d = stats.norm(total, sigma)
    return total


@pytest.mark.parametrize("f", [chosen, in_a_list, kept_in_a_list, in_a_dict, bound_again])
def test_a_distribution_that_only_the_run_knows(f):
    """Differentiated rightly, or refused; never taken for a constant."""
    try:
        ad.check_gradients(f, 0.7, 1.3, X, wrt=(0, 1))
    except ad.GradientMismatchError:
        raise
    except ad.AdcompilerError as error:
        assert error.hint


@pytest.mark.parametrize("f, words", [
    (lambda mu: stats.norm(mu, 1.0).rvs(), "rvs"), (lambda mu: stats.norm(mu, 1.0).entropy(), "entropy"),
    (lambda a: stats.betaprime.logpdf(0.4, a, 2.0), "betaprime"),
    (lambda a: stats.beta.cdf(0.4, a, 2.0), "argument 'a' of scipy.stats.beta.cdf"),
    (lambda mu: stats.norm.fit(mu * np.ones(3))[0], "norm.fit"),
])
def test_refused(f, words):
    with pytest.raises(ad.AdcompilerError, match=words):
        ad.grad(f)(0.7)


def test_a_frozen_density_that_is_integrated():
    from scipy import integrate

    def f(mu):
        return integrate.quad(stats.norm(mu, 1.0).pdf, 0.0, 1.0)[0]

    with pytest.raises(ad.UnsupportedSyntaxError, match="the function 'func' is not one"):
        ad.grad(f)(0.3)

    def g(mu):
        return integrate.quad(lambda t, m: stats.norm.pdf(t, m, 1.0), 0.0, 1.0, args=(mu,))[0]

    np.testing.assert_allclose(ad.grad(g)(0.3), stats.norm.pdf(0.0, 0.3) - stats.norm.pdf(1.0, 0.3), rtol=1e-6)


def test_the_text_names_the_distribution():
    text = ad.differentiable(likelihood).source("gradient", 0.7, 1.3, X)
    assert "from scipy import stats" in text and "stats.norm.logpdf(data" in text
