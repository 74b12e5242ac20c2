"""Expressions of generated code with their types: names, constants and tuples here, other kinds as `syntax` says."""

from __future__ import annotations

import ast
from dataclasses import replace

from ....transform.code import constant, name
from ..examples import type_of_value
from ..typed import Typed, known, known_tuple
from ..types import Array, Items, Known, Record, Scalar, Stack, is_known_tuple


def expression(lo, node) -> Typed:
    """The typed form of an expression; statements that it needs are written in front."""
    from .syntax import EXPRESSIONS

    method = EXPRESSIONS.get(type(node))
    if method is None:
        lo.refuse(f"'{ast.unparse(node)}'")
    return method(lo, node)


def constant_of(value) -> Typed:
    """A literal."""
    t = type_of_value(value)
    if isinstance(t, Scalar) and t.kind == "i":
        t = replace(t, low=value, token=value if value >= 0 else None, size=1 if abs(value) < 2**31 else None)
    node = constant(value) if not (isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0) else (
        ast.UnaryOp(ast.USub(), constant(-value))
    )
    return Typed(node, t, value)


def lower_constant(lo, node):
    if isinstance(node.value, int) and not isinstance(node.value, bool) and abs(node.value) >= 2**63:
        lo.refuse(f"the integer {node.value}, which has more than 64 bits")
    if node.value is Ellipsis:
        return Typed(node, Known(Ellipsis), Ellipsis)
    t = type_of_value(node.value)
    if isinstance(t, Scalar):
        return constant_of(node.value)
    return Typed(node, Known(node.value), node.value)


def lower_name(lo, node):
    t = lo.read_name(node.id)
    if t is not None:
        return variable(lo, node.id, t)
    try:
        value = lo.resolve(node.id)
    except KeyError:
        lo.refuse(f"the name '{node.id}', which has no value here")
    t = type_of_value(value)
    if isinstance(t, (Scalar, Array, Items)):
        lo.refuse(f"the value '{node.id}' from outside the function", "pass it as an argument")
    return Typed(node, Known(value), value)


def variable(lo, identifier, t):
    if identifier in lo.constants:
        return constant_of(lo.constants[identifier].const)
    if is_known_tuple(t):
        return known_tuple([known(i.value) for i in t.items])
    if isinstance(t, Array):
        return lo.array_name(identifier)
    if isinstance(t, Record):
        return Typed(None, t)
    if identifier in lo.bound_items:
        return lo.bound_items[identifier]
    if isinstance(t, Known):
        if isinstance(t.value, (bool, int, float)):
            return constant_of(t.value)
        return Typed(constant(t.value) if t.value is None or isinstance(t.value, str) else name(identifier), t, t.value)
    if isinstance(t, Stack):
        lo.refuse(f"'{identifier}', a list of the tape, as a value")
    return Typed(name(identifier), t)


def in_words(v):
    from ..types import described

    return described(v.type)


def items_of(value):
    if value.items is not None:
        return value.items
    return [Typed(ast.Subscript(value.node, constant(k), ast.Load()), t) for k, t in enumerate(value.type.items)]


def tuple_of(parts) -> Typed:
    if any(isinstance(p.type, Record) for p in parts):
        return Typed(None, Items(tuple(p.type for p in parts)), items=list(parts))
    node = ast.Tuple([p.node for p in parts], ast.Load())
    return Typed(node, Items(tuple(p.type for p in parts)), items=list(parts))


def callee(lo, node):
    """What a call calls, and the array whose method it is (or None)."""
    from .calls import called

    return called(lo, node)


def simple_scalar(value) -> bool:
    return isinstance(value.node, (ast.Name, ast.Constant))
