"""Subscripts and functions that change their first argument: those of `operator`, and `np.nan_to_num(copy=False)`."""

from __future__ import annotations

import operator

import numpy as np

from ...ir.nodes import Call, Const, Var
from ...ir.types import Num, Ref, Tup
from .rule_calls import emit_call


def _set_item(cx, node, args, kwargs):
    from .items import write_item
    from .stores import store

    base, index, value = args
    if isinstance(cx.type(base), (Ref, Tup)):
        write_item(cx, node, base, index, value)
    elif isinstance(cx.type(base), Num):
        store(cx, node, base, index, value)
    else:
        return None
    return Const(None)


def _get_item(cx, node, args, kwargs):
    from .subscripts import subscript

    return subscript(cx, node, *args) if isinstance(cx.type(args[0]), (Num, Ref, Tup)) else None


def _delete_item(cx, node, args, kwargs):
    from .containers import delete_item

    if not isinstance(cx.type(args[0]), Ref):
        return None
    delete_item(cx, node, *args)
    return Const(None)


def _augmented(function):
    def handler(cx, node, args, kwargs):
        from .augmented import in_place

        t = cx.type(args[0])
        unclear = isinstance(t, Num) and t.boxed is None and not any(map(cx.varied, args))
        return None if unclear or not isinstance(t, (Num, Ref, Tup)) else in_place(cx, node, function, *args)

    return handler


def _replace_nans(cx, node, args, kwargs):
    """`np.nan_to_num(x, copy=False)`: a store into the array; None for the other forms, `copy` taken out."""
    from .stores import store

    given = args[1] if len(args) == 2 else kwargs.get("copy")
    if given is None or not 1 <= len(args) <= 2 or not isinstance(cx.constant(given), bool):
        return None
    array = args[0]
    plain = {k: v for k, v in kwargs.items() if k != "copy"}
    t = cx.type(array)
    if cx.constant(given):
        return emit_call(cx, node, np.nan_to_num, (array,), plain)
    if isinstance(t, Num) and t.boxed is False or not cx.varied(array):
        return None  # of a number NumPy raises an error
    if not (isinstance(array, Var) and isinstance(t, Num) and t.boxed):
        cx.unsupported(node, "np.nan_to_num(copy=False) of something that may be no array", "x[...] = np.nan_to_num(x)")
    result = emit_call(cx, node, np.nan_to_num, (array,), plain)
    store(cx, node, array, Const(Ellipsis), result, printed=Call(np.nan_to_num, tuple(args), dict(kwargs)))
    return array


HANDLERS = {
    np.nan_to_num: _replace_nans,
    operator.getitem: _get_item,
    operator.setitem: _set_item,
    operator.delitem: _delete_item,
    operator.iadd: _augmented(operator.add),
    operator.isub: _augmented(operator.sub),
    operator.imul: _augmented(operator.mul),
    operator.itruediv: _augmented(operator.truediv),
    operator.ipow: _augmented(operator.pow),
    operator.imatmul: _augmented(operator.matmul),
}

__all__ = ["HANDLERS"]
