"""Functions of vectors and matrices along the last axes of arrays of higher rank: loops over the other axes.

The rows of a stack are parts of its memory, so that what is called takes views and gives numbers, vectors or matrices.
"""

from __future__ import annotations

import ast

from ....runtime.numba import checks
from ....transform.code import call, name
from ..arrays.arrays import INDEX_NAMES, _is_local, array, extents, packed_index
from ..arrays.nests import settled
from ..arrays.sums import with_ones
from ..typed import Axis, Typed
from ..types import Array, Scalar


def over(lo, values, ranks, build, results) -> list[Typed]:
    """Call a function for each row of stacks: `made[i, j] = build([a[i, j], b[i, j]])`.

    ranks: how many last axes of each value are one row; a value without others is given whole to each call.
    results: for each result of the call the axes of one row, and its dtype. Gives new arrays (numbers, if nothing is stacked).
    """
    values = [settled(lo, v) for v in values]
    leads = [v.type.rank - r for v, r in zip(values, ranks, strict=True)]
    depth = max(leads)
    if depth == 0:
        return _whole(lo, build([v.node for v in values]), results)
    if any(n not in (0, depth) for n in leads):
        lo.refuse("stacks of different ranks in one call", "give both as many axes")
    stacks = [v for v, n in zip(values, leads, strict=True) if n]
    lead = stacks[0].lazy.axes[:depth]
    for other in stacks[1:]:
        for a, b in zip(lead, other.lazy.axes, strict=False):
            if not lo.are_equal(a.token, b.token):
                lo.emit(ast.Expr(call(lo.helper(checks.same_extent), a.extent(), b.extent())))
                lo.set_equal(a.token, b.token)
    made = [_empty(lo, [*lead, *tail], dtype) for tail, dtype in results]
    lengths = extents(lo, array(lo, stacks[0]).lazy)[:depth]
    indices = [lo.fresh(INDEX_NAMES[k % len(INDEX_NAMES)]) for k in range(depth)]
    lo.counters |= set(indices)
    at = packed_index([name(i) for i in indices])
    rows = [ast.Subscript(v.node, at, ast.Load()) if n else v.node for v, n in zip(values, leads, strict=True)]
    places = [ast.Subscript(name(m), at, ast.Store()) for m in made]
    place = places[0] if len(places) == 1 else ast.Tuple(places, ast.Store())
    loop = [ast.Assign([place], build(rows))]
    for i, length in reversed(list(zip(indices, lengths, strict=True))):
        loop = [ast.For(name(i, True), call(name("range"), length), loop, [])]
    lo.emit(loop[0])
    return [lo.array_name(m) for m in made]


def _empty(lo, axes, dtype) -> str:
    """A new array of these axes, under a name."""
    made = lo.fresh("rows")
    lengths = [ast.Constant(a.token) if isinstance(a.token, int) else a.extent() for a in axes]
    lo.assign(made, call(lo.np("empty"), packed_index(lengths), lo.dtype(dtype)))
    dims = tuple(lo.token() if _is_local(a.token) else a.token for a in axes)
    for d, a in zip(dims, axes, strict=True):
        if a.token is not None and d != a.token:
            lo.set_equal(d, a.token)
    lo.env[made] = Array(dtype, len(axes), dims, lo.root(made))
    return made


def _whole(lo, node, results):
    """The results of one call, each under a name."""
    made = [lo.fresh("t") for _ in results]
    target = name(made[0], True) if len(made) == 1 else ast.Tuple([name(m, True) for m in made], ast.Store())
    lo.emit(ast.Assign([target], node))
    found = []
    for m, (tail, dtype) in zip(made, results, strict=True):
        dims = tuple(None if _is_local(a.token) else a.token for a in tail)
        lo.env[m] = Array(dtype, len(tail), dims, lo.root(m)) if tail else Scalar(dtype, False)
        found.append(lo.array_name(m) if tail else Typed(name(m), lo.env[m]))
    return found


def moved_last(lo, v, axes) -> Typed:
    """The array with these axes behind the others."""
    from .axes import permuted

    kept = [k for k in range(v.type.rank) if k not in axes]
    order = kept + sorted(axes)
    return v if order == list(range(v.type.rank)) else permuted(lo, v, order)


def moved_back(lo, v, axes) -> Typed:
    """What `moved_last` undoes."""
    from .axes import permuted

    kept = [k for k in range(v.type.rank) if k not in axes]
    order = kept + sorted(axes)
    return v if order == list(range(v.type.rank)) else permuted(lo, v, [order.index(k) for k in range(v.type.rank)])


def reduced(lo, values, axes, build, dtype, keepdims=False) -> Typed:
    """A number for what each place of the other axes has along `axes`; `build` takes rows of rank `len(axes)`."""
    moved = [moved_last(lo, array(lo, v), axes) for v in values]
    made = over(lo, moved, [len(axes)] * len(moved), build, [([], dtype)])[0]
    return with_ones(lo, made, set(axes)) if keepdims else made


def scanned(lo, values, axes, build, dtype) -> Typed:
    """An array of the same shape, computed row by row along `axes`."""
    moved = [settled(lo, moved_last(lo, array(lo, v), axes)) for v in values]
    tail = moved[0].lazy.axes[moved[0].type.rank - len(axes):]
    made = over(lo, moved, [len(axes)] * len(moved), build, [(tail, dtype)])[0]
    return moved_back(lo, made, axes)


__all__ = ["Axis", "moved_back", "moved_last", "over", "reduced", "scanned"]
