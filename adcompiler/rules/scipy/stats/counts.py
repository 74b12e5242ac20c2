"""Rules for scipy.stats: distributions of counts. The counts, and the numbers of trials, are constants."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from ....runtime.scipy.densities import inside
from ...registry import rule


@rule(stats.bernoulli.logpmf, elementwise=True, constant_in=("k", "loc"))
def bernoulli_logpmf(k, p, loc=0):
    y = stats.bernoulli.logpmf(k, p, loc)
    p_bar = y_bar * inside(y, (k - loc) / p - (1.0 - (k - loc)) / (1.0 - p))


@rule(stats.bernoulli.pmf, elementwise=True, constant_in=("k", "loc"))
def bernoulli_pmf(k, p, loc=0):
    y = stats.bernoulli.pmf(k, p, loc)
    p_bar = y_bar * (stats.bernoulli.pmf(k, 1.0, loc) - stats.bernoulli.pmf(k, 0.0, loc))


@rule(stats.betabinom.logpmf, elementwise=True, constant_in=("k", "n", "loc"))
def betabinom_logpmf(k, n, a, b, loc=0):
    y = stats.betabinom.logpmf(k, n, a, b, loc)
    whole = special.psi(a + b) - special.psi(a + b + n)
    a_bar = y_bar * inside(y, special.psi(k - loc + a) - special.psi(a) + whole)
    b_bar = y_bar * inside(y, special.psi(n - (k - loc) + b) - special.psi(b) + whole)


@rule(stats.binom.logpmf, elementwise=True, constant_in=("k", "n", "loc"))
def binom_logpmf(k, n, p, loc=0):
    y = stats.binom.logpmf(k, n, p, loc)
    p_bar = y_bar * inside(y, (k - loc) / p - (n - (k - loc)) / (1.0 - p))


@rule(stats.binom.pmf, elementwise=True, constant_in=("k", "n", "loc"))
def binom_pmf(k, n, p, loc=0):
    y = stats.binom.pmf(k, n, p, loc)
    p_bar = y_bar * y * inside(np.log(y), (k - loc) / p - (n - (k - loc)) / (1.0 - p))


@rule(stats.binom.cdf, elementwise=True, constant_in=("k", "n", "loc"))
def binom_cdf(k, n, p, loc=0):
    y = stats.binom.cdf(k, n, p, loc)
    p_bar = -y_bar * n * stats.binom.pmf(np.floor(k), n - 1, p, loc)


@rule(stats.binom.sf, elementwise=True, constant_in=("k", "n", "loc"))
def binom_sf(k, n, p, loc=0):
    y = stats.binom.sf(k, n, p, loc)
    p_bar = y_bar * n * stats.binom.pmf(np.floor(k), n - 1, p, loc)


@rule(stats.geom.logpmf, elementwise=True, constant_in=("k", "loc"))
def geom_logpmf(k, p, loc=0):
    y = stats.geom.logpmf(k, p, loc)
    p_bar = y_bar * inside(y, 1.0 / p - (k - loc - 1.0) / (1.0 - p))


@rule(stats.geom.pmf, elementwise=True, constant_in=("k", "loc"))
def geom_pmf(k, p, loc=0):
    y = stats.geom.pmf(k, p, loc)
    p_bar = y_bar * y * inside(np.log(y), 1.0 / p - (k - loc - 1.0) / (1.0 - p))


@rule(stats.nbinom.logpmf, elementwise=True, constant_in=("k", "loc"))
def nbinom_logpmf(k, n, p, loc=0):
    y = stats.nbinom.logpmf(k, n, p, loc)
    n_bar = y_bar * inside(y, special.psi(k - loc + n) - special.psi(n) + np.log(p))
    p_bar = y_bar * inside(y, n / p - (k - loc) / (1.0 - p))


@rule(stats.nbinom.pmf, elementwise=True, constant_in=("k", "loc"))
def nbinom_pmf(k, n, p, loc=0):
    y = stats.nbinom.pmf(k, n, p, loc)
    n_bar = y_bar * y * inside(np.log(y), special.psi(k - loc + n) - special.psi(n) + np.log(p))
    p_bar = y_bar * y * inside(np.log(y), n / p - (k - loc) / (1.0 - p))


@rule(stats.poisson.logpmf, elementwise=True, constant_in=("k", "loc"))
def poisson_logpmf(k, mu, loc=0):
    y = stats.poisson.logpmf(k, mu, loc)
    mu_bar = y_bar * inside(y, (k - loc) / mu - 1.0)


@rule(stats.poisson.pmf, elementwise=True, constant_in=("k", "loc"))
def poisson_pmf(k, mu, loc=0):
    y = stats.poisson.pmf(k, mu, loc)
    mu_bar = y_bar * y * inside(np.log(y), (k - loc) / mu - 1.0)


@rule(stats.poisson.cdf, elementwise=True, constant_in=("k", "loc"))
def poisson_cdf(k, mu, loc=0):
    y = stats.poisson.cdf(k, mu, loc)
    mu_bar = -y_bar * stats.poisson.pmf(np.floor(k), mu, loc)


@rule(stats.poisson.sf, elementwise=True, constant_in=("k", "loc"))
def poisson_sf(k, mu, loc=0):
    y = stats.poisson.sf(k, mu, loc)
    mu_bar = y_bar * stats.poisson.pmf(np.floor(k), mu, loc)
