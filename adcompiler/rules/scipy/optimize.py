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
    as_bounds,
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
from ...runtime.scipy.nonnegative import nnls_adjoints, nnls_tangents
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
from ...runtime.scipy.second_derivatives import (
    cost_of,
    fixed_point_second_adjoint,
    fixed_point_second_tangent,
    minimum_second_adjoint,
    minimum_second_tangents,
    root_second_adjoint,
    root_second_tangent,
    sum_of_adjoints,
)
from ..registry import inactive, rule
from ..unsupported import first_order
from ._types import like_arguments, like_place


def _number(*types, **named):
    return FLOAT


def _like_start(f, start, *types, **named):
    """An array like the starting point, or a number for a number."""
    if isinstance(start, Num) and start.boxed:
        return Num("f", np.dtype(float), start.rank, True, None if start.rank is None else (None,) * start.rank)
    return FLOAT


# The function goes to the derivative of a solution as it is.
AS_IT_IS = {"f": (None, None)}


MATRIX = Num("f", np.dtype(float), 2, True, (None, None))
VECTOR = Num("f", np.dtype(float), 1, True, (None,))


# ---- roots of functions of one variable ----


@rule(optimize.brentq, calls={"f": ("args", 1)}, infer=_number, constant_in=("a", "b"))
def brentq(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100):
    x = optimize.brentq(f, a, b, args, xtol, rtol, maxiter)
    args_bar = scalar_root_adjoint(x_bar, f, x, args)
    x_dot = scalar_root_tangent(f, x, args, args_dot)


@rule(optimize.brenth, calls={"f": ("args", 1)}, infer=_number, constant_in=("a", "b"))
def brenth(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100):
    x = optimize.brenth(f, a, b, args, xtol, rtol, maxiter)
    args_bar = scalar_root_adjoint(x_bar, f, x, args)
    x_dot = scalar_root_tangent(f, x, args, args_dot)


@rule(optimize.ridder, calls={"f": ("args", 1)}, infer=_number, constant_in=("a", "b"))
def ridder(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100):
    x = optimize.ridder(f, a, b, args, xtol, rtol, maxiter)
    args_bar = scalar_root_adjoint(x_bar, f, x, args)
    x_dot = scalar_root_tangent(f, x, args, args_dot)


@rule(optimize.bisect, calls={"f": ("args", 1)}, infer=_number, constant_in=("a", "b"))
def bisect(f, a, b, args=(), xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100):
    x = optimize.bisect(f, a, b, args, xtol, rtol, maxiter)
    args_bar = scalar_root_adjoint(x_bar, f, x, args)
    x_dot = scalar_root_tangent(f, x, args, args_dot)


@rule(optimize.toms748, calls={"f": ("args", 1)}, infer=_number, constant_in=("a", "b"))
def toms748(f, a, b, args=(), k=1, xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100):
    x = optimize.toms748(f, a, b, args, k, xtol, rtol, maxiter)
    args_bar = scalar_root_adjoint(x_bar, f, x, args)
    x_dot = scalar_root_tangent(f, x, args, args_dot)


@rule(optimize.newton, calls={"func": ("args", 1)}, infer=_like_start, constant_in=("x0", "x1"))
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


def _fixed_point(func, start, *types, **named):
    """Like the starting point; of a number SciPy makes an array without axes, which may be changed in place."""
    found = _like_start(func, start)
    return found if found.boxed else Num("f", np.dtype(float), 0, None, ())


@rule(optimize.fixed_point, calls={"func": ("args", 1)}, infer=_fixed_point, constant_in=("x0",))
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
)
def root(fun, x0, args=(), method="hybr", jac=None, tol=None, *, options=None):
    x, success, status, message, nfev = root_result(fun, x0, args, method, jac, tol, options)
    args_bar = root_adjoint(x_bar, fun, x, args)
    x_dot = root_tangent(fun, x, args, args_dot)


@rule(optimize.fsolve, calls={"func": ("args", 1)}, infer=lambda *types, **named: VECTOR, constant_in=("x0",))
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
    unchecked={"second order": "the fit is differentiated when the program runs"},
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


