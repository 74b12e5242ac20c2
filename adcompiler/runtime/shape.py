"""What adjoints of reshaping, moving and repeating axes call: plain functions of arrays.

All take the adjoint of a result first, return a new array or a view of it, and accept 0-d, empty, non-contiguous and
complex arrays.
"""

from __future__ import annotations

import numpy as np


def number(value):
    """The number in an array without axes, which would otherwise be changed by what is added to it; a number itself.

    >>> number(np.reshape(np.array([2.0]), ()))
    np.float64(2.0)
    """
    return value[()] if isinstance(value, np.ndarray) else value


def unbroadcast(y_bar, shape):
    """Sum `y_bar` over the axes along which an array of `shape` was broadcast.

    Args: `y_bar` of a shape that `shape` broadcasts to. Returns an array of `shape`.

    >>> unbroadcast(np.ones((2, 3)), (3,))
    array([2., 2., 2.])
    >>> unbroadcast(np.ones((2, 3)), (2, 1))
    array([[3.],
           [3.]])
    """
    shape = tuple(shape)
    given = np.shape(y_bar)
    if given == shape:
        return y_bar
    extra = len(given) - len(shape)
    padded = (1,) * extra + shape if extra > 0 else shape[-extra:]
    axes = tuple([i for i, n in enumerate(given) if n != padded[i]])
    if extra == 0:
        return y_bar.sum(axis=axes, keepdims=True)
    return np.reshape(y_bar.sum(axis=axes), shape)


def unbroadcast_each(y_bars, shapes):
    """`unbroadcast` for a sequence of results; None stands for a zero adjoint.

    >>> unbroadcast_each([np.ones((2, 3)), None], [(3,), (2, 1)])
    [array([2., 2., 2.]), array([[0.],
           [0.]])]
    """
    return [
        np.zeros(shape) if y_bar is None else unbroadcast(y_bar, shape)
        for y_bar, shape in zip(y_bars, shapes, strict=True)
    ]


def broadcast_each(values, shapes):
    """Broadcast each value to the common shape of `shapes`; None stays None. Adjoint of `unbroadcast_each`.

    >>> broadcast_each([np.array([1.0, 2.0]), None], [(2,), (2, 1)])
    [array([[1., 2.],
           [1., 2.]]), None]
    """
    common = np.broadcast_shapes(*shapes)
    return [None if value is None else np.broadcast_to(value, common) for value in values]


def reshape_each(y_bars, shapes):
    """Give each adjoint its shape back; of a single argument `y_bars` is the bare adjoint. None stands for zero.

    >>> reshape_each(np.ones((1, 1)), [()])
    [array(1.)]
    """
    if len(shapes) == 1:
        y_bars = [y_bars]
    return [
        np.zeros(shape) if y_bar is None else np.reshape(y_bar, shape)
        for y_bar, shape in zip(y_bars, shapes, strict=True)
    ]


def reshape_each_back(values, like):
    """Adjoint of `reshape_each(like, shapes)`: each value in the shape that it had there.

    >>> reshape_each_back([np.array(1.0)], np.ones((1, 1)))
    array([[1.]])
    """
    if len(values) == 1:
        return np.zeros(np.shape(like)) if values[0] is None else np.reshape(values[0], np.shape(like))
    return [
        None if value is None or y_bar is None else np.reshape(value, np.shape(y_bar))
        for value, y_bar in zip(values, like, strict=True)
    ]


def inverse_permutation(axes):
    """The axes that undo `np.transpose(a, axes)`; negative axes count from the end.

    >>> inverse_permutation((2, 0, -2))
    (1, 2, 0)
    """
    n = len(axes)
    return tuple(int(i) for i in np.argsort([axis % n for axis in axes]))


def untranspose(y_bar, axes):
    """Adjoint of `a.transpose(*axes)`, where `axes` is empty, one None, one sequence, or one number per axis.

    >>> untranspose(np.zeros((4, 2, 3)), (2, 0, 1)).shape
    (2, 3, 4)
    """
    if len(axes) == 1 and not isinstance(axes[0], (int, np.integer)):
        axes = axes[0]
    return np.transpose(y_bar) if axes is None or len(axes) == 0 else np.transpose(y_bar, inverse_permutation(axes))


def unroll_axis(y_bar, axis, start):
    """Adjoint of `np.rollaxis(a, axis, start)`.

    >>> unroll_axis(np.zeros((4, 2, 3)), 2, 0).shape
    (2, 3, 4)
    """
    n = np.ndim(y_bar)
    axis, start = axis % n, start + n if start < 0 else start
    return np.moveaxis(y_bar, start - 1 if axis < start else start, axis)


def layout_positions(a, order):
    """The flat positions (counted in C order) that `np.ravel(a, order)` reads, for any order.

    >>> layout_positions(np.zeros((2, 2), order="F"), "K")
    array([0, 2, 1, 3])
    """
    # Numbers with the layout of `a` (as empty_like gives it) are read in the same order as `a` is.
    numbers = np.empty_like(a, dtype=np.intp, subok=False)
    numbers[...] = np.arange(numbers.size).reshape(numbers.shape)
    return numbers.ravel(order=order)


