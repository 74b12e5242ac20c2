"""Solutions of initial value problems with respect to their initial values and parameters: the continuous adjoint.

With `y' = f(t, y, p)` the adjoint runs backwards along the solution, `l' = -f_y^T l`, gains the adjoint of each output
at its time, and `p_bar` is the integral of `f_p^T l` (Cao, Li, Petzold and Serban 2003, "Adjoint sensitivity analysis
for differential-algebraic equations"). What is differentiated is the differential equation, not the steps: gradients
agree with differences of computed solutions up to the tolerances of the call, and both get better with them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import integrate

from .calls import filled, flat, pullback, pushforward


class TrajectoryResult(NamedTuple):
    """What `scipy.integrate.solve_ivp` returns, as far as it is kept in differentiated code; `y` carries derivatives."""

    t: np.ndarray
    y: np.ndarray
    success: bool
    status: int
    message: str
    nfev: int


def solve_ivp_result(
    fun, t_span, y0, method="RK45", t_eval=None, args=None, *, rtol=1e-3, atol=1e-6, first_step=None, max_step=np.inf
):
    """`scipy.integrate.solve_ivp`, with a tuple as the result.

    >>> solve_ivp_result(lambda t, y: 0.0 * y, (0.0, 1.0), [2.0]).y[:, -1].tolist()
    [2.0]
    """
    options = {"rtol": rtol, "atol": atol, "first_step": first_step, "max_step": max_step}
    found = integrate.solve_ivp(fun, t_span, y0, method, t_eval, args=args, **options)
    return TrajectoryResult(found.t, found.y, found.success, found.status, found.message, found.nfev)


def _ordered(time, y, time_first):
    return (time, y) if time_first else (y, time)


def _along(fun, t_span, y0, args, method, rtol, atol, max_step, time_first):
    """The solution as a function of time."""
    found = integrate.solve_ivp(
        fun if time_first else lambda t, y, *further: fun(y, t, *further),
        t_span,
        y0,
        method,
        dense_output=True,
        args=args,
        rtol=rtol,
        atol=atol,
        max_step=max_step,
    )
    return found.sol


def solve_ivp_adjoints(
    y_bar, fun, t, t_span, y0, args, method="RK45", rtol=1e-3, atol=1e-6, max_step=np.inf, time_first=True
):
    """The adjoints of `y0` and of `args` in the values at the times `t` of the solution of `y' = fun(t, y, *args)`.

    >>> y0_bar, (p_bar,) = solve_ivp_adjoints(
    ...     np.ones((1, 1)), lambda t, y, p: p + 0.0 * y, np.array([2.0]), (0.0, 2.0), [1.0], (3.0,))
    >>> y0_bar.round(12).tolist(), round(p_bar, 12)
    ([1.0], 2.0)
    """
    args = tuple(args or ())
    solution = _along(fun, t_span, y0, args, method, rtol, atol, max_step, time_first)
    states = np.shape(y_bar)[0]
    value, pull = pullback(fun, *_ordered(float(t_span[0]), solution(t_span[0]), time_first), *args)
    like = pull(filled(value, np.zeros(states)))[2:]
    joint = np.zeros(states + flat(like).size)

    def backwards(time, joint):
        value, pull = pullback(fun, *_ordered(float(time), solution(time), time_first), *args)
        adjoints = pull(filled(value, joint[:states]))
        return -np.concatenate([np.ravel(adjoints[1 if time_first else 0]), flat(adjoints[2:])])

    accuracy = min(rtol, 1e-6)
    options = {"rtol": accuracy, "atol": 1e-3 * accuracy * max(np.max(np.abs(y_bar), initial=0.0), 1e-300)}
    times = [*np.asarray(t, float)[::-1], float(t_span[0])]
    for k, (start, stop) in enumerate(zip(times, times[1:], strict=False)):
        joint[:states] += y_bar[:, len(t) - 1 - k]
        if start != stop:
            found = integrate.solve_ivp(backwards, (start, stop), joint, method, max_step=max_step, **options)
            if not found.success:
                raise RuntimeError(f"the adjoint of solve_ivp could not be integrated: {found.message}")
            joint = found.y[:, -1].copy()
    return joint[:states], filled(like, joint[states:])


def solve_ivp_tangent(
    y0_dot, args_dot, fun, t, t_span, y0, args, method="RK45", rtol=1e-3, atol=1e-6, max_step=np.inf, time_first=True
):
    """The tangent of the values at the times `t` of the solution of `y' = fun(t, y, *args)`.

    >>> solve_ivp_tangent(np.zeros(1), (1.0,), lambda t, y, p: p + 0.0 * y, np.array([2.0]), (0.0, 2.0), [1.0],
    ...                   (3.0,)).round(12).tolist()
    [[2.0]]
    """
    args = tuple(args or ())
    solution = _along(fun, t_span, y0, args, method, rtol, atol, max_step, time_first)
    start = np.ravel(np.asarray(y0_dot, float)) + np.zeros(np.size(y0))

    def changing(time, s):
        at = _ordered(float(time), solution(time), time_first)
        return flat(pushforward(fun, (*at, *args), (*_ordered(None, s, time_first), *(args_dot or ()))))

    accuracy = min(rtol, 1e-6)
    scale = max(np.max(np.abs(flat((start, *(args_dot or ()))))), 1e-300)
    found = integrate.solve_ivp(
        changing, t_span, start, method, t, rtol=accuracy, atol=1e-3 * accuracy * scale, max_step=max_step
    )
    return found.y


def trajectory_adjoints(y_bar, fun, t, t_span, y0, args, method="RK45", rtol=1e-3, atol=1e-6, max_step=np.inf):
    """The adjoints of `y0`, which has one axis, and of `args` in `scipy.integrate.solve_ivp`.

    >>> trajectory_adjoints(np.ones((1, 1)), lambda t, y: 0.0 * y, np.array([2.0]), (0.0, 2.0), [1.0], ())[0].tolist()
    [1.0]
    """
    y0_bar, args_bar = solve_ivp_adjoints(y_bar, fun, t, t_span, y0, args, method, rtol, atol, max_step)
    return y0_bar, args_bar


def odeint_adjoints(y_bar, func, t, y0, args, tfirst=False, rtol=None, atol=None):
    """The adjoints of `y0` and of `args` in `scipy.integrate.odeint(func, y0, t, args, tfirst=tfirst)`.

    >>> y0_bar, _ = odeint_adjoints(np.ones((2, 1)), lambda y, t: 0.0 * y, np.array([0.0, 2.0]), [1.0], ())
    >>> y0_bar.round(12).tolist()
    [2.0]
    """
    accuracy = {"rtol": _tolerance(rtol), "atol": _tolerance(atol)}
    span = (float(t[0]), float(t[-1]))
    y0_bar, args_bar = solve_ivp_adjoints(
        np.transpose(y_bar), func, t, span, y0, args, "LSODA", time_first=tfirst, **accuracy
    )
    return np.reshape(y0_bar, np.shape(y0)), args_bar


def odeint_tangent(y0_dot, args_dot, func, t, y0, args, tfirst=False, rtol=None, atol=None):
    """The tangent of `scipy.integrate.odeint(func, y0, t, args, tfirst=tfirst)`.

    >>> odeint_tangent(np.ones(1), (), lambda y, t: 0.0 * y, np.array([0.0, 2.0]), [1.0], ()).tolist()
    [[1.0], [1.0]]
    """
    accuracy = {"rtol": _tolerance(rtol), "atol": _tolerance(atol)}
    span = (float(t[0]), float(t[-1]))
    return np.transpose(
        solve_ivp_tangent(y0_dot, args_dot, func, t, span, y0, args, "LSODA", time_first=tfirst, **accuracy)
    )


def _tolerance(given):
    return 1.49012e-8 if given is None else float(np.min(given))
