"""Rules of functions that pick elements by condition, index or diagonal."""

import numpy as np

from ..runtime.selecting import (
    choose_adjoint,
    from_diagonal,
    from_item,
    none_selected,
    select_adjoint,
    take_adjoint,
    take_along_axis_adjoint,
)
from ..runtime.shape import unbroadcast
from .registry import inactive, rule, shapes
from .result_types import in_shape

# Diagonals and triangles


@rule(np.diag, alias="maybe", alias_of="v", linear=("v",))
def diag(v, k=0):
    y = np.diag(v, k)
    v_bar = np.diag(y_bar, k) if np.ndim(v) == 1 else from_diagonal(y_bar, np.shape(v), k)


@rule(np.diagflat, linear=("v",))
def diagflat(v, k=0):
    y = np.diagflat(v, k)
    v_bar = np.reshape(np.diag(y_bar, k), np.shape(v))


@rule(np.tril, elementwise=True, linear=("m",))
def tril(m, k=0):
    y = np.tril(m, k)
    m_bar = np.tril(y_bar, k)


@rule(np.triu, elementwise=True, linear=("m",))
def triu(m, k=0):
    y = np.triu(m, k)
    m_bar = np.triu(y_bar, k)


inactive(np.nonzero, np.ndarray.nonzero, np.flatnonzero, np.argwhere)

# By condition, by index


@rule(np.where, elementwise=True, constant_in=("condition",), linear=("x", "y"))
def where(condition, x=None, y=None, /):
    z = np.where(condition, x, y)
    x_bar = np.where(condition, z_bar, 0.0)
    y_bar = np.where(condition, 0.0, z_bar)


@rule(np.take, np.ndarray.take, linear=("a",))
def take(a, indices, axis=None, *, mode="raise"):
    y = np.take(a, indices, axis=axis, mode=mode)
    a_bar = take_adjoint(y_bar, np.shape(a), indices, axis, mode)


@rule(np.take_along_axis, linear=("arr",))
def take_along_axis(arr, indices, axis=-1):
    y = np.take_along_axis(arr, indices, axis)
    arr_bar = take_along_axis_adjoint(y_bar, np.shape(arr), indices, axis)


@rule(np.choose, np.ndarray.choose, linear=("choices",))
def choose(a, choices, *, mode="raise"):
    y = np.choose(a, choices, mode=mode)
    choices_bar = choose_adjoint(y_bar, a, choices, mode)


@rule(np.compress, constant_in=("condition",), linear=("a",))
def compress(condition, a, axis=None):
    y = np.compress(condition, a, axis=axis)
    a_bar = take_adjoint(y_bar, np.shape(a), np.flatnonzero(condition), axis)


@rule(np.ndarray.compress, constant_in=("condition",), linear=("a",))
def compress_method(a, /, condition, axis=None):
    y = a.compress(condition, axis=axis)
    a_bar = take_adjoint(y_bar, np.shape(a), np.flatnonzero(condition), axis)


@rule(np.extract, constant_in=("condition",), linear=("arr",))
def extract(condition, arr):
    y = np.extract(condition, arr)
    arr_bar = take_adjoint(y_bar, np.shape(arr), np.flatnonzero(condition))


@rule(np.diagonal, np.ndarray.diagonal, alias="view", alias_of="a", linear=("a",))
def diagonal(a, offset=0, axis1=0, axis2=1):
    y = np.diagonal(a, offset, axis1, axis2)
    a_bar = from_diagonal(y_bar, np.shape(a), offset, axis1, axis2)


@rule(np.trace, np.ndarray.trace, linear=("a",))
def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    y = np.trace(a, offset, axis1, axis2)
    a_bar = from_diagonal(np.expand_dims(y_bar, -1), np.shape(a), offset, axis1, axis2)


@rule(np.select, constant_in=("condlist",), linear=("choicelist", "default"))
def select(condlist, choicelist, default=0):
    y = np.select(condlist, choicelist, default)
    choicelist_bar = select_adjoint(y_bar, condlist, shapes(choicelist))
    default_bar = unbroadcast(np.where(none_selected(condlist), y_bar, 0.0), np.shape(default))


@rule(np.ndarray.item, cheap=True, linear=("a",))
def item(a, /, *index):
    y = a.item(*index)
    a_bar = from_item(y_bar, np.shape(a), index)


# The functions that adjoints call, so that derivatives of derivatives call them again


@rule(take_adjoint, infer=in_shape, linear=("value",))
def take_adjoint_(value, shape, indices, axis=None, mode="raise"):
    y = take_adjoint(value, shape, indices, axis, mode)
    value_bar = np.take(y_bar, indices, axis=axis, mode=mode)


@rule(take_along_axis_adjoint, infer=in_shape, linear=("value",))
def take_along_axis_adjoint_(value, shape, indices, axis=-1):
    y = take_along_axis_adjoint(value, shape, indices, axis)
    value_bar = np.take_along_axis(y_bar, indices, axis)


@rule(from_diagonal, infer=in_shape, linear=("value",))
def from_diagonal_(value, shape, offset=0, axis1=0, axis2=1):
    y = from_diagonal(value, shape, offset, axis1, axis2)
    value_bar = unbroadcast(np.diagonal(y_bar, offset, axis1, axis2), np.shape(value))


@rule(from_item, infer=in_shape, linear=("value",))
def from_item_(value, shape, index=()):
    y = from_item(value, shape, index)
    value_bar = y_bar.item(*index)


inactive(none_selected)
