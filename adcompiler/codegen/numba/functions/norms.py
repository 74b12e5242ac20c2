"""Norms of vectors and matrices, of all elements or along axes, and their derivatives."""

from __future__ import annotations

import ast

import numpy as np

from ....runtime.linalg_tangents import matrix_norm_tangent, norm_tangent, vector_norm_tangent
from ....runtime.norms import matrix_norm_adjoint, norm_adjoint, vector_norm_adjoint
from ..arrays.arrays import array
from ..arrays.nests import settled
from ..arrays.sums import with_ones
from .elementwise import ELEMENTWISE
from ..lowering.operators import binary
from ..lowering.casts import cast
from ..lowering.expressions import constant_of
from ..lowering.calls import handles
from ..lowering.inlined import walked
from .lanes import moved_back, moved_last
from .reductions import _extremum_of, _is_absent, _kept_dims, sum_of
from .axes import _constants
from ..typed import Typed
from ..types import Array, Items, Known, Scalar


# -- which norm --------------------------------------------------------------------------------------------------------
def _order(lo, ord, default):
    """The order of a norm, a constant: a number, an infinity or a word."""
    if ord is None or _is_absent(ord):
        return default
    value = ord.type.value if isinstance(ord.type, Known) else ord.const
    if not isinstance(value, (int, float, str)) or isinstance(value, bool):
        lo.refuse("an order of a norm that is not constant")
    return value


def _axes_of(lo, axis, rank, default):
    if _is_absent(axis):
        return default
    given = _constants(lo, axis, "axes")
    return [k % rank for k in given]


def _flag(given):
    return given is not None and bool(given.const)


def _real_array(lo, x):
    if isinstance(x.type, Scalar) or x.type.kind == "c":
        lo.refuse("the norm of complex numbers, or of a number")
    x = array(lo, x)
    return settled(lo, x if x.type.kind == "f" else cast(lo, x, np.dtype(float)))


def _kind(lo, x, ord, axis):
    """`("vector", order, axes)` or `("matrix", order, (rows, columns))`, as `np.linalg.norm` reads its arguments."""
    rank = x.type.rank
    axes = _axes_of(lo, axis, rank, list(range(rank)))
    ord = _order(lo, ord, None)
    if ord is None and (_is_absent(axis) or len(axes) <= 2):
        return "vector", 2, axes
    if len(axes) == 1 and not isinstance(ord, str):
        return "vector", ord, axes
    if len(axes) == 2 and ord in ("fro", "f"):
        return "vector", 2, axes
    if len(axes) == 2 and ord in (1, -1, 2, -2, np.inf, -np.inf, "nuc"):
        return "matrix", ord, axes
    lo.refuse("a norm of this order along these axes")


# -- values ------------------------------------------------------------------------------------------------------------
def _tuple(axes):
    return Typed(None, Items((Scalar(np.dtype(np.int64)),) * len(axes)), items=[constant_of(k) for k in axes])


def _power_sum(lo, x, ord, axes, keepdims):
    size = ELEMENTWISE[np.absolute](lo, [x])
    total = sum_of(lo, binary(lo, ast.Pow, size, constant_of(float(ord))), _tuple(axes), keepdims)
    return binary(lo, ast.Pow, total, constant_of(1.0 / ord))


def vector_norm(lo, x, ord, axes, keepdims) -> Typed:
    """The norm of the elements along some axes."""
    along = _tuple(axes)
    if ord == 2:
        return ELEMENTWISE[np.sqrt](lo, [sum_of(lo, binary(lo, ast.Mult, x, x), along, keepdims)])
    if ord == 1:
        return sum_of(lo, ELEMENTWISE[np.absolute](lo, [x]), along, keepdims)
    if ord == 0:
        return sum_of(lo, cast(lo, ELEMENTWISE[np.not_equal](lo, [x, constant_of(0)]), x.type.dtype), along, keepdims)
    if ord in (np.inf, -np.inf):
        return _extremum_of(lo, np.max if ord > 0 else np.min, ELEMENTWISE[np.absolute](lo, [x]), along, keepdims)
    return _power_sum(lo, x, ord, axes, keepdims)


def _matrix_norm(lo, x, ord, axes, keepdims):
    """Of matrices whose rows and columns are the last two axes."""
    if ord in (1, -1, np.inf, -np.inf):
        sums = settled(lo, sum_of(lo, ELEMENTWISE[np.absolute](lo, [x]), _tuple([x.type.rank - (2 if abs(ord) == 1 else 1)])))
        made = _extremum_of(lo, np.max if ord > 0 else np.min, sums, constant_of(-1), False)
    else:
        s = settled(lo, walked(lo, _singular_values, [x]))
        if ord == "nuc":
            made = sum_of(lo, s, constant_of(-1))
        else:
            made = _extremum_of(lo, np.max if ord > 0 else np.min, s, constant_of(-1), False)
    if not keepdims:
        return made
    if isinstance(made.type, Scalar):
        return _kept_dims(lo, made, 2)
    return with_ones(lo, made, set(axes))


