"""Forward mode: `jvp`, `linearize`, and gradients by one sweep per direction."""

from __future__ import annotations

import numpy as np

from .calling import resolve_wrt
from .decorator import DifferentiableFunction, _Bound, programs_of
from .errors import NotScalarError, ShapeError
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
    binding = programs.bind(tuple(args), kwargs)
    asked, given = _asked(wrt, tangents, args, binding)
    if not asked:
        value = f(*args, **kwargs)
        return value, finished_tangent(None, value, [])
    return run_tangent(programs, binding, resolve_wrt(asked, binding), given)


def linearize(f, *args, wrt=None, **kwargs):
    """`(value, linear_map)`: `linear_map(*tangents)` is the derivative of `f` at these arguments along the tangents.

    One tangent per `wrt` (default: every argument that holds floats). The arguments are kept as they are now.

    >>> value, linear_map = linearize(lambda x: x * x, 3.0)
    >>> value, linear_map(1.0), linear_map(10.0)
    (9.0, 6.0, 60.0)
    """
    from copy import deepcopy

    from .api import _every_floating

    programs = programs_for(f)
    args, kwargs = deepcopy((args, kwargs))
    binding = programs.bind(args, kwargs)
    asked = _every_floating(binding) if wrt is None else wrt
    resolved = resolve_wrt(asked, binding)
    count = 1 if resolved.is_single else len(resolved.order)
    value, _ = run_tangent(programs, binding, resolved, [None] * count)

    def linear_map(*tangents):
        """The derivative along one tangent for each argument."""
        if len(tangents) != count:
            raise ShapeError(
                f"{len(tangents)} tangents for {count} arguments", hint="pass one tangent for each; None for none"
            )
        return run_tangent(programs, binding, resolved, tangents)[1]

    return value, linear_map


def programs_for(f):
    """The compiled forms of a function, or of one with derivatives."""
    if isinstance(f, _Bound):
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
    values = private_copy(binding.values, compiled)
    asked = {path[0] for path in wrt.paths}
    memo: dict = {}
    made = []
    for k, (n, v) in enumerate(zip(binding.names, binding.values, strict=True)):
        if n in asked:
            made.append(writable(given[n], v, memo) if k in compiled.mutated else given[n])
    return (*values, *made)


# -- gradients ---------------------------------------------------------------------------------------------------------


class ForwardGradientCaller:
    """Calls `(value, gradient)` of a function of few inputs: one sweep for each number in them."""

    def __init__(self, programs, wrt):
        self.programs, self.wrt = programs, wrt
        self.fast: tuple = ()

    def __call__(self, args, kwargs):
        programs = self.programs
        binding = programs.bind(args, kwargs)
        wrt = resolve_wrt(self.wrt, binding)
        if not wrt.differentiable:
            return programs.call(binding), wrt.empty_gradient(binding)
        values = wrt.values_now(binding)
        if not any(arrays_or_numbers(v) for v in values):
            raise NotScalarError("there is no number in the arguments", hint="choose others with wrt=")
        holomorphic = programs.holomorphic
        value, found = None, []
        for k, v in enumerate(values):
            directions_of = list(basis(v, holomorphic))
            slopes = []
            for direction in directions_of:
                given = [None] * len(values)
                given[k] = direction
                value, tangent = run_tangent(programs, binding, wrt, given)
                slopes.append(slope_of(value, tangent, binding, holomorphic))
            found.append(assembled(v, iter(slopes), holomorphic))
        if value is None:  # no number anywhere: the value alone
            value, _ = run_tangent(programs, binding, wrt, [None] * len(values))
        return value, found[0] if wrt.is_single else tuple(found)


def arrays_or_numbers(value) -> bool:
    return is_differentiable(describe(value))


def basis(value, holomorphic=False):
    """The directions of the numbers in a value, one at a time; of a complex number its real and imaginary axis."""
    for path, unit in _places(value, holomorphic):
        yield _with(value, path, unit)


def _places(value, holomorphic, path=()):
    from .runtime.shadows import attribute_names, is_object

    if isinstance(value, np.ndarray):
        if value.dtype.kind in "fc":
            for index in np.ndindex(value.shape):
                for unit in (1.0, 1j) if value.dtype.kind == "c" and not holomorphic else (1.0,):
                    yield (*path, index), unit
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, (float, complex, np.inexact)):
        for unit in (1.0, 1j) if np.iscomplexobj(value) and not holomorphic else (1.0,):
            yield path, unit
    elif isinstance(value, (tuple, list)):
        for k, v in enumerate(value):
            yield from _places(v, holomorphic, (*path, k))
    elif isinstance(value, dict):
        for k, v in value.items():
            yield from _places(v, holomorphic, (*path, k))
    elif is_object(value):
        for k in attribute_names(value):
            yield from _places(getattr(value, k), holomorphic, (*path, k))


def _with(value, path, unit):
    """A tangent of `value` that is `unit` at one place, None elsewhere."""
    from types import SimpleNamespace

    if isinstance(value, np.ndarray):
        made = np.zeros(value.shape, value.dtype)
        made[path[0]] = unit
        return made
    if not path:
        return unit
    if isinstance(value, (tuple, list)):
        return [_with(v, path[1:], unit) if k == path[0] else None for k, v in enumerate(value)]
    if isinstance(value, dict):
        return {path[0]: _with(value[path[0]], path[1:], unit)}
    return SimpleNamespace(**{path[0]: _with(getattr(value, path[0]), path[1:], unit)})


def slope_of(value, tangent, binding, holomorphic):
    """The derivative of a result that is one real number (any number, if holomorphic)."""
    kind = np.asarray(value).dtype.kind if np.size(value) == 1 and not isinstance(value, (tuple, list, dict)) else "O"
    if kind not in ("fc" if holomorphic else "f") + "i":
        raise NotScalarError(
            f"a gradient needs one real number, but the result is {_told(value)}",
            binding.places["return"],
            hint="use ad.jvp for other results, or holomorphic=True for the complex derivative",
        )
    return np.reshape(0.0 if tangent is None else tangent, ())[()]


def _told(value) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}" if value.size != 1 else f"of dtype {value.dtype}"
    return f"a {type(value).__name__}"


def assembled(value, slopes, holomorphic):
    """The gradient with the structure of an argument, from one slope for each direction of `basis`."""
    from .runtime.shadows import attribute_names, is_object

    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "fc":
            return None
        made = np.zeros(value.shape, value.dtype)
        for index in np.ndindex(value.shape):
            made[index] = _number(value, slopes, holomorphic)
        return made
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, np.inexact):
        return value.dtype.type(_number(value, slopes, holomorphic))
    if isinstance(value, complex):
        return complex(_number(value, slopes, holomorphic))
    if isinstance(value, float):
        return float(_number(value, slopes, holomorphic))
    if isinstance(value, (tuple, list)):
        parts = [assembled(v, slopes, holomorphic) for v in value]
        if isinstance(value, tuple):
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        return parts
    if isinstance(value, dict):
        return {k: assembled(v, slopes, holomorphic) for k, v in value.items()}
    if is_object(value):
        made = object.__new__(type(value))
        for k in attribute_names(value):
            object.__setattr__(made, k, assembled(getattr(value, k), slopes, holomorphic))
        return made
    return None


def _number(value, slopes, holomorphic):
    if np.iscomplexobj(value) and not holomorphic:
        return complex(next(slopes), next(slopes))
    return next(slopes)


__all__ = ["ForwardGradientCaller", "jvp", "linearize", "run_tangent"]
