"""Sums, means, extrema and scans, and their adjoints."""

from __future__ import annotations

import ast
import operator

import numpy as np

from ....runtime.numba import reductions as compiled
from ....runtime.reductions import degrees_of_freedom, extremum_weights, reduced_count
from ....transform.code import call, constant, name
from ..arrays.arrays import array, shape_items
from ..arrays.nests import settled
from ..arrays.sums import total, total_over
from .elementwise import ELEMENTWISE, truth
from .elementwise import where as elementwise_where
from ..examples import element_type
from ..lowering.casts import apply_elementwise, cast
from ..lowering.operators import binary
from ..lowering.expressions import constant_of
from ..lowering.calls import handles
from .lanes import reduced
from .broadcasting import _broadcast, _spread
from .axes import _constants
from .shapes import _size, _tuple_parts
from ..typed import Axis, Typed
from ..types import BOOL, FLOAT, INT, Array, Items, Known, Scalar


def _axes(lo, given, rank):
    """The reduced axes, or None for all."""
    if given is None or isinstance(given.type, Known):
        return None
    axes = sorted({a % rank for a in _constants(lo, given, "axes")})
    return None if len(axes) == rank else axes


def _arguments(lo, function, args, kwargs, names=("a", "axis"), also=()):
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    extra = set(given) - {"a", "axis", "keepdims", "dtype", *also}
    if extra or len(args) > len(names):
        lo.refuse(f"the argument '{next(iter(extra), names[-1])}' of '{function.__name__}'")
    v = given["a"]
    if "dtype" in given and not isinstance(given["dtype"].type, Known):
        lo.refuse("a dtype that is computed")
    if "dtype" in given and given["dtype"].const is not None:
        v = cast(lo, v, np.dtype(given["dtype"].const))
    keepdims = given.get("keepdims")
    made = v, given.get("axis"), bool(keepdims is not None and keepdims.const)
    return (*made, *[given.get(n) for n in also]) if also else made


def _is_all(where) -> bool:
    """Does `where` leave out nothing?"""
    return where is None or where.is_known and where.const is True


def _is_absent(value) -> bool:
    return value is None or isinstance(value.type, Known) and value.type.value is None


def _mask(lo, v, where):
    """`where` in the shape of the array."""
    return settled(lo, _broadcast(lo, settled(lo, truth(lo, where)), shape_items(lo, v)))


def _chosen(lo, v, where, fill):
    """The elements that `where` takes, and `fill` in the place of the others."""
    if _is_all(where):
        return v
    v = settled(lo, v)
    return elementwise_where(lo, _mask(lo, v, where), v, cast(lo, fill, v.type.dtype))


@handles(np.sum, np.ndarray.sum)
def _sum(lo, args, kwargs):
    v, axis, keepdims, where, initial = _arguments(lo, np.sum, args, kwargs, also=("where", "initial"))
    made = sum_of(lo, _chosen(lo, v, where, constant_of(0)), axis, keepdims)
    return made if _is_absent(initial) else binary(lo, ast.Add, made, cast(lo, initial, made.type.dtype))


def sum_of(lo, v, axis=None, keepdims=False) -> Typed:
    """`np.sum(v, axis, keepdims=keepdims)`."""
    if isinstance(v.type, Scalar):
        return v
    if not isinstance(v.type, Array):
        from .creation import array_from

        v = array_from(lo, [v], {})
    result = element_type(np.sum, [v.type])
    v = cast(lo, v, result.dtype)
    axes = _axes(lo, axis, v.type.rank)
    if axes is None:
        made = total(lo, v, Scalar(result.dtype, False))
        return _kept_dims(lo, made, v.type.rank) if keepdims else made
    return total_over(lo, v, set(axes), keepdims, result.dtype)


def _kept_dims(lo, number, rank):
    from .creation import filled

    return filled(lo, [Axis(1, lambda: constant(1)) for _ in range(rank)], number, number.type.dtype)


@handles((np.add, "reduce"))
def _add_reduce(lo, args, kwargs):
    v, axis, keepdims = _arguments(lo, np.sum, args, kwargs)
    return sum_of(lo, v, axis if axis is not None else constant_of(0), keepdims)


