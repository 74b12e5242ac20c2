"""Calls whose arguments are not all evaluated."""

from __future__ import annotations

import ast
import operator

import numpy as np

from ....runtime.strict import zero_wins
from ....transform.code import constant
from ..arrays.zero_d import box
from ..containers.records import layout
from ..functions.elementwise import where
from ..typed import Typed
from ..types import Array, Items, Known, Record, Scalar
from .calls import SPECIAL
from .casts import apply_elementwise
from .conditions import apart, chosen
from .expressions import constant_of, expression


def zero_where_nothing_flows(lo, node):
    """`zero_wins(y_bar, lambda: contribution)`: zero where the adjoint is zero."""
    y_bar = expression(lo, node.args[0])
    contribution = node.args[1]
    if not isinstance(contribution, ast.Lambda):
        lo.refuse("this contribution to an adjoint")
    if isinstance(y_bar.type, Scalar):
        y_bar = lo.held(y_bar)
        zero = Typed(ast.BinOp(constant(0.0), ast.Mult(), y_bar.node), Scalar(y_bar.type.dtype, y_bar.type.weak))
        lines, value = apart(lo, contribution.body)
        if isinstance(value.type, Array):
            y_bar = None
            for line in lines:
                lo.emit(line)
            return where(lo, _is_zero(lo, expression(lo, node.args[0])), constant_of(0.0), value)
        test = _is_zero(lo, y_bar)
        return chosen(lo, test, ([], zero), (lines, value))
    y_bar = lo.settled(y_bar)
    value = expression(lo, contribution.body)
    return where(lo, _is_zero(lo, y_bar), constant_of(0.0), value)


def _is_zero(lo, value):
    build = lambda lo, a, ts, r: ast.Compare(a[0], [ast.Eq()], [a[1]])  # noqa: E731
    return apply_elementwise(lo, operator.eq, [value, constant_of(0)], build)


def _isinstance(lo, node):
    value, kinds = expression(lo, node.args[0]), expression(lo, node.args[1])
    if not isinstance(kinds.type, Known):
        lo.refuse("'isinstance' with several classes")
    box(lo, value.type)
    t = value.type
    if isinstance(t, Array):
        return constant_of(issubclass(np.ndarray, kinds.const))
    if isinstance(t, Scalar) and t.weak is not None:
        python = {"b": bool, "i": int, "f": float, "c": complex}[t.kind]
        return constant_of(issubclass(python if t.weak else t.dtype.type, kinds.const))
    if isinstance(t, Items):
        return constant_of(issubclass(getattr(t, "cls", tuple), kinds.const))
    if isinstance(t, Record):
        own = layout(lo, t)
        return constant_of(issubclass(own.cls or {"dict": dict, "list": list}[own.kind], kinds.const))
    if isinstance(t, Known):
        return constant_of(isinstance(value.const, kinds.const))
    lo.refuse("'isinstance' of a value whose type depends on the path")


SPECIAL[zero_wins] = zero_where_nothing_flows
SPECIAL[isinstance] = _isinstance
