"""Types as text: the grammar of `types=`, annotations of the user's program, and descriptions written out again.

    x=float64[:, :], n=int, w=float32, flag=True, p=(float64[:], int), q=[float, float], d={'a': float64[:]}

`float`, `int` and `complex` are Python numbers; a NumPy dtype alone is a NumPy scalar, with one `:` per axis an array.
A constant stands for itself: the code is specialised for it. Nothing here makes data.

>>> types = parse_types("x=float64[:, :], n=int, flag=True")
>>> [type_text(t) for t in types.values()]
['float64[:, :]', 'int', 'True']
"""

from __future__ import annotations

import ast
import dataclasses
import types as python_types
import typing

import numpy as np

from ..errors import UnsupportedSyntaxError
from ..frontend.signature import Described, describe
from ..ir.types import Num, type_of

_EXAMPLE = "for example types='x=float64[:, :], n=int, w=float32, flag=True, p=(float64[:], int)'"
_PYTHON = {float: 1.0, int: 1, complex: 1j}


def parse_types(text: str) -> dict[str, Described]:
    """The types of `types=`, by parameter. Raises UnsupportedSyntaxError for text outside the grammar."""
    try:
        call = ast.parse(f"_({text}\n)", mode="eval").body
    except SyntaxError:
        raise _malformed(text) from None
    if not isinstance(call, ast.Call) or call.args or any(k.arg is None for k in call.keywords):
        raise _malformed(text)
    return {k.arg: _written(k.value, text) for k in call.keywords}


def _malformed(text, part="") -> UnsupportedSyntaxError:
    where = f"{part!r} in " if part else ""
    return UnsupportedSyntaxError(f"types={text!r}: cannot read {where}this as types of parameters", hint=_EXAMPLE)


def _written(node: ast.expr, text: str) -> Described:
    if isinstance(node, ast.Constant):
        return describe(node.value)
    if isinstance(node, ast.Tuple):
        return Described("tuple", None, tuple((k, _written(e, text)) for k, e in enumerate(node.elts)))
    if isinstance(node, ast.List):
        items = [_written(e, text) for e in node.elts]
        if items and all(i == items[0] for i in items) and items[0].kind in ("num", "rows"):
            return Described("rows", None, (items[0],))
        return Described("list", None, tuple(enumerate(items)))
    if isinstance(node, ast.Dict) and all(isinstance(k, ast.Constant) for k in node.keys):
        return Described(
            "dict", dict, tuple((k.value, _written(v, text)) for k, v in zip(node.keys, node.values, strict=True))
        )
    found = from_annotation(ast.unparse(node), {})
    if found is None:
        if ast.unparse(node) == "bool":
            raise UnsupportedSyntaxError(
                f"types={text!r}: the code differs by the value of a bool",
                hint="write the value, for example flag=True",
            )
        raise _malformed(text, ast.unparse(node))
    return found


# -- annotations -------------------------------------------------------------------------------------------------------


def from_annotation(annotation, namespace: dict) -> Described | None:
    """The type that an annotation gives, or None if it decides nothing. Names in strings are looked up in `namespace`.

    An array of unknown rank has rank None.

    >>> type_text(from_annotation("float64[:]", {})), from_annotation("bool", {})
    ('float64[:]', None)
    """
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        try:
            node = ast.parse(annotation.strip(), mode="eval").body
        except SyntaxError:
            return None
        return _of_node(node, namespace)
    if annotation in (float, int, complex):
        return describe(_PYTHON[annotation])
    if annotation in (None, type(None)):
        return describe(None)
    if isinstance(annotation, type) and issubclass(annotation, np.generic):
        return _number(np.dtype(annotation), None)
    if annotation is np.ndarray:
        return _array(np.dtype(float))
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if hasattr(origin, "__value__"):  # an alias of the form `type NDArray[S] = ...`
        return from_annotation(origin.__value__[arguments], namespace)
    if origin is np.ndarray:
        inner = typing.get_args(arguments[-1])
        scalar = inner[0] if inner and isinstance(inner[0], type) else np.float64
        return (
            _array(np.dtype(scalar))
            if not getattr(scalar, "__abstractmethods__", None) and _concrete(scalar)
            else _array(np.dtype(float))
        )
    if origin is typing.Annotated:
        return from_annotation(arguments[0], namespace)
    if origin is list:
        item = from_annotation(arguments[0], namespace)
        return Described("rows", None, (item,)) if item is not None and item.kind in ("num", "rows") else None
    if origin is tuple:
        items = [from_annotation(a, namespace) for a in arguments]
        return (
            Described("tuple", None, tuple(enumerate(items)))
            if None not in items and Ellipsis not in arguments
            else None
        )
    if isinstance(annotation, type) and not isinstance(annotation, python_types.GenericAlias):
        return _of_class(annotation)
    return None