def _singular_values(x):
    return np.linalg.svd(x, compute_uv=False)


@handles(np.linalg.norm)
def _norm(lo, args, kwargs):
    given = {**dict(zip(("x", "ord", "axis", "keepdims"), args, strict=False)), **kwargs}
    if isinstance(given["x"].type, Scalar) and len(given) == 1 and given["x"].type.kind != "c":
        return ELEMENTWISE[np.absolute](lo, [given["x"]])
    x, keepdims = _real_array(lo, given["x"]), _flag(given.get("keepdims"))
    kind, ord, axes = _kind(lo, x, given.get("ord"), given.get("axis"))
    if kind == "vector":
        return vector_norm(lo, x, ord, axes, keepdims)
    return _matrix_norm(lo, settled(lo, _with_last(lo, x, axes)), ord, axes, keepdims)


def _with_last(lo, x, axes):
    if axes != sorted(axes):
        lo.refuse("a norm of matrices whose columns stand in front of their rows", "the transpose")
    return moved_last(lo, x, axes)


@handles(np.linalg.vector_norm)
def _vector_norm(lo, args, kwargs):
    x = _real_array(lo, args[0])
    axes = _axes_of(lo, kwargs.get("axis"), x.type.rank, list(range(x.type.rank)))
    return vector_norm(lo, x, _order(lo, kwargs.get("ord"), 2), axes, _flag(kwargs.get("keepdims")))


@handles(np.linalg.matrix_norm)
def _matrix_norms(lo, args, kwargs):
    x = _real_array(lo, args[0])
    axes, keepdims = [x.type.rank - 2, x.type.rank - 1], _flag(kwargs.get("keepdims"))
    ord = _order(lo, kwargs.get("ord"), "fro")
    return vector_norm(lo, x, 2, axes, keepdims) if ord in ("fro", "f") else _matrix_norm(lo, x, ord, axes, keepdims)


# -- slopes ------------------------------------------------------------------------------------------------------------
def _by_two(x, y, axes):
    return x / np.where(y == 0, 1.0, y)


def _by_sign(x, y, axes):
    return np.sign(x)


def _by_nothing(x, y, axes):
    return np.zeros_like(x)


def _by_extreme(x, y, axes):
    attained = np.absolute(x) == y
    return np.sign(x) * attained / np.sum(attained, axis=axes, keepdims=True)


def _by_power(x, y, axes, ord):
    return np.sign(x) * (np.absolute(x) / np.where(y == 0, 1.0, y)) ** (ord - 1.0)


def _by_sums(x, y, axis):
    sums = np.sum(np.absolute(x), axis=axis, keepdims=True)
    attained = sums == y
    return np.sign(x) * attained / np.sum(attained, axis=(-2, -1), keepdims=True)


def _by_extreme_value(x, largest):
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    if largest:
        extreme = np.max(s, axis=-1, keepdims=True)
    else:
        extreme = np.min(s, axis=-1, keepdims=True)
    attained = (s == extreme) & (s > 0)
    slope = attained / np.maximum(np.sum(attained, axis=-1, keepdims=True), 1)
    return (u * np.expand_dims(slope, -2)) @ vh


def _by_all_values(x):
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    least = 2.220446049250313e-16 * max(x.shape[-2], x.shape[-1]) * np.max(s, axis=-1, keepdims=True)
    return (u * np.expand_dims(np.where(s > least, 1.0, 0.0), -2)) @ vh


def _vector_slope(lo, x, y, ord, axes) -> Typed:
    """The slope of a vector norm; `y` has axes of length 1 where it was reduced."""
    body = {2: _by_two, 1: _by_sign, 0: _by_nothing, np.inf: _by_extreme, -np.inf: _by_extreme}.get(ord)
    if body is not None:
        return walked(lo, body, [x, y, _tuple(axes)])
    if ord < 1:
        lo.refuse("the derivative of a norm of an order below 1")
    return walked(lo, _by_power, [x, y, _tuple(axes), constant_of(float(ord))])


def _full(lo, y, rank, axes, keepdims):
    """A result of a reduction, with the axes that it has lost."""
    if isinstance(y.type, Scalar):
        return lo.held(y) if not keepdims else y
    y = settled(lo, y)
    return y if keepdims else with_ones(lo, y, set(axes))


