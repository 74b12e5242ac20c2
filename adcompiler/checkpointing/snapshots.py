"""The snapshots of one run, on every level: what `Snapshot`, `Restore` and `Drop` act upon."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..runtime.packing import check_format, pack, unpack
from .actions import DISK, MEMORY, Drop, Restore, Snapshot
from .copying import arrays_in, shared_blocks
from .disk_store import DiskStore
from .memory_store import MemoryStore


class Snapshots:
    """The stored states of one chain.

    `mutable` marks the entries of a state whose memory the program writes into (see MemoryStore); files go into a
    directory of their own inside `directory` (see DiskStore), which is made when the first is written. With `tape_dtype`,
    floating arrays that are entries of a state are kept in fewer bits (see runtime.packing), if they share no memory.

    >>> from adcompiler.checkpointing import Restore, Snapshot
    >>> snapshots = Snapshots()
    >>> snapshots.save(Snapshot(0, MEMORY), (2.0,))
    >>> snapshots.save(Snapshot(4, DISK), (3.0,))
    >>> snapshots.restore(Restore(4, DISK, last=True))
    (3.0,)
    >>> len(snapshots), snapshots.nbytes
    (1, 8)
    """

    def __init__(
        self,
        mutable: Sequence[bool] | None = None,
        directory: str | os.PathLike | None = None,
        tape_dtype: str | None = None,
    ):
        self.directory = directory
        self.tape_dtype = check_format(tape_dtype)
        self._stores: dict = {MEMORY: MemoryStore(mutable)}

    def save(self, action: Snapshot, state: tuple) -> None:
        """Store the current state. Raises SnapshotError if a disk does not take it."""
        if action.level is DISK and DISK not in self._stores:
            self._stores[DISK] = DiskStore(self.directory)
        self._stores[action.level].save(action.step, self._packed(state))

    def restore(self, action: Restore) -> tuple:
        """A stored state. Raises SnapshotError if it is not on the disk any more."""
        state = self._stores[action.level].load(action.step, action.last)
        return state if self.tape_dtype is None else tuple(map(unpack, state))

    def _packed(self, state):
        if self.tape_dtype is None:
            return state
        _, views = shared_blocks(arrays_in(state))
        return tuple(value if id(value) in views else pack(value, self.tape_dtype) for value in state)

    def drop(self, action: Drop) -> None:
        """Free a stored state."""
        self._stores[action.level].drop(action.step)

    def fork(self) -> Snapshots:
        """The same snapshots for another reverse sweep: neither is changed by the other."""
        made = Snapshots(directory=self.directory, tape_dtype=self.tape_dtype)
        made._stores = {level: store.fork() for level, store in self._stores.items()}
        return made

    def close(self) -> None:
        """Free everything."""
        for store in self._stores.values():
            store.close()

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self._stores[MEMORY].nbytes

    @property
    def peak_nbytes(self) -> int:
        """The most bytes that were in memory at one time."""
        return self._stores[MEMORY].peak_nbytes

    @property
    def disk_nbytes(self) -> int:
        """Bytes on disk."""
        return self._stores[DISK].nbytes if DISK in self._stores else 0

    def __len__(self):
        return sum(map(len, self._stores.values()))
