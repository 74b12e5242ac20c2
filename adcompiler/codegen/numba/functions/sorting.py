"""Sorting along an axis, ranks, and quantiles with the derivatives that rest on them."""

from __future__ import annotations

import ast

import numpy as np

from ....runtime import order as orders
from ....runtime.numba import sorting as compiled
from ....runtime.reduction_tangents import quantile_tangent, shared
from ....runtime.reductions import reduced_count, spread
from ....transform.code import call, constant
from ..arrays.arrays import array, shape_items
from ..arrays.nests import settled
from ..lowering.operators import binary, from_sequence
from ..lowering.casts import cast
from ..lowering.expressions import constant_of
from ..lowering.calls import handles
from ..lowering.inlined import inlined, walked
from .lanes import reduced, scanned
from .reductions import _axes, _is_absent, sum_of
from .shapes import _size, reshaped
from ..typed import Typed
from ..types import INT, NONE, Array, Scalar


# -- sorts -------------------------------------------------------------------------------------------------------------
def _sorted(lo, values, axis, build, dtype, flat_result=True):
    """Rows rearranged along an axis (the last one, if none is given); None stands for all elements in a row."""
    values = [array(lo, v) for v in values]
    rank = values[0].type.rank
    if axis is not None and _is_absent(axis) and rank > 1:
        shape = shape_items(lo, values[0])
        made = scanned(lo, [reshaped(lo, v, constant_of(-1)) for v in values], [0], build, dtype)
        return made if flat_result else reshaped(lo, made, shape)
    if axis is not None and not _is_absent(axis) and not axis.is_known:
        lo.refuse("an axis that is not constant")
    k = -1 if axis is None or _is_absent(axis) else axis.const
    return scanned(lo, values, [k % rank], build, dtype)


def _given(lo, function, args, kwargs):
    given = {**dict(zip(("a", "axis", "kind", "order"), args, strict=False)), **kwargs}
    plain = {"kind": str, "stable": (bool, type(None)), "order": type(None)}
    if any(n not in plain or not isinstance(v.const if v.is_known else getattr(v.type, "value", 0), plain[n])
           for n, v in given.items() if n not in ("a", "axis")):
        lo.refuse(f"these arguments of '{function}'")
    if not isinstance(given["a"].type, Array) or given["a"].type.kind == "c":
        lo.refuse(f"'{function}' of what is not an array of real numbers")
    return given["a"], given.get("axis")


@handles(np.sort)
def _sort(lo, args, kwargs):
    v, axis = _given(lo, "numpy.sort", args, kwargs)
    return _sorted(lo, [v], axis, lambda rows: call(lo.np("sort"), *rows), v.type.dtype)


@handles(np.argsort, np.ndarray.argsort)
def _argsort(lo, args, kwargs):
    """Stable, so that the order of equal elements is that of the adjoint's ranks."""
    v, axis = _given(lo, "numpy.argsort", args, kwargs)
    v = settled(lo, v)
    made = _sorted(lo, [v], axis, lambda rows: call(lo.np("argsort"), *rows, kind=constant("mergesort")), INT.dtype)
    if v.type.rank == 1:
        lo.inside[made.node.id] = v.type.dims[0]
    return made


@handles(np.partition)
def _partition(lo, args, kwargs):
    """Sorted: of the elements on either side of the `kth`, NumPy leaves the order open."""
    given = {**dict(zip(("a", "kth", "axis", "kind"), args, strict=False)), **kwargs}
    kth = given.pop("kth")
    if not isinstance(kth.type, Scalar) or kth.type.kind not in "iu":
        lo.refuse("these arguments of 'numpy.partition'", "np.sort")
    v, axis = _given(lo, "numpy.partition", [], given)
    k = -1 if axis is None or _is_absent(axis) else axis.const
    flat = axis is not None and _is_absent(axis)
    length = _size(lo, [v], {}) if flat else (shape_items(lo, v)).items[k % v.type.rank]
    lo.emit(ast.Expr(call(lo.helper(compiled.check_kth), kth.node, length.node)))
    return _sorted(lo, [v], axis, lambda rows: call(lo.np("sort"), *rows), v.type.dtype)


@handles(orders.ranks)
def _ranks(lo, args, kwargs):
    v = args[0]
    axis = args[1] if len(args) > 1 else kwargs.get("axis")
    made = _sorted(lo, [v], axis, lambda rows: call(lo.helper(compiled.ranks), *rows), INT.dtype, flat_result=False)
    if v.type.rank == 1 and isinstance(made.node, ast.Name):
        lo.inside[made.node.id] = made.type.dims[0]
    return made


def _rearranged(function, helper):
    """Where elements stand in a rearrangement of their rows, or come from."""

    def made(lo, args, kwargs):
        values = [settled(lo, v) for v in args[:2]]
        axis = args[2] if len(args) > 2 else kwargs.get("axis")
        flat = function is orders.sources
        return _sorted(lo, values, axis, lambda rows: call(lo.helper(helper), *rows), INT.dtype, flat_result=flat)

    return made


handles(orders.places)(_rearranged(orders.places, compiled.places))
handles(orders.sources)(_rearranged(orders.sources, compiled.sources))


