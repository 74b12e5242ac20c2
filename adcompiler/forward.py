"""Forward mode: `jvp`, and the call of a tangent function."""

from __future__ import annotations

import numpy as np

from .calling import resolve_wrt
from .derivatives.short_calls import ShortTangent
from .decorator import BoundFunction, DifferentiableFunction, programs_of
from .errors import ShapeError
from .frontend.signature import describe, is_differentiable
from .generated_calls import call_generated
from .runtime.directions import arrays_of, checked_tangent, finished_tangent, writable
from .runtime.finish import is_nan, private_copy
from .runtime.tangents import zero_tangent


def jvp(f, args, tangents, wrt=None, **kwargs):
    """`(value, tangent)`: the derivative of `f(*args, **kwargs)` along `tangents`, in one sweep beside the value.

    One tangent per `wrt` (default: every argument), with its structure and shape; None stands for one that carries
    none, a number for an array of equal elements. The tangent has the structure of the value, None at leaves that are no
    floats. Raises ShapeError, NonDifferentiableInputError, UnsupportedSyntaxError, MissingRuleError.

    >>> jvp(lambda x, y: x * y, (3.0, 4.0), (1.0, 10.0))
    (12.0, 34.0)
    >>> jvp(np.sin, (0.0,), (2.0,))
    (np.float64(0.0), np.float64(2.0))
    """
    programs = programs_for(f)
    if not kwargs and programs.short_tangent is not None:
        found = programs.short_tangent.run(args, tangents, wrt)
        if found is not None:
            return found
    if not isinstance(args, (tuple, list)):
        raise ShapeError("the arguments of jvp are no tuple", hint="jvp(f, (x,), (x_dot,)), also for one argument")
    binding = programs.bind(tuple(args), kwargs)
    try:
        return _run(f, programs, binding, args, tangents, wrt, kwargs)
    except ShapeError as error:
        error.locate(binding.places.get(""))
        raise


jvp.immediate_operator = "jvp"


def _run(f, programs, binding, args, tangents, wrt, kwargs):
    asked, given = _asked(wrt, tangents, args, binding)
    if not asked:
        value = f(*args, **kwargs)
        return value, finished_tangent(None, value, [])
    resolved = resolve_wrt(asked, binding)
    if not kwargs and resolved.differentiable and isinstance(tangents, tuple) and len(asked) == len(tangents):
        compiled = programs.tangent(binding, resolved.paths)
        programs.short_tangent = ShortTangent.of(compiled, binding, resolved, wrt)
    return run_tangent(programs, binding, resolved, given)


def programs_for(f):
    """The compiled forms of a function, or of one with derivatives."""
    if isinstance(f, BoundFunction):
        return f._inner.programs
    return f.programs if isinstance(f, DifferentiableFunction) else programs_of(f)


def _asked(wrt, tangents, args, binding):
    """The inputs that have a tangent, and their tangents."""
    if wrt is None:
        if not isinstance(tangents, (tuple, list)) or len(tangents) != len(args):
            count = len(tangents) if isinstance(tangents, (tuple, list)) else "one"
            raise ShapeError(
                f"{count} tangents for {len(args)} arguments",
                hint="give a tuple with one tangent for each argument, None for one without",
            )
        wrt = tuple(range(len(args)))
    elif not isinstance(wrt, (tuple, list)):
        single = isinstance(tangents, tuple) and len(tangents) == 1
        wrt, tangents = (wrt,), tangents if single else (tangents,)
    if not isinstance(tangents, (tuple, list)) or len(tangents) != len(wrt):
        raise ShapeError("there must be one tangent for each of wrt", hint=f"give a tuple of {len(wrt)}")
    pairs = [(w, t) for w, t in zip(wrt, tangents, strict=True) if t is not None]
    return tuple(w for w, _ in pairs), [t for _, t in pairs]


def run_tangent(programs, binding, wrt, tangents):
    """`(value, tangent)` of a bound call along one tangent for each input."""
    if not wrt.differentiable:
        value = programs.call(binding)
        return value, finished_tangent(None, value, [])
    compiled = programs.tangent(binding, wrt.paths)
    if compiled.effects:  # it must not be run again with strict zeros, so they are strict from the start
        compiled = programs.tangent(binding, wrt.paths, strict=True)
    given = directions(binding, wrt, tangents)
    value, found = call_tangent(programs, binding, wrt, compiled, given)
    return value, finished_tangent(found, value, arrays_of((binding.values, given)))


def directions(binding, wrt, tangents) -> dict:
    """For each parameter with an input in it, its whole tangent."""
    values = dict(zip(binding.names, binding.values, strict=True))
    given: dict = {}
    for path, tangent in zip(wrt.asked, tangents, strict=True):
        parameter = path[0]
        if not is_differentiable(describe(values[parameter])):
            continue
        if len(path) == 1:
            given[parameter] = checked_tangent(tangent, values[parameter], f"the tangent of '{parameter}'")
            continue
        if parameter not in given:
            given[parameter] = zero_tangent(values[parameter])
        part = checked_tangent(tangent, values[parameter][path[1]], f"the tangent of '{parameter}[{path[1]!r}]'")
        if isinstance(given[parameter], tuple):
            items = list(given[parameter])
            items[path[1]] = part
            given[parameter] = tuple(items)
        else:
            given[parameter][path[1]] = part
    return given


def call_tangent(programs, binding, wrt, compiled, given):
    """Run a tangent function; once more with strict zeros where a NaN shows up."""
    try:
        value, found = call_generated(compiled, "tangent", arguments(binding, wrt, compiled, given))
        if compiled.strict or not is_nan(found):
            return value, found
    except ZeroDivisionError:
        if compiled.strict:
            raise
    strict = programs.tangent(binding, wrt.paths, strict=True)
    with np.errstate(all="ignore"):
        return call_generated(strict, "tangent", arguments(binding, wrt, strict, given))


def arguments(binding, wrt, compiled, given):
    """The arguments of a tangent function: values, then tangents; in memory of their own where it is changed."""
    return (*private_copy(binding.values, compiled), *tangent_arguments(binding, wrt, compiled, given))


def tangent_arguments(binding, wrt, compiled, given):
    """The tangents behind the values, in memory of their own where they are changed."""
    asked = {path[0] for path in wrt.paths}
    memo: dict = {}
    made = []
    for k, (n, v) in enumerate(zip(binding.names, binding.values, strict=True)):
        if n in asked:
            made.append(writable(given[n], v, memo) if k in compiled.mutated else given[n])
    return made


__all__ = ["directions", "jvp", "programs_for", "run_tangent", "tangent_arguments"]
