"""Between the two sweeps the caller's code runs: it must not reach the tape through memory that both know.

What a program returns is given apart from the tape: the caller may change it. An array among the arguments that lies on
the tape by reference is told by a checksum, and a change of it is an error when the tape is swept back.
"""

from __future__ import annotations

import types
import zlib

import numpy as np
from numpy.lib.array_utils import byte_bounds

from .errors import TapeMismatchError
from .pytrees import leaves, parts_of, written
from .runtime.finish import kept_apart
from .runtime.leaf import Leaf
from .runtime.tape import Tape

_NUMBERS = (float, int, bool, np.float64)


class Unchanged:
    """What the arrays among the arguments, and those that the program reads from outside, held after the forward run.

    arrays: (name of the parameter, path within, array or leaf). memory: that of what was kept. sweep: the function that
    will read it.
    """

    def __init__(self, arrays, memory, compiled, sweep="adjoint"):
        code = compiled.functions[sweep].__code__
        names = code.co_names if code.co_filename.startswith("<adcompiler") else compiled.namespace  # else Numba's
        self.known = []
        for name, path, part in (*arrays, *_arrays_from_outside(compiled.namespace)):
            value = part.value if isinstance(part, Leaf) else part
            if isinstance(value, np.ndarray):
                is_outside = compiled.namespace.get(name) is value and name in names
                used = is_outside or value in memory
                self.known.append((name, path, isinstance(part, Leaf), value, used, _checksum(value)))

    def check(self, *, everything=False):
        """Raise TapeMismatchError if an array that is used has changed; `everything`: if any has, as the program runs again."""
        for name, path, is_leaf, value, used, known in self.known:
            if (used or everything) and _checksum(value) != known:
                raise TapeMismatchError(
                    f"the {'leaf' if is_leaf else 'array'} '{name}{written(path)}' was changed in place after the run "
                    "that is swept back now",
                    hint=(
                        "call backward() before the update, or record again after it"
                        if is_leaf
                        else "sweep back before the change, or let the run have a copy"
                    ),
                )


def arrays_read(names, values, compiled):
    """The arrays and leaves among arguments that the program only reads: the parameter, the path within, and itself.

    Of those that it changes the tape holds nothing but copies, as a second call changes them again.
    """
    for k, (name, value) in enumerate(zip(names, values, strict=True)):
        if k not in compiled.mutated:
            for path, part in leaves(value):
                if isinstance(part, (Leaf, np.ndarray)):
                    yield name, path, part


def _arrays_from_outside(namespace):
    for name, value in namespace.items():
        if name.startswith("__") or type(value) is list and value and type(value[0]) in _NUMBERS:
            continue
        if isinstance(value, (types.ModuleType, type)) or callable(value):
            continue
        if isinstance(value, np.ndarray) or parts_of(value) is not None:
            for path, part in leaves(value):
                yield name, path, part


def apart_from_tape(value, memory, arguments):
    """A result whose arrays lie in no memory of the tape, so that the caller may change it; itself if it does not.

    memory: that of what is kept. Memory of the arguments is the caller's: a result that lies in it stays as it is.

    >>> y = np.ones(2)
    >>> given = apart_from_tape(y, Memory((y,)), ())
    >>> given is y, given
    (False, array([1., 1.]))
    """
    if type(value) in _NUMBERS:
        return value
    arrays = [part for _, part in leaves(value) if isinstance(part, np.ndarray)]
    if not any(a in memory for a in arrays):
        return value
    given = Memory([p for a in arguments for _, p in leaves(a) if isinstance(p, np.ndarray)])
    if any(a in given for a in arrays):
        return value
    if {id(c) for c in _containers(value)} & {id(c) for a in arguments for c in _containers(a)}:
        return value
    return kept_apart((value,))[0]


def _containers(tree):
    """The lists, dicts and objects of a structure."""
    parts = parts_of(tree)
    if parts is None:
        return
    if not isinstance(tree, tuple):
        yield tree
    for _, part in parts:
        yield from _containers(part)


class Memory:
    """The memory that arrays on a tape lie in; all memory, if not everything on the tape can be told.

    >>> y = np.arange(4.0)
    >>> y[:2] in Memory(([y[2:]], None)), y.copy() in Memory((y,))
    (True, False)
    """

    def __init__(self, kept):
        self.is_known, self.roots, waiting = True, {}, [kept]
        while waiting:  # tapes of recursive calls may be nested deeper than Python's own stack
            kept = waiting.pop()
            if isinstance(kept, np.ndarray) and kept.dtype != object:
                root = _root_of(kept)
                self.roots[id(root)] = root
            elif isinstance(kept, Tape):
                waiting.extend(kept.values or ())
            elif type(kept) in (list, tuple):
                if not (type(kept) is list and kept and type(kept[0]) in _NUMBERS):  # a site holds values of one type
                    waiting.extend(kept)
            elif not (kept is None or isinstance(kept, (*_NUMBERS, complex, str, bytes, np.generic, range, slice))):
                self.is_known = False
        self.is_foreign = any(root.base is not None for root in self.roots.values())

    def __contains__(self, array) -> bool:
        """Does the array lie in it? Code of Numba makes several objects for one piece of memory, told by its address."""
        root = _root_of(array)
        if not self.is_known or id(root) in self.roots:
            return True
        if not self.roots or not self.is_foreign and root.base is None:
            return False
        start, end = byte_bounds(root)
        return any(start < e and s < end for s, e in map(byte_bounds, self.roots.values()))


def _root_of(array):
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _checksum(array):
    """A number that a change of the content changes."""
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.dtype == object:
        return tuple(map(id, flat.tolist()))
    return zlib.crc32(flat.view(np.uint8).data) if flat.size else 0


__all__ = ["Memory", "Unchanged", "apart_from_tape", "arrays_read"]
