"""A checkpointed loop of compiled code on the tape: what it keeps, and what its reverse sweep will cost."""

import numpy as np

from ..loop_sizes import LoopStats
from ..sizes import nbytes
from .plans import Step, rows_of_reverse


class KeptLoop:
    """The values that a compiled forward function keeps of a loop.

    values: what the compiled adjoint function takes; the lists of snapshots and of the tape are in it. stored: positions
    of the lists of snapshots; sites: of the lists of the tape; online: the table of its reverse sweep is not made yet.
    """

    __slots__ = ("values", "stored", "sites", "stats")
    is_counted_ahead = True  # the peak of its reverse sweep is known behind the forward sweep

    def __init__(self, values, stored, sites, snapshots, online):
        self.values, self.stored, self.sites, self.stats = values, stored, sites, LoopStats()
        if online:
            places, count = values[:2]
            self.count_costs(rows_of_reverse(int(count), snapshots, places[:-1]), sum(places[:-1] >= 0), 0)
        else:
            rows, row = values[:2]
            before = [Step(word) for word in rows[:row, 0]]
            taped = sum(stop - start for word, start, stop, *_ in rows[:row].tolist() if word == Step.TAPE)
            self.count_costs(rows[row:], before.count(Step.SNAPSHOT), taped)

    def count_costs(self, rows, snapshots, taped):
        """Go through the reverse sweep: trips that run again, and the most that is kept at a time."""
        state = self.bytes_of(self.stored) / max(snapshots, 1)
        tape = self.bytes_of(self.sites) / max(taped, 1)
        self.stats.saw(int(state * snapshots + tape * taped))
        for word, start, stop, _, is_freed in rows.tolist():
            if word in (Step.TAPE, Step.ADVANCE):
                self.stats.recomputed_steps += stop - start
            taped += {Step.TAPE: stop - start, Step.REVERSE: start - stop}.get(word, 0)
            snapshots += (word == Step.SNAPSHOT) - is_freed
            self.stats.saw(int(state * snapshots + tape * taped))

    def bytes_of(self, positions) -> int:
        return sum(nbytes(_listed(self.values[k])) for k in positions)

    def kept(self) -> list:
        """Everything that is kept, for counting bytes."""
        return [_listed(v) for v in self.values]


class KeptObject:
    """The parts of an argument that is an object, for the compiled adjoint function, and the object itself."""

    __slots__ = ("name", "primal", "values")

    def __init__(self, name, primal, values):
        self.name, self.primal, self.values = name, primal, values

    def kept(self) -> list:
        """Everything that is kept, for counting bytes."""
        return list(self.values)


def _listed(value):
    return value if isinstance(value, (np.ndarray, int, float)) else list(value)


__all__ = ["KeptLoop", "KeptObject"]
