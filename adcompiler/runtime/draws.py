"""Slopes of random draws in the parameters of their distributions."""

import numpy as np

from .decomposition_tangents import cholesky_tangent
from .decompositions import cholesky_adjoint


def triangular_slope(y, left, mode, right, parameter):
    """The derivative of a draw `y` of the triangular distribution with respect to one of its parameters.

    The uniform draw `u` stays: `y` is `left + sqrt(u (right - left) (mode - left))` up to the mode, and
    `right - sqrt((1 - u) (right - left) (right - mode))` beyond.

    >>> float(triangular_slope(1.0, 0.0, 2.0, 4.0, "right"))
    0.125
    """
    width = right - left
    rising, falling = 0.5 * (y - left), 0.5 * (right - y)
    below = y <= mode
    to_mode, from_mode = np.where(below, mode - left, 1.0), np.where(below, 1.0, right - mode)
    if parameter == "left":
        return np.where(below, 1.0 - rising / width - rising / to_mode, falling / width)
    if parameter == "right":
        return np.where(below, rising / width, 1.0 - falling / width - falling / from_mode)
    return np.where(below, rising / to_mode, falling / from_mode)


def covariance_adjoint(y_bar, y, mean, cov):
    """The adjoint of `cov` in draws `y = mean + L z`, with Cholesky's factor L of it; the triangle that NumPy reads.

    >>> covariance_adjoint(np.ones((1, 1)), np.array([[6.0]]), np.array([2.0]), np.array([[4.0]]))
    array([[0.5]])
    """
    l = np.linalg.cholesky(cov)
    n = np.shape(cov)[-1]
    z = np.linalg.solve(l, np.reshape(y - mean, (-1, n)).T)
    return cholesky_adjoint(np.reshape(y_bar, (-1, n)).T @ z.T, l)


def covariance_tangent(cov_dot, y, mean, cov):
    """The tangent of draws `y = mean + L z` along `cov`.

    >>> covariance_tangent(np.ones((1, 1)), np.array([[6.0]]), np.array([2.0]), np.array([[4.0]]))
    array([[0.5]])
    """
    l = np.linalg.cholesky(cov)
    z = np.linalg.solve(l, np.reshape(y - mean, (-1, np.shape(cov)[-1])).T)
    return np.reshape((cholesky_tangent(cov_dot, l) @ z).T, np.shape(y))