def layout_order(a, order):
    """The order "C" or "F" that `np.reshape(a, shape, order)` takes: "A" depends on the memory layout of `a`.

    >>> layout_order(np.zeros((2, 2), order="F"), "A")
    'F'
    """
    return "F" if order == "F" or (order == "A" and np.asarray(a).flags.fnc) else "C"


def unravel(y_bar, positions, shape):
    """Adjoint of `np.ravel(a, order)` for the orders that depend on the memory layout of `a`, or are not "C".

    positions: `layout_positions(a, order)`; shape: that of `a`.

    >>> unravel(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 2, 1, 3]), (2, 2))
    array([[1., 3.],
           [2., 4.]])
    """
    a_bar = np.empty(len(positions), np.asarray(y_bar).dtype)
    a_bar[positions] = y_bar
    return a_bar.reshape(shape)


def ravel_at(a_dot, positions, order):
    """The tangent of `np.ravel(a, order)`, of which `positions` are `layout_positions(a, order)`.

    A view wherever that of `a` is one: where the tangent has the layout of its value.

    >>> a_dot = np.array([[1.0, 2.0], [3.0, 4.0]], order="F")
    >>> ravel_at(a_dot, np.array([0, 2, 1, 3]), "K").base is a_dot
    True
    >>> ravel_at(a_dot, np.array([0, 1, 2, 3]), "K")
    array([1., 2., 3., 4.])
    """
    if np.array_equal(layout_positions(a_dot, order), positions):
        return np.ravel(a_dot, order)
    return np.take(a_dot, positions)


def untile(y_bar, shape, reps):
    """Adjoint of `np.tile(a, reps)` for `a` of `shape`: the sum over all copies.

    >>> untile(np.arange(6.0), (2,), 3)
    array([6., 9.])
    """
    reps = tuple(int(r) for r in np.ravel(reps))
    rank = max(len(reps), len(shape))
    reps = (1,) * (rank - len(reps)) + reps
    sizes = (1,) * (rank - len(shape)) + tuple(shape)
    copies = np.reshape(y_bar, tuple(n for pair in zip(reps, sizes, strict=True) for n in pair))
    return np.reshape(np.sum(copies, axis=tuple(range(0, 2 * rank, 2))), shape)


def unrepeat(y_bar, shape, repeats, axis):
    """Adjoint of `np.repeat(a, repeats, axis)` for `a` of `shape`: the sum over the repetitions of each entry.

    >>> unrepeat(np.array([1.0, 2.0, 3.0]), (3,), [2, 0, 1], 0)
    array([3., 0., 3.])
    """
    if axis is None:
        return np.reshape(unrepeat(y_bar, (int(np.prod(shape)),), repeats, 0), shape)
    axis = axis % len(shape)
    if np.size(repeats) == 1:
        each = int(np.ravel(repeats)[0])
        return np.sum(np.reshape(y_bar, (*shape[:axis], shape[axis], each, *shape[axis + 1 :])), axis=axis + 1)
    return scatter_along(y_bar, np.repeat(np.arange(shape[axis]), repeats), shape[axis], axis)


def scatter_along(y_bar, positions, length, axis):
    """Add the slices of `y_bar` along `axis` into the `positions` of an axis of `length`.

    >>> scatter_along(np.array([1.0, 2.0, 3.0]), [0, 2, 0], 3, 0)
    array([4., 0., 2.])
    """
    moved = np.moveaxis(y_bar, axis, 0)
    out = np.zeros((length, *moved.shape[1:]), moved.dtype)
    np.add.at(out, np.asarray(positions, np.intp), moved)
    return np.moveaxis(out, 0, axis)


def unresize(y_bar, shape):
    """Adjoint of `np.resize(a, new_shape)` for `a` of `shape`: entries are read cyclically, the last cycle in part.

    >>> unresize(np.array([1.0, 2.0, 3.0]), (2,))
    array([4., 2.])
    """
    flat, size = np.ravel(y_bar), int(np.prod(shape))
    if size == 0:
        return np.zeros(shape, flat.dtype)
    cycles = np.zeros((-(-flat.size // size), size), flat.dtype)
    cycles.reshape(-1)[: flat.size] = flat
    return np.reshape(np.sum(cycles, axis=0), shape)


def unslide(y_bar, shape, window_shape, axis):
    """Adjoint of `sliding_window_view(x, window_shape, axis)` for `x` of `shape`: the sum over overlapping windows.

    >>> unslide(np.ones((3, 2)), (4,), 2, None)
    array([1., 2., 2., 1.])
    """
    rank = len(shape)
    window = tuple(window_shape) if np.iterable(window_shape) else (window_shape,)
    axes = range(rank) if axis is None else [k % rank for k in (axis if np.iterable(axis) else (axis,))]
    x_bar = np.zeros(shape, y_bar.dtype)
    positions = y_bar.shape[:rank]
    for offset in np.ndindex(*window):
        first = [0] * rank
        for k, distance in zip(axes, offset, strict=True):
            first[k] += distance  # an axis may be windowed more than once
        x_bar[tuple(slice(i, i + n) for i, n in zip(first, positions, strict=True))] += y_bar[(..., *offset)]
    return x_bar
