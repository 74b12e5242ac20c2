"""Products with the unit seed of a gradient: `1.0 * e` is `e` wherever that is the same value of the same type."""

from __future__ import annotations

import ast

from .code import Line, lines


def unit_products(code, scalars):
    """`1.0 * e` is `e`: the seed of a gradient is one. A bare array keeps its product, which makes a new array."""
    for item in lines(code):
        if isinstance(item, Line):
            item.value = _without_units(item.value, scalars, top=True)


def _without_units(node, scalars, top=False):
    for f in node._fields:
        value = getattr(node, f, None)
        inner_top = not isinstance(node, (ast.BinOp, ast.UnaryOp))
        if isinstance(value, ast.AST):
            setattr(node, f, _without_units(value, scalars, inner_top))
        elif isinstance(value, list):
            setattr(node, f, [_without_units(v, scalars, True) if isinstance(v, ast.AST) else v for v in value])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            plain = isinstance(other, (ast.BinOp, ast.UnaryOp)) or isinstance(other, ast.Name) and other.id in scalars
            if (
                isinstance(one, ast.Constant)
                and one.value == 1.0
                and isinstance(one.value, float)
                and (plain or not top)
            ):
                return other
    return node


__all__ = ["unit_products"]
