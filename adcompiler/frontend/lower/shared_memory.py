"""What a call without a derivative gives may be a view of an operand: learnt, like types, on small examples.

Rules say what their results share. Of other functions, and of forms of a call that no rule has (`a.view(float)`,
`np.nan_to_num(a, copy=False)`), examples show it: whether a result shares memory does not depend on the numbers.
"""

from __future__ import annotations

import warnings

import numpy as np

from ...ir.nodes import Assign, Call, Const, Var
from ...ir.types import Num
from .numbers import _EFFECTS, NoExample, _apply, example


# Objects of other kinds that use the memory of the array that they are made of.
_OTHER_NAMES = (memoryview, np.asmatrix, np.matrix, np.ma.asarray, np.ma.asanyarray, np.ma.array, np.rec.array, np.from_dlpack)


def shared_operands(cx, function, args, kwargs) -> list[Var]:
    """The operands, arrays, whose memory a result of this call may use."""
    operands = [*args, *kwargs.values()]
    buffers = [array for o in operands if (array := array_of(o)) is not o]
    if buffers:  # of which no examples are made
        return [b for b in buffers if b.group is not None]
    arrays = [o for o in operands if isinstance(o, Var) and o.group is not None and _may_be_array(o.type)]
    if not arrays or getattr(function, "__name__", "") in _EFFECTS:
        return []
    for size in (4, 3):
        try:
            given = [_example(cx, o, size) for o in operands]
            named = dict(zip(kwargs, given[len(args) :], strict=True))
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = _arrays(_apply(function, given[: len(args)], named))
        except Exception:  # nothing is learnt of this example
            continue
        return [
            o
            for o, value in zip(operands, given, strict=True)
            if any(o is a for a in arrays) and any(np.may_share_memory(m, value) for m in made)
        ]
    return []


def array_of(operand):
    """The array of which a buffer, a matrix or a masked array was made, or the operand itself."""
    made = operand.definition.value if isinstance(operand, Var) and isinstance(operand.definition, Assign) else None
    if isinstance(made, Call) and made.args and any(_function_of(made) is f for f in _OTHER_NAMES):
        return made.args[0] if isinstance(made.args[0], Var) else operand
    return operand


def _function_of(call):
    return call.function.value if isinstance(call.function, Const) else call.function


def _may_be_array(t) -> bool:
    return isinstance(t, Num) and t.boxed is not False and t.kind in "fc?"


def _example(cx, operand, size):
    try:
        return example(cx, operand, 0.5, size)
    except NoExample:
        return np.full(size, 0.5)


def _arrays(value) -> list:
    if isinstance(value, (tuple, list)):
        return [a for v in value for a in _arrays(v)]
    return [value] if isinstance(value, np.ndarray) else []
