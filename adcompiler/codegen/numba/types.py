"""Types of values in code for Numba: one per name, with what the loops need to know.

Extents are compared through tokens: an integer, `(origin, offset)` for an extent of known origin plus a constant, or
None. Equal tokens are equal extents. `roots` name the memory an array may live in; arrays without a common root do not
overlap.

>>> join(FLOAT, Scalar(np.dtype(float), weak=False)).weak is None
True
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np


class Type:
    """Base of the types."""


@dataclass(frozen=True)
class Scalar(Type):
    """A number. weak: a Python number (True), one with a dtype (False), either (None), which decides promotion.

    low: a bound from below of an integer, or None; token: the extent that an integer stands for, or None.
    high: the token of an extent that an integer is less than, or None.
    size: 1 for an integer that is taken to stay below 2**31 (an index, an extent), 2 for one below 2**62, or None.
    boxes: the calls whose result it may be that give NumPy an array without axes, which all of its names share.
    """

    dtype: np.dtype
    weak: bool | None = True
    low: int | None = None
    token: object = None
    size: int | None = None
    high: object = None
    boxes: frozenset = frozenset()

    @property
    def kind(self) -> str:
        return self.dtype.kind


@dataclass(frozen=True)
class Array(Type):
    """An array: dtype, rank, an extent token per axis, and the memory it may live in."""

    dtype: np.dtype
    rank: int
    dims: tuple = ()
    roots: frozenset = frozenset()

    @property
    def kind(self) -> str:
        return self.dtype.kind


@dataclass(frozen=True)
class Items(Type):
    """A tuple."""

    items: tuple


@dataclass(frozen=True)
class Held(Items):
    """The contents of memory: arrays, each followed by a copy of it."""


@dataclass(frozen=True)
class Named(Items):
    """A named tuple."""

    cls: type = None


@dataclass(frozen=True)
class Gradient(Items):
    """The gradient of an argument that is a record: its parts, which the caller's side puts together."""

    argument: str = ""
    keys: tuple = ()


@dataclass(frozen=True)
class Record(Type):
    """An object, dict or list whose parts are variables; site: where it was made."""

    site: tuple


@dataclass(frozen=True)
class Steps(Type):
    """A checkpointed loop, by its name."""

    steps: str


@dataclass(frozen=True)
class Trips(Type):
    """The trips of the action at hand of a checkpointed loop."""

    steps: str


@dataclass(frozen=True)
class Word(Type):
    """The action at hand of a checkpointed loop: the names of its rows and of the number of the row."""

    rows: str
    row: str


@dataclass(frozen=True)
class Listed(Type):
    """A list of values of one type that the program appends to or reads; sites: where it may have been made."""

    element: Type | None
    sites: frozenset = frozenset()


@dataclass(frozen=True)
class Stack(Type):
    """A list of the tape: what is pushed last is taken off first."""

    site: str
    element: Type | None = None


@dataclass(frozen=True)
class Known(Type):
    """A value known when compiling: a function, module, string, dtype or None."""

    value: object

    def __hash__(self):
        return hash(id(self.value))

    def __eq__(self, other):
        if not isinstance(other, Known):
            return NotImplemented
        return self.value is other.value or type(self.value) is type(other.value) and isinstance(
            self.value, (str, int, float, bool, slice, np.dtype)
        ) and self.value == other.value


@dataclass(frozen=True)
class Object(Type):
    """A Python object into which compiled code does not look: a random generator, a text; cls: its class, if that is known."""

    cls: type | None = None


def is_known_tuple(t) -> bool:
    """Is this the type of a list of keys, which are known when compiling?"""
    return isinstance(t, Items) and bool(t.items) and all(isinstance(i, Known) for i in t.items)


class Missing(Type):
    """No value on some path."""


class Mixed(Type):
    """Values that no one type covers."""


MISSING, MIXED = Missing(), Mixed()
FLOAT = Scalar(np.dtype(float))
INT = Scalar(np.dtype(np.int64))
BOOL = Scalar(np.dtype(bool))
COMPLEX = Scalar(np.dtype(complex))
NONE = Known(None)
NO_SHAPE = Known("no shape")  # that of a name which is None, before the walk has seen what it is later
_ORDER = "bifc"


def scalar_of(dtype, weak=False, low=None, token=None) -> Scalar:
    return Scalar(np.dtype(dtype), weak, low, token)


