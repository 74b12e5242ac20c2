"""Sums, means, extrema and scans, and their adjoints."""

from __future__ import annotations

import ast

import numpy as np

from ...runtime.numba import reductions as compiled
from ...runtime.reductions import (
    cumprod_adjoint,
    cumsum_from_end,
    extremum_weights,
    products_of_others,
    reduced_count,
)
from ...transform.code import call, name
from .arrays import array, settled, total, total_over, with_ones
from .elementwise import truth
from .examples import element_type
from .expressions import binary, cast, constant_of
from .functions import handles
from .shapes import _constants, _size, _spread
from .typed import Typed
from .types import BOOL, INT, Array, Items, Known, Scalar


def _axes(lo, given, rank):
    """The reduced axes, or None for all."""
    if given is None or isinstance(given.type, Known):
        return None
    axes = sorted({a % rank for a in _constants(lo, given, "axes")})
    return None if len(axes) == rank else axes


def _arguments(lo, function, args, kwargs, names=("a", "axis")):
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    extra = set(given) - {"a", "axis", "keepdims", "dtype"}
    if extra or len(args) > len(names):
        lo.refuse(f"the argument '{next(iter(extra), names[-1])}' of '{function.__name__}'")
    v = given["a"]
    if "dtype" in given and not isinstance(given["dtype"].type, Known):
        lo.refuse("a dtype that is computed")
    if "dtype" in given and given["dtype"].const is not None:
        v = cast(lo, v, np.dtype(given["dtype"].const))
    keepdims = given.get("keepdims")
    return v, given.get("axis"), bool(keepdims is not None and keepdims.const)


@handles(np.sum, np.ndarray.sum)
def _sum(lo, args, kwargs):
    v, axis, keepdims = _arguments(lo, np.sum, args, kwargs)
    return sum_of(lo, v, axis, keepdims)


def sum_of(lo, v, axis=None, keepdims=False) -> Typed:
    """`np.sum(v, axis, keepdims=keepdims)`."""
    if isinstance(v.type, Scalar):
        return v
    if not isinstance(v.type, Array):
        from .creation import _array

        v = _array(lo, [v], {})
    result = element_type(np.sum, [v.type])
    v = cast(lo, v, result.dtype)
    axes = _axes(lo, axis, v.type.rank)
    if axes is None:
        made = total(lo, v, Scalar(result.dtype, False))
        return _kept_dims(lo, made, v.type.rank) if keepdims else made
    return total_over(lo, v, set(axes), keepdims, result.dtype)


def _kept_dims(lo, number, rank):
    from .creation import filled
    from .typed import Axis
    from ...transform.code import constant

    return filled(lo, [Axis(1, lambda: constant(1)) for _ in range(rank)], number, number.type.dtype)


@handles((np.add, "reduce"))
def _add_reduce(lo, args, kwargs):
    v, axis, keepdims = _arguments(lo, np.sum, args, kwargs)
    return sum_of(lo, v, axis if axis is not None else constant_of(0), keepdims)


@handles(np.mean, np.ndarray.mean)
def _mean(lo, args, kwargs):
    v, axis, keepdims = _arguments(lo, np.mean, args, kwargs)
    return mean_of(lo, v, axis, keepdims)


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
    shape = args[0]
    axis = args[1] if len(args) > 1 else kwargs.get("axis")
    if len(args) > 3 or "where" in kwargs:
        lo.refuse("a reduction with 'where'")
    rank = len(shape.type.items)
    axes = _axes(lo, axis, rank)
    from .shapes import _tuple_parts

    parts = shape.items or _tuple_parts(shape)
    made = constant_of(1)
    for k in range(rank) if axes is None else axes:
        made = parts[k] if made.is_known and made.const == 1 else binary(lo, ast.Mult, made, parts[k])
    if made.is_known:
        return constant_of(max(made.const, 1))
    from ...transform.code import constant

    return Typed(call(name("max"), made.node, constant(1)), Scalar(INT.dtype, True, 1, None, 1))


