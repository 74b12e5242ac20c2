"""Snapshots on disk: each is a file, in a directory that goes when nobody holds a snapshot any more.

A file is checked when it is read: one that was removed, cut off or changed is an error, and never a wrong gradient.
Layout of a file: a line with the format, the lengths of its parts, the parts (a pickle, then the memory of the
arrays), and a checksum of all that.
"""

from __future__ import annotations

import os
import pickle
import shutil
import struct
import tempfile
import weakref
import zlib
from io import BytesIO

import numpy as np

from ..errors import SnapshotError
from .memory_blocks import View, arrays_in, nbytes, shared_blocks

_MAGIC = b"adcompiler snapshot 1\n"


class SnapshotFolder:
    """A new directory for snapshots inside `inside` (default: where temporary files go).

    It is removed, with all that is in it, when it and its files are no longer used: also after an error, and at the
    end of the program. Raises SnapshotError if it cannot be made.
    """

    def __init__(self, inside: str | os.PathLike | None = None):
        try:
            self.path = tempfile.mkdtemp(prefix=f"adcompiler-{os.getpid()}-", dir=inside)
        except OSError as error:
            raise SnapshotError(
                f"no directory for snapshots could be made in '{os.fspath(inside or tempfile.gettempdir())}': "
                f"{error.strerror}",
                hint="name an existing directory that you may write to",
            ) from error
        self.written = 0
        self._remove = weakref.finalize(self, _remove_if_owned, shutil.rmtree, os.getpid(), self.path)

    def new_name(self, step):
        """A path that no file bears: an earlier one of the same step may still be in use."""
        self.written += 1
        path = os.path.join(self.path, f"step-{step}.snapshot")
        return f"{path}-{self.written}" if os.path.exists(path) else path


class SnapshotFile:
    """A state, written to a file that is removed with this object. Raises SnapshotError where the disk fails.

    >>> folder = SnapshotFolder()
    >>> u = np.zeros(3)
    >>> file = SnapshotFile(folder, 7, (u, u[1:], 1.5))
    >>> u, v, x = file.read()
    >>> v[0] = 5.0
    >>> u, x
    (array([0., 5., 0.]), 1.5)
    >>> os.listdir(folder.path)
    ['step-7.snapshot']
    >>> del file
    >>> os.listdir(folder.path)
    []
    """

    def __init__(self, folder: SnapshotFolder, step: int, state: tuple):
        self.folder, self.step, self.path = folder, step, folder.new_name(step)
        self.nbytes = self._checksum = 0
        self._remove = weakref.finalize(self, _remove_if_owned, os.remove, os.getpid(), self.path)
        self._write(state)

    def _write(self, state):
        try:
            parts = _encoded(state)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise SnapshotError(
                f"the state before step {self.step} cannot be written to disk: {error}",
                hint="keep the snapshots of this loop in memory",
            ) from error
        head = _MAGIC + struct.pack("<Q", len(parts)) + struct.pack(f"<{len(parts)}Q", *map(len, parts))
        checksum = 0
        try:
            with open(self.path, "wb") as file:
                for part in (head, *parts):
                    file.write(part)
                    checksum = zlib.crc32(part, checksum)
                file.write(struct.pack("<I", checksum))
        except OSError as error:
            self._remove()
            raise SnapshotError(
                f"the state before step {self.step}, {nbytes(state)} bytes, could not be written to '{self.path}': "
                f"{error.strerror}",
                hint="make room there, name another directory, or keep fewer snapshots on disk",
            ) from error
        self.nbytes, self._checksum = sum(map(len, parts)), checksum

    def read(self) -> tuple:
        """The state, in memory of its own; arrays that shared memory share it again."""
        try:
            with open(self.path, "rb") as file:
                content = _checked(file, self._checksum)
        except OSError as error:
            raise self._error(f"cannot be read: {error.strerror}") from error
        if content is None:
            raise self._error("is not the file that was written")
        return _decoded(content)

    def _error(self, what):
        return SnapshotError(
            f"the state before step {self.step} in '{self.path}' {what}",
            hint="leave the directory of the snapshots alone until the gradient is there; run the gradient again",
        )


def _remove_if_owned(remove, process, path):
    """Remove a file or a directory, unless this is a forked child of the process that made it."""
    if os.getpid() == process:
        try:
            remove(path)
        except OSError:
            pass  # it is gone already


def _checked(file, checksum):
    """The parts of a file; None if it is not as it was written."""
    head = file.read(len(_MAGIC) + 8)
    left = os.fstat(file.fileno()).st_size - len(head) - 4
    if len(head) < len(_MAGIC) + 8 or not head.startswith(_MAGIC):
        return None
    (number,) = struct.unpack("<Q", head[len(_MAGIC) :])
    if number * 8 > left:
        return None
    lengths = file.read(number * 8)
    sizes = struct.unpack(f"<{number}Q", lengths)
    if sum(sizes) != left - number * 8:
        return None
    found = zlib.crc32(lengths, zlib.crc32(head))
    parts = []
    for size in sizes:
        part = bytearray(size)  # arrays that lie on it can be written to
        if file.readinto(part) != size:
            return None
        found = zlib.crc32(part, found)
        parts.append(part)
    return parts if found == checksum and file.read(4) == struct.pack("<I", found) else None


class _Pickler(pickle.Pickler):
    """Arrays that are views on a block of memory go as that block, once, and their place on it."""

    blocks: list[np.ndarray]
    views: dict[int, View]

    def persistent_id(self, value):
        view = self.views.get(id(value)) if isinstance(value, np.ndarray) else None
        return None if view is None else (self.blocks[view.block], tuple(view._replace(block=0)))


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, key):
        memory, view = key
        return View(*view).on([memory])


def _encoded(state) -> list:
    """A pickle, then the memory that its arrays lie on."""
    file, buffers = BytesIO(), []
    pickler = _Pickler(file, protocol=5, buffer_callback=lambda buffer: buffers.append(buffer.raw()))
    pickler.blocks, pickler.views = shared_blocks(arrays_in(state))
    pickler.dump(state)
    return [file.getvalue(), *buffers]


def _decoded(parts):
    """The state; arrays that shared memory share it again."""
    return _Unpickler(BytesIO(parts[0]), buffers=parts[1:]).load()
