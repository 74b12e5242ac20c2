"""Selections by lists of conditions, grids of coordinates, covariances, and arrays with more or fewer entries."""

from __future__ import annotations

import ast

import numpy as np

from ....runtime import choosing, creating, joining, selecting, statistics
from ....runtime.numba import checks
from ....runtime.numba import reductions as compiled
from ....runtime.shape import reshape_each
from ....transform.code import call, constant, name
from ..arrays.arrays import array, extents, packed_index
from ..arrays.nests import nest, settled
from ..arrays.sums import with_ones
from .creation import filled, shape_axes
from .elementwise import ELEMENTWISE, truth
from .elementwise import where as chosen
from ..lowering.operators import binary, from_sequence
from ..lowering.casts import cast, integer
from ..lowering.expressions import constant_of, tuple_of
from ..lowering.calls import handles
from ..lowering.inlined import walked
from .reductions import _is_absent, sum_of
from .broadcasting import _broadcast, _unbroadcast
from .joining import _of_extents
from .shapes import _tuple_parts, reshaped
from ..arrays.subscripts import picked, viewed
from ..typed import Typed
from ..types import Array, Items, Known, Scalar


def _parts(lo, given, what):
    parts = given.items if given.items is not None else None
    if parts is None and isinstance(given.type, Items):
        parts = _tuple_parts(given)
    if not parts:
        lo.refuse(f"{what} that are not a list display")
    return parts


# -- select ------------------------------------------------------------------------------------------------------------
def _conditions(lo, given):
    made = [truth(lo, from_sequence(lo, c)) for c in _parts(lo, given, "conditions")]
    return [settled(lo, c) if isinstance(c.type, Array) else lo.held(c) for c in made]


@handles(np.select)
def _select(lo, args, kwargs):
    given = dict(zip(("condlist", "choicelist", "default"), args, strict=False)) | kwargs
    tests, choices = _conditions(lo, given["condlist"]), _parts(lo, given["choicelist"], "choices")
    if len(tests) != len(choices):
        lo.refuse("'numpy.select' with unequally many conditions and choices")
    made = from_sequence(lo, given.get("default", constant_of(0)))
    for test, choice in reversed(list(zip(tests, choices, strict=True))):
        made = chosen(lo, test, from_sequence(lo, choice), made)
    return made


def _none_of(lo, tests):
    free = ELEMENTWISE[np.logical_not](lo, [tests[0]])
    for test in tests[1:]:
        free = binary(lo, ast.BitAnd, free, ELEMENTWISE[np.logical_not](lo, [test]))
    return settled(lo, free) if isinstance(free.type, Array) else lo.held(free)


@handles(selecting.none_selected)
def _none_selected(lo, args, kwargs):
    return _none_of(lo, _conditions(lo, args[0]))


@handles(selecting.select_adjoint)
def _select_adjoint(lo, args, kwargs):
    value = settled(lo, args[0]) if isinstance(args[0].type, Array) else lo.held(args[0])
    tests, parts = _conditions(lo, args[1]), []
    for k, shape in enumerate(_parts(lo, args[2], "shapes of choices")):
        own = tests[k] if not k else binary(lo, ast.BitAnd, _none_of(lo, tests[:k]), tests[k])
        part = _unbroadcast(lo, [chosen(lo, own, value, constant_of(0.0)), shape], {})
        parts.append(settled(lo, part) if isinstance(part.type, Array) else lo.held(part))
    return Typed(None, Items(tuple(p.type for p in parts)), items=parts)


# -- grids -------------------------------------------------------------------------------------------------------------
def _own_axis(k, count, given):
    indexing = given.get("indexing")
    word = "xy" if indexing is None else getattr(indexing.type, "value", indexing.const)
    return 1 - k if word == "xy" and count > 1 and k < 2 else k


