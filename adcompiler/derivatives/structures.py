"""Tangents in the two forms that they have, written out: with the structure of the value, as the user gives and gets them,
and as generated code takes and gives them, where the tangent of an object is a dict by attribute.

    def tangent_of_energy(spring, x, tangent_0, tangent_1):
        return energy_tangent(spring, x, {'stiffness': tangent_0.stiffness, 'rest': tangent_0.rest}, tangent_1)
"""

from __future__ import annotations

from ..frontend.signature import Described
from .private_copies import copy_text, new_object
from .written import free_name, written_function


def given_tangent(text: str, given: Described | None, value: str, d: Described) -> str:
    """The tangent `text` of the argument `value` as generated code takes it; None stands for one that carries none.

    >>> from types import SimpleNamespace
    >>> from ..frontend.signature import describe
    >>> d = describe(SimpleNamespace(a=1.0, b=[2.0, 3.0]))
    >>> given_tangent("t", describe(SimpleNamespace(a=1.0, b=None)), "p", d)
    "{'a': t.a, 'b': [0.0 for v in p.b]}"
    """
    if given is not None and given.kind == "static" and given.value is None and d.kind != "static":
        return zero_tangent_text(value, d)
    if not _differs(given, d):
        return text
    parts = dict(given.items) if given is not None and given.kind != "rows" else {}
    if d.kind == "object":
        return dict_text({k: given_tangent(f"{text}.{k}", parts[k], f"{value}.{k}", i) if k in parts
                      else zero_tangent_text(f"{value}.{k}", i) for k, i in d.items})
    if d.kind == "rows" and given is not None and given.kind in ("list", "tuple"):
        made = {k: given_tangent(f"{text}[{k}]", i, f"{value}[{k}]", d.items[0]) for k, i in given.items}
        return sequence_text("list", made)
    if d.kind == "rows":
        one = given_tangent("t", given.items[0] if given is not None and given.kind == "rows" else None, "v", d.items[0])
        return f"[{one} for t, v in zip({text}, {value})]"
    made = {}
    for k, i in d.items:
        known = given.items[0] if given is not None and given.kind == "rows" else parts.get(k)
        missing = d.kind == "dict" and given is not None and given.kind == "dict" and k not in parts
        made[k] = zero_tangent_text(f"{value}[{k!r}]", i) if missing \
            else given_tangent(f"{text}[{k!r}]", known, f"{value}[{k!r}]", i)
    return sequence_text(d.kind, made)


def _differs(given, d: Described) -> bool:
    """Has the tangent another form in generated code, or parts that are None?"""
    if given is not None and given.kind == "static" and given.value is None:
        return d.kind != "static"
    if d.kind == "object":
        return True
    if d.kind == "rows" and given is not None and given.kind in ("list", "tuple"):
        return any(_differs(i, d.items[0]) for _, i in given.items)
    if d.kind == "rows":
        return _differs(given.items[0] if given is not None and given.kind == "rows" else None, d.items[0])
    if d.kind in ("list", "tuple", "dict"):
        if given is not None and given.kind == "rows":
            return any(_differs(given.items[0], i) for _, i in d.items)
        parts = dict(given.items) if given is not None else {}
        if d.kind == "dict" and given is not None and parts.keys() != dict(d.items).keys():
            return True
        return any(_differs(parts.get(k), i) for k, i in d.items)
    return False


def zero_tangent_text(value: str, d: Described) -> str:
    """A zero tangent of the argument `value`, as generated code takes it."""
    if d.kind == "num":
        if d.type.kind not in "fc" or d.type.boxed is False:
            return "0.0"
        return f"(0.0 * {value})"
    if d.kind == "rows":
        return f"[{zero_tangent_text('v', d.items[0])} for v in {value}]"
    if d.kind == "object":
        return dict_text({k: zero_tangent_text(f"{value}.{k}", i) for k, i in d.items})
    if d.kind in ("list", "tuple", "dict"):
        return sequence_text(d.kind, {k: zero_tangent_text(f"{value}[{k!r}]", i) for k, i in d.items})
    return "None"


