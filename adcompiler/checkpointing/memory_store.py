"""Snapshots in memory."""

from __future__ import annotations

from collections.abc import Sequence

from .copying import copied, nbytes


class MemoryStore:
    """States by the number of the step before which they were taken.

    `mutable` marks the entries of a state whose memory the program writes into: they are copied when they are saved,
    and again when they are loaded, unless nobody asks for them again. Entries that the program only binds anew are
    kept by reference. Without `mutable` everything is copied.

    >>> import numpy as np
    >>> store = MemoryStore()
    >>> u = np.zeros(2)
    >>> store.save(0, (u, 1.5))
    >>> u[:] = 7.0
    >>> store.load(0)
    (array([0., 0.]), 1.5)
    >>> store.nbytes
    24
    """

    def __init__(self, mutable: Sequence[bool] | None = None):
        self.mutable = mutable
        self.peak_nbytes = self.nbytes = 0
        self._states: dict[int, tuple[tuple, int]] = {}
        self._shared: set[int] = set()  # another store may load these too

    def save(self, step: int, state: tuple) -> None:
        """Keep a state; the program may go on in its memory."""
        if step in self._states:
            self.drop(step)
        state = copied(state, self.mutable)
        size = nbytes(state)
        self._states[step] = state, size
        self.nbytes += size
        self.peak_nbytes = max(self.peak_nbytes, self.nbytes)

    def load(self, step: int, last: bool = False) -> tuple:
        """The state, for the program to go on with; with `last` it is freed. Raises KeyError if there is none."""
        state, _ = self._states[step]
        own = last and step not in self._shared
        if last:
            self.drop(step)
        return state if own else copied(state, self.mutable)

    def drop(self, step: int) -> None:
        """Free a state."""
        _, size = self._states.pop(step)
        self._shared.discard(step)
        self.nbytes -= size

    def fork(self) -> MemoryStore:
        """A store with the same states, of which each can be loaded and dropped without effect on the other's."""
        made = MemoryStore(self.mutable)
        made._states = dict(self._states)
        made.peak_nbytes = made.nbytes = self.nbytes
        made._shared, self._shared = set(self._states), set(self._states)
        return made

    def close(self) -> None:
        """Free everything."""
        self._states.clear()
        self._shared.clear()
        self.nbytes = 0

    def __len__(self):
        return len(self._states)
