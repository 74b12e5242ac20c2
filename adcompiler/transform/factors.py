"""Signs and factors of two in derivative lines: rewrites that are exact and save a pass over an array.

    -a + b, a + -b              b - a, a - b
    -a + -b                     -(a + b)
    2.0 * a + 2.0 * b           2.0 * (a + b)
    2.0 * a / (2.0 * b)         a / b

Negation and doubling round nothing, so the result is the same to the last bit (and finite where only the doubled number
would overflow). The user's own expressions stay as written: a node is rewritten if it reads a tangent or an adjoint.

>>> ast.unparse(factored(ast.parse("-(x_dot * y) + 2.0 * z_dot / (2.0 * r)", mode="eval").body)[0])
'z_dot / r - x_dot * y'
"""

from __future__ import annotations

import ast
import re

from .code import Line, constant, lines, nodes_in

_DERIVATIVE = re.compile(r"_(dot|bar)(_\d+)?$")


def tidy_factors(code) -> bool:
    """Rewrite the values of all lines; was there anything to do?"""
    changed = False
    for item in lines(code):
        if isinstance(item, Line) and _is_derivative(item.value):
            item.value, done = factored(item.value)
            changed |= done
    return changed


def factored(node: ast.expr) -> tuple[ast.expr, bool]:
    """An expression after the rewrites, and whether there were any."""
    rewriter = _Factors()
    return rewriter.visit(node), rewriter.changed


class _Factors(ast.NodeTransformer):
    changed = False

    def visit_BinOp(self, node):
        self.generic_visit(node)
        made = None
        if isinstance(node.op, (ast.Add, ast.Sub)):
            made = _sum(node)
        elif isinstance(node.op, ast.Div) and _is_doubled(node.left) and _is_doubled(node.right):
            made = ast.BinOp(node.left.right, ast.Div(), node.right.right)
        if made is None or not _is_derivative(node):
            return node
        self.changed = True
        return made


def _sum(node: ast.BinOp) -> ast.expr | None:
    """A sum or difference with fewer signs and factors."""
    left, right, adds = node.left, node.right, isinstance(node.op, ast.Add)
    if _is_doubled(left) and _is_doubled(right) and _is_derivative(left) and _is_derivative(right):
        return ast.BinOp(constant(2.0), ast.Mult(), ast.BinOp(left.right, node.op, right.right))
    if _is_negated(right):
        if adds and _is_negated(left):
            return ast.UnaryOp(ast.USub(), ast.BinOp(left.operand, ast.Add(), right.operand))
        return ast.BinOp(left, ast.Sub() if adds else ast.Add(), right.operand)
    if adds and _is_negated(left) and (_is_pure(left) or _is_pure(right)):
        return ast.BinOp(right, ast.Sub(), left.operand)
    return None


def _is_negated(node) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant)


def _is_doubled(node) -> bool:
    """`2.0 * e`: the factor is a float, so that what it multiplies is one too, or an array of numbers."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mult)
        and isinstance(node.left, ast.Constant)
        and type(node.left.value) is float
        and node.left.value == 2.0
    )


def _is_pure(node) -> bool:
    """May this be evaluated before or after its neighbour? Reads of a tape and the user's hooks keep their order."""
    return all(
        isinstance(n.func, ast.Attribute) and n.func.attr != "pop" for n in nodes_in(node) if isinstance(n, ast.Call)
    )


def _is_derivative(node) -> bool:
    return any(isinstance(n, ast.Name) and _DERIVATIVE.search(n.id) for n in nodes_in(node))


__all__ = ["factored", "tidy_factors"]
