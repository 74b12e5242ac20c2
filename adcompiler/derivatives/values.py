"""The value of a function beside a derivative of it, as a function with source: what it changes are copies.

    def value_of_f(x):
        x = x.copy(order='K')
        return f(x)

The derivative runs the function again, so one that draws random numbers or acts outside in another way is refused.
"""

from __future__ import annotations

from ..calling import resolve_wrt
from ..errors import AdcompilerError, UnsupportedSyntaxError
from ..frontend.signature import Described, Signature
from ..rules.registry import lookup
from .derivative import Derivative
from .forms import definition_text, identifier, primal_call
from .gradients import described_binding, outputs_of, private_arguments
from .private_copies import copy_text
from .written import free_name, written_function


class ValueApart(Derivative):
    """The value of a function, given its arguments, which stay as they are; `wrt` as in the derivative that follows."""

    def __init__(self, function, wrt):
        super().__init__(function, wrt)
        self.__name__ = f"value_of_{getattr(function, '__name__', 'function')}"

    def written(self, signature: Signature, strict: bool):
        return written_value(self.inner, self.wrt, signature, strict, name=identifier(self.__name__, "value_of_function"))


def written_value(programs, wrt, signature: Signature, strict: bool, *, name: str):
    """The function `name(*parameters)` that gives the value. Raises UnsupportedSyntaxError where it cannot run again."""
    compiled = _Changes.of(programs, wrt, signature, strict)
    if compiled.acts_outside:
        raise UnsupportedSyntaxError(
            f"a derivative of '{programs.python.__name__}' inside a function that is differentiated runs it again, and it "
            "draws random numbers, prints, or changes something that outlives a call",
            compiled.loc,
            hint="draw the numbers outside and pass them in, or take ad.grad, ad.value_and_grad or ad.jvp, which run it once",
        )
    called, namespace = primal_call(programs, free_name("function", [n for n, _ in signature.parameters]))
    given, lines = private_arguments(programs, compiled, signature, namespace)
    names = [n for n, _ in signature.parameters]
    lines += [f"{n} = {copied}" for n, copied in zip(names, given, strict=True) if n != copied]
    return written_function(name, definition_text(name, signature, [*lines, f"return {called}"]), namespace)


class _Changes:
    """What a function changes of its arguments: all of them, where it has no tangent that could tell."""

    acts_outside, loc = False, None

    def __init__(self, signature: Signature, has_source: bool):
        self.mutated = tuple(range(len(signature.parameters)))
        self.layout_decides = has_source  # a function with a rule changes nothing

    @classmethod
    def of(cls, programs, wrt, signature: Signature, strict: bool):
        resolved = resolve_wrt(tuple(wrt) if isinstance(wrt, list) else wrt, described_binding(programs, signature))
        inner = Signature(signature.parameters, resolved.paths, outputs_of(programs), signature.aliases)
        try:
            return programs.in_python.compiled_tangent(inner, strict=strict, marked=True)
        except AdcompilerError:
            return cls(signature, lookup(programs.function) is None)


def written_copy(described: Described):
    """`def copied(value)`: a copy of an argument of a known structure; None where nothing in it can change."""
    if not _can_change(described):
        return None
    namespace: dict = {}
    text = copy_text("value", described, namespace)
    return written_function("copied", f"def copied(value):\n    return {text}\n", namespace)


def _can_change(described: Described) -> bool:
    if described.kind == "num":
        return described.type.boxed is not False
    if described.kind == "tuple":
        return any(_can_change(d) for _, d in described.items)
    return described.kind in ("list", "dict", "rows", "object")


__all__ = ["ValueApart", "written_copy", "written_value"]
