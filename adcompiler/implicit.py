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
from .derivatives.written import written_function
from .rules.registry import inactive, register_functional

# A point from which a Newton step is longer than this, relative to it, is no root.
LONGEST_STEP = 1e-3


def custom_root(g, *, like=None):
    """Decorator of a solver of `g(x, *args, **kwargs) = 0`: its derivative is that of the equation.

    The solver is called with `args` and returns `x`, a real number or array; `g` takes `x` in front of the same
    arguments, returns as many numbers as `x` has, and must be differentiable code. An argument that does not enter `g`,
    such as a first guess, has a derivative of zero. The solver itself is called, never differentiated, so that it may
    be compiled code, or iterate as often as it likes. In reverse and in forward mode one linear system is solved. A
    derivative of the derivative is that of this system and of the equation, to any order.

    like: the position of an argument that has the type of `x`: a float, or an array with as many axes. Without it the
    code that follows is compiled for either, and refuses to change `x` in place; derivatives of derivatives are then taken
    where all arguments are numbers, and so is `x`.

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

    def weighted(weights, x, *args, **kwargs):
        return -np.sum(weights * residual(x, *args, **kwargs))

    def vjp(x_bar, x, *args, **kwargs):
        _check_type(name, x, args, like)
        weights = _solved(residual, name, x, args, kwargs, x_bar, transposed=True)
        active = tuple(k for k, a in enumerate(args) if is_differentiable(describe(a)))
        of_args = grad(weighted, wrt=tuple(k + 2 for k in active))
        found = dict(zip(active, of_args(weights, x, *args, **kwargs), strict=True)) if active else {}
        return tuple(found.get(k) for k in range(len(args)))

    def tangent(tangents, x, *args, **kwargs):
        active = tuple(k for k, a in enumerate(args) if is_differentiable(describe(a)))
        _check_type(name, x, args, like)
        inputs = tuple(k + 1 for k in active)
        _, change = jvp(residual, (x, *args), tuple(tangents[k] for k in active), wrt=inputs, **kwargs)
        return -_solved(residual, name, x, args, kwargs, change, transposed=False)

    vjp.again = functools.partial(written_adjoint, residual, name)
    tangent.again = functools.partial(written_tangent, residual, name)
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


def is_of_rank(name, x, rank) -> bool:
    """True; raises RuleError where a solution is not of the rank for which code was compiled."""
    if np.ndim(x) != rank or isinstance(x, np.ndarray) != bool(rank):
        raise RuleError(
            f"the solution of '{name}' is of type {type(x).__name__} with {np.ndim(x)} axes, and not like the argument of like=",
            hint="name an argument of the same type with like=",
        )
    return True


def _solved(residual, name, x, args, kwargs, right, *, transposed):
    """The solution of `A s = right`, or of the transposed system, with `A` the Jacobian in x; of the shape of x."""
    if np.asarray(x).dtype.kind != "f":
        raise RuleError(
            f"the solution of '{name}' is of type {np.asarray(x).dtype}, and must be real and floating",
            hint="return a float or an array of floats; write complex equations in real and imaginary parts",
        )
    off = residual(x, *args, **kwargs)
    if np.size(off) != np.size(x):
        raise RuleError(
            f"'{name}' returns {np.size(off)} numbers for {np.size(x)} unknowns",
            hint="a root needs as many equations as unknowns",
        )
    matrix = np.reshape(jacobian(residual)(x, *args, **kwargs), (np.size(x), np.size(x)))
    is_solution(name, x, off, matrix)
    solution = np.linalg.solve(matrix.T if transposed else matrix, np.reshape(right, (np.size(x),)))
    if not np.all(np.isfinite(solution)):
        raise _singular(name)
    return np.reshape(solution, np.shape(x))[()] if np.shape(x) == () else np.reshape(solution, np.shape(x))


def is_solution(name, x, off, matrix) -> bool:
    """True; raises RuleError where `x` is no root with this residual and Jacobian, or not an isolated one."""
    size = np.size(x)
    try:
        with np.errstate(all="ignore"):
            step = np.linalg.solve(np.reshape(matrix, (size, size)), np.reshape(off, (size,)))
    except np.linalg.LinAlgError:
        raise _singular(name) from None
    if not np.all(np.isfinite(step)):
        raise _singular(name)
    if np.max(np.abs(step), initial=0.0) > LONGEST_STEP * max(1.0, np.max(np.abs(x), initial=0.0)):
        raise RuleError(
            f"what the solver returned is not a solution of '{name}': a Newton step from it has the length "
            f"{np.max(np.abs(step)):.1e}",
            hint="let the solver run until it has converged; the derivative of the equation holds only there",
        )
    return True


def _singular(name) -> RuleError:
    return RuleError(
        f"the Jacobian of '{name}' is singular at the solution, which then is not a function of the arguments",
        hint="look for an equation that determines x alone",
    )


inactive(is_of_rank, is_solution)

# -- derivatives of derivatives: the same rules as text, for the types of a call --------------------------------------


def written_adjoint(residual, name, x_type, active, count, keywords):
    """The adjoint of a solution as a function with source: `def adjoint(x_bar, x, a, b, *, k)`.

    x_type: that of the solution, None for what is tested to be a number; active: positions of the arguments that carry a
    derivative, of `count` in all.
    """
    arguments = [f"a{k}" for k in range(count)]
    inputs = ", ".join(arguments[k] for k in active)
    lines, namespace = _written_system(residual, name, x_type, arguments, keywords)
    scalar = x_type is None or not x_type.rank
    solved = "np.reshape(np.linalg.solve(matrix.T, np.reshape(x_bar, -1)), np.shape(x))"
    weights = "float(x_bar) / matrix" if x_type is None else "x_bar / matrix" if scalar else solved
    called = _residual_call(arguments, keywords)
    product = f"-weights * {called}" if scalar else f"-np.sum(weights * {called})"
    found = {k: f"found[{at}]" for at, k in enumerate(active)}
    lines += [
        f"weights = {weights}",
        f"found = grad(lambda {inputs}: {product}, wrt={tuple(range(len(active)))})({inputs})" if active else "found = ()",
        f"return ({', '.join(found.get(k, 'None') for k in range(count))},)",
    ]
    return _written("adjoint", ["x_bar", "x", *arguments], keywords, lines, {"grad": grad, **namespace})


def written_tangent(residual, name, x_type, active, count, keywords):
    """The tangent of a solution as a function with source: `def tangent(tangents, x, a, b, *, k)`."""
    arguments = [f"a{k}" for k in range(count)]
    inputs = ", ".join(arguments[k] for k in active)
    lines, namespace = _written_system(residual, name, x_type, arguments, keywords)
    called = _residual_call(arguments, keywords)
    given = "".join(f"tangents[{k}], " for k in active)
    scalar = x_type is None or not x_type.rank
    solved = "change / matrix" if scalar else "np.reshape(np.linalg.solve(matrix, np.reshape(change, -1)), np.shape(x))"
    lines += [f"_, change = jvp(lambda {inputs}: {called}, ({inputs},), ({given}))", f"return -{solved}"]
    return _written("tangent", ["tangents", "x", *arguments], keywords, lines, {"jvp": jvp, **namespace})


def _written_system(residual, name, x_type, arguments, keywords):
    """Lines that give the Jacobian of the residual in x as `matrix`, and check the solution."""
    called = _residual_call(arguments, keywords)
    given = called.removeprefix("residual")
    slope = f"grad(residual){given}"
    rank = 0 if x_type is None else x_type.rank
    if rank:
        slope = f"np.reshape(jacobian(residual){given}, (np.size(x), np.size(x)))"
    lines = [
        f"assert is_of_rank({name!r}, x, {rank})",
        *(["x = float(x)"] if x_type is None else []),
        f"matrix = {slope}",
        f"assert is_solution({name!r}, x, {called}, matrix)",
    ]
    tests = {"is_of_rank": is_of_rank, "is_solution": is_solution}
    return lines, {"np": np, "residual": residual, "grad": grad, "jacobian": jacobian, **tests}


def _residual_call(arguments, keywords) -> str:
    return f"residual({', '.join(['x', *arguments, *(f'{k}={k}' for k in keywords)])})"


def _written(name, parameters, keywords, lines, namespace):
    signature = ", ".join([*parameters, *(["*", *keywords] if keywords else [])])
    body = "".join(f"    {line}\n" for line in lines)
    return written_function(name, f"def {name}({signature}):\n{body}", namespace)


__all__ = ["custom_fixed_point", "custom_root"]
