"""Methods of arrays, `out=`, and functions that change an argument."""

from __future__ import annotations

import inspect

import numpy as np

from ...ir.nodes import Call, Const, Var
from ...ir.types import Num
from ...rules.libraries import name_of
from ...rules.mutators import lookup_mutator
from ...rules.registry import is_inactive, lookup
from .opaque_calls import opaque_call, opaque_method
from .regrouping import nested_lists
from .rule_calls import emit_call
from .overlapping import refuse_overlap, refuse_wrong_order
from .stores import store


_WRITE_BY_ENTRY = {np.place, np.fill_diagonal, np.concatenate, np.stack}  # NumPy looks for no overlap there
_TAKE_OUT_FOURTH = {np.clip, np.ndarray.clip}  # behind the array and the bounds


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
    out = out_argument(cx, function, [base, *args], kwargs)
    if out is not None:
        return call_with_out(cx, node, function, [base, *args], kwargs, out, method=name)
    if lookup(function) is None and not is_inactive(function) and not any(cx.varied(a) for a in (base, *args)):
        return opaque_method(cx, node, base)
    return emit_call(cx, node, function, (base, *args), kwargs, method=name)


def out_argument(cx, function, args, kwargs):
    """The array that receives the result of a NumPy call, or None; it is taken out of the arguments."""
    if "out" in kwargs:
        out = kwargs["out"]
        if isinstance(out, Const) and out.value is None:
            del kwargs["out"]
            return None
        if isinstance(out, Var) and out.items is not None and len(out.items) == 1:
            out = out.items[0]
        return out if isinstance(out, Var) and _is_numpy(function) else None
    if isinstance(function, np.ufunc) and len(args) > function.nin and isinstance(args[function.nin], Var):
        return args[function.nin]
    if _is_numpy(function) and function in _TAKE_OUT_FOURTH and len(args) == 4 and isinstance(args[-1], Var):
        return args[-1]
    return None


def _is_numpy(function):
    return (
        isinstance(function, np.ufunc)
        or (getattr(function, "__module__", "") or "").startswith("numpy")
        or getattr(function, "__objclass__", None) is np.ndarray
    )


def call_with_out(cx, node, function, args, kwargs, out, method=None):
    printed = Call(function, tuple(args), dict(kwargs), method=method)
    plain = {k: v for k, v in kwargs.items() if k != "out"}
    inputs = list(args)
    if isinstance(function, np.ufunc):
        inputs = inputs[: function.nin]
    elif function in _TAKE_OUT_FOURTH:
        inputs = inputs[:3]
    elif function in _WRITE_BY_ENTRY:
        refuse_overlap(cx, node, out, *inputs)
    where = plain.pop("where", None) if isinstance(function, np.ufunc) else None
    result = emit_call(cx, node, function, tuple(inputs), plain, method=method)
    if where is not None:
        result = emit_call(cx, node, np.where, (where, result, out), {})
    if isinstance(cx.type(out), Num) and cx.type(out).boxed is False:
        cx.unsupported(node, "out= must be an array")
    store(cx, node, out, Const(Ellipsis), result, printed=printed)
    return out


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