# ---- derivatives of these derivatives: see runtime.scipy.second_derivatives ----

THIRD = {"second order": "that of an adjoint is the third order, and the doubled problem is made when the program runs"}


@rule(scalar_root_adjoint, calls=AS_IT_IS, infer=like_arguments(3), constant_in=("x",), unchecked=THIRD)
def scalar_root_adjoint_(seed, f, x, args):
    y = scalar_root_adjoint(seed, f, x, args)
    seed_bar = scalar_root_tangent(f, x, args, y_bar)
    args_bar = root_second_adjoint(seed, f, x, args, y_bar)
    y_dot = sum_of_adjoints(
        scalar_root_adjoint(seed_dot, f, x, args), root_second_adjoint(seed, f, x, args, args_dot)
    )


@rule(scalar_root_tangent, calls=AS_IT_IS, infer=like_place(1), constant_in=("x",), unchecked=THIRD)
def scalar_root_tangent_(f, x, args, along):
    y = scalar_root_tangent(f, x, args, along)
    args_bar = root_second_adjoint(y_bar, f, x, args, along)
    along_bar = scalar_root_adjoint(y_bar, f, x, args)
    y_dot = scalar_root_tangent(f, x, args, along_dot) + root_second_tangent(f, x, args, along, args_dot)


@rule(root_adjoint, calls=AS_IT_IS, infer=like_arguments(3), constant_in=("x",), unchecked=THIRD)
def root_adjoint_(seed, f, x, args):
    y = root_adjoint(seed, f, x, args)
    seed_bar = root_tangent(f, x, args, y_bar)
    args_bar = root_second_adjoint(seed, f, x, args, y_bar)
    y_dot = sum_of_adjoints(root_adjoint(seed_dot, f, x, args), root_second_adjoint(seed, f, x, args, args_dot))


@rule(root_tangent, calls=AS_IT_IS, infer=like_place(1), constant_in=("x",), unchecked=THIRD)
def root_tangent_(f, x, args, along):
    y = root_tangent(f, x, args, along)
    args_bar = root_second_adjoint(y_bar, f, x, args, along)
    along_bar = root_adjoint(y_bar, f, x, args)
    y_dot = root_tangent(f, x, args, along_dot) + root_second_tangent(f, x, args, along, args_dot)


@rule(fixed_point_adjoint, calls={"func": (None, None)}, infer=like_arguments(3), constant_in=("x",), unchecked=THIRD)
def fixed_point_adjoint_(seed, func, x, args):
    y = fixed_point_adjoint(seed, func, x, args)
    seed_bar = fixed_point_tangent(func, x, args, y_bar)
    args_bar = fixed_point_second_adjoint(seed, func, x, args, y_bar)
    y_dot = sum_of_adjoints(
        fixed_point_adjoint(seed_dot, func, x, args), fixed_point_second_adjoint(seed, func, x, args, args_dot)
    )


@rule(fixed_point_tangent, calls={"func": (None, None)}, infer=like_place(1), constant_in=("x",), unchecked=THIRD)
def fixed_point_tangent_(func, x, args, along):
    y = fixed_point_tangent(func, x, args, along)
    args_bar = fixed_point_second_adjoint(y_bar, func, x, args, along)
    along_bar = fixed_point_adjoint(y_bar, func, x, args)
    y_dot = fixed_point_tangent(func, x, args, along_dot) + fixed_point_second_tangent(
        func, x, args, along, args_dot
    )


@rule(minimum_adjoint, calls=AS_IT_IS, infer=like_arguments(4), constant_in=("x",), unchecked=THIRD)
def minimum_adjoint_(seed, value_seed, f, x, args, bounds=None):
    y = minimum_adjoint(seed, value_seed, f, x, args, bounds)
    changes = minimum_tangents(f, x, args, y_bar, bounds)
    seed_bar = changes[0]
    value_seed_bar = changes[1]
    args_bar = minimum_second_adjoint(seed, value_seed, f, x, args, y_bar, bounds)
    y_dot = sum_of_adjoints(
        minimum_adjoint(seed_dot, value_seed_dot, f, x, args, bounds),
        minimum_second_adjoint(seed, value_seed, f, x, args, args_dot, bounds),
    )


