"""Operators on numbers, arrays and sequences, and what is known of the integers that they give."""

from __future__ import annotations

import ast
import operator
from dataclasses import replace

import numpy as np

from ....frontend.lower.comparisons import COMPARE
from ....frontend.lower.operators import BINARY, UNARY
from ....ir.nodes import NOTHING
from ....runtime.numba import scalars
from ....transform.code import call, constant
from ..typed import Typed
from ..types import BOOL, INT, Array, Items, Listed, Scalar, plus
from .casts import as_dtype, apply_elementwise, cast, integer
from .conditions import as_test
from .expressions import in_words, items_of, constant_of, expression, tuple_of

OPERATORS = BINARY | UNARY | COMPARE


def lower_unary(lo, node):
    value = expression(lo, node.operand)
    if isinstance(node.op, ast.Not):
        test = as_test(lo, value)
        if test.is_known:
            return constant_of(not test.const)
        return Typed(ast.UnaryOp(ast.Not(), test.node), BOOL)
    if isinstance(node.op, ast.USub) and value.is_known and isinstance(value.const, (int, float)):
        return constant_of(-value.const)
    t = value.type
    if isinstance(node.op, ast.USub) and isinstance(t, Scalar) and t.kind == "i" and t.weak and t.low is None and t.size is None:
        return Typed(call(lo.helper(scalars.difference), constant(0), value.node), INT)  # -2**63 has no negative
    return apply_elementwise(lo, OPERATORS[type(node.op)], [value], lambda lo, a, ts, r: ast.UnaryOp(node.op, a[0]))


def lower_binary(lo, node):
    from ..python.texts import text_operator

    left, right = expression(lo, node.left), expression(lo, node.right)
    text = text_operator(lo, type(node.op), left, right, node)
    if text is not None:
        return text
    return binary(lo, type(node.op), left, right, ("sum", id(node.right)))


def binary(lo, op, left, right, site=None) -> Typed:
    """`left op right` for numbers and arrays; site: the place, for the list that it may make."""
    function = OPERATORS[op]
    if function is operator.matmul:
        from ..functions.products import product

        return product(lo, np.matmul, left, right)
    if isinstance(left.type, Array) or isinstance(right.type, Array):
        left, right = from_sequence(lo, left), from_sequence(lo, right)
    for side in (left, right):
        if not isinstance(side.type, (Scalar, Array)):
            return _sequence_operator(lo, op, left, right, site)
    if op is ast.Pow and right.is_known and right.const < 0 and left.type.kind == right.type.kind == "i" and left.type.weak:
        left = cast(lo, left, np.dtype(float))  # Python's integers give a float
    made = apply_elementwise(lo, function, [left, right], _binary_scalar(op, right))
    if isinstance(made.type, Scalar) and made.type.kind == "i":
        made.type = replace(made.type, **_integer_facts(lo, op, left, right))
        if left.is_known and right.is_known and op in (ast.Add, ast.Sub, ast.Mult) and isinstance(left.const, int):
            return constant_of(function(left.const, right.const))
    return made


def from_sequence(lo, value):
    """A list or tuple in the place of an array is one, as in NumPy."""
    if not isinstance(value.type, (Listed, Items)):
        return value
    from ..functions.creation import array_from

    return array_from(lo, [value], {})


def _sequence_operator(lo, op, left, right, site):
    if op is ast.Mult and isinstance(left.type, Listed):
        from ..containers.lists import repeated

        return repeated(lo, left, integer(lo, right), site)
    if op is ast.Add and isinstance(left.type, Listed) and isinstance(right.type, Listed):
        from ..containers.lists import concatenated

        return concatenated(lo, left, right, site)
    if op is ast.Add and isinstance(left.type, Items) and isinstance(right.type, Items):
        parts = [*items_of(left), *items_of(right)]
        return tuple_of(parts)
    lo.refuse(f"this operator on {in_words(left)} and {in_words(right)}")


