"""Methods of ufuncs that are written as calls of the ufunc itself."""

from __future__ import annotations

import numpy as np

from ...ir.nodes import Const
from ...ir.types import Num
from ...rules.registry import lookup
from .rule_calls import emit_call


def outer(cx, node, function, args, kwargs):
    """`ufunc.outer(a, b)` as `ufunc(np.expand_dims(a, ...), b)`; None if this is no such call, or has a rule of its own."""
    ufunc = getattr(function, "__self__", None)
    if not isinstance(ufunc, np.ufunc) or function.__name__ != "outer" or lookup(function) is not None:
        return None
    if len(args) != 2 or kwargs or lookup(ufunc) is None or not any(cx.varied(a) for a in args):
        return None
    types = [cx.type(a) for a in args]
    if any(not isinstance(t, Num) or t.rank is None for t in types):
        cx.unsupported(
            node,
            f"np.{ufunc.__name__}.outer of an array whose number of axes is not known at compile time",
            f"give the first array its further axes: np.{ufunc.__name__}(a[:, None], b)",
        )
    first, second = types[0].rank, types[1].rank
    left = args[0]
    if second:
        left = emit_call(cx, node, np.expand_dims, (left, Const(tuple(range(first, first + second)))), {})
    return emit_call(cx, node, ufunc, (left, args[1]), {})
