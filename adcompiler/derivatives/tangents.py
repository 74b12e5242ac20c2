"""Directional derivatives as functions with source: `jvp`, and gradients by forward mode."""

from __future__ import annotations

import numpy as np

from ..calling import resolve_wrt
from ..errors import UnsupportedSyntaxError
from ..frontend.signature import Signature
from ..runtime.derivatives import in_memory_like
from .container_slopes import Slopes
from .derivative import Derivative
from .forms import definition_text, fresh_names, identifier, path_text
from .gradients import cast_text, described_binding, outputs_of, private_arguments
from .structures import finished_tangent_text, given_tangent, tangent_copier
from .values import written_value
from .written import written_function


AS_GENERATED = object()


class Tangent(Derivative):
    """`(value, tangent)` of a function, given its arguments and one tangent for each of `wrt` behind them."""

    def __init__(self, function, wrt):
        super().__init__(function, wrt)
        self.wrt = tuple(wrt)
        self.__name__ = f"tangent_of_{getattr(function, '__name__', 'function')}"
        self.extra = tuple(f"tangent_{k}" for k in range(len(self.wrt)))

    def written(self, signature: Signature, strict: bool):
        count = len(self.extra)
        tangents = list(signature.parameters[len(signature.parameters) - count :])
        given = Signature(signature.parameters[: len(signature.parameters) - count], (), (), signature.aliases)
        name = identifier(self.__name__, "tangent_of_function")
        call, lines, namespace = tangent_call(self.inner, self.wrt, given, strict, tangents)
        return written_function(name, definition_text(name, signature, [*lines, f"return {call}"]), namespace)


def tangent_call(programs, wrt, signature: Signature, strict: bool, tangents):
    """The text of a call of the generated tangent function, lines before it, and what they need.

    `tangents` are expressions, each with its description, None for that of a number or an array, or AS_GENERATED for
    one in the form of generated code.
    """
    binding = described_binding(programs, signature)
    resolved = resolve_wrt(tuple(wrt), binding)
    if any(len(path) > 1 for path in resolved.asked):
        raise UnsupportedSyntaxError(
            "the tangent of one element of a star parameter, inside a function that is differentiated",
            hint="give the parameter a name of its own",
        )
    inner = Signature(signature.parameters, resolved.paths, outputs_of(programs), signature.aliases)
    compiled = programs.in_python.compiled_tangent(inner, strict=strict, marked=True)
    called = f"{compiled.name}_tangent"
    namespace = {called: compiled.functions["tangent"]}
    given, lines = private_arguments(programs, compiled, signature, namespace)
    by_name = {
        path[0]: t
        if is_like is AS_GENERATED
        else given_tangent(t, is_like, path[0], dict(signature.parameters)[path[0]])
        for path, (t, is_like) in zip(resolved.asked, tangents, strict=True)
    }
    for k, (name, _) in enumerate(signature.parameters):
        if (name,) in resolved.paths:
            tangent = by_name[name]
            described = dict(signature.parameters)[name]
            if k in compiled.mutated and described.kind == "num":
                namespace["in_memory_like"] = in_memory_like
                tangent = f"in_memory_like({tangent}, {name})"
            elif k in compiled.mutated:
                (copied,) = fresh_names(signature, f"copy_of_tangent_{k}")
                namespace[copied] = tangent_copier(described)
                tangent = f"{copied}({tangent})"
            given.append(tangent)
    return f"{called}({', '.join(given)})", lines, namespace


def written_forward_gradient(programs, wrt, signature: Signature, strict: bool, *, name: str, with_value: bool):
    """A gradient by one tangent for each number in the inputs, as a function with source."""
    binding = described_binding(programs, signature)
    resolved = resolve_wrt(wrt, binding)
    described = dict(signature.parameters)
    name = identifier(name, "gradient_of_function")
    value, k, direction, slopes, primal, numpy, unit, at_place, part = fresh_names(
        signature, "value", "k", "direction", "slopes", "primal", "np", "unit", "at", "part"
    )
    once = written_value(programs, wrt, signature, strict, name="value_of_function")
    lines, results, namespace = [], [], {numpy: np, primal: once}
    for at, path in enumerate(resolved.asked):
        x = path_text(path)
        d = described[path[0]]
        if len(path) > 1:
            raise UnsupportedSyntaxError(
                f"mode='forward' of a gradient with respect to '{x}', an element of a star parameter, and differentiated again",
                hint="leave out mode=, or give the parameter a name of its own",
            )
        if d.kind != "num":
            before, known = [], {}

            def along_text(along, x=x, before=before, known=known):
                call, lines_before, needed = tangent_call(programs, (x,), signature, strict, [(along, AS_GENERATED)])
                before[:] = lines_before
                known.update(needed)
                return call

            written = Slopes(along_text, numpy, unit, k, at_place, part).text(x, d)
            namespace.update(known)
            lines += [*before, f"{slopes}_{at} = {written}"]
            results.append(finished_tangent_text(f"{slopes}_{at}", x, d, namespace))
            continue
        if not d.type.rank:
            call, before, known = tangent_call(programs, (path[0],), signature, strict, [("1.0", None)])
            lines += [*before, f"{value}, {slopes}_{at} = {call}"]
            results.append(f"{slopes}_{at}")
        else:
            along = f"{numpy}.reshape({direction}, {numpy}.shape({x}))"
            call, before, known = tangent_call(programs, (path[0],), signature, strict, [(along, None)])
            lines += [
                *before,
                f"{slopes}_{at} = {numpy}.zeros({numpy}.size({x}))",
                f"for {k} in range({numpy}.size({x})):",
                f"    {direction} = {numpy}.zeros({numpy}.size({x}))",
                f"    {direction}[{k}] = 1.0",
                f"    {slopes}_{at}[{k}] = {call}[1]",
            ]
            results.append(cast_text(f"{numpy}.reshape({slopes}_{at}, {numpy}.shape({x}))", described, path, namespace))
        namespace.update(known)
    packed = results[0] if resolved.is_single else f"({', '.join(results)},)"
    if with_value:
        packed = f"{primal}({', '.join(n for n, _ in signature.parameters)}), {packed}"
    return written_function(name, definition_text(name, signature, [*lines, f"return {packed}"]), namespace)
