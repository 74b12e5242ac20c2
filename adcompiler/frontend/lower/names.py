"""Names, constants, and expressions that are kept as the user wrote them."""

from __future__ import annotations

import ast
import builtins

from ...errors import UnsupportedSyntaxError
from ...ir.nodes import Const, Effect, Raw
from ...ir.types import OPAQUE, Undefined
from .baked import take_builtin_for_granted
from .bound_names import names_used
from .introspection import refuse_in_kept_text
from .special_methods import refuse_hidden_effects
from .unseen_calls import note_unseen_calls
from .values import bring, copy_of, global_variable


def lower_constant(cx, node):
    return Const(node.value)


def lower_name(cx, node):
    var = cx.find_name(node.id)
    if var is not None:
        if isinstance(var.type, Undefined):
            _no_value(cx, node, "has")
        if not var.hidden and node.id in cx.frame.rebound_inside:
            return bring(cx, copy_of(cx, node, var))
        return bring(cx, var)
    frame = cx.frame
    if node.id in frame.locals and node.id not in frame.nonlocals | frame.global_names | frame.outer_cells:
        if cx.loop_depth == 0:
            return _unassigned(cx, node)
        _no_value(cx, node, "may have")
    while frame is not None:
        if node.id in frame.cells:
            return global_variable(cx, node, node.id, frame.cells, "closure")
        frame = frame.enclosing
    if node.id in cx.frame.globals:
        return global_variable(cx, node, node.id, cx.frame.globals, "global")
    if hasattr(builtins, node.id):
        take_builtin_for_granted(cx, cx.frame.globals, node.id)
        return Const(getattr(builtins, node.id))
    return cx.assign_temporary(Raw(node, {}), OPAQUE, node)


def _no_value(cx, node, verb):
    """Refuse a name without a value; in a loop, it may get one in a later walk."""
    loc, reason = cx.user_loc(node, f"'{node.id}' {verb} no value here")
    error = UnsupportedSyntaxError(reason, loc, hint="assign it before this line on every path")
    error.may_pass = True
    raise error


def _unassigned(cx, node):
    """A local name that no statement before has assigned: reading it raises, as in the function itself."""
    text = (
        f"raise UnboundLocalError(\"cannot access local variable '{node.id}' where it is not associated with a value\")"
    )
    statement = ast.copy_location(ast.parse(text).body[0], node)
    cx.emit(Effect(ast.fix_missing_locations(statement), {}, loc=cx.loc(node)))
    return Const(0.0)


def raw(cx, node, type=OPAQUE, *, inactive=False, given=None):
    """Keep an expression as the user wrote it. Its result must carry no derivative: with `inactive` that is known.

    `given`: operands for names in it that are none of the program's.
    """
    names = dict(given or {})
    bound = {a.arg for n in ast.walk(node) if isinstance(n, ast.Lambda) for a in n.args.args}
    bound |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    for name in sorted(names_used(node) - bound - names.keys()):
        try:
            names[name] = lower_name(cx, ast.copy_location(ast.Name(name, ast.Load()), node))
        except Exception as error:
            if name in cx.frame.locals:
                raise error
    refuse_in_kept_text(cx, node)
    refuse_hidden_effects(cx, node, names.values())
    note_unseen_calls(cx, node, names.values())
    if not inactive:
        active = [n for n, v in names.items() if cx.varied(v)]
        if active:
            cx.unsupported(
                node,
                f"'{ast.unparse(node)[:60]}' is not understood, and {', '.join(active)} may carry a derivative",
                "write it with operations that have rules, or cut the derivative with ad.stop_gradient",
            )
    return cx.assign_temporary(Raw(node, names), type, node)


def template(cx, node, type, **operands):
    """An inactive expression built by the compiler; the names in `node` stand for `operands`."""
    return cx.assign_temporary(Raw(node, operands), type, node)
