"""Arrays of several shapes in one expression: their common axes, and the index of each operand."""

from __future__ import annotations

import ast

from ....runtime.numba import checks
from ....transform.code import call, constant, name
from ..typed import Axis, Lazy, Typed
from ..types import Array, Scalar
from .arrays import array, unsigned
from .nests import settled


# -- elementwise -------------------------------------------------------------------------------------------------------
def broadcast(lo, values, element, dtype) -> Typed:
    """The lazy array whose elements are `element(lo, [elements of the values])`."""
    rank = max(v.type.rank for v in values if isinstance(v.type, Array))
    parts = []
    for v in values:
        if isinstance(v.type, Scalar):
            held = lo.held(v)
            parts.append((None, lambda lo, ixs, held=held: held.node, []))
            continue
        v = array(lo, v)
        again = v.type.rank < rank or any(
            a.token == 1 and _extent_beside(values, v, k, rank) for k, a in enumerate(v.lazy.axes)
        )
        if again and not v.lazy.is_view and not v.lazy.constant:
            v = settled(lo, v)
        parts.append((v.lazy.axes, v.lazy.element, v.lazy.reads))
    axes, factors = common_axes(lo, [p[0] for p in parts], rank)

    def made(lo, ixs):
        return element(lo, [e(lo, factor(lo, ixs)) for (_, e, _), factor in zip(parts, factors, strict=True)])

    reads = [r for _, _, rs in parts for r in rs]
    constant_ = all(a is None for a, _, _ in parts)
    t = Array(dtype, rank, tuple(a.token for a in axes))
    return Typed(None, t, lazy=Lazy(axes, made, _at_most(reads), constant=constant_))


def _at_most(reads):
    return reads


def _extent_beside(values, v, k, rank):
    """Has another operand an axis beside axis `k` of `v` that is not of length 1?"""
    at = rank - v.type.rank + k
    for other in values:
        if other is v or not isinstance(other.type, Array):
            continue
        j = at - (rank - other.type.rank)
        if j >= 0 and (other.lazy is None or other.lazy.axes[j].token != 1):
            return True
    return False


def common_axes(lo, all_axes, rank):
    """The axes of operands broadcast together, and for each operand the function from common indices to its own."""
    axes = [Axis(1, lambda: constant(1)) for _ in range(rank)]
    maps = []
    for own in all_axes:
        maps.append({})
        for k, a in enumerate(own or ()):
            at = rank - len(own) + k
            if a.token == 1:
                continue
            if axes[at].token == 1:
                axes[at] = a
    for mapping, own in zip(maps, all_axes, strict=True):
        for k, a in enumerate(own or ()):
            at = rank - len(own) + k
            if a.token == 1 and axes[at].token != 1:
                mapping[k] = "one"
            elif a.token != 1 and not lo.are_equal(a.token, axes[at].token):
                mapping[k] = None
    if any(v is None for m in maps for v in m.values()):
        _compare_extents(lo, maps, all_axes, axes, rank)
    return axes, [_index_map(own, mapping, rank) for own, mapping in zip(all_axes, maps, strict=True)]


def _compare_extents(lo, maps, all_axes, axes, rank):
    """Write the comparison of extents that are not known to be equal."""
    exact = not lo.options.get("broadcasting")
    for at in range(rank):
        unlike = []
        for mapping, own in zip(maps, all_axes, strict=True):
            k = at - (rank - len(own)) if own else -1
            if k >= 0 and mapping.get(k, 0) is None:
                unlike.append((mapping, k, own[k]))
        if not unlike:
            continue
        first = axes[at]
        if exact:
            for mapping, k, a in unlike:
                if not lo.are_equal(a.token, first.token):
                    lo.emit(ast.Expr(call(lo.helper(checks.same_extent), first.extent(), a.extent())))
                    lo.set_equal(a.token, first.token)
                del mapping[k]
            continue
        found = first.extent()
        for _, _, a in unlike:
            found = call(lo.helper(checks.common_extent), found, a.extent())
        held = lo.fresh("extent")
        lo.assign(held, found)
        axes[at] = Axis(lo.token(), lambda held=held: name(held))
        for mapping, own in zip(maps, all_axes, strict=True):
            k = at - (rank - len(own)) if own else -1
            if k >= 0 and mapping.get(k) != "one":
                factor = lo.fresh("stride")
                lo.assign(factor, stride_of(own[k].extent()))
                mapping[k] = factor


def stride_of(extent):
    """0 along an axis of length 1, which is broadcast, else 1."""
    return ast.IfExp(ast.Compare(extent, [ast.NotEq()], [constant(1)]), constant(1), constant(0))


def _index_map(own, mapping, rank):
    if own is None:
        return lambda lo, ixs: []

    def own_indices(lo, ixs):
        made = []
        for k in range(len(own)):
            ix = ixs[rank - len(own) + k]
            how = mapping.get(k)
            if how == "one":
                ix = constant(0)
            elif how is not None:
                ix = unsigned(lo, ast.BinOp(ix, ast.Mult(), name(how)))
            made.append(ix)
        return made

    return own_indices
