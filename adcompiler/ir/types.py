"""Types of values, as far as the compiler must know them: kind, dtype, rank and symbolic extents; containers.

A type says what the compiler may rely on; `None` in a field means that only the running program knows. Joining the
types of two paths keeps what both agree on:

>>> join(Num("f", None, 0, False), Num("f", np.dtype(float), 1, True)).rank is None
True
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from types import ModuleType

import numpy as np


class Type:
    """Base of all types."""

    __slots__ = ()


@dataclass(frozen=True)
class Num(Type):
    """A number or an array of numbers.

    kind: "b", "i", "f", "c", or "?" if unknown. dtype: of arrays and NumPy scalars; None for Python numbers or unknown.
    rank: number of axes, or None. boxed: True for ndarray, False for scalars, None if either.
    dims: a token per axis; equal tokens are equal extents, None is an unknown extent.
    """

    kind: str
    dtype: np.dtype | None = None
    rank: int | None = None
    boxed: bool | None = None
    dims: tuple | None = None

    def __eq__(self, other):
        """Equal in every field; NumPy takes None for float64 where it compares dtypes, and here it means unknown."""
        if self is other:
            return True
        if type(other) is not Num:
            return NotImplemented
        return (
            self.kind == other.kind
            and same_dtype(self.dtype, other.dtype)
            and self.rank == other.rank
            and self.boxed is other.boxed
            and self.dims == other.dims
        )

    @property
    def is_scalar(self) -> bool:
        return self.boxed is False

    @property
    def is_array(self) -> bool:
        return self.boxed is True

    @property
    def is_python(self) -> bool:
        return self.boxed is False and self.dtype is None


@dataclass(frozen=True)
class Tup(Type):
    """A tuple of known length; `cls` is the class of a namedtuple, else None."""

    items: tuple[Type, ...]
    cls: type | None = None


@dataclass(frozen=True)
class Ref(Type):
    """A list, dict or object, by the place that made it; what it holds is kept in the heap summary of that place."""

    kind: str  # "list", "dict", "object"
    site: object  # hashable id of the allocation


@dataclass(frozen=True)
class Static(Type):
    """A value known at compile time that carries no number: a function, module, class, string or None."""


@dataclass(frozen=True)
class Opaque(Type):
    """A value about which nothing is known. If it carries a derivative, it is a number unless it `may_hold` several."""

    may_hold: bool = False  # on one path it is a tuple or a container


@dataclass(frozen=True)
class Undefined(Type):
    """No value yet on this path."""


FLOAT = Num("f", None, 0, False, ())
INT = Num("i", None, 0, False, ())
BOOL = Num("b", None, 0, False, ())
COMPLEX = Num("c", None, 0, False, ())
NUMBER = Num("?")
STATIC = Static()
OPAQUE = Opaque()
UNDEFINED = Undefined()
_ORDER = "bifc"


def same_dtype(a: np.dtype | None, b: np.dtype | None) -> bool:
    """Are two dtypes known to be the same, or both unknown?

    >>> np.dtype(float) == None, same_dtype(np.dtype(float), None)
    (True, False)
    """
    return a is b or a is not None and b is not None and a == b


def type_of(value) -> Type:
    """The type of a number, array or tuple of them; `Opaque` for anything else.

    >>> type_of(np.ones((2, 3))).rank
    2
    """
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT
    if isinstance(value, np.generic):
        return (
            Num(value.dtype.kind.replace("u", "i"), value.dtype, 0, False, ())
            if value.dtype.kind in "biufc"
            else OPAQUE
        )
    if isinstance(value, float):
        return FLOAT
    if isinstance(value, complex):
        return COMPLEX
    if isinstance(value, np.ndarray):
        kind = value.dtype.kind.replace("u", "i")
        return Num(kind, value.dtype, value.ndim, True, (None,) * value.ndim) if kind in "bifc" else OPAQUE
    if isinstance(value, tuple):
        return Tup(tuple(type_of(v) for v in value), type(value) if hasattr(value, "_fields") else None)
    if value is None or isinstance(value, (str, bytes, type, ModuleType)) or callable(value):
        return STATIC
    return OPAQUE


def join(a: Type, b: Type) -> Type:
    """The type of a value that comes from either of two paths."""
    if a == b:
        return a
    if isinstance(a, Undefined):
        return b
    if isinstance(b, Undefined):
        return a
    if isinstance(a, Num) and isinstance(b, Num):
        kind = a.kind if a.kind == b.kind else "?" if "?" in a.kind + b.kind else max(a.kind, b.kind, key=_ORDER.index)
        rank = a.rank if a.rank == b.rank else None
        dims = None
        if rank is not None and a.dims is not None and b.dims is not None:
            dims = tuple(p if p == q else None for p, q in zip(a.dims, b.dims, strict=True))
        same = a.kind == b.kind and same_dtype(a.dtype, b.dtype)
        return Num(kind, a.dtype if same else None, rank, a.boxed if a.boxed == b.boxed else None, dims)
    if isinstance(a, Tup) and isinstance(b, Tup) and len(a.items) == len(b.items) and a.cls == b.cls:
        return Tup(tuple(join(p, q) for p, q in zip(a.items, b.items, strict=True)), a.cls)
    return Opaque(any(isinstance(t, (Tup, Ref)) or isinstance(t, Opaque) and t.may_hold for t in (a, b)))


def join_all(types) -> Type:
    """The join of any number of types; `Undefined` for none."""
    return reduce(join, types, UNDEFINED)


def carries_derivative(t: Type) -> bool:
    """True if a value of this type may depend on an active input in a differentiable way."""
    if isinstance(t, Num):
        return t.kind in "fc?"
    if isinstance(t, Tup):
        return any(carries_derivative(i) for i in t.items)
    return isinstance(t, Ref)


def broadcast_dims(types) -> tuple | None:
    """Extents of the elementwise result of operands of these types, or None if a rank is unknown."""
    if any(t.rank is None for t in types):
        return None
    rank = max((t.rank for t in types), default=0)
    out = []
    for axis in range(rank):
        tokens = set()
        for t in types:
            at = axis - (rank - t.rank)
            if at >= 0:
                token = t.dims[at] if t.dims is not None else None
                tokens.add(token)
        tokens.discard(1) if len(tokens) > 1 else None
        out.append(tokens.pop() if len(tokens) == 1 else None)
    return tuple(out)


def without_dims(t: Type) -> Type:
    return replace(t, dims=(None,) * t.rank if t.rank is not None else None) if isinstance(t, Num) else t


__all__ = [
    "Type",
    "Num",
    "Tup",
    "Ref",
    "Static",
    "Opaque",
    "Undefined",
    "FLOAT",
    "INT",
    "BOOL",
    "COMPLEX",
    "NUMBER",
    "STATIC",
    "OPAQUE",
    "UNDEFINED",
    "same_dtype",
    "type_of",
    "join",
    "join_all",
    "carries_derivative",
    "broadcast_dims",
    "without_dims",
]