@handles(np.prod)
def _prod(lo, args, kwargs):
    if isinstance(args[0].type, Items) and len(args) == 1 and not kwargs:
        from .shapes import _tuple_parts

        made = constant_of(1)
        for p in args[0].items or _tuple_parts(args[0]):
            made = p if made.is_known and made.const == 1 else binary(lo, ast.Mult, made, p)
        return made
    v, axis, keepdims = _arguments(lo, np.prod, args, kwargs)
    return _reduced(lo, np.prod, compiled.products, v, axis, keepdims)


handles(np.ndarray.prod)(_prod)


def _reduced(lo, function, helper, v, axis, keepdims) -> Typed:
    """A reduction by a function of the runtime library: of all elements, or along one axis moved to the end."""
    if isinstance(v.type, Scalar):
        return v
    result = element_type(function, [v.type])
    v = cast(lo, v, result.dtype)
    axes = _axes(lo, axis, v.type.rank)
    if axes is None:
        v = settled(lo, v)
        made = Typed(call(lo.helper(helper[0]), v.node), Scalar(result.dtype, False))
        return _kept_dims(lo, made, v.type.rank) if keepdims else made
    if len(axes) > 1:
        lo.refuse(f"'{function.__name__}' along several axes", "reduce along one axis after the other")
    from .shapes import permuted

    k = axes[0]
    order = [a for a in range(v.type.rank) if a != k] + [k]
    v = array(lo, v)
    kept = tuple(a.token for j, a in enumerate(v.lazy.axes) if j != k)
    moved = settled(lo, permuted(lo, v, order))
    which = v.type.rank - 1
    if which > len(helper) - 1:
        lo.refuse(f"'{function.__name__}' along an axis of an array of rank {v.type.rank}")
    made = Typed(call(lo.helper(helper[which]), moved.node), Array(result.dtype, which, kept))
    return with_ones(lo, made, {k}) if keepdims else made


@handles(np.max, np.ndarray.max)
def _max(lo, args, kwargs):
    v, axis, keepdims = _arguments(lo, np.max, args, kwargs)
    return _reduced(lo, np.max, compiled.maxima, _real(lo, v), axis, keepdims)


@handles(np.min, np.ndarray.min)
def _min(lo, args, kwargs):
    v, axis, keepdims = _arguments(lo, np.min, args, kwargs)
    return _reduced(lo, np.min, compiled.minima, _real(lo, v), axis, keepdims)


def _real(lo, v):
    if v.type.kind == "c":
        lo.refuse("the order of complex numbers")
    return v


@handles(np.argmax, np.argmin, np.ndarray.argmax, np.ndarray.argmin)
def _argmax(lo, args, kwargs):
    lo.refuse("'argmax' with these arguments")


def _position(function):
    def found(lo, args, kwargs):
        v, axis, keepdims = _arguments(lo, function, args, kwargs)
        if not (isinstance(v.type, Array) and (v.type.rank == 1 or axis is None)) or keepdims:
            lo.refuse(f"'{function.__name__}' along an axis")
        v = settled(lo, v)
        node = call(lo.np(function.__name__), v.node)
        return Typed(node, Scalar(INT.dtype, False, 0, None, 1))

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
        from .expressions import as_test

        return as_test(lo, v)
    if _axes(lo, axis, v.type.rank) is not None or keepdims:
        lo.refuse(f"'{function.__name__}' along an axis")
    v = array(lo, truth(lo, v))
    made = lo.fresh(base)
    from ...transform.code import constant
    from .arrays import nest

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
    if kwargs or len(args) > 1:
        lo.refuse("'numpy.count_nonzero' along an axis")
    return sum_of(lo, truth(lo, args[0]))


@handles(np.var, np.ndarray.var)
def _var(lo, args, kwargs):
    v, axis, keepdims = _arguments(lo, np.var, args, kwargs)
    if isinstance(v.type, Scalar) or v.type.kind == "c":
        lo.refuse("the variance of this")
    v = settled(lo, v)
    middle = mean_of(lo, v, axis, True)
    if isinstance(middle.type, Array):
        middle = settled(lo, middle)
    apart = settled(lo, binary(lo, ast.Sub, v, middle))
    return mean_of(lo, binary(lo, ast.Mult, apart, apart), axis, keepdims)


@handles(np.std, np.ndarray.std)
def _std(lo, args, kwargs):
    from .elementwise import ELEMENTWISE

    return ELEMENTWISE[np.sqrt](lo, [_var(lo, args, kwargs)])


