"""`linearize`: the primal runs once and keeps what its tangents read; the linear map runs the tangents alone."""

from __future__ import annotations

import dataclasses
from copy import deepcopy

import numpy as np

from .calling import resolve_wrt
from .errors import ShapeError, UnsupportedSyntaxError
from .forward import directions, programs_for, run_tangent, tangent_arguments
from .generated_calls import call_generated
from .pullback import call_again, call_of, function_of, refuse_effects
from .runtime.directions import arrays_of, finished_tangent
from .runtime.finish import is_nan, kept_apart, private_copy
from .unchanged import Memory, Unchanged


def linearize(f, *args, wrt=None, **kwargs):
    """`(value, linear_map)`: `linear_map(*tangents)` is the derivative of `f` at these arguments along the tangents.

    One tangent per `wrt` (default: every argument that holds floats). The arguments are kept as they are now. The
    function runs once, and keeps what its tangents read; the map runs the tangents alone, as often as it is called.
    Of recursive functions, of tangents in a `try`, and of containers inside derivatives of derivatives, nothing is kept and
    both run again, which is refused if the function draws random numbers, prints, or changes something that outlives it.

    >>> value, linear_map = linearize(lambda x: x * x, 3.0)
    >>> value, linear_map(1.0), linear_map(10.0)
    (9.0, 6.0, 60.0)
    """
    from .api import _every_floating

    programs = programs_for(f)
    args, kwargs = deepcopy((args, kwargs))
    binding = programs.bind(args, kwargs)
    made = LinearMap(f, programs, binding, _every_floating(binding) if wrt is None else wrt)
    return kept_apart((made.value,))[0], made


linearize.immediate_operator = "linearize"


class LinearMap:
    """The derivative along one tangent for each argument; may be called again.

    Pickled it is the function (by its name) and the arguments, like a pullback.
    """

    def __init__(self, function, programs, binding, asked):
        self.function, self.programs, self.asked = function, programs, asked
        self.binding = dataclasses.replace(binding, values=_apart_if_hidden(binding))
        self.wrt = resolve_wrt(asked, binding)
        self.count = 1 if self.wrt.is_single else len(self.wrt.order)
        self._as_function = None
        self.recording = Recording.of(programs, self.binding, self.wrt) if self.wrt.differentiable else None
        if self.recording is None:
            _refuse_effects(programs, self.binding, self.wrt)
            self.value, _ = run_tangent(programs, self.binding, self.wrt, [None] * self.count)
            if self.wrt.differentiable:
                self.unchanged = Unchanged((), Memory(()), programs.tangent(self.binding, self.wrt.paths), "tangent")
        else:
            self.value = self.recording.value

    def __call__(self, *tangents):
        if len(tangents) != self.count:
            raise ShapeError(
                f"{len(tangents)} tangents for {self.count} arguments",
                self.binding.places.get(""),
                hint="pass one tangent for each; None for none",
            )
        try:
            if self.recording is None:
                if self.wrt.differentiable:
                    self.unchanged.check(everything=True)
                return run_tangent(self.programs, self.binding, self.wrt, tangents)[1]
            return self.recording.tangent(tangents)
        except ShapeError as error:
            error.locate(self.binding.places.get(""))
            raise

    def as_function(self):
        """The map as a function with source, for derivatives with respect to the tangents."""
        if self._as_function is None:
            self._as_function = call_again("linearize", self, [f"tangent_{k}" for k in range(self.count)])
        return self._as_function

    def __reduce__(self):
        if self.recording is not None:
            refuse_effects(self.recording.compiled, "a linear map", "ad.linearize")
        return _map_again, (function_of(self.function, self.binding), *call_of(self.binding), self.asked)


def _map_again(function, args, kwargs, wrt):
    return linearize(function, *args, wrt=wrt, **kwargs)[1]


def _apart_if_hidden(binding) -> tuple:
    """The arguments are copies already; the object of a method is kept apart as well."""
    return (*kept_apart(binding.values[: binding.hidden]), *binding.values[binding.hidden :])


class Recording:
    """One run of a function, with what its tangents read; a second one with strict zeros where a NaN shows up."""

    def __init__(self, programs, binding, wrt, compiled):
        self.programs, self.binding, self.wrt, self.compiled = programs, binding, wrt, compiled
        values = private_copy(binding.values, compiled)
        if compiled.strict:
            with np.errstate(all="ignore"):
                self.value, self.kept = call_generated(compiled, "recording", values)
        else:
            self.value, self.kept = call_generated(compiled, "recording", values)
        self.unchanged = Unchanged((), Memory(tuple(self.kept)), compiled, "linear")
        self.with_strict_zeros = None

    @classmethod
    def of(cls, programs, binding, wrt):
        """A recording of a call; None if the function has none."""
        compiled = programs.linear(binding, wrt.paths)
        if compiled is not None and compiled.effects:  # it runs once, so it is strict from the start
            compiled = programs.linear(binding, wrt.paths, strict=True)
        if compiled is None:
            return None
        try:
            return cls(programs, binding, wrt, compiled)
        except ZeroDivisionError:
            if compiled.strict:
                raise
        return cls(programs, binding, wrt, programs.linear(binding, wrt.paths, strict=True))

    def tangent(self, tangents):
        """The tangent of the value along one tangent for each input."""
        self.unchanged.check()
        given = directions(self.binding, self.wrt, tangents)
        found = self.run(given)
        if not self.compiled.strict and is_nan(found):
            if self.with_strict_zeros is None:
                self.unchanged.check(everything=True)
                compiled = self.programs.linear(self.binding, self.wrt.paths, strict=True)
                self.with_strict_zeros = Recording(self.programs, self.binding, self.wrt, compiled)
            with np.errstate(all="ignore"):
                found = self.with_strict_zeros.run(given)
        return finished_tangent(found, self.value, arrays_of((self.kept, given)))

    def run(self, given):
        made = tangent_arguments(self.binding, self.wrt, self.compiled, given)
        return call_generated(self.compiled, "linear", (self.kept, *made))


def sweeps(programs, binding, wrt):
    """A function from tangents to `(value, tangent)` of one call, for many of them.

    A function that draws random numbers, or acts outside in another way, runs once. Raises UnsupportedSyntaxError where
    it would have to run for each.
    """
    compiled = programs.tangent(binding, wrt.paths)
    if not compiled.acts_outside:
        return lambda tangents: run_tangent(programs, binding, wrt, tangents)
    recording = Recording.of(programs, binding, wrt)
    if recording is None:
        raise UnsupportedSyntaxError(
            f"forward mode runs '{compiled.name}' again for each direction, and it does something that outlives a call",
            compiled.loc,
            hint="take mode='reverse', or draw random numbers outside",
        )
    return lambda tangents: (recording.value, recording.tangent(tangents))


def _refuse_effects(programs, binding, wrt):
    compiled = programs.tangent(binding, wrt.paths) if wrt.differentiable else None
    if compiled is not None and compiled.effects:
        raise UnsupportedSyntaxError(
            f"linearize runs '{compiled.name}' again for each tangent, and it does something that outlives a call",
            compiled.loc,
            hint="take ad.jvp for one tangent, ad.vjp for many seeds, or draw random numbers outside",
        )


__all__ = ["linearize", "sweeps"]
