"""Calls that generated code makes of the runtime, where their meaning is simpler than their source.

Derivatives are compiled again from their text. There, the type of an adjoint says which form of a helper applies:

    t_bar = zero_wins(y_bar, lambda: y_bar / x)   ->   t = y_bar / x
                                                       0.0 if y_bar == 0 and t != t else t                (numbers)
                                                       np.where((y_bar == 0) & (t != t), 0.0, t)          (arrays)
"""

from __future__ import annotations

import operator

import numpy as np

from ...ir.nodes import Call, Const, Var
from ...ir.types import INT, OPAQUE, Num, without_dims
from ...runtime.choosing import position_of_largest, position_of_smallest
from ...runtime.containers import sorting_order
from ...runtime.seeds import unit_seed
from ...runtime.strict import zero_wins
from ...runtime.tangents import zeros_laid_out
from ...runtime.shadows import Shadows
from ...runtime.tape import Tape
from . import shadow_tables, tapes
from .branches import branch_value
from .rule_calls import emit_call


def lower_generated(cx, node, function, args, kwargs):
    """The result of such a call, or None if the function is none of them, or of a form that has no simpler one."""
    if isinstance(function, shadow_tables.ShadowTable):
        return shadow_tables.call_table(cx, node, function, args)
    if function is Shadows and not args:
        return shadow_tables.make_table(cx, node)
    if function is Tape:
        return tapes.make_tape(cx, node, args, kwargs)
    if any(function is f for f in _POSITIONS) and not kwargs:
        return cx.assign_temporary(Call(function, tuple(args)), _POSITIONS[function], node, varied=False)
    handler = next((h for f, h in _FORMS.items() if f is function), None)
    return handler(cx, node, args) if handler is not None and not kwargs else None


def _zero_wins(cx, node, args):
    from .calls import call_value

    y_bar, contribution = args
    t = cx.type(y_bar)
    if not isinstance(t, Num) or t.boxed is None:
        return None
    value = call_value(cx, node, contribution, [], {})
    is_zero = emit_call(cx, node, operator.eq, (y_bar, Const(0)), {})
    is_nan = emit_call(cx, node, operator.ne, (value, value), {})
    # Zero times a finite slope is zero by itself, and goes on depending on the adjoint with that slope.
    lost = emit_call(cx, node, operator.and_, (is_zero, is_nan), {})
    kind = cx.type(value)
    if t.is_scalar and isinstance(kind, Num) and kind.is_scalar:
        return branch_value(cx, node, lost, lambda: Const(0.0), lambda: value)
    return emit_call(cx, node, np.where, (lost, Const(0.0), value), {})


def _constant_like(function):
    """The handler of a function that gives constants of the type of its argument."""

    def handler(cx, node, args):
        (value,) = args
        t = cx.type(value)
        if not isinstance(t, Num) or not isinstance(value, Var):
            return None
        return cx.assign_temporary(Call(function, (value,)), without_dims(t), node, varied=False)

    return handler


# Functions of active keys, whose results carry no derivative.
_POSITIONS = {sorting_order: OPAQUE, position_of_largest: INT, position_of_smallest: INT}

_FORMS = {
    zero_wins: _zero_wins,
    unit_seed: _constant_like(unit_seed),
    zeros_laid_out: _constant_like(zeros_laid_out),
    **shadow_tables.FORMS,
}

__all__ = ["lower_generated"]
