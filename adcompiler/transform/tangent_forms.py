"""The form of a tangent: it has the shape of its value, and memory of its own where either is changed in place.

`z = x + c` has the tangent `x_dot`. If `c` has more elements than `x`, it is broadcast; if `z` or `x` is stored into
later, it is copied. Which parameters an expression covers, that is, of which its shape is the broadcast one, is read
from the template.
"""

from __future__ import annotations

import ast

import numpy as np

from ..ir.nodes import Const, Var
from ..ir.types import Num
from ..rules.registry import lookup
from ..runtime.shape import number
from ..runtime.tangents import laid_out, spread, spread_copy
from .code import call
from .contributions import same_extents

ALL = "every operand"


def covered(instance, node, temporaries) -> set:
    """The parameters whose shapes an expression of a template broadcasts to, `ALL` among them if it has the result's."""
    if isinstance(node, ast.Name):
        if node.id in temporaries:
            return temporaries[node.id]
        if node.id in instance.rule.result:
            return {ALL}
        return {node.id.removesuffix("_dot")} & set(instance.rule.signature.parameters)
    if isinstance(node, ast.BinOp):
        return covered(instance, node.left, temporaries) | covered(instance, node.right, temporaries)
    if isinstance(node, ast.UnaryOp):
        return covered(instance, node.operand, temporaries)
    if isinstance(node, ast.Compare):
        return set().union(*[covered(instance, e, temporaries) for e in (node.left, *node.comparators)])
    if isinstance(node, ast.IfExp):
        return covered(instance, node.body, temporaries) & covered(instance, node.orelse, temporaries)
    if isinstance(node, ast.Lambda):
        return covered(instance, node.body, temporaries)
    if isinstance(node, ast.Attribute) and node.attr in ("real", "imag"):
        return covered(instance, node.value, temporaries)
    if isinstance(node, ast.Call) and _is_elementwise(instance, node.func):
        return set().union(*[covered(instance, a, temporaries) for a in node.args])
    return set()


def _is_elementwise(instance, node) -> bool:
    """Does a function of a template work element by element on all its arguments?"""
    namespace = instance.rule.namespace
    if isinstance(node, ast.Name):
        if node.id == "strict_tangent":
            return True
        function = namespace.get(node.id)
        rule = lookup(function) if callable(function) else None
        module = getattr(function, "__module__", "") or ""
        return node.id == "conj" or rule is not None and rule.elementwise or module.endswith("runtime.selection")
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        function = getattr(namespace.get(node.value.id), node.attr, None)
        return isinstance(function, np.ufunc) or function in (np.where, np.real, np.imag)
    return False


def conform(b, expression, cover, result: Var, value):
    """A tangent of an elementwise call in the form of its result."""
    t = result.type
    if isinstance(t, Num) and t.boxed is False and not is_fresh(expression) and any(map(_is_boxed, value.bound.values())):
        return call(b.runtime(number), expression)  # not the very tangent of a 0-d array, which may change in place
    if not isinstance(t, Num) or t.boxed is False or value.rule.alias != "fresh":
        return expression
    whole = is_whole(b, cover, result, value)
    operands = [o for o in value.bound.values() if isinstance(o, Var)]
    if not (is_stored(result) or (not is_fresh(expression) and any(is_stored(o) for o in operands))):
        return expression if whole else call(b.runtime(spread), expression, b.read(result))
    if not whole or t.rank in (None, 0) or t.boxed is None or not same_dtype(b, cover, result, value):
        expression = call(b.runtime(spread_copy), expression, b.read(result))
    elif not is_fresh(expression):
        expression = call(b.numpy("array"), expression)
    if id(result.group.family) in b.laid_out if result.group is not None else False:
        expression = call(b.runtime(laid_out), expression, b.read(result))
    return expression


def _is_boxed(operand) -> bool:
    return isinstance(operand, Var) and isinstance(operand.type, Num) and operand.type.boxed is True


def is_whole(b, cover, result, value) -> bool:
    """Has the expression the shape of the result, whatever the shapes of the operands?"""
    if ALL in cover:
        return True
    missing = []
    for parameter, operand in value.bound.items():
        t = b.cx.type(operand) if isinstance(operand, (Var, Const)) else None
        if not isinstance(t, Num) or t.boxed is False or t.rank == 0:
            if isinstance(operand, (Var, Const)):
                continue
        if parameter in cover and isinstance(t, Num) and same_extents(t, result.type):
            return True
        if parameter not in cover:
            missing.append(parameter)
    return not missing


def same_dtype(b, cover, result, value) -> bool:
    """Has the expression the dtype of the result, as far as the operands that it leaves out decide it?"""
    if ALL in cover:
        return True
    for parameter, operand in value.bound.items():
        t = b.cx.type(operand) if isinstance(operand, (Var, Const)) else None
        if not isinstance(t, Num):
            continue
        if parameter in cover and t.dtype is not None and t.dtype == result.type.dtype:
            return True
        if parameter not in cover and not (t.is_python and t.kind in "bif"):
            return False
    return result.type.kind == "f"


def is_stored(v: Var) -> bool:
    """Is the memory of this array, or of one that may share it, changed in place somewhere?"""
    return isinstance(v.type, Num) and v.group is not None and (v.group.family.stored or v.group.family.opaque)


def is_fresh(expression) -> bool:
    """Does evaluating this make a new array (or a number)?"""
    if isinstance(expression, (ast.BinOp, ast.UnaryOp, ast.Constant, ast.Compare)):
        return True
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute):
        function = getattr(np, expression.func.attr, None)
        return isinstance(expression.func.value, ast.Name) and (
            isinstance(function, np.ufunc) or expression.func.attr in ("where", "array")
        )
    return False


__all__ = ["conform", "covered", "is_fresh", "is_stored"]
