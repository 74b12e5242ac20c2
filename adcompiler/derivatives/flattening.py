"""The numbers inside the arguments of a call, as arguments of their own: what a rule with one adjoint for each can take.

    f({"w": w, "b": b}, x)   becomes   flat_f(p_w, p_b, x)
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
from dataclasses import dataclass, field

from ..frontend.signature import Described, Signature, attributes
from ..ir.types import Num, without_dims
from .forms import call_text, identifier
from .written import free_name, written_function


@dataclass(frozen=True)
class Leaf:
    """One number in the arguments: the name it has as a parameter, how it is read, its place, its type.

    The type is None of what only Python knows, such as a random generator: an argument of its own.
    """

    name: str
    read: str
    path: tuple
    type: Num | None
    cls: type = object  # of what only Python knows

    @property
    def is_floating(self) -> bool:
        return self.type is not None and self.type.kind == "f"

    @property
    def is_real(self) -> bool:
        return self.type is None or self.type.kind in "fiub"

    @property
    def described(self) -> Described:
        return Described("opaque", self.cls) if self.type is None else Described("num", without_dims(self.type))


LONGEST = 64  # of a list whose elements become arguments of their own


def with_lengths(signature: Signature, values) -> Signature:
    """The signature in which lists of like elements are as long as those of the call; the same if one is too long."""
    try:
        parameters = tuple((n, _with_length(d, v)) for (n, d), v in zip(signature.parameters, values, strict=True))
    except NotFlat:
        return signature
    return dataclasses.replace(signature, parameters=parameters)


def _with_length(d: Described, value) -> Described:
    if d.kind == "rows":
        if len(value) > LONGEST:
            raise NotFlat
        return Described("list", None, tuple((k, _with_length(d.items[0], v)) for k, v in enumerate(value)))
    if d.kind not in ("tuple", "list", "dict", "object"):
        return d
    parts = dict(attributes(value)) if d.kind == "object" else value
    return Described(d.kind, d.type, tuple((k, _with_length(i, parts[k])) for k, i in d.items))


@dataclass
class Flattened:
    """The arguments of a signature taken apart; `made` has the text that puts each parameter together again."""

    leaves: list[Leaf] = field(default_factory=list)
    made: dict[str, str] = field(default_factory=dict)
    known: dict = field(default_factory=dict)  # what the texts name: classes, and values that the signature fixes

    def within(self, path) -> list[int]:
        """The positions of the leaves in one input."""
        return [k for k, leaf in enumerate(self.leaves) if leaf.path[: len(path)] == path]


class NotFlat(Exception):
    """An argument whose numbers have no places that are known when compiling, or that is not made of its parts alone."""


def flattened(parameters: tuple[tuple[str, Described], ...], opaque: bool = False) -> Flattened:
    """The leaves of all arguments, and with `opaque` the arguments that only Python knows. Raises NotFlat."""
    made = Flattened()
    taken = {n for n, _ in parameters}
    for name, described in parameters:
        if opaque and described.kind == "opaque":
            made.leaves.append(Leaf(name, name, (name,), None, described.type))
            made.made[name] = name
            continue
        made.made[name] = _taken_apart(made, taken, described, name, name, (name,))
    return made


def _taken_apart(flat, taken, d: Described, read: str, wanted: str, path: tuple) -> str:
    if d.kind == "num":
        own = wanted if len(path) == 1 else free_name(identifier(wanted, "part"), taken)
        taken.add(own)
        flat.leaves.append(Leaf(own, read, path, d.type))
        return own
    if d.kind == "static":
        own = free_name(identifier(f"{wanted}_given", "given"), taken)
        taken.add(own)
        flat.known[own] = d.value
        return own
    if d.kind not in ("tuple", "list", "dict", "object"):
        raise NotFlat
    parts = []
    for key, item in d.items:
        inner = f"{read}.{key}" if d.kind == "object" else f"{read}[{key!r}]"
        if d.kind == "dict" and type(key) not in (str, int, bool):
            raise NotFlat
        parts.append((key, _taken_apart(flat, taken, item, inner, f"{wanted}_{key}", (*path, key))))
    return _put_together(flat, taken, d, parts)


def _put_together(flat, taken, d: Described, parts) -> str:
    values = ", ".join(text for _, text in parts)
    if d.kind == "list":
        return f"[{values}]"
    if d.kind == "dict":
        if d.type is not dict:
            raise NotFlat
        return "{" + ", ".join(f"{key!r}: {text}" for key, text in parts) + "}"
    if d.kind == "tuple" and d.type is None:
        return f"({values},)" if parts else "()"
    if d.kind == "object" and not _is_plain_record(d.type, [key for key, _ in parts]):
        raise NotFlat
    own = free_name(d.type.__name__, taken)
    taken.add(own)
    flat.known[own] = d.type
    return f"{own}({', '.join(f'{k}={t}' for k, t in parts)})" if d.kind == "object" else f"{own}({values})"


def _is_plain_record(cls, names) -> bool:
    """A dataclass that is made of its fields, and does nothing more when it is made."""
    if not dataclasses.is_dataclass(cls) or hasattr(cls, "__post_init__"):
        return False
    fields = dataclasses.fields(cls)
    made = getattr(cls.__init__, "__code__", None)
    generated = made is not None and made.co_filename == "<string>"
    return generated and all(f.init for f in fields) and [f.name for f in fields] == names


def flat_function(programs, flat: Flattened, called: str, target):
    """`target`, which takes the arguments, as a function of their leaves."""
    parameters = list(programs.parameters.parameters.values())
    text = call_text("target", inspect.Signature(parameters[len(programs.self_argument) :]))
    names = ", ".join(leaf.name for leaf in flat.leaves)
    own = free_name(called, {"target", *flat.known, *(leaf.name for leaf in flat.leaves)})
    body = _written_out(text, {n: made for n, made in flat.made.items() if n != made})
    return written_function(own, f"def {own}({names}):\n    return {body}\n", {"target": target, **flat.known})


def _written_out(text: str, made: dict[str, str]) -> str:
    """A call with some of its arguments replaced by expressions."""

    class Replaced(ast.NodeTransformer):
        def visit_Name(self, node):
            return ast.parse(made[node.id], mode="eval").body if node.id in made else node

    return ast.unparse(Replaced().visit(ast.parse(text, mode="eval")))


__all__ = ["Flattened", "Leaf", "NotFlat", "flat_function", "flattened", "with_lengths"]
