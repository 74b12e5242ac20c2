"""The form of a contribution: brought to the shape and kind of its operand, summed, or kept as one number.

Takes the expression that a rule gives for an operand; gives one that may be added to the operand's adjoint: broadcasting
is summed out, an imaginary part dropped, a narrower dtype restored. An adjoint that is the same for all elements of an
array is recognised here (`all_same_extents`, `is_spread_number`), so that one number can stand for it.
"""

from __future__ import annotations

import ast
import functools

import numpy as np

from ..ir.nodes import Var
from ..ir.types import Num, Tup
from ..runtime.shape import number, unbroadcast
from .code import Needed, attribute, call, constant, nodes_in, subscript


def all_same_extents(b, rule, value, target) -> bool:
    """Is this an elementwise call whose active operands all have the extents of its result?"""
    if not rule.elementwise or len(rule.result) != 1 or b.strict or not rule.takes_numbers:
        return False
    for parameter in rule.differentiable:
        operand = value.bound.get(parameter)
        if b.contributes(operand) and not (
            isinstance(operand, Var)
            and operand.items is None
            and isinstance(operand.type, Num)
            and operand.type.is_array
            and not operand.tied
            and not b.shadow_kind(operand)
            and same_extents(operand.type, target.type)
        ):
            return False
    return True


def extent_of(b, node, target, uniform_bar):
    """ "scalar", "full" (the extents of `target`) or None: what evaluating this expression gives."""
    if isinstance(node, Needed):
        t = node.var.type
        if node.need != "value" or not isinstance(t, Num):
            return None
        return "scalar" if t.boxed is False else "full" if same_extents(t, target.type) else None
    if isinstance(node, ast.Constant):
        return "scalar"
    if isinstance(node, ast.Name):
        if node.id == b.bars.get(target):
            return "scalar" if uniform_bar else "full"
        return None
    if isinstance(node, ast.UnaryOp):
        return extent_of(b, node.operand, target, uniform_bar)
    if isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and isinstance(getattr(np, node.func.attr, None), np.ufunc)
        and not node.keywords
    ):
        parts = node.args
    else:
        return None
    found = [extent_of(b, p, target, uniform_bar) for p in parts]
    if None in found:
        return None
    return "full" if "full" in found else "scalar"


