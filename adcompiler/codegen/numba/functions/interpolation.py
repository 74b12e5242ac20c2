"""Piecewise linear interpolation, and the trapezoidal rule."""

from __future__ import annotations

import numpy as np

from ....runtime import signals
from ....runtime.numba import interpolation as compiled
from ....transform.code import call
from ..arrays.nests import settled
from ..lowering.casts import apply_elementwise, cast
from ..lowering.expressions import constant_of
from ..lowering.operators import from_sequence
from ..lowering.calls import handles
from ..lowering.inlined import inlined, only, walked
from .reductions import _is_absent
from .shapes import reshaped
from ..typed import Typed
from ..types import Array, Items, Scalar

DOUBLE = np.dtype(float)


# -- interp ------------------------------------------------------------------------------------------------------------
def _knots(lo, v):
    v = from_sequence(lo, v)
    if not isinstance(v.type, Array) or v.type.rank != 1 or v.type.kind not in "fiu":
        lo.refuse("'numpy.interp' of other than real vectors")
    return settled(lo, cast(lo, v, DOUBLE))


def _points(lo, x):
    x = from_sequence(lo, x)
    if not isinstance(x.type, (Array, Scalar)) or x.type.kind not in "fiu":
        lo.refuse("'numpy.interp' at other than real numbers")
    x = cast(lo, x, DOUBLE, False)
    return settled(lo, x) if isinstance(x.type, Array) else lo.held(x)


def _at_points(lo, helper, x, xp, fp):
    xp, fp = _knots(lo, xp), _knots(lo, fp)
    build = lambda lo, n, ts, r: call(lo.helper(helper), n[0], xp.node, fp.node)  # noqa: E731
    made = apply_elementwise(lo, np.positive, [x], build)
    return settled(lo, made) if isinstance(made.type, Array) else lo.held(made)


@handles(np.interp)
def _interp(lo, args, kwargs):
    given = dict(zip(("x", "xp", "fp", "left", "right", "period"), args, strict=False)) | kwargs
    if not _is_absent(given.get("period")):
        lo.refuse("'numpy.interp' with a period", "the neighbours of the first and the last knot, and np.mod")
    x, xp = _points(lo, given["x"]), _knots(lo, given["xp"])
    made = _at_points(lo, compiled.interpolated, x, xp, given["fp"])
    for side, body in (("left", _below), ("right", _above)):
        if not _is_absent(given.get(side)):
            made = walked(lo, body, [x, xp, made, given[side]])
    return made


def _below(x, xp, y, value):
    return np.where(x < xp[0], value, y)


def _above(x, xp, y, value):
    return np.where(x > xp[-1], value, y)


@handles(signals.interp_slope)
def _interp_slope(lo, args, kwargs):
    return _at_points(lo, compiled.slope_at, _points(lo, args[0]), *args[1:3])


@handles(signals.interp_spread)
def _interp_spread(lo, args, kwargs):
    value, x = (settled(lo, reshaped(lo, _points(lo, v), constant_of(-1))) for v in args[:2])
    xp = _knots(lo, args[2])
    return Typed(call(lo.helper(compiled.spread_to_knots), value.node, x.node, xp.node), Array(DOUBLE, 1, xp.type.dims))


# -- the trapezoidal rule ----------------------------------------------------------------------------------------------
@inlined(np.trapezoid)
def _trapezoid(y, x=None, dx=1.0, axis=-1):
    samples = np.moveaxis(y, axis, -1)
    means = 0.5 * (samples[..., 1:] + samples[..., :-1])
    if x is None:
        return np.sum(dx * means, axis=-1)
    points = np.moveaxis(x, -1, -1) if x.ndim == 1 else np.moveaxis(x, axis, -1)
    return np.sum((points[..., 1:] - points[..., :-1]) * means, axis=-1)


@inlined(signals.trapezoid_adjoint)
def _trapezoid_adjoint(value, shape, x=None, dx=1.0, axis=-1):
    y_bar = np.zeros(shape)
    moved = np.moveaxis(y_bar, axis, -1)
    if x is None:
        half = 0.5 * dx * np.expand_dims(value, -1)
    else:
        points = np.moveaxis(x, -1, -1) if x.ndim == 1 else np.moveaxis(x, axis, -1)
        half = 0.5 * (points[..., 1:] - points[..., :-1]) * np.expand_dims(value, -1)
    moved[..., 1:] += half
    moved[..., :-1] += half
    return y_bar


@inlined(signals.trapezoid_points_adjoint)
def _trapezoid_points_adjoint(value, y, x, axis=-1):
    x_bar = np.zeros(x.shape)
    samples = np.moveaxis(y, axis, -1)
    steps_bar = 0.5 * np.expand_dims(value, -1) * (samples[..., 1:] + samples[..., :-1])
    if y.ndim == 2:
        steps_bar = np.sum(steps_bar, axis=0)
    x_bar[1:] += steps_bar
    x_bar[:-1] -= steps_bar
    return x_bar


@inlined(signals.trapezoid_steps_adjoint)
def _trapezoid_steps_adjoint(value, y, shape, axis=-1):
    samples = np.moveaxis(y, axis, -1)
    return np.sum(0.5 * np.expand_dims(value, -1) * (samples[..., 1:] + samples[..., :-1]))


def _plain_rule(args, kwargs):
    """Real samples, their points in an array, or one number for the width."""
    given = dict(zip(("y", "x", "dx", "axis"), args, strict=False)) | kwargs
    x, dx, axis = given.get("x"), given.get("dx"), given.get("axis")
    real = isinstance(given["y"].type, (Array, Items)) and getattr(given["y"].type, "kind", "f") == "f"
    points = _is_absent(x) or isinstance(x.type, Array) and x.type.kind == "f"
    return real and points and (dx is None or isinstance(dx.type, Scalar)) and (axis is None or axis.is_known)


def _plain_adjoint(args, kwargs):
    names = ("value", "y", "x", "dx", "axis")
    given = dict(zip(names, args, strict=False)) | kwargs
    given["y"] = given.pop("shape", given.get("y"))
    given.pop("value")
    return _plain_rule([], given)


def _at_a_vector(args, kwargs):
    """Samples of one or two axes at the points of one vector."""
    y, x = (a.type for a in args[1:3])
    return all(isinstance(t, Array) and t.kind == "f" for t in (y, x)) and x.rank == 1 and y.rank < 3


def _of_one_width(args, kwargs):
    return isinstance(args[2].type, Items) and not args[2].type.items


_HINT = "real arrays, and a number or an array of points for the widths"
only(np.trapezoid, _plain_rule, _HINT)
only(signals.trapezoid_adjoint, _plain_adjoint, _HINT)
only(signals.trapezoid_points_adjoint, _at_a_vector, "points in one vector, and samples of one or two axes")
only(signals.trapezoid_steps_adjoint, _of_one_width, "one number as the width")

