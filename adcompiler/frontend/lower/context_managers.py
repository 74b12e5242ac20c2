"""`with` over objects of the program, whose `__enter__` and `__exit__` do something that the derivative must know.

Their two methods are walked in their places. A context that changes nothing stays a `with` statement.
"""

from __future__ import annotations

import ast
import inspect
import types

from ...ir.nodes import Const, Var
from .baked import belongs_to_a_library
from .special_methods import call_special, class_of, has_stores, method_of_program


def acts_on_program(cx, node, context) -> bool:
    """Is this context an object of a class of the program that changes something when it is entered or left?"""
    cls = _class_of_context(cx, context)
    if cls is None or belongs_to_a_library(cls):
        return False
    methods = [inspect.getattr_static(cls, name, None) for name in ("__enter__", "__exit__")]
    return all(isinstance(m, types.FunctionType) for m in methods) and any(map(has_stores, methods))


def _class_of_context(cx, context):
    from .exceptions import known_callee
    from .expressions import lower_expression

    if isinstance(context, ast.Call):
        callee = known_callee(cx, context.func)
        return callee if isinstance(callee, type) else None
    if isinstance(context, (ast.Name, ast.Attribute)):
        before = len(cx.blocks[-1])
        cls = class_of(cx, lower_expression(cx, context))
        del cx.blocks[-1][before:]
        return cls
    return None


def lower_context(cx, node, item, lower_body):
    """`with manager as name: body`, with the manager's methods in the place where they run."""
    from .expressions import lower_expression
    from .loops import breaks
    from .statements import assign_target

    if hasattr(item.context_expr, "callee_in_try") or any(_has_try(f.definition) for f in cx.frames):
        cx.unsupported(node, "a context that changes something, in a function with 'try'", "put the 'try' outside")
    manager = lower_expression(cx, item.context_expr)
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


def refuse_unseen_stores(cx, node, context):
    """A context that runs as it is must not change arrays of the module that hold active values here."""
    from .exceptions import known_callee

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


