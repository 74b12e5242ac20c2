"""Values repeated along axes, and the sums that undo it."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....runtime.numba import checks
from ....runtime.products import sum_to
from ....runtime.reductions import spread
from ....runtime.shape import unbroadcast
from ....runtime.tangents import spread_copy
from ....transform.code import call, constant, name
from ..arrays.arrays import array, packed_index, shape_items
from ..arrays.nests import nest, settled
from ..arrays.broadcasting import stride_of
from ..arrays.sums import total_over, with_ones
from ..arrays.zero_d import is_zero_d, maybe_array, number_in
from ..lowering.calls import handles
from ..typed import Axis, Lazy, Typed
from ..types import Array, Items, Known, Scalar
from .axes import _constants
from .creation import filled, shape_axes


@handles(np.broadcast_to)
def _broadcast_to(lo, args, kwargs):
    made = _broadcast(lo, args[0], args[1] if len(args) > 1 else kwargs["shape"])
    if isinstance(args[0].type, Array) and made.lazy is not None:
        made.lazy.alias = True
    return made


def _broadcast(lo, value: Typed, shape: Typed) -> Typed:
    axes = shape_axes(lo, shape)
    if isinstance(value.type, Scalar):
        return filled(lo, axes, value, value.type.dtype) if axes else value
    value = array(lo, value)
    if not value.lazy.is_view and not value.lazy.constant:
        value = settled(lo, value)
    rank = len(axes)
    mapping = {}
    for k, a in enumerate(value.lazy.axes):
        t = axes[rank - value.type.rank + k]
        if a.token == 1 and t.token != 1:
            mapping[k] = "one"
        elif not lo.are_equal(a.token, t.token):
            if lo.options.get("broadcasting"):
                mapping[k] = lo.fresh("stride")
                lo.emit(ast.Expr(call(lo.helper(checks.broadcast_fits), t.extent(), a.extent())))
                lo.assign(mapping[k], stride_of(a.extent()))
            else:
                lo.emit(ast.Expr(call(lo.helper(checks.fits_extent), t.extent(), a.extent())))
                lo.set_equal(a.token, t.token)
    from ..arrays.broadcasting import _index_map

    own = _index_map(value.lazy.axes, mapping, rank)
    t = replace(value.type, rank=rank, dims=tuple(a.token for a in axes))
    lazy = Lazy(axes, lambda lo, ixs: value.lazy.element(lo, own(lo, ixs)), value.lazy.reads)
    return Typed(None, t, lazy=lazy)


@handles(spread)
def _spread(lo, args, kwargs):
    given = {**dict(zip(("value", "shape", "axis", "keepdims"), args, strict=False)), **kwargs}
    value, shape = given["value"], given["shape"]
    axis, keepdims = given.get("axis"), given.get("keepdims")
    if isinstance(value.type, Array) and axis is not None and not isinstance(axis.type, Known):
        if keepdims is None or not keepdims.const:
            rank = len(shape.type.items)
            value = with_ones(lo, value, {a % rank for a in _constants(lo, axis, "axes")})
    return _broadcast(lo, value, shape)


@handles(spread_copy)
def _spread_copy(lo, args, kwargs):
    """A tangent in memory of its own, with the shape and the type of its value."""
    from .creation import array_from
    from ..lowering.casts import cast

    tangent, value = args
    if not isinstance(value.type, (Scalar, Array)) or not isinstance(tangent.type, (Scalar, Array)):
        lo.refuse("the tangent of a copy of this")
    if isinstance(value.type, Scalar):
        return number_in(lo, tangent)
    tangent = cast(lo, tangent, value.type.dtype if value.type.kind in "fc" else np.dtype(float))
    if not value.type.rank:
        return maybe_array(lo, tangent, tangent.type.dtype)
    return array_from(lo, [_broadcast(lo, tangent, shape_items(lo, value))], {})


@handles(unbroadcast, sum_to)
def _unbroadcast(lo, args, kwargs):
    """The sum over the axes that broadcasting has made: none where the extents are known to be equal."""
    value, shape = args
    rank = len(shape.type.items) if isinstance(shape.type, Items) else None
    if rank is None:
        lo.refuse("a shape that is not a tuple")
    if isinstance(value.type, Scalar):
        return value if rank == 0 else _broadcast(lo, value, shape)
    value = array(lo, value)
    lead = set(range(value.type.rank - rank))
    if is_zero_d(value):
        return value
    if rank == 0:
        from ..arrays.sums import total

        return total(lo, value, Scalar(value.type.dtype, None))
    axes = shape_axes(lo, shape)
    ones, unsure = set(), []
    for k, a in enumerate(axes):
        own = value.lazy.axes[len(lead) + k]
        if lo.are_equal(own.token, a.token):
            continue
        if a.token == 1:
            ones.add(len(lead) + k)
        else:
            unsure.append((own, a))
    if unsure and lo.options.get("broadcasting"):
        return _summed_to(lo, value, axes, len(lead))
    for own, a in unsure:
        lo.emit(ast.Expr(call(lo.helper(checks.same_extent), own.extent(), a.extent())))
        lo.set_equal(own.token, a.token)
    if not lead and not ones:
        return value
    summed = total_over(lo, value, lead | ones, False, value.type.dtype) if len(lead | ones) < value.type.rank else None
    if summed is None:
        from ..arrays.sums import total

        number = total(lo, value, Scalar(value.type.dtype, False))
        return filled(lo, [Axis(1, lambda: constant(1)) for _ in ones], number, value.type.dtype)
    return with_ones(lo, summed, {k - len(lead) for k in ones}) if ones else summed


def _summed_to(lo, value, axes, lead):
    """The general form: every element is added where its index leads, 0 along axes of length 1."""
    lengths = [constant(a.token) if isinstance(a.token, int) else a.extent() for a in axes]
    made = lo.fresh("summed")
    lo.assign(made, call(lo.np("zeros"), packed_index(lengths), lo.dtype(value.type.dtype)))
    factors = []
    for length in lengths:
        factors.append(lo.fresh("stride"))
        lo.assign(factors[-1], stride_of(length))

    def body(ixs):
        own = [ast.BinOp(ix, ast.Mult(), name(f)) for ix, f in zip(ixs[lead:], factors, strict=True)]
        where = ast.Subscript(name(made), packed_index(own), ast.Store())
        lo.emit(ast.AugAssign(where, ast.Add(), value.lazy.element(lo, ixs)))

    nest(lo, value.lazy, body)
    from ..arrays.arrays import _is_local

    dims = tuple(lo.token() if _is_local(a.token) else a.token for a in axes)
    lo.env[made] = Array(value.type.dtype, len(axes), dims, lo.root(made))
    return lo.array_name(made)
