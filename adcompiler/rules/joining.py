"""Rules of joining, splitting, repeating and padding arrays, and of inserting and deleting entries."""

from __future__ import annotations

import numpy as np

from ..runtime.joining import (
    block_like,
    inserted,
    join_like,
    nested_shapes,
    nonzero_region,
    not_inserted,
    padded,
    padding_values,
    restack,
    slices_along,
    split_like,
    stack_like,
    unblock,
    undelete,
    unpad,
    unsplit,
    untrim,
    unstack_like,
)
from ..runtime.shape import unrepeat, unresize, untile
from ..ir.types import NUMBER, OPAQUE, Num, Tup
from .registry import LISTS, inactive, rule, shapes
from .result_types import in_shape

# ---- joining ----------------------------------------------------------------------------------------------------


# np.concat is this function.
@rule(np.concatenate, linear=("arrays",))
def concatenate(arrays, /, axis=0, *, dtype=None, casting="same_kind"):
    y = np.concatenate(arrays, axis)
    arrays_bar = split_like(y_bar, shapes(arrays), axis)


@rule(np.stack, linear=("arrays",))
def stack(arrays, axis=0, *, dtype=None, casting="same_kind"):
    y = np.stack(arrays, axis)
    arrays_bar = slices_along(y_bar, axis)


@rule(np.block, linear=("arrays",))
def block(arrays):
    y = np.block(arrays)
    arrays_bar = unblock(y_bar, nested_shapes(arrays))


@rule(*[np.__dict__[name] for name in ("vstack", "row_stack") if name in np.__dict__], linear=("tup",))
def vstack(tup, *, dtype=None, casting="same_kind"):
    y = np.vstack(tup)
    tup_bar = split_like(y_bar, shapes(tup), axis=0, rank=2)


@rule(np.hstack, linear=("tup",))
def hstack(tup, *, dtype=None, casting="same_kind"):
    y = np.hstack(tup)
    tup_bar = split_like(y_bar, shapes(tup), axis=min(1, np.ndim(y_bar) - 1), rank=1)


@rule(np.dstack, linear=("tup",))
def dstack(tup):
    y = np.dstack(tup)
    tup_bar = split_like(y_bar, shapes(tup), axis=2, rank=3)


@rule(np.column_stack, linear=("tup",))
def column_stack(tup):
    y = np.column_stack(tup)
    tup_bar = split_like(y_bar, shapes(tup), axis=1, rank=2)


# ---- splitting: the result is a list, and so is its adjoint -----------------------------------------------------


@rule(np.array_split, np.split, alias="view", alias_of="ary", cheap=True, linear=("ary",))
def split(ary, indices_or_sections, axis=0):
    y = np.array_split(ary, indices_or_sections, axis)
    ary_bar = unsplit(y_bar, np.shape(ary), indices_or_sections, axis)


@rule(np.dsplit, alias="view", alias_of="ary", cheap=True, linear=("ary",))
def dsplit(ary, indices_or_sections):
    y = np.dsplit(ary, indices_or_sections)
    ary_bar = unsplit(y_bar, np.shape(ary), indices_or_sections, axis=2)


@rule(np.hsplit, alias="view", alias_of="ary", cheap=True, linear=("ary",))
def hsplit(ary, indices_or_sections):
    y = np.hsplit(ary, indices_or_sections)
    ary_bar = unsplit(y_bar, np.shape(ary), indices_or_sections, axis=min(1, np.ndim(ary) - 1))


@rule(np.vsplit, alias="view", alias_of="ary", cheap=True, linear=("ary",))
def vsplit(ary, indices_or_sections):
    y = np.vsplit(ary, indices_or_sections)
    ary_bar = unsplit(y_bar, np.shape(ary), indices_or_sections)