def _integer_facts(lo, op, left, right):
    """A bound from below, the extent, and the size of a sum, difference or product of integers."""
    l, r = left.type, right.type
    if l.kind not in "ib" or r.kind not in "ib":
        return dict(low=None, token=None, size=None, high=None)
    low = token = size = high = None
    if op in (ast.Add, ast.Sub, ast.Mult) and (l.size, r.size) == (1, 1):
        size = 1 if op is not ast.Mult and (left.is_known or right.is_known) else 2
    elif op is ast.Mod:
        size = r.size
    elif op is ast.FloorDiv:
        size = l.size
    if op is ast.Add:
        low = l.low + r.low if l.low is not None and r.low is not None else None
        token = plus(l.token, right.const) if right.is_known else plus(r.token, left.const) if left.is_known else None
        high = plus(l.high, right.const) if right.is_known else plus(r.high, left.const) if left.is_known else None
    elif op is ast.Sub:
        low = l.low - right.const if l.low is not None and right.is_known else None
        token = plus(l.token, -right.const) if right.is_known else None
        high = plus(l.high, -right.const) if right.is_known else None
        if isinstance(right.node, ast.Name) and isinstance(left.node, ast.Name) and lo.less.get(right.node.id) == left.node.id:
            low = 1
            high = l.high if r.low is not None and r.low >= 0 else None
    elif op is ast.Mult:
        low = l.low * r.low if l.low is not None and r.low is not None and l.low >= 0 and r.low >= 0 else None
    elif op is ast.FloorDiv:
        low = 0 if l.low is not None and l.low >= 0 and r.low is not None and r.low > 0 else None
    elif op is ast.Mod:
        low = 0 if r.low is not None and r.low > 0 else None
    return dict(low=low, token=token, size=size, high=high)


def _binary_scalar(op, right):
    """How two numbers are combined, with Python's meaning for Python numbers and NumPy's for others."""

    def build(lo, args, types, result):
        a, b = args
        python = all(t.weak is True for t in types)
        whole = result.kind in "iu" and all(t.kind in "ib" for t in types)
        exponent = right.const if op is ast.Pow else NOTHING
        if python and op in (ast.Div, ast.FloorDiv, ast.Mod) and not (right.is_known and right.const != 0):
            helper = {ast.Div: scalars.divided, ast.FloorDiv: scalars.floor_divided, ast.Mod: scalars.remainder}[op]
            return call(lo.helper(helper), a, b)
        if op is ast.Pow:
            return _power(lo, a, b, types, result, python, exponent)
        if result.kind == "b" and op in (ast.Add, ast.Mult):  # of NumPy's bools they are "or" and "and"
            return ast.BinOp(a, ast.BitOr() if op is ast.Add else ast.BitAnd(), b)
        if python and whole and op in (ast.Mult, ast.Add, ast.Sub, ast.LShift) and not _stays_small(op, types, right):
            helper = {
                ast.Mult: scalars.product, ast.Add: scalars.total, ast.Sub: scalars.difference,
                ast.LShift: scalars.shifted,
            }[op]
            return call(lo.helper(helper), a, b)
        return ast.BinOp(a, op(), b)

    return build


def _stays_small(op, types, right) -> bool:
    """Is the result of this integer operation, in any program that ends, within 64 bits?"""
    sizes = [t.size for t in types]
    if op in (ast.Add, ast.Sub):
        return None not in sizes
    return op is ast.Mult and sizes == [1, 1]


def _power(lo, a, b, types, result, python, exponent):
    if result.kind in "iu":
        if exponent is not NOTHING and exponent in (0, 1):
            return ast.BinOp(a, ast.Pow(), b)
        return call(lo.helper(scalars.integer_power), a, b)
    if python and result.kind == "f":
        if exponent is not NOTHING and exponent >= 0 and float(exponent).is_integer() and exponent <= 16:
            return ast.BinOp(as_dtype(lo, a, types[0], result.dtype), ast.Pow(), constant(int(exponent)))
        return call(lo.helper(scalars.python_power), a, b)
    if python and result.kind == "c" and not (exponent is not NOTHING and np.real(exponent) > 0):
        lo.refuse("a power of Python's complex numbers, which raises at 0", "use NumPy's numbers")
    if result.kind == "f" and isinstance(exponent, int) and exponent < 0:  # Numba's own raises at 0
        below = a if exponent == -1 else ast.BinOp(a, ast.Pow(), constant(-exponent))
        return ast.BinOp(constant(1.0), ast.Div(), below)
    if result.kind == "f" and exponent is NOTHING and types[1].kind == "i" and types[1].low is None:
        b = as_dtype(lo, b, types[1], np.dtype(float))
    return ast.BinOp(a, ast.Pow(), b)
