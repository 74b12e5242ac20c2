"""Lowering of checkpointing: blocks and calls that become segments, loops whose trips are checkpointed.

`with checkpoint():` and calls of a checkpointed function become a `Segment` around what they run; the loop of
`checkpointed(...)` is lowered as if it ran over the first argument, and carries the other ones.
"""

from __future__ import annotations

import ast

from ...ir.nodes import NOTHING, Call, Checkpoints, Const, Kept, Segment
from ...ir.types import OPAQUE, STATIC
from ...segments import CheckpointedFunction, checkpoint, checkpointed
from .function_values import FunctionValue, Segmented

SCHEDULES = ("revolve", "two_level", "disk", "online")
_OWN = {"period": "two_level", "disk_snapshots": "disk", "directory": "disk"}  # options of one schedule
_OPTIONS = ("snapshots", "schedule", "period", "disk_snapshots", "directory")


def means(cx, node, function) -> bool:
    """Does this expression name `function`?"""
    from .expressions import lower_expression

    chain = node
    while isinstance(chain, ast.Attribute):
        chain = chain.value
    if not isinstance(chain, ast.Name) or isinstance(node, ast.Attribute) and node.attr != function.__name__:
        return False
    if isinstance(node, ast.Name) and cx.find_name(node.id) is None and node.id not in cx.frame.globals:
        return False
    if isinstance(node, ast.Attribute) and cx.find_name(chain.id) is None and chain.id not in cx.frame.globals:
        return False
    return cx.constant(lower_expression(cx, node)) is function


def is_block(cx, item: ast.withitem) -> bool:
    """Is this context `checkpoint()`?"""
    call = item.context_expr
    return isinstance(call, ast.Call) and means(cx, call.func, checkpoint)


def lower_segment(cx, node, item, lower_body):
    """Everything that `lower_body` emits becomes one segment; returns what `lower_body` does."""
    if item is not None and (item.context_expr.args or item.context_expr.keywords):
        cx.unsupported(item.context_expr, "'checkpoint()' takes no arguments in a 'with'", "with ad.checkpoint(): ...")
    if item is not None and item.optional_vars is not None:
        cx.unsupported(node, "'with checkpoint() as' names nothing", "leave out 'as'")
    cx.blocks.append([])
    try:
        made = lower_body()
    finally:
        body = cx.blocks.pop()
    store = cx.new_var("kept", OPAQUE, node, hidden=True)
    segment = Segment([], body, loc=cx.loc(node), store=store)
    store.definition = Kept(segment)
    cx.emit(segment)
    return made


def call_checkpointed(cx, node, function: CheckpointedFunction, args, kwargs):
    """A call of a checkpointed function: a segment around the call of the function itself."""
    from .callees import call_function

    return lower_segment(cx, node, None, lambda: call_function(cx, node, function.primal, args, kwargs))


def checkpointed_function(cx, node, args, kwargs):
    """`checkpoint(f)` inside a function: of a function that is known when compiling, or that is defined there."""
    value = cx.constant(args[0]) if len(args) == 1 and not kwargs else NOTHING
    if isinstance(value, FunctionValue):
        made = cx.assign_temporary(Call(checkpoint, (args[0],), {}), STATIC, node)
        made.const = Segmented(args[0], (), {})
        return made
    if callable(value):
        return Const(CheckpointedFunction(value))
    cx.unsupported(
        node,
        "which function 'checkpoint' makes a segment of is not known when compiling",
        "pass the function itself, or put the calls under 'with checkpoint():'",
    )


def without_mark(cx, node):
    """A loop without the call of `checkpointed` around what it runs over (or its condition), and that call or None."""
    call = node.iter if isinstance(node, ast.For) else node.test
    if not (isinstance(call, ast.Call) and means(cx, call.func, checkpointed)):
        return node, None
    made = cx.frame.rewritten.get(id(node))
    if made is None:
        if any(k.arg is None for k in call.keywords) or any(isinstance(a, ast.Starred) for a in call.args):
            reason = "the arguments of 'checkpointed' are spread from a variable, which the compiler does not see"
            cx.unsupported(call, reason, "write them out, as in checkpointed(range(n), snapshots=k)")
        if not call.args:
            cx.unsupported(call, "'checkpointed' is called without what it runs over", "checkpointed(range(n), ...)")
        inner = call.args[0]
        made = ast.For(node.target, inner, node.body, []) if isinstance(node, ast.For) else ast.While(inner, node.body, [])
        made = cx.frame.rewritten[id(node)] = ast.copy_location(made, node)
        cx.frame.live_after[id(made)] = cx.frame.live_after.get(id(node), frozenset())
        if id(node) in cx.frame.live_head:
            cx.frame.live_head[id(made)] = cx.frame.live_head[id(node)]
    return made, call


def checkpoints_of(cx, node, call) -> Checkpoints | None:
    """The options of a call of `checkpointed`, evaluated in front of the loop."""
    from .expressions import lower_expression

    if call is None:
        return None
    if len(call.args) > 1:
        cx.unsupported(call, "the options of 'checkpointed' are given by name", "checkpointed(range(n), snapshots=10)")
    options, schedule = {}, None
    for k in call.keywords:
        if k.arg not in _OPTIONS:
            cx.unsupported(call, f"'checkpointed' has no option '{k.arg}'", f"options: {', '.join(_OPTIONS)}")
        value = lower_expression(cx, k.value)
        if cx.varied(value):
            cx.unsupported(k.value, f"the option '{k.arg}' carries a derivative", "make it a constant")
        if k.arg == "schedule":
            schedule = cx.constant(value)
            if schedule is NOTHING:
                cx.unsupported(k.value, "the schedule is not known when compiling", f"write one of {SCHEDULES}")
            if schedule is not None and schedule not in SCHEDULES:
                cx.unsupported(k.value, f"there is no schedule {schedule!r}", f"write one of {SCHEDULES}")
        elif not (isinstance(value, Const) and value.value is None):
            options[k.arg] = value
    for k in call.keywords:
        if k.arg in options and _OWN.get(k.arg, schedule) != schedule:
            chosen = "'revolve' (the default)" if schedule is None else repr(schedule)
            hint = f"write schedule='{_OWN[k.arg]}', or leave '{k.arg}' out"
            cx.unsupported(k.value, f"the schedule {chosen} has no option '{k.arg}'", hint)
    return Checkpoints(schedule, options, store_of(cx, node))


def store_of(cx, node):
    """The variable that will hold the snapshots of a loop."""
    return cx.new_var("steps", OPAQUE, node, hidden=True)


__all__ = ["call_checkpointed", "checkpointed_function", "checkpoints_of", "is_block", "lower_segment", "store_of", "without_mark"]
