"""State of the generation of one program: types, names in scope, emitted lines, features used.

Shapes are known while the text is written: a name keeps its type for the whole function, so every program that
the grammar writes runs. Aliases and views need no bookkeeping; Python itself says what the program means.
"""
from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .choices import Choices


class Expr(NamedTuple):
    """Text of an expression (in brackets where needed) and a rough bound on its magnitude."""

    text: str
    size: float


@dataclass(frozen=True)
class Float:
    """A float scalar."""


@dataclass(frozen=True)
class Int:
    """An integer that lies in ``low .. high``."""

    low: int
    high: int


@dataclass(frozen=True)
class Vector:
    """A float array of shape ``(n,)``."""

    n: int


@dataclass(frozen=True)
class Matrix:
    """A float array of shape ``(rows, columns)``."""

    rows: int
    columns: int


@dataclass(frozen=True)
class TupleOf:
    """A tuple of the given types."""

    items: tuple[Any, ...]


@dataclass(eq=False)
class ListOf:
    """A list; aliases of one list share this object.

    ``least`` is the length that is certain, ``floor`` the length below which the current block must not pop:
    a block may run zero times, so after it only what held before is certain.
    """

    item: Any
    least: int
    floor: int = 0
    frozen: bool = False


@dataclass(eq=False)
class DictOf:
    """A dict with string keys of known types."""

    items: dict[str, Any]


@dataclass(frozen=True)
class ObjectOf:
    """An object of a class of the program: a number ``s``, a vector ``w`` of length ``n``, a property ``norm``."""

    cls: str
    n: int


@dataclass(frozen=True)
class Function:
    """A callable: a helper, a nested function or a lambda. ``result`` is None for one that returns nothing.

    The last ``optional`` parameters have defaults and may be passed by keyword.
    """

    params: tuple[tuple[str, Any], ...]
    result: Any
    optional: int = 0


@dataclass
class Frame:
    """One function being written."""

    result: Any
    scope: dict[str, Any] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)  # names that this function may rebind
    protected: set[str] = field(default_factory=set)  # counters of while loops
    loops: int = 0
    blocks: int = 0


@dataclass
class Generator:
    """Writes one program; the modules of the grammar are functions of this object."""

    choices: Choices
    statements: list[tuple[int, Callable[[Generator], bool]]]
    features: Counter = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)
    frame: Frame = field(default_factory=lambda: Frame(None))
    functions: dict[str, Function] = field(default_factory=dict)
    classes: dict[str, int] = field(default_factory=dict)  # name -> length of the vector of its objects
    factories: dict[str, tuple] = field(default_factory=dict)  # functions that make functions: name -> parameters
    depth: int = 0
    budget: int = 0
    names_made: Counter = field(default_factory=Counter)

    # decisions
    def chance(self, percent: int) -> bool:
        return self.choices.chance(percent)

    def pick(self, options: Any) -> Any:
        return self.choices.pick(options)

    def literal(self, low: float = -0.9, high: float = 0.9) -> str:
        value = self.choices.number(low, high)
        return f"({value})" if value < 0 else str(value)

    # text
    def use(self, feature: str) -> None:
        """Count a feature of the language for the coverage histogram."""
        self.features[feature] += 1

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    # names
    def fresh(self, stem: str) -> str:
        """A name that the program doesn't use yet."""
        self.names_made[stem] += 1
        return f"{stem}{self.names_made[stem]}"

    def define(self, name: str, type_: Any) -> None:
        self.frame.scope[name] = type_
        self.frame.own.add(name)

    def names(self, kind: type | tuple[type, ...]) -> list[str]:
        return [name for name, type_ in self.frame.scope.items() if isinstance(type_, kind)]

    def typed(self, type_: Any) -> list[str]:
        """Names whose type equals ``type_``."""
        return [name for name, other in self.frame.scope.items() if other == type_]

    def rebindable(self, type_: Any) -> list[str]:
        """Names of that type that a statement of the current function may assign."""
        frame = self.frame
        return [name for name in self.typed(type_) if name in frame.own and name not in frame.protected]

    def callables(self) -> dict[str, Function]:
        """Helpers of the module, nested functions and lambdas that can be called here."""
        local = {name: type_ for name, type_ in self.frame.scope.items() if isinstance(type_, Function)}
        return {**self.functions, **local}

    @contextlib.contextmanager
    def binding(self, **names: Any) -> Iterator[None]:
        """Names that exist only inside one expression: parameters of lambdas, variables of comprehensions."""
        before = dict(self.frame.scope)
        self.frame.scope.update(names)
        yield
        self.frame.scope = before

    @contextlib.contextmanager
    def frozen_lists(self) -> Iterator[None]:
        """While one list is iterated no list grows: two could feed each other without end."""
        lists = [self.frame.scope[name] for name in self.names(ListOf)]
        thawed = [type_ for type_ in dict.fromkeys(lists) if not type_.frozen]
        for type_ in thawed:
            type_.frozen = True
        yield
        for type_ in thawed:
            type_.frozen = False

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """An indented block; what it defines may be undefined after it."""
        frame = self.frame
        before = dict(frame.scope)
        lists = [type_ for type_ in before.values() if isinstance(type_, ListOf)]
        marks = [(type_, type_.floor, type_.least) for type_ in dict.fromkeys(lists)]
        for type_, _, least in marks:
            type_.floor = least
        self.depth += 1
        frame.blocks += 1
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.emit("pass")
        self.depth -= 1
        frame.blocks -= 1
        frame.scope = before
        for type_, floor, least in marks:
            type_.floor, type_.least = floor, least

    @contextlib.contextmanager
    def function(self, params: tuple[tuple[str, Any], ...], result: Any, nested: bool) -> Iterator[None]:
        """The body of a function; a nested one sees, but may not rebind, the names around it."""
        outer = self.frame
        around = {name: t for name, t in outer.scope.items() if not isinstance(t, (ListOf, DictOf))} if nested else {}
        self.frame = Frame(result, around, blocks=0)
        for name, type_ in params:
            self.define(name, type_)
        self.depth += 1
        yield
        self.depth -= 1
        self.frame = outer

    # statements
    def write_block(self, count: int) -> None:
        """Write up to ``count`` statements, as long as the budget of the program lasts."""
        written = 0
        for _ in range(3 * count):
            if written == count or self.budget <= 0:
                return
            statement = self.choices.weighted(self.statements)
            if statement(self):
                written += 1
                self.budget -= 1