if hasattr(np, "unstack"):  # NumPy 2.1

    @rule(np.unstack, alias="view", alias_of="x", cheap=True, linear=("x",), unchecked=LISTS)
    def unstack(x, /, *, axis=0):
        y = np.unstack(x, axis=axis)
        x_bar = restack(y_bar, np.shape(x), axis)


# ---- tiling -----------------------------------------------------------------------------------------------------


@rule(np.tile, linear=("A",))
def tile(A, reps):
    y = np.tile(A, reps)
    A_bar = untile(y_bar, np.shape(A), reps)


@rule(np.repeat, np.ndarray.repeat, linear=("a",))
def repeat(a, repeats, axis=None):
    y = np.repeat(a, repeats, axis)
    a_bar = unrepeat(y_bar, np.shape(a), repeats, axis)


# ---- adding and removing entries --------------------------------------------------------------------------------


@rule(np.append, linear=("arr", "values"))
def append(arr, values, axis=None):
    y = np.append(arr, values, axis)
    arr_bar = split_like(y_bar, [np.shape(arr), np.shape(values)], axis)[0]
    values_bar = split_like(y_bar, [np.shape(arr), np.shape(values)], axis)[1]


@rule(np.delete, linear=("arr",))
def delete(arr, obj, axis=None):
    y = np.delete(arr, obj, axis)
    arr_bar = undelete(y_bar, np.shape(arr), obj, axis)


@rule(np.insert, linear=("arr", "values"))
def insert(arr, obj, values, axis=None):
    y = np.insert(arr, obj, values, axis)
    arr_bar = not_inserted(y_bar, np.shape(arr), obj, np.shape(values), axis)
    values_bar = inserted(y_bar, np.shape(arr), obj, np.shape(values), axis)


@rule(np.resize, linear=("a",))
def resize(a, new_shape):
    y = np.resize(a, new_shape)
    a_bar = unresize(y_bar, np.shape(a))


@rule(np.trim_zeros, alias="view", alias_of="filt")
def trim_zeros(filt, trim="fb", axis=None):
    y = np.trim_zeros(filt, trim)
    filt_bar = untrim(y_bar, filt, trim, axis)
    y_dot = filt_dot[nonzero_region(filt, trim, axis)]


# `stat_length` and `end_values` are not offered; the modes that need them are refused when the adjoint runs.
@rule(np.pad)
def pad(array, pad_width, mode="constant", *, constant_values=0):
    y = np.pad(array, pad_width, mode, constant_values=constant_values)
    array_bar = unpad(y_bar, np.shape(array), pad_width, mode)
    constant_values_bar = padding_values(y_bar, np.shape(array), pad_width, np.shape(constant_values))
    y_dot = (
        np.pad(array_dot, pad_width, constant_values=constant_values_dot)
        if mode == "constant"
        else padded(array_dot, pad_width, mode)
    )


# ---- the functions that adjoints call, so that derivatives of derivatives call them again -----------------------


def _pieces(value, like, *_, **__):
    """The types of the pieces: as many as there are shapes, each of the rank that its shape says."""
    if not isinstance(like, Tup) or not isinstance(value, Num):
        return OPAQUE
    ranks = [len(shape.items) if isinstance(shape, Tup) else None for shape in like.items]
    return Tup(tuple(Num(value.kind, value.dtype, rank, True, None if rank is None else (None,) * rank) for rank in ranks))


@rule(split_like, infer=_pieces, alias="maybe", alias_of="value", constant_in=("like",), linear=("value",))
def split_like_(value, like, axis=0, rank=0):
    y = split_like(value, like, axis, rank)
    value_bar = join_like(y_bar, np.shape(value), like, axis, rank)


@rule(join_like, constant_in=("like",), linear=("pieces",))
def join_like_(pieces, shape, like, axis=0, rank=0):
    y = join_like(pieces, shape, like, axis, rank)
    pieces_bar = split_like(y_bar, like, axis, rank)


