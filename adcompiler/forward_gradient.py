"""Gradients by forward mode: one sweep for all numbers of an input, or for each of them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from .calling import resolve_wrt
from .derivatives.short_calls import call_test, is_simple
from .errors import NotScalarError
from .forward import run_tangent
from .linearized import sweeps
from .many_directions import columns_along_basis
from .runtime.shadows import attribute_names, is_object, without_attributes


LARGEST_BASIS = 1000  # elements of an array whose unit vectors are kept


class ForwardGradientCaller:
    """Calls `(value, gradient)` of a function of few inputs: one sweep for each number in them."""

    def __init__(self, programs, wrt, has_aux=False):
        self.programs, self.wrt, self.has_aux = programs, wrt, has_aux
        self.fast: tuple = ()
        self.direct: dict = {}

    def __call__(self, args, kwargs):
        programs = self.programs
        binding = programs.bind(args, kwargs)
        wrt = resolve_wrt(self.wrt, binding)
        if not wrt.differentiable:
            return programs.call(binding), wrt.empty_gradient(binding)
        values = wrt.values_now(binding)
        holomorphic = programs.holomorphic
        value, found, run = None, [], None
        for k, v in enumerate(values):
            many = None if holomorphic else columns_along_basis(programs, binding, wrt, k)
            if many is not None:
                value, columns = many
                slope_of(value, columns[0], binding, False)  # refuses a result that is not one number
                if isinstance(v, np.ndarray):
                    found.append(np.reshape(columns, np.shape(v)).astype(v.dtype, copy=False))
                    self.remember(binding, wrt)
                else:
                    found.append(assembled(v, iter(np.ravel(columns)), False))
                continue
            directions_of = list(basis(v, holomorphic))
            slopes, run = [], run or sweeps(programs, binding, wrt)
            for direction in directions_of:
                given = [None] * len(values)
                given[k] = direction
                value, tangent = run(given)
                if self.has_aux:
                    slopes.append(slope_of(*first_of_pair(value, tangent, binding), binding, holomorphic))
                else:
                    slopes.append(slope_of(value, tangent, binding, holomorphic))
            found.append(assembled(v, iter(slopes), holomorphic))
        if value is None:  # no number anywhere: the value alone
            value, _ = run_tangent(programs, binding, wrt, [None] * len(values))
        return value, found[0] if wrt.is_single else tuple(found)


    def remember(self, binding, wrt):
        """Keep a short way for the next call with arguments of these types."""
        if self.has_aux or not wrt.differentiable or len(self.fast) >= 4:
            return
        compiled = self.programs.directions(binding, wrt.paths)
        if compiled is not None and not self.programs.is_checked and is_simple(compiled, binding, wrt):
            fits = call_test(compiled, binding.values)
            if fits is not None:
                self.fast = (*self.fast, ShortColumns(fits, compiled.functions["tangent"], wrt.positions[0]))


class ShortColumns:
    """A way to call a tangent function for all directions of one array; None for the long way."""

    def __init__(self, fits, function, position):
        self.fits, self.function, self.position = fits, function, position
        self.bases: dict = {}

    def __call__(self, args):
        if not self.fits(args):
            return None
        x = args[self.position]
        directions = self.bases.get(x.shape)
        if directions is None:
            if not 2 <= x.size <= LARGEST_BASIS:
                return None
            directions = np.eye(x.size, dtype=x.dtype).reshape(x.size, *x.shape)
            directions.flags.writeable = False
            self.bases = {x.shape: directions}
        try:
            value, found = self.function(*args, directions)
        except Exception:  # it shows again on the long way, with its place
            return None
        if type(value) not in (float, np.float64) or type(found) is not np.ndarray or found.shape != (x.size,):
            return None
        total = found.sum()
        return (value, found.reshape(x.shape).astype(x.dtype)) if total == total and found.dtype.kind == "f" else None


def basis(value, holomorphic=False):
    """The directions of the numbers in a value, one at a time; of a complex number its real and imaginary axis."""
    for path, unit in _places(value, holomorphic):
        yield _with(value, path, unit)


def _places(value, holomorphic, path=()):
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


def first_of_pair(value, tangent, binding):
    """The value proper and its tangent, of a pair with an auxiliary result."""
    if not isinstance(value, tuple) or len(value) != 2:
        raise NotScalarError(
            "has_aux=True needs a pair, but the function returns something else",
            binding.places["return"],
            hint="return value, auxiliary",
        )
    return value[0], tangent[0]


def _told(value) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}" if value.size != 1 else f"of dtype {value.dtype}"
    return f"a {type(value).__name__}"


def assembled(value, slopes, holomorphic):
    """The gradient with the structure of an argument, from one slope for each direction of `basis`."""
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
        made = without_attributes(value)
        for k in attribute_names(value):
            object.__setattr__(made, k, assembled(getattr(value, k), slopes, holomorphic))
        return made
    return None


def _number(value, slopes, holomorphic):
    if np.iscomplexobj(value) and not holomorphic:
        return complex(next(slopes), next(slopes))
    return next(slopes)


__all__ = ["ForwardGradientCaller", "basis"]
