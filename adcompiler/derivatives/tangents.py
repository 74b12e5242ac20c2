"""Directional derivatives as functions with source: `jvp`, and gradients by forward mode."""

from __future__ import annotations

import numpy as np

from ..calling import resolve_wrt
from ..errors import UnsupportedSyntaxError
from ..frontend.signature import Signature
from ..runtime.derivatives import in_memory_like
from .derivative import Derivative
from .forms import definition_text, fresh_names, identifier, path_text, primal_call
from .gradients import cast_text, described_binding, outputs_of, private_arguments
from .private_copies import copy_text
from .written import written_function


class Tangent(Derivative):
    """`(value, tangent)` of a function, given its arguments and one tangent for each of `wrt` behind them."""

    def __init__(self, function, wrt):
        super().__init__(function, wrt)
        self.wrt = tuple(wrt)
        self.__name__ = f"tangent_of_{getattr(function, '__name__', 'function')}"
        self.extra = tuple(f"tangent_{k}" for k in range(len(self.wrt)))

    def written(self, signature: Signature, strict: bool):
        count = len(self.extra)
        tangents = [n for n, _ in signature.parameters[len(signature.parameters) - count :]]
        given = Signature(signature.parameters[: len(signature.parameters) - count], (), (), signature.aliases)
        name = identifier(self.__name__, "tangent_of_function")
        call, lines, namespace = tangent_call(self.inner, self.wrt, given, strict, tangents)
        return written_function(name, definition_text(name, signature, [*lines, f"return {call}"]), namespace)


def tangent_call(programs, wrt, signature: Signature, strict: bool, tangents):
    """The text of a call of the generated tangent function, lines before it, and what they need.

    `tangents` are expressions.
    """
    binding = described_binding(programs, signature)
    resolved = resolve_wrt(tuple(wrt), binding)
    if any(len(path) > 1 for path in resolved.asked):
        raise UnsupportedSyntaxError(
            "the tangent of one element of a star parameter, inside a function that is differentiated",
            hint="give the parameter a name of its own",
        )
    inner = Signature(signature.parameters, resolved.paths, outputs_of(programs), signature.aliases)
    compiled = programs.compiled_tangent(inner, strict=strict, marked=programs.backend == "numpy")
    called = f"{compiled.name}_tangent"
    namespace = {called: compiled.functions["tangent"]}
    given, lines = private_arguments(compiled, signature, namespace)
    by_name = {path[0]: t for path, t in zip(resolved.asked, tangents, strict=True)}
    for k, (name, _) in enumerate(signature.parameters):
        if (name,) in resolved.paths:
            tangent = by_name[name]
            described = dict(signature.parameters)[name]
            if k in compiled.mutated and described.kind == "num":
                namespace["in_memory_like"] = in_memory_like
                tangent = f"in_memory_like({tangent}, {name})"
            elif k in compiled.mutated:
                tangent = copy_text(tangent, described, namespace)
            given.append(tangent)
    return f"{called}({', '.join(given)})", lines, namespace


def written_forward_gradient(programs, wrt, signature: Signature, strict: bool, *, name: str, with_value: bool):
    """A gradient by one tangent for each number in the inputs, as a function with source."""
    binding = described_binding(programs, signature)
    resolved = resolve_wrt(wrt, binding)
    described = dict(signature.parameters)
    name = identifier(name, "gradient_of_function")
    value, k, direction = fresh_names(signature, "value", "k", "direction")
    lines, results, namespace = [], [], {"np": np}
    for at, path in enumerate(resolved.asked):
        x = path_text(path)
        d = described[path[0]]
        if len(path) > 1 or d.kind != "num":
            raise UnsupportedSyntaxError(
                f"mode='forward' of a gradient with respect to '{x}', which is a container, and is differentiated again",
                hint="leave out mode=, or pass arrays",
            )
        if not d.type.rank:
            call, before, known = tangent_call(programs, (path[0],), signature, strict, ["1.0"])
            slope = f"slope_{at}"
            lines += [*before, f"{value}, {slope} = {call}"]
            results.append(slope)
        else:
            call, before, known = tangent_call(
                programs, (path[0],), signature, strict, [f"np.reshape({direction}, np.shape({x}))"]
            )
            slopes = f"slopes_{at}"
            lines += [
                *before,
                f"{slopes} = np.zeros(np.size({x}))",
                f"for {k} in range(np.size({x})):",
                f"    {direction} = np.zeros(np.size({x}))",
                f"    {direction}[{k}] = 1.0",
                f"    {slopes}[{k}] = {call}[1]",
            ]
            results.append(cast_text(f"np.reshape({slopes}, np.shape({x}))", described, path, namespace))
        namespace.update(known)
    packed = results[0] if resolved.is_single else f"({', '.join(results)},)"
    if with_value:
        called, known = primal_call(programs)
        namespace.update(known)
        packed = f"{called}, {packed}"
    return written_function(name, definition_text(name, signature, [*lines, f"return {packed}"]), namespace)

