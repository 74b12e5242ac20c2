"""How much a checkpointed loop keeps, and what it costs."""

from __future__ import annotations

SAMPLES = 32  # entries of a long list that are looked at; the others are taken to be like them


class LoopStats:
    """What one loop cost, loops inside it included; shared by the loop and the copies that are reversed.

    peak_nbytes: the most bytes that snapshots and step tapes took at one time, so far. recomputed_steps: the trips that
    the last reverse sweep ran again.
    """

    __slots__ = ("peak_nbytes", "recomputed_steps")

    def __init__(self):
        self.peak_nbytes = self.recomputed_steps = 0

    def saw(self, nbytes: int) -> None:
        """So many bytes are kept now."""
        self.peak_nbytes = max(self.peak_nbytes, nbytes)


def bytes_of_list(values: list, measure) -> int:
    """The bytes of a list of like entries, by `measure(some of them)`.

    >>> bytes_of_list([1.0] * 1000, lambda values: 16 * len(values)), bytes_of_list(list(range(1000)), lambda v: 8 * len(v))
    (16, 8000)
    """
    if len(values) <= SAMPLES:
        return measure(values)
    chosen = values[:: -(-len(values) // SAMPLES)]
    if all(value is chosen[0] for value in chosen):
        return measure(chosen[:1])
    return measure(chosen) * len(values) // len(chosen)
