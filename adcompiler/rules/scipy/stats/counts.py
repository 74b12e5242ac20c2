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


@rule(stats.binom.logpmf, elementwise=True, constant_in=("k", "n", "loc"))
def binom_logpmf(k, n, p, loc=0):
    y = stats.binom.logpmf(k, n, p, loc)
    p_bar = y_bar * inside(y, (k - loc) / p - (n - (k - loc)) / (1.0 - p))


@rule(stats.binom.pmf, elementwise=True, constant_in=("k", "n", "loc"))
def binom_pmf(k, n, p, loc=0):
    y = stats.binom.pmf(k, n, p, loc)
    p_bar = y_bar * y * inside(np.log(y), (k - loc) / p - (n - (k - loc)) / (1.0 - p))


@rule(stats.geom.logpmf, elementwise=True, constant_in=("k", "loc"))
def geom_logpmf(k, p, loc=0):
    y = stats.geom.logpmf(k, p, loc)
    p_bar = y_bar * inside(y, 1.0 / p - (k - loc - 1.0) / (1.0 - p))


@rule(stats.nbinom.logpmf, elementwise=True, constant_in=("k", "loc"))
def nbinom_logpmf(k, n, p, loc=0):
    y = stats.nbinom.logpmf(k, n, p, loc)
    n_bar = y_bar * inside(y, special.psi(k - loc + n) - special.psi(n) + np.log(p))
    p_bar = y_bar * inside(y, n / p - (k - loc) / (1.0 - p))


@rule(stats.poisson.logpmf, elementwise=True, constant_in=("k", "loc"))
def poisson_logpmf(k, mu, loc=0):
    y = stats.poisson.logpmf(k, mu, loc)
    mu_bar = y_bar * inside(y, (k - loc) / mu - 1.0)


@rule(stats.poisson.pmf, elementwise=True, constant_in=("k", "loc"))
def poisson_pmf(k, mu, loc=0):
    y = stats.poisson.pmf(k, mu, loc)
    mu_bar = y_bar * y * inside(np.log(y), (k - loc) / mu - 1.0)
