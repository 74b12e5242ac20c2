"""Signatures: what the compiler specialises on. A description of an argument is hashable and holds no data.

Arrays are described by dtype and rank (never by length), Python integers and floats by their kind, strings, None, bools
and functions by their value, containers and objects by what they hold.

>>> import numpy as np
>>> describe(np.zeros(3)) == describe(np.zeros(500))
True
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import sys
import types
from dataclasses import dataclass

import numpy as np

from ..errors import NonDifferentiableInputError, UnsupportedSyntaxError
from ..ir.types import Num, type_of
from ..runtime.attributes import own_attributes, slots_of
from ..runtime.leaf import Leaf

_PLAIN = (int, float, complex)


@dataclass(frozen=True)
class Described:
    """kind: "num", "tuple", "list", "rows" (a list of like elements), "dict", "object", "static" or "opaque"."""

    kind: str
    type: object = None  # Num, or the class
    items: tuple = ()  # (key, Described) pairs, or one Described for "rows"
    value: object = None  # of "static"

    def __hash__(self):
        value = self.value
        try:
            return hash((self.kind, self.type, self.items, value))
        except TypeError:
            return hash((self.kind, self.type, self.items, id(value)))


@dataclass(frozen=True)
class Signature:
    """The types of one call: parameters by name (a star parameter holds a tuple, a double star a dict).

    wrt: paths of the active inputs: (parameter,) or (parameter, position or key). aliases: pairs of parameters that are
    one object. outputs: parameters whose final content is a result. constant: paths within inputs to what carries no
    derivative. auxiliary: the result is a pair, of which the second has no part in the derivative.
    checked: every adjoint is checked for NaN and inf.
    """

    parameters: tuple[tuple[str, Described], ...]
    wrt: tuple[tuple, ...]
    outputs: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    returns: bool = True
    constant: tuple[tuple, ...] = ()
    auxiliary: bool = False
    checked: bool = False


_SCALARS = {
    float: Described("num", type_of(1.0)),
    int: Described("num", type_of(1)),
    complex: Described("num", type_of(1j)),
}


def describe(value) -> Described:
    """The description of one argument. An object that holds itself is opaque where it comes round again."""
    simple = _SCALARS.get(type(value))
    if simple is not None:
        return simple
    return _describe(value, {}, set())


def _describe(value, known, inside) -> Described:
    """`known`: descriptions of containers and objects seen before, by id; `inside`: those that hold this value."""
    simple = _SCALARS.get(type(value))
    if simple is not None:
        return simple
    if isinstance(value, (tuple, list, dict)) and not isinstance(value, enum.Enum) or is_record(value):
        key = id(value)
        if key in inside or len(inside) > 40:
            return Described("opaque", type(value))
        if key not in known:
            known[key] = _describe_one(value, known, inside | {key})
        return known[key]
    return _describe_one(value, known, inside)


def _describe_one(value, known, inside) -> Described:
    if isinstance(value, (np.ma.MaskedArray, np.matrix)):
        raise UnsupportedSyntaxError(
            f"a {type(value).__name__} has operations of its own, which cannot be differentiated",
            hint="pass an ordinary array: np.asarray(x), or x.data and the mask beside it",
        )
    if isinstance(value, (np.ndarray, np.generic)):
        t = type_of(value)
        return Described("num", t) if isinstance(t, Num) else Described("opaque", type(value))
    if isinstance(value, Leaf):
        raise UnsupportedSyntaxError(
            "a leaf stands where its value is expected",
            hint="give leaves to f.record(...), as arguments or in what is passed as an argument; elsewhere use .value",
        )
    if value is None or isinstance(value, (bool, str, bytes, type, types.ModuleType, enum.Enum)):
        return Described("static", type(value), value=value)
    if isinstance(value, (tuple, list, dict)) and acts_its_own_way(type(value)):
        return Described("opaque", type(value))
    if isinstance(value, tuple):
        return Described(
            "tuple",
            type(value) if hasattr(value, "_fields") else None,
            tuple((k, _describe(v, known, inside)) for k, v in enumerate(value)),
        )
    if isinstance(value, list):
        items = [_describe(v, known, inside) for v in value]
        if items and all(i == items[0] for i in items) and items[0].kind in ("num", "rows"):
            return Described("rows", None, (items[0],))
        return Described("list", None, tuple(enumerate(items)))
    if isinstance(value, dict):
        return Described("dict", type(value), tuple((k, _describe(v, known, inside)) for k, v in value.items()))
    if callable(value) and not is_record(value):
        return Described("static", type(value), value=value)
    if is_record(value):
        return Described("object", type(value), tuple((k, _describe(v, known, inside)) for k, v in attributes(value)))
    return Described("opaque", type(value))


def told_apart(described: Described, value, path, constant) -> Described:
    """The description in which lists of like elements are told apart where only some are on the paths `constant`."""
    inside = [c for c in constant if len(c) > len(path) and c[: len(path)] == path]
    if not inside:
        return described
    if described.kind == "rows":
        items = tuple((k, told_apart(described.items[0], v, (*path, k), inside)) for k, v in enumerate(value))
        return Described("list", None, items)
    if described.kind not in ("tuple", "list", "dict", "object"):
        return described
    parts = dict(attributes(value)) if described.kind == "object" else value
    items = tuple((k, told_apart(d, parts[k], (*path, k), inside)) for k, d in described.items)
    return Described(described.kind, described.type, items)


_SAID_OF_ITSELF = {"__init__", "__new__", "__repr__", "__str__", "__doc__", "__hash__", "__module__", "__getnewargs__"}
_OF_SEQUENCES = {"__getitem__", "__iter__", "__len__", "__contains__", "__reversed__", "__getattribute__", "index", "count"}


@functools.cache
def acts_its_own_way(cls) -> bool:
    """Does a class derived from tuple, list or dict read or hold its elements in another way than these?

    Operators of a named tuple are followed; `defaultdict` and the like are those of the library.

    >>> class Doubled(list):
    ...     def __getitem__(self, k):
    ...         return 2 * list.__getitem__(self, k)
    >>> acts_its_own_way(Doubled), acts_its_own_way(list)
    (True, False)
    """
    base = next(b for b in (tuple, list, dict) if issubclass(cls, b))
    watched = _OF_SEQUENCES if base is tuple else set(dir(base)) - _SAID_OF_ITSELF
    derived = [c for c in cls.__mro__[: cls.__mro__.index(base)] if c.__module__.partition(".")[0] != "collections"]
    return any(isinstance(vars(c).get(name), types.FunctionType) for c in derived for name in watched)


def is_record(value) -> bool:
    if isinstance(value, enum.Enum):
        return False
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return True
    package = type(value).__module__.partition(".")[0]
    if package in sys.stdlib_module_names and package != "__main__" and not isinstance(value, types.SimpleNamespace):
        return False  # loggers, locks, random generators: nothing in them carries a derivative
    return (
        (hasattr(value, "__dict__") or slots_of(type(value)))
        and not isinstance(value, (types.FunctionType, types.MethodType, type, types.BuiltinFunctionType))
        and package not in ("numpy", "scipy", "numba", "adcompiler")
    )


def attributes(value) -> list[tuple[str, object]]:
    """Attributes of an object that a derivative may reach, in order."""
    if dataclasses.is_dataclass(value):
        return [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value) if hasattr(value, f.name)]
    return sorted(own_attributes(value).items())


def leaves(described: Described):
    """Every number in a description."""
    if described.kind == "num":
        yield described.type
    for item in described.items:
        yield from leaves(item[1] if isinstance(item, tuple) else item)


def is_differentiable(described: Described) -> bool:
    """True if it holds a float or a complex number."""
    return any(t.kind in "fc" for t in leaves(described))


def require_differentiable(described: Described, name: str, value, loc=None):
    """Raise NonDifferentiableInputError unless a gradient with respect to this argument makes sense."""
    if is_differentiable(described):
        return
    if described.kind in ("list", "dict", "tuple") and not list(leaves(described)):
        return
    what = described.kind if value is described else type(value).__name__
    if isinstance(value, np.ndarray):
        what = f"array of {value.dtype}"
    hint = "pass float(...) or use .astype(float)" if list(leaves(described)) else "choose other arguments with wrt="
    raise NonDifferentiableInputError(
        f"no gradient with respect to '{name}': it is of type {what}, not floating", loc, hint=hint
    )
