"""Rules for scipy.optimize: roots, minima and fits as implicit functions of their parameters.

Starting points, brackets and tolerances have no influence on a solution: active values there count as constants. A
solution that the solver has not reached to full accuracy has a derivative of that accuracy.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize

from ...ir.types import FLOAT, OPAQUE, Num, Tup
from ...runtime.scipy.minima import (
    LeastSquaresResult,
    MinimumResult,
    ScalarMinimumResult,
    curve_fit_adjoints,
    curve_fit_tangents,
    least_squares_adjoint,
    least_squares_result,
    least_squares_tangents,
    minimize_result,
    minimize_scalar_result,
    minimum_adjoint,
    minimum_tangents,
)
from ...runtime.scipy.roots import (
    RootResult,
    ScalarRootResult,
    fixed_point_adjoint,
    fixed_point_tangent,
    root_adjoint,
    root_result,
    root_scalar_result,
    root_tangent,
    scalar_root_adjoint,
    scalar_root_tangent,
)
from ..registry import inactive, rule
from ..unsupported import first_order


def _number(*types, **named):
    return FLOAT


def _like_start(f, start, *types, **named):
    """An array like the starting point, or a number for a number."""
    if isinstance(start, Num) and start.boxed:
        return Num("f", np.dtype(float), start.rank, True, None if start.rank is None else (None,) * start.rank)
    return FLOAT


MATRIX = Num("f", np.dtype(float), 2, True, (None, None))
VECTOR = Num("f", np.dtype(float), 1, True, (None,))

_FIRST_ORDER = {"second order": "the implicit function theorem is applied to the solution when the program runs"}

# ---- roots of functions of one variable ----


@rule(optimize.brentq, calls={"f": ("args", 1)}, infer=_number, constant_in=("a", "b"), unchecked=_FIRST_ORDER)
def brentq(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100):
    x = optimize.brentq(f, a, b, args, xtol, rtol, maxiter)
    args_bar = scalar_root_adjoint(x_bar, f, x, args)
    x_dot = scalar_root_tangent(f, x, args, args_dot)


@rule(optimize.brenth, calls={"f": ("args", 1)}, infer=_number, constant_in=("a", "b"), unchecked=_FIRST_ORDER)
def brenth(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100):
    x = optimize.brenth(f, a, b, args, xtol, rtol, maxiter)
    args_bar = scalar_root_adjoint(x_bar, f, x, args)
    x_dot = scalar_root_tangent(f, x, args, args_dot)


@rule(optimize.ridder, calls={"f": ("args", 1)}, infer=_number, constant_in=("a", "b"), unchecked=_FIRST_ORDER)
def ridder(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100):
    x = optimize.ridder(f, a, b, args, xtol, rtol, maxiter)
    args_bar = scalar_root_adjoint(x_bar, f, x, args)
    x_dot = scalar_root_tangent(f, x, args, args_dot)


@rule(optimize.bisect, calls={"f": ("args", 1)}, infer=_number, constant_in=("a", "b"), unchecked=_FIRST_ORDER)
def bisect(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100):
    x = optimize.bisect(f, a, b, args, xtol, rtol, maxiter)
    args_bar = scalar_root_adjoint(x_bar, f, x, args)
    x_dot = scalar_root_tangent(f, x, args, args_dot)


@rule(optimize.toms748, calls={"f": ("args", 1)}, infer=_number, constant_in=("a", "b"), unchecked=_FIRST_ORDER)
def toms748(f, a, b, args=(), k=1, xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100):
    x = optimize.toms748(f, a, b, args, k, xtol, rtol, maxiter)
    args_bar = scalar_root_adjoint(x_bar, f, x, args)
    x_dot = scalar_root_tangent(f, x, args, args_dot)


@rule(optimize.newton, calls={"func": ("args", 1)}, infer=_like_start, constant_in=("x0", "x1"), unchecked=_FIRST_ORDER)
def newton(func, x0, fprime=None, args=(), tol=1.48e-8, maxiter=50, fprime2=None, x1=None, rtol=0.0):
    x = optimize.newton(func, x0, fprime, args, tol, maxiter, fprime2, x1, rtol)
    args_bar = scalar_root_adjoint(x_bar, func, x, args)
    x_dot = scalar_root_tangent(func, x, args, args_dot)


@rule(
    root_scalar_result,
    optimize.root_scalar,
    calls={"f": ("args", 1)},
    infer=lambda *types, **named: Tup((FLOAT, OPAQUE, OPAQUE, OPAQUE, OPAQUE), ScalarRootResult),
    constant_in=("bracket", "x0", "x1"),
    name="scipy.optimize.root_scalar",
    unchecked=_FIRST_ORDER,
)
def root_scalar(
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
    root, converged, flag, iterations, function_calls = root_scalar_result(f, args, method, bracket)
    args_bar = scalar_root_adjoint(root_bar, f, root, args)
    root_dot = scalar_root_tangent(f, root, args, args_dot)


@rule(optimize.fixed_point, calls={"func": ("args", 1)}, infer=_like_start, constant_in=("x0",), unchecked=_FIRST_ORDER)
def fixed_point(func, x0, args=(), xtol=1e-8, maxiter=500, method="del2"):
    x = optimize.fixed_point(func, x0, args, xtol, maxiter, method)
    args_bar = fixed_point_adjoint(x_bar, func, x, args)
    x_dot = fixed_point_tangent(func, x, args, args_dot)


# ---- roots of systems ----


@rule(
    root_result,
    optimize.root,
    calls={"fun": ("args", 1)},
    infer=lambda *types, **named: Tup((VECTOR, OPAQUE, OPAQUE, OPAQUE, OPAQUE), RootResult),
    constant_in=("x0",),
    name="scipy.optimize.root",
    unchecked=_FIRST_ORDER,
)
def root(fun, x0, args=(), method="hybr", jac=None, tol=None, *, options=None):
    x, success, status, message, nfev = root_result(fun, x0, args, method, jac, tol, options)
    args_bar = root_adjoint(x_bar, fun, x, args)
    x_dot = root_tangent(fun, x, args, args_dot)


@rule(optimize.fsolve, calls={"func": ("args", 1)}, infer=lambda *types, **named: VECTOR, constant_in=("x0",), unchecked=_FIRST_ORDER)
def fsolve(func, x0, args=(), fprime=None, *, xtol=1.49012e-8, maxfev=0, band=None, epsfcn=None, factor=100, diag=None):
    x = optimize.fsolve(func, x0, args, fprime, 0, 0, xtol, maxfev, band, epsfcn, factor, diag)
    args_bar = root_adjoint(x_bar, func, x, args)
    x_dot = root_tangent(func, x, args, args_dot)


# ---- minima and fits ----


@rule(
    minimize_result,
    optimize.minimize,
    calls={"fun": ("args", 1)},
    infer=lambda *types, **named: Tup((VECTOR, FLOAT, OPAQUE, OPAQUE, OPAQUE, OPAQUE), MinimumResult),
    constant_in=("x0",),
    name="scipy.optimize.minimize",
    unchecked=_FIRST_ORDER,
)
def minimize(fun, x0, args=(), method=None, jac=None, hess=None, hessp=None, bounds=None, *, tol=None, options=None):
    x, value, success, status, message, nfev = minimize_result(fun, x0, args, method, jac)
    args_bar = minimum_adjoint(x_bar, value_bar, fun, x, args, bounds)
    tangents = minimum_tangents(fun, x, args, args_dot, bounds)
    x_dot = tangents[0]
    value_dot = tangents[1]


@rule(
    minimize_scalar_result,
    optimize.minimize_scalar,
    calls={"fun": ("args", 1)},
    infer=lambda *types, **named: Tup((FLOAT, FLOAT, OPAQUE, OPAQUE, OPAQUE), ScalarMinimumResult),
    constant_in=("bracket",),
    name="scipy.optimize.minimize_scalar",
    unchecked=_FIRST_ORDER,
)
def minimize_scalar(fun, bracket=None, bounds=None, args=(), method=None, tol=None, options=None):
    x, value, success, message, nfev = minimize_scalar_result(fun, bracket, bounds, args)
    args_bar = minimum_adjoint(x_bar, value_bar, fun, x, args)
    tangents = minimum_tangents(fun, x, args, args_dot)
    x_dot = tangents[0]
    value_dot = tangents[1]


@rule(
    least_squares_result,
    optimize.least_squares,
    calls={"fun": ("args", 1)},
    infer=lambda *types, **named: Tup((VECTOR, FLOAT, OPAQUE, OPAQUE, OPAQUE, OPAQUE), LeastSquaresResult),
    constant_in=("x0",),
    name="scipy.optimize.least_squares",
    unchecked=_FIRST_ORDER,
)
def least_squares(
    fun,
    x0,
    jac="2-point",
    bounds=(-np.inf, np.inf),
    method="trf",
    ftol=1e-8,
    xtol=1e-8,
    gtol=1e-8,
    x_scale=1.0,
    *,
    max_nfev=None,
    args=(),
):
    x, cost, success, status, message, nfev = least_squares_result(fun, x0, jac, bounds, method, args=args)
    args_bar = least_squares_adjoint(x_bar, cost_bar, fun, x, args, bounds)
    tangents = least_squares_tangents(fun, x, args, args_dot, bounds)
    x_dot = tangents[0]
    cost_dot = tangents[1]


@rule(
    optimize.curve_fit,
    calls={"f": (None, None)},
    infer=lambda *types, **named: Tup((VECTOR, MATRIX)),
    constant_in=("p0",),
    unchecked=_FIRST_ORDER,
)
def curve_fit(
    f, xdata, ydata, p0=None, sigma=None, absolute_sigma=False, check_finite=None, bounds=(-np.inf, np.inf), method=None
):
    popt, pcov = optimize.curve_fit(f, xdata, ydata, p0, sigma, absolute_sigma, check_finite, bounds, method)
    adjoints = curve_fit_adjoints(popt_bar, pcov_bar, f, popt, xdata, ydata, sigma, absolute_sigma, bounds)
    xdata_bar = adjoints[0]
    ydata_bar = adjoints[1]
    sigma_bar = adjoints[2]
    tangents = curve_fit_tangents(
        f, popt, xdata, ydata, sigma, xdata_dot, ydata_dot, sigma_dot, absolute_sigma, bounds
    )
    popt_dot = tangents[0]
    pcov_dot = tangents[1]


first_order(
    scalar_root_adjoint,
    scalar_root_tangent,
    root_adjoint,
    root_tangent,
    fixed_point_adjoint,
    fixed_point_tangent,
    minimum_adjoint,
    minimum_tangents,
    least_squares_adjoint,
    least_squares_tangents,
    curve_fit_adjoints,
    curve_fit_tangents,
    reason="solutions by scipy.optimize have derivatives of first order",
    instead="two steps of Newton's method behind the solver, in Python: they have the derivatives of the solution",
)
inactive(optimize.approx_fprime, optimize.check_grad)