def total(b, node, target, uniform_bar):
    """The sum over all elements of an expression with the extents of `target`, with scalar factors taken out."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return ast.UnaryOp(ast.USub(), total(b, node.operand, target, uniform_bar))
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        left, right = (extent_of(b, e, target, uniform_bar) for e in (node.left, node.right))
        if right == "scalar" and left == "full":
            return ast.BinOp(total(b, node.left, target, uniform_bar), node.op, node.right)
        if isinstance(node.op, ast.Mult) and left == "scalar" and right == "full":
            return ast.BinOp(node.left, ast.Mult(), total(b, node.right, target, uniform_bar))
        if (
            isinstance(node.op, ast.Mult)
            and left == right == "full"
            and target.type.rank == 1
            and target.type.kind == "f"
        ):
            left_node, sign = node.left, False
            if isinstance(left_node, ast.UnaryOp) and isinstance(left_node.op, ast.USub):
                left_node, sign = left_node.operand, True
            product = (
                call(attribute(left_node, "dot"), node.right)
                if isinstance(left_node, ast.Name)
                else call(b.numpy("dot"), left_node, node.right)
            )
            return ast.UnaryOp(ast.USub(), product) if sign else product
    if extent_of(b, node, target, uniform_bar) == "full":
        return call(attribute(node, "sum"))
    return call(b.numpy("sum"), node)


def is_spread_number(b, expression, operand, rule) -> bool:
    """Is this `np.broadcast_to(number, np.shape(operand))`, the adjoint of a whole sum?"""
    return (
        not b.strict
        and not rule.elementwise
        and isinstance(expression, ast.Call)
        and isinstance(expression.func, ast.Attribute)
        and expression.func.attr == "broadcast_to"
        and isinstance(operand.type, Num)
        and operand.type.is_array
        and operand.type.kind == "f"
        and operand.type.dtype in (None, np.dtype(float))
        and bool(operand.type.rank)
        and not operand.tied
        and not b.shadow_kind(operand)
        and is_number(b, expression.args[0])
    )


def is_number(b, node) -> bool:
    """Does the expression give one number: made of constants, scalar values and adjoints of scalars?"""
    for n in nodes_in(node):
        if isinstance(n, Needed):
            if n.need == "value" and not (
                isinstance(n.var.type, Num) and n.var.type.boxed is False and n.var.type.kind in "fi"
            ):
                return False
        elif (
            isinstance(n, ast.Name) and not b.is_bar_of_numbers(n.id) and not hasattr(n, "var") and n.id not in ("np", "math")
        ):
            return False
    return True


def conform(b, expression, operand, target, rule, s):
    """Bring a contribution to the shape and kind of its operand; also whether it is a new array."""
    if rule.elementwise and target.items:
        target = target.items[0]  # `divmod`: all results have one shape
    t, r = operand.type, target.type if isinstance(target.type, Num) else None
    fresh = is_fresh(expression)
    if rule.elementwise and r is not None and isinstance(t, Num):
        if t.boxed is False and r.boxed is True:
            expression, fresh = total(b, expression, target, None), True
        elif not (t.boxed is False and r.boxed is False) and not same_extents(t, r):
            expression = call(b.runtime(unbroadcast), expression, b.shape_expression(operand, s))
            fresh = False
    expression = cast(b, expression, operand, r or _complex_part(target.type))
    if isinstance(t, Num) and t.boxed is False and not (rule.elementwise and r is not None and r.boxed is False):
        expression = unboxed(b, expression)
    return expression, fresh


# Functions of NumPy that give an array without axes where the operand is a number.
_BOXING = {"reshape", "broadcast_to", "asarray", "array", "squeeze", "transpose", "swapaxes", "moveaxis"}


def unboxed(b, expression):
    """A number where the contribution may be an array without axes: adding to that would change what it looks into."""
    if isinstance(expression, ast.Subscript) and isinstance(expression.value, ast.Call):
        return call(b.runtime(number), expression)
    if not isinstance(expression, ast.Call):
        return expression
    function = expression.func
    if isinstance(function, ast.Attribute) and function.attr == "real" and isinstance(function.value, ast.Name):
        return call(function, *map(functools.partial(unboxed, b), expression.args))
    if isinstance(function, ast.Attribute) and function.attr in _BOXING and isinstance(function.value, ast.Name):
        return subscript(expression, ast.Tuple([], ast.Load()))
    if isinstance(function, ast.Name):
        return call(b.runtime(number), expression)
    return expression


def _complex_part(t):
    """The first of several results that may be complex; None if there is none."""
    items = t.items if isinstance(t, Tup) else ()
    return next((item for item in items if isinstance(item, Num) and item.kind in "c?"), None)


def real_part(b, expression, operand, result):
    """An adjoint of what may be complex (`result`, or None if that is not known) as that of `operand`, which may be real."""
    t = operand.type
    kind = result.kind if isinstance(result, Num) else "?"
    if isinstance(t, Num) and t.kind == "f" and (kind == "c" or kind == "?" and b.may_be_complex):
        return call(b.numpy("real"), expression)
    return expression


def cast(b, expression, operand, result):
    """The real part for a real operand of a complex result; float32 for a float32 operand."""
    t = operand.type
    if not isinstance(t, Num):
        return expression
    if t.kind == "f" and (result is None or result.kind in "c?") and (result is not None or b.may_be_complex):
        expression = call(b.numpy("real"), expression)
    if (
        t.dtype is not None
        and t.dtype.kind == "f"
        and t.dtype != np.dtype(float)
        and result is not None
        and result.dtype != t.dtype
    ):
        expression = (
            call(b.numpy("asarray"), expression, b.numpy(t.dtype.name))
            if t.boxed
            else call(b.numpy(t.dtype.name), expression)
        )
    return expression


def doubled(contributions):
    """Two equal contributions to one operand become twice the one (exact in floating point)."""
    out = []
    for operand, expression in contributions:
        same = next(
            (
                k
                for k, (o, e) in enumerate(out)
                if o is operand and isinstance(o, Var) and _dump(e) == _dump(expression)
            ),
            None,
        )
        if same is None:
            out.append((operand, expression))
        else:
            out[same] = (operand, ast.BinOp(constant(2.0), ast.Mult(), out[same][1]))
    return out


def _dump(node):
    if isinstance(node, Needed):
        return ("needed", node.var.uid, node.need)
    if isinstance(node, ast.AST):
        return (type(node).__name__, *[_dump(getattr(node, f, None)) for f in node._fields if f != "ctx"])
    if isinstance(node, list):
        return tuple(_dump(n) for n in node)
    return node


def is_fresh(expression) -> bool:
    """Does evaluating this make a new array (or a number)?"""
    if isinstance(expression, (ast.BinOp, ast.UnaryOp, ast.Constant)):
        return True
    if (
        isinstance(expression, ast.Call)
        and isinstance(expression.func, ast.Attribute)
        and isinstance(expression.func.value, ast.Name)
    ):
        return expression.func.attr in (
            "where",
            "sum",
            "dot",
            "outer",
            "copysign",
            "sign",
            "zeros",
            "full",
            "copy",
            "multiply",
            "array",
        )
    return False


def same_extents(t: Num, r: Num) -> bool:
    if t.rank != r.rank or t.rank is None:
        return False
    if t.rank == 0:
        return t.boxed == r.boxed or r.boxed is False
    if t.dims is None or r.dims is None:
        return False
    return all(a is not None and a == b for a, b in zip(t.dims, r.dims, strict=True))
