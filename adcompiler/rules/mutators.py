"""Functions and methods that change an argument in place, each with the pure function that gives the new content.

>>> import numpy as np
>>> lookup_mutator(np.fill_diagonal)
Mutator(parameter='a', pure=<function with_diagonal>)
>>> lookup_mutator(np.add.at) is lookup_mutator(np.add.at)
True
>>> lookup_mutator(np.ndarray.resize).reason
'it changes the shape of the array in place'
>>> lookup_mutator(np.sin) is None
True

The compiler runs the user's call in the forward sweep. For the reverse sweep the call stands for the assignment
`parameter[...] = pure(parameter, ...)`, and the rule of `pure` says what flows to the old content and the new values.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..runtime.mutators import (
    accumulated_at,
    along_values,
    copied,
    diagonal_values,
    divided_at,
    extremum_shares,
    factors_beside,
    filled,
    lowered_at,
    masked_values,
    multiplied_at,
    placed,
    placed_values,
    put_along,
    put_masked,
    put_values,
    raised_at,
    reduced_at,
    weighted_tangent,
    with_diagonal,
    with_put,
)
from ..runtime.shape import unbroadcast
from . import sorting  # noqa: F401  the rules of np.sort and np.partition, the pure functions of two methods
from .registry import conj, inactive, rule


@dataclass(frozen=True)
class Mutator:
    """A function that changes `parameter` (a name in the signature of `pure`, always its first parameter).

    pure: takes the same arguments, changes nothing, returns the whole new content; None if the call is refused on
        active arrays. reason: why it is refused. hint: what to write instead.
    """

    parameter: str
    pure: Callable | None
    reason: str = ""
    hint: str = ""

    def __repr__(self):
        told = f"pure=<function {self.pure.__name__}>" if self.pure else f"reason={self.reason!r}"
        return f"Mutator(parameter={self.parameter!r}, {told})"


def lookup_mutator(function) -> Mutator | None:
    """The entry of a function, a method (bound or not) or a method of a ufunc; None if it is no known mutator."""
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if isinstance(owner, np.ufunc):
        key = (owner, name)
    elif owner is None or inspect.ismodule(owner) or inspect.isclass(owner):
        key = function
    else:
        key = getattr(type(owner), name, function)
    try:
        return MUTATORS.get(key)
    except TypeError:  # a callable object that cannot be hashed
        return None


# ---- rules of the pure functions --------------------------------------------------------------------------------


@rule(copied, linear=("dst", "src"))
def copyto(dst, src, casting="same_kind", where=True):
    y = copied(dst, src, casting, where)
    dst_bar = 0.0 if where is True else np.where(where, 0.0, y_bar)
    src_bar = unbroadcast(y_bar if where is True else np.where(where, y_bar, 0.0), np.shape(src))


@rule(filled, linear=("a", "value"))
def fill(a, value):
    y = filled(a, value)
    a_bar = 0.0
    value_bar = np.reshape(np.sum(y_bar), np.shape(value))


@rule(with_put, linear=("a", "v"))
def put(a, ind, v, mode="raise"):
    y = with_put(a, ind, v, mode)
    a_bar = with_put(y_bar, ind, 0.0, mode)
    v_bar = put_values(y_bar, ind, np.shape(v), mode)


@rule(placed, constant_in=("mask",), linear=("arr", "vals"))
def place(arr, mask, vals):
    y = placed(arr, mask, vals)
    arr_bar = put_masked(y_bar, mask, 0.0)
    vals_bar = placed_values(y_bar, mask, np.shape(vals))


@rule(put_masked, constant_in=("mask",), linear=("a", "values"))
def putmask(a, /, mask, values):
    y = put_masked(a, mask, values)
    a_bar = put_masked(y_bar, mask, 0.0)
    values_bar = masked_values(y_bar, mask, np.shape(values))


@rule(with_diagonal, linear=("a", "val"))
def fill_diagonal(a, val, wrap=False):
    y = with_diagonal(a, val, wrap)
    a_bar = with_diagonal(y_bar, 0.0, wrap)
    val_bar = diagonal_values(y_bar, np.shape(val), wrap)


@rule(put_along, linear=("arr", "values"))
def put_along_axis(arr, indices, values, axis):
    y = put_along(arr, indices, values, axis)
    arr_bar = put_along(y_bar, indices, 0.0, axis)
    values_bar = along_values(y_bar, indices, np.shape(values), axis)


@rule(accumulated_at, linear=("a", "b"))
def add_at(a, indices, b):
    y = accumulated_at(a, indices, b)
    a_bar = y_bar
    b_bar = unbroadcast(y_bar[indices], np.shape(b))


@rule(reduced_at, linear=("a", "b"))
def subtract_at(a, indices, b):
    y = reduced_at(a, indices, b)
    a_bar = y_bar
    b_bar = -unbroadcast(y_bar[indices], np.shape(b))


@rule(multiplied_at)
def multiply_at(a, indices, b):
    y = multiplied_at(a, indices, b)
    a_bar = multiplied_at(y_bar, indices, conj(b))
    b_bar = unbroadcast(y_bar[indices] * conj(factors_beside(a, indices, b)), np.shape(b))
    y_dot = accumulated_at(multiplied_at(a_dot, indices, b), indices, b_dot * factors_beside(a, indices, b))


@rule(divided_at)
def divide_at(a, indices, b):
    y = divided_at(a, indices, b)
    a_bar = divided_at(y_bar, indices, conj(b))
    b_bar = -unbroadcast((y_bar * conj(y))[indices] / conj(b), np.shape(b))
    y_dot = reduced_at(divided_at(a_dot, indices, b), indices, y[indices] * (b_dot / b))


# The entry itself and all values that are equal to the extremum share it.
@rule(raised_at, lowered_at)
def maximum_at(a, indices, b):
    y = raised_at(a, indices, b)
    shares = extremum_shares(a, indices, b, y)
    a_bar = y_bar * shares[0]
    b_bar = unbroadcast(y_bar[indices] * shares[1], np.shape(b))
    y_dot = accumulated_at(weighted_tangent(a_dot, shares[0]), indices, weighted_tangent(b_dot, shares[1]))


# ---- the functions that adjoints call, so that derivatives of derivatives call them again -----------------------


@rule(put_values, linear=("value",))
def put_values_(value, ind, shape, mode="raise"):
    y = put_values(value, ind, shape, mode)
    value_bar = with_put(np.zeros(np.shape(value), np.result_type(y_bar)), ind, y_bar, mode)


@rule(placed_values, constant_in=("mask",), linear=("value",))
def placed_values_(value, mask, shape):
    y = placed_values(value, mask, shape)
    value_bar = placed(np.zeros(np.shape(value), np.result_type(y_bar)), mask, y_bar)


@rule(masked_values, constant_in=("mask",), linear=("value",))
def masked_values_(value, mask, shape):
    y = masked_values(value, mask, shape)
    value_bar = put_masked(np.zeros(np.shape(value), np.result_type(y_bar)), mask, y_bar)


@rule(diagonal_values, linear=("value",))
def diagonal_values_(value, shape, wrap=False):
    y = diagonal_values(value, shape, wrap)
    value_bar = with_diagonal(np.zeros(np.shape(value), np.result_type(y_bar)), y_bar, wrap)


@rule(along_values, linear=("value",))
def along_values_(value, indices, shape, axis):
    y = along_values(value, indices, shape, axis)
    value_bar = put_along(np.zeros(np.shape(value), np.result_type(y_bar)), indices, y_bar, axis)


inactive(extremum_shares)

# ---- the table --------------------------------------------------------------------------------------------------

_SHAPE = "it changes the shape of the array in place", "make a new array with np.resize or np.concatenate"
_BYTES = "it changes the bytes of the array, not its numbers", "do this before the differentiated code"
_SHUFFLE = "it permutes the array in place by random numbers", "write x = x[rng.permutation(len(x))]"

MUTATORS = {
    np.copyto: Mutator("dst", copied),
    np.put: Mutator("a", with_put),
    np.place: Mutator("arr", placed),
    np.putmask: Mutator("a", put_masked),
    np.put_along_axis: Mutator("arr", put_along),
    np.fill_diagonal: Mutator("a", with_diagonal),
    np.ndarray.fill: Mutator("a", filled),
    np.ndarray.put: Mutator("a", with_put),
    np.ndarray.sort: Mutator("a", np.sort),
    np.ndarray.partition: Mutator("a", np.partition),
    (np.add, "at"): Mutator("a", accumulated_at),
    (np.subtract, "at"): Mutator("a", reduced_at),
    (np.multiply, "at"): Mutator("a", multiplied_at),
    (np.divide, "at"): Mutator("a", divided_at),
    (np.maximum, "at"): Mutator("a", raised_at),
    (np.minimum, "at"): Mutator("a", lowered_at),
    np.ndarray.resize: Mutator("a", None, *_SHAPE),
    np.ndarray.byteswap: Mutator("a", None, *_BYTES),
    np.ndarray.setfield: Mutator("a", None, *_BYTES),
    np.ndarray.setflags: Mutator("a", None, "it changes whether the array may be written", _BYTES[1]),
    np.random.Generator.shuffle: Mutator("x", None, *_SHUFFLE),
    np.random.RandomState.shuffle: Mutator("x", None, *_SHUFFLE),
    random.Random.shuffle: Mutator("x", None, *_SHUFFLE),
}
