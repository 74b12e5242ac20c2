"""Rules for scipy.integrate: integrals of functions, of samples, and of differential equations.

Integrals of functions are differentiated under the integral sign (Leibniz): the derivative is integrated by itself, to
the tolerances of the call. The error estimate of `quad` counts as a constant.
"""

from __future__ import annotations

import numpy as np
from scipy import integrate

from ...ir.types import FLOAT, OPAQUE, Num, Tup
from ...runtime.scipy.samples import (
    cumulative_trapezoid_adjoint,
    cumulative_trapezoid_points_adjoint,
    cumulative_trapezoid_step_adjoint,
    simpson_adjoint,
)
from ...runtime.scipy.quadrature import limit_value, quad_args_adjoint, quad_args_tangent
from ...runtime.scipy.trajectories import (
    TrajectoryResult,
    odeint_adjoints,
    odeint_tangent,
    solve_ivp_adjoints,
    solve_ivp_result,
    solve_ivp_tangent,
)
from ...runtime.signals import trapezoid_adjoint, trapezoid_points_adjoint, trapezoid_steps_adjoint
from ..registry import rule
from ..unsupported import first_order

_FIRST_ORDER = {"second order": "the derivative is an integration of its own, which is done when the program runs"}

# ---- integrals of functions ----


def _value_and_error(*types, **named):
    return Tup((FLOAT, FLOAT))


@rule(integrate.quad, calls={"func": ("args", 1)}, infer=_value_and_error, constant_in=("points",), unchecked=_FIRST_ORDER)
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


# ---- initial value problems ----

_TIMES = Num("f", np.dtype(float), 1, True, (None,))
_TABLE = Num("f", np.dtype(float), 2, True, (None, None))


@rule(
    solve_ivp_result,
    integrate.solve_ivp,
    calls={"fun": ("args", 2)},
    infer=lambda *types, **named: Tup((_TIMES, _TABLE, OPAQUE, OPAQUE, OPAQUE, OPAQUE), TrajectoryResult),
    name="scipy.integrate.solve_ivp",
    unchecked=_FIRST_ORDER,
)
def solve_ivp(
    fun, t_span, y0, method="RK45", t_eval=None, *, args=None, rtol=1e-3, atol=1e-6, first_step=None, max_step=np.inf
):
    t, y, success, status, message, nfev = solve_ivp_result(fun, t_span, y0, method, t_eval, args)
    adjoints = solve_ivp_adjoints(y_bar, fun, t, t_span, y0, args, method, rtol, atol, max_step)
    y0_bar = adjoints[0]
    args_bar = adjoints[1]
    y_dot = solve_ivp_tangent(y0_dot, args_dot, fun, t, t_span, y0, args, method, rtol, atol, max_step)


@rule(integrate.odeint, calls={"func": ("args", 2)}, infer=lambda *types, **named: _TABLE, unchecked=_FIRST_ORDER)
def odeint(func, y0, t, args=(), *, tfirst=False, rtol=None, atol=None):
    y = integrate.odeint(func, y0, t, args, tfirst=tfirst, rtol=rtol, atol=atol)
    adjoints = odeint_adjoints(y_bar, func, t, y0, args, tfirst, rtol, atol)
    y0_bar = adjoints[0]
    args_bar = adjoints[1]
    y_dot = odeint_tangent(y0_dot, args_dot, func, t, y0, args, tfirst, rtol, atol)


first_order(
    quad_args_adjoint,
    quad_args_tangent,
    odeint_adjoints,
    odeint_tangent,
    solve_ivp_adjoints,
    solve_ivp_tangent,
    reason="integrals and trajectories by scipy.integrate have derivatives of first order",
    instead="the quadrature or the steps of the integrator in Python, as a sum or a loop",
)
