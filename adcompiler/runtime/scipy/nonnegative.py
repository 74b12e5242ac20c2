"""Non-negative least squares: where a component is positive it solves the normal equations, elsewhere it stays 0."""

from __future__ import annotations

import numpy as np


def _normal_matrix(A, x):
    """That of the positive components, and 1 on the diagonal for the others."""
    free = (x > 0.0) * 1.0
    return free, (A.T @ A) * free[:, np.newaxis] * free + np.diag(1.0 - free)


def _towards_residual(A, b, x):
    """The residual, and its direction; 0 where it vanishes."""
    residual = b - A @ x
    size = np.linalg.norm(residual)
    return residual, residual / (size if size > 0.0 else 1.0)


def nnls_adjoints(x_bar, rnorm_bar, A, b, x):
    """The adjoints of `A` and `b` in `x, rnorm = scipy.optimize.nnls(A, b)`.

    >>> A_bar, b_bar = nnls_adjoints(np.array([1.0, 1.0]), 0.0, np.eye(2), np.array([2.0, -1.0]), np.array([2.0, 0.0]))
    >>> (A_bar + 0.0).tolist(), b_bar.tolist()
    ([[-2.0, 0.0], [-1.0, 0.0]], [1.0, 0.0])
    """
    A, b = np.asarray(A), np.asarray(b)
    free, normal = _normal_matrix(A, x)
    residual, direction = _towards_residual(A, b, x)
    multipliers = np.linalg.solve(normal, x_bar * free)
    moved = A @ multipliers + rnorm_bar * direction
    return np.outer(residual, multipliers) - np.outer(moved, x), moved


def nnls_tangents(A_dot, b_dot, A, b, x):
    """The tangents of `x` and `rnorm`.

    >>> x_dot, rnorm_dot = nnls_tangents(np.zeros((2, 2)), np.ones(2), np.eye(2), np.array([2.0, -1.0]), np.array([2.0, 0.0]))
    >>> x_dot.tolist(), float(rnorm_dot)
    ([1.0, 0.0], -1.0)
    """
    A, b = np.asarray(A), np.asarray(b)
    free, normal = _normal_matrix(A, x)
    residual, direction = _towards_residual(A, b, x)
    change = b_dot - A_dot @ x
    return np.linalg.solve(normal, free * (A_dot.T @ residual + A.T @ change)), np.dot(direction, change)
