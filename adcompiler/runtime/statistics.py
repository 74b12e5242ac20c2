"""Adjoints and tangents of `np.cov` and `np.corrcoef`."""

import numpy as np


def cov_adjoint(value, m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    """The adjoints of `np.cov` with respect to `m` and `y` (None if `y` is).

    >>> cov_adjoint(1.0, np.array([1.0, 2.0, 3.0]))
    (array([-1.,  0.,  1.]), None)
    """
    variables, count, m_turned, y_turned = _joined(value, m, y, rowvar)
    weights, divisor = _weights_and_divisor(variables.shape[1], bias, ddof, fweights, aweights)
    centred = variables - np.sum(variables * weights, axis=1, keepdims=True) / np.sum(weights)
    value = np.reshape(value, (variables.shape[0], variables.shape[0]))
    joined_bar = (value + np.conj(value.T)) @ centred * weights / divisor
    m_bar = _in_shape_of(m, joined_bar[:count], m_turned)
    return m_bar, None if y is None else _in_shape_of(y, joined_bar[count:], y_turned)


def corrcoef_adjoint(value, x, y=None, rowvar=True):
    """The adjoints of `np.corrcoef` with respect to `x` and `y` (None if `y` is).

    >>> x_bar, y_bar = corrcoef_adjoint(np.eye(2), np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    >>> bool(np.allclose(x_bar, 0.0))
    True
    """
    c = np.atleast_2d(np.cov(x, y, rowvar=rowvar))
    value = np.reshape(value, c.shape)
    variance = np.diag(c).real
    scale = np.sqrt(np.outer(variance, variance))
    products = (np.conj(value) * (c / scale)).real
    variance_bar = -0.5 * (np.sum(products, axis=0) + np.sum(products, axis=1)) / variance
    return cov_adjoint(value / scale + np.diag(variance_bar), x, y, rowvar)


def cov_tangent(m_dot, y_dot, c, m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    """The tangent of `c = np.cov(m, y, ...)`; `y_dot` counts only if there is a `y`.

    >>> float(cov_tangent(np.array([0.0, 0.0, 1.0]), 0.0, 1.0, np.array([1.0, 2.0, 3.0])))
    1.0
    """
    variables, _, m_turned, y_turned = _joined(c, m, y, rowvar)
    direction = _as_rows(m_dot, m_turned)
    if y is not None:
        direction = np.concatenate((direction, _as_rows(y_dot, y_turned)))
    weights, divisor = _weights_and_divisor(variables.shape[1], bias, ddof, fweights, aweights)
    centred = variables - np.sum(variables * weights, axis=1, keepdims=True) / np.sum(weights)
    half = (direction * weights) @ np.conj(centred.T) / divisor
    return np.reshape(half + np.conj(half.T), np.shape(c))


def corrcoef_tangent(x_dot, y_dot, r, x, y=None, rowvar=True):
    """The tangent of `r = np.corrcoef(x, y, rowvar)`.

    >>> float(abs(corrcoef_tangent(np.array([1.0, 2.0, 3.0]), 0.0, 1.0, np.array([1.0, 2.0, 3.0]))))
    0.0
    """
    c = np.cov(x, y, rowvar)
    c_dot = np.atleast_2d(cov_tangent(x_dot, y_dot, c, x, y, rowvar))
    variance = np.diag(np.atleast_2d(c)).real
    rate = 0.5 * np.diag(c_dot).real / variance
    scale = np.sqrt(np.outer(variance, variance))
    return np.reshape(c_dot / scale, np.shape(r)) - r * np.reshape(np.add.outer(rate, rate), np.shape(r))


def _joined(c, m, y, rowvar):
    """All variables of `c = np.cov(m, y)` as rows, how many of them are from `m`, and which of the two were turned."""
    y_turned = y is not None and np.ndim(y) == 2 and not rowvar and np.shape(y)[0] != 1
    y_rows = None if y is None else _as_rows(y, y_turned)
    # releases of NumPy differ on a matrix of one row, so the size of the result tells what was a variable
    count = (np.shape(c)[0] if np.ndim(c) else 1) - (0 if y is None else y_rows.shape[0])
    m_turned = np.ndim(m) == 2 and not rowvar and np.shape(m)[1] == count
    rows = _as_rows(m, m_turned)
    return rows if y is None else np.concatenate((rows, y_rows)), count, m_turned, y_turned


def _as_rows(m, turned):
    """One row per variable, one column per observation."""
    return np.transpose(m) if turned else np.atleast_2d(m)


def _in_shape_of(m, rows, turned):
    return np.reshape(np.transpose(rows) if turned else rows, np.shape(m))


def _weights_and_divisor(count, bias, ddof, fweights, aweights):
    """The weight of each observation, and what the sum of products is divided by (as `np.cov` defines it)."""
    ddof = ddof if ddof is not None else 0 if bias else 1
    weights = np.ones(count) if fweights is None else np.asarray(fweights, float)
    if aweights is None:
        return weights, max(np.sum(weights) - ddof, 0.0)
    weights = weights * aweights
    total = np.sum(weights)
    return weights, max(total - ddof * np.sum(weights * aweights) / total, 0.0)