def _concrete(scalar) -> bool:
    try:
        return np.dtype(scalar).kind in "bifcu"
    except TypeError:
        return False


def _of_class(cls) -> Described | None:
    """A dataclass or named tuple whose fields are annotated; its annotations are read where it is defined."""
    import sys

    namespace = vars(sys.modules.get(cls.__module__, python_types.ModuleType("nowhere")))
    if dataclasses.is_dataclass(cls):
        fields = [(f.name, from_annotation(f.type, namespace)) for f in dataclasses.fields(cls)]
        return Described("object", cls, tuple(fields)) if all(t is not None for _, t in fields) else None
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        given = getattr(cls, "__annotations__", {})
        items = [from_annotation(given.get(f, ""), namespace) for f in cls._fields]
        return Described("tuple", cls, tuple(enumerate(items))) if None not in items else None
    return None


def _of_node(node: ast.expr, namespace: dict) -> Described | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return from_annotation(node.value, namespace)
    if isinstance(node, ast.Subscript):
        dtype = _dtype(_object(node.value, namespace))
        axes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if dtype is not None and all(
            isinstance(a, ast.Slice) and (a.lower, a.upper, a.step) == (None,) * 3 for a in axes
        ):
            return _number(dtype, len(axes))
    return (
        from_annotation(_object(node, namespace), namespace)
        if not isinstance(node, ast.Constant) or node.value is None
        else None
    )


def _object(node: ast.expr, namespace: dict):
    """The object that an annotation names; "" if it cannot be told without running code of the user's."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        if node.id in namespace:
            return namespace[node.id]
        return {
            "float": float,
            "int": int,
            "complex": complex,
            "bool": bool,
            "list": list,
            "tuple": tuple,
            "np": np,
        }.get(node.id, vars(np).get(node.id, "") if _dtype(vars(np).get(node.id)) is not None else "")
    if isinstance(node, ast.Attribute):
        return getattr(_object(node.value, namespace), node.attr, "")
    if isinstance(node, ast.Subscript):
        elements = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if any(isinstance(e, ast.Slice) for e in elements):
            return ""
        base, inner = _object(node.value, namespace), tuple(_object(e, namespace) for e in elements)
        try:
            return base[inner if len(inner) > 1 else inner[0]] if not isinstance(base, str) else ""
        except TypeError:
            return ""
    return ""


def _dtype(value) -> np.dtype | None:
    if value in (float, int, complex, bool):
        return np.dtype(value)
    if isinstance(value, type) and issubclass(value, np.generic) and _concrete(value):
        return np.dtype(value)
    return None


def _number(dtype: np.dtype, rank: int | None) -> Described:
    """A NumPy scalar (rank None) or an array."""
    if rank is None:
        return Described("num", type_of(dtype.type(0)))
    return Described("num", Num(dtype.kind.replace("u", "i"), dtype, rank, True, (None,) * rank))


def _array(dtype: np.dtype) -> Described:
    return Described("num", Num(dtype.kind.replace("u", "i"), dtype, None, True))


def array(dtype, rank: int) -> Described:
    """The description of an array; rank 0 of a float or int is a Python number.

    >>> type_text(array(float, 2)), type_text(array(float, 0))
    ('float64[:, :]', 'float')
    """
    return _number(np.dtype(dtype), rank) if rank else describe(_PYTHON[dtype])


# -- text --------------------------------------------------------------------------------------------------------------


def type_text(d: Described) -> str:
    """A description in the grammar of `types=`, as far as it has words for it."""
    if d.kind == "num":
        return _number_text(d.type)
    if d.kind == "static":
        return (
            repr(d.value)
            if d.value is None or isinstance(d.value, (bool, str, bytes))
            else getattr(d.value, "__qualname__", getattr(d.value, "__name__", type(d.value).__name__))
        )
    if d.kind == "tuple":
        parts = [type_text(item) for _, item in d.items]
        if d.type is not None:
            return f"{d.type.__name__}({', '.join(f'{f}={p}' for f, p in zip(d.type._fields, parts, strict=True))})"
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    if d.kind == "rows":
        return f"[{type_text(d.items[0])}, ...]"
    if d.kind == "list":
        return f"[{', '.join(type_text(item) for _, item in d.items)}]"
    if d.kind == "dict":
        return "{" + ", ".join(f"{key!r}: {type_text(item)}" for key, item in d.items) + "}"
    if d.kind == "object":
        return f"{d.type.__name__}({', '.join(f'{key}={type_text(item)}' for key, item in d.items)})"
    return getattr(d.type, "__name__", "object")


def _number_text(t: Num) -> str:
    if t.is_python:
        return {"f": "float", "i": "int", "c": "complex", "b": "bool"}[t.kind]
    if not t.boxed:
        return t.dtype.name
    return f"{t.dtype.name}[{', '.join(':' * t.rank) if t.rank else '()'}]"
