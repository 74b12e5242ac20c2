"""What generated code asks about lists."""
from __future__ import annotations


def slice_span(values, index):
    """Start and length of `values[index]`, before the slice is replaced.

    >>> slice_span([1, 2, 3, 4], slice(1, -1))
    (1, 2)
    """
    start, stop, _ = index.indices(len(values))
    return start, max(0, stop - start)
