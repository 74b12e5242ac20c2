"""Statements that say what a name means: nested functions, `nonlocal`, `global`, `import`."""

from __future__ import annotations

import ast

from ...ir.types import STATIC
from .assignments import bind_name
from .closures import decorated_closure


def lower_nested_function(cx, node):
    made = decorated_closure(cx, node)
    if (
        made.hidden
        or made.definition is not cx.blocks[-1][-1]
        or node.name in (*cx.frame.nonlocals, *cx.frame.global_names)
    ):
        bind_name(cx, node.name, made, node)
    else:
        cx.bind(node.name, made)


def lower_class(cx, node):
    cx.unsupported(node, "a class defined inside a differentiated function", "define it at module level")


def lower_nonlocal(cx, node):
    for name in node.names:
        owner = cx.frame
        while (
            owner is not None
            and name not in owner.cells
            and (owner is cx.frame or name not in owner.locals or name in owner.nonlocals)
        ):
            owner = owner.enclosing
        if owner is not None and name in owner.cells:
            cx.frame.outer_cells.add(name)
        else:
            cx.frame.nonlocals.add(name)


def lower_global(cx, node):
    cx.frame.global_names |= set(node.names)


def lower_import(cx, node):
    import importlib

    for alias in node.names:
        if isinstance(node, ast.Import):
            module = importlib.import_module(alias.name)
            value = module if alias.asname else importlib.import_module(alias.name.partition(".")[0])
            name = alias.asname or alias.name.partition(".")[0]
        else:
            package = cx.frame.globals.get("__package__")
            module = importlib.import_module("." * node.level + (node.module or ""), package)
            if alias.name == "*":
                cx.unsupported(node, "'import *' inside a function")
            value = (
                getattr(module, alias.name)
                if hasattr(module, alias.name)
                else importlib.import_module(f"{module.__name__}.{alias.name}")
            )
            name = alias.asname or alias.name
        var = cx.new_var(cx.printed_name(name), STATIC, node)
        var.const = value
        cx.bind(name, var)
