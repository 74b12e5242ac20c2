"""Lowering of `on_adjoint`: an alias of the value, with the call of the hook as an expression around the adjoint.

The hook becomes an expression in which the name `ADJOINT` stands for the adjoint: the body of a lambda, or the call of
any other function. What it reads besides is read where `on_adjoint` is called.
"""

from __future__ import annotations

import ast
import copy
import types

from ...ir.nodes import NOTHING, Call, Const, Raw, Var
from ...ir.types import Num
from ...rules.registry import lookup
from ...surgery import on_adjoint
from .context import names_used
from .function_values import BoundMethod, Closure, FunctionValue, Partial, StoredClosure, StoredPartial
from .values import global_variable

ADJOINT = "_adjoint"


def lower_on_adjoint(cx, node, args, kwargs):
    """The value, under another name where a derivative flows."""
    given = dict(zip(("h", "hook"), args, strict=False), **kwargs)
    if set(given) != {"h", "hook"} or len(args) > 2:
        cx.unsupported(node, "on_adjoint takes a value and a hook", "write h = ad.on_adjoint(h, hook)")
    h, hook = given["h"], given["hook"]
    if not cx.varied(h):
        return h
    if not isinstance(h, Var) or not isinstance(cx.type(h), Num):
        cx.unsupported(
            node,
            "on_adjoint of what is not known to be one number or one array",
            "call it for each array: a, b = ad.on_adjoint(a, hook), ad.on_adjoint(b, hook)",
        )
    expression = hook_expression(cx, node, hook)
    bound = {"h": h, "hook": expression}
    result = cx.assign_temporary(Call(on_adjoint, (h, expression), {}, lookup(on_adjoint), bound), cx.type(h), node)
    result.varied, result.group, result.dim = True, h.group, h.dim
    return result


def hook_expression(cx, node, hook):
    """`hook(ADJOINT)` as a piece of text with its operands."""
    value = cx.constant(hook)
    if value is NOTHING:
        return _call({"hook": hook}, "hook")
    if isinstance(value, Closure) and isinstance(value.node, ast.Lambda) and _is_plain(value.node):
        return _body(cx, value)
    if isinstance(value, Closure):
        if _local_names(cx, value):
            cx.unsupported(
                node,
                f"the hook '{value.name}' is a nested function that reads variables of the function around it",
                "write it as a lambda, or as a function outside and functools.partial for what it reads",
            )
        return _call({"hook": hook}, "hook")
    if isinstance(value, Partial) and isinstance(cx.constant(value.function), types.FunctionType):
        names = {"hook": value.function, **{f"a{k}": a for k, a in enumerate(value.args)}, **{f"k_{k}": v for k, v in value.kwargs.items()}}
        given = [*(f"a{k}" for k in range(len(value.args))), ADJOINT, *(f"{k}=k_{k}" for k in value.kwargs)]
        return Raw(_parsed(f"hook({', '.join(given)})"), names)
    if isinstance(value, BoundMethod):
        return Raw(_parsed(f"owner.{value.function.__name__}({ADJOINT})"), {"owner": value.self})
    if isinstance(value, (FunctionValue, StoredClosure, StoredPartial)):
        return _call({"hook": hook}, "hook")
    if not callable(value):
        cx.unsupported(node, "the hook of on_adjoint is no function", "pass a function of the adjoint")
    return _call({"hook": Const(value)}, "hook")


def _call(names, function):
    return Raw(_parsed(f"{function}({ADJOINT})"), names)


def _parsed(text):
    return ast.parse(text, mode="eval").body


def _is_plain(node: ast.Lambda) -> bool:
    """One parameter that is given by position, and a body that binds no names of its own."""
    a = node.args
    one = len(a.posonlyargs) + len(a.args) == 1 and not (a.vararg or a.kwonlyargs or a.kwarg)
    return one and not any(isinstance(n, ast.NamedExpr) for n in ast.walk(node.body))


def _body(cx, closure):
    """The body of a lambda with the adjoint in the place of its parameter, and the names that it reads as operands."""
    a = closure.node.args
    parameter = (*a.posonlyargs, *a.args)[0].arg
    body = copy.deepcopy(closure.node.body)
    names = {}
    for name in sorted(names_used(body) - {parameter}):
        operand = _operand(cx, closure, name)
        if operand is not None:
            names[name] = operand
    names[parameter] = Raw(ast.Name(ADJOINT, ast.Load()), {})
    return Raw(body, names)


def _operand(cx, closure, name):
    """What a free name of a closure means now; None for builtins and names bound inside."""
    frame = closure.frame
    while frame is not None:
        found = cx.env.get((frame.number, name))
        if found is not None:
            return found
        if name in frame.cells:
            return global_variable(cx, closure.node, name, frame.cells, "closure")
        outer, frame = frame, frame.enclosing
    if name in outer.globals:
        value = outer.globals[name]
        if callable(value) or isinstance(value, types.ModuleType):
            return Const(value)
        return global_variable(cx, closure.node, name, outer.globals, "global")
    return None


def _local_names(cx, closure) -> set[str]:
    """Variables of the differentiated code that a nested function reads."""
    found, frame = set(), closure.frame
    while frame is not None:
        found |= {name for name in names_used(closure.node) if (frame.number, name) in cx.env}
        frame = frame.enclosing
    own = {x.arg for x in ast.walk(closure.node.args) if isinstance(x, ast.arg)}
    return found - own - {closure.name}


__all__ = ["ADJOINT", "hook_expression", "lower_on_adjoint"]