@handles(np.mean, np.ndarray.mean)
def _mean(lo, args, kwargs):
    v, axis, keepdims, where = _arguments(lo, np.mean, args, kwargs, also=("where",))
    if _is_all(where):
        return mean_of(lo, v, axis, keepdims)
    v = settled(lo, array(lo, v))
    count = sum_of(lo, _mask(lo, v, where), axis, keepdims)
    result = element_type(np.mean, [v.type])
    made = binary(lo, ast.Div, sum_of(lo, _chosen(lo, v, where, constant_of(0)), axis, keepdims), count)
    return cast(lo, made, result.dtype) if result.dtype != made.type.dtype else made


def mean_of(lo, v, axis=None, keepdims=False):
    if isinstance(v.type, Scalar):
        return v
    v = array(lo, v)
    result = element_type(np.mean, [v.type])
    v = array(lo, cast(lo, v, result.dtype))
    if not v.lazy.is_view and axis is not None:
        v = settled(lo, v)
    count = _count(lo, v, axis)
    made = binary(lo, ast.Div, sum_of(lo, v, axis, keepdims), Typed(count.node, Scalar(INT.dtype, True, 0, None, 1)))
    if result.dtype != made.type.dtype:
        made = cast(lo, made, result.dtype)
    return made


def _count(lo, v, axis):
    """How many elements are reduced to one, as a number that division takes."""
    axes = _axes(lo, axis, v.type.rank)
    if axes is None:
        made = _size(lo, [v], {})
    else:
        made = constant_of(1)
        for k in axes:
            a = array(lo, v).lazy.axes[k]
            size = constant_of(a.token) if isinstance(a.token, int) else Typed(a.extent(), Scalar(INT.dtype, True, 0, None, 1))
            made = size if made.is_known and made.const == 1 else binary(lo, ast.Mult, made, size)
    if isinstance(made.node, (ast.Name,)) or made.is_known:
        return Typed(call(name("float"), made.node), Scalar(np.dtype(float), False))
    return lo.held(Typed(call(name("float"), made.node), Scalar(np.dtype(float), False)), "count")


@handles(reduced_count)
def _reduced_count(lo, args, kwargs):
    given = {**dict(zip(("shape", "axis", "keepdims", "where"), args, strict=False)), **kwargs}
    shape, axis = given["shape"], given.get("axis")
    if not _is_all(given.get("where")):
        taken = _broadcast(lo, settled(lo, truth(lo, given["where"])), shape)
        keepdims = given.get("keepdims")
        count = sum_of(lo, taken, axis, bool(keepdims is not None and keepdims.const))
        return ELEMENTWISE[np.maximum](lo, [count, constant_of(1)])
    rank = len(shape.type.items)
    axes = _axes(lo, axis, rank)
    parts = shape.items or _tuple_parts(shape)
    made = constant_of(1)
    for k in range(rank) if axes is None else axes:
        made = parts[k] if made.is_known and made.const == 1 else binary(lo, ast.Mult, made, parts[k])
    if made.is_known:
        return constant_of(max(made.const, 1))
    return Typed(call(name("max"), made.node, constant(1)), Scalar(INT.dtype, True, 1, None, 1))


@handles(np.prod)
def _prod(lo, args, kwargs):
    if isinstance(args[0].type, Items) and len(args) == 1 and not kwargs:
        made = constant_of(1)
        for p in args[0].items or _tuple_parts(args[0]):
            made = p if made.is_known and made.const == 1 else binary(lo, ast.Mult, made, p)
        return made
    v, axis, keepdims, where, initial = _arguments(lo, np.prod, args, kwargs, also=("where", "initial"))
    made = _reduced(lo, np.prod, compiled.product_of, _chosen(lo, v, where, constant_of(1)), axis, keepdims)
    return made if _is_absent(initial) else binary(lo, ast.Mult, made, cast(lo, initial, made.type.dtype))


handles(np.ndarray.prod)(_prod)


def _reduced(lo, function, helper, v, axis, keepdims, more=()) -> Typed:
    """A reduction by a function of the runtime library: of all elements, or of the rows along some axes."""
    if isinstance(v.type, Scalar):
        return v
    result = element_type(function, [v.type])
    v = cast(lo, v, result.dtype)
    axes = _axes(lo, axis, v.type.rank)
    if axes is None:
        v = settled(lo, v)
        made = Typed(call(lo.helper(helper), v.node, *more), Scalar(result.dtype, False))
        return _kept_dims(lo, made, v.type.rank) if keepdims else made
    return reduced(lo, [v], axes, lambda rows: call(lo.helper(helper), *rows, *more), result.dtype, keepdims)


