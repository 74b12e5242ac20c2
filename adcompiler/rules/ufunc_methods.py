"""Rules of the methods of ufuncs: reduce, accumulate, reduceat and outer.

`np.add.at` and its like, which change an array, stand in mutators.
"""

import numpy as np

from ..runtime.quotients import quotient_or_zero
from ..runtime.reduction_tangents import cumprod_tangent, shared
from ..runtime.reductions import cumprod_adjoint, cumsum_from_end, extremum_weights, products_of_others, spread
from ..runtime.scans import accumulated_from, exp_shares, sums_of_slices_adjoint
from ..runtime.selecting import take_along_axis_adjoint
from .registry import conj, inactive, is_active, rule, ufunc_method

@rule(ufunc_method(np.add, "reduce"), linear=("array", "initial"))
def add_reduce(array, axis=0, dtype=None, *, keepdims=False, initial=None, where=True):
    y = np.add.reduce(array, axis=axis, keepdims=keepdims, initial=initial, where=where)
    array_bar = (
        spread(y_bar, np.shape(array), axis, keepdims)
        if where is True
        else np.where(where, spread(y_bar, np.shape(array), axis, keepdims), 0.0)
    )
    initial_bar = np.sum(y_bar)


@rule(ufunc_method(np.multiply, "reduce"))
def multiply_reduce(array, axis=0, dtype=None, *, keepdims=False, initial=None, where=True):
    y = np.multiply.reduce(array, axis=axis, keepdims=keepdims, initial=initial, where=where)
    scaled = y_bar if initial is None else y_bar * conj(initial)
    array_bar = spread(scaled, np.shape(array), axis, keepdims) * conj(products_of_others(array, axis, where))
    initial_bar = np.sum(y_bar * conj(np.prod(array, axis=axis, keepdims=keepdims, where=where)))
    others_dot = np.sum(array_dot * products_of_others(array, axis, where), axis=axis, keepdims=keepdims, where=where)
    y_dot = (
        others_dot
        if initial is None
        else initial * others_dot + initial_dot * np.prod(array, axis=axis, keepdims=keepdims, where=where)
    )


@rule(ufunc_method(np.maximum, "reduce"))
def maximum_reduce(array, axis=0, dtype=None, *, keepdims=False, initial=None, where=True):
    y = np.maximum.reduce(array, axis=axis, keepdims=keepdims, initial=initial, where=where)
    weights = (
        extremum_weights(array, y, axis, keepdims, where)
        if initial is None
        else extremum_weights(array, y, axis, keepdims, where, initial, True if is_active(initial) else False)
    )
    array_bar = spread(y_bar, np.shape(array), axis, keepdims) * weights
    initial_bar = np.sum(y_bar * (1.0 - np.sum(weights, axis=axis, keepdims=keepdims)))
    y_dot = shared(array_dot, weights, axis, keepdims) + initial_dot * (1.0 - np.sum(weights, axis=axis, keepdims=keepdims))


@rule(ufunc_method(np.minimum, "reduce"))
def minimum_reduce(array, axis=0, dtype=None, *, keepdims=False, initial=None, where=True):
    y = np.minimum.reduce(array, axis=axis, keepdims=keepdims, initial=initial, where=where)
    weights = (
        extremum_weights(array, y, axis, keepdims, where)
        if initial is None
        else extremum_weights(array, y, axis, keepdims, where, initial, True if is_active(initial) else False)
    )
    array_bar = spread(y_bar, np.shape(array), axis, keepdims) * weights
    initial_bar = np.sum(y_bar * (1.0 - np.sum(weights, axis=axis, keepdims=keepdims)))
    y_dot = shared(array_dot, weights, axis, keepdims) + initial_dot * (1.0 - np.sum(weights, axis=axis, keepdims=keepdims))


# An element that is equal to the extremum so far does not take its place.
@rule(ufunc_method(np.maximum, "accumulate"), ufunc_method(np.minimum, "accumulate"))
def maximum_accumulate(array, axis=0, dtype=None):
    y = np.maximum.accumulate(array, axis=axis)
    array_bar = take_along_axis_adjoint(y_bar, np.shape(array), accumulated_from(array, y, axis), axis)
    y_dot = np.take_along_axis(array_dot, accumulated_from(array, y, axis), axis)


@rule(ufunc_method(np.logaddexp, "reduce"))
def logaddexp_reduce(array, axis=0, dtype=None, *, keepdims=False):
    y = np.logaddexp.reduce(array, axis=axis, keepdims=keepdims)
    array_bar = spread(y_bar, np.shape(array), axis, keepdims) * exp_shares(array, axis)
    y_dot = np.sum(array_dot * exp_shares(array, axis), axis=axis, keepdims=keepdims)


@rule(ufunc_method(np.hypot, "reduce"))
def hypot_reduce(array, axis=0, dtype=None, *, keepdims=False):
    y = np.hypot.reduce(array, axis=axis, keepdims=keepdims)
    array_bar = array * spread(quotient_or_zero(y_bar, y), np.shape(array), axis, keepdims)
    y_dot = quotient_or_zero(np.sum(array * array_dot, axis=axis, keepdims=keepdims), y)


@rule(ufunc_method(np.add, "reduceat"), linear=("array",))
def add_reduceat(array, indices, axis=0, dtype=None):
    y = np.add.reduceat(array, indices, axis)
    array_bar = sums_of_slices_adjoint(y_bar, np.shape(array), indices, axis)


@rule(ufunc_method(np.add, "accumulate"), linear=("array",))
def add_accumulate(array, axis=0, dtype=None):
    y = np.add.accumulate(array, axis=axis)
    array_bar = cumsum_from_end(y_bar, axis)


@rule(ufunc_method(np.multiply, "accumulate"))
def multiply_accumulate(array, axis=0, dtype=None):
    y = np.multiply.accumulate(array, axis=axis)
    array_bar = cumprod_adjoint(y_bar, array, axis)
    y_dot = cumprod_tangent(array_dot, array, axis)


@rule(ufunc_method(np.add, "outer"), linear=("a", "b"))
def add_outer(a, b, /):
    y = np.add.outer(a, b)
    a_bar = np.sum(y_bar, axis=tuple(range(np.ndim(a), np.ndim(y_bar))))
    b_bar = np.sum(y_bar, axis=tuple(range(np.ndim(a))))


@rule(ufunc_method(np.subtract, "outer"), linear=("a", "b"))
def subtract_outer(a, b, /):
    y = np.subtract.outer(a, b)
    a_bar = np.sum(y_bar, axis=tuple(range(np.ndim(a), np.ndim(y_bar))))
    b_bar = -np.sum(y_bar, axis=tuple(range(np.ndim(a))))


@rule(ufunc_method(np.multiply, "outer"), multilinear=("a", "b"))
def multiply_outer(a, b, /):
    y = np.multiply.outer(a, b)
    a_bar = np.tensordot(y_bar, conj(b), np.ndim(b))
    b_bar = np.tensordot(conj(a), y_bar, np.ndim(a))


inactive(accumulated_from)
