"""Methods of arrays, `out=`, and functions that change an argument."""

from __future__ import annotations

import inspect

import numpy as np

from ...ir.nodes import Call, Const, Var
from ...ir.types import Num
from ...rules.libraries import name_of
from ...rules.mutators import lookup_mutator
from ...rules.registry import is_inactive, lookup
from .numpy_forms import rule_form
from .opaque_calls import opaque_call, opaque_method
from .regrouping import nested_lists
from .rule_calls import emit_call
from .overlapping import refuse_overlap, refuse_wrong_order
from .stores import store
from .subscripts import subscript
from .values import tuple_of


_WRITE_BY_ENTRY = {np.place, np.fill_diagonal, np.concatenate, np.stack}  # NumPy looks for no overlap there


def array_method(cx, node, base, name, args, kwargs):
    """A method of an array or a NumPy scalar."""
    function = getattr(np.ndarray, name, None)
    if function is None:
        function = next((getattr(c, name) for c in (complex, float, int) if hasattr(c, name)), None)
        if function is None or cx.varied(base):
            cx.missing_rule(node, f"ndarray.{name}")
        return opaque_method(cx, node, base)
    mutator = lookup_mutator(function)
    if mutator is not None:
        return mutate(cx, node, mutator, function, [base, *args], kwargs, method=name)
    if name == "tolist" and cx.varied(base):
        made = nested_lists(cx, node, base)
        if made is not None:
            return made
    printed = Call(function, (base, *args), dict(kwargs), method=name)
    (base, *args), kwargs, outs = rule_form(cx, function, [base, *args], kwargs)
    if outs:
        return call_with_out(cx, node, function, [base, *args], kwargs, outs, printed, method=name)
    if lookup(function) is None and not is_inactive(function) and not any(cx.varied(a) for a in (base, *args)):
        return opaque_method(cx, node, base)
    return emit_call(cx, node, function, (base, *args), kwargs, method=name)


def call_with_out(cx, node, function, args, kwargs, outs, printed, method=None):
    """Call a function in the form of its rule, and store its results into `outs`; the result of the call."""
    for out in outs:
        if out is not None and (not isinstance(out, Var) or isinstance(cx.type(out), Num) and cx.type(out).boxed is False):
            cx.unsupported(node, "out= must be an array", "pass an array that the function makes or gets, or leave it out")
        if getattr(function, "nout", 1) > 1 and out is not None and not isinstance(cx.type(out), Num):
            cx.unsupported(node, "out= of a function with several results that is no tuple of arrays", "write out=(a, b)")
    if function in _WRITE_BY_ENTRY:
        refuse_overlap(cx, node, outs[0], *args)
    plain = dict(kwargs)
    where = plain.pop("where", None) if isinstance(function, np.ufunc) else None
    result = emit_call(cx, node, function, tuple(args), plain, method=method)
    if getattr(function, "nout", 1) == 1:
        _store_result(cx, node, outs[0], where, result, printed)
        return outs[0]
    results = [_fetch(cx, node, result, k) for k in range(function.nout)]
    given = [*outs, *[None] * (function.nout - len(outs))]
    for out, part in zip(given, results, strict=True):
        if out is not None:
            _store_result(cx, node, out, where, part, None)
        elif where is not None:
            _refuse_where(cx, node)
    return tuple_of(cx, node, [part if out is None else out for out, part in zip(given, results, strict=True)])


def _fetch(cx, node, result, k):
    return result.items[k] if isinstance(result, Var) and result.items is not None else subscript(cx, node, result, Const(k))


def _store_result(cx, node, out, where, result, printed):
    if where is not None:
        result = emit_call(cx, node, np.where, (where, result, out), {})
    store(cx, node, out, Const(Ellipsis), result, printed=printed)


def refuse_where(cx, node, function, args, kwargs):
    """Refuse `where=` of a ufunc without `out=` where that has a derivative."""
    if isinstance(function, np.ufunc) and "where" in kwargs and any(cx.varied(a) for a in args):
        _refuse_where(cx, node)


def _refuse_where(cx, node):
    cx.unsupported(node, "'where=' without 'out=' leaves elements without a value", "pass out=np.zeros_like(...)")


def mutate(cx, node, mutator, function, args, kwargs, method=None):
    """A call that changes one argument: a store of the whole new content."""
    signature = inspect.signature(mutator.pure) if mutator.pure is not None else None
    active = any(cx.varied(a) for a in (*args, *kwargs.values()))
    if signature is None:
        if active:
            cx.unsupported(node, f"{name_of(function)} on an active array: {mutator.reason}", mutator.hint)
        return opaque_call(cx, node, Const(function), args, kwargs)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        cx.unsupported(node, f"this form of {name_of(function)} is not understood ({error})")
    target = bound.arguments[mutator.parameter]
    if not isinstance(target, Var):
        cx.unsupported(node, f"{name_of(function)} needs an array in a name")
    if function is np.copyto and "src" in bound.arguments:
        refuse_wrong_order(cx, node, target, Const(Ellipsis), bound.arguments["src"])
    if function in _WRITE_BY_ENTRY:
        refuse_overlap(cx, node, target, *(a for k, a in bound.arguments.items() if k != mutator.parameter))
    result = emit_call(cx, node, mutator.pure, tuple(args), kwargs)
    if isinstance(result, Var):
        result.type = cx.type(target)
    store(cx, node, target, Const(Ellipsis), result, printed=Call(function, tuple(args), dict(kwargs), method=method))
    return Const(None)
