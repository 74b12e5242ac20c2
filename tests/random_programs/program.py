"""A generated program: its text, its arguments, and how it becomes a function that has source text."""
from __future__ import annotations

import copy
import itertools
import linecache
import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Program:
    """Source text that defines ``f``, the arguments by name, and the names to differentiate with respect to."""

    source: str
    args: dict[str, Any]
    wrt: tuple[str, ...]
    features: Counter = field(default_factory=Counter, compare=False)

    def fresh_args(self) -> list[Any]:
        """Copies of the arguments in order: programs may change them."""
        return copy.deepcopy(list(self.args.values()))

    @contextmanager
    def function(self) -> Iterator[Callable[..., Any]]:
        """The function ``f``; its text can be found by ``inspect.getsource`` inside the ``with`` block."""
        filename = f"<random program {next(_numbers)}>"
        linecache.cache[filename] = (len(self.source), None, self.source.splitlines(keepends=True), filename)
        namespace = {"np": np, "math": math, "__name__": filename}
        try:
            exec(compile(self.source, filename, "exec"), namespace)
            yield namespace["f"]
        finally:
            linecache.cache.pop(filename, None)

    def regression(self, name: str = "found_by_random_programs") -> str:
        """Text of a test that can be pasted among the regressions.

        >>> print(Program("def f(x):\\n    return x * x", {"x": 2.0}, ("x",)).regression("square"))
        def test_square():
            check('''
        def f(x):
            return x * x
        ''', {'x': 2.0}, ('x',))
        """
        args = ", ".join(f"{key!r}: {_literal(value)}" for key, value in self.args.items())
        return f"def test_{name}():\n    check('''\n{self.source.strip()}\n''', {{{args}}}, {self.wrt!r})"


def _literal(value: Any) -> str:
    return f"np.array({value.tolist()})" if isinstance(value, np.ndarray) else repr(value)
