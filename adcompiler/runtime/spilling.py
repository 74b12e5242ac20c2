"""States of a loop on disk, or in fewer bits: the arrays go to a file or are packed, everything else stays as it is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..checkpointing import SnapshotFile, SnapshotFolder
from .contents import Contents
from .packing import pack, unpack
from .sizes import nbytes


class Spilled:
    """What the names of a loop stand for, and the contents of memory, with their arrays elsewhere.

    store: takes the arrays (a tuple of two tuples), and gives what has a method `read` that gives them back. names: what
    they stand for. memory: contents that are put back into the very same objects; arrays among the names that share
    memory with one of those keep their place, as do the names at the positions `fixed`. What `store` made goes with this
    object. Raises SnapshotError where the disk fails.

    >>> u, total = np.arange(3.0), 1.5
    >>> spilled = Spilled(to_file(SnapshotFolder(), 4), (u, total), None)
    >>> spilled.names
    (None, 1.5)
    >>> spilled.load()
    ((array([0., 1., 2.]), 1.5), None)
    """

    __slots__ = ("file", "memory", "names", "nbytes", "places")

    def __init__(self, store: Callable, names: tuple, memory: Contents | None, fixed=()):
        found = [] if memory is None else memory.found
        stay = [value for value, *_ in found if isinstance(value, np.ndarray)]
        self.places = [
            i
            for i, value in enumerate(names)
            if i not in fixed and is_data(value) and not any(np.may_share_memory(value, other) for other in stay)
        ]
        held = [entry[1] for entry in found if is_data(entry[1])]
        self.file = store((tuple(names[i] for i in self.places), tuple(held)))
        self.names = tuple(None if i in self.places else value for i, value in enumerate(names))
        self.memory = None if memory is None else _with_arrays(memory, [None] * len(held))
        self.nbytes = nbytes(self.names) + (0 if memory is None else self.memory.nbytes)  # of what is in memory
        self.nbytes += getattr(self.file, "bytes_in_memory", 0)

    def load(self) -> tuple[tuple, Contents | None]:
        """The names and the contents of memory, the arrays read from the file."""
        arrays, held = self.file.read()
        names = list(self.names)
        for i, array in zip(self.places, arrays, strict=True):
            names[i] = array
        return tuple(names), None if self.memory is None else _with_arrays(self.memory, held)


def to_file(folder: SnapshotFolder, step: int) -> Callable:
    """A store on disk."""
    return lambda arrays: SnapshotFile(folder, step, arrays)


class PackedArrays:
    """A store in memory, of arrays in fewer bits (see `packing`)."""

    __slots__ = ("packed",)

    def __init__(self, arrays, format: str):
        self.packed = [[pack(a, format) if a.dtype.kind in "fc" else a.copy() for a in part] for part in arrays]

    def read(self):
        return tuple(tuple(unpack(a) for a in part) for part in self.packed)

    @property
    def bytes_in_memory(self) -> int:
        return sum(a.nbytes for part in self.packed for a in part)


def is_data(value) -> bool:
    """Is this a plain array of numbers?"""
    return type(value) is np.ndarray and not value.dtype.hasobject


def _with_arrays(memory, arrays):
    """The same contents, with these in the place of the copies of arrays (None marks such a place)."""
    made, arrays = object.__new__(Contents), iter(arrays)
    made.found = [
        (value, next(arrays) if held is None or is_data(held) else held, put_back)
        for value, held, put_back in memory.found
    ]
    return made
