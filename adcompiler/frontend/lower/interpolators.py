"""Calls of SciPy's interpolators that carry no derivative themselves, at points that do.

An interpolator of active values is a tuple from the start (`registry.written_out`); one of constants stays the object
that it is, and has a rule for its points if its class is known when compiling.
"""

from __future__ import annotations

from ...ir.nodes import NOTHING, Assign, Const, Var
from ...ir.types import Opaque
from ...rules.registry import lookup


def note_class(cx, callee, result):
    """Remember what a constructor of scipy.interpolate has made."""
    value = callee.value if isinstance(callee, Const) else None
    if (getattr(value, "__module__", None) or "").startswith("scipy.interpolate"):
        from scipy import interpolate

        made = interpolate.BSpline if value is interpolate.make_interp_spline else value
        if isinstance(made, type):
            cx.opaque_classes[result] = made


def call_interpolator(cx, node, callee, args, kwargs):
    """The value of an interpolator at active points; None if it is something else."""
    from .rule_calls import emit_call

    known = cx.constant(callee)
    cls = type(known) if known is not NOTHING else _class_of(cx, callee)
    if cls is None or not cls.__module__.startswith("scipy.interpolate"):
        return None
    lookup(cls)  # reads the rules
    from ...runtime.scipy.splines import interpolator_value

    return emit_call(cx, node, interpolator_value, (callee, *args), kwargs)


def note_method(cx, base, name, result):
    """Remember that a spline's derivative is a spline."""
    cls = _class_of(cx, base)
    if cls is not None and cls.__module__.startswith("scipy.interpolate") and name in ("derivative", "antiderivative"):
        cx.opaque_classes[result] = cls


def _class_of(cx, operand):
    while isinstance(operand, Var) and isinstance(operand.type, Opaque):
        if operand in cx.opaque_classes:
            return cx.opaque_classes[operand]
        definition = operand.definition
        operand = definition.value if isinstance(definition, Assign) else None
    return None
