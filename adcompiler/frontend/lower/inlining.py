"""The user's own functions: walked in the place of their call.

Each has a frame of its own, so that side effects on its arguments, closures and functions passed as arguments need no
summary. A function that calls itself becomes a compiled instance.
"""

from __future__ import annotations

import ast
import functools

from ...errors import AdcompilerError, SourceUnavailableError
from ...ir.nodes import Call, Const, Var
from ...ir.types import Num, Ref, without_dims
from ...rules.libraries import name_of
from ..generators import without_generators
from ..liveness import liveness
from ..source import get_source
from ..structure import structure
from .baked import take_function_for_granted
from .bound_names import assigned_names, first_pause, names_read_inside
from .branches import in_block
from .context import is_library
from .exceptions import chosen_tries, without_tries
from .expressions import lower_expression
from .frames import Frame
from .function_values import Closure
from .generators import driven_callee, read_apart, refuse_pauses
from .opaque_calls import opaque_call
from .parameters import bind_arguments, bind_parameter
from .recursion import call_recursive, is_recursive
from .statements import lower_block

DEEPEST = 60


def call_user_function(cx, node, function, args, kwargs, active):
    if isinstance(function, functools._lru_cache_wrapper) and not active:
        return opaque_call(cx, node, Const(function), args, kwargs)
    try:
        source = get_source(function)
    except SourceUnavailableError as error:
        if active:
            cx.missing_rule(node, name_of(function), f"{error.reason}; {error.hint}")
        return opaque_call(cx, node, Const(function), args, kwargs)
    driven = driven_callee(source, kwargs)
    if driven is not None:
        return inline(cx, node, driven, args, kwargs)
    if first_pause(source.node) is not None:
        if active:
            refuse_pauses(cx, node, source.node, source.qualname)
        return opaque_call(cx, node, Const(function), args, kwargs)
    in_place = ("t", *cx.place(node)) in cx.assumed.walked_in_place
    if active or in_place or any(isinstance(a, Var) and isinstance(a.type, Ref) for a in args):
        return inline(cx, node, source, args, kwargs)
    return _inactive_call(cx, node, function, source, args, kwargs)


def _inactive_call(cx, node, function, source, args, kwargs):
    """A user's function on inactive values is called as it is; walking it aside tells the type of its result."""
    stores, env, kept_apart = cx.stores, dict(cx.env), is_library(source.filename)
    guards, depth = len(cx.guards), len(cx.blocks)
    try:
        _, result, _ = in_block(cx, lambda: inline(cx, node, source, args, kwargs))
    except AdcompilerError as error:
        if error.final:
            raise
        cx.env = env
        del cx.guards[guards:], cx.blocks[depth:]
        while cx.frames and cx.frames[-1].source is source:
            cx.frames.pop()
        return opaque_call(cx, node, Const(function), args, kwargs)
    if cx.stores != stores and not kept_apart:
        return inline(cx, node, source, args, kwargs)
    cx.env = env
    t = cx.type(result)
    if kept_apart and (cx.stores != stores or not isinstance(t, Num)):
        return opaque_call(cx, node, Const(function), args, kwargs)
    recursive = is_recursive(cx, source)  # what its result shares is known from its instance alone
    if not isinstance(t, Num) or t.boxed is not False and recursive or _may_share_memory(result, (*args, *kwargs.values())):
        return inline(cx, node, source, args, kwargs)  # what is done to its result is done to the argument
    called = cx.assign_temporary(Call(function, tuple(args), dict(kwargs)), without_dims(t), node)
    return called


def _may_share_memory(result, operands) -> bool:
    """May the result be a view of one of the operands?"""
    return (
        isinstance(result, Var)
        and result.group is not None
        and result.type.boxed is not False
        and any(isinstance(o, Var) and o.group is not None and o.group.find() is result.group.find() for o in operands)
    )


_PREPARED: dict = {}


def prepare(cx, node):
    """Structure and liveness of a function definition, made once for each choice of `try` statements to take apart."""
    key = (id(node), chosen_tries(cx, node))
    found = _PREPARED.get(key)
    if found is None or found[0] is not node:
        if isinstance(node, ast.Lambda):
            made = structure([ast.copy_location(ast.Return(node.body), node.body)])
        else:
            made = structure(without_generators(node, without_tries(cx, node)))
        reads = {n.id for n in ast.walk(made.value) if isinstance(n, ast.Name)} if made.value is not None else set()
        found = (node, made, liveness(made.body, reads))
        if len(_PREPARED) > 5000:
            _PREPARED.clear()
        _PREPARED[key] = found
    return found[1], found[2]


def inline(cx, node, callee, args, kwargs):
    """Walk a user's function (a FunctionSource or a Closure) in the place of its call; its result."""
    callee = read_apart(cx, callee, callee.frame.filename if isinstance(callee, Closure) else callee.filename)
    definition = callee.node
    if any(f.definition is definition for f in cx.frames) or is_recursive(cx, callee):
        return call_recursive(cx, node, callee, args, kwargs)
    if len(cx.frames) > DEEPEST:
        cx.unsupported(node, f"more than {DEEPEST} calls inside one another")
    frame = new_frame(cx, node, callee)
    bound = bind_arguments(cx, node, callee, frame, args, kwargs)
    structured, live = prepare(cx, definition)
    frame.live_after, frame.live_head, frame.always_live = live.after, live.head, live.always
    frame.locals = assigned_names(structured.body) | set(bound)
    cx.frames.append(frame)
    try:
        rebound = assigned_names(structured.body) | frame.rebound_inside
        captured = names_read_inside(definition)
        for name, operand in bound.items():
            bind_parameter(cx, node, name, operand, name in rebound, name in captured)
        lower_block(cx, structured.body)
        frame.live_now = None
        result = lower_expression(cx, structured.value) if structured.value is not None else Const(None)
    finally:
        cx.frames.pop()
    return result


def new_frame(cx, node, callee):
    path = (*cx.frame.path, "call", *cx.place(node))
    number = cx.number_of_frame(path)
    if isinstance(callee, Closure):
        frame = Frame(number, None, cx.frame, callee.frame, path=path)
        frame.globals, frame.filename, frame.name = callee.frame.globals, callee.frame.filename, callee.name
    else:
        frame = Frame(number, callee, cx.frame, path=path)
        function = callee.function
        take_function_for_granted(cx, function)
        frame.cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    frame.definition = callee.node
    frame.call, frame.called_at, frame.loop_depth = node, cx.loc(node), cx.loop_depth
    return frame
