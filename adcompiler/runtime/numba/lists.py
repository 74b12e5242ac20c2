"""Adjoints of what is done with lists, for compiled code: lists of numbers or of arrays, all of one type."""

from numba import njit


@njit(cache=True)
def add_selected(slots, index, parts):
    """Add the parts of `list[index]` (a slice) to the slots of the list.

    >>> from numba.typed import List
    >>> slots = List([1.0, 2.0, 3.0])
    >>> add_selected(slots, slice(1, None), List([10.0, 20.0]))
    >>> list(slots)
    [1.0, 12.0, 23.0]
    """
    start, _, step = index.indices(len(slots))
    for k in range(len(parts)):
        at = start + k * step
        slots[at] = slots[at] + parts[k]


@njit(cache=True)
def add_repeated(slots, parts):
    """Add the parts of a repeated list to the slots of the list that was repeated.

    >>> from numba.typed import List
    >>> slots = List([1.0, 2.0])
    >>> add_repeated(slots, List([10.0, 20.0, 30.0]))
    >>> list(slots)
    [41.0, 22.0]
    """
    for k in range(len(parts)):
        at = k % len(slots)
        slots[at] = slots[at] + parts[k]


@njit(cache=True)
def undo_extend(slots, parts):
    """Undo `base.extend(other)` of another list: what reached the new slots belongs to those of `other`.

    >>> from numba.typed import List
    >>> slots, parts = List([1.0, 2.0]), List([0.5])
    >>> undo_extend(slots, parts)
    >>> list(slots), list(parts)
    ([1.0], [2.5])
    """
    for k in range(len(parts) - 1, -1, -1):
        parts[k] = parts[k] + slots.pop()
