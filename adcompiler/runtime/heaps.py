"""`heapq` in Python, for heaps of values that carry a derivative: the same moves, so that equal entries keep their order."""

from __future__ import annotations

import heapq


def heappush(heap, item):
    """`heapq.heappush`.

    >>> heap = [1.0, 3.0]
    >>> heappush(heap, 0.5)
    >>> heap
    [0.5, 3.0, 1.0]
    """
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


def heappop(heap):
    """`heapq.heappop`.

    >>> heap = [0.5, 3.0, 1.0]
    >>> heappop(heap), heap
    (0.5, [1.0, 3.0])
    """
    last = heap.pop()
    if len(heap) == 0:
        return last
    first = heap[0]
    heap[0] = last
    _sink(heap, 0)
    return first


def heapreplace(heap, item):
    """`heapq.heapreplace`."""
    first = heap[0]
    heap[0] = item
    _sink(heap, 0)
    return first


def heappushpop(heap, item):
    """`heapq.heappushpop`."""
    if len(heap) > 0 and heap[0] < item:
        return heapreplace(heap, item)
    return item


def heapify(x):
    """`heapq.heapify`.

    >>> values = [3.0, 2.0, 1.0]
    >>> heapify(values)
    >>> values
    [1.0, 2.0, 3.0]
    """
    for place in range(len(x) // 2 - 1, -1, -1):
        _sink(x, place)


def _rise(heap, top, place):
    """Move an entry towards `top` while it is smaller than its parent."""
    item = heap[place]
    while place > top:
        parent = (place - 1) // 2
        if not item < heap[parent]:
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = item


def _sink(heap, top):
    """Move the smaller child up all the way to a leaf, and let the entry rise from there."""
    item, place, end = heap[top], top, len(heap)
    child = 2 * place + 1
    while child < end:
        if child + 1 < end and not heap[child] < heap[child + 1]:
            child += 1
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = item
    _rise(heap, top, place)


HEAPS = {getattr(heapq, f.__name__): f for f in (heappush, heappop, heapreplace, heappushpop, heapify)}

__all__ = ["HEAPS"]
