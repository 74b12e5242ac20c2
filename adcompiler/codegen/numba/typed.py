"""Expressions with their types. An array may be lazy: known element by element, for a loop to compute."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from ...ir.nodes import NOTHING
from .types import Items, Known


@dataclass(eq=False)
class Axis:
    """One axis of a lazy array: the token of its extent, and an expression that computes it (or None: look it up)."""

    token: object
    extent: Callable  # () -> ast.expr


@dataclass(eq=False)
class Lazy:
    """An array by its elements. element: from one index expression per axis to the element, a scalar expression.

    reads: (roots, element) of each array that is read; is_view: it names memory, computes nothing; direct: it is an
    array under its own name; constant: every element is one number; repeats: it may name an element twice; alias: in
    NumPy it is a view, which a name gets too if there is a node for it, and else a copy.
    """

    axes: list
    element: Callable
    reads: list = field(default_factory=list)
    is_view: bool = False
    direct: bool = False
    constant: bool = False
    repeats: bool = False
    alias: bool = False


@dataclass(eq=False)
class Typed:
    """An expression, its type, its value where it is known, and its elements where it is a lazy array.

    fresh: it is memory of its own, which nothing else names.
    """

    node: object
    type: object
    const: object = NOTHING
    lazy: Lazy | None = None
    fresh: bool = False
    items: list | None = None  # of a tuple or list display
    roots: frozenset = frozenset()  # of an element that is written: the memory that it is in

    @property
    def is_known(self) -> bool:
        return self.const is not NOTHING


def known(value) -> Typed:
    """A key, letter or position as a constant that a name keeps."""
    return Typed(ast.Constant(value), Known(value), value)


def known_tuple(parts) -> Typed:
    """A list of keys: it has no place in compiled code."""
    parts = [known(p.const if p.is_known else p.type.value) for p in parts]
    return Typed(None, Items(tuple(p.type for p in parts)), items=parts)