@rule(least_squares_adjoint, calls={"fun": (None, None)}, infer=like_arguments(4), constant_in=("x",), unchecked=THIRD)
def least_squares_adjoint_(seed, value_seed, fun, x, args, bounds):
    y = least_squares_adjoint(seed, value_seed, fun, x, args, bounds)
    changes = least_squares_tangents(fun, x, args, y_bar, bounds)
    seed_bar = changes[0]
    value_seed_bar = changes[1]
    args_bar = minimum_second_adjoint(seed, value_seed, cost_of(fun, args), x, args, y_bar, as_bounds(bounds))
    y_dot = sum_of_adjoints(
        least_squares_adjoint(seed_dot, value_seed_dot, fun, x, args, bounds),
        minimum_second_adjoint(seed, value_seed, cost_of(fun, args), x, args, args_dot, as_bounds(bounds)),
    )


def _place_and_value(place):
    return lambda *types, **named: Tup((like_place(place)(*types), FLOAT))


@rule(minimum_tangents, calls=AS_IT_IS, infer=_place_and_value(1), constant_in=("x",), unchecked=THIRD)
def minimum_tangents_(f, x, args, along, bounds=None):
    place, value = minimum_tangents(f, x, args, along, bounds)
    args_bar = minimum_second_adjoint(place_bar, value_bar, f, x, args, along, bounds)
    along_bar = minimum_adjoint(place_bar, value_bar, f, x, args, bounds)
    changes = minimum_second_tangents(f, x, args, along, args_dot, bounds)
    moved = minimum_tangents(f, x, args, along_dot, bounds)
    place_dot = changes[0] + moved[0]
    value_dot = changes[1] + moved[1]


@rule(least_squares_tangents, calls={"fun": (None, None)}, infer=_place_and_value(1), constant_in=("x",), unchecked=THIRD)
def least_squares_tangents_(fun, x, args, along, bounds):
    place, value = least_squares_tangents(fun, x, args, along, bounds)
    args_bar = minimum_second_adjoint(place_bar, value_bar, cost_of(fun, args), x, args, along, as_bounds(bounds))
    along_bar = least_squares_adjoint(place_bar, value_bar, fun, x, args, bounds)
    changes = minimum_second_tangents(cost_of(fun, args), x, args, along, args_dot, as_bounds(bounds))
    moved = least_squares_tangents(fun, x, args, along_dot, bounds)
    place_dot = changes[0] + moved[0]
    value_dot = changes[1] + moved[1]


# ---- non-negative least squares ----


@rule(
    optimize.nnls,
    infer=lambda *types, **named: Tup((VECTOR, FLOAT)),
    unchecked={"arrays without rows": "SciPy returns memory there in which nothing was written"},
)
def nnls(A, b, *, maxiter=None):
    x, rnorm = optimize.nnls(A, b, maxiter=maxiter)
    adjoints = nnls_adjoints(x_bar, rnorm_bar, A, b, x)
    A_bar = adjoints[0]
    b_bar = adjoints[1]
    tangents = nnls_tangents(A_dot, b_dot, A, b, x)
    x_dot = tangents[0]
    rnorm_dot = tangents[1]


first_order(
    curve_fit_adjoints,
    curve_fit_tangents,
    reason="fits by curve_fit have derivatives of first order",
    instead="scipy.optimize.least_squares, whose solution has derivatives of the second",
)
first_order(
    root_second_adjoint,
    root_second_tangent,
    fixed_point_second_adjoint,
    fixed_point_second_tangent,
    minimum_second_adjoint,
    minimum_second_tangents,
    cost_of,
    reason="solutions by scipy.optimize have derivatives of the first two orders",
    instead="ad.custom_root around the solver, whose derivatives are those of the equation, to any order",
)
inactive(optimize.approx_fprime, optimize.check_grad)