@handles(np.meshgrid)
def _meshgrid(lo, args, kwargs):
    vectors = [settled(lo, from_sequence(lo, a)) for a in args]
    if set(kwargs) - {"indexing", "sparse", "copy"} or any(not isinstance(v.type, Array) or v.type.rank != 1 for v in vectors):
        lo.refuse("these arguments of 'numpy.meshgrid'", "vectors")
    if "copy" in kwargs and kwargs["copy"].const is False:
        lo.refuse("'numpy.meshgrid' of views", "copy=True, the default")
    count = len(vectors)
    at = [_own_axis(k, count, kwargs) for k in range(count)]
    sizes = [array(lo, vectors[at.index(k)]).lazy.axes[0] for k in range(count)]
    shape = tuple_of([_extent(a) for a in sizes])
    made = [with_ones(lo, v, set(range(count)) - {k}) for v, k in zip(vectors, at, strict=True)]
    if "sparse" not in kwargs or not kwargs["sparse"].const:
        made = [_broadcast(lo, m, shape) for m in made]
    made = [_copied(lo, m) for m in made]
    return Typed(None, Items(tuple(m.type for m in made)), items=made)


def _copied(lo, v):
    from .creation import array_from

    return settled(lo, array_from(lo, [v], {}))


def _extent(axis):
    from ..types import INT

    if isinstance(axis.token, int):
        return constant_of(axis.token)
    return Typed(axis.extent(), Scalar(INT.dtype, True, 0, axis.token, 1))


@handles(creating.ungrid)
def _ungrid(lo, args, kwargs):
    given = dict(zip(("y_bars", "shapes", "indexing"), args, strict=False)) | kwargs
    shapes, parts = _parts(lo, given["shapes"], "shapes of coordinates"), []
    y_bars = _parts(lo, given["y_bars"], "adjoints of coordinates")
    for k, (y_bar, shape) in enumerate(zip(y_bars, shapes, strict=True)):
        if not isinstance(y_bar.type, Array):
            part = filled(lo, shape_axes(lo, shape), constant_of(0.0), np.dtype(float))
        else:
            others = [constant_of(j) for j in range(len(shapes)) if j != _own_axis(k, len(shapes), given)]
            part = sum_of(lo, y_bar, tuple_of(others)) if others else y_bar
            part = reshaped(lo, part, shape)
        parts.append(settled(lo, part))
    return Typed(None, Items(tuple(p.type for p in parts)), items=parts)


# -- entries put around or taken out -----------------------------------------------------------------------------------
def _widths(lo, given, rank):
    """The constant numbers of entries in front and behind, for each axis."""
    def number(v):
        if not isinstance(v.type, Scalar) or not v.is_known or v.const < 0:
            lo.refuse("widths of 'numpy.pad' that are not constant")
        return int(v.const)

    def plain(v):
        return [plain(i) for i in v.items] if v.items is not None else number(v)

    widths = plain(given)
    if isinstance(widths, int):
        return [(widths, widths)] * rank
    if all(isinstance(w, int) for w in widths):
        return [(widths[0], widths[-1])] * rank
    widths = [(w, w) if isinstance(w, int) else (w[0], w[-1]) for w in widths]
    return widths * rank if len(widths) == 1 else widths


def _is_constant_mode(given):
    mode = given.get("mode")
    return mode is None or getattr(mode.type, "value", mode.const) == "constant"


@handles(np.pad)
def _pad(lo, args, kwargs):
    given = dict(zip(("array", "pad_width", "mode"), args, strict=False)) | kwargs
    value = given.get("constant_values", constant_of(0))
    if set(given) - {"array", "pad_width", "mode", "constant_values"} or not _is_constant_mode(given):
        lo.refuse("these arguments of 'numpy.pad'", "the mode 'constant'")
    if not isinstance(value.type, Scalar):
        lo.refuse("several constants around an array", "one number for constant_values")
    v = array(lo, from_sequence(lo, given["array"]))
    widths = _widths(lo, given["pad_width"], v.type.rank)
    sizes = [binary(lo, ast.Add, _extent(a), constant_of(b + c)) for a, (b, c) in zip(v.lazy.axes, widths, strict=True)]
    around = settled(lo, filled(lo, shape_axes(lo, tuple_of(sizes)), cast(lo, value, v.type.dtype), v.type.dtype))

    def body(ixs):
        at = [ast.BinOp(ix, ast.Add(), constant(b)) if b else ix for ix, (b, _) in zip(ixs, widths, strict=True)]
        lo.emit(ast.Assign([ast.Subscript(around.node, packed_index(at), ast.Store())], v.lazy.element(lo, ixs)))

    nest(lo, v.lazy, body)
    return around


