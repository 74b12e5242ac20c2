"""What sequence and mapping patterns ask of their subject, answered by its type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...ir.nodes import NOTHING, Call, Const
from ...ir.types import BOOL, Num, Ref, Static, Tup
from ...runtime.matching import is_mapping, is_sequence

_ARRAY = np.zeros(0)


def _asked(function, kind, without=()):
    def handler(cx, node, args, kwargs):
        value, t = args[0], cx.type(args[0])
        known = cx.constant(value)
        if isinstance(t, Ref):
            cls = cx.assumed.holders[t.site].cls or {"list": list, "dict": dict}[t.kind]
            return Const(issubclass(cls, kind) and not issubclass(cls, without))
        if isinstance(t, Tup):
            return Const(kind is Sequence)
        if isinstance(t, Num) and t.boxed is not None:
            return Const(t.is_array and function(_ARRAY))
        if isinstance(t, Static) and known is not NOTHING:
            return Const(function(known))
        return cx.assign_temporary(Call(function, (value,)), BOOL, node)

    return handler


HANDLERS = {
    is_sequence: _asked(is_sequence, Sequence, (str, bytes, bytearray)),
    is_mapping: _asked(is_mapping, Mapping),
}

__all__ = ["HANDLERS"]
