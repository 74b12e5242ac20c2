"""Primal values in reverse code: operands of statements as expressions over `Needed` nodes.

Takes an operand of the IR and the statement whose adjoint reads it; gives an expression whose primal values are
`Needed` nodes. A list that changes later is read from the copy made for the statement; without one it is refused.
"""

from __future__ import annotations

import ast

from ..codegen.names import apply, method_of
from ..errors import UnsupportedSyntaxError
from ..ir.nodes import Assign, Call, Const, ContainerOp, Display, GetAttr, GetItem, Raw, Slice, UserCall, Var
from ..ir.types import Num, Ref, Tup
from .changed_containers import changing_statements
from .code import END, attribute, call, constant, needed, subscript


def need_operand(b, value, at, need="value"):
    """An operand as an expression in reverse code. need: what its variables are needed for, or a function that says it."""
    if isinstance(value, Var):
        if isinstance(value.type, Ref):
            value = list_as_read(b, value, at)
        if value.items is not None and not stands_alone(value):
            items = [need_operand(b, i, at, need) for i in value.items]
            cls = value.type.cls if isinstance(value.type, Tup) else None
            if cls is not None:
                return call(b.namer.object(cls), *items)
            is_list = (
                isinstance(value.definition, Assign)
                and isinstance(value.definition.value, Display)
                and value.definition.value.kind == "list"
            )
            return ast.List(items, ast.Load()) if is_list else ast.Tuple(items, ast.Load())
        return needed(value, need(value) if callable(need) else need, at)
    if isinstance(value, Const):
        return b.namer.object(value.value)
    if isinstance(value, Slice):
        parts = [None if p is None else need_operand(b, p, at) for p in (value.lower, value.upper, value.step)]
        return ast.Slice(*parts)
    if isinstance(value, Display):
        return ast.Tuple([need_operand(b, i, at) for i in value.items], ast.Load())
    if isinstance(value, Call):
        return printed_call(b, value, at)
    if isinstance(value, GetItem):
        base = needed(value.base, need, at) if isinstance(value.base, Var) else need_operand(b, value.base, at)
        return subscript(base, need_operand(b, value.index, at))
    if isinstance(value, GetAttr):
        return attribute(
            need_operand(b, value.base, at, "shape" if value.attr in ("shape", "size", "ndim") else "value"),
            value.attr,
        )
    if isinstance(value, Raw):
        raise UnsupportedSyntaxError("this expression cannot be evaluated again", at.loc)
    return b.namer.object(value)


def list_as_read(b, v, at):
    """A list, or the copy of it that was made for `at`, where it changes later."""
    if at is END or not changes(b, v, at):
        return v
    found = b.cx.copies_of_lists.get(getattr(at, "value", None), {}).get(v)
    if found is None:
        raise UnsupportedSyntaxError(
            f"the derivative of this reads the list '{v.name}' as it is here, and it changes later"
            if not v.hidden
            else "the derivative of this reads a list that changes later",
            at.loc,
            hint="make an array or a tuple of it first",
        )
    return found


def changes(b, v, at) -> bool:
    """May a container (or one inside it) change behind the statement `at`?"""
    position = b.layout.position[at]
    return any(
        b.layout.position[s] >= position or set(b.layout.loops[s]) & {*b.layout.loops[at], at}
        for s in changing_statements(b.cx, v, b.layout.statements)
    )


def printed_call(b, value, at):
    args = [
        need_operand(
            b, a, at, "shape" if value.function is len and isinstance(getattr(a, "type", None), Num) else "value"
        )
        for a in value.args
    ]
    kwargs = {k: need_operand(b, v, at) for k, v in value.kwargs.items()}
    method = method_of(value)
    if method is not None and method.startswith("."):
        return attribute(args[0], method[1:])
    if method is not None:
        return call(attribute(args[0], method), *args[1:], **kwargs)
    if isinstance(value.function, GetAttr):
        return call(need_operand(b, value.function, at), *args, **kwargs)
    return apply(b.namer.object, value.function, args, kwargs)


def index_value(b, node):
    """An index as an argument: slices as calls of `slice`."""
    if isinstance(node, ast.Slice):
        return call(
            b.namer.object(slice),
            *[constant(None) if p is None else p for p in (node.lower, node.upper, node.step)],
        )
    if isinstance(node, ast.Tuple):
        return ast.Tuple([index_value(b, e) for e in node.elts], ast.Load())
    return node


def stands_alone(v: Var) -> bool:
    """Is a tuple a value of its own in the primal (an argument, a result of a call), not only a row of variables?

    So is one that may be None: no row of variables is.
    """
    if v.optional:
        return True
    d = v.definition
    if isinstance(d, Assign):
        return isinstance(d.value, (GetAttr, GetItem)) or (
            isinstance(d.value, Call) and not isinstance(d.value.function, type)
        )
    return d in ("param", "global") or isinstance(d, (ContainerOp, UserCall))
