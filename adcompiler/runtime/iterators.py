"""The iterators of `itertools` over active values, as functions that make the list of what the iterator would give.

The compiler walks these in the place of the functions of `itertools`. A loop over one of them must not change what it
runs over, which the compiler checks: the list is made before the loop, where the iterator reads as it goes.
"""

from __future__ import annotations

import itertools
import operator


def pairwise(iterable):
    """`itertools.pairwise`.

    >>> pairwise([1.0, 2.0, 3.0])
    [(1.0, 2.0), (2.0, 3.0)]
    """
    items = list(iterable)
    return [(items[k], items[k + 1]) for k in range(len(items) - 1)]


def accumulate(iterable, func=operator.add, *, initial=None):
    """`itertools.accumulate`.

    >>> accumulate([1.0, 2.0, 3.0], operator.mul, initial=2.0)
    [2.0, 2.0, 4.0, 12.0]
    """
    items = list(iterable)
    found = []
    if initial is not None:
        total = initial
        found.append(total)
        for item in items:
            total = func(total, item)
            found.append(total)
    elif len(items) > 0:
        total = items[0]
        found.append(total)
        for item in items[1:]:
            total = func(total, item)
            found.append(total)
    return found


def islice(iterable, *bounds):
    """`itertools.islice`.

    >>> islice([1.0, 2.0, 3.0], 1, None)
    [2.0, 3.0]
    """
    items = list(iterable)
    if len(bounds) == 1:
        return items[: bounds[0]]
    if len(bounds) == 2:
        return items[bounds[0] : bounds[1]]
    return items[bounds[0] : bounds[1] : bounds[2]]


def takewhile(predicate, iterable):
    """`itertools.takewhile`.

    >>> takewhile(lambda v: v < 2.5, [1.0, 2.0, 3.0, 1.0])
    [1.0, 2.0]
    """
    found = []
    for item in list(iterable):
        if not predicate(item):
            break
        found.append(item)
    return found


def product_of_two(first, second):
    """`itertools.product` of two iterables.

    >>> product_of_two([1.0, 2.0], [3.0])
    [(1.0, 3.0), (2.0, 3.0)]
    """
    items, others = list(first), list(second)
    return [(a, b) for a in items for b in others]


def product_of_three(first, second, third):
    """`itertools.product` of three iterables."""
    items, others, last = list(first), list(second), list(third)
    return [(a, b, c) for a in items for b in others for c in last]


def pairs(iterable):
    """`itertools.combinations(iterable, 2)`.

    >>> pairs([1.0, 2.0, 3.0])
    [(1.0, 2.0), (1.0, 3.0), (2.0, 3.0)]
    """
    items = list(iterable)
    return [(items[i], items[j]) for i in range(len(items)) for j in range(i + 1, len(items))]


def triples(iterable):
    """`itertools.combinations(iterable, 3)`."""
    items = list(iterable)
    n = len(items)
    return [(items[i], items[j], items[k]) for i in range(n) for j in range(i + 1, n) for k in range(j + 1, n)]


def pairs_with_replacement(iterable):
    """`itertools.combinations_with_replacement(iterable, 2)`."""
    items = list(iterable)
    return [(items[i], items[j]) for i in range(len(items)) for j in range(i, len(items))]


def ordered_pairs(iterable):
    """`itertools.permutations(iterable, 2)`."""
    items = list(iterable)
    return [(items[i], items[j]) for i in range(len(items)) for j in range(len(items)) if i != j]


def written_out(function, count, length):
    """The function above for `function` of `count` iterables (times `repeat`), in groups of `length`; None if there is none.

    >>> written_out(itertools.combinations, 1, 2).__name__
    'pairs'
    """
    return _BY_LENGTH.get((function, length)) or _BY_COUNT.get((function, count)) or _PLAIN.get(function)


_PLAIN = {
    itertools.pairwise: pairwise,
    itertools.accumulate: accumulate,
    itertools.islice: islice,
    itertools.takewhile: takewhile,
}
_BY_COUNT = {(itertools.product, 2): product_of_two, (itertools.product, 3): product_of_three}
_BY_LENGTH = {
    (itertools.combinations, 2): pairs,
    (itertools.combinations, 3): triples,
    (itertools.combinations_with_replacement, 2): pairs_with_replacement,
    (itertools.permutations, 2): ordered_pairs,
}

__all__ = ["written_out"]
