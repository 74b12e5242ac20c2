"""Functions whose results are real whatever they get, as `abs`: known also where the kind or rank of an operand is not.

The adjoint of a real value is real. Where the value is known as real, the part of a contribution that a complex factor
makes imaginary is dropped (`transform.contributions.cast`); of a value of unknown kind it would be kept.

Takes the operands of a call of which no example can be made; gives the type of its result, `NUMBER` where that may be
complex. Only types of values that carry a derivative are looked at, which are never integers.
"""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np

from ...ir.types import NUMBER, Num, Tup, Type

_REAL = (np.float64(0.7), np.array([0.7, 1.3, 0.4]), np.array([[1.7, 0.3, 0.2], [0.4, 2.3, 0.1], [0.5, 0.6, 1.2]]))
_COMPLEX = tuple(v + 0.25j * v for v in _REAL)


def type_of_real_result(cx, function, args, kwargs) -> Type:
    """`Num("f")` for a function that gives real numbers for complex ones too, in tuples part by part."""
    operands = [*args, *kwargs.values()]
    if not any(is_unknown(cx, o) for o in operands):
        return NUMBER
    found = []
    for rank, values in product(range(3), (_REAL, _COMPLEX)):
        try:
            given = [_as_constant(cx, o, values[rank]) for o in operands]
            found.append((values is _COMPLEX, _kinds(cx, function, given[: len(args)], dict(zip(kwargs, given[len(args) :])))))
        except Exception:  # this function takes no such operands
            continue
    kinds = {kinds for _, kinds in found}
    if len({isinstance(k, tuple) and len(k) for k in kinds}) != 1 or not any(is_complex for is_complex, _ in found):
        return NUMBER
    if all(isinstance(k, str) for k in kinds):
        return Num("f") if kinds == {"f"} else NUMBER
    return Tup(tuple(Num("f") if set(of_part) == {"f"} else NUMBER for of_part in zip(*kinds, strict=True)))


def is_unknown(cx, operand) -> bool:
    """May an active operand be complex, of a kind or rank that is not known?"""
    t = cx.type(operand)
    return isinstance(t, Num) and (t.kind == "?" or t.rank is None or t.boxed is None) and t.kind in "?c" and cx.varied(operand)


def _as_constant(cx, operand, value):
    """The value itself where it is known, an example of what is known of it, or `value`."""
    from .numbers import example

    return value if is_unknown(cx, operand) else example(cx, operand, 0.7)


def _kinds(cx, function, given, named):
    from .numbers import _apply

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = _apply(function, given, named)
    if type(result) is tuple or isinstance(result, tuple) and hasattr(result, "_fields"):
        return tuple(np.asarray(r).dtype.kind for r in result)
    return np.asarray(result).dtype.kind


__all__ = ["is_unknown", "type_of_real_result"]
