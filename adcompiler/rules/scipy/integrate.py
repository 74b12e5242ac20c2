"""Rules for scipy.integrate: integrals of functions, of samples, and of differential equations.

Integrals of functions are differentiated under the integral sign (Leibniz): the derivative is integrated by itself, to
the tolerances of the call. The error estimate of `quad` counts as a constant.
"""

from __future__ import annotations

import numpy as np
from scipy import integrate

from ...ir.types import FLOAT, OPAQUE, Num, Tup
from ...runtime.scipy.samples import (
    cumulative_simpson_adjoint,
    cumulative_simpson_weights,
    cumulative_trapezoid_adjoint,
    cumulative_trapezoid_points_adjoint,
    cumulative_trapezoid_step_adjoint,
    romberg_adjoint,
    romberg_weights,
    simpson_adjoint,
)
from ...runtime.scipy.quadrature import (
    gauss_points,
    gaussian_quadrature,
    limit_value,
    quad_args_adjoint,
    quad_args_tangent,
)
from ...runtime.scipy.trajectories import (
    TrajectoryResult,
    odeint_adjoints,
    odeint_tangent,
    solve_ivp_adjoints,
    solve_ivp_result,
    solve_ivp_tangent,
    trajectory_adjoints,
)
from ...runtime.scipy.calls import scaled
from ...runtime.scipy.second_derivatives import (
    paired,
    quad_second_adjoint,
    slope_at_limit,
    slopes_at_limit,
    sum_of_adjoints,
    trajectory_second_adjoints,
    trajectory_second_tangent,
)
from ...runtime.signals import trapezoid_adjoint, trapezoid_points_adjoint, trapezoid_steps_adjoint
from ..registry import inactive, rule, written_out
from ._types import like_arguments
from ..unsupported import first_order


# ---- integrals of functions ----


def _number(*types, **named):
    return FLOAT


def _value_and_error(*types, **named):
    return Tup((FLOAT, FLOAT))


@rule(integrate.quad, calls={"func": ("args", 1)}, infer=_value_and_error, constant_in=("points",))
def quad(func, a, b, args=(), *, epsabs=1.49e-8, epsrel=1.49e-8, limit=50, points=None):
    y, error = integrate.quad(func, a, b, args, epsabs=epsabs, epsrel=epsrel, limit=limit, points=points)
    a_bar = -y_bar * limit_value(func, a, args)
    b_bar = y_bar * limit_value(func, b, args)
    args_bar = quad_args_adjoint(y_bar, func, a, b, args, points, epsabs, epsrel, limit)
    y_dot = (
        limit_value(func, b, args) * b_dot
        - limit_value(func, a, args) * a_dot
        + quad_args_tangent(func, a, b, args, args_dot, points, epsabs, epsrel, limit)
    )
    error_dot = 0.0


# ---- integrals of samples ----


