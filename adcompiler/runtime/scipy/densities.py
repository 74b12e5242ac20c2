"""Slopes of densities at the ends of their supports, and of densities of vectors."""

from __future__ import annotations

import numpy as np
from scipy import special

from ..products import sum_to
from .linear_systems import effective_adjoint, effective_matrix


def inside(logarithm, slope):
    """The slope of a logarithm of a density, and 0 outside its support, where the logarithm is -inf.

    >>> inside(np.array([-np.inf, 1.0]), np.array([np.nan, 2.0])).tolist()
    [0.0, 2.0]
    """
    return np.where(np.equal(logarithm, -np.inf), 0.0, slope)[()]


def above(x, start, slope):
    """The slope of a distribution function in a shape parameter, and 0 up to the start of the support.

    >>> above(np.array([0.0, 3.0]), 1.0, np.array([np.nan, 2.0])).tolist()
    [0.0, 2.0]
    """
    return np.where(np.greater(x, start), slope, 0.0)[()]


def _covariance(cov, size):
    """The matrix that SciPy makes of a number, a diagonal or a matrix, of which it reads the lower triangle."""
    if np.ndim(cov) == 0:
        return cov * np.eye(size)
    if np.ndim(cov) == 1:
        return np.diag(cov) if np.shape(cov)[0] == size and size > 1 else np.reshape(cov, (1, 1))
    return effective_matrix(np.asarray(cov), True, "sym")


def _centred(x, mean, size):
    """The deviations as rows, with the shape of the result in front."""
    x = np.asarray(x, float)
    if x.ndim == 0:
        x = x[np.newaxis]
    elif x.ndim == 1:
        x = x[:, np.newaxis] if size == 1 else x
    return x - (np.zeros(size) if mean is None else np.reshape(mean, (-1,)))


def _dimension(x, mean, cov):
    if mean is not None:
        return np.size(mean)
    return np.shape(cov)[0] if np.ndim(cov) else 1


def multivariate_normal_adjoints(y_bar, x, mean=None, cov=1):
    """The adjoints of `x`, `mean` and `cov` in `scipy.stats.multivariate_normal.logpdf(x, mean, cov)`.

    With `s = cov^-1 (x - mean)` the slopes are `-s`, `s` and `(s s^T - cov^-1) / 2`.

    >>> x_bar, mean_bar, cov_bar = multivariate_normal_adjoints(1.0, np.array([2.0, 0.0]), np.zeros(2), np.eye(2))
    >>> x_bar.tolist(), mean_bar.tolist(), cov_bar.tolist()
    ([-2.0, -0.0], [2.0, 0.0], [[1.5, 0.0], [0.0, -0.5]])
    """
    size = _dimension(x, mean, cov)
    inverse = np.linalg.inv(_covariance(cov, size))
    solved = _centred(x, mean, size) @ inverse
    rows = np.reshape(solved, (-1, size))
    weights = np.reshape(y_bar, (-1,))
    weighted = weights[:, np.newaxis] * rows
    full = 0.5 * (weighted.T @ rows - np.sum(weights) * inverse)
    mean_bar = np.sum(weighted, axis=0)
    x_bar = np.reshape(-weighted, np.shape(x))
    cov_bar = (
        np.trace(full)
        if np.ndim(cov) == 0
        else np.diagonal(full).copy()
        if np.ndim(cov) == 1
        else effective_adjoint(full, True, "sym")
    )
    return x_bar, sum_to(mean_bar, (size,)) if np.ndim(mean) else np.sum(mean_bar), cov_bar


def multivariate_normal_tangent(x_dot, mean_dot, cov_dot, x, mean=None, cov=1):
    """The tangent of `scipy.stats.multivariate_normal.logpdf(x, mean, cov)`; zeros where nothing moves.

    >>> float(multivariate_normal_tangent(np.ones(2), np.zeros(2), np.zeros((2, 2)), np.array([2.0, 0.0]), np.zeros(2), np.eye(2)))
    -2.0
    """
    size = _dimension(x, mean, cov)
    inverse = np.linalg.inv(_covariance(cov, size))
    solved = _centred(x, mean, size) @ inverse
    change = _centred(x_dot, None if mean is None else mean_dot, size)
    cov_change = _covariance(cov_dot, size) if np.ndim(cov_dot) == np.ndim(cov) else np.zeros((size, size))
    bent = 0.5 * (np.sum((solved @ cov_change) * solved, axis=-1) - np.sum(inverse * cov_change))
    return np.reshape(bent - np.sum(solved * change, axis=-1), np.shape(bent)[: max(np.ndim(bent), 0)])[()]


def dirichlet_adjoints(y_bar, x, alpha):
    """The adjoints of `x` and `alpha` in `scipy.stats.dirichlet.logpdf(x, alpha)`, whose points are columns.

    Of points that leave out the last share, which is 1 less the others, that has its part in them.

    >>> x_bar, alpha_bar = dirichlet_adjoints(1.0, np.array([0.25, 0.75]), np.array([3.0, 2.0]))
    >>> x_bar.tolist(), alpha_bar.round(3).tolist()
    ([8.0, 1.3333333333333333], [-0.803, 0.796])
    """
    x, alpha = np.asarray(x), np.asarray(alpha)
    weight = np.reshape(alpha - 1.0, np.shape(alpha) + (1,) * (np.ndim(x) - 1))
    if np.shape(x)[0] == np.shape(alpha)[0]:
        shares, x_bar = x, y_bar * weight / x
    else:
        shares = np.concatenate((x, 1.0 - np.sum(x, axis=0, keepdims=True)))
        x_bar = y_bar * (weight[:-1] / x - weight[-1:] / shares[-1:])
    logarithms = y_bar * np.log(shares)
    summed = logarithms if np.ndim(x) == 1 else np.sum(logarithms, axis=1)
    return x_bar, summed + np.sum(y_bar) * (special.psi(np.sum(alpha)) - special.psi(alpha))


def dirichlet_tangent(x_dot, alpha_dot, x, alpha):
    """The tangent of `scipy.stats.dirichlet.logpdf(x, alpha)`.

    >>> float(dirichlet_tangent(np.ones(2), np.zeros(2), np.array([0.25, 0.75]), np.array([3.0, 2.0])).round(3))
    9.333
    """
    x, alpha = np.asarray(x), np.asarray(alpha)
    weight = np.reshape(alpha - 1.0, np.shape(alpha) + (1,) * (np.ndim(x) - 1))
    change = np.reshape(alpha_dot, np.shape(weight))
    whole = np.sum(alpha_dot * (special.psi(np.sum(alpha)) - special.psi(alpha)))
    if np.shape(x)[0] == np.shape(alpha)[0]:
        return np.sum(weight * x_dot / x + change * np.log(x), axis=0) + whole
    last = 1.0 - np.sum(x, axis=0)
    first = np.sum(weight[:-1] * x_dot / x + change[:-1] * np.log(x), axis=0)
    return first - weight[-1] * np.sum(x_dot, axis=0) / last + change[-1] * np.log(last) + whole
