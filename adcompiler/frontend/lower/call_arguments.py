"""Operands of a call: positional ones, keywords, and what stars spread."""

from __future__ import annotations

import ast
import collections
import dataclasses
import functools
import math
import types

import numpy as np

from ...ir.nodes import NOTHING, Const, Effect, Var
from ...ir.types import Num, Ref
from ...rules.registry import lookup
from ..source import get_source
from .comprehensions import as_list
from .displays import elements
from .expressions import lower_expression
from .function_values import Closure
from .items import read_item
from .objects import has_generated_init
from .operators import check_unchanged
from .subscripts import subscript
from .values import tuple_of


def arguments(cx, node, callee=None):
    """Positional and keyword operands of a call. Displays given to a function with a rule stay displays."""
    sequence = callee is not None and lookup(known_value(cx, callee)) is not None
    args = []
    for a in node.args:
        stores = cx.stores
        if sequence and isinstance(a, (ast.List, ast.Tuple)):
            args.append(_literal_sequence(cx, a))
        elif isinstance(a, ast.Starred):
            args.extend(_spread_to_fit(cx, node, a, callee) or elements(cx, [a]))
        elif isinstance(a, ast.GeneratorExp) and (sequence or _reads_at_once(cx, node, known_value(cx, callee))):
            args.append(lower_expression(cx, as_list(a)))
        else:
            args.append(lower_expression(cx, a))
        if cx.stores != stores:
            for earlier in args[:-1]:
                if isinstance(earlier, Var) and earlier.hidden:
                    check_unchanged(cx, node, earlier, stores)
    kwargs = {}
    for k in node.keywords:
        if k.arg is None:
            kwargs.update(_spread_mapping(cx, node, lower_expression(cx, k.value)))
        elif sequence and isinstance(k.value, (ast.List, ast.Tuple)):
            kwargs[k.arg] = _literal_sequence(cx, k.value)
        else:
            kwargs[k.arg] = lower_expression(cx, k.value)
    return args, kwargs


def _spread_to_fit(cx, node, starred, callee):
    """`f(*x)` with an array `x`, where `f` has a fixed number of parameters and nothing else is passed; else None."""
    count = _count_of_parameters(known_value(cx, callee))
    if count is None or len(node.args) != 1 or node.keywords:
        return None
    value = lower_expression(cx, starred.value)
    t = cx.type(value)
    if not (isinstance(t, Num) and t.rank):
        return None
    name = getattr(known_value(cx, callee), "__name__", None) or getattr(known_value(cx, callee), "name", "function")
    text = f"if len(x) != {count}: raise TypeError('{name}() takes {count} positional arguments')"
    check = ast.fix_missing_locations(ast.copy_location(ast.parse(text).body[0], node))
    cx.emit(Effect(check, {"x": value}, loc=cx.loc(node)))
    return [subscript(cx, node, value, Const(k)) for k in range(count)]


def _count_of_parameters(function) -> int | None:
    """The number of positional arguments that a function or class takes, if it takes no other number."""
    if isinstance(function, type) and dataclasses.is_dataclass(function) and has_generated_init(function):
        fields = [f for f in dataclasses.fields(function) if f.init]
        plain = all(f.default is f.default_factory is dataclasses.MISSING and not f.kw_only for f in fields)
        return len(fields) if plain else None
    init = function.__init__ if isinstance(function, type) else None
    if isinstance(function, types.FunctionType) or isinstance(init, types.FunctionType):
        a = get_source(function if init is None else init).node.args
    elif isinstance(function, Closure):
        a = function.node.args
    else:
        return None
    if a.vararg or a.defaults or a.kwonlyargs:
        return None
    return len(a.posonlyargs) + len(a.args) - (init is not None)


# Functions without a rule that read all of an iterable at once.
_CONSUMERS = (np.fromiter, math.fsum, math.prod, math.hypot, collections.deque)


def _reads_at_once(cx, node, function) -> bool:
    """Does this function read all of a generator at once, and nothing happens in between that it could see?"""
    if function is functools.reduce:
        step = node.args[0]
        if isinstance(step, ast.Lambda):
            return not any(isinstance(n, ast.Call) for n in ast.walk(step.body))
        named = isinstance(step, (ast.Name, ast.Attribute))
        return named and lookup(cx.constant(lower_expression(cx, step))) is not None
    return function in _CONSUMERS


def known_value(cx, callee):
    value = cx.constant(callee) if callee is not None else NOTHING
    return value if value is not NOTHING else None


def _literal_sequence(cx, node):
    """A list or tuple display as an argument: a tuple to the compiler, printed as the user wrote it."""
    if any(isinstance(e, ast.Starred) for e in node.elts):
        return lower_expression(cx, node)
    operands = [
        _literal_sequence(cx, e) if isinstance(e, (ast.List, ast.Tuple)) else lower_expression(cx, e) for e in node.elts
    ]
    made = tuple_of(cx, node, operands)
    if isinstance(node, ast.List) and isinstance(made, Var):
        made.definition.value.kind = "list"
    elif isinstance(node, ast.List) and isinstance(made, Const):
        return Const(_ListLiteral(made.value))
    return made


class _ListLiteral(tuple):
    """A constant list given to a function; printed as a list."""

    __slots__ = ()


def _spread_mapping(cx, node, value):
    constant = cx.constant(value)
    if isinstance(constant, dict):
        return {k: Const(v) for k, v in constant.items()}
    t = cx.type(value)
    if isinstance(t, Ref) and t.kind == "dict":
        holder = cx.assumed.holders[t.site]
        if holder.exact:
            return {k: read_item(cx, node, value, Const(k)) for k in holder.items}
    cx.unsupported(node, "the keys of what ** spreads are not known at compile time", "pass the keywords by name")
