"""`linearize`: the primal runs once and keeps what its tangents read; the linear map runs the tangents alone."""

from __future__ import annotations

from copy import deepcopy

import numpy as np

from .calling import resolve_wrt
from .errors import ShapeError, UnsupportedSyntaxError
from .forward import directions, programs_for, run_tangent, tangent_arguments
from .generated_calls import call_generated
from .runtime.directions import arrays_of, finished_tangent
from .runtime.finish import is_nan, kept_apart, private_copy


def linearize(f, *args, wrt=None, **kwargs):
    """`(value, linear_map)`: `linear_map(*tangents)` is the derivative of `f` at these arguments along the tangents.

    One tangent per `wrt` (default: every argument that holds floats). The arguments are kept as they are now. The
    function runs once, and keeps what its tangents read; the map runs the tangents alone, as often as it is called.
    Of recursive functions, and of containers inside derivatives of derivatives, nothing is kept and both run again,
    which is refused if the function draws random numbers, prints, or changes something that outlives it.

    >>> value, linear_map = linearize(lambda x: x * x, 3.0)
    >>> value, linear_map(1.0), linear_map(10.0)
    (9.0, 6.0, 60.0)
    """
    from .api import _every_floating

    programs = programs_for(f)
    args, kwargs = deepcopy((args, kwargs))
    binding = programs.bind(args, kwargs)
    wrt = resolve_wrt(_every_floating(binding) if wrt is None else wrt, binding)
    count = 1 if wrt.is_single else len(wrt.order)
    made = Recording.of(programs, binding, wrt) if wrt.differentiable else None
    if made is None:
        _refuse_effects(programs, binding, wrt)
        value, _ = run_tangent(programs, binding, wrt, [None] * count)
    else:
        value = made.value

    def linear_map(*tangents):
        """The derivative along one tangent for each argument."""
        if len(tangents) != count:
            raise ShapeError(
                f"{len(tangents)} tangents for {count} arguments", hint="pass one tangent for each; None for none"
            )
        if made is None:
            return run_tangent(programs, binding, wrt, tangents)[1]
        return made.tangent(tangents)

    return kept_apart((value,))[0], linear_map


linearize.immediate_operator = "linearize"


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
        given = directions(self.binding, self.wrt, tangents)
        found = self.run(given)
        if not self.compiled.strict and is_nan(found):
            if self.with_strict_zeros is None:
                compiled = self.programs.linear(self.binding, self.wrt.paths, strict=True)
                self.with_strict_zeros = Recording(self.programs, self.binding, self.wrt, compiled)
            with np.errstate(all="ignore"):
                found = self.with_strict_zeros.run(given)
        return finished_tangent(found, self.value, arrays_of((self.kept, given)))

    def run(self, given):
        made = tangent_arguments(self.binding, self.wrt, self.compiled, given)
        return call_generated(self.compiled, "linear", (self.kept, *made))


def _refuse_effects(programs, binding, wrt):
    compiled = programs.tangent(binding, wrt.paths) if wrt.differentiable else None
    if compiled is not None and compiled.effects:
        raise UnsupportedSyntaxError(
            f"linearize runs '{compiled.name}' again for each tangent, and it does something that outlives a call",
            compiled.loc,
            hint="take ad.jvp for one tangent, ad.vjp for many seeds, or draw random numbers outside",
        )


__all__ = ["linearize"]
