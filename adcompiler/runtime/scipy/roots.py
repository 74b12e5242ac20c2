"""Roots of functions as implicit functions of their parameters.

For `f(x, p) = 0` the implicit function theorem gives `dx = -f_x^-1 f_p dp`; the iterations of the root finder play no
part, and neither do the point or the bracket it starts from. An adjoint takes one linear system with `f_x` transposed.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from scipy import optimize

from .calls import filled, flat, jacobian, pullback, pushforward


def _check_reached(newton_step, x):
    """Warn where a Newton step would still move `x` by more than a thousandth: no root, or not yet."""
    if np.max(np.abs(newton_step), initial=0.0) > 1e-3 * (1.0 + np.max(np.abs(x), initial=0.0)):
        warnings.warn("a root has not been reached, so that its derivative is not that of the root", stacklevel=4)


def scalar_root_adjoint(x_bar, f, x, args):
    """The adjoints of `args` in the root `x` of `f(x, *args)`, elementwise for an array of roots.

    >>> round(scalar_root_adjoint(1.0, lambda x, p: x * x - p, 3.0, (9.0,))[0], 12)
    0.166666666667
    """
    x = np.asarray(x, float) if np.ndim(x) else float(x)
    value, pull = pullback(f, x, *args)
    slope = pull(np.ones(np.shape(value)) if np.ndim(value) else 1.0)[0]
    with np.errstate(all="ignore"):
        _check_reached(np.divide(value, slope), x)
    return pull(-np.asarray(x_bar, float) / slope if np.ndim(value) else float(-x_bar / slope))[1:]


def scalar_root_tangent(f, x, args, args_dot):
    """The tangent of the root `x` of `f(x, *args)`.

    >>> float(scalar_root_tangent(lambda x, p: x * x - p, 3.0, (9.0,), (1.0,)).round(12))
    0.166666666667
    """
    x = np.asarray(x, float) if np.ndim(x) else float(x)
    value, pull = pullback(f, x, *args)
    slope = pull(np.ones(np.shape(value)) if np.ndim(value) else 1.0)[0]
    with np.errstate(all="ignore"):
        _check_reached(np.divide(value, slope), x)
    return -np.divide(pushforward(f, (x, *args), (None, *args_dot)), slope)


def root_adjoint(x_bar, f, x, args):
    """The adjoints of `args` in the root `x` (an array) of the system `f(x, *args)`.

    >>> round(root_adjoint(np.ones(1), lambda x, p: x ** 2 - p, np.array([3.0]), (9.0,))[0], 12)
    0.166666666667
    """
    value, matrix, pull = jacobian(f, np.asarray(x, float), args)
    _check_reached(np.linalg.solve(matrix, flat(value)), x)
    solved = -np.linalg.solve(matrix.T, np.ravel(x_bar))
    return pull(filled(value, solved))


def root_tangent(f, x, args, args_dot):
    """The tangent of the root `x` (an array) of the system `f(x, *args)`.

    >>> root_tangent(lambda x, p: x ** 2 - p, np.array([3.0]), (9.0,), (1.0,)).round(12).tolist()
    [0.166666666667]
    """
    x = np.asarray(x, float)
    value, matrix, _ = jacobian(f, x, args)
    _check_reached(np.linalg.solve(matrix, flat(value)), x)
    change = pushforward(f, (x, *args), (None, *args_dot))
    return np.reshape(-np.linalg.solve(matrix, flat(change)), np.shape(x))


def fixed_point_adjoint(x_bar, func, x, args):
    """The adjoints of `args` in the fixed point `x = func(x, *args)`.

    >>> float(fixed_point_adjoint(1.0, lambda x, p: 0.5 * x + p, 2.0, (1.0,))[0])
    2.0
    """
    value, matrix, pull = jacobian(func, np.asarray(x, float) if np.ndim(x) else float(x), args)
    return pull(filled(value, np.linalg.solve(np.eye(len(matrix)) - matrix.T, np.ravel(x_bar))))


def fixed_point_tangent(func, x, args, args_dot):
    """The tangent of the fixed point `x = func(x, *args)`.

    >>> float(fixed_point_tangent(lambda x, p: 0.5 * x + p, 2.0, (1.0,), (1.0,)))
    2.0
    """
    x = np.asarray(x, float) if np.ndim(x) else float(x)
    _, matrix, _ = jacobian(func, x, args)
    change = pushforward(func, (x, *args), (None, *args_dot))
    return np.reshape(np.linalg.solve(np.eye(len(matrix)) - matrix, flat(change)), np.shape(x))[()]


class RootResult(NamedTuple):
    """What `scipy.optimize.root` returns, as far as it is kept in differentiated code; `x` carries the derivative."""

    x: np.ndarray
    success: bool
    status: int
    message: str
    nfev: int


class ScalarRootResult(NamedTuple):
    """What `scipy.optimize.root_scalar` returns; `root` carries the derivative."""

    root: float
    converged: bool
    flag: str
    iterations: int
    function_calls: int


def root_result(fun, x0, args=(), method="hybr", jac=None, tol=None, options=None):
    """`scipy.optimize.root`, with a tuple as the result.

    >>> root_result(lambda x: x - 2.0, 0.0).x.tolist()
    [2.0]
    """
    found = optimize.root(fun, x0, args, method, jac, tol, None, options)
    return RootResult(found.x, found.success, found.status, found.message, getattr(found, "nfev", 0))


def root_scalar_result(
    f,
    args=(),
    method=None,
    bracket=None,
    fprime=None,
    fprime2=None,
    x0=None,
    x1=None,
    xtol=None,
    rtol=None,
    maxiter=None,
    options=None,
):
    """`scipy.optimize.root_scalar`, with a tuple as the result.

    >>> root_scalar_result(lambda x: x - 2.0, bracket=(0.0, 3.0)).root
    2.0
    """
    found = optimize.root_scalar(f, args, method, bracket, fprime, fprime2, x0, x1, xtol, rtol, maxiter, options)
    return ScalarRootResult(float(found.root), found.converged, found.flag, found.iterations, found.function_calls)


__all__ = [
    "RootResult",
    "ScalarRootResult",
    "fixed_point_adjoint",
    "fixed_point_tangent",
    "root_adjoint",
    "root_result",
    "root_scalar_result",
    "root_tangent",
    "scalar_root_adjoint",
    "scalar_root_tangent",
]
