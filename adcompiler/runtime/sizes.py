"""How many bytes values take."""

from __future__ import annotations

import sys

import numpy as np

from .attributes import own_attributes
from .shadows import is_object

_KNOWN = ("builtins", "numpy", "adcompiler")  # packages whose instances are no objects of the program


def nbytes(value, seen: set[int] | None = None) -> int:
    """The bytes of numbers and arrays, in containers, objects, and what has a method `kept` that lists what it holds.

    An array counts once, by its own size, however often it or other views of its memory occur; `seen` has the
    identities of memory that was counted before. Other objects count with their `nbytes`, if they have that.

    >>> a = np.zeros(10)
    >>> nbytes([a, a, a[1:], 2.0, 7, True])
    105
    """
    seen = set() if seen is None else seen
    total, waiting = 0, [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, (list, tuple)):
            waiting.extend(reversed(value))
        elif hasattr(type(value), "kept"):  # an object of the program may make up any attribute
            waiting.extend(value.kept())
        elif isinstance(value, dict) or _is_of_program(value):
            if id(value) not in seen:
                seen.add(id(value))
                held = value if isinstance(value, dict) else own_attributes(value)
                waiting.extend(reversed(list(held.values())))
        else:
            total += _of_leaf(value, seen)
    return total


def _is_of_program(value) -> bool:
    return type(value).__module__.partition(".")[0] not in _KNOWN and is_object(value)


def _of_leaf(value, seen) -> int:
    if isinstance(value, np.ndarray):
        root = value
        while isinstance(root.base, np.ndarray):
            root = root.base
        if id(root) in seen:
            return 0
        seen.add(id(root))
        return value.nbytes
    if isinstance(value, bool):
        return 1
    if isinstance(value, (float, int)) and not isinstance(value, np.generic):
        return 16 if isinstance(value, float) else 8
    if isinstance(value, str):
        return sys.getsizeof(value)
    return getattr(value, "nbytes", 0)
