"""The text of a gradient as a function of the arguments of what is differentiated: a call of generated code."""

from __future__ import annotations

import functools
import inspect

import numpy as np

from ..calling import Binding, resolve_wrt
from ..errors import UnsupportedSyntaxError
from ..frontend.signature import Described, Signature
from .checkpointed import written_checkpointed, written_product
from .flattening import NotFlat
from .forms import fresh_names, identifier, path_text
from .private_copies import apart, copied_alike, copy_text
from .whole_tapes import whole_tape_test
from .written import free_name, written_function


def described_binding(programs, signature: Signature) -> Binding:
    """The binding of a call of which only the types are known: the values are descriptions."""
    names = tuple(n for n, _ in signature.parameters)
    kinds = {n: p.kind for n, p in programs.parameters.parameters.items()}
    values = []
    for name, d in signature.parameters:
        if kinds[name] is inspect.Parameter.VAR_POSITIONAL:
            values.append(tuple(item for _, item in d.items))
        elif kinds[name] is inspect.Parameter.VAR_KEYWORD:
            values.append(dict(d.items))
        else:
            values.append(d)
    binding = Binding(names, tuple(values), programs.parameters, len(programs.self_argument))
    binding.places = programs.places
    return binding


def private_arguments(programs, compiled, signature: Signature, namespace: dict) -> tuple[list[str], list[str]]:
    """The arguments of a call of generated code, those that it writes into copied, and lines to stand before the call."""
    described = dict(signature.parameters)
    changed = [n for k, (n, _) in enumerate(signature.parameters) if k in compiled.mutated]
    outside = [n for n in changed if n in programs.captured]
    if outside and compiled.loc is not None:  # the change would be lost with the copy
        raise UnsupportedSyntaxError(
            f"the derivative of a function that changes '{outside[0]}' of the function around it",
            compiled.loc,
            hint=f"make '{outside[0]}' inside of it, and return what is needed outside",
        )
    if signature.aliases and changed:  # copies would part what is one array
        raise UnsupportedSyntaxError(
            f"'{signature.aliases[0][0]}' and '{signature.aliases[0][1]}' may be one array, which the function changes, "
            "in a derivative that is differentiated again",
            compiled.loc,
            hint=f"pass {signature.aliases[0][1]}.copy()",
        )
    lines = []
    if any(described[n].kind != "num" for n in changed):
        with_parts = [n for n, d in signature.parameters if d.kind not in ("static", "opaque")]
        (test,) = fresh_names(signature, "apart")
        namespace[test] = apart
        lines.append(f"assert {test}({tuple(with_parts)!r}, {', '.join(with_parts)})")
    if changed and compiled.layout_decides and programs.backend != "numba":
        (test,) = fresh_names(signature, "copied_alike")
        namespace[test] = copied_alike
        lines.append(f"assert {test}({tuple(changed)!r}, {', '.join(changed)})")
    given = [copy_text(n, d, namespace) if n in changed else n for n, d in signature.parameters]
    return given, lines


def fully_taped(programs, signature, *, joint, strict):
    """Code without checkpointing: a form that can be differentiated once more."""
    from ..pipeline import switched

    with switched(checkpoint="none"):
        return programs.in_python.compiled(signature, joint=joint, strict=strict)


def written_gradient(programs, wrt, signature: Signature, strict: bool, *, name: str, with_value=False, has_aux=False):
    """The function `name(*parameters)` that gives the gradient of a function (and its value in front, if asked)."""
    binding = described_binding(programs, signature)
    resolved = resolve_wrt(wrt, binding)
    if not resolved.differentiable:
        raise UnsupportedSyntaxError(
            f"the derivative of a gradient with respect to {wrt!r}, which holds no number",
            hint="choose other arguments with wrt=",
        )
    inner = Signature(signature.parameters, resolved.paths, outputs_of(programs), signature.aliases, auxiliary=has_aux)
    compiled = fully_taped(programs, inner, joint=True, strict=strict)
    written = None
    if compiled.is_checkpointed and not has_aux:
        written = written_checkpointed(programs, resolved, signature, compiled, name=name, with_value=with_value)
    if written is None:
        written = _taped_gradient(programs, resolved, signature, compiled, name, with_value, has_aux)
        if compiled.is_checkpointed and not with_value:
            add_product(written, programs, resolved, signature, compiled, has_aux)
    return written


def add_product(written, programs, resolved, signature: Signature, compiled, has_aux):
    """The derivative along a vector, where it can be had in less memory; lists want to be told their lengths."""
    written.wants_lengths = False
    try:
        written.product = written_product(programs, resolved, signature, compiled, has_aux)
    except NotFlat:
        written.product, written.wants_lengths = None, True


def _taped_gradient(programs, resolved, signature: Signature, compiled, name, with_value, has_aux):
    parameters = [n for n, _ in signature.parameters]
    called = f"{compiled.name}_gradient"
    name = free_name(identifier(name, "gradient_of_function"), {called, *parameters})
    namespace = {called: compiled.functions["gradient"]}
    given, lines = private_arguments(programs, compiled, signature, namespace)
    if programs.memory is not None:
        (test,) = fresh_names(signature, "whole_tape_fits")
        inner = Signature(signature.parameters, resolved.paths, outputs_of(programs), signature.aliases, auxiliary=has_aux)
        two_sweeps = functools.partial(fully_taped, programs, inner, joint=False, strict=False)
        namespace[test] = whole_tape_test(programs, compiled, two_sweeps)
        lines.append(f"assert {test}({', '.join(parameters)})")
    head = f"def {name}({', '.join(parameters)}):\n" + "".join(f"    {line}\n" for line in lines)
    call = f"{called}({', '.join(given)})"
    described = dict(signature.parameters)
    if resolved.is_single and not with_value and not has_aux:
        path = resolved.asked[0]
        return written_function(name, f"{head}    return {cast_text(f'{call}[1]', described, path, namespace)}\n", namespace)
    value, gradient = free_name("value", parameters), free_name("gradient", parameters)
    parts = [
        cast_text(gradient if len(resolved.paths) == 1 else f"{gradient}[{k}]", described, path, namespace)
        if k >= 0
        else path_text(path)
        for k, path in zip(resolved.order, resolved.asked, strict=True)
    ]
    packed = parts[0] if resolved.is_single else f"({', '.join(parts)},)" if len(parts) == 1 else f"({', '.join(parts)})"
    result = f"{value}, {packed}" if with_value else f"{packed}, {value}[1]" if has_aux else packed
    text = f"{head}    {value}, {gradient} = {call}\n    return {result}\n"
    return written_function(name, text, namespace)


def cast_text(gradient: str, described: dict, path, namespace: dict) -> str:
    """A gradient in the precision of its argument, which generated code leaves to the end of the call."""
    d = described[path[0]]
    if len(path) > 1 or d.kind != "num" or not d.type.is_array or d.type.dtype in (None, np.float64, np.complex128):
        return gradient
    spelt = f"as_{d.type.dtype}"
    namespace[spelt] = d.type.dtype
    return f"{gradient}.astype({spelt})"


def outputs_of(programs) -> tuple:
    """The outputs of a function as a signature has them."""
    return () if programs.outputs == ("return",) else programs.outputs


__all__ = ["Described", "described_binding", "private_arguments", "written_gradient"]
