"""Calls of SciPy's interpolators that carry no derivative themselves, at points that do.

An interpolator of active values is a tuple from the start (`registry.written_out`); one of constants stays the object
that it is, and has a rule for its points if its class is known when compiling.
"""

from __future__ import annotations

from ...ir.nodes import NOTHING, Assign, Const, Unpack, Var
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
    from .callees import call_function
    from .rule_calls import emit_call

    known = cx.constant(callee)
    cls = type(known) if known is not NOTHING else _class_of(cx, callee)
    if cls is None or not cls.__module__.startswith("scipy.interpolate"):
        return None
    lookup(cls)  # reads the rules
    from scipy import interpolate

    from ...runtime.scipy.constant_interpolators import constant_grid, interpolator_value, surface_value

    if issubclass(cls, interpolate.BivariateSpline):
        return emit_call(cx, node, surface_value, (callee, *args), kwargs)
    if issubclass(cls, interpolate.RegularGridInterpolator):
        return call_function(cx, node, constant_grid, (callee, *args), kwargs)
    return emit_call(cx, node, interpolator_value, (callee, *args), kwargs)


def call_method(cx, node, base, name, args, kwargs):
    """The methods `ev` and `integrate` of an interpolator at active points; None for something else."""
    known = cx.constant(base)
    cls = type(known) if known is not NOTHING else _class_of(cx, base)
    if cls is None or name not in ("ev", "integrate") or not cls.__module__.startswith("scipy.interpolate"):
        return None
    lookup(cls)  # reads the rules
    from ...runtime.scipy.constant_interpolators import spline_integral, surface_at_points
    from .callees import call_function

    return call_function(cx, node, surface_at_points if name == "ev" else spline_integral, (base, *args), kwargs)


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
        if isinstance(definition, Unpack):
            operand = next((source for var, source in definition.pairs if var is operand), None)
        else:
            operand = definition.value if isinstance(definition, Assign) else None
    return None
