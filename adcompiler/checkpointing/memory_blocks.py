"""The memory that the arrays of a program's state lie on: who shares it with whom, and how they lie on it.

In a state that is put back, two views of one array must again be views of one array: what a step writes through one it
reads through the other. And an array must lie as it did, since NumPy may round otherwise where it runs over other
strides.
"""

from __future__ import annotations

import ctypes
import types
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.lib.array_utils import byte_bounds

_OPAQUE = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)


def _is_plain(array):
    return type(array) is np.ndarray and not array.dtype.hasobject


def arrays_in(state) -> list[np.ndarray]:
    """All arrays in nested tuples, lists, dicts and attributes, each once."""
    found: dict[int, np.ndarray] = {}
    seen: set[int] = set()
    waiting = [state]
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, np.ndarray):
            found[id(value)] = value
        elif isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, (list, tuple, set, frozenset)):
            waiting.extend(value)
        elif not isinstance(value, _OPAQUE):
            waiting.extend(getattr(value, "__dict__", {}).values())
            for slot in _slots(type(value)):
                if hasattr(value, slot):
                    waiting.append(getattr(value, slot))
    return list(found.values())


def _slots(kind):
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        yield from (slots,) if isinstance(slots, str) else slots


class View(NamedTuple):
    """An array as a window on a block of memory."""

    block: int
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype
    writeable: bool

    def on(self, memory: Sequence[np.ndarray]) -> np.ndarray:
        """The same window on other memory."""
        array = np.ndarray(self.shape, self.dtype, memory[self.block], self.offset, self.strides)
        array.flags.writeable = self.writeable
        return array


def shared_blocks(arrays: list[np.ndarray]) -> tuple[list[np.ndarray], dict[int, View]]:
    """The memory of those arrays that are more than a block of their own, and each of them as a view on it, by its id.

    These are arrays that overlap others, and those whose elements do not lie side by side. The blocks are the program's
    own memory, and to be copied at once. Raises TypeError for arrays of objects, or of subclasses, that overlap others.
    """
    spans = sorted(((*byte_bounds(array), array) for array in arrays if array.size), key=lambda span: span[:2])
    groups: list[tuple[int, int, list[np.ndarray]]] = []
    for low, high, array in spans:
        if groups and low < groups[-1][1]:
            start, stop, members = groups.pop()
            groups.append((start, max(stop, high), [*members, array]))
        else:
            groups.append((low, high, [array]))
    blocks, views = [], {}
    for low, high, members in groups:
        if len(members) == 1 and (members[0].flags.forc or not _is_plain(members[0])):
            continue
        for array in members:
            if not _is_plain(array):
                kind = f"an array of {array.dtype}" if type(array) is np.ndarray else f"a {type(array).__name__}"
                raise TypeError(f"{kind} that shares memory with another array cannot be stored with it")
            place = array.__array_interface__["data"][0] - low
            writeable = array.flags.writeable
            views[id(array)] = View(len(blocks), place, array.shape, array.strides, array.dtype, writeable)
        blocks.append(np.frombuffer((ctypes.c_ubyte * (high - low)).from_address(low), np.uint8))
    return blocks, views


def nbytes(state) -> int:
    """Bytes of the arrays in a state, and of its numbers; arrays that share memory count once.

    >>> u = np.zeros(4)
    >>> nbytes((u, u[1:], 2.0, [np.zeros(2)]))
    56
    """
    spans = sorted(byte_bounds(array) for array in arrays_in(state) if array.size)
    total, reached = 0, 0
    for low, high in spans:
        total += max(0, high - max(low, reached))
        reached = max(reached, high)
    return total + sum(8 for value in state if isinstance(value, (int, float, np.generic)))
