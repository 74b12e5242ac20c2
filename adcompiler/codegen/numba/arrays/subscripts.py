"""Subscripts of arrays: an element, a view as a change of indices, or a gather along index arrays."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....runtime.numba import checks
from ....runtime.numba.lists import array_of
from ....transform.code import call, constant, name
from .broadcasting import _index_map, common_axes
from .arrays import array, array_name, packed_index, unsigned
from .nests import settled
from .bounds import position
from ..typed import Axis, Typed
from ..types import INT, Array, Items, Known, Listed, Scalar, plus
from .zero_d import box, element_view, is_zero_d, number_in


def subscripted(lo, base: Typed, index, origin, *, is_target=False) -> Typed:
    """`base[index]`."""
    base = array(lo, base)
    parts = _parts(lo, base, index)
    if any(isinstance(p, Typed) and isinstance(p.type, Array) for p in parts):
        return gathered(lo, base, parts, origin)
    return viewed(lo, base, parts, stays_array=not is_target and _has_ellipsis(index))


def _has_ellipsis(index) -> bool:
    nodes = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(n, ast.Constant) and n.value is Ellipsis for n in nodes)


def picked(lo, base: Typed, fixed: dict) -> Typed:
    """The array at fixed indices of some axes: a number if no axis is left."""
    base = array(lo, base)
    return viewed(lo, base, [fixed.get(k, ast.Slice()) for k in range(base.type.rank)])


def _parts(lo, base, index) -> list:
    """The index as one entry per axis: a Typed integer or array, a slice, or None for a new axis."""
    nodes = list(index.elts) if isinstance(index, ast.Tuple) else [index]
    parts = []
    for n in nodes:
        if isinstance(n, ast.Slice):
            parts.append(n)
        elif isinstance(n, ast.Constant) and n.value is Ellipsis:
            parts.append(Ellipsis)
        else:
            parts += _evaluated(lo, n, len(nodes) == 1, base.type.rank)
    used = sum(_axes_used(p) for p in parts)
    missing = base.type.rank - used
    if missing < 0:
        lo.refuse(f"{used} indices of an array of rank {base.type.rank}", "give one index per axis")
    if not any(p is Ellipsis for p in parts):
        parts.append(Ellipsis)
    at = next(k for k, p in enumerate(parts) if p is Ellipsis)
    parts[at : at + 1] = [ast.Slice()] * missing
    if any(p is Ellipsis for p in parts):
        lo.refuse("an index with two '...'")
    out, at = [], 0
    for p in parts:  # a mask stands for the places where it is true, one index array per axis
        if isinstance(p, Typed) and isinstance(p.type, Array) and p.type.kind == "b":
            out += _places(lo, p, base.lazy.axes[at : at + p.type.rank])
        else:
            out.append(p)
        at += _axes_used(p)
    return out


def _axes_used(p):
    if p is None or p is Ellipsis:
        return 0
    if isinstance(p, Typed) and isinstance(p.type, Array) and p.type.kind == "b":
        return p.type.rank
    return 1


def _evaluated(lo, n, alone, rank):
    from ..lowering.expressions import expression

    value = expression(lo, n)
    t = value.type
    if isinstance(t, Known) and (t.value is None or isinstance(t.value, slice) or t.value is Ellipsis):
        return [_known_part(t)]
    if isinstance(t, Known) and t.value is slice:
        lo.refuse("a slice whose bounds are computed, as a value", "write the slice in the brackets: x[a:b]")
    if isinstance(t, Scalar) and t.kind in "iu":
        if rank > 1:
            box(lo, t)  # of an array it would be a copy of a part, not a view
        return [value]
    if isinstance(t, Array) and t.kind in "iub" and (t.rank or t.kind != "b"):
        return [value]
    if isinstance(t, Listed) and isinstance(t.element, Scalar) and t.element.kind in "iub":
        made = lo.fresh("t")
        lo.assign(made, call(lo.helper(array_of), value.node, lo.dtype(t.element.dtype)))
        count = len(value.items) if value.items is not None else None
        lo.env[made] = Array(t.element.dtype, 1, (count,), lo.root(made))
        return [array_name(lo, made)]
    if value.items is not None and alone:
        return [_known_part(p.type) if isinstance(p.type, Known) else p for p in value.items]
    if isinstance(t, Items) and alone and t.items and all(isinstance(i, Array) and i.kind in "iu" for i in t.items):
        parts = [Typed(ast.Subscript(value.node, constant(k), ast.Load()), i) for k, i in enumerate(t.items)]
        return [settled(lo, p) for p in parts]
    if isinstance(t, Items) and alone and all(isinstance(i, Scalar) and i.kind in "iu" for i in t.items):
        held = lo.held(value, "place")
        return [Typed(ast.Subscript(held.node, constant(k), ast.Load()), i) for k, i in enumerate(t.items)]
    lo.refuse(f"this index ('{ast.unparse(n)}')", "use integers, slices, or arrays of integers or bools")


def _known_part(t: Known):
    """A part of an index that is known when compiling: None, `...` or a slice."""
    from ..lowering.expressions import constant_of

    if isinstance(t.value, slice):
        return ast.Slice(*[None if b is None else constant_of(b).node for b in (t.value.start, t.value.stop, t.value.step)])
    return t.value


def slice_of(lo, parts) -> Typed:
    """A slice as a value: its bounds are constants."""
    if not all(p.is_known and type(p.const) in (int, type(None)) or isinstance(p.type, Known) and p.type.value is None for p in parts):
        lo.refuse("a slice whose bounds are computed, as a value", "write the slice in the brackets: x[a:b]")
    made = slice(*[p.const if p.is_known else None for p in parts])
    return Typed(call(name("slice"), *[p.node if p.is_known else constant(None) for p in parts]), Known(made), made)


def _places(lo, mask, axes) -> list:
    mask = settled(lo, mask)
    for own, axis in zip(mask.lazy.axes, axes, strict=True):
        if not lo.are_equal(own.token, axis.token):
            lo.emit(ast.Expr(call(lo.helper(checks.mask_extent), axis.extent(), own.extent())))
            lo.set_equal(own.token, axis.token)
    if mask.type.rank == 1:
        made = lo.fresh("places")
        lo.assign(made, ast.Subscript(call(lo.np("nonzero"), mask.node), constant(0), ast.Load()))
        names = [made]
    else:
        names = [lo.fresh("places") for _ in range(mask.type.rank)]
        lo.emit(ast.Assign([ast.Tuple([name(n, True) for n in names], ast.Store())], call(lo.np("nonzero"), mask.node)))
    token = lo.token()
    made = []
    for n, axis in zip(names, axes, strict=True):
        lo.env[n] = Array(np.dtype(np.int64), 1, (token,), lo.root(n))
        lo.inside[n] = axis.token
        made.append(array_name(lo, n))
    return made


# -- views -------------------------------------------------------------------------------------------------------------
def viewed(lo, base: Typed, parts, stays_array=False) -> Typed:
    """A basic index: integers, slices and new axes. stays_array: a single element is a view without axes."""
    axes, mapping, printed = [], [], []
    k = 0
    for p in parts:
        if p is None:
            axes.append(Axis(1, lambda: constant(1)))
            printed.append(constant(None))
            continue
        axis = base.lazy.axes[k]
        if isinstance(p, Typed):
            node = _fixed(lo, base, axis, p)
            mapping.append(lambda lo, ixs, node=node: node)
            printed.append(node)
        else:
            new, to_old, text = _sliced(lo, base, axis, p)
            at = len(axes)
            mapping.append(lambda lo, ixs, at=at, to_old=to_old: to_old(lo, ixs[at]))
            axes.append(new)
            printed.append(text)
        k += 1
    if not axes and not stays_array:
        return Typed(base.lazy.element(lo, [m(lo, []) for m in mapping]), Scalar(base.type.dtype, False))

    def element(lo, ixs):
        return base.lazy.element(lo, [m(lo, ixs) for m in mapping])

    node = None
    if base.node is not None and base.lazy.is_view and all(p is not _HELD for p in printed):
        node = ast.Subscript(base.node, packed_index(printed), ast.Load()) if axes else element_view(lo, base, printed)
    whole = all(isinstance(p, ast.Slice) and p.lower is p.upper is p.step is None for p in printed)
    if whole and len(printed) == base.type.rank:
        return base
    t = replace(base.type, rank=len(axes), dims=tuple(a.token for a in axes))
    return Typed(node, t, lazy=replace(base.lazy, axes=axes, element=element, direct=False))


_HELD = object()


def _fixed(lo, base, axis, p):
    """An integer index as a node."""
    return position(lo, axis, p)


def _sliced(lo, base, axis, p):
    """A slice of an axis: the new axis, the function from its index to the old one, and the slice as printed."""
    from ..lowering.expressions import expression
    from ..lowering.casts import integer

    bounds = []
    for b in (p.lower, p.upper, p.step):
        value = None if b is None else expression(lo, b)
        if value is not None and isinstance(value.type, Known) and value.type.value is None:
            value = None
        bounds.append(None if value is None else lo.held(integer(lo, value), "bound"))
    lower, upper, step = bounds
    text = ast.Slice(*[None if b is None else b.node for b in bounds])
    if step is not None and step.is_known and step.const == -1 and lower is None and upper is None:
        last = axis.extent
        return (
            Axis(axis.token, axis.extent),
            lambda lo, ix: unsigned(lo, ast.BinOp(ast.BinOp(last(), ast.Sub(), constant(1)), ast.Sub(), ix)),
            text,
        )
    if step is not None and not (step.is_known and step.const > 0):
        return _stepped(lo, axis, bounds, text)
    if lower is None and upper is None and (step is None or step.const == 1):
        return axis, lambda lo, ix: ix, ast.Slice()
    start, length, token = _span(lo, axis, lower, upper)
    if step is not None and step.const > 1:
        held = lo.fresh("extent")
        up = ast.BinOp(ast.BinOp(length(), ast.Add(), constant(step.const - 1)), ast.FloorDiv(), constant(step.const))
        lo.assign(held, up)
        token = lo.local_token((repr(token), step.const)) if token is not None else None
        times = step.const
        return (
            Axis(token or lo.token(), lambda held=held: name(held)),
            lambda lo, ix: unsigned(lo, _sum(start, ast.BinOp(ix, ast.Mult(), constant(times)))),
            text,
        )
    if isinstance(start, ast.Constant) and start.value == 0:
        return Axis(token, length), lambda lo, ix: ix, text
    return Axis(token, length), lambda lo, ix: unsigned(lo, _sum(start, ix)), text


def _sum(start, ix):
    if isinstance(start, ast.Constant) and start.value == 0:
        return ix
    return ast.BinOp(ix, ast.Add(), start)


def _stepped(lo, axis, bounds, text):
    """A slice with a step that is negative, or not known: its start and length as Python finds them."""
    lower, upper, step = bounds
    parts = [lo.fresh(n) for n in ("start", "stop", "step")]
    given = [constant(None) if b is None else b.node for b in bounds]
    lo.emit(ast.Assign(
        [ast.Tuple([name(n, True) for n in parts], ast.Store())],
        call(ast.Attribute(call(name("slice"), *given), "indices", ast.Load()), axis.extent()),
    ))
    held = lo.fresh("extent")
    lo.assign(held, call(name("len"), call(name("range"), *[name(n) for n in parts])))
    token = lo.local_token((repr(axis.token), *[ast.unparse(g) for g in given])) if axis.token is not None else lo.token()
    return (
        Axis(token, lambda: name(held)),
        lambda lo, ix: unsigned(lo, ast.BinOp(name(parts[0]), ast.Add(), ast.BinOp(ix, ast.Mult(), name(parts[2])))),
        text,
    )


def _span(lo, axis, lower, upper):
    """Start (a node) and length (a function that gives one) of `lower:upper`, and the token of the length."""
    n = axis.extent
    low_known = lower is None or lower.is_known
    high_known = upper is None or upper.is_known
    if low_known and high_known:
        a = 0 if lower is None else lower.const
        b = None if upper is None else upper.const
        if isinstance(axis.token, int):
            start, stop, _ = slice(a, b).indices(axis.token)
            length = max(0, stop - start)
            return constant(start), lambda: constant(length), length
        if a >= 0 and (b is None or b < 0):
            cut = a - (b or 0)
            if cut == 0:
                return constant(0), n, axis.token
            return constant(a), lambda: _at_least_0(ast.BinOp(n(), ast.Sub(), constant(cut))), plus(axis.token, -cut)
        if a >= 0 and b >= 0:
            if b <= a:
                return constant(a), lambda: constant(0), 0
            token = lo.local_token(("upto", repr(axis.token), a, b)) if axis.token is not None else lo.token()
            cut = ast.BinOp(call(name("min"), constant(b), n()), ast.Sub(), constant(a))
            return constant(a), lambda: _at_least_0(cut) if a else call(name("min"), constant(b), n()), token
    start = constant(0)
    if lower is not None:
        start = name(lo.fresh("start"))
        if lower.type.low is not None and lower.type.low >= 0:
            lo.assign(start.id, call(name("min"), lower.node, n()))
        else:
            lo.assign(start.id, call(lo.helper(checks.slice_start), lower.node, n()))
    if upper is None:
        stop = n()
    elif upper.type.low is not None and upper.type.low >= 0:
        stop = call(name("min"), upper.node, n())
    else:
        stop = call(lo.helper(checks.slice_start), upper.node, n())
    key = ("span", repr(axis.token), *[None if b is None else ast.unparse(b.node) for b in (lower, upper)])
    token = lo.local_token(key) if axis.token is not None else lo.token()
    held = lo.fresh("extent")
    lo.assign(held, stop if lower is None else _at_least_0(ast.BinOp(stop, ast.Sub(), start)))
    return start, lambda: name(held), token


def _at_least_0(node):
    return call(name("max"), node, constant(0))


# -- gathers -----------------------------------------------------------------------------------------------------------
def gathered(lo, base: Typed, parts, origin) -> Typed:
    """An index with arrays of integers: elements are picked one by one."""
    if not base.lazy.direct:
        base = settled(lo, base)
    advanced = [k for k, p in enumerate(parts) if isinstance(p, Typed)]
    if advanced[-1] - advanced[0] + 1 != len(advanced):
        lo.refuse("index arrays with a slice between them", "index in two steps")
    arrays = [array(lo, p) if isinstance(p.type, Array) else p for p in (parts[k] for k in advanced)]
    arrays = [settled(lo, a) if isinstance(a.type, Array) and not a.lazy.is_view else a for a in arrays]
    arrays = [lo.held(number_in(lo, a), "at") if is_zero_d(a) else a for a in arrays]
    rank = max((a.type.rank for a in arrays if isinstance(a.type, Array)), default=0)
    common, maps = common_axes(lo, [a.lazy.axes if isinstance(a.type, Array) else None for a in arrays], rank)
    axes, takes = [], []
    k = 0
    for at, p in enumerate(parts):
        if p is None:
            axes.append(Axis(1, lambda: constant(1)))
            continue
        axis = base.lazy.axes[k]
        k += 1
        if isinstance(p, Typed):
            if at == advanced[0]:
                first = len(axes)
                axes += common
            a, to_own = arrays[advanced.index(at)], maps[advanced.index(at)]
            takes.append(_taken(lo, base, axis, a, to_own, first, rank))
            continue
        new, to_old, _ = _sliced(lo, base, axis, p)
        takes.append(lambda lo, ixs, to_old=to_old, j=len(axes): to_old(lo, ixs[j]))
        axes.append(new)

    def element(lo, ixs):
        return base.lazy.element(lo, [t(lo, ixs) for t in takes])

    if not axes:
        return Typed(element(lo, []), Scalar(base.type.dtype, False))
    reads = [*base.lazy.reads, *[r for a in arrays if isinstance(a.type, Array) for r in a.lazy.reads]]
    t = replace(base.type, rank=len(axes), dims=tuple(a.token for a in axes))
    lazy = replace(base.lazy, axes=axes, element=element, reads=reads, direct=False, repeats=True)
    return Typed(None, t, lazy=lazy)


def _taken(lo, base, axis, a, to_own, first, rank):
    if not isinstance(a.type, Array):
        node = _fixed(lo, base, axis, a)
        return lambda lo, ixs: node
    inside = isinstance(a.node, ast.Name) and lo.inside.get(a.node.id)
    sure = inside is not None and lo.are_equal(inside, axis.token)

    def take(lo, ixs):
        node = a.lazy.element(lo, to_own(lo, ixs[first : first + rank]))
        return unsigned(lo, node if sure else call(lo.helper(checks.checked_index), node, axis.extent()))

    return take


__all__ = ["INT", "_index_map", "gathered", "picked", "subscripted", "viewed"]
