"""Calls of NumPy for which a function in the language of the compiler stands, where their arguments ask for it."""

from __future__ import annotations

import inspect

import numpy as np

from ...ir.nodes import Const
from ...ir.types import Num, same_dtype
from ...runtime.gradients import gradient_over_points, gradient_over_steps
from ...runtime.padding import pad_with_odd_reflection, pad_with_ramps, pad_with_statistics, statistic_of
from .rule_calls import emit_call
from .values import tuple_of


def gradient(cx, node, args, kwargs):
    """`np.gradient` with active distances of the samples: one call for each axis. None if the distances are constant."""
    from .callees import call_function

    if not any(cx.varied(h) for h in args[1:]):
        return None
    f, spacings, axes = args[0], list(args[1:]), _axes(cx, args[0], kwargs.get("axis", Const(None)))
    if axes is None or set(kwargs) - {"axis", "edge_order"}:
        cx.unsupported(
            node,
            "how many results np.gradient has here is not known at compile time, and the distances of the samples are active",
            "call it for one axis: np.gradient(f, h, axis=0)",
        )
    if len(spacings) == 1:
        spacings = spacings * len(axes)
    if len(spacings) != len(axes):
        cx.unsupported(node, f"np.gradient with {len(spacings)} distances along {len(axes)} axes", "pass one for each axis")
    parts = [_along(cx, node, call_function, f, h, k, kwargs.get("edge_order", Const(1))) for h, k in zip(spacings, axes, strict=True)]
    return parts[0] if len(parts) == 1 else tuple_of(cx, node, parts)


def _axes(cx, f, axis):
    """The axes along which `np.gradient` works, as operands; None if it is not known how many."""
    given, t = cx.constant(axis), cx.type(axis)
    if given is None:
        rank = getattr(cx.type(f), "rank", None)
        return None if rank is None else [Const(k) for k in range(rank)]
    if isinstance(given, (tuple, list)):
        return [Const(k) for k in given]
    return [axis] if isinstance(t, Num) and t.kind == "i" and t.is_scalar else None


def _along(cx, node, call_function, f, h, axis, edge_order):
    t = cx.type(h)
    if cx.varied(h) and not (isinstance(t, Num) and t.rank is not None):
        cx.unsupported(
            node,
            "np.gradient with respect to something that may be one distance or an array of points",
            "make it one of them: float(h), or np.asarray(x)",
        )
    if not cx.varied(h):
        return call_function(cx, node, np.gradient, [f, h], {"axis": axis, "edge_order": edge_order})
    twin = gradient_over_points if t.rank else gradient_over_steps
    return _in_precision_of(cx, node, f, call_function(cx, node, twin, [f, h, axis, edge_order], {}))


def _in_precision_of(cx, node, array, result):
    """`result` with the dtype of an array of floats, as NumPy gives it."""
    dtype, made = getattr(cx.type(array), "dtype", None), getattr(cx.type(result), "dtype", None)
    if dtype is None or dtype.kind not in "fc" or same_dtype(made, dtype):
        return result
    return emit_call(cx, node, np.asarray, (result, Const(dtype.type)), {})


_PAD = inspect.signature(np.pad)


def pad(cx, node, args, kwargs):
    """`np.pad` in a mode that computes what it fills in, on active values; None for others."""
    from .callees import call_function

    if not any(cx.varied(a) for a in (*args, *kwargs.values())):
        return None
    try:
        bound = _PAD.bind(*args, **kwargs).arguments
    except TypeError:
        return None
    options = bound.get("kwargs", {})
    mode = cx.constant(bound["mode"]) if "mode" in bound else "constant"
    operands = [bound["array"], bound["pad_width"], Const(mode)]
    statistic = statistic_of(mode)
    if statistic is not None and set(options) <= {"stat_length"}:
        padded = call_function(cx, node, pad_with_statistics, [*operands, Const(statistic)], options)
        return _in_precision_of(cx, node, bound["array"], padded)
    if mode == "linear_ramp" and set(options) <= {"end_values"}:
        return _in_precision_of(cx, node, bound["array"], call_function(cx, node, pad_with_ramps, operands, options))
    if mode in ("reflect", "symmetric") and set(options) == {"reflect_type"}:
        reflection = cx.constant(options["reflect_type"])
        if reflection == "even":
            return call_function(cx, node, np.pad, operands, {})
        if reflection == "odd":
            padded = call_function(cx, node, pad_with_odd_reflection, operands, options)
            return _in_precision_of(cx, node, bound["array"], padded)
    if mode == "empty":
        cx.unsupported(node, "np.pad in the mode 'empty' leaves elements without a value", "pad with zeros")
    if callable(mode):
        cx.unsupported(
            node,
            "np.pad with a function that fills in the new elements",
            "pad with zeros, and assign the rest by slices",
        )
    return None


HANDLERS = {np.gradient: gradient, np.pad: pad}
