"""The driver: walks a function at one signature until the assumptions hold."""

from __future__ import annotations

import ast

from ...errors import AdcompilerError, Loc, UnsupportedSyntaxError
from ...ir.nodes import Const, Function, Var
from ..signature import Signature
from ..source import FunctionSource, last_return
from . import syntax as _syntax  # noqa: F401  (fills the tables of expressions and statements)
from .assumptions import Assumptions
from .baked import take_function_for_granted, take_rules_for_granted
from .bound_names import assigned_names, first_pause
from .context import Context
from .expressions import lower_expression
from .frames import Frame
from .generators import read_apart
from .inlining import prepare
from .recursion import Unreached, check_reached, walk_instances
from .statements import lower_block
from .values import argument

LONGEST = 40


def lower_function(
    source: FunctionSource, signature: Signature, walked_in_place=(), strict=False
) -> tuple[Function, Context]:
    """The IR of a function at a signature, and the last walk (with guards and alias groups).

    walked_in_place: places of calls of user functions that must not be kept as calls, whatever their arguments.
    """
    if not isinstance(source.node, (ast.FunctionDef, ast.Lambda)):
        raise UnsupportedSyntaxError(
            "a coroutine function cannot be differentiated",
            Loc(source.filename, source.node.lineno, source.node.col_offset),
            hint="write a plain function",
        )
    assumed = Assumptions()
    assumed.walked_in_place.update(walked_in_place)
    for _ in range(LONGEST):
        assumed.changed = False
        cx = Context(assumed)
        cx.strict = strict
        function = error = None
        try:
            function = _walk(cx, source, signature)
        except Unreached:
            cx.unreached = True
        except AdcompilerError as raised:
            error = raised
        later = walk_instances(cx)
        if assumed.hopeless is not None:
            raise assumed.hopeless
        if cx.unreached or cx.taken_apart:  # numbers of frames shift when paths are left out
            assumed.loop_keys.clear()
            assumed.loop_alias.clear()
        if assumed.changed:  # an error before the assumptions hold may only be due to them
            continue
        if cx.unvalued is not None:
            assumed.settled = True
            continue
        if error or later:
            raise error or later
        check_reached(cx)
        return function, cx
    raise UnsupportedSyntaxError(
        f"the types in '{source.qualname}' do not settle",
        Loc(source.filename, source.node.lineno, source.node.col_offset),
        hint="of a recursive function, take the outer derivative of what the inner one returns, as in ad.jacobian(ad.hvp(f)), "
        "or write the recursion as a loop"
        if assumed.recursive_functions
        else "give each name one type in loops",
    )


def _walk(cx: Context, source, signature) -> Function:
    cx.active_inputs, cx.constant_inputs = frozenset(signature.wrt), frozenset(signature.constant)
    source = read_apart(cx, source, source.filename)
    frame = Frame(0, source)
    frame.definition = source.node
    function = source.function
    take_function_for_granted(cx, function)
    take_rules_for_granted(cx)
    frame.cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cx.frames.append(frame)
    structured, live = prepare(cx, source.node)
    frame.live_after, frame.live_head, frame.always_live = live.after, live.head, live.always
    names = [n for n, _ in signature.parameters]
    frame.locals = assigned_names(structured.body) | set(names)
    from .collection_types import refuse_deques

    generated = first_pause(source.node)
    if generated is not None:
        cx.unsupported(
            generated,
            f"'{source.qualname}' is a generator function, which cannot be differentiated",
            "append to a list and return it",
        )
    params = []
    for name, described in signature.parameters:
        whole = (name,) in cx.active_inputs
        var = argument(cx, name, described, (name,), varied=whole, printed=cx.printed_name(name))
        var.definition = "param"
        var.loc = cx.loc(source.node)
        params.append(var)
        cx.env[(0, name)] = var
    for first, second in signature.aliases:
        a, b = cx.env[(0, first)], cx.env[(0, second)]
        if a.group is not None and b.group is not None:
            a.group.merge(b.group)
    lower_block(cx, structured.body)
    frame.live_now = None
    result = (
        lower_expression(cx, structured.value) if structured.value is not None and signature.returns else Const(None)
    )
    refuse_deques(cx, last_return(source.node), result)
    finish = cx.blocks[0]
    made = Function(
        getattr(source.node, "name", "lambda_"),
        params,
        [*cx.prologue, *finish],
        result,
        [v for v in cx.globals.values() if isinstance(v, Var)],
        cx.loc(last_return(source.node)),
    )
    cx.frames.pop()
    return made


__all__ = ["Signature", "lower_function"]