def _extremum(function, of, of_more):
    def found(lo, args, kwargs):
        v, axis, keepdims, where, initial = _arguments(lo, function, args, kwargs, also=("where", "initial"))
        v = _real(lo, v)
        if _is_absent(initial):
            if not _is_all(where):
                lo.refuse(f"'{function.__name__}' with 'where' and without 'initial'")
            return _reduced(lo, function, of, v, axis, keepdims)
        if not isinstance(initial.type, Scalar) or not isinstance(v.type, Array):
            lo.refuse(f"the argument 'initial' of '{function.__name__}'")
        initial = lo.held(cast(lo, initial, v.type.dtype))
        return _reduced(lo, function, of_more, _chosen(lo, v, where, initial), axis, keepdims, [initial.node])

    return found


def _extremum_of(lo, function, v, axis, keepdims) -> Typed:
    """`np.max` or `np.min` along some axes."""
    return _reduced(lo, function, compiled.maximum_of if function is np.max else compiled.minimum_of, v, axis, keepdims)


handles(np.max, np.ndarray.max)(_extremum(np.max, compiled.maximum_of, compiled.maximum_from))
handles(np.min, np.ndarray.min)(_extremum(np.min, compiled.minimum_of, compiled.minimum_from))


@handles(np.ptp)
def _ptp(lo, args, kwargs):
    v, axis, keepdims = _arguments(lo, np.ptp, args, kwargs)
    v = settled(lo, _real(lo, v))
    most, least = (_extremum_of(lo, f, v, axis, keepdims) for f in (np.max, np.min))
    return binary(lo, ast.Sub, most, least)


def _real(lo, v):
    if v.type.kind == "c":
        lo.refuse("the order of complex numbers")
    return v


def _position(function):
    def found(lo, args, kwargs):
        v, axis, keepdims = _arguments(lo, function, args, kwargs)
        if not isinstance(v.type, Array):
            lo.refuse(f"'{function.__name__}' of what is not an array")
        axes = _axes(lo, axis, v.type.rank)
        if axes is not None:
            return reduced(lo, [_real(lo, v)], axes, lambda rows: call(lo.np(function.__name__), *rows), INT.dtype, keepdims)
        v = settled(lo, _real(lo, v))
        made = Typed(call(lo.np(function.__name__), v.node), Scalar(INT.dtype, False, 0, None, 1))
        return _kept_dims(lo, made, v.type.rank) if keepdims else made

    return found


handles(np.argmax, np.ndarray.argmax)(_position(np.argmax))
handles(np.argmin, np.ndarray.argmin)(_position(np.argmin))


@handles(np.any, np.ndarray.any)
def _any(lo, args, kwargs):
    return _truths(lo, args, kwargs, np.any, "any_true")


@handles(np.all, np.ndarray.all)
def _all(lo, args, kwargs):
    return _truths(lo, args, kwargs, np.all, "all_true")


def _truths(lo, args, kwargs, function, base):
    v, axis, keepdims = _arguments(lo, function, args, kwargs)
    if isinstance(v.type, Scalar):
        from ..lowering.conditions import as_test

        return as_test(lo, v)
    if _axes(lo, axis, v.type.rank) is not None or keepdims:
        counted = truth(lo, v) if function is np.any else ELEMENTWISE[np.logical_not](lo, [v])
        count = sum_of(lo, counted, axis, keepdims)
        return ELEMENTWISE[np.greater if function is np.any else np.equal](lo, [count, constant_of(0)])
    v = array(lo, truth(lo, v))
    made = lo.fresh(base)
    from ..arrays.nests import nest

    start = function is np.all
    lo.assign(made, constant(start))

    def body(ixs):
        test = v.lazy.element(lo, ixs)
        test = ast.UnaryOp(ast.Not(), test) if start else test
        lo.emit(ast.If(test, [ast.Assign([name(made, True)], constant(not start))], []))

    nest(lo, v.lazy, body)
    return Typed(name(made), Scalar(BOOL.dtype, False))


@handles(np.count_nonzero)
def _count_nonzero(lo, args, kwargs):
    v, axis, keepdims = _arguments(lo, np.count_nonzero, args, kwargs)
    return sum_of(lo, truth(lo, v), axis, keepdims)


