"""Sums over axes as loops that add up."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....runtime.numba.scalars import added
from ....transform.code import call, constant, name
from ..typed import Axis, Typed
from ..types import Array, Scalar
from .arrays import _is_local, array, array_name, dtype_node, extents, packed_index
from .nests import nest


# -- sums --------------------------------------------------------------------------------------------------------------
def total(lo, value: Typed, result: Scalar) -> Typed:
    """The sum of all elements."""
    value = array(lo, value)
    made = lo.fresh("total")
    zero = {"c": 0j, "f": 0.0}.get(result.kind, 0)
    start = constant(zero)
    if result.dtype not in (np.dtype(float), np.dtype(np.int64), np.dtype(complex)):
        start = call(dtype_node(lo, result.dtype), start)
    lo.assign(made, start)
    nest(lo, value.lazy, lambda ixs: lo.emit(addition(lo, made, value.lazy.element(lo, ixs), result)))
    lo.env[made] = result
    return Typed(name(made), result)


def addition(lo, total, node, t):
    """The statement that adds to a sum whose order is free."""
    if t.dtype != np.dtype(float):
        return ast.AugAssign(name(total, True), ast.Add(), node)
    return ast.Assign([name(total, True)], call(lo.helper(added), name(total), node))


def total_over(lo, value: Typed, axes, keepdims, dtype) -> Typed:
    """Sums over some axes: an array of the others."""
    value = array(lo, value)
    kept = [a for k, a in enumerate(value.lazy.axes) if k not in axes]
    lengths = extents(lo, value.lazy)
    shape = [n for k, n in enumerate(lengths) if k not in axes]
    made = lo.fresh("totals")
    lo.assign(made, call(lo.np("zeros"), packed_index(shape), dtype_node(lo, dtype)))

    def body(ixs):
        own = [ix for k, ix in enumerate(ixs) if k not in axes]
        where = ast.Subscript(name(made), packed_index(own), ast.Store())
        lo.emit(ast.AugAssign(where, ast.Add(), value.lazy.element(lo, ixs)))

    nest(lo, value.lazy, body)
    dims = tuple(lo.token() if _is_local(a.token) else a.token for a in kept)
    lo.env[made] = Array(dtype, len(kept), dims, lo.root(made))
    found = array_name(lo, made)
    return with_ones(lo, found, axes) if keepdims else found


def with_ones(lo, value: Typed, axes) -> Typed:
    """The array with axes of length 1 put in at these positions of the result."""
    value = array(lo, value)
    rank = value.type.rank + len(axes)
    old = [k for k in range(rank) if k not in axes]
    own = iter(value.lazy.axes)
    new = [Axis(1, lambda: constant(1)) if k in axes else next(own) for k in range(rank)]

    def element(lo, ixs):
        return value.lazy.element(lo, [ixs[k] for k in old])

    node = None
    if value.node is not None and value.lazy.is_view:
        parts = [constant(None) if k in axes else ast.Slice() for k in range(rank)]
        node = ast.Subscript(value.node, packed_index(parts), ast.Load())
    t = replace(value.type, rank=rank, dims=tuple(a.token for a in new))
    return Typed(node, t, lazy=replace(value.lazy, axes=new, element=element, direct=False))