def finished_tangent_text(text: str, value: str, d: Described, namespace: dict) -> str:
    """The tangent `text` of generated code with the structure of its value, which is described by `d`.

    >>> from ..frontend.signature import describe
    >>> finished_tangent_text("t", "v", describe([1.0, 3]), {})
    '[t[0], None]'
    """
    if not _is_finished_otherwise(d):
        return text
    if d.kind in ("num", "static", "opaque"):
        return "None"
    if d.kind == "rows":
        return f"[{finished_tangent_text('t', 'v', d.items[0], namespace)} for t, v in zip({text}, {value})]"
    if d.kind == "object":
        maker = f"tangent_of_{d.type.__name__}"
        name = free_name(maker if maker.isidentifier() else "tangent_of_object", namespace)
        namespace[name] = _object_maker(d)
        return f"{name}({text}, {value})"
    parts = {k: finished_tangent_text(f"{text}[{k!r}]", f"{value}[{k!r}]", i, namespace) for k, i in d.items}
    if d.kind == "tuple" and d.type not in (None, tuple):
        name = free_name(d.type.__name__, [n for n, v in namespace.items() if v is not d.type])
        namespace[name] = d.type
        return f"{name}({', '.join(parts.values())})"
    return sequence_text(d.kind, parts)


def finisher(d: Described):
    """`def finished(tangent, value)` for tangents of values like `d`; None where they are finished."""
    if not _is_finished_otherwise(d) or d.kind in ("num", "static", "opaque"):
        return None
    namespace: dict = {}
    text = finished_tangent_text("tangent", "value", d, namespace)
    return written_function("finished", f"def finished(tangent, value):\n    return {text}\n", namespace)


def tangent_copier(d: Described):
    """`def copied(tangent)`: a copy of the tangent of an argument like `d`, in the form of generated code."""
    namespace: dict = {}
    text = copy_text("tangent", _as_generated(d), namespace)
    return written_function("copied", f"def copied(tangent):\n    return {text}\n", namespace)


def _as_generated(d: Described) -> Described:
    """The description of a tangent in generated code: of an object, a dict by attribute."""
    if d.kind == "rows":
        return Described("rows", None, (_as_generated(d.items[0]),))
    if d.kind in ("list", "tuple", "dict", "object"):
        kind, cls = ("dict", dict) if d.kind in ("dict", "object") else (d.kind, None)
        return Described(kind, cls, tuple((k, _as_generated(i)) for k, i in d.items))
    return d if d.kind == "num" and d.type.kind in "fc" else Described("static", None)


def _is_finished_otherwise(d: Described) -> bool:
    if d.kind == "num":
        return d.type.kind not in "fc"
    if d.kind in ("static", "opaque", "object"):
        return True
    if d.kind == "rows":
        return _is_finished_otherwise(d.items[0])
    return d.kind == "tuple" and d.type not in (None, tuple) or any(_is_finished_otherwise(i) for _, i in d.items)


def _object_maker(d: Described):
    """`def tangent_of_P(tangent, value)`: an object of the class of the value that holds the tangents of its attributes."""
    namespace: dict = {}
    parts = {
        k: finished_tangent_text(f"tangent[{k!r}]", f"value.{k}", i, namespace) for k, i in d.items
    }
    return new_object("tangent", ("tangent", "value"), d, parts, namespace)


def dict_text(parts: dict) -> str:
    return f"{{{', '.join(f'{k!r}: {text}' for k, text in parts.items())}}}"


def sequence_text(kind: str, parts: dict) -> str:
    if kind == "dict":
        return dict_text(parts)
    inner = ", ".join(parts.values())
    return f"[{inner}]" if kind == "list" else f"({inner}{',' * (len(parts) == 1)})"


__all__ = [
    "dict_text",
    "finished_tangent_text",
    "finisher",
    "given_tangent",
    "sequence_text",
    "tangent_copier",
    "zero_tangent_text",
]