def join(a: Type, b: Type) -> Type:
    """The type of a value that comes from either of two paths; `MIXED` where no one type fits."""
    if a == b:
        return a
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return _join_scalars(a, b)
    if isinstance(a, Array) and isinstance(b, Array):
        if a.dtype != b.dtype or a.rank != b.rank:
            return MIXED
        dims = tuple(p if p == q else None for p, q in zip(a.dims, b.dims, strict=True))
        return Array(a.dtype, a.rank, dims, a.roots | b.roots)
    if isinstance(a, Items) and type(a) is type(b) and len(a.items) == len(b.items):
        items = tuple(join(p, q) for p, q in zip(a.items, b.items, strict=True))
        unlike = MIXED in items or getattr(a, "cls", None) is not getattr(b, "cls", None)
        unlike |= getattr(a, "names", None) != getattr(b, "names", None)
        return MIXED if unlike else replace(a, items=items)
    if isinstance(a, Listed) and isinstance(b, Listed):
        sites = a.sites | b.sites
        if a.element is None or b.element is None:
            return Listed(a.element or b.element, sites)
        element = join(a.element, b.element)
        return MIXED if element is MIXED else Listed(element, sites)
    if isinstance(a, Object) and isinstance(b, Object):
        return Object()
    return MIXED


def _join_scalars(a: Scalar, b: Scalar) -> Type:
    weak = a.weak if a.weak == b.weak else None
    low = min(a.low, b.low) if a.low is not None and b.low is not None else None
    token = a.token if a.token == b.token else None
    size = max(a.size, b.size) if a.size is not None and b.size is not None else None
    high = a.high if a.high == b.high else None
    if a.dtype == b.dtype:
        return Scalar(a.dtype, weak, low, token, size, high, a.boxes | b.boxes)
    # Of a Python int and a float, as in `s = 0` before a loop that adds floats, the float is the type.
    kinds = {a.kind, b.kind}
    if kinds <= {"i", "f"} and np.dtype(np.float64) in (a.dtype, b.dtype) and _is_python_int(a, b):
        return Scalar(np.dtype(float), weak, boxes=a.boxes | b.boxes)
    if kinds <= {"i", "f", "c"} and np.dtype(complex) in (a.dtype, b.dtype) and _is_double(a) and _is_double(b):
        return Scalar(np.dtype(complex), weak, boxes=a.boxes | b.boxes)
    return MIXED


def _is_python_int(a, b) -> bool:
    whole = a if a.kind == "i" else b
    return whole.weak is True


def _is_double(t: Scalar) -> bool:
    return t.dtype in (np.dtype(float), np.dtype(complex)) or t.kind == "i" and t.weak is True


def forget(t: Type, is_gone) -> Type:
    """The type without the extent tokens whose origin is gone: they mean something else in the next trip of a loop."""
    if isinstance(t, Array):
        return replace(t, dims=tuple(None if _is_gone(d, is_gone) else d for d in t.dims))
    if isinstance(t, Scalar):
        t = replace(t, token=None) if _is_gone(t.token, is_gone) else t
        return replace(t, high=None) if _is_gone(t.high, is_gone) else t
    if isinstance(t, Items):
        return replace(t, items=tuple(forget(i, is_gone) for i in t.items))
    if isinstance(t, Listed) and t.element is not None:
        return replace(t, element=forget(t.element, is_gone))
    return t


def _is_gone(token, is_gone) -> bool:
    return isinstance(token, tuple) and is_gone(token[0])


def plus(token, offset: int):
    """The token of an extent that is longer by a constant."""
    if token is None:
        return None
    if isinstance(token, int):
        return token + offset
    return (token[0], token[1] + offset)


def plain(t: Type) -> Type:
    """The type without extents, bounds and memory: what Numba sees."""
    if isinstance(t, Scalar):
        return Scalar(t.dtype, None)
    if isinstance(t, Array):
        return Array(t.dtype, t.rank)
    if isinstance(t, Items):
        return replace(t, items=tuple(map(plain, t.items)))
    if isinstance(t, Listed):
        return Listed(None if t.element is None else plain(t.element))
    return t


def described(t: Type) -> str:
    """A type in the words of an error message."""
    if isinstance(t, Scalar):
        return {"b": "a bool", "i": "an integer", "u": "an integer", "f": "a float", "c": "a complex number"}[t.kind]
    if isinstance(t, Array):
        return f"an array of {t.dtype} of rank {t.rank}"
    if isinstance(t, Items):
        return "a tuple"
    if isinstance(t, (Listed, Stack)):
        return "a list"
    if isinstance(t, Record):
        return "an object or a dict"
    if isinstance(t, Object):
        return "a Python object" if t.cls is None else f"a Python object ({t.cls.__name__})"
    if isinstance(t, Known):
        return "None" if t.value is None else f"{t.value!r}"
    return "a value of several types"
