"""Statements without parts that are statements, other than assignments."""

from __future__ import annotations

import ast

from ...errors import AdcompilerError
from ...ir.nodes import Break, Effect
from .bound_names import names_used
from .calls import lower_effect_call
from .containers import delete_item
from .expressions import lower_expression
from .introspection import refuse_in_kept_text
from .kept_text import lower_assertion, may_have_effects
from .subscripts import lower_index


def lower_break(cx, node):
    cx.emit(Break(loc=cx.loc(node)))


def lower_pass(cx, node):
    pass


def lower_expression_statement(cx, node):
    if isinstance(node.value, ast.Constant):
        return
    if isinstance(node.value, ast.Call):
        lower_effect_call(cx, node.value)
    else:
        lower_expression(cx, node.value)


def _effect(cx, node, reads, *, inactive=True):
    """Keep a statement whose values carry no derivative (assert, raise, print)."""
    refuse_in_kept_text(cx, node)
    names = {}
    bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for name in sorted(n for n in reads if n not in bound or cx.find_name(n) is not None):
        try:
            names[name] = lower_expression(cx, ast.copy_location(ast.Name(name, ast.Load()), node))
        except AdcompilerError:
            continue
    cx.emit(Effect(node, names, loc=cx.loc(node)))


def lower_assert(cx, node):
    if may_have_effects(cx, node.test):
        lower_assertion(cx, node)
        return
    _effect(cx, node, names_used(node))


def lower_raise(cx, node):
    if cx.carried:
        plain = ast.Tuple([n for n in (node.exc, node.cause) if n is not None], ast.Load())
        texts = {id(n) for t in ast.walk(plain) if isinstance(t, ast.JoinedStr) for n in ast.walk(t)}
        for n in ast.walk(plain):
            if (
                isinstance(n, ast.Name)
                and id(n) not in texts
                and cx.find_name(n.id) is not None
                and cx.varied(cx.find_name(n.id))
            ):
                cx.unsupported(
                    node,
                    f"the exception carries the active value '{n.id}' to a handler that reads it",
                    "assign it to a name before the 'raise', and read that name",
                )
    _effect(cx, node, names_used(node))


def lower_delete(cx, node):
    for target in node.targets:
        if isinstance(target, ast.Name):
            cx.env.pop(cx.key(target.id), None)
        elif isinstance(target, ast.Subscript):
            delete_item(cx, node, lower_expression(cx, target.value), lower_index(cx, target.slice))
        else:
            cx.unsupported(node, "'del' of an attribute is not understood", "assign None instead")
