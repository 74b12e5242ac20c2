"""Lambdas, nested functions and partials as values."""

from __future__ import annotations

import ast
import copy
import functools
import types

from ...errors import AdcompilerError
from ...ir.nodes import NOTHING, Assign, Call, Const, Raw, Var
from ...ir.types import STATIC
from .bound_names import assigned_names, names_used
from .expressions import lower_expression
from .function_values import Closure, Partial
from .values import copy_of, global_variable


def make_closure(cx, node):
    """A lambda or nested function as a value. Defaults are evaluated here, whatever becomes of the names in them."""
    a = node.args
    defaults = tuple(kept_operand(cx, node, lower_expression(cx, d)) for d in a.defaults)
    keyword = {
        k.arg: kept_operand(cx, node, lower_expression(cx, d))
        for k, d in zip(a.kwonlyargs, a.kw_defaults, strict=True)
        if d is not None
    }
    name = getattr(node, "name", "<lambda>")
    closure = Closure(node, cx.frame, defaults, keyword, name)
    cx.kept_frames.add(cx.frame.number)
    tree, names = _printed_closure(cx, node, defaults, keyword)
    if isinstance(node, ast.Lambda):
        t = cx.assign_temporary(Raw(tree, names), STATIC, node)
    else:
        t = cx.new_var(cx.printed_name(node.name), STATIC, node)
        t.definition = Assign(t, Raw(tree, names), loc=cx.loc(node))
        cx.emit(t.definition)
    t.const = closure
    return t


def kept_operand(cx, node, operand):
    """An operand that a function fixes when it is made: a copy of the name, unless the name is never bound again."""
    if isinstance(operand, Const) or operand.definition == "param" and operand.name not in cx.frames[0].bound_again:
        return operand
    return copy_of(cx, node, operand)


def _printed_closure(cx, node, defaults, keyword):
    """The text of a closure for where the object itself is needed, with its free names and defaults as operands."""
    tree = copy.deepcopy(node)
    if isinstance(tree, ast.FunctionDef):
        tree.name, tree.decorator_list, tree.returns = cx.printed_name(node.name), [], None
    names, renamed = {}, {}
    a = tree.args
    for n, d in [
        *((f"default_{k}", d) for k, d in enumerate(defaults)),
        *((f"default_{k}", d) for k, d in keyword.items()),
    ]:
        names[n] = d
    a.defaults = [ast.copy_location(ast.Name(f"default_{k}", ast.Load()), node) for k in range(len(defaults))]
    a.kw_defaults = [
        ast.copy_location(ast.Name(f"default_{k.arg}", ast.Load()), node) if k.arg in keyword else None
        for k in a.kwonlyargs
    ]
    for argument in [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]:
        if argument is not None:
            argument.annotation = None
    own = {x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if x is not None}
    own |= assigned_names(tree.body) if isinstance(tree, ast.FunctionDef) else set()
    body = tree.body if isinstance(tree.body, list) else [tree.body]
    for n in sorted({m for part in body for m in names_used(part)} - own):
        var = cx.find_name(n)
        if var is not None:
            names[n] = var
        elif n in cx.frame.locals:
            renamed[n] = cx.printed_name(n)
        else:
            outer = _read_outside(cx, node, n)
            if outer is not None:
                names[n] = outer
    for part in ast.walk(tree):
        if isinstance(part, ast.Name) and part.id in renamed:
            part.id = renamed[part.id]
    return tree, names


def _read_outside(cx, node, name):
    """The operand of a free name that is a cell or a global; None for a builtin, and for what is not there."""
    frame = cx.frame
    while frame is not None and name not in frame.cells:
        frame = frame.enclosing
    container, kind = (frame.cells, "closure") if frame is not None else (cx.frame.globals, "global")
    try:
        value = container[name].cell_contents if kind == "closure" else container[name]
    except (KeyError, ValueError):
        return None
    if callable(value) or isinstance(value, types.ModuleType):
        return Const(value)
    try:
        return global_variable(cx, node, name, container, kind)
    except AdcompilerError:
        return None  # where the function is called, the error has its place


def decorated_closure(cx, node):
    """A nested function with its decorators applied; those that only keep metadata or results are passed over."""
    from .calls import call_value

    decorators = [lower_expression(cx, d) for d in node.decorator_list if not _keeps_function(cx, d)]
    made = make_closure(cx, node)
    for decorator in reversed(decorators):
        made = call_value(cx, node, decorator, [made], {})
    return made if isinstance(made, Var) else copy_of(cx, node, made)


def _keeps_function(cx, node):
    """Does this decorator return a function that computes the same?"""
    called = node.func if isinstance(node, ast.Call) else node
    value = cx.constant(lower_expression(cx, called)) if isinstance(called, (ast.Name, ast.Attribute)) else NOTHING
    return any(value is f for f in (functools.cache, functools.lru_cache, functools.wraps)) or (
        getattr(value, "__module__", "") == "adcompiler.decorator" and value.__name__ == "differentiable"
    )


def make_partial(cx, node, args, kwargs):
    """`functools.partial(f, ...)`: the operands are fixed now, `f` is called where the partial is."""
    fixed = [kept_operand(cx, node, a) for a in args[1:]]
    named = {k: kept_operand(cx, node, v) for k, v in kwargs.items()}
    t = cx.assign_temporary(Call(functools.partial, (args[0], *fixed), named), STATIC, node)
    t.const = Partial(args[0], tuple(fixed), named)
    return t
