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
from ..source import get_source
from .bound_names import names_used
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
    if isinstance(value, Closure):
        formula = _formula(value.node)
        if formula is None:
            cx.unsupported(
                node,
                f"the hook '{value.name}' is a nested function of several statements",
                "write it as a lambda, or outside of the function, with functools.partial for what it reads",
            )
        return _body(cx, value.node, formula, lambda name: _operand(cx, value, name))
    if isinstance(value, types.FunctionType) and value.__name__ == "<lambda>":
        source = get_source(value)
        formula = _formula(source.node)
        if formula is not None:
            cells = dict(zip(value.__code__.co_freevars, value.__closure__ or (), strict=True))
            return _body(cx, source.node, formula, lambda name: _outside(cx, node, name, cells, value.__globals__))
    if isinstance(value, Partial) and isinstance(cx.constant(value.function), types.FunctionType):
        names = {"hook": value.function, **{f"a{k}": a for k, a in enumerate(value.args)}, **{f"k_{k}": v for k, v in value.kwargs.items()}}
        given = [*(f"a{k}" for k in range(len(value.args))), ADJOINT, *(f"{k}=k_{k}" for k in value.kwargs)]
        return Raw(_parsed(f"hook({', '.join(given)})"), names)
    if isinstance(value, types.MethodType):
        return Raw(_parsed(f"owner.{value.__name__}({ADJOINT})"), {"owner": Const(value.__self__)})
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


def _formula(definition):
    """The expression that a lambda, or a function of one statement, returns for its one parameter; None for any other."""
    a = definition.args
    if len(a.posonlyargs) + len(a.args) != 1 or a.vararg or a.kwonlyargs or a.kwarg:
        return None
    body = definition.body
    if isinstance(body, list):
        body = [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
        if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
            return None
        body = body[0].value
    return None if any(isinstance(n, ast.NamedExpr) for n in ast.walk(body)) else body


def _body(cx, definition, formula, operand):
    """A formula with the adjoint in the place of its parameter, and the names that it reads as operands."""
    a = definition.args
    parameter = (*a.posonlyargs, *a.args)[0].arg
    body = copy.deepcopy(formula)
    names = {}
    for name in sorted(names_used(body) - {parameter}):
        found = operand(name)
        if found is not None:
            names[name] = found
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
            return _outside(cx, closure.node, name, frame.cells, {})
        outer, frame = frame, frame.enclosing
    return _outside(cx, closure.node, name, {}, outer.globals)


def _outside(cx, node, name, cells, names):
    """A closed-over value or a global, as an operand; None for builtins and names bound inside."""
    if name not in cells and name not in names:
        return None
    return global_variable(cx, node, name, cells if name in cells else names, "closure" if name in cells else "global")


__all__ = ["ADJOINT", "hook_expression", "lower_on_adjoint"]