@handles(orders.group_ranks)
def _group_ranks(lo, args, kwargs):
    v = array(lo, args[0])
    axes = _axes(lo, args[1] if len(args) > 1 else kwargs.get("axis"), v.type.rank) or list(range(v.type.rank))
    return scanned(lo, [v], axes, lambda rows: call(lo.helper(compiled.group_ranks), *rows), INT.dtype)


# -- quantiles ---------------------------------------------------------------------------------------------------------
def _rows(lo, helper, a, level, axis, keepdims, dtype):
    axes = _axes(lo, axis, a.type.rank) or list(range(a.type.rank))
    return reduced(lo, [a], axes, lambda rows: call(lo.helper(helper), *rows, *level), dtype, keepdims)


def _of_reals(lo, function, a):
    a = from_sequence(lo, a)
    if not isinstance(a.type, Array) or a.type.kind not in "fiu":
        lo.refuse(f"'{function}' of what is not an array of real numbers")
    return settled(lo, cast(lo, a, a.type.dtype if a.type.kind == "f" else np.dtype(float)))


@handles(np.median)
def _median(lo, args, kwargs):
    given = {**dict(zip(("a", "axis"), args, strict=False)), **kwargs}
    if set(given) - {"a", "axis", "keepdims"}:
        lo.refuse("these arguments of 'numpy.median'")
    a = _of_reals(lo, "numpy.median", given["a"])
    keepdims = "keepdims" in given and bool(given["keepdims"].const)
    return _rows(lo, compiled.median, a, [], given.get("axis"), keepdims, a.type.dtype)


_NAMES = ("a", "q", "axis", "method", "keepdims")


def _level(lo, function, given):
    """The level of a quantile: one number, and the method that interpolates between ranks."""
    q, method = given["q"], given.get("method")
    is_linear = method is None or getattr(method.type, "value", method.const) == "linear"
    if not is_linear or not _is_absent(given.get("weights")):
        lo.refuse(f"these arguments of '{function}'", "the method 'linear', without weights")
    if not isinstance(q.type, Scalar):
        lo.refuse(f"'{function}' at several levels", "one call for each level")
    return lo.held(cast(lo, q, np.dtype(float)))


def _quantile(function, named, scale):
    def made(lo, args, kwargs):
        given = {**dict(zip(_NAMES[:3], args, strict=False)), **kwargs}
        if len(args) > 3 or set(given) - {*_NAMES, "weights"}:
            lo.refuse(f"these arguments of '{named}'")
        a, q = _of_reals(lo, named, given["a"]), _level(lo, named, given)
        if a.type.dtype != np.dtype(float) and given["q"].type.weak is not True:
            lo.refuse(f"'{named}' of float32 at a level of float64", "a Python number as the level")
        q = q if scale == 1 else lo.held(binary(lo, ast.Div, q, constant_of(scale)))
        keepdims = "keepdims" in given and bool(given["keepdims"].const)
        return _rows(lo, compiled.quantile, a, [q.node], given.get("axis"), keepdims, a.type.dtype)

    return made


handles(np.quantile)(_quantile(np.quantile, "numpy.quantile", 1))
handles(np.percentile)(_quantile(np.percentile, "numpy.percentile", 100.0))


def _shares(a, q, axis):
    place = q * (reduced_count(np.shape(a), axis) - 1.0)
    return np.maximum(0.0, 1.0 - np.absolute(orders.group_ranks(a, axis) - place))


def _adjoint_of_quantile(value, a, q, axis, keepdims):
    return spread(value, np.shape(a), axis, keepdims) * _shares(a, q, axis)


def _tangent_of_quantile(a_dot, a, q, axis, keepdims):
    return shared(a_dot, _shares(a, q, axis), axis, keepdims)


inlined(_shares)(_shares)


def _plain(given):
    """Axis and keepdims, as the bodies above take them."""
    return given.get("axis", Typed(None, NONE)), given.get("keepdims", constant_of(False))


@handles(orders.quantile_adjoint)
def _quantile_adjoint(lo, args, kwargs):
    given = {**dict(zip(("value", *_NAMES), args, strict=False)), **kwargs}
    q, a = _level(lo, "numpy.quantile", given), settled(lo, given["a"])
    return walked(lo, _adjoint_of_quantile, [given["value"], a, q, *_plain(given)])


def _slopes(lo, a, q, axis, keepdims):
    return _rows(lo, compiled.quantile_slope, settled(lo, a), [q.node], axis, bool(keepdims.const), a.type.dtype)


@handles(orders.quantile_level_adjoint)
def _quantile_level_adjoint(lo, args, kwargs):
    given = {**dict(zip(("value", *_NAMES), args, strict=False)), **kwargs}
    q = _level(lo, "numpy.quantile", given)
    return sum_of(lo, binary(lo, ast.Mult, given["value"], _slopes(lo, given["a"], q, *_plain(given))))


@handles(quantile_tangent)
def _quantile_tangent(lo, args, kwargs):
    given = {**dict(zip(("a_dot", "q_dot", *_NAMES), args, strict=False)), **kwargs}
    q, a, q_dot = _level(lo, "numpy.quantile", given), settled(lo, given["a"]), given["q_dot"]
    made = walked(lo, _tangent_of_quantile, [given["a_dot"], a, q, *_plain(given)])
    if q_dot.is_known and q_dot.const == 0:
        return made
    return binary(lo, ast.Add, made, binary(lo, ast.Mult, q_dot, _slopes(lo, a, q, *_plain(given))))
