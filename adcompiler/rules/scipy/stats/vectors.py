"""Rules for scipy.stats: distributions of vectors."""

from __future__ import annotations

from scipy import stats

from ....runtime.scipy.densities import multivariate_normal_adjoints, multivariate_normal_tangent
from ...registry import rule


@rule(stats.multivariate_normal.logpdf)
def multivariate_normal_logpdf(x, mean=None, cov=1, allow_singular=False):
    y = stats.multivariate_normal.logpdf(x, mean, cov)
    adjoints = multivariate_normal_adjoints(y_bar, x, mean, cov)
    x_bar = adjoints[0]
    mean_bar = adjoints[1]
    cov_bar = adjoints[2]
    y_dot = multivariate_normal_tangent(x_dot, mean_dot, cov_dot, x, mean, cov)
