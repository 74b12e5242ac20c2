"""Functions as values: the calls of nested functions are part of the text, what is left of them is a place in lists.

A function is known when compiling. One with default values that the program reads later (`f.__defaults__`), or one in a
list, is the tuple of its default values, behind a zero.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ....transform.code import constant
from .expressions import items_of, expression, tuple_of
from ..typed import Typed
from ..types import INT, Items, Known


class Inner:
    """A function that the program makes, or a method as a value, which nothing calls."""

    def __init__(self, named, repeated):
        self.__name__, self.repeated = named, repeated


@dataclass(frozen=True)
class Function(Items):
    """A function in a list: a zero, and its default values, of which the last ones have these names."""

    names: tuple = ()


@dataclass(frozen=True)
class Keywords(Items):
    """The default values of keywords."""

    keys: tuple = ()


def lower_def(lo, s):
    """`def f(...)`: calls of it have been written out."""
    if s.decorator_list:
        lo.refuse("a decorated function inside", "decorate it outside")
    lo.set_name(s.name, inner(lo, s, s.name).type)


def inner(lo, node, named) -> Typed:
    """A function or method that is only told from others."""
    found = lo.learnt.inner.setdefault(id(node), Inner(named, lo.in_loop))
    return Typed(constant(None), Known(found), found)


def lower_lambda(lo, node) -> Typed:
    """`lambda v, p=q: ...`"""
    given = [*node.args.defaults, *[d for d in node.args.kw_defaults if d is not None]]
    if not given:
        return inner(lo, node, "<lambda>")
    names = tuple(a.arg for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d is not None)
    values = [expression(lo, d) for d in given]
    made = tuple_of([Typed(constant(0), INT), *values])
    return Typed(made.node, Function(made.type.items, names), items=made.items)


def in_list(value: Typed) -> Typed:
    """A function as an element of a list."""
    if isinstance(value.type, Known) and callable_or_inner(value.type.value):
        return Typed(ast.Tuple([constant(0)], ast.Load()), Function((INT,)))
    return value


def callable_or_inner(value) -> bool:
    return isinstance(value, Inner) or callable(value)


def defaults(lo, value: Typed, attr) -> Typed:
    """`f.__defaults__`, `f.__kwdefaults__`."""
    parts, named = items_of(value)[1:], value.type.names
    if attr == "__defaults__":
        return tuple_of(parts[: len(parts) - len(named)])
    if attr == "__kwdefaults__":
        own = parts[len(parts) - len(named):]
        return Typed(None, Keywords(tuple(p.type for p in own), named), items=own)
    lo.refuse(f"the attribute '{attr}' of a function")


__all__ = ["Function", "Inner", "defaults", "in_list", "inner", "lower_def", "lower_lambda"]