@handles(joining.unpad)
def _unpad(lo, args, kwargs):
    given = dict(zip(("y_bar", "shape", "pad_width", "mode"), args, strict=False)) | kwargs
    if not _is_constant_mode(given):
        lo.refuse("the adjoint of this 'numpy.pad'", "the mode 'constant'")
    y_bar = settled(lo, given["y_bar"])
    cut = []
    for before, behind in _widths(lo, given["pad_width"], y_bar.type.rank):
        cut.append(ast.Slice(constant(before), constant(-behind) if behind else None))
    return _of_extents(lo, viewed(lo, y_bar, cut), given["shape"])


def _place(lo, obj, extent):
    """The place of an entry, inside and counted from the front."""
    if not isinstance(obj.type, Scalar):
        lo.refuse("'numpy.delete' of several entries", "an array of the indices that stay: a[kept]")
    obj = integer(lo, obj)
    made = call(lo.helper(checks.checked_index), obj.node, extent)
    return lo.held(Typed(call(name("int"), made), Scalar(np.dtype(np.int64), True, 0, None, 1)), "place")


def _without(a, k, axis):
    moved = np.moveaxis(a, axis, 0)
    return np.moveaxis(np.concatenate((moved[:k], moved[k + 1:]), axis=0), 0, axis)


def _zero_at(value, shape, k, axis):
    made = np.zeros(shape)
    moved = np.moveaxis(made, axis, 0)
    turned = np.moveaxis(value, axis, 0)
    moved[:k] = turned[:k]
    moved[k + 1:] = turned[k:]
    return made


@handles(np.delete)
def _delete(lo, args, kwargs):
    given = dict(zip(("arr", "obj", "axis"), args, strict=False)) | kwargs
    a, axis = array(lo, from_sequence(lo, given["arr"])), given.get("axis")
    if _is_absent(axis):
        a, axis = array(lo, reshaped(lo, a, constant_of(-1))), constant_of(0)
    a = settled(lo, a)
    return walked(lo, _without, [a, _place(lo, given["obj"], extents(lo, a.lazy)[axis.const % a.type.rank]), axis])


@handles(joining.undelete)
def _undelete(lo, args, kwargs):
    value, shape, obj, axis = args
    parts = shape.items or _tuple_parts(shape)
    if _is_absent(axis) and len(parts) > 1 or value.type.dtype != np.dtype(float):
        lo.refuse("the adjoint of this 'numpy.delete'", "an axis")
    axis = constant_of(0) if _is_absent(axis) else axis
    return walked(lo, _zero_at, [value, shape, _place(lo, obj, parts[axis.const % len(parts)].node), axis])


def _at_least(rank):
    def made(lo, args, kwargs):
        if len(args) != 1 or rank > 2:
            lo.refuse(f"these arguments of 'numpy.atleast_{rank}d'")
        v = from_sequence(lo, args[0])
        own = v.type.rank if isinstance(v.type, Array) else 0
        if not own:
            return reshaped(lo, v, tuple_of([constant_of(1)] * rank))
        return with_ones(lo, v, set(range(rank - own))) if own < rank else v

    return made


handles(np.atleast_1d)(_at_least(1))
handles(np.atleast_2d)(_at_least(2))


@handles(reshape_each)
def _reshape_each(lo, args, kwargs):
    shapes = _parts(lo, args[1], "shapes")
    if len(shapes) != 1:
        lo.refuse("the adjoint of several arrays that get more axes", "one call for each")
    part = settled(lo, reshaped(lo, args[0], shapes[0])) if isinstance(args[0].type, Array) else reshaped(lo, args[0], shapes[0])
    return Typed(None, Items((part.type,)), items=[part])


