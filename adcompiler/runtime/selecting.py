"""Adjoints of functions that pick elements: take, choose, select, diagonals."""

import numpy as np

from .indexing import add_at
from .shape import unbroadcast


def take_adjoint(value, shape, indices, axis=None, mode="raise"):
    """The adjoint of `np.take` with respect to the array, of this shape: elements taken twice receive twice.

    >>> take_adjoint(np.array([1.0, 2.0, 3.0]), (3,), [0, 2, 0])
    array([4., 0., 2.])
    """
    value, indices = np.asarray(value), np.asarray(indices)
    if axis is None:
        return np.reshape(take_adjoint(value, (int(np.prod(shape)),), indices, 0, mode), shape)
    shape = tuple(shape) if len(shape) else (1,)
    axis = axis % len(shape)
    if mode == "wrap":
        indices = indices % max(shape[axis], 1)
    elif mode == "clip":
        indices = np.clip(indices, 0, shape[axis] - 1)
    a_bar = np.zeros(shape, value.dtype)
    taken = np.reshape(value, shape[:axis] + indices.shape + shape[axis + 1 :])
    add_at(a_bar, (slice(None),) * axis + (indices.astype(np.intp, copy=False),), taken)
    return a_bar


def take_along_axis_adjoint(value, shape, indices, axis=-1):
    """The adjoint of `np.take_along_axis` with respect to the array, of this shape.

    >>> take_along_axis_adjoint(np.array([[5.0], [7.0]]), (2, 2), np.array([[1], [0]]), axis=1)
    array([[0., 5.],
           [7., 0.]])
    """
    if axis is None:
        return take_adjoint(value, shape, indices)
    axis, value = axis % len(shape), np.asarray(value)
    grid = [
        np.reshape(np.arange(n), tuple(-1 if i == j else 1 for j in range(len(shape)))) for i, n in enumerate(shape)
    ]
    grid[axis] = indices
    arr_bar = np.zeros(shape, value.dtype)
    add_at(arr_bar, tuple(grid), value)
    return arr_bar


def choose_adjoint(value, a, choices, mode="raise"):
    """The adjoint of `np.choose` with respect to the choices: an array if they are one, otherwise a list.

    >>> choose_adjoint(np.array([1.0, 2.0]), np.array([1, 0]), [np.zeros(2), 5.0])
    [array([0., 2.]), np.float64(1.0)]
    """
    count = len(choices)
    chosen = a % count if mode == "wrap" else np.clip(a, 0, count - 1) if mode == "clip" else a
    parts = [unbroadcast(np.where(np.equal(chosen, k), value, 0.0), np.shape(choices[k])) for k in range(count)]
    return np.stack(parts) if isinstance(choices, np.ndarray) else parts


def select_adjoint(value, condlist, choice_shapes):
    """The adjoint of `np.select` with respect to its choices, of these shapes: a list, the first true condition wins.

    >>> select_adjoint(np.array([1.0, 2.0]), [np.array([True, False]), np.array([True, True])], [(2,), ()])
    [array([1., 0.]), np.float64(2.0)]
    """
    parts, free = [], np.bool_(True)
    for condition, shape in zip(condlist, choice_shapes, strict=True):
        parts.append(unbroadcast(np.where(free & condition, value, 0.0), shape))
        free = free & ~np.asarray(condition)
    return parts


def none_selected(condlist):
    """Where `np.select` takes its default: no condition is true.

    >>> none_selected([np.array([True, False]), np.array([False, False])])
    array([False,  True])
    """
    free = np.bool_(True)
    for condition in condlist:
        free = free & ~np.asarray(condition)
    return free


def from_diagonal(value, shape, offset=0, axis1=0, axis2=1):
    """Zeros of this shape with `value` on a diagonal: the adjoint of `np.diagonal`. `value` may be broadcast to it.

    >>> from_diagonal(np.array([1.0, 2.0]), (2, 3), offset=1)
    array([[0., 1., 0.],
           [0., 0., 2.]])
    """
    a_bar = np.zeros(shape, np.asarray(value).dtype)
    planes = np.moveaxis(a_bar, (axis1, axis2), (-2, -1))
    start = max(0, -offset)
    rows = np.arange(start, max(start, min(planes.shape[-2], planes.shape[-1] - offset)))
    planes[..., rows, rows + offset] = value
    return a_bar


def from_item(value, shape, index=()):
    """Zeros of this shape with `value` at the place that `a.item(*index)` reads.

    >>> from_item(5.0, (2, 2), (3,))
    array([[0., 0.],
           [0., 5.]])
    """
    a_bar = np.zeros(shape, np.asarray(value).dtype)
    if len(index) == 1 and isinstance(index[0], tuple):
        index = index[0]
    if len(index) == len(shape):
        a_bar[index] = value
    else:
        place = index[0] if len(index) else 0
        a_bar[np.unravel_index(place % max(a_bar.size, 1), shape)] = value
    return a_bar
