"""Positions that `max` and `min` with a key choose: the first of equal keys, as the builtins do.

>>> position_of_largest([1.0, 3.0, 3.0]), position_of_smallest([2.0, 1.0, 1.0])
(1, 1)
"""

from __future__ import annotations


def position_of_largest(keys) -> int:
    """The position of the first largest key. Raises ValueError for no keys."""
    return max(range(len(keys)), key=keys.__getitem__)


def position_of_smallest(keys) -> int:
    """The position of the first smallest key. Raises ValueError for no keys."""
    return min(range(len(keys)), key=keys.__getitem__)
