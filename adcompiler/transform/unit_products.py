"""Products with the unit seed of a gradient: `1.0 * e` is `e` wherever that is the same value of the same type."""

from __future__ import annotations

import ast

from .code import Line, lines


def unit_products(code, scalars, integers):
    """`1.0 * e` is `e`: the seed of a gradient is one. A bare array keeps its product, which makes a new array.

    integers: names that may hold integers, whose product with the seed is a float.
    """
    for item in lines(code):
        if isinstance(item, Line):
            item.value = _without_units(item.value, scalars, integers, top=True)


def _without_units(node, scalars, integers, top=False):
    for f in node._fields:
        value = getattr(node, f, None)
        inner_top = not isinstance(node, (ast.BinOp, ast.UnaryOp))
        if isinstance(value, ast.AST):
            setattr(node, f, _without_units(value, scalars, integers, inner_top))
        elif isinstance(value, list):
            setattr(node, f, [_without_units(v, scalars, integers, True) if isinstance(v, ast.AST) else v for v in value])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            plain = isinstance(other, (ast.BinOp, ast.UnaryOp)) or isinstance(other, ast.Name) and other.id in scalars
            if (
                isinstance(one, ast.Constant)
                and one.value == 1.0
                and isinstance(one.value, float)
                and (plain or not top)
                and not _may_be_integer(other, integers)
            ):
                return other
    return node


def _may_be_integer(node, integers) -> bool:
    """May this be an integer or an array of them, as far as its operands tell?"""
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Div):
            return False
        return _may_be_integer(node.left, integers) and _may_be_integer(node.right, integers)
    if isinstance(node, ast.UnaryOp):
        return _may_be_integer(node.operand, integers)
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, (float, complex))
    if isinstance(node, ast.Name):
        return node.id in integers
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("len", "int", "round")


__all__ = ["unit_products"]