@rule(slices_along, infer="source", alias="view", alias_of="value", cheap=True, linear=("value",), unchecked=LISTS)
def slices_along_(value, axis=0):
    y = slices_along(value, axis)
    value_bar = restack(y_bar, np.shape(value), axis)


@rule(restack, linear=("slices",))
def restack_(slices, shape, axis=0):
    y = restack(slices, shape, axis)
    slices_bar = slices_along(y_bar, axis)


def _leaves(value, structure, *_, **__):
    """The types of the leaves, in the nesting of their shapes; of a list of unknown length only that it holds numbers."""
    if not isinstance(structure, Tup) or not isinstance(value, Num):
        return NUMBER
    if not structure.items:  # a number
        return Num(value.kind, value.dtype, 0, False)
    if all(not isinstance(part, Tup) for part in structure.items):  # a shape
        return Num(value.kind, value.dtype, len(structure.items), True, (None,) * len(structure.items))
    return Tup(tuple(_leaves(value, part) for part in structure.items))


@rule(unstack_like, infer=_leaves, alias="maybe", alias_of="value", linear=("value",))
def unstack_like_(value, structure):
    y = unstack_like(value, structure)
    value_bar = stack_like(y_bar, structure, np.shape(value))


@rule(stack_like, linear=("nested",), unchecked=LISTS)
def stack_like_(nested, structure, shape):
    y = stack_like(nested, structure, shape)
    nested_bar = unstack_like(y_bar, structure)


def _blocks(value, structure, *_, **__):
    """The types of the blocks, in the nesting of their shapes."""
    if not isinstance(structure, Tup) or not isinstance(value, Num):
        return OPAQUE
    if all(not isinstance(part, Tup) for part in structure.items):  # a shape
        rank = len(structure.items)
        return Num(value.kind, value.dtype, rank, True if rank else None, (None,) * rank)
    return Tup(tuple(_blocks(value, part) for part in structure.items))


@rule(unblock, alias="maybe", alias_of="value", linear=("value",), infer=_blocks)
def unblock_(value, structure):
    y = unblock(value, structure)
    value_bar = block_like(y_bar, structure, np.shape(value))


@rule(block_like, linear=("nested",), unchecked=LISTS)
def block_like_(nested, structure, shape):
    y = block_like(nested, structure, shape)
    nested_bar = unblock(y_bar, structure)


@rule(unsplit, linear=("pieces",), unchecked=LISTS)
def unsplit_(pieces, shape, indices_or_sections, axis=0):
    y = unsplit(pieces, shape, indices_or_sections, axis)
    pieces_bar = np.array_split(y_bar, indices_or_sections, axis)


@rule(not_inserted, linear=("value",))
def not_inserted_(value, shape, obj, values_shape, axis):
    y = not_inserted(value, shape, obj, values_shape, axis)
    value_bar = np.insert(y_bar, obj, np.zeros(values_shape), axis)


@rule(inserted, linear=("value",))
def inserted_(value, shape, obj, values_shape, axis):
    y = inserted(value, shape, obj, values_shape, axis)
    value_bar = np.insert(np.zeros(shape, np.result_type(y_bar)), obj, y_bar, axis)


@rule(undelete, infer=in_shape, linear=("value",))
def undelete_(value, shape, obj, axis):
    y = undelete(value, shape, obj, axis)
    value_bar = np.delete(y_bar, obj, axis)


@rule(unpad, infer=in_shape, linear=("value",), alias="maybe", alias_of="value")
def unpad_(value, shape, pad_width, mode="constant"):
    y = unpad(value, shape, pad_width, mode)
    value_bar = np.pad(y_bar, pad_width, mode)


@rule(padding_values, linear=("value",))
def padding_values_(value, shape, pad_width, values_shape):
    y = padding_values(value, shape, pad_width, values_shape)
    value_bar = np.pad(np.zeros(shape, np.result_type(y_bar)), pad_width, constant_values=y_bar)


inactive(nested_shapes, nonzero_region)