@rule(integrate.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    area = integrate.trapezoid(y, x, dx, axis)
    y_bar = trapezoid_adjoint(area_bar, np.shape(y), x, dx, axis)
    x_bar = trapezoid_points_adjoint(area_bar, y, x, axis)
    dx_bar = 0.0 if x is not None else trapezoid_steps_adjoint(area_bar, y, np.shape(dx), axis)
    area_dot = integrate.trapezoid(y_dot, x, dx, axis) + (
        integrate.trapezoid(y, x, dx_dot, axis) if x is None else integrate.trapezoid(y, x_dot, axis=axis)
    )


@rule(integrate.cumulative_trapezoid)
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    z = integrate.cumulative_trapezoid(y, x, dx, axis, initial)
    y_bar = cumulative_trapezoid_adjoint(z_bar, np.shape(y), x, dx, axis, initial)
    x_bar = cumulative_trapezoid_points_adjoint(z_bar, y, x, axis, initial)
    dx_bar = 0.0 if x is not None else cumulative_trapezoid_step_adjoint(z_bar, z, dx, np.shape(dx))
    z_dot = integrate.cumulative_trapezoid(y_dot, x, dx, axis, initial) + (
        z * (dx_dot / dx) if x is None else integrate.cumulative_trapezoid(y, x_dot, axis=axis, initial=initial)
    )


@rule(integrate.simpson)
def simpson(y, x=None, *, dx=1.0, axis=-1):
    area = integrate.simpson(y, x, dx=dx, axis=axis)
    y_bar = simpson_adjoint(area_bar, np.shape(y), x, dx, axis)
    dx_bar = 0.0 if x is not None else np.sum(area_bar * area) / dx
    area_dot = integrate.simpson(y_dot, x, dx=dx, axis=axis) + (area * (dx_dot / dx) if x is None else 0.0 * area)


@rule(integrate.romb, when={"show": False})
def romb(y, dx=1.0, axis=-1, show=False):
    area = integrate.romb(y, dx, axis)
    y_bar = romberg_adjoint(area_bar, np.shape(y), dx, axis)
    dx_bar = np.sum(area_bar * area) / dx
    area_dot = integrate.romb(y_dot, dx, axis) + area * (dx_dot / dx)


@rule(integrate.cumulative_simpson)
def cumulative_simpson(y, *, x=None, dx=1.0, axis=-1, initial=None):
    z = integrate.cumulative_simpson(y, x=x, dx=dx, axis=axis, initial=initial)
    y_bar = cumulative_simpson_adjoint(z_bar, np.shape(y), x, dx, axis, initial)
    z_dot = integrate.cumulative_simpson(y_dot, x=x, dx=dx, axis=axis, initial=None if initial is None else 0.0)


written_out(integrate.fixed_quad, gaussian_quadrature)
inactive(romberg_weights, cumulative_simpson_weights, gauss_points)


# ---- initial value problems ----

_TIMES = Num("f", np.dtype(float), 1, True, (None,))
_VECTOR = Num("f", np.dtype(float), 1, True, (None,))
_TABLE = Num("f", np.dtype(float), 2, True, (None, None))


def _table(*types, **named):
    return _TABLE


@rule(
    solve_ivp_result,
    integrate.solve_ivp,
    calls={"fun": ("args", 2)},
    infer=lambda *types, **named: Tup((_TIMES, _TABLE, OPAQUE, OPAQUE, OPAQUE, OPAQUE), TrajectoryResult),
    name="scipy.integrate.solve_ivp",
    instead={
        "dense_output": "name the times with t_eval=, which gives the values that sol(t) gives",
        "events": "the time T of an event is a root: brentq(lambda T, p: ..., args=(p,)) of the event function at the end of "
        "y' = T f(T s, y) for s from 0 to 1; T has the derivative of the event",
        "t_span": "integrate over s from 0 to 1: y' = T f(T s, y) with T among args",
        "t_eval": "integrate over s from 0 to 1: y' = T f(T s, y) with T among args",
        "vectorized": "leave it out",
        "jac": "leave it out; the solver takes differences",
    },
)
def solve_ivp(
    fun, t_span, y0, method="RK45", t_eval=None, *, args=None, rtol=1e-3, atol=1e-6, first_step=None, max_step=np.inf
):
    t, y, success, status, message, nfev = solve_ivp_result(fun, t_span, y0, method, t_eval, args)
    adjoints = trajectory_adjoints(y_bar, fun, t, t_span, y0, args, method, rtol, atol, max_step)
    y0_bar = adjoints[0]
    args_bar = adjoints[1]
    y_dot = solve_ivp_tangent(y0_dot, args_dot, fun, t, t_span, y0, args, method, rtol, atol, max_step)


@rule(integrate.odeint, calls={"func": ("args", 2)}, infer=lambda *types, **named: _TABLE)
def odeint(func, y0, t, args=(), *, tfirst=False, rtol=None, atol=None):
    y = integrate.odeint(func, y0, t, args, tfirst=tfirst, rtol=rtol, atol=atol)
    adjoints = odeint_adjoints(y_bar, func, t, y0, args, tfirst, rtol, atol)
    y0_bar = adjoints[0]
    args_bar = adjoints[1]
    y_dot = odeint_tangent(y0_dot, args_dot, func, t, y0, args, tfirst, rtol, atol)


# ---- derivatives of these derivatives: see runtime.scipy.second_derivatives ----

THIRD = {"second order": "that of an adjoint is the third order, and the doubled problem is made when the program runs"}


@rule(quad_args_adjoint, calls={"func": (None, None)}, infer=like_arguments(4), constant_in=("points",), unchecked=THIRD)
def quad_args_adjoint_(seed, func, a, b, args, points=None, epsabs=1.49e-8, epsrel=1.49e-8, limit=50):
    y = quad_args_adjoint(seed, func, a, b, args, points, epsabs, epsrel, limit)
    seed_bar = quad_args_tangent(func, a, b, args, y_bar, points, epsabs, epsrel, limit)
    a_bar = -seed * slope_at_limit(func, a, args, y_bar)
    b_bar = seed * slope_at_limit(func, b, args, y_bar)
    args_bar = quad_second_adjoint(seed, func, a, b, args, y_bar, points, epsabs, epsrel, limit)
    y_dot = sum_of_adjoints(
        quad_args_adjoint(seed_dot, func, a, b, args, points, epsabs, epsrel, limit),
        quad_second_adjoint(seed, func, a, b, args, args_dot, points, epsabs, epsrel, limit),
        scaled(slopes_at_limit(func, a, args), -seed * a_dot),
        scaled(slopes_at_limit(func, b, args), seed * b_dot),
    )


@rule(quad_args_tangent, calls={"func": (None, None)}, infer=_number, constant_in=("points",), unchecked=THIRD)
def quad_args_tangent_(func, a, b, args, along, points=None, epsabs=1.49e-8, epsrel=1.49e-8, limit=50):
    y = quad_args_tangent(func, a, b, args, along, points, epsabs, epsrel, limit)
    a_bar = -y_bar * slope_at_limit(func, a, args, along)
    b_bar = y_bar * slope_at_limit(func, b, args, along)
    args_bar = quad_second_adjoint(y_bar, func, a, b, args, along, points, epsabs, epsrel, limit)
    along_bar = quad_args_adjoint(y_bar, func, a, b, args, points, epsabs, epsrel, limit)
    y_dot = (
        quad_args_tangent(func, a, b, args, along_dot, points, epsabs, epsrel, limit)
        + paired(quad_second_adjoint(1.0, func, a, b, args, along, points, epsabs, epsrel, limit), args_dot)
        - slope_at_limit(func, a, args, along) * a_dot
        + slope_at_limit(func, b, args, along) * b_dot
    )


def _start_and_arguments(*types, **named):
    """The types of the adjoints of the initial values and of the arguments."""
    return Tup((_VECTOR, like_arguments(5)(*types)))


@rule(
    solve_ivp_adjoints,
    calls={"fun": (None, None)},
    infer=_start_and_arguments,
    constant_in=("t", "t_span", "max_step"),
    unchecked=THIRD,
)
def solve_ivp_adjoints_(
    seed, fun, t, t_span, y0, args, method="RK45", rtol=1e-3, atol=1e-6, max_step=np.inf, time_first=True
):
    start, further = solve_ivp_adjoints(seed, fun, t, t_span, y0, args, method, rtol, atol, max_step, time_first)
    seed_bar = solve_ivp_tangent(
        start_bar, further_bar, fun, t, t_span, y0, args, method, rtol, atol, max_step, time_first
    )
    second = trajectory_second_adjoints(
        seed, fun, t, t_span, y0, args, start_bar, further_bar, method, rtol, atol, max_step, time_first
    )
    y0_bar = second[0]
    args_bar = second[1]
    moved = solve_ivp_adjoints(seed_dot, fun, t, t_span, y0, args, method, rtol, atol, max_step, time_first)
    changes = trajectory_second_adjoints(
        seed, fun, t, t_span, y0, args, y0_dot, args_dot, method, rtol, atol, max_step, time_first
    )
    start_dot = moved[0] + changes[0]
    further_dot = sum_of_adjoints(moved[1], changes[1])


@rule(
    solve_ivp_tangent,
    calls={"fun": (None, None)},
    infer=_table,
    constant_in=("t", "t_span", "max_step"),
    unchecked=THIRD,
)
def solve_ivp_tangent_(
    start, further, fun, t, t_span, y0, args, method="RK45", rtol=1e-3, atol=1e-6, max_step=np.inf, time_first=True
):
    y = solve_ivp_tangent(start, further, fun, t, t_span, y0, args, method, rtol, atol, max_step, time_first)
    adjoints = solve_ivp_adjoints(y_bar, fun, t, t_span, y0, args, method, rtol, atol, max_step, time_first)
    start_bar = adjoints[0]
    further_bar = adjoints[1]
    second = trajectory_second_adjoints(
        y_bar, fun, t, t_span, y0, args, start, further, method, rtol, atol, max_step, time_first
    )
    y0_bar = second[0]
    args_bar = second[1]
    y_dot = solve_ivp_tangent(
        start_dot, further_dot, fun, t, t_span, y0, args, method, rtol, atol, max_step, time_first
    ) + trajectory_second_tangent(
        fun, t, t_span, y0, args, (start, further), (y0_dot, args_dot), method, rtol, atol, max_step, time_first
    )


first_order(
    quad_second_adjoint,
    slopes_at_limit,
    trajectory_second_adjoints,
    trajectory_second_tangent,
    reason="integrals and trajectories by scipy.integrate have derivatives of the first two orders",
    instead="the quadrature or the steps of the integrator in Python, as a sum or a loop",
)
