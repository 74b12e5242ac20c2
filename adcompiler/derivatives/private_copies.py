"""Copies of arguments, written out: what generated code changes is given to it in memory of its own.

    def grad_of_f(x, rows):
        assert apart(("rows",), rows)
        return f_gradient(x, [v.copy(order='K') for v in rows])[1]

A copy is written by the type of the argument, so that it is differentiated like any other code. It parts what is one
object; whether there is any such is tested when the code runs.
"""

from __future__ import annotations

import copy
import dataclasses
import types

import numpy as np

from ..calling import shared_part
from ..errors import UnsupportedSyntaxError
from ..frontend.signature import Described
from ..pytrees import leaves
from ..rules.registry import inactive
from .forms import identifier
from .written import free_name, written_function


def copy_text(text: str, d: Described, namespace: dict) -> str:
    """An expression for a copy of the value of `text`, which is described by `d`; what it calls goes to `namespace`.

    >>> from ..frontend.signature import describe
    >>> import numpy as np
    >>> copy_text("p", describe([np.ones(2), (1.0, np.ones(2))]), {})
    "[p[0].copy(order='K'), (p[1][0], p[1][1].copy(order='K'))]"
    """
    if d.kind == "num":
        if d.type.boxed is None:  # an array, or a number, which stays one
            return f"(+{text})"
        return f"{text}.copy(order='K')" if d.type.boxed else text  # the layout may decide what is a view
    if d.kind in ("list", "dict") and d.type not in (None, list, dict):
        raise UnsupportedSyntaxError(
            f"a {d.type.__name__} is changed by a function whose derivative is differentiated again",
            hint="pass a plain list or dict",
        )
    if d.kind == "rows":
        return f"[{copy_text('v', d.items[0], namespace)} for v in {text}]"
    if d.kind == "list":
        return f"[{', '.join(copy_text(f'{text}[{k!r}]', i, namespace) for k, i in d.items)}]"
    if d.kind == "dict":
        return f"{{{', '.join(f'{k!r}: ' + copy_text(f'{text}[{k!r}]', i, namespace) for k, i in d.items)}}}"
    if d.kind == "tuple":
        parts = [copy_text(f"{text}[{k}]", i, namespace) for k, i in d.items]
        if d.type is not None and d.type is not tuple:
            return f"{_known(d.type.__name__, d.type, namespace)}({', '.join(parts)})"
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    if d.kind == "object" and d.type is types.SimpleNamespace:
        parts = [f"{k}={copy_text(f'{text}.{k}', i, namespace)}" for k, i in d.items]
        return f"{_known('SimpleNamespace', d.type, namespace)}({', '.join(parts)})"
    if d.kind == "object" and d.type.__new__ is not object.__new__:
        raise UnsupportedSyntaxError(
            f"a {d.type.__name__}, whose class has a __new__ of its own, is changed by a function whose derivative is "
            "differentiated again",
            hint="build what is changed inside of the function",
        )
    if d.kind == "object":
        return f"{_known(f'copy_of_{d.type.__name__}', object_copier(d), namespace)}({text})"
    return f"{_known('deepcopy', copy.deepcopy, namespace)}({text})" if d.kind == "opaque" else text


def object_copier(d: Described):
    """`def copy_of_P(value)`: a new object of the class with copies of the attributes."""
    namespace: dict = {}
    return new_object("copy", ("value",), d, {k: copy_text(f"value.{k}", i, namespace) for k, i in d.items}, namespace)


def new_object(what: str, parameters, d: Described, parts: dict, namespace: dict):
    """`def copy_of_P(value)`: an object of the class `P` of `d` with the attributes `parts`, which are texts."""
    name = identifier(f"{what}_of_{d.type.__name__}", f"{what}_of_object")
    cls = _known(d.type.__name__ if d.type.__name__.isidentifier() else "cls", d.type, namespace)
    name = free_name(name, namespace)  # an attribute of the same class has a function of the same name
    if d.type is types.SimpleNamespace or _is_made_of_its_fields(d):
        lines = [f"    made = {cls}({', '.join(f'{k}={text}' for k, text in parts.items())})\n"]
    else:
        frozen = dataclasses.is_dataclass(d.type) and d.type.__dataclass_params__.frozen
        to = "    object.__setattr__(made, {0!r}, {1})\n" if frozen else "    made.{0} = {1}\n"
        lines = [f"    made = object.__new__({cls})\n", *[to.format(k, text) for k, text in parts.items()]]
    text = f"def {name}({', '.join(parameters)}):\n{''.join(lines)}    return made\n"
    return written_function(name, text, namespace)


def _is_made_of_its_fields(d: Described) -> bool:
    """Is it a dataclass whose generated `__init__` sets each of its attributes, and does nothing else?"""
    if not dataclasses.is_dataclass(d.type) or hasattr(d.type, "__post_init__"):
        return False
    plain = getattr(d.type.__init__, "__code__", None)
    return plain is not None and plain.co_filename == "<string>" and \
        {f.name for f in dataclasses.fields(d.type) if f.init} == {k for k, _ in d.items}


def _known(wanted, value, namespace) -> str:
    if namespace.get(wanted) is value:
        return wanted
    name = free_name(identifier(wanted, "function"), {*namespace, "made", "value", "tangent", "v", "t"})
    namespace[name] = value
    return name


def apart(names, *values) -> bool:
    """True; raises UnsupportedSyntaxError if one object stands at two places of the arguments, one of which is changed.

    >>> row = [1.0]
    >>> apart(("a", "b"), [row, row], 2.0)
    Traceback (most recent call last):
    adcompiler.errors.UnsupportedSyntaxError: a[0] and a[1] are one object, and the function whose derivative is taken changes what it is given
      hint: pass a copy at one of the two places
    """
    shared = shared_part(names, values)
    if shared is not None:
        raise UnsupportedSyntaxError(
            f"{shared}, and the function whose derivative is taken changes what it is given",
            hint="pass a copy at one of the two places",
        )
    return True


def copied_alike(names, *values) -> bool:
    """True; raises UnsupportedSyntaxError for an array that lies in memory with gaps, which its copy does not have.

    >>> copied_alike(("a",), np.zeros((4, 4)).T)
    True
    >>> copied_alike(("a",), np.zeros((4, 4))[::2, ::2])
    Traceback (most recent call last):
    adcompiler.errors.UnsupportedSyntaxError: 'a' is a view of part of an array; the function whose derivative is taken changes it,
      and what it does to views of it depends on this
      hint: pass a.copy()
    """
    for name, value in zip(names, values, strict=True):
        for _, leaf in leaves(value):
            if isinstance(leaf, np.ndarray) and leaf.size and leaf.copy(order="K").strides != leaf.strides:
                raise UnsupportedSyntaxError(
                    f"'{name}' is a view of part of an array; the function whose derivative is taken changes it, and what "
                    "it does to views of it depends on this",
                    hint=f"pass {name}.copy()",
                )
    return True


inactive(apart, copied_alike)

__all__ = ["apart", "copied_alike", "copy_text", "new_object", "object_copier"]
