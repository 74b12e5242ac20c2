"""Generated code before it is printed: a few kinds of lines over `ast` expressions, with the source place of each.

A name that stands for a primal value which the reverse sweep needs is a `Needed` node until `save` decides where the
value comes from.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, field

from ..errors import NOWHERE, Loc


class Needed(ast.Name):
    """A primal value in reverse code. need: "value", "shape" or "ref"; `at` is the statement whose adjoint reads it."""

    _fields = ("id", "ctx")


def needed(var, need, at) -> Needed:
    node = Needed(f"{var.name}", ast.Load())
    node.var, node.need, node.at = var, need, at
    return node


class LoopTarget(ast.Name):
    """The index of a reversed loop; `_` if its value is not read."""

    _fields = ("id", "ctx")

    def __init__(self, loop=None, id="_", ctx=None):
        super().__init__(id, ctx or ast.Store())
        self.loop = loop


class Trips(ast.Name):
    """How often a loop ran."""

    _fields = ("id", "ctx")

    def __init__(self, loop=None, ran=True, id="trips", ctx=None):
        super().__init__(id, ctx or ast.Load())
        self.loop = loop


class _End:
    """The place behind the last statement."""

    loc = None

    def __repr__(self):
        return "END"


END = _End()


@dataclass(eq=False)
class Line:
    """`target = value`, `target op= value` or (target None) an expression; `hidden` targets may be substituted."""

    target: ast.expr | None
    value: ast.expr
    op: ast.operator | None = None
    loc: Loc = NOWHERE
    hidden: bool = False
    keep: bool = False  # never dropped or moved: it has an effect


@dataclass(eq=False)
class TangentLine(Line):
    """A line of the tangent, beside one of the primal. `tangents` are the names of all tangents of the function."""

    tangents: object = ()


@dataclass(eq=False)
class Branch:
    test: ast.expr
    then: list
    orelse: list
    loc: Loc = NOWHERE


@dataclass(eq=False)
class Repeat:
    """`for target in iterable`, or `while test` (target None and iterable the test)."""

    target: ast.expr | None
    iterable: ast.expr
    body: list
    loc: Loc = NOWHERE


@dataclass(eq=False)
class Verbatim:
    """Any other statement, already as `ast`; `blocks` are the code lists that fill its bodies in order."""

    node: ast.stmt
    loc: Loc = NOWHERE
    blocks: list = field(default_factory=list)


@dataclass(eq=False)
class Restore:
    """Where the reverse sweep may put back what a store has overwritten."""

    store: object
    loc: Loc = NOWHERE
    reads: list = field(default_factory=list)


@dataclass(eq=False)
class Replay:
    """The reverse of a segment or of a checkpointed loop, before which the statement is run again: see codegen.replays."""

    statement: object
    body: list
    loc: Loc = NOWHERE


@dataclass(eq=False)
class Enter:
    """The start of the reverse form of a block: values kept for the block are read back here (or later)."""

    block: object
    loc: Loc = NOWHERE


def name(identifier: str, store=False) -> ast.Name:
    return ast.Name(identifier, ast.Store() if store else ast.Load())


def constant(value) -> ast.Constant:
    return ast.Constant(value)


def call(function: ast.expr, *args, **kwargs) -> ast.Call:
    return ast.Call(function, list(args), [ast.keyword(k, v) for k, v in kwargs.items()])


class OnTape(ast.Load):
    """The context of the `append` of a list of the tape, which no line of the program reads."""


def push(site: str) -> ast.Attribute:
    """The method that puts a value on a list of the tape."""
    return ast.Attribute(name(site), "append", OnTape())


def attribute(base: ast.expr, attr: str) -> ast.Attribute:
    return ast.Attribute(base, attr, ast.Load())


def subscript(base: ast.expr, index: ast.expr, store=False) -> ast.Subscript:
    return ast.Subscript(base, index, ast.Store() if store else ast.Load())


def clone(node):
    """A copy of an expression; needed names keep what they stand for."""
    if isinstance(node, Needed):
        return needed(node.var, node.need, node.at)
    if isinstance(node, ast.AST):
        made = type(node)(**{f: clone(getattr(node, f)) for f in node._fields if hasattr(node, f)})
        if hasattr(node, "loop"):
            made.loop = node.loop
        return made
    if isinstance(node, list):
        return [clone(n) for n in node]
    return node


def lines(block):
    """Every line of nested code, in order."""
    for item in block:
        yield item
        for inner in inner_blocks(item):
            yield from lines(inner)


def nodes_in(tree: ast.AST) -> list[ast.AST]:
    """Every node of a tree, outside in, without contexts and operators: what `ast.walk` gives, in less time."""
    found = [tree]
    for node in found:
        cls = type(node)
        parts = _PARTS.get(cls)
        if parts is None:
            parts = _PARTS[cls] = tuple(f for f in node._fields if f not in ("ctx", "op", "ops", "id"))
        for part in parts:
            value = getattr(node, part, None)
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found.extend([v for v in value if isinstance(v, ast.AST)])
    return found


_PARTS: dict = {ast.Name: (), ast.Constant: ()}  # class of node -> fields that hold other nodes


def inner_blocks(item) -> list[list]:
    if isinstance(item, Branch):
        return [item.then, item.orelse]
    if isinstance(item, Repeat):
        return [item.body]
    if isinstance(item, Verbatim):
        return item.blocks
    if isinstance(item, Replay):
        return [item.body]
    return []


def expressions(item):
    """The expressions that an item itself holds."""
    if isinstance(item, Line):
        return [e for e in (item.target, item.value) if e is not None]
    if isinstance(item, Branch):
        return [item.test]
    if isinstance(item, Repeat):
        return [e for e in (item.target, item.iterable) if e is not None]
    if isinstance(item, Verbatim) and isinstance(item.node, ast.With):
        return [i.context_expr for i in item.node.items]
    return []


__all__ = [
    "Branch",
    "Enter",
    "Line",
    "Needed",
    "Repeat",
    "Replay",
    "Restore",
    "TangentLine",
    "Verbatim",
    "attribute",
    "call",
    "clone",
    "constant",
    "copy",
    "expressions",
    "inner_blocks",
    "lines",
    "name",
    "needed",
    "nodes_in",
    "subscript",
]
