"""Forms of the arguments of recursive calls: what an instance is compiled for, and what it is handed at run time.

A value that is known at compile time and carries no number (a function, None, a string, a flag) is part of the form.
The operands that a function value carries (defaults, the object of a method), and the variables that it reads from
the functions around it, are handed over beside the arguments.
"""

from __future__ import annotations

import ast

from ...ir.nodes import NOTHING, Const, Var
from ...ir.types import Num, Ref, Static, Tup, Undefined, without_dims
from .bound_names import assigned_names, names_used


def definition_of(callee):
    function = getattr(callee, "function", None)
    return function if function is not None else place_of(callee)


def place_of(closure):
    n = closure.node
    return (closure.frame.filename, n.lineno, n.col_offset, n.end_lineno, n.end_col_offset, closure.frame.path)


def operand_leaves(operand) -> list:
    """The operands that a (nested) tuple consists of."""
    if isinstance(operand, Var) and operand.items is not None:
        return [leaf for i in operand.items for leaf in operand_leaves(i)]
    if isinstance(operand, Const) and isinstance(operand.value, tuple):
        return [leaf for v in operand.value for leaf in operand_leaves(Const(v))]
    return [operand]


def form_of(cx, node, operand):
    """What an instance is compiled for, of one argument: hashable, and the same in every walk."""
    form = _form_of(cx, node, operand)
    return ("optional", form) if getattr(operand, "optional", False) else form


def _form_of(cx, node, operand):
    t, constant = cx.assumed.current(cx.type(operand)), cx.constant(operand)
    if isinstance(t, Undefined):
        cx.unsupported(
            node, "an argument of this recursive call may have no value here", "assign it on every path before"
        )
    if isinstance(t, Tup):
        items = operand.items if isinstance(operand, Var) else [Const(v) for v in operand.value]
        if items is None:
            cx.unsupported(node, "a tuple of unknown length is passed to a recursive function", "pass a list")
        return ("tuple", t.cls, tuple(form_of(cx, node, i) for i in items))
    if isinstance(t, Ref):
        return ("container", t.kind, t.site)
    if constant is not NOTHING and (isinstance(t, Static) or isinstance(constant, bool)):
        return ("known", _known(cx, node, constant))
    if isinstance(t, Num):
        return ("number", without_dims(t), cx.varied(operand))
    if cx.varied(operand):
        cx.unsupported(node, "an active value of unknown type is passed to a recursive function")
    return ("opaque",)


def _known(cx, node, value):
    from .function_values import ArrayMethod, BoundMethod, Closure, Partial

    if isinstance(value, Closure):
        return ("closure", place_of(value), tuple(form_of(cx, node, o) for o in operands_of(value)))
    if isinstance(value, BoundMethod):
        return ("method", value.function, form_of(cx, node, value.self))
    if isinstance(value, Partial):
        function = form_of(cx, node, value.function) if isinstance(value.function, (Var, Const)) else value.function
        return ("partial", function, tuple(value.kwargs), tuple(form_of(cx, node, o) for o in operands_of(value)))
    if is_table(value):
        return ("shadows", value.place)
    if isinstance(value, ArrayMethod) or type(value).__module__ == Closure.__module__:
        cx.unsupported(
            node, "a function that is chosen at run time is passed to a recursive function", "pass the function itself"
        )
    try:
        hash(value)
    except TypeError:
        return ("object", id(value))
    return (type(value), value)


def operands_of(value) -> list:
    """Operands that a function value of the program carries."""
    from .function_values import BoundMethod, Closure, Partial

    if isinstance(value, Closure):
        return [*value.defaults, *value.keyword_defaults.values()]
    if isinstance(value, BoundMethod):
        return [value.self]
    if isinstance(value, Partial):
        return [*value.args, *value.kwargs.values()]
    return []


def is_known(cx, operand) -> bool:
    constant = cx.constant(operand)
    return constant is not NOTHING and (isinstance(cx.type(operand), Static) or isinstance(constant, bool))


def is_table(value) -> bool:
    """Is it a table of shadows, which is known by its place, and handed over like any object?"""
    from .shadow_tables import ShadowTable

    return isinstance(value, ShadowTable)


def passed_operands(cx, operand) -> list:
    """The operands that are handed over at run time for one argument."""
    if is_table(cx.constant(operand)):
        return [operand]
    if is_known(cx, operand):
        return [p for o in operands_of(cx.constant(operand)) for p in passed_operands(cx, o)]
    return [operand]


def captured_variables(cx, node, callee, bound) -> dict:
    """Variables of enclosing functions that the callee, or a function passed to it, reads: (frame, name) -> operand."""
    from .function_values import Closure

    found, seen = {}, set()
    waiting = [callee, *[cx.constant(leaf) for o in bound.values() for leaf in operand_leaves(o)]]
    while waiting:
        value = waiting.pop(0)
        if id(value) in seen or value is NOTHING:
            continue
        seen.add(id(value))
        waiting.extend(cx.constant(leaf) for o in operands_of(value) for leaf in operand_leaves(o))
        if getattr(value, "function", None) is not None and isinstance(value.function, (Var, Const)):
            waiting.append(cx.constant(value.function))
        if not isinstance(value, Closure):
            continue
        for name in _free_names(value.node):
            frame = value.frame
            while frame is not None and (frame.number, name) not in cx.env:
                frame = frame.enclosing
            if frame is None:
                continue
            if _rebinds(value.node, name):
                cx.unsupported(
                    node,
                    f"a recursive function binds '{name}' of the function around it again",
                    f"pass '{name}' as an argument and return its new value",
                )
            operand = cx.env[(frame.number, name)]
            found[(frame, name)] = operand
            waiting.extend(cx.constant(leaf) for leaf in operand_leaves(operand))
    return dict(sorted(found.items(), key=lambda entry: (entry[0][0].number, entry[0][1])))


def _free_names(node) -> list:
    a = node.args
    own = {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, *[x for x in (a.vararg, a.kwarg) if x is not None])}
    body = [ast.Expr(node.body)] if isinstance(node, ast.Lambda) else node.body
    rebound = {n for s in ast.walk(node) if isinstance(s, ast.Nonlocal) for n in s.names}
    own |= assigned_names(body) - rebound
    used = {n for s in body for n in names_used(s)} | rebound
    return sorted(used - own)


def _rebinds(node, name) -> bool:
    return any(isinstance(n, ast.Nonlocal) and name in n.names for n in ast.walk(node))


def with_operands(value, operands):
    """A function value with operands of the instance in place of the caller's."""
    from .function_values import BoundMethod, Closure, Partial

    if isinstance(value, Closure):
        count = len(value.defaults)
        return Closure(
            value.node,
            value.frame,
            tuple(operands[:count]),
            dict(zip(value.keyword_defaults, operands[count:], strict=True)),
            value.name,
        )
    if isinstance(value, BoundMethod):
        return BoundMethod(value.function, operands[0])
    if isinstance(value, Partial):
        count = len(value.args)
        return Partial(value.function, tuple(operands[:count]), dict(zip(value.kwargs, operands[count:], strict=True)))
    return value


__all__ = [
    "captured_variables",
    "definition_of",
    "form_of",
    "is_known",
    "is_table",
    "operand_leaves",
    "operands_of",
    "passed_operands",
    "with_operands",
]
