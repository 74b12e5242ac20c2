"""Rules for scipy.stats: distributions of vectors."""

from __future__ import annotations

import numpy as np
from scipy import stats

from ....ir.types import Num
from ....runtime.scipy.densities import (
    dirichlet_adjoints,
    dirichlet_tangent,
    multivariate_normal_adjoints,
    multivariate_normal_tangent,
)
from ...registry import rule


@rule(stats.multivariate_normal.logpdf)
def multivariate_normal_logpdf(x, mean=None, cov=1, allow_singular=False):
    y = stats.multivariate_normal.logpdf(x, mean, cov)
    adjoints = multivariate_normal_adjoints(y_bar, x, mean, cov)
    x_bar = adjoints[0]
    mean_bar = adjoints[1]
    cov_bar = adjoints[2]
    y_dot = multivariate_normal_tangent(x_dot, mean_dot, cov_dot, x, mean, cov)


@rule(stats.multivariate_normal.pdf)
def multivariate_normal_pdf(x, mean=None, cov=1, allow_singular=False):
    y = stats.multivariate_normal.pdf(x, mean, cov)
    adjoints = multivariate_normal_adjoints(y_bar * y, x, mean, cov)
    x_bar = adjoints[0]
    mean_bar = adjoints[1]
    cov_bar = adjoints[2]
    y_dot = y * multivariate_normal_tangent(x_dot, mean_dot, cov_dot, x, mean, cov)


def _columns(x, *types, **named):
    rank = x.rank - 1 if isinstance(x, Num) and x.rank else None
    return Num("f", np.dtype(float), rank, None if rank is None else rank > 0, None if rank is None else (None,) * rank)


@rule(stats.dirichlet.logpdf, infer=_columns)
def dirichlet_logpdf(x, alpha):
    y = stats.dirichlet.logpdf(x, alpha)
    adjoints = dirichlet_adjoints(y_bar, x, alpha)
    x_bar = adjoints[0]
    alpha_bar = adjoints[1]
    y_dot = dirichlet_tangent(x_dot, alpha_dot, x, alpha)
