"""Parts of assertions and of texts that do something: they are evaluated in statements of their own.

An assertion or an f-string stays as the user wrote it, since it carries no derivative. A call in it that may change an
array or a container, or a `:=`, has a derivative all the same: `assert normalise(a) > 0.0`.
"""

from __future__ import annotations

import ast
import copy

from ...ir.nodes import NOTHING, Effect
from ...ir.types import OPAQUE
from ...rules.mutators import lookup_mutator
from ...rules.registry import is_inactive, lookup
from .branches import lower_test
from .exceptions import known_callee
from .expressions import lower_expression
from .names import raw


def may_have_effects(cx, node) -> bool:
    """May evaluating this expression do more than give a value?"""
    return any(
        isinstance(n, (ast.NamedExpr, ast.Await)) or isinstance(n, ast.Call) and not _is_pure(cx, n)
        for n in ast.walk(node)
    )


def _is_pure(cx, call) -> bool:
    if not isinstance(call.func, (ast.Name, ast.Attribute)) or any(k.arg == "out" for k in call.keywords):
        return False
    value = known_callee(cx, call.func)
    if value is NOTHING:
        return False
    try:
        return lookup_mutator(value) is None and (lookup(value) is not None or is_inactive(value))
    except TypeError:
        return False


def lower_assertion(cx, node):
    """An `assert` whose test is evaluated before it."""
    test = lower_test(cx, node.test)
    message = node.msg if node.msg is None or isinstance(node.msg, ast.Constant) else ast.Constant("")
    kept = ast.Assert(ast.Name("holds", ast.Load()), message)
    cx.emit(Effect(ast.fix_missing_locations(ast.copy_location(kept, node)), {"holds": test}, loc=cx.loc(node)))


def lower_text(cx, node):
    """An f-string, kept, in which the parts that do something are names of operands."""
    tree, operands = copy.deepcopy(node), {}
    for part in ast.walk(tree):
        if isinstance(part, ast.FormattedValue) and may_have_effects(cx, part.value):
            name = f"value_{len(operands)}"
            operands[name] = lower_expression(cx, part.value)
            part.value = ast.copy_location(ast.Name(name, ast.Load()), part.value)
    return raw(cx, tree, OPAQUE, inactive=True, given=operands)
