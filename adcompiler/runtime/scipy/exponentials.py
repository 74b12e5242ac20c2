"""Weights of logsumexp, and the adjoint of softmax."""

from __future__ import annotations

import numpy as np

from ..products import sum_to
from ..reductions import spread


def exp_shares(a, y, axis=None, keepdims=False):
    """`exp(a - y)` for `y = logsumexp(a, axis)`: the shares of the terms, 0 where every term is 0.

    >>> exp_shares(np.zeros(2), np.log(2.0)).round(3).tolist()
    [0.5, 0.5]
    """
    whole = spread(y, np.shape(a), axis, keepdims)
    nothing = whole == -np.inf
    return np.where(nothing, 0.0, np.exp(a - np.where(nothing, 0.0, whole)))


def terms(a, b):
    """`a` in the shape of the terms `b * exp(a)` of logsumexp.

    >>> terms(np.zeros(1), np.ones(2)).tolist()
    [0.0, 0.0]
    """
    return a if b is None else np.broadcast_to(a, np.broadcast_shapes(np.shape(a), np.shape(b)))


def logsumexp_adjoint(y_bar, y, a, b=None, axis=None, keepdims=False):
    """The adjoint of `a` in `y = scipy.special.logsumexp(a, axis, b, keepdims)`.

    >>> logsumexp_adjoint(1.0, np.log(2.0), np.zeros(2)).round(3).tolist()
    [0.5, 0.5]
    """
    full = terms(a, b)
    shares = exp_shares(full, y, axis, keepdims)
    weights = shares if b is None else shares * b
    return sum_to(spread(y_bar, np.shape(full), axis, keepdims) * np.conj(weights), np.shape(a))


def logsumexp_factors_adjoint(y_bar, y, a, b, axis=None, keepdims=False):
    """The adjoint of the factors `b` in `y = scipy.special.logsumexp(a, axis, b, keepdims)`.

    >>> logsumexp_factors_adjoint(1.0, np.log(2.0), np.zeros(2), np.ones(2)).round(3).tolist()
    [0.5, 0.5]
    """
    full = terms(a, b)
    shares = exp_shares(full, y, axis, keepdims)
    return sum_to(spread(y_bar, np.shape(full), axis, keepdims) * np.conj(shares), np.shape(b))


def softmax_adjoint(y_bar, y, axis=None):
    """The adjoint of `x` in `y = scipy.special.softmax(x, axis)`; the matrix is symmetric, so the tangent too.

    >>> softmax_adjoint(np.array([1.0, 0.0]), np.array([0.5, 0.5])).tolist()
    [0.25, -0.25]
    """
    return y * (y_bar - np.sum(y * y_bar, axis=axis, keepdims=True))
