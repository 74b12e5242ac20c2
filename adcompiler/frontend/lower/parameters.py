"""Parameters of the user's functions and what they stand for."""

from __future__ import annotations

import ast

from ...ir.nodes import Assign, Const, Var
from ...ir.types import Static, type_of
from .dicts import dict_of
from .function_values import Closure
from .iterators import refuse_name
from .values import copy_of, global_variable, tuple_of


def bind_parameter(cx, node, name, operand, rebound, captured=False):
    """A parameter stands for its argument; one that the function binds again gets a variable of its own.

    captured: a function inside reads it, perhaps after the caller has bound the name of the argument again.
    """
    refuse_name(cx, node, operand)
    if captured and isinstance(operand, Var) and not rebound:
        operand = copy_of(cx, node, operand)
    if rebound and isinstance(operand, Var):
        var = cx.new_var(cx.printed_name(name), cx.type(operand), node)
        var.absorbed, var.optional = operand.absorbed, operand.optional
        var.const, var.varied, var.group, var.items, var.dim = (
            operand.const,
            operand.varied,
            operand.group,
            operand.items,
            operand.dim,
        )
        statement = Assign(var, operand, loc=cx.loc(node))
        var.definition = statement
        cx.emit(statement)
        operand = var
    if isinstance(operand, Const):
        value = operand.value
        var = cx.new_var(cx.printed_name(name), cx.type(operand), node, hidden=False)
        var.const = value
        statement = Assign(var, operand, loc=cx.loc(node))
        var.definition = statement
        cx.emit(statement)
        operand = var
    cx.env[(cx.frame.number, name)] = operand


def bind_arguments(cx, node, callee, frame, args, kwargs) -> dict:
    """Parameters of a user's function and their operands, in Python's way."""
    a = callee.node.args
    if isinstance(callee, Closure):
        defaults, keyword_defaults = list(callee.defaults), dict(callee.keyword_defaults)
    else:
        function = callee.function
        names = [x.arg for x in (*a.posonlyargs, *a.args)]
        count = len(function.__defaults__ or ())
        defaults = [
            default_operand(cx, node, callee, v, n)
            for v, n in zip(function.__defaults__ or (), names[len(names) - count :], strict=True)
        ]
        keyword_defaults = {
            k: default_operand(cx, node, callee, v, k) for k, v in (function.__kwdefaults__ or {}).items()
        }
    positional = [x.arg for x in (*a.posonlyargs, *a.args)]
    only_positional = {x.arg for x in a.posonlyargs}
    bound = dict(zip(positional, args, strict=False))
    extra = args[len(positional) :]
    name = getattr(callee, "name", None) or getattr(callee, "qualname", "function")
    if extra and a.vararg is None:
        cx.unsupported(node, f"{name}() takes {len(positional)} positional arguments but {len(args)} are given")
    named = dict(kwargs)
    for p in [*positional, *[k.arg for k in a.kwonlyargs]]:
        if p in named and p not in only_positional:
            if p in bound:
                cx.unsupported(node, f"{name}() gets two values for '{p}'")
            bound[p] = named.pop(p)
    for p, d in zip(positional[len(positional) - len(defaults) :], defaults, strict=True):
        bound.setdefault(p, d)
    for p, d in keyword_defaults.items():
        bound.setdefault(p, d)
    missing = [p for p in [*positional, *[k.arg for k in a.kwonlyargs]] if p not in bound]
    if missing:
        cx.unsupported(node, f"{name}() misses the argument '{missing[0]}'")
    if a.vararg is not None:
        bound[a.vararg.arg] = tuple_of(cx, node, list(extra))
    if a.kwarg is not None:
        bound[a.kwarg.arg] = dict_of(cx, node, named)
    elif named:
        cx.unsupported(node, f"{name}() has no parameter '{next(iter(named))}'")
    return bound


def default_operand(cx, node, callee, value, name):
    if isinstance(value, (list, dict, set)):
        _check_default_unchanged(cx, node, callee, name)
    return constant_operand(cx, node, value, name)


def _check_default_unchanged(cx, node, callee, name):
    for n in ast.walk(callee.node):
        changed = (
            isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and isinstance(n.func.value, ast.Name)
            and n.func.value.id == name
            and n.func.attr in ("append", "extend", "insert", "pop", "update", "clear", "add", "setdefault", "remove")
        )
        stored = (
            isinstance(n, ast.Subscript)
            and isinstance(n.ctx, ast.Store)
            and isinstance(n.value, ast.Name)
            and n.value.id == name
        )
        if changed or stored:
            cx.unsupported(
                n,
                f"the default object of '{name}' is changed, which outlives the call",
                f"use {name}=None and make a new one inside",
            )


def constant_operand(cx, node, value, name):
    if (
        isinstance(value, (int, float, complex, str, bool))
        or value is None
        or (callable(value) and isinstance(type_of(value), Static))
    ):
        return Const(value)
    if isinstance(value, tuple) and all(isinstance(v, (int, float, str, bool)) or v is None for v in value):
        return Const(value)
    container = cx.assumed.constants.setdefault((id(value), name), {name: value})
    return global_variable(cx, node, name, container, "attribute")
