"""Lowering of statements. One that cannot be lowered, and touches nothing active, is kept as the user wrote it.

`syntax` says which function lowers which kind of statement.
"""

from __future__ import annotations

import ast
import dataclasses

from ...errors import AdcompilerError
from ...ir.nodes import NOTHING, Effect, Var
from ...ir.types import OPAQUE, UNDEFINED
from ..matching import as_written, captured_names
from .bound_names import assigned_names, first_pause, names_used
from .exceptions import known_callee
from .expressions import lower_expression
from .introspection import refuse_in_kept_text, refuse_what_sees_variables, with_texts_evaluated
from .unseen_calls import captured_by, may_be_written, rebound_unseen

LOWER: dict = {}  # type of node -> function (context, node)


def lower_block(cx, body) -> None:
    """Lower statements into the current block."""
    for statement in body:
        lower_statement(cx, statement)


def lower_statement(cx, node) -> None:
    frame = cx.frame
    outer = (frame.statement, frame.live_now)
    frame.statement, frame.live_now = node, frame.live_after.get(id(node), outer[1])
    method = LOWER.get(ast.Try if isinstance(node, ast.Try) else type(node))
    saved_env, length, uid = dict(cx.env), len(cx.blocks[-1]), len(cx.blocks)
    state = (frame.path, len(cx.frames), cx.loop_depth, cx.implicit)
    try:
        if method is None:
            cx.unsupported(node, f"{type(node).__name__} cannot be differentiated")
        method(cx, node)
    except AdcompilerError as error:
        if error.may_pass and not cx.assumed.settled:
            _leave_out(cx, node, error, saved_env, length, uid, state)
        elif error.final or not _keep(cx, node, saved_env, length, uid):
            raise
    finally:
        frame.statement, frame.live_now = outer


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _leave_out(cx, node, error, env, length, depth, state):
    """A statement that reads what gets its value later in a loop: the next walk knows more; its names have none yet."""
    cx.unvalued = error
    cx.env = env
    del cx.blocks[depth:], cx.blocks[-1][length:]
    frame = cx.frames[state[1] - 1]
    frame.path, _, cx.loop_depth, cx.implicit = state
    del cx.frames[state[1] :]
    for name in sorted(assigned_names([node])):
        cx.bind(name, cx.new_var(cx.printed_name(name), UNDEFINED, node))


def _keep(cx, node, saved_env, length, depth) -> bool:
    """Keep a statement that touches nothing active, as it is."""
    blocks = isinstance(node, (ast.For, ast.While, ast.If, ast.Try, ast.With))
    if blocks and any(isinstance(n, ast.Break) for n in ast.walk(node)):
        return False
    if not isinstance(node, _SCOPES) and first_pause(node) is not None:
        return False  # generated code would pause there
    if any(
        n in cx.frame.global_names or n in cx.frame.outer_cells or n in cx.frame.nonlocals
        for n in assigned_names([node])
    ):
        return False
    if any(cx.printed_name(name) != name for name in captured_names(node)):
        return False
    if "super" in names_used(node) and any(isinstance(n, ast.Call) and not n.args for n in ast.walk(node)):
        return False  # `super()` means something inside its class only
    env, cx.env = cx.env, saved_env
    node = with_texts_evaluated(cx, node)
    refuse_in_kept_text(cx, node)
    frames = [f for f in cx.frames]
    names = {}
    for name in sorted(_names_read(node)):
        var = cx.find_name(name)
        if var is not None:
            names[name] = var
    refuse_what_sees_variables(cx, node, names.values())
    if rebound_unseen(cx, names.values()) or any(_reaches_active(cx, v, set()) for v in names.values()) or any(
        cx.varied(cx.find_name(n)) for n in assigned_names([node]) if cx.find_name(n) is not None and _mutates(node, n)
    ):
        cx.env = env
        return False
    assert frames == cx.frames
    del cx.blocks[-1][length:]
    while len(cx.blocks) > depth:
        cx.blocks.pop()
    _note_stored_attributes(cx, node)
    effect = Effect(as_written(node), {}, {}, loc=cx.loc(node))
    own = assigned_names([node])
    own |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    own |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}  # of functions in it, as those of comprehensions
    for name in sorted(names_used(node)):
        if cx.find_name(name) is None and name not in own:
            try:
                names[name] = lower_expression(cx, ast.copy_location(ast.Name(name, ast.Load()), node))
            except AdcompilerError:
                continue
    effect.names = names
    captured = captured_by(cx, names.values())
    for var in (*names.values(), *captured):
        may_be_written(var)
    for name in sorted(assigned_names([node])):
        var = cx.new_var(cx.printed_name(name), OPAQUE, node)
        var.definition = effect
        effect.writes[name] = var
        cx.bind(name, var)
    cx.emit(effect)
    cx.note_store(*names.values(), *captured)
    return True


def _note_stored_attributes(cx, node):
    """Attributes of classes and modules that a kept statement sets are read when the generated code runs."""
    for n in ast.walk(node):
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store):
            owner = known_callee(cx, n.value)
            key = (id(owner), n.attr)
            if owner is not NOTHING and key not in cx.assumed.stored_attributes:
                cx.assumed.stored_attributes.add(key)
                cx.assumed.changed = True


def _names_read(node):
    """Names that a statement reads; `name op= value` reads its name."""
    return names_used(node) | {
        n.target.id for n in ast.walk(node) if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)
    }


def _reaches_active(cx, value, seen) -> bool:
    """Is a value active, or a function that may read or change something active through its free names?"""
    if isinstance(value, (tuple, list)):
        return any(_reaches_active(cx, v, seen) for v in value)
    if isinstance(value, dict):
        return any(_reaches_active(cx, v, seen) for v in value.values())
    if isinstance(value, Var):
        return cx.varied(value) or value.const is not NOTHING and _reaches_active(cx, value.const, seen)
    if (
        not dataclasses.is_dataclass(value)
        or isinstance(value, type)
        or id(value) in seen
        or not type(value).__module__.startswith("adcompiler.")
    ):
        return False
    seen.add(id(value))
    tree, frame = getattr(value, "node", None), getattr(value, "frame", None)
    if isinstance(tree, ast.AST) and frame is not None:
        for name in names_used(tree):
            around = frame
            while around is not None:
                if (around.number, name) in cx.env:
                    if _reaches_active(cx, cx.env[around.number, name], seen):
                        return True
                    break
                around = around.enclosing
    return any(
        _reaches_active(cx, getattr(value, f.name), seen)
        for f in dataclasses.fields(value)
        if f.name not in ("node", "frame")
    )


def _mutates(node, name):
    return any(
        isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id == name for n in ast.walk(node)
    )