def _slope(lo, x, y, kind, ord, axes, keepdims):
    if kind == "vector":
        return _vector_slope(lo, x, _full(lo, y, x.type.rank, axes, keepdims), ord, axes)
    turned = settled(lo, _with_last(lo, x, axes))
    if ord in (2, -2, "nuc"):
        body, more = (_by_all_values, []) if ord == "nuc" else (_by_extreme_value, [constant_of(ord == 2)])
        return moved_back(lo, array(lo, walked(lo, body, [turned, *more])), axes)
    y = _full(lo, y, x.type.rank, axes, keepdims)
    y = settled(lo, moved_last(lo, y, axes)) if isinstance(y.type, Array) else y
    slope = walked(lo, _by_sums, [turned, y, constant_of(-2 if abs(ord) == 1 else -1)])
    return moved_back(lo, array(lo, slope), axes)


@handles(norm_adjoint)
def _norm_adjoint(lo, args, kwargs):
    given = {**dict(zip(("y_bar", "y", "x", "ord", "axis", "keepdims"), args, strict=False)), **kwargs}
    x, keepdims = _real_array(lo, given["x"]), _flag(given.get("keepdims"))
    kind, ord, axes = _kind(lo, x, given.get("ord"), given.get("axis"))
    slope = _slope(lo, x, given["y"], kind, ord, axes, keepdims)
    return binary(lo, ast.Mult, _full(lo, given["y_bar"], x.type.rank, axes, keepdims), slope)


@handles(vector_norm_adjoint)
def _vector_norm_adjoint(lo, args, kwargs):
    given = {**dict(zip(("y_bar", "y", "x", "axis", "keepdims", "ord"), args, strict=False)), **kwargs}
    x, keepdims = _real_array(lo, given["x"]), _flag(given.get("keepdims"))
    axes = _axes_of(lo, given.get("axis"), x.type.rank, list(range(x.type.rank)))
    slope = _slope(lo, x, given["y"], "vector", _order(lo, given.get("ord"), 2), axes, keepdims)
    return binary(lo, ast.Mult, _full(lo, given["y_bar"], x.type.rank, axes, keepdims), slope)


def _tangent(lo, x_dot, slope, axes, keepdims):
    return sum_of(lo, binary(lo, ast.Mult, slope, x_dot), _tuple(axes), keepdims)


@handles(norm_tangent)
def _norm_tangent(lo, args, kwargs):
    given = {**dict(zip(("x_dot", "y", "x", "ord", "axis", "keepdims"), args, strict=False)), **kwargs}
    x, keepdims = _real_array(lo, given["x"]), _flag(given.get("keepdims"))
    kind, ord, axes = _kind(lo, x, given.get("ord"), given.get("axis"))
    return _tangent(lo, given["x_dot"], _slope(lo, x, given["y"], kind, ord, axes, keepdims), axes, keepdims)


@handles(vector_norm_tangent)
def _vector_norm_tangent(lo, args, kwargs):
    given = {**dict(zip(("x_dot", "y", "x", "axis", "keepdims", "ord"), args, strict=False)), **kwargs}
    x, keepdims = _real_array(lo, given["x"]), _flag(given.get("keepdims"))
    axes = _axes_of(lo, given.get("axis"), x.type.rank, list(range(x.type.rank)))
    slope = _slope(lo, x, given["y"], "vector", _order(lo, given.get("ord"), 2), axes, keepdims)
    return _tangent(lo, given["x_dot"], slope, axes, keepdims)


def _matrix_slope(lo, x, ord):
    axes = [x.type.rank - 2, x.type.rank - 1]
    kind = "vector" if ord in ("fro", "f") else "matrix"
    y = vector_norm(lo, x, 2, axes, True) if kind == "vector" else _matrix_norm(lo, x, ord, axes, True)
    return _slope(lo, x, settled(lo, y), kind, 2 if kind == "vector" else ord, axes, True), axes


@handles(matrix_norm_adjoint)
def _matrix_norm_adjoint(lo, args, kwargs):
    given = {**dict(zip(("y_bar", "x", "ord"), args, strict=False)), **kwargs}
    x = _real_array(lo, given["x"])
    slope, axes = _matrix_slope(lo, x, _order(lo, given.get("ord"), "fro"))
    return binary(lo, ast.Mult, _full(lo, given["y_bar"], x.type.rank, axes, False), slope)


@handles(matrix_norm_tangent)
def _matrix_norm_tangent(lo, args, kwargs):
    given = {**dict(zip(("x_dot", "x", "ord", "keepdims"), args, strict=False)), **kwargs}
    x = _real_array(lo, given["x"])
    slope, axes = _matrix_slope(lo, x, _order(lo, given.get("ord"), "fro"))
    return _tangent(lo, given["x_dot"], slope, axes, _flag(given.get("keepdims")))
