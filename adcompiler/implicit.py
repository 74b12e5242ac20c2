"""Ready rules for values that an equation defines: roots and fixed points, by the implicit function theorem.

Of `g(x, p) = 0` the differential is `A dx + B dp = 0`, with `A` the Jacobian of `g` in `x` and `B` that in `p`. So the
adjoint is one linear system, `A^T w = x_bar`, and `p_bar = -B^T w` is one sweep through `g`; the tangent is
`dx = -A^-1 B dp` (Griewank and Walther, Evaluating Derivatives, 2008, section 15.1; Christianson 1994 for fixed points).
How the solver finds `x`, and in how many iterations, plays no part.
"""

from __future__ import annotations

import functools
import inspect

import numpy as np

from .api import grad
from .errors import RuleError
from .forward import jvp
from .frontend.signature import describe, is_differentiable
from .ir.types import NUMBER, Num, without_dims
from .jacobians import jacobian
from .rules.registry import register_functional

# A point from which a Newton step is longer than this, relative to it, is no root.
LONGEST_STEP = 1e-3


def custom_root(g, *, like=None):
    """Decorator of a solver of `g(x, *args, **kwargs) = 0`: its derivative is that of the equation.

    The solver is called with `args` and returns `x`, a real number or array; `g` takes `x` in front of the same
    arguments, returns as many numbers as `x` has, and must be differentiable code. An argument that does not enter `g`,
    such as a first guess, has a derivative of zero. The solver itself is called, never differentiated, so that it may
    be compiled code, or iterate as often as it likes. In reverse and in forward mode one linear system is solved. The
    rule is of first order: a derivative of the derivative is refused.

    like: the position of an argument that has the type of `x`: a float, or an array with as many axes. Without it the
    code that follows is compiled for either, and refuses to change `x` in place.

    Raises RuleError in the derivative where `x` is no root, or the root is not isolated (a singular Jacobian).

    >>> import adcompiler as ad
    >>> def residual(x, p):
    ...     return x ** 3 + x - p
    >>> @custom_root(residual)
    ... def root(p):
    ...     x = 0.0
    ...     for _ in range(50):
    ...         x = x - residual(x, p) / (3.0 * x ** 2 + 1.0)
    ...     return x
    >>> root(2.0), ad.grad(root)(2.0)
    (1.0, 0.25)
    """
    return functools.partial(_with_rule, g, g, like)


def custom_fixed_point(step, *, like=None):
    """Decorator of a solver of `x = step(x, *args, **kwargs)`: like `custom_root` of `step(x, ...) - x`.

    >>> import adcompiler as ad
    >>> def average(x, p):
    ...     return 0.5 * (x + p / x)
    >>> @custom_fixed_point(average)
    ... def square_root(p):
    ...     x = 1.0
    ...     for _ in range(10):
    ...         x = average(x, p)
    ...     return x
    >>> square_root(4.0), ad.grad(square_root)(4.0)
    (2.0, 0.25)
    """

    def residual(x, *args, **kwargs):
        return step(x, *args, **kwargs) - x

    return functools.partial(_with_rule, residual, step, like)


def _with_rule(residual, equation, like, solver):
    """The solver as a function of its own, with the rule."""
    name = getattr(equation, "__name__", "g")

    @functools.wraps(solver)
    def root(*args, **kwargs):
        return solver(*args, **kwargs)

    def vjp(x_bar, x, *args, **kwargs):
        _check_type(name, x, args, like)
        weights = _solved(residual, name, x, args, kwargs, x_bar, transposed=True)
        active = tuple(k for k, a in enumerate(args) if is_differentiable(describe(a)))

        def weighted(*args):
            return -np.sum(weights * residual(x, *args, **kwargs))

        found = dict(zip(active, grad(weighted, wrt=active)(*args), strict=True)) if active else {}
        return tuple(found.get(k) for k in range(len(args)))

    def tangent(tangents, x, *args, **kwargs):
        active = tuple(k for k, a in enumerate(args) if is_differentiable(describe(a)))

        def residual_of(*args):
            return residual(x, *args, **kwargs)

        _check_type(name, x, args, like)
        _, change = jvp(residual_of, args, tuple(tangents[k] for k in active), wrt=active)
        return -_solved(residual, name, x, args, kwargs, change, transposed=False)

    vjp.first_order_only = tangent.first_order_only = True
    vjp.__qualname__ = vjp.__name__ = f"custom_root({name})"
    tangent.__qualname__ = tangent.__name__ = f"custom_root({name})"

    names = list(inspect.signature(solver).parameters)

    def infer(*types, **named):
        found = types[like] if like < len(types) else named.get(names[like])
        return without_dims(found) if isinstance(found, Num) else NUMBER

    register_functional(root, vjp=vjp, infer="unknown" if like is None else infer)
    register_functional(root, jvp=tangent)
    return root


def _check_type(name, x, args, like):
    """A solution must be what `like` says: code was compiled for it."""
    if like is None or like >= len(args):
        return
    model = args[like]
    if np.ndim(x) != np.ndim(model) or isinstance(x, np.ndarray) != isinstance(model, np.ndarray):
        raise RuleError(
            f"the solution of '{name}' is of type {type(x).__name__} with {np.ndim(x)} axes, and not like argument {like}",
            hint="name an argument of the same type with like=, or leave it out",
        )


def _solved(residual, name, x, args, kwargs, right, *, transposed):
    """The solution of `A s = right`, or of the transposed system, with `A` the Jacobian in x; of the shape of x."""
    if np.asarray(x).dtype.kind != "f":
        raise RuleError(
            f"the solution of '{name}' is of type {np.asarray(x).dtype}, and must be real and floating",
            hint="return a float or an array of floats; write complex equations in real and imaginary parts",
        )
    off = residual(x, *args, **kwargs)
    size = np.size(x)
    if np.size(off) != size:
        raise RuleError(
            f"'{name}' returns {np.size(off)} numbers for {size} unknowns",
            hint="a root needs as many equations as unknowns",
        )
    matrix = np.reshape(jacobian(residual)(x, *args, **kwargs), (size, size))
    try:
        with np.errstate(all="ignore"):
            step = np.linalg.solve(matrix, np.reshape(off, (size,)))
            solution = np.linalg.solve(matrix.T if transposed else matrix, np.reshape(right, (size,)))
    except np.linalg.LinAlgError:
        step = solution = np.full(size, np.nan)
    if not np.all(np.isfinite(solution)):
        raise RuleError(
            f"the Jacobian of '{name}' is singular at the solution, which then is not a function of the arguments",
            hint="look for an equation that determines x alone",
        )
    if np.max(np.abs(step), initial=0.0) > LONGEST_STEP * max(1.0, np.max(np.abs(x), initial=0.0)):
        raise RuleError(
            f"what the solver returned is not a solution of '{name}': a Newton step from it has the length "
            f"{np.max(np.abs(step)):.1e}",
            hint="let the solver run until it has converged; the derivative of the equation holds only there",
        )
    return np.reshape(solution, np.shape(x))[()] if np.shape(x) == () else np.reshape(solution, np.shape(x))


__all__ = ["custom_fixed_point", "custom_root"]
