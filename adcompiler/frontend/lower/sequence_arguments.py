"""Lists as arguments of functions with rules.

A function that joins, or takes a list of arrays, gets the list as it is (nested lists become arrays first); for every other NumPy function the
list becomes an array. What the reverse sweep reads of a list is a copy made at the call, for lists change.
"""

from __future__ import annotations

from itertools import chain, repeat

import numpy as np

from ...ir.nodes import Call, Const, Var
from ...ir.types import OPAQUE, Num, Ref, Tup, carries_derivative

JOINS = {
    np.array,
    np.asarray,
    np.asanyarray,
    np.ascontiguousarray,
    np.asfortranarray,
    np.concatenate,
    np.stack,
    np.vstack,
    np.hstack,
    np.dstack,
    np.column_stack,
    np.block,
    np.histogram2d,
    np.histogramdd,
}
SEQUENCES = {np.linalg.multi_dot, np.select, np.choose}


def prepare(cx, node, function, rule, args, kwargs):
    """Arguments in which lists have the form that the rule of `function` can take, and copies of the lists that stay."""
    kept: dict[Var, Var] = {}
    arrays = set() if rule.elementwise or not _takes_array(function) else set(rule.differentiable)
    named = zip(args, chain(rule.signature.parameters, repeat(None)))
    args = tuple(_argument(cx, node, function, rule, a, kept, p in arrays) for a, p in named)
    kwargs = {k: _argument(cx, node, function, rule, a, kept, k in arrays) for k, a in kwargs.items()}
    return args, kwargs, kept


def _argument(cx, node, function, rule, operand, kept, is_array):
    t = cx.type(operand)
    if isinstance(t, Tup) and cx.varied(operand) and (rule.elementwise or _takes_array(function) and _of_numbers(t)):
        return _array_of(cx, node, operand)
    if isinstance(t, Tup) and is_array and t.items and _of_numbers(t):  # its adjoint rule counts on an array too
        return _array_of(cx, node, operand)
    if not (isinstance(t, Ref) and t.kind == "list"):
        return operand
    holder = cx.assumed.holders[t.site]
    element = cx.assumed.join_all(holder.types())
    numeric = _is_numpy(function) and (rule.elementwise or carries_derivative(element))
    if not numeric:
        if rule.statements and cx.varied(operand) and any(isinstance(i, Ref) for i in holder.types()):
            cx.unsupported(
                node, "a list of lists and other things as an argument", "make arrays of the inner lists first"
            )
        return _kept(cx, node, operand, kept)
    if any(isinstance(i, (Ref, Tup)) for i in holder.types()):
        if not isinstance(element, (Ref, Tup)):
            cx.unsupported(
                node, "a list of lists and other things as an argument", "make arrays of the inner lists first"
            )
        if function is np.block:  # the depth of the lists is part of what it does
            cx.unsupported(
                node, "a list of lists, made elsewhere, as an argument of np.block", "write the brackets in the call"
            )
        operand = _arrays_of(cx, node, operand)
    if function in JOINS:
        return _kept(cx, node, operand, kept)
    if function in SEQUENCES:
        return _kept(cx, node, _arrays_of(cx, node, operand), kept)
    return _array_of(cx, node, operand)


def _is_numpy(function):
    return isinstance(function, np.ufunc) or function in JOINS or rule_is_array_function(function)


def _takes_array(function):
    """Does this function of NumPy make an array of a tuple that it gets?"""
    return _is_numpy(function) and not _is_scipy(function) and function not in JOINS and function not in SEQUENCES


def _is_scipy(function):
    return (getattr(function, "__module__", "") or "").startswith("scipy.")


def _of_numbers(t):
    return isinstance(t, Num) or isinstance(t, Tup) and all(map(_of_numbers, t.items))


def rule_is_array_function(function):
    """Functions of NumPy and SciPy and operators take arrays; builtins and `math` take numbers."""
    module = getattr(function, "__module__", "") or ""
    return module.startswith(("numpy", "scipy.")) or module == "_operator" or getattr(function, "__objclass__", None) is np.ndarray


def _array_of(cx, node, operand):
    from .rule_calls import emit_call

    return emit_call(cx, node, np.array, (operand,), {})


def _arrays_of(cx, node, operand):
    from .comprehensions import list_of_calls

    return list_of_calls(cx, node, operand, Const(np.array))


def _kept(cx, node, operand, kept):
    kept[operand] = cx.assign_temporary(Call(list, (operand,)), OPAQUE, node)
    return operand


__all__ = ["Num", "prepare"]
