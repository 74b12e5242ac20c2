"""Weighted averages, and the shape that their weights take."""

from __future__ import annotations

import ast

import numpy as np

from ....runtime.numba import checks
from ....runtime.numba import reductions as compiled
from ....runtime.reductions import _in_order_of_weights, average_weights
from ....transform.code import call
from ..arrays.arrays import array, shape_items
from ..arrays.nests import settled
from ..arrays.sums import with_ones
from ..lowering.casts import apply_elementwise, cast
from ..lowering.operators import binary, from_sequence
from ..lowering.expressions import constant_of, tuple_of
from ..lowering.calls import handles
from .reductions import _is_absent, mean_of, sum_of
from .broadcasting import _broadcast
from .axes import _constants
from .shapes import _tuple_parts, reshaped
from ..types import Array


@handles(np.average)
def _average(lo, args, kwargs):
    names = ("a", "axis", "weights", "returned", "keepdims")
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    if set(given) - set(names):
        lo.refuse("these arguments of 'numpy.average'")
    returned, keepdims = (bool(n in given and given[n].const) for n in names[3:])
    a, axis, weights = array(lo, from_sequence(lo, given["a"])), given.get("axis"), given.get("weights")
    if _is_absent(weights):
        if returned:
            lo.refuse("'returned' of 'numpy.average' without weights", "the number of elements")
        return mean_of(lo, a, axis, keepdims)
    a = settled(lo, a)
    shape = shape_items(lo, a)
    full = _weights(lo, from_sequence(lo, weights), shape, axis)
    total = sum_of(lo, _broadcast(lo, full, shape), axis, keepdims)
    total = apply_elementwise(lo, np.positive, [total], lambda lo, n, ts, r: call(lo.helper(compiled.weight_total), n[0]))
    total = settled(lo, total) if isinstance(total.type, Array) else lo.held(total)
    made = binary(lo, ast.Div, sum_of(lo, binary(lo, ast.Mult, a, full), axis, keepdims), total)
    return tuple_of([lo.result(made), cast(lo, total, made.type.dtype)]) if returned else made


@handles(average_weights)
def _average_weights(lo, args, kwargs):
    given = {**dict(zip(("weights", "shape", "axis"), args, strict=False)), **kwargs}
    return _weights(lo, from_sequence(lo, given["weights"]), given["shape"], given.get("axis"))


def _weights(lo, weights, shape, axis):
    """The weights with an axis of length 1 for each that they do not cover."""
    rank = len(shape.type.items)
    if not isinstance(weights.type, Array):
        lo.refuse("weights that are not an array")
    axes = list(range(rank))
    if weights.type.rank != rank:
        axes = [] if _is_absent(axis) else [k % rank for k in _constants(lo, axis, "axes")]
        if len(axes) != weights.type.rank or sorted(axes) != axes:
            lo.refuse("weights of these axes", "one axis, or weights in the shape of the array")
    weights = settled(lo, weights)
    parts = shape.items or _tuple_parts(shape)
    for own, k in zip(weights.lazy.axes, axes, strict=True):
        if not lo.are_equal(own.token, parts[k].type.token):
            lo.emit(ast.Expr(call(lo.helper(checks.joined_extent), parts[k].node, own.extent())))
            lo.set_equal(own.token, parts[k].type.token)
    others = set(range(rank)) - set(axes)
    return with_ones(lo, weights, others) if others else weights


@handles(_in_order_of_weights)
def _back(lo, args, kwargs):
    full_bar, shape, weights = args[:3]
    weights = from_sequence(lo, weights)
    return full_bar if weights.type.rank == len(shape.type.items) else reshaped(lo, full_bar, shape_items(lo, weights))


__all__ = ["constant_of"]
