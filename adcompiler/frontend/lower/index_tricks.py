"""`np.r_[...]` and `np.c_[...]` of active values: the calls that join the same arrays.

`np.r_[x, 1.0]` becomes `np.hstack([x, 1.0])`, and `np.c_[x, y]` becomes `np.column_stack([x, y])`. With constants alone
they are left as they stand.
"""

from __future__ import annotations

import numpy as np

from ...ir.nodes import Const, Display, Slice, Var
from ...ir.types import Num
from .rule_calls import emit_call
from .values import tuple_of

_NAMES = {type(np.r_): "r_", type(np.c_): "c_"}
_INSTEAD = {"r_": "join the arrays with np.concatenate", "c_": "join the columns with np.column_stack"}


def joined(cx, node, base, index):
    """The array that `base[index]` joins, for `base` one of `np.r_` and `np.c_`; None for any other object."""
    name = _NAMES.get(cx.opaque_classes.get(base))
    if name is None:
        return None
    parts = [_part(cx, node, name, p) for p in (index.items if isinstance(index, Display) else [index])]
    types = [cx.type(p) for p in parts]
    if any(not isinstance(t, Num) or t.rank is None for t in types) or not _one_precision(types):
        cx.unsupported(node, f"this form of np.{name} of an active value", _INSTEAD[name])
    function, further = _joining(cx, node, name, [t.rank for t in types])
    listed = tuple_of(cx, node, parts)
    listed.definition.value.kind = "list"
    return emit_call(cx, node, function, (listed, *further), {})


def any_varied(cx, index) -> bool:
    """Does an index, or a part of it, carry a derivative?"""
    if isinstance(index, Display):
        return any(any_varied(cx, i) for i in index.items)
    if isinstance(index, Slice):
        return any(any_varied(cx, p) for p in (index.lower, index.upper, index.step))
    return isinstance(index, (Var, Const)) and cx.varied(index)


def _part(cx, node, name, part):
    """A part as an operand: a slice counts up."""
    if not isinstance(part, Slice):
        return part
    step = cx.constant(part.step) if part.step is not None else 1
    if part.upper is None or not isinstance(step, (int, float)):
        cx.unsupported(node, f"this form of np.{name} of an active value", _INSTEAD[name])
    return emit_call(cx, node, np.arange, (part.lower or Const(0), part.upper, part.step or Const(1)), {})


def _one_precision(types) -> bool:
    """Is the type of the result the same for both ways of writing it? A Python number adapts to the arrays in one only."""
    double = (np.dtype(float), np.dtype(complex), np.dtype(int))
    return not any(t.is_python for t in types) or all(
        t.is_python or t.dtype is not None and t.dtype in double for t in types
    )


def _joining(cx, node, name, ranks):
    if name == "c_" and max(ranks) <= 2:
        return np.column_stack, ()
    if name == "r_" and max(ranks) <= 1:
        return np.hstack, ()
    if name == "r_" and len(set(ranks)) == 1:
        return np.concatenate, ()
    cx.unsupported(node, f"this form of np.{name} of an active value", _INSTEAD[name])
