"""`with` statements.

The methods of an object of the program whose `__enter__` and `__exit__` do something that the derivative must know are
walked in their places. A context that changes nothing stays a `with` statement.
"""

from __future__ import annotations

import ast
import inspect
import types

from ...ir.nodes import Const, Var, With
from ...ir.types import OPAQUE
from .assignments import assign_target
from .baked import belongs_to_a_library
from .bound_names import assigned_names, names_used
from .checkpoints import is_block, lower_segment
from .exceptions import known_callee, may_swallow
from .expressions import lower_expression
from .loops import breaks
from .names import raw
from .special_methods import call_special, class_of, has_stores, method_of_program
from .statements import lower_block
from .values import copy_of


def lower_with(cx, node):
    """A `with` statement; the part of it behind an `ad.checkpoint()` is a segment."""
    at = next((k for k, item in enumerate(node.items) if is_block(cx, item)), None)
    if at is None:
        checked = may_swallow(cx, node)
        _lower_items(cx, node, node.items, checked, lambda: lower_block(cx, node.body))
        return

    def inside():
        rest = node.items[at + 1 :]
        if rest:
            lower_with(cx, ast.copy_location(ast.With(rest, node.body), node))
        else:
            lower_block(cx, node.body)

    def segment():
        lower_segment(cx, node, node.items[at], inside)

    if at:
        _lower_items(cx, node, node.items[:at], False, segment)
    else:
        segment()


def _lower_items(cx, node, with_items, checked, lower_body):
    """A `with` statement over some of its items, around what `lower_body` emits."""
    at = next((k for k, item in enumerate(with_items) if _acts_on_program(cx, node, item.context_expr)), None)
    if at is None:
        _keep_with(cx, node, with_items, checked, lower_body)
        return

    def inner():
        if with_items[at + 1 :]:
            _lower_items(cx, node, with_items[at + 1 :], checked, lower_body)
        else:
            lower_body()

    def outer():
        _lower_context(cx, node, with_items[at], inner)

    if at:
        _lower_items(cx, node, with_items[:at], checked, outer)
    else:
        outer()


def _keep_with(cx, node, with_items, checked, lower_body):
    """A `with` statement whose contexts are kept as the user wrote them."""
    items = []
    for item in with_items:
        _refuse_unseen_stores(cx, node, item.context_expr)
        context = raw(cx, item.context_expr)
        target = None
        if item.optional_vars is not None:
            if not isinstance(item.optional_vars, ast.Name):
                cx.unsupported(node, "'with ... as' needs a plain name here")
            target = cx.new_var(cx.printed_name(item.optional_vars.id), OPAQUE, node)
            target.definition = "with"
            cx.bind(item.optional_vars.id, target)
        items.append((context, target))
    cx.blocks.append([])
    lower_body()
    body = cx.blocks.pop()
    cx.emit(With(items, body, checked, loc=cx.loc(node)))


def _acts_on_program(cx, node, context) -> bool:
    """Is this context an object of a class of the program that changes something when it is entered or left?"""
    cls = _class_of_context(cx, context)
    if cls is None or belongs_to_a_library(cls):
        return False
    methods = [inspect.getattr_static(cls, name, None) for name in ("__enter__", "__exit__")]
    return all(isinstance(m, types.FunctionType) for m in methods) and any(map(has_stores, methods))


def _class_of_context(cx, context):
    if isinstance(context, ast.Call):
        callee = known_callee(cx, context.func)
        return callee if isinstance(callee, type) else None
    if isinstance(context, (ast.Name, ast.Attribute)):
        before = len(cx.blocks[-1])
        cls = class_of(cx, lower_expression(cx, context))
        del cx.blocks[-1][before:]
        return cls
    return None


def _lower_context(cx, node, item, lower_body):
    """`with manager as name: body`, with the manager's methods in the place where they run."""
    if hasattr(item.context_expr, "callee_in_try") or any(_has_try(f.definition) for f in cx.frames):
        cx.unsupported(node, "a context that changes something, in a function with 'try'", "put the 'try' outside")
    manager = _kept_manager(cx, node, item)
    if method_of_program(cx, manager, "__enter__") is None:
        cx.unsupported(node, "this context cannot be followed", "call its methods before and behind the block")
    entered = call_special(cx, node, manager, "__enter__")
    if item.optional_vars is not None:
        assign_target(cx, item.optional_vars, entered, node)
    cx.blocks.append([])
    lower_body()
    body = cx.blocks.pop()
    cx.blocks[-1].extend(body)
    if breaks(body):
        cx.unsupported(node, "'break' out of a context that changes something", "leave the loop behind the block")
    swallows = call_special(cx, node, manager, "__exit__", Const(None), Const(None), Const(None))
    if cx.constant(swallows) not in (None, False):
        cx.unsupported(node, "a context that may swallow exceptions", "return None from its __exit__")


def _kept_manager(cx, node, item):
    """The manager: a copy of the name, if `as` or the body may bind that again before `__exit__` runs."""
    manager = lower_expression(cx, item.context_expr)
    target = {item.optional_vars.id} if isinstance(item.optional_vars, ast.Name) else set()
    again = assigned_names(node.body) | target | cx.frame.rebound_inside
    return copy_of(cx, node, manager) if isinstance(manager, Var) and again & names_used(item.context_expr) else manager


def _refuse_unseen_stores(cx, node, context):
    """A context that runs as it is must not change arrays of the module that hold active values here."""
    active = [v for v in cx.globals.values() if isinstance(v, Var) and cx.varied(v)]
    callee = known_callee(cx, context.func if isinstance(context, ast.Call) else context)
    function = getattr(callee, "__wrapped__", callee)
    if active and isinstance(function, types.FunctionType) and has_stores(function):
        cx.unsupported(
            node,
            f"'{function.__name__}' may change '{active[0].name}', which holds active values",
            "change it in statements of the function itself",
        )


def _has_try(definition) -> bool:
    return definition is not None and any(isinstance(n, ast.Try) for n in ast.walk(definition))
