"""Elements taken along an axis by their places, and the adjoints that add to those places."""

from __future__ import annotations

import ast

import numpy as np

from ....runtime.numba import checks
from ....runtime.selecting import take_adjoint, take_along_axis_adjoint
from ....transform.code import call
from ..arrays.arrays import array, packed_index, unsigned
from ..arrays.nests import nest, settled
from ..arrays.sums import with_ones
from .creation import filled, shape_axes
from .elementwise import clip
from ..lowering.operators import binary, from_sequence
from ..lowering.expressions import constant_of
from ..lowering.calls import handles
from .reductions import _is_absent
from .shapes import _size, reshaped
from ..arrays.subscripts import gathered, viewed
from ..typed import Lazy, Typed
from ..types import INT, Array, Items, Listed, Scalar


def _along(lo, axis, default=None):
    """The number of an axis; None for all elements in a row."""
    if axis is None:
        return default
    if not _is_absent(axis) and not axis.is_known:
        lo.refuse("an axis that is not constant")
    return None if _is_absent(axis) else axis.const


# -- take --------------------------------------------------------------------------------------------------------------
def _indices(lo, indices, mode, length):
    """Indices as an array or a number, brought inside where the mode says so; else each is checked."""
    if isinstance(indices.type, (Items, Listed)):
        indices = from_sequence(lo, indices)
    if not isinstance(indices.type, (Array, Scalar)) or indices.type.kind not in "iu":
        lo.refuse("indices of 'numpy.take' that are not integers")
    how = "raise" if mode is None else getattr(mode.type, "value", mode.const)
    if how == "wrap":
        indices = binary(lo, ast.Mod, indices, length)
    elif how == "clip":
        indices = clip(lo, indices, constant_of(0), binary(lo, ast.Sub, length, constant_of(1)))
    elif how != "raise":
        lo.refuse("a mode of 'numpy.take' that is not constant")
    return settled(lo, indices) if isinstance(indices.type, Array) else lo.held(indices, "place")


@handles(np.take, np.ndarray.take)
def _take(lo, args, kwargs):
    given = {**dict(zip(("a", "indices", "axis"), args, strict=False)), **kwargs}
    if set(given) - {"a", "indices", "axis", "mode"} or len(args) > 3:
        lo.refuse("these arguments of 'numpy.take'")
    a, k = array(lo, from_sequence(lo, given["a"])), _along(lo, given.get("axis"))
    if k is None:
        a, k = array(lo, reshaped(lo, a, constant_of(-1))), 0
    a, k = settled(lo, a), k % a.type.rank
    indices = _indices(lo, given["indices"], given.get("mode"), _length(lo, a, k))
    parts = [indices if j == k else ast.Slice() for j in range(a.type.rank)]
    if isinstance(indices.type, Array):
        return gathered(lo, a, parts, None)
    made = viewed(lo, a, parts)
    if not isinstance(made.type, Array):
        return made
    return Typed(None, made.type, lazy=Lazy(made.lazy.axes, made.lazy.element, made.lazy.reads))  # a copy


def _length(lo, a, k):
    axis = a.lazy.axes[k]
    if isinstance(axis.token, int):
        return constant_of(axis.token)
    return Typed(axis.extent(), Scalar(INT.dtype, True, 0, axis.token, 1))


@handles(take_adjoint)
def _take_adjoint(lo, args, kwargs):
    """Zeros to which each slice is added at the place from which it was taken."""
    given = {**dict(zip(("value", "shape", "indices", "axis", "mode"), args, strict=False)), **kwargs}
    value, shape, k = given["value"], given["shape"], _along(lo, given.get("axis"))
    zeros = settled(lo, filled(lo, shape_axes(lo, shape), constant_of(0), value.type.dtype))
    a_bar, own = zeros, k
    if k is None and zeros.type.rank > 1:
        length = lo.held(_size(lo, [zeros], {}), "extent")
        a_bar = settled(lo, filled(lo, shape_axes(lo, length), constant_of(0), value.type.dtype))
    own = 0 if k is None else k % zeros.type.rank
    indices = _indices(lo, given["indices"], given.get("mode"), _length(lo, a_bar, own))
    extra = indices.type.rank if isinstance(indices.type, Array) else 0
    extent = a_bar.lazy.axes[own].extent()

    def place(ixs):
        index = indices.lazy.element(lo, ixs[own:own + extra]) if extra else indices.node
        at = unsigned(lo, call(lo.helper(checks.checked_index), index, extent))
        return ast.Subscript(a_bar.node, packed_index([*ixs[:own], at, *ixs[own + extra:]]), ast.Store())

    if isinstance(value.type, Scalar):
        lo.emit(ast.AugAssign(place([]), ast.Add(), value.node))
    else:
        value = array(lo, value)
        nest(lo, value.lazy, lambda ixs: lo.emit(ast.AugAssign(place(ixs), ast.Add(), value.lazy.element(lo, ixs))))
    return a_bar if k is not None or zeros.type.rank == 1 else reshaped(lo, a_bar, shape)


# -- take_along_axis ---------------------------------------------------------------------------------------------------
@handles(np.take_along_axis)
def _take_along_axis(lo, args, kwargs):
    given = {**dict(zip(("arr", "indices", "axis"), args, strict=False)), **kwargs}
    a, indices, axis = array(lo, given["arr"]), given["indices"], given.get("axis")
    along = _along(lo, axis, -1)
    if along is None:
        a, along = array(lo, reshaped(lo, a, constant_of(-1))), 0
    if not isinstance(indices.type, Array) or indices.type.rank != a.type.rank:
        lo.refuse("these arguments of 'numpy.take_along_axis'")
    a = settled(lo, a)
    return gathered(lo, a, _places_along(lo, a.lazy.axes, settled(lo, indices), along), None)


def _places_along(lo, axes, indices, axis):
    """An index array for each axis: the given one, and along the others each element's own place."""
    made = []
    for k, a in enumerate(axes):
        if k == axis % len(axes):
            made.append(indices)
            continue
        own = Typed(None, Array(INT.dtype, 1, (a.token,)), lazy=Lazy([a], lambda lo, ixs: ixs[0]))
        held = settled(lo, own)
        lo.inside[held.node.id] = a.token
        made.append(with_ones(lo, held, set(range(len(axes))) - {k}))
    return made


@handles(take_along_axis_adjoint)
def _take_along_axis_adjoint(lo, args, kwargs):
    """Zeros to which each element is added where it was taken."""
    given = {**dict(zip(("value", "shape", "indices", "axis"), args, strict=False)), **kwargs}
    value, shape, indices, axis = (given.get(n) for n in ("value", "shape", "indices", "axis"))
    along = _along(lo, axis, -1)
    if along is None:
        return _take_adjoint(lo, [value, shape, indices], {})
    value, indices = array(lo, value), settled(lo, indices)
    k = along % value.type.rank
    a_bar = settled(lo, filled(lo, shape_axes(lo, shape), constant_of(0), value.type.dtype))
    extent = a_bar.lazy.axes[k].extent()

    def body(ixs):
        at = [unsigned(lo, call(lo.helper(checks.checked_index), indices.lazy.element(lo, ixs), extent)) if j == k else ix
              for j, ix in enumerate(ixs)]
        place = ast.Subscript(a_bar.node, packed_index(at), ast.Store())
        lo.emit(ast.AugAssign(place, ast.Add(), value.lazy.element(lo, ixs)))

    nest(lo, value.lazy, body)
    return a_bar
