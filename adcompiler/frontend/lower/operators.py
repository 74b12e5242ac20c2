"""Unary and binary operators."""

from __future__ import annotations

import ast
import operator

from ...ir.nodes import NOTHING, Call, Const, Var
from ...ir.types import BOOL, OPAQUE, Num, Opaque, Static
from .branches import truth
from .expressions import lower_expression
from .rule_calls import emit_call
from .sparse_products import constant_product, sparse_operator
from .special_methods import special_call, tested

BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}


UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert, ast.Not: operator.not_}


def lower_binary(cx, node):
    left = lower_expression(cx, node.left)
    stores = cx.stores
    right = lower_expression(cx, node.right)
    check_unchanged(cx, node, left, stores)
    return apply_operator(cx, node, BINARY[type(node.op)], left, right)


def check_unchanged(cx, node, operand, stores):
    """An operand that is an array and was computed before a later operand changed memory would be read too late."""
    if (
        isinstance(operand, Var)
        and operand.group is not None
        and isinstance(operand.type, Num)
        and operand.type.boxed is None
        and any(f.find() is operand.group.family for f in cx.stored_families[stores:])
    ):
        cx.unsupported(
            node,
            "one part of this expression changes an array in place while another part reads one",
            "compute the part with the side effect in a statement of its own",
        )


def apply_operator(cx, node, function, left, right):
    """`left op right` for numbers, sequences and strings."""
    from .containers import concatenate_sequences, container_operator, is_sequence, replicate_sequence

    made = sparse_operator(cx, node, function, left, right)
    if made is None:
        made = container_operator(cx, node, function, left, right)
    if made is not None:
        return made
    if function is operator.add and is_sequence(cx, left) and is_sequence(cx, right):
        return concatenate_sequences(cx, node, left, right)
    if function is operator.mul and is_sequence(cx, left):
        return replicate_sequence(cx, node, left, right)
    if function is operator.mul and is_sequence(cx, right):
        return replicate_sequence(cx, node, right, left)
    a, b = cx.constant(left), cx.constant(right)
    if a is not NOTHING and b is not NOTHING:
        try:
            value = function(a, b)
        except Exception:
            value = NOTHING
        if isinstance(value, (int, float, str, bool, tuple)) and isinstance(left, Const) and isinstance(right, Const):
            return Const(value)
        if isinstance(value, (int, float, bool)):
            return emit_call(cx, node, function, (left, right), {}, const=value)
    if function is operator.matmul:
        product = constant_product(cx, node, left, right)
        if product is not None:
            return product
    if function is operator.mod and isinstance(cx.type(left), (Static, Opaque)):
        return _opaque_operator(cx, node, function, left, right)
    return emit_call(cx, node, function, (left, right), {})


def _opaque_operator(cx, node, function, left, right):
    return cx.assign_temporary(Call(function, (left, right)), OPAQUE, node)


def lower_unary(cx, node):
    operand = lower_expression(cx, node.operand)
    if isinstance(node.op, ast.Not):
        operand = tested(cx, node, operand)
    special = special_call(cx, node, UNARY[type(node.op)], [operand])
    if special is not None:
        return special
    if isinstance(operand, Const) and isinstance(node.op, (ast.USub, ast.Not)):
        return Const(UNARY[type(node.op)](operand.value))
    if isinstance(node.op, ast.Not):
        value = truth(cx, operand)
        if value is not NOTHING:
            return Const(not value)
        return cx.assign_temporary(Call(operator.not_, (operand,)), BOOL, node)
    return emit_call(cx, node, UNARY[type(node.op)], (operand,), {})
