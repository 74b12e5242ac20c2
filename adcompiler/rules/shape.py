"""Rules of array shapes: reshaping, moving axes, changing the number of axes, copies, flips and rolls."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..runtime.shape import (
    broadcast_each,
    inverse_permutation,
    layout_order,
    layout_positions,
    ravel_at,
    reshape_each,
    reshape_each_back,
    unbroadcast,
    unbroadcast_each,
    unravel,
    unresize,
    unrepeat,
    unroll_axis,
    unslide,
    untile,
    untranspose,
)
from .registry import LISTS, inactive, rule, shapes
from .result_types import in_shape

# ---- copies and dtype casts -------------------------------------------------------------------------------------


@rule(np.copy, np.ndarray.copy, elementwise=True)
def copy(a, order="K", subok=False):
    y = np.copy(a, order)
    a_bar = y_bar


@rule(np.ndarray.astype, elementwise=True, when={"copy": True})
def astype(a, dtype, order="K", casting="unsafe", subok=True, copy=True):
    y = a.astype(dtype)
    a_bar = y_bar


@rule(np.ndarray.astype, elementwise=True, alias="maybe", alias_of="a", when={"copy": False})
def astype_without_copy(a, dtype, order="K", casting="unsafe", subok=True, copy=True):
    y = a.astype(dtype, copy=False)
    a_bar = y_bar


if hasattr(np, "astype"):  # NumPy 2.1

    @rule(np.astype, elementwise=True, when={"copy": True})
    def function_astype(x, dtype, /, *, copy=True, device=None):
        y = np.astype(x, dtype)
        x_bar = y_bar

    @rule(np.astype, elementwise=True, alias="maybe", alias_of="x", when={"copy": False})
    def function_astype_without_copy(x, dtype, /, *, copy=True, device=None):
        y = np.astype(x, dtype, copy=False)
        x_bar = y_bar


@rule(np.ndarray.view, alias="view", alias_of="a", cheap=True, linear=("a",))
def view(a, /):
    y = a.view()
    a_bar = y_bar


# ---- changing the shape -----------------------------------------------------------------------------------------


@rule(np.reshape, alias="maybe", alias_of="a", cheap=True)
def reshape(a, /, shape, order="C", *, copy=None):
    y = np.reshape(a, shape, order)
    a_bar = np.reshape(y_bar, np.shape(a)) if order == "C" else np.reshape(y_bar, np.shape(a), layout_order(a, order))
    y_dot = np.reshape(a_dot, shape) if order == "C" else np.reshape(a_dot, shape, layout_order(a, order))


@rule(np.ndarray.reshape, alias="maybe", alias_of="a", cheap=True)
def method_reshape(a, /, *shape, order="C", copy=None):
    y = a.reshape(*shape, order=order)
    a_bar = np.reshape(y_bar, np.shape(a)) if order == "C" else np.reshape(y_bar, np.shape(a), layout_order(a, order))
    y_dot = a_dot.reshape(*shape) if order == "C" else a_dot.reshape(*shape, order=layout_order(a, order))


@rule(np.ravel, np.ndarray.ravel, alias="maybe", alias_of="a", cheap=True)
def ravel(a, order="C"):
    y = np.ravel(a, order)
    a_bar = np.reshape(y_bar, np.shape(a)) if order == "C" else unravel(y_bar, layout_positions(a, order), np.shape(a))
    y_dot = np.ravel(a_dot, order) if order in ("C", "F") else ravel_at(a_dot, layout_positions(a, order), order)


@rule(np.ndarray.flatten)
def flatten(a, order="C"):
    y = a.flatten(order)
    a_bar = np.reshape(y_bar, np.shape(a)) if order == "C" else unravel(y_bar, layout_positions(a, order), np.shape(a))
    y_dot = a_dot.flatten(order) if order in ("C", "F") else np.take(a_dot, layout_positions(a, order))


# ---- moving axes ------------------------------------------------------------------------------------------------


@rule(np.moveaxis, alias="view", alias_of="a", cheap=True, linear=("a",))
def moveaxis(a, source, destination):
    y = np.moveaxis(a, source, destination)
    a_bar = np.moveaxis(y_bar, destination, source)


@rule(np.rollaxis, alias="view", alias_of="a", cheap=True, linear=("a",))
def rollaxis(a, axis, start=0):
    y = np.rollaxis(a, axis, start)
    a_bar = unroll_axis(y_bar, axis, start)


@rule(np.swapaxes, np.ndarray.swapaxes, alias="view", alias_of="a", cheap=True, linear=("a",))
def swapaxes(a, axis1, axis2):
    y = np.swapaxes(a, axis1, axis2)
    a_bar = np.swapaxes(y_bar, axis1, axis2)


# np.permute_dims is this function; `a.T` is it without axes.
@rule(np.transpose, np.ndarray.T, alias="view", alias_of="a", cheap=True, linear=("a",))
def transpose(a, axes=None):
    y = np.transpose(a, axes)
    a_bar = np.transpose(y_bar) if axes is None else np.transpose(y_bar, inverse_permutation(axes))


@rule(np.ndarray.transpose, alias="view", alias_of="a", cheap=True, linear=("a",))
def method_transpose(a, *axes):
    y = a.transpose(*axes)
    a_bar = np.transpose(y_bar) if axes == () else untranspose(y_bar, axes)


@rule(np.matrix_transpose, np.ndarray.mT, alias="view", alias_of="x", cheap=True, linear=("x",))
def matrix_transpose(x, /):
    y = np.matrix_transpose(x)
    x_bar = np.swapaxes(y_bar, -1, -2)


# ---- changing the number of axes --------------------------------------------------------------------------------


@rule(np.atleast_1d, np.atleast_2d, np.atleast_3d, alias="maybe", alias_of="arys", cheap=True, linear=("arys",))
def atleast_nd(*arys):
    y = np.atleast_1d(*arys)
    arys_bar = reshape_each(y_bar, shapes(arys))


@rule(np.broadcast_to, alias="view", alias_of="array", cheap=True, linear=("array",))
def broadcast_to(array, shape, subok=False):
    y = np.broadcast_to(array, shape)
    array_bar = unbroadcast(y_bar, np.shape(array))


@rule(np.broadcast_arrays, alias="view", alias_of="args", cheap=True, linear=("args",))
def broadcast_arrays(*args, subok=False):
    y = np.broadcast_arrays(*args)
    args_bar = unbroadcast_each(y_bar, shapes(args))


@rule(np.expand_dims, alias="view", alias_of="a", cheap=True, linear=("a",))
def expand_dims(a, axis):
    y = np.expand_dims(a, axis)
    a_bar = np.squeeze(y_bar, axis)


# Without an axis the rank of the result depends on the lengths of the axes.
@rule(np.squeeze, np.ndarray.squeeze, alias="view", alias_of="a", cheap=True, infer="unknown rank", linear=("a",))
def squeeze(a, axis=None):
    y = np.squeeze(a, axis)
    a_bar = np.reshape(y_bar, np.shape(a)) if axis is None else np.expand_dims(y_bar, axis)


# ---- rearranging entries ----------------------------------------------------------------------------------------


@rule(np.flip, alias="view", alias_of="m", cheap=True, linear=("m",))
def flip(m, axis=None):
    y = np.flip(m, axis)
    m_bar = np.flip(y_bar, axis)


@rule(np.fliplr, alias="view", alias_of="m", cheap=True, linear=("m",))
def fliplr(m):
    y = np.fliplr(m)
    m_bar = np.fliplr(y_bar)


@rule(np.flipud, alias="view", alias_of="m", cheap=True, linear=("m",))
def flipud(m):
    y = np.flipud(m)
    m_bar = np.flipud(y_bar)


@rule(np.roll, linear=("a",))
def roll(a, shift, axis=None):
    y = np.roll(a, shift, axis)
    a_bar = np.roll(y_bar, np.negative(shift), axis)


@rule(np.rot90, alias="view", alias_of="m", cheap=True, linear=("m",))
def rot90(m, k=1, axes=(0, 1)):
    y = np.rot90(m, k, axes)
    m_bar = np.rot90(y_bar, -k, axes)


# A writeable view with overlapping windows has no rule: `writeable` is not offered.
@rule(sliding_window_view, alias="view", alias_of="x", cheap=True, linear=("x",))
def sliding_windows(x, window_shape, axis=None, *, subok=False):
    y = sliding_window_view(x, window_shape, axis)
    x_bar = unslide(y_bar, np.shape(x), window_shape, axis)


# ---- questions about shapes -------------------------------------------------------------------------------------

inactive(
    np.shape,
    np.ndim,
    np.size,
    np.broadcast_shapes,
    np.may_share_memory,
    np.shares_memory,
    np.iscomplexobj,
    np.isrealobj,
    np.isfortran,
    np.result_type,
    np.can_cast,
    np.ndarray.shape,
    np.ndarray.ndim,
    np.ndarray.size,
    np.ndarray.dtype,
    np.ndarray.itemsize,
    np.ndarray.nbytes,
    np.ndarray.strides,
    np.ndarray.flags,
)

# ---- the functions that adjoints call, so that derivatives of derivatives call them again -----------------------


@rule(unbroadcast_each, constant_in=("like",), linear=("values",), unchecked=LISTS)
def unbroadcast_each_(values, like):
    y = unbroadcast_each(values, like)
    values_bar = broadcast_each(y_bar, like)


@rule(broadcast_each, alias="view", alias_of="values", constant_in=("like",), linear=("values",), unchecked=LISTS)
def broadcast_each_(values, like):
    y = broadcast_each(values, like)
    values_bar = unbroadcast_each(y_bar, like)


@rule(reshape_each, alias="maybe", alias_of="values", constant_in=("like",), linear=("values",), unchecked=LISTS)
def reshape_each_(values, like):
    y = reshape_each(values, like)
    values_bar = reshape_each_back(y_bar, values)


@rule(untranspose, alias="view", alias_of="value", cheap=True, linear=("value",))
def untranspose_(value, axes):
    y = untranspose(value, axes)
    value_bar = y_bar.transpose(*axes)


@rule(unroll_axis, alias="view", alias_of="value", cheap=True, linear=("value",))
def unroll_axis_(value, axis, start):
    y = unroll_axis(value, axis, start)
    value_bar = np.rollaxis(y_bar, axis, start)


@rule(unravel, linear=("value",))
def unravel_(value, positions, shape):
    y = unravel(value, positions, shape)
    value_bar = np.take(y_bar, positions)


@rule(ravel_at, alias="maybe", alias_of="value", linear=("value",))
def ravel_at_(value, positions, order):
    y = ravel_at(value, positions, order)
    value_bar = unravel(y_bar, positions, np.shape(value))
    y_dot = ravel_at(value_dot, positions, order)


@rule(untile, linear=("value",))
def untile_(value, shape, reps):
    y = untile(value, shape, reps)
    value_bar = np.tile(y_bar, reps)


@rule(unrepeat, linear=("value",))
def unrepeat_(value, shape, repeats, axis):
    y = unrepeat(value, shape, repeats, axis)
    value_bar = np.repeat(y_bar, repeats, axis)


@rule(unresize, linear=("value",))
def unresize_(value, shape):
    y = unresize(value, shape)
    value_bar = np.resize(y_bar, np.shape(value))


@rule(unslide, infer=in_shape, linear=("value",))
def unslide_(value, shape, window_shape, axis):
    y = unslide(value, shape, window_shape, axis)
    value_bar = sliding_window_view(y_bar, window_shape, axis)


inactive(inverse_permutation, layout_order, layout_positions)
