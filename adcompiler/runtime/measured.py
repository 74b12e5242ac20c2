"""What the parts of one run of a program take: times, bytes made, and bytes that later parts read."""

from __future__ import annotations

import time

from .sizes import nbytes


class Measured:
    """Told by a probe, statement by statement of a function's own block.

    >>> m = Measured(2)
    >>> m.made(0, 1.0)
    >>> m.leaves(0, 1.0, 2.0)
    >>> m.tape_bytes, m.leaving
    ([16, 0], {0: [16, 16]})
    """

    def __init__(self, count: int):
        self.tape_bytes = [0] * count
        self.changes: dict[int, tuple[int, int]] = {}  # number of some memory -> last statement that changes it, bytes
        self.times, self.trips, self.entering = [0.0] * count, [0] * count, [0] * count
        self.leaving: dict[int, list[int]] = {}
        self.now = time.perf_counter()

    def made(self, k, *values):
        """Statement `k`, or one inside it, has computed values that its adjoint may read."""
        self.tape_bytes[k] += sum(nbytes(v) for v in values)

    def changed(self, k, memory, value):
        """Statement `k`, or one inside it, changes memory (told apart by numbers): its old content may be kept."""
        size = nbytes(value)
        self.tape_bytes[k] += size
        self.changes[memory] = k, max(size, self.changes.get(memory, (0, 0))[1])

    def trip(self, k):
        """The loop that statement `k` is begins a trip."""
        self.trips[k] += 1

    def enters(self, k, *values):
        """The loop that statement `k` is begins with these values of what it carries."""
        self.entering[k] = nbytes(list(values))

    def leaves(self, k, *values):
        """Statement `k` is done, and has bound these values for later ones."""
        self.leaving[k] = [nbytes(v) for v in values]
        now = time.perf_counter()
        self.times[k] += now - self.now
        self.now = now


__all__ = ["Measured"]
