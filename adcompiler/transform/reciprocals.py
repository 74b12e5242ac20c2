"""Adjoints that are divided by a constant are multiplied by its reciprocal, in compiled code.

    t_bar = y_bar / 9.0        ->        t_bar = y_bar * 0.1111111111111111

A division takes several times as long, and the sweep of a recurrence waits for it in each trip. An adjoint may differ by
the rounding of one operation; values are divided as they are written.
"""

from __future__ import annotations

import ast

from .code import Line, constant, lines

_LARGEST = 1e290  # of a constant, so that its reciprocal is a normal number


def multiply_by_reciprocals(code):
    """Rewrite such divisions in the lines of reverse code."""
    for item in lines(code):
        if isinstance(item, Line):
            item.value = _Reciprocals().visit(item.value)


class _Reciprocals(ast.NodeTransformer):
    def visit_BinOp(self, node):
        self.generic_visit(node)
        divisor = node.right
        if isinstance(node.op, ast.Div) and isinstance(divisor, ast.Constant) and type(divisor.value) in (int, float):
            if 1.0 / _LARGEST < abs(divisor.value) < _LARGEST and not isinstance(node.left, ast.Constant):
                return ast.BinOp(node.left, ast.Mult(), constant(1.0 / divisor.value))
        return node


__all__ = ["multiply_by_reciprocals"]
