"""What generated code asks about lists."""

from __future__ import annotations


def slice_span(values, index):
    """Start and length of `values[index]`, before the slice is replaced.

    >>> slice_span([1, 2, 3, 4], slice(1, -1))
    (1, 2)
    """
    start, stop, _ = index.indices(len(values))
    return start, max(0, stop - start)


def sorting_order(keys, descending=False):
    """The positions of `keys` in sorted order, as `list.sort` takes them (equal keys stay in place).

    >>> sorting_order([3.0, 1.0, 2.0]), sorting_order([3.0, 1.0, 2.0], True)
    ([1, 2, 0], [0, 2, 1])
    """
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=descending)


__all__ = ["slice_span", "sorting_order"]
