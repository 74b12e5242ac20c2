"""Strict zeros: in a second run, where a NaN has shown up, a zero adjoint stays zero whatever the slope."""

from __future__ import annotations

import numpy as np

from ..errors import RuleError


def zero_wins(y_bar, contribution):
    """`contribution()` with zeros where `y_bar` is zero.

    >>> zero_wins(np.array([0.0, 1.0]), lambda: np.array([np.nan, 2.0]))
    array([0., 2.])
    """
    if np.ndim(y_bar) == 0 and y_bar == 0:
        return 0.0 * y_bar
    with np.errstate(all="ignore"):
        try:
            value = contribution()
        except (ZeroDivisionError, OverflowError):
            return np.inf if np.real(y_bar) > 0 else -np.inf
        if np.ndim(y_bar) == 0:
            return value
        return np.where(y_bar == 0, 0.0, value)


def strict_tangent(x_dot, slope):
    """`slope(x_dot)`, the tangent that reaches a result from `x_dot`; zero where `x_dot` or the slope is zero.

    >>> strict_tangent(np.array([0.0, 1.0]), lambda t: t / np.array([0.0, 2.0]))
    array([0. , 0.5])
    >>> float(strict_tangent(np.inf, lambda t: t * 0.0))
    0.0
    """
    value = zero_wins(x_dot, lambda: slope(x_dot))
    infinite = np.isinf(x_dot)
    if not np.any(infinite):
        return value
    with np.errstate(all="ignore"):
        flat = infinite & np.isnan(value) & (slope(np.where(infinite, 1.0, x_dot)) == 0)
    return np.where(flat, 0.0, value)[()]


class Missing:
    """Stands for an adjoint that a functional rule did not return; `error` is raised where it is read."""

    def __init__(self, error):
        self.error = error


def adjoint_or_zero(adjoint, primal):
    """The adjoint that a functional rule gave for `primal`, or zeros for None; shape and kind of `primal`.

    >>> adjoint_or_zero(None, np.ones(2))
    array([0., 0.])
    """
    if isinstance(adjoint, Missing):
        raise adjoint.error
    if adjoint is None:
        return np.zeros(np.shape(primal), np.result_type(primal)) if isinstance(primal, np.ndarray) else 0.0
    if np.shape(adjoint) != np.shape(primal):
        from .shape import unbroadcast

        try:
            shape = np.broadcast_shapes(np.shape(adjoint), np.shape(primal))
        except ValueError:
            raise RuleError(
                f"a rule gave an adjoint of shape {np.shape(adjoint)} for an argument of shape {np.shape(primal)}",
                hint="an adjoint has the shape of its argument",
            ) from None
        adjoint = unbroadcast(np.broadcast_to(adjoint, shape), np.shape(primal))
    if np.iscomplexobj(adjoint) and not np.iscomplexobj(primal):
        adjoint = np.real(adjoint)
    return adjoint
