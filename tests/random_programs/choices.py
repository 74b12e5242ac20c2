"""Where the grammar gets its decisions from: a plain random generator, or hypothesis.

Everything is derived from one operation, ``integer(low, high)``. Low integers stand for the simpler choice, so
that hypothesis shrinks programs towards simple ones.
"""
from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st


class Choices(ABC):
    """Decisions derived from ``integer``, which subclasses provide."""

    @abstractmethod
    def integer(self, low: int, high: int) -> int:
        """An integer with ``low <= value <= high``."""

    def chance(self, percent: int) -> bool:
        """True in about ``percent`` of a hundred cases; False is the simpler answer."""
        return self.integer(0, 99) >= 100 - percent

    def pick(self, options: Sequence[Any]) -> Any:
        """One of ``options``; the first is the simplest."""
        return options[self.integer(0, len(options) - 1)]

    def weighted(self, options: Sequence[tuple[int, Any]]) -> Any:
        """One of the ``(weight, option)`` pairs."""
        left = self.integer(0, sum(weight for weight, _ in options) - 1)
        for weight, option in options:
            if left < weight:
                return option
            left -= weight
        raise AssertionError("weights must be positive")

    def shuffled(self, options: Sequence[Any]) -> list[Any]:
        """The options in random order."""
        left = list(options)
        return [left.pop(self.integer(0, len(left) - 1)) for _ in options]

    def number(self, low: float, high: float) -> float:
        """A float of three decimals, never round, so that two of them rarely tie."""
        thousandths = self.integer(int(low * 1000), int(high * 1000))
        return (thousandths if thousandths % 10 else thousandths + 3) / 1000


class RandomChoices(Choices):
    """Decisions of a ``random.Random``: the fast way.

    >>> RandomChoices(1).integer(0, 9) == RandomChoices(1).integer(0, 9)
    True
    """

    def __init__(self, seed: int | str):
        self._random = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        return self._random.randint(low, high)


class DrawnChoices(Choices):
    """Decisions drawn from hypothesis, which records and shrinks them."""

    def __init__(self, draw: Callable[[st.SearchStrategy], Any]):
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))