@handles(joining.slices_along)
def _slices_along(lo, args, kwargs):
    """As many views as the axis is long, which must be known."""
    axis = args[1] if len(args) > 1 else kwargs.get("axis", constant_of(0))
    v = settled(lo, args[0])
    k = axis.const % v.type.rank if axis.is_known else None
    if k is None or not isinstance(v.lazy.axes[k].token, int):
        lo.refuse("the slices of an array along an axis whose length is not known", "np.array of a list display")
    parts = [picked(lo, v, {k: constant_of(j)}) for j in range(v.lazy.axes[k].token)]
    return Typed(None, Items(tuple(p.type for p in parts)), items=parts)


# -- all pairs ---------------------------------------------------------------------------------------------------------
def _outer(ufunc):
    def made(lo, args, kwargs):
        left, right = (from_sequence(lo, a) for a in args)
        if kwargs:
            lo.refuse(f"these arguments of 'numpy.{ufunc.__name__}.outer'")
        count, rank = (v.type.rank if isinstance(v.type, Array) else 0 for v in (right, left))
        if count and rank:
            left = with_ones(lo, left, set(range(rank, rank + count)))
        return ELEMENTWISE[ufunc](lo, [left, right])

    return made


for _f in (np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.power, np.hypot, np.arctan2, np.less, np.greater):
    handles((_f, "outer"))(_outer(_f))


# -- positions ---------------------------------------------------------------------------------------------------------
def _position(helper):
    def made(lo, args, kwargs):
        keys = from_sequence(lo, args[0])
        if not isinstance(keys.type, Array) or keys.type.rank != 1 or keys.type.kind == "c":
            lo.refuse("'max' or 'min' by keys that are not numbers")
        return Typed(call(lo.helper(helper), settled(lo, keys).node), Scalar(np.dtype(np.int64), True, 0, None, 1))

    return made


handles(choosing.position_of_largest)(_position(compiled.position_of_largest))
handles(choosing.position_of_smallest)(_position(compiled.position_of_smallest))


# -- covariance --------------------------------------------------------------------------------------------------------
def _covariance(m, ddof):
    apart = m - np.mean(m, -1, keepdims=True)
    if m.ndim == 1:
        return np.sum(apart * apart) / max(float(m.shape[-1]) - ddof, 0.0)
    return apart @ apart.T / max(float(m.shape[-1]) - ddof, 0.0)


def _covariance_adjoint(value, m, ddof):
    apart = (m - np.mean(m, -1, keepdims=True)) / max(float(m.shape[-1]) - ddof, 0.0)
    if m.ndim == 1:
        return 2.0 * value * apart
    return (value + value.T) @ apart


def _covariance_tangent(m_dot, m, ddof):
    apart = (m - np.mean(m, -1, keepdims=True)) / max(float(m.shape[-1]) - ddof, 0.0)
    if m.ndim == 1:
        return 2.0 * np.sum(m_dot * apart)
    half = m_dot @ apart.T
    return half + half.T


def _cov(body, names):
    def made(lo, args, kwargs):
        given = dict(zip((*names, "m", "y", "rowvar", "bias", "ddof", "fweights", "aweights"), args, strict=False)) | kwargs
        if any(not _is_absent(given.get(n)) for n in ("y", "fweights", "aweights")) or not given.get(
                "rowvar", constant_of(True)).const:
            lo.refuse("these arguments of 'numpy.cov'", "one array with a variable in each row, without weights")
        m = from_sequence(lo, given["m"])
        if not isinstance(m.type, Array) or m.type.kind != "f" or m.type.rank not in (1, 2):
            lo.refuse("'numpy.cov' of other than real vectors and matrices")
        ddof = given.get("ddof")
        if _is_absent(ddof):
            ddof = constant_of(0.0 if "bias" in given and given["bias"].const else 1.0)
        result = walked(lo, body, [*[given[n] for n in names[:1]], m, ddof])
        if body is not _covariance_adjoint:
            return result
        parts = [settled(lo, result), Typed(constant(None), Known(None))]
        return Typed(None, Items(tuple(p.type for p in parts)), items=parts)

    return made


handles(np.cov)(_cov(_covariance, ()))
handles(statistics.cov_adjoint)(_cov(_covariance_adjoint, ("value",)))
handles(statistics.cov_tangent)(_cov(_covariance_tangent, ("m_dot", "y_dot", "c")))