@handles(extremum_weights)
def _extremum_weights(lo, args, kwargs):
    """The share of each element in its extremum: 1 divided evenly among equals."""
    given = {**dict(zip(("a", "y", "axis", "keepdims", "where", "initial"), args, strict=False)), **kwargs}
    where = given.get("where")
    if where is not None and where.const is not True or "initial" in given:
        lo.refuse("an extremum with 'where' or 'initial'")
    a, y = settled(lo, given["a"]), given["y"]
    axis, keepdims = given.get("axis"), given.get("keepdims", constant_of(False))
    y = settled(lo, y) if isinstance(y.type, Array) else lo.held(y)
    from .shapes import shape_items

    full = _spread(lo, [y, shape_items(lo, a)], {"axis": axis, "keepdims": keepdims} if axis is not None else {})
    import operator

    from .expressions import apply_elementwise

    hits = apply_elementwise(lo, operator.eq, [a, full], lambda lo, n, ts, r: call(lo.helper(compiled.is_hit), *n))
    hits = settled(lo, hits)
    ties = sum_of(lo, hits, axis, True)
    ties = settled(lo, ties) if isinstance(ties.type, Array) else ties
    from .elementwise import ELEMENTWISE

    ties = ELEMENTWISE[np.maximum](lo, [ties, constant_of(1)])
    return binary(lo, ast.Div, hits, ties)


@handles(np.cumsum, np.ndarray.cumsum)
def _cumsum(lo, args, kwargs):
    v, axis, _ = _arguments(lo, np.cumsum, args, kwargs)
    if not isinstance(v.type, Array) or v.type.rank != 1:
        lo.refuse("'numpy.cumsum' of an array of rank 2 or more")
    v = settled(lo, v)
    result = element_type(np.cumsum, [v.type])
    return Typed(call(lo.helper(compiled.running_sum), cast(lo, v, result.dtype).node or settled(
        lo, cast(lo, v, result.dtype)).node), Array(result.dtype, 1, v.type.dims))


@handles(np.cumprod)
def _cumprod(lo, args, kwargs):
    v, axis, _ = _arguments(lo, np.cumprod, args, kwargs)
    return _of_vector(lo, v, compiled.running_product, "numpy.cumprod")


@handles(cumprod_adjoint)
def _cumprod_adjoint(lo, args, kwargs):
    value, a = (settled(lo, v) for v in args[:2])
    if a.type.rank != 1 or a.type.kind != "f":
        lo.refuse("'numpy.cumprod' of what is not a vector of floats")
    return Typed(call(lo.helper(compiled.running_product_adjoint), value.node, a.node), a.type)


@handles(products_of_others)
def _products_of_others(lo, args, kwargs):
    given = {**dict(zip(("a", "axis", "where"), args, strict=False)), **kwargs}
    if given.get("where") is not None and given["where"].const is not True:
        lo.refuse("a product with 'where'")
    a = given["a"]
    if isinstance(a.type, Array) and a.type.rank > 1 and _axes(lo, given.get("axis"), a.type.rank) is None:
        from .inlined import walked

        return walked(lo, _of_all, [a])
    if not isinstance(a.type, Array) or a.type.rank != 1:
        lo.refuse("the adjoint of a product along an axis", "write a loop over the rows")
    return _of_vector(lo, a, compiled.products_of_others, "numpy.prod")


def _of_all(a):
    return np.reshape(products_of_others(np.ravel(a)), np.shape(a))


def _of_vector(lo, v, helper, function):
    if not isinstance(v.type, Array) or v.type.rank != 1 or v.type.kind != "f":
        lo.refuse(f"'{function}' of what is not a vector of floats", "write a loop")
    v = settled(lo, v)
    return Typed(call(lo.helper(helper), v.node), Array(v.type.dtype, 1, v.type.dims))


@handles(cumsum_from_end)
def _cumsum_from_end(lo, args, kwargs):
    v = settled(lo, args[0])
    if v.type.rank != 1:
        lo.refuse("'numpy.cumsum' of an array of rank 2 or more")
    return Typed(call(lo.helper(compiled.running_sum_from_end), v.node), Array(v.type.dtype, 1, v.type.dims))


__all__ = ["mean_of", "sum_of"]
