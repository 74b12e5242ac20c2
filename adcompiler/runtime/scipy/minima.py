"""Minima of functions as implicit functions of their parameters.

At a minimum of `f(x, p)` the gradient is zero, so that `f_xx dx = -f_xp dp`; components at a bound that holds them stay
there. The second derivatives are those of the compiled gradient, exact, one tangent for each free component.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from scipy import optimize

from ...errors import RuleError
from .calls import added, flat, is_floating, scaled, shared

_GRADIENTS: dict = {}


def _gradient(function, wrt):
    """The compiled gradient of a function, one for each function."""
    from ... import api

    function = shared(function)
    key = (id(function), wrt)
    if key not in _GRADIENTS or _GRADIENTS[key][0] is not function:
        if len(_GRADIENTS) > 1000:
            _GRADIENTS.clear()
        _GRADIENTS[key] = function, api.grad(function, wrt=wrt)
    return _GRADIENTS[key][1]


def free_components(x, slope, bounds=None):
    """Which components of a minimum can move: all but those at a bound against which the function falls.

    >>> free_components(np.array([0.0, 0.5]), np.array([1.0, 0.0]), [(0.0, 1.0), (0.0, 1.0)]).tolist()
    [False, True]
    """
    x, slope = np.ravel(x), np.ravel(slope)
    if bounds is None:
        return np.ones(x.size, bool)
    low, high = _limits(bounds, x.size)
    near = 1e-9 * (1.0 + np.abs(x))
    return ~(((x <= low + near) & (slope > 0.0)) | ((x >= high - near) & (slope < 0.0)))


def _limits(bounds, size):
    if hasattr(bounds, "lb"):
        return np.broadcast_to(bounds.lb, size), np.broadcast_to(bounds.ub, size)
    if isinstance(bounds, tuple) and len(bounds) == 2 and not (size == 2 and np.ndim(bounds[0])):
        return np.broadcast_to(bounds[0], size), np.broadcast_to(bounds[1], size)
    pairs = [(-np.inf if a is None else a, np.inf if b is None else b) for a, b in bounds]
    return np.array([a for a, _ in pairs], float), np.array([b for _, b in pairs], float)


def _second_derivatives(f, x, args, bounds):
    """The slope in `x`, those in the arguments, the free components, the matrix f_xx of these, and rows of f_xp."""
    from ... import jvp

    positions = tuple(k for k, a in enumerate(args) if is_floating(a))
    gradient = _gradient(f, (0, *(k + 1 for k in positions)))
    slope, *slopes = gradient(x, *args)
    free = free_components(x, slope, bounds)
    columns, mixed = [], []
    for k in np.flatnonzero(free):
        unit = np.zeros(np.size(x))
        unit[k] = 1.0
        direction = np.reshape(unit, np.shape(x)) if np.ndim(x) else float(unit[0])
        _, (column, *rest) = jvp(gradient, (x, *args), (direction, *(None for _ in args)))
        columns.append(np.ravel(column)[free])
        mixed.append(_placed(rest, positions, len(args)))
    matrix = np.array(columns).T if columns else np.zeros((0, 0))
    if columns:
        step = np.linalg.solve(matrix, np.ravel(slope)[free])
        if np.max(np.abs(step)) > 1e-3 * (1.0 + np.max(np.abs(x))):
            warnings.warn(
                "a minimum has not been reached, so that its derivative is not that of the minimum", stacklevel=4
            )
    return np.ravel(slope), _placed(slopes, positions, len(args)), free, matrix, mixed


def _placed(values, positions, count):
    found = dict(zip(positions, values, strict=True))
    return tuple(found.get(k) for k in range(count))


def minimum_adjoint(x_bar, fun_bar, f, x, args, bounds=None):
    """The adjoints of `args` in the place `x` and the value of the minimum of `f(x, *args)`.

    >>> minimum_adjoint(np.ones(1), 0.0, lambda x, p: (x[0] - p) ** 2, np.array([3.0]), (3.0,))
    (1.0,)
    """
    x = np.asarray(x, float) if np.ndim(x) else float(x)
    _, slopes, free, matrix, mixed = _second_derivatives(f, x, args, bounds)
    total = scaled(slopes, fun_bar)
    if mixed:
        weights = -np.linalg.solve(matrix.T, np.ravel(x_bar)[free])
        for weight, part in zip(weights, mixed, strict=True):
            total = added(total, scaled(part, weight))
    return _numbers(total, args)


def _numbers(adjoints, args):
    return tuple(float(g) if isinstance(a, float) and g is not None else g for g, a in zip(adjoints, args, strict=True))


def minimum_tangents(f, x, args, args_dot, bounds=None):
    """The tangents of the place `x` and of the value of the minimum of `f(x, *args)`.

    >>> [np.asarray(t).tolist() for t in minimum_tangents(lambda x, p: (x[0] - p) ** 2, np.array([3.0]), (3.0,), (1.0,))]
    [[1.0], 0.0]
    """
    from ... import jvp

    x = np.asarray(x, float) if np.ndim(x) else float(x)
    _, slopes, free, matrix, _ = _second_derivatives(f, x, args, bounds)
    given = tuple(t if is_floating(a) else None for a, t in zip(args, args_dot, strict=True))
    _, change = jvp(_gradient(f, (0,)), (x, *args), (None, *given))
    x_dot = np.zeros(np.size(x))
    x_dot[free] = -np.linalg.solve(matrix, np.ravel(change[0] if isinstance(change, tuple) else change)[free])
    value_dot = sum(
        float(np.sum(flat((s,)) * flat((t,))))
        for s, t in zip(slopes, given, strict=True)
        if s is not None and t is not None
    )
    return np.reshape(x_dot, np.shape(x))[()], value_dot


class MinimumResult(NamedTuple):
    """What `scipy.optimize.minimize` returns, as far as it is kept; `x` and `fun` carry derivatives."""

    x: np.ndarray
    fun: float
    success: bool
    status: int
    message: str
    nfev: int


def minimize_result(
    fun, x0, args=(), method=None, jac=None, hess=None, hessp=None, bounds=None, tol=None, options=None
):
    """`scipy.optimize.minimize`, with a tuple as the result.

    >>> minimize_result(lambda x: (x[0] - 2.0) ** 2, [0.0]).x.round(6).tolist()
    [2.0]
    """
    if jac is True:
        raise TypeError("minimize(jac=True) has no derivative: hand over the function and its slope apart")
    found = optimize.minimize(fun, x0, args, method, jac, hess, hessp, bounds, (), tol, None, options)
    return MinimumResult(
        found.x, float(found.fun), found.success, found.status, found.message, getattr(found, "nfev", 0)
    )


class ScalarMinimumResult(NamedTuple):
    """What `scipy.optimize.minimize_scalar` returns; `x` and `fun` carry derivatives."""

    x: float
    fun: float
    success: bool
    message: str
    nfev: int


def minimize_scalar_result(fun, bracket=None, bounds=None, args=(), method=None, tol=None, options=None):
    """`scipy.optimize.minimize_scalar`, with a tuple as the result.

    >>> round(minimize_scalar_result(lambda x: (x - 2.0) ** 2).x, 6)
    2.0
    """
    found = optimize.minimize_scalar(fun, bracket, bounds, args, method, tol, options)
    return ScalarMinimumResult(
        float(found.x), float(found.fun), found.success, getattr(found, "message", ""), found.nfev
    )


# ---- least squares ----


def half_square(x, fun, *args):
    """The cost that `scipy.optimize.least_squares` minimises.

    >>> float(half_square(np.array([3.0]), lambda x: x))
    4.5
    """
    return 0.5 * np.sum(np.asarray(fun(x, *args)) ** 2)


class LeastSquaresResult(NamedTuple):
    """What `scipy.optimize.least_squares` returns; `x` and `cost` carry derivatives."""

    x: np.ndarray
    cost: float
    success: bool
    status: int
    message: str
    nfev: int


def least_squares_result(
    fun,
    x0,
    jac="2-point",
    bounds=(-np.inf, np.inf),
    method="trf",
    ftol=1e-8,
    xtol=1e-8,
    gtol=1e-8,
    x_scale=1.0,
    max_nfev=None,
    args=(),
):
    """`scipy.optimize.least_squares`, with a tuple as the result.

    >>> least_squares_result(lambda x: x - 2.0, [0.0]).x.round(6).tolist()
    [2.0]
    """
    found = optimize.least_squares(
        fun, x0, jac, bounds, method, ftol, xtol, gtol, x_scale, max_nfev=max_nfev, args=args
    )
    return LeastSquaresResult(found.x, float(found.cost), found.success, found.status, found.message, found.nfev)


def least_squares_adjoint(x_bar, cost_bar, fun, x, args, bounds):
    """The adjoints of `args` in the least squares solution `x` and its cost.

    >>> least_squares_adjoint(np.ones(1), 0.0, lambda x, p: x - p, np.array([3.0]), (3.0,), (-np.inf, np.inf))
    (1.0,)
    """
    return minimum_adjoint(x_bar, cost_bar, half_square, x, (shared(fun), *args), as_bounds(bounds))[1:]


def least_squares_tangents(fun, x, args, args_dot, bounds):
    """The tangents of the least squares solution `x` and of its cost.

    >>> [np.asarray(t).tolist() for t in least_squares_tangents(lambda x, p: x - p, np.array([3.0]), (3.0,), (1.0,), (-9.0, 9.0))]
    [[1.0], 0.0]
    """
    return minimum_tangents(half_square, x, (shared(fun), *args), (None, *args_dot), as_bounds(bounds))


def as_bounds(bounds):
    """The bounds of `least_squares` and `curve_fit`, a pair, in the form of those of `minimize`.

    >>> as_bounds((0.0, 1.0)).ub.tolist()
    [1.0]
    """
    return optimize.Bounds(*bounds) if isinstance(bounds, (tuple, list)) else bounds


# ---- fits of curves ----


def curve_fit_adjoints(
    popt_bar, pcov_bar, f, popt, xdata, ydata, sigma=None, absolute_sigma=False, bounds=(-np.inf, np.inf)
):
    """The adjoints of `xdata`, `ydata` and `sigma` in the parameters that `scipy.optimize.curve_fit` finds, and in their
    covariance, which depends on them directly and through the parameters.

    >>> x, y = np.ones(2), np.ones(2)
    >>> curve_fit_adjoints(np.ones(1), np.zeros((1, 1)), lambda x, a: a * x, np.ones(1), x, y)[1].tolist()
    [0.5, 0.5]
    """
    from ...api import vjp

    cost, covariance = _functions_of_fit(f, np.size(popt), absolute_sigma)
    args = (np.asarray(xdata, float), np.asarray(ydata, float), _weights(sigma, ydata))
    direct = (0.0, 0.0, 0.0)
    if np.any(pcov_bar):
        _, pullback = vjp(covariance, popt, *args)
        through, *direct = pullback(np.asarray(pcov_bar, float))
        popt_bar = popt_bar + through
    return tuple(a + b for a, b in zip(minimum_adjoint(popt_bar, 0.0, cost, popt, args, as_bounds(bounds)), direct, strict=True))


def curve_fit_tangents(
    f, popt, xdata, ydata, sigma, xdata_dot, ydata_dot, sigma_dot, absolute_sigma=False, bounds=(-np.inf, np.inf)
):
    """The tangents of the parameters that `scipy.optimize.curve_fit` finds, and of their covariance.

    >>> x, y = np.arange(3.0), np.arange(3.0)
    >>> curve_fit_tangents(lambda x, a: a * x, np.ones(1), x, y, None, None, x, 0.0)[0].tolist()
    [1.0]
    """
    from ...forward import jvp

    cost, covariance = _functions_of_fit(f, np.size(popt), absolute_sigma)
    args = (np.asarray(xdata, float), np.asarray(ydata, float), _weights(sigma, ydata))
    given = [
        np.zeros(a.shape) if t is None else t + np.zeros(a.shape)
        for t, a in zip((xdata_dot, ydata_dot, sigma_dot), args, strict=True)
    ]
    popt_dot = minimum_tangents(cost, popt, args, tuple(given), as_bounds(bounds))[0]
    return popt_dot, jvp(covariance, (popt, *args), (popt_dot, *given))[1]


_FITS: dict = {}


def _functions_of_fit(f, count, absolute_sigma):
    """Cost of a fit with `count` parameters, and the covariance of these, as functions with a text to be differentiated.

    The covariance is that of a model that is linear near the minimum: `inv(J^T J)` with the Jacobian J of the weighted
    residuals, times their mean square for the degrees of freedom unless `sigma` is absolute.
    """
    import linecache

    from ...jacobians import jacobian

    f = shared(f)
    key = (id(f), count, bool(absolute_sigma))
    if key not in _FITS or _FITS[key][0] is not f:
        given = ", ".join(f"p[{k}]" for k in range(count))
        scale = "" if absolute_sigma else f" * (np.sum(fit_residuals(p, xdata, ydata, sigma) ** 2) / (ydata.size - {count}))"
        text = (
            "def fit_residuals(p, xdata, ydata, sigma):\n"
            f"    return (f(xdata, {given}) - ydata) / sigma\n\n\n"
            "def fit_cost(p, xdata, ydata, sigma):\n"
            "    return 0.5 * np.sum(fit_residuals(p, xdata, ydata, sigma) ** 2)\n\n\n"
            "def fit_covariance(p, xdata, ydata, sigma):\n"
            "    slopes = jacobian(fit_residuals)(p, xdata, ydata, sigma)\n"
            f"    return np.linalg.inv(slopes.T @ slopes){scale}\n"
        )
        filename = f"<a fit of {getattr(f, '__name__', 'f')}, {count} parameters, {len(_FITS)}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
        namespace = {"f": f, "np": np, "jacobian": jacobian, "__name__": "adcompiler.fits"}
        exec(compile(text, filename, "exec"), namespace)
        _FITS[key] = f, (namespace["fit_cost"], namespace["fit_covariance"])
    return _FITS[key][1]


def _weights(sigma, ydata):
    if np.ndim(sigma) > 1:
        raise RuleError(
            "a matrix as sigma of curve_fit has no derivative",
            hint="fit by scipy.optimize.least_squares, with residuals that the inverse Cholesky factor of it weighs",
        )
    return np.ones(np.shape(ydata)) if sigma is None else np.asarray(sigma, float) * np.ones(np.shape(ydata))
