"""Quotients for adjoints at points where the direction of a function is undefined."""

from __future__ import annotations

import numpy as np


def quotient_or_zero(a, b):
    """`a / b`, and 0 where `b` is 0; `a` and `b` broadcast.

    >>> quotient_or_zero(3.0, 2.0), quotient_or_zero(3.0, 0.0)
    (1.5, 0.0)
    >>> quotient_or_zero(np.array([1.0, 2.0]), np.array([0.0, 4.0]))
    array([0. , 0.5])
    """
    if isinstance(b, (int, float, complex)) and isinstance(a, (int, float, complex)):
        return a / b if b != 0 else 0.0
    nonzero = np.not_equal(b, 0)
    return np.where(nonzero, a / np.where(nonzero, b, 1), 0)


def exp_share(x, y):
    """The share of `exp(x)` in `exp(x) + exp(y)`, without overflow; one half where `x == y`, infinities included.

    >>> exp_share(0.0, 0.0), exp_share(np.inf, 1.0), exp_share(-np.inf, -np.inf)
    (np.float64(0.5), np.float64(1.0), np.float64(0.5))
    """
    with np.errstate(invalid="ignore"):
        difference = np.where(np.equal(x, y), 0, np.subtract(y, x))
    return np.exp(-np.logaddexp(0.0, difference))
