"""Programs with densities: frozen distributions, and what is refused."""
import numpy as np
import pytest
from scipy import stats

import adcompiler as ad
from tests.rules.scipy.both_modes import check_both_modes
from tests.rules.scipy.stats.points import X


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