@handles(np.var, np.ndarray.var)
def _var(lo, args, kwargs):
    also = ("where", "ddof", "correction")
    v, axis, keepdims, where, ddof, correction = _arguments(lo, np.var, args, kwargs, ("a", "axis", "dtype"), also)
    if isinstance(v.type, Scalar) or v.type.kind == "c":
        lo.refuse("the variance of this")
    ddof = ddof if ddof is not None else correction
    if _is_all(where) and ddof is None:
        v = settled(lo, v)
        middle = mean_of(lo, v, axis, True)
        middle = settled(lo, middle) if isinstance(middle.type, Array) else middle
        apart = settled(lo, binary(lo, ast.Sub, v, middle))
        return mean_of(lo, binary(lo, ast.Mult, apart, apart), axis, keepdims)
    v = settled(lo, array(lo, cast(lo, v, element_type(np.mean, [v.type]).dtype)))
    more = {} if axis is None else {"axis": axis}
    taken = {**more, "where": where} if not _is_all(where) else more
    middle = settled(lo, _mean(lo, [v], {**taken, "keepdims": constant_of(True)}))
    apart = settled(lo, binary(lo, ast.Sub, v, middle))
    total = _sum(lo, [binary(lo, ast.Mult, apart, apart)], {**taken, "keepdims": constant_of(keepdims)})
    count = _count(lo, v, axis) if _is_all(where) else sum_of(lo, _mask(lo, v, where), axis, keepdims)
    free = _at_least_0(lo, binary(lo, ast.Sub, cast(lo, count, np.dtype(float)), ddof or constant_of(0)))
    return cast(lo, binary(lo, ast.Div, total, free), v.type.dtype)


def _at_least_0(lo, count):
    return ELEMENTWISE[np.maximum](lo, [count, constant_of(0.0)])


@handles(degrees_of_freedom)
def _degrees(lo, args, kwargs):
    given = {**dict(zip(("shape", "axis", "keepdims", "where", "ddof"), args, strict=False)), **kwargs}
    ddof = given.pop("ddof", constant_of(0))
    count = _reduced_count(lo, [], given)
    return _at_least_0(lo, binary(lo, ast.Sub, cast(lo, count, np.dtype(float)), ddof))


@handles(np.std, np.ndarray.std)
def _std(lo, args, kwargs):
    return ELEMENTWISE[np.sqrt](lo, [_var(lo, args, kwargs)])


@handles(extremum_weights)
def _extremum_weights(lo, args, kwargs):
    """The share of each element in its extremum: 1 divided evenly among equals."""
    names = ("a", "y", "axis", "keepdims", "where", "initial", "initial_shares")
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    where, initial, shares = given.get("where"), given.get("initial"), given.get("initial_shares")
    a, y = settled(lo, given["a"]), given["y"]
    axis, keepdims = given.get("axis"), given.get("keepdims", constant_of(False))
    y = settled(lo, y) if isinstance(y.type, Array) else lo.held(y)
    along = {"axis": axis, "keepdims": keepdims} if axis is not None else {}
    full = _spread(lo, [y, shape_items(lo, a)], along)
    hits = apply_elementwise(lo, operator.eq, [a, full], lambda lo, n, ts, r: call(lo.helper(compiled.is_hit), *n))
    if not _is_all(where):
        hits = binary(lo, ast.BitAnd, hits, _mask(lo, a, where))
    hits = settled(lo, hits)
    ties = sum_of(lo, hits, axis, True)
    ties = settled(lo, ties) if isinstance(ties.type, Array) else ties
    if not _is_absent(initial):
        met = apply_elementwise(lo, operator.eq, [_spread(lo, [y, shape_items(lo, ties)], along), initial],
                                lambda lo, n, ts, r: ast.Compare(n[0], [ast.Eq()], [n[1]]))
        if shares is not None and shares.const:
            ties = binary(lo, ast.Add, ties, met)
        else:
            ties = elementwise_where(lo, met, Typed(lo.np("inf"), FLOAT), ties)
        ties = settled(lo, ties)
    ties = ELEMENTWISE[np.maximum](lo, [ties, constant_of(1)])
    return binary(lo, ast.Div, hits, ties)


__all__ = ["mean_of", "sum_of"]
