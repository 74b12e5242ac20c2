"""Adjoints of what is done with lists, for compiled code: lists of numbers or of arrays, all of one type."""

import numpy as np
from numba import njit

from .shadows import is_one_list


@njit(cache=True)
def array_of(values, dtype):
    """`np.array(values)` of a list of numbers. Numba's own makes the list itself an array, also where it has other names.

    >>> from numba.typed import List
    >>> array_of(List([1.0, 2.0]), np.float64)
    array([1., 2.])
    """
    made = np.empty(len(values), dtype)
    for k in range(len(values)):
        made[k] = values[k]
    return made


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
def add_each(slots, parts):
    """Add one part, of an array or of a list, to each slot of a list.

    >>> from numba.typed import List
    >>> slots = List([1.0, 2.0])
    >>> add_each(slots, List([10.0, 20.0]))
    >>> list(slots)
    [11.0, 22.0]
    """
    for k in range(len(parts)):
        slots[k] = slots[k] + parts[k]


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
    """Undo `base.extend(other)`: what reached the new slots belongs to those of `other`, which may be `base` itself.

    >>> from numba.typed import List
    >>> slots, parts = List([1.0, 2.0]), List([0.5])
    >>> undo_extend(slots, parts)
    >>> list(slots), list(parts)
    ([1.0], [2.5])
    """
    count = len(slots) // 2 if is_one_list(slots, parts) else len(parts)
    for k in range(count - 1, -1, -1):
        last = slots.pop()
        parts[k] = parts[k] + last


@njit(cache=True)
def undo_pop(slots, at, value):
    """Put a slot back where `values.pop(at)` took its element.

    >>> from numba.typed import List
    >>> slots = List([1.0, 3.0])
    >>> undo_pop(slots, -2, 2.0)
    >>> list(slots)
    [1.0, 2.0, 3.0]
    """
    slots.insert(at if at >= 0 else len(slots) + 1 + at, value)


@njit(cache=True)
def sorting_order(keys, descending):
    """The positions of `keys` in sorted order, equal keys in the order that they have: a merge sort.

    >>> from numba.typed import List
    >>> sorting_order(List([3.0, 1.0, 2.0, 1.0]), False)
    [1, 3, 2, 0]
    >>> sorting_order(List([3.0, 1.0, 2.0, 1.0]), True)
    [0, 2, 1, 3]
    """
    count = len(keys)
    order, merged = list(range(count)), list(range(count))
    width = 1
    while width < count:
        for start in range(0, count, 2 * width):
            a, middle, stop = start, min(start + width, count), min(start + 2 * width, count)
            b = middle
            for k in range(start, stop):
                if a == middle:
                    from_right = True
                elif b == stop:
                    from_right = False
                elif descending:
                    from_right = keys[order[a]] < keys[order[b]]
                else:
                    from_right = keys[order[b]] < keys[order[a]]
                if from_right:
                    merged[k] = order[b]
                    b += 1
                else:
                    merged[k] = order[a]
                    a += 1
        order, merged = merged, order
        width *= 2
    return order


@njit(cache=True)
def refuse_nan(keys):
    """Numbers that are not ordered: where Python's sort would leave them depends on its steps."""
    for v in keys:
        if v != v:
            raise ValueError("the Numba backend does not sort a list that holds nan")


@njit(cache=True)
def in_order(values, order):
    """Put the elements of a list in another order: that of place `order[k]` comes to place `k`.

    >>> from numba.typed import List
    >>> values = List([3.0, 1.0, 2.0])
    >>> in_order(values, [1, 2, 0])
    >>> list(values)
    [1.0, 2.0, 3.0]
    """
    old = values.copy()
    for k in range(len(order)):
        values[k] = old[order[k]]


@njit(cache=True)
def put_back(slots, order):
    """Undo a sort: the slot at place `k` goes back to place `order[k]`.

    >>> from numba.typed import List
    >>> slots = List([1.0, 2.0, 3.0])
    >>> put_back(slots, [2, 0, 1])
    >>> list(slots)
    [2.0, 3.0, 1.0]
    """
    old = slots.copy()
    for k in range(len(order)):
        slots[order[k]] = old[k]


@njit(cache=True)
def position_of(values, wanted):
    """`values.index(wanted)`.

    >>> from numba.typed import List
    >>> position_of(List([1.0, 2.0]), 2.0)
    1
    """
    for k in range(len(values)):
        if values[k] == wanted:
            return k
    raise ValueError("the value is not in the list")


@njit(cache=True)
def slice_span(values, index):
    """Start and length of `values[index]`, before the slice is replaced.

    >>> from numba.typed import List
    >>> slice_span(List([1, 2, 3, 4]), slice(1, -1))
    (1, 2)
    """
    start, stop, _ = index.indices(len(values))
    return start, max(0, stop - start)


@njit(cache=True)
def replace_slice(values, start, stop, parts):
    """`values[start:stop] = parts`, for bounds that lie inside.

    >>> from numba.typed import List
    >>> values = List([1.0, 2.0, 3.0])
    >>> replace_slice(values, 1, 2, List([7.0, 8.0]))
    >>> list(values)
    [1.0, 7.0, 8.0, 3.0]
    """
    new, old = parts.copy(), values.copy()
    stop = max(start, stop)
    while len(values) > start:
        values.pop()
    values.extend(new)
    for k in range(stop, len(old)):
        values.append(old[k])


@njit(cache=True)
def undo_replaced(slots, span, parts):
    """Undo a slice store into a list of numbers: the slots written go to `parts`, zeros come back in their place.

    >>> from numba.typed import List
    >>> slots, parts = List([1.0, 2.0, 3.0]), List([0.0])
    >>> undo_replaced(slots, (1, 2), parts)
    >>> list(slots), list(parts)
    ([1.0, 0.0, 0.0, 3.0], [2.0])
    """
    start, count = span
    old = slots.copy()
    while len(slots) > start:
        slots.pop()
    for k in range(len(parts)):
        parts[k] = parts[k] + old[start + k]
    for _ in range(count):
        slots.append(0.0)
    for k in range(start + len(parts), len(old)):
        slots.append(old[k])


@njit(cache=True)
def shares_of_ties(values, y, y_bar):
    """The adjoint of a list of floats where `y` is their greatest or least: shared evenly among those equal to `y`.

    >>> from numba.typed import List
    >>> list(shares_of_ties(List([1.0, 3.0, 3.0]), 3.0, 1.0))
    [0.0, 0.5, 0.5]
    """
    shares = values.copy()
    winners = 0
    for v in values:
        winners += v == y
    for k in range(len(values)):
        shares[k] = y_bar / max(winners, 1) if values[k] == y else 0.0
    return shares


@njit(cache=True)
def stacked(arrays):
    """The array of a list of arrays of one shape.

    >>> from numba.typed import List
    >>> stacked(List([np.array([1.0, 2.0]), np.array([3.0, 4.0])]))
    array([[1., 2.],
           [3., 4.]])
    """
    if len(arrays) == 0:
        raise ValueError("an array made of a list of arrays, which is empty")
    first = arrays[0]
    made = np.empty((len(arrays),) + first.shape, first.dtype)
    for k in range(len(arrays)):
        if arrays[k].shape != first.shape:
            raise ValueError("an array made of a list of arrays of different shapes")
        made[k] = arrays[k]
    return made
