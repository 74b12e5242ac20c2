"""What adjoints of joining and splitting arrays call: plain functions of arrays.

A result that is a list (of `np.split`) has a list of adjoints, in which None stands for zero.
"""

from __future__ import annotations

import numpy as np

from .shape import scatter_along, unbroadcast


def split_like(y_bar, shapes, axis=0, rank=0):
    """Adjoint of joining arrays of `shapes` along `axis` (None: all flattened): one piece per array, in its shape.

    `rank` is the rank to which the join raises its arguments: an array with fewer axes has length 1 along `axis`.

    >>> split_like(np.arange(5.0), [(2,), (3,)])
    [array([0., 1.]), array([2., 3., 4.])]
    >>> [piece.shape for piece in split_like(np.zeros((3, 4)), [(4,), (2, 4)], axis=0, rank=2)]
    [(4,), (2, 4)]
    """
    shapes = _plain(shapes)
    pieces = _pieces(y_bar, shapes, axis, rank)
    return [np.reshape(piece, shape) for piece, shape in zip(pieces, shapes, strict=True)]


def _plain(shapes):
    """Shapes of what is joined; a nested list of numbers is given by the shapes of its leaves."""
    return [shape if isinstance(shape, tuple) else _stacked_shape(shape) for shape in shapes]


def _pieces(joined, shapes, axis, rank):
    if axis is None:
        joined, axis, lengths = np.ravel(joined), 0, [int(np.prod(shape)) for shape in shapes]
    else:
        lengths = [shape[axis] if len(shape) >= rank else 1 for shape in shapes]
    return np.split(joined, np.cumsum(lengths)[:-1].tolist(), axis)


def join_like(pieces, shape, shapes, axis=0, rank=0):
    """Adjoint of `split_like(y_bar, shapes, axis, rank)` for `y_bar` of `shape`; None stands for zero.

    >>> join_like([np.ones(2), None], (5,), [(2,), (3,)])
    array([1., 1., 0., 0., 0.])
    """
    joined, shapes = np.zeros(shape, _dtype_of(pieces)), _plain(shapes)
    for view, piece in zip(_pieces(joined, shapes, axis, rank), pieces, strict=True):
        if piece is not None:
            view[...] = np.reshape(piece, view.shape)
    return joined


def slices_along(y_bar, axis=0):
    """The list of the slices of `y_bar` along `axis`, as views: adjoint of `np.stack(arrays, axis)`.

    >>> slices_along(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=1)
    [array([1., 3.]), array([2., 4.])]
    """
    return list(np.moveaxis(y_bar, axis, 0))


def nested_shapes(nested):
    """The shapes of the leaves of nested lists, in lists of the same structure. A lone array gives its shape.

    >>> nested_shapes([1.0, [np.zeros(3), 2.0]])
    [(), [(3,), ()]]
    """
    if isinstance(nested, (list, tuple)):
        return [nested_shapes(part) for part in nested]
    return np.shape(nested)


def unstack_like(y_bar, structure):
    """Adjoint of `np.array(nested)` with `structure = nested_shapes(nested)`: nested lists of adjoints of the leaves.

    >>> unstack_like(np.array([[1.0, 2.0], [3.0, 4.0]]), [(2,), [(1,), (1,)]])
    [array([1., 2.]), [array([3.]), array([4.])]]
    """
    if isinstance(structure, tuple):
        return np.reshape(y_bar, structure) if structure else np.reshape(y_bar, ())[()]
    y_bar = np.reshape(y_bar, _stacked_shape(structure))  # drops the axes that ndmin put in front
    return [unstack_like(y_bar[i], part) for i, part in enumerate(structure)]


def stack_like(nested, structure, shape):
    """Adjoint of `unstack_like(y_bar, structure)` for `y_bar` of `shape`; None stands for zero.

    >>> stack_like([np.array([1.0, 2.0]), None], [(2,), (2,)], (2, 2))
    array([[1., 2.],
           [0., 0.]])
    """
    return np.reshape(_stack(nested, structure), shape)


def _stack(nested, structure):
    if nested is None:
        return np.zeros(_stacked_shape(structure))
    if isinstance(structure, tuple) or not structure:
        return np.asarray(nested, None if isinstance(structure, tuple) else float)
    return np.stack([_stack(part, of) for part, of in zip(nested, structure, strict=True)])


def _stacked_shape(structure):
    if isinstance(structure, tuple):
        return structure
    return (len(structure), *(_stacked_shape(structure[0]) if structure else ()))


def unblock(y_bar, structure):
    """Adjoint of `np.block(arrays)` with `structure = nested_shapes(arrays)`: nested lists of adjoints of the blocks.

    >>> unblock(np.arange(4.0).reshape(2, 2), [[(1, 1), (1, 1)], [(1, 2)]])
    [[array([[0.]]), array([[1.]])], [array([[2., 3.]])]]
    """
    return _unblock(y_bar, structure, -_depth(structure))


def _unblock(y_bar, structure, axis):
    if isinstance(structure, tuple):
        return np.reshape(y_bar, structure)
    ends = np.cumsum([_length(part, axis) for part in structure])[:-1].tolist()
    return [_unblock(piece, part, axis + 1) for piece, part in zip(np.split(y_bar, ends, axis), structure, strict=True)]


def block_like(nested, structure, shape):
    """Adjoint of `unblock(y_bar, structure)` for `y_bar` of `shape`; None stands for zero.

    >>> block_like([np.array([1.0, 2.0]), None], [(2,), (1,)], (3,))
    array([1., 2., 0.])
    """
    joined = np.zeros(shape, _dtype_of(list(_leaves(nested))))
    views = _leaves(_unblock(joined, structure, -_depth(structure)))
    for view, block in zip(views, _blocks(nested, structure), strict=True):
        if block is not None:
            view[...] = block  # dropping axes of length 1 gives views
    return joined


def _leaves(nested):
    if isinstance(nested, (list, tuple)):
        for part in nested:
            yield from _leaves(part)
    else:
        yield nested


def _blocks(nested, structure):
    """The leaves of `nested`, where None may stand for a whole list of `structure`."""
    if isinstance(structure, tuple):
        yield nested
    else:
        for part, of in zip([None] * len(structure) if nested is None else nested, structure, strict=True):
            yield from _blocks(part, of)


def _depth(structure):
    return 1 + _depth(structure[0]) if isinstance(structure, list) else 0


def _length(structure, axis):
    """Length along the (negative) `axis` of the block that `structure` describes."""
    if isinstance(structure, list):
        return _length(structure[0], axis)
    return structure[axis] if len(structure) >= -axis else 1


def unsplit(y_bars, shape, indices_or_sections, axis=0):
    """Adjoint of `np.array_split(a, indices_or_sections, axis)` for `a` of `shape`; None stands for zero.

    >>> unsplit([np.ones(2), None], (5,), [2])
    array([1., 1., 0., 0., 0.])
    """
    a_bar = np.zeros(shape, _dtype_of(y_bars))
    # Pieces may overlap where the indices are not ascending, so each is added, not set.
    for piece, y_bar in zip(np.array_split(a_bar, indices_or_sections, axis), y_bars, strict=True):
        if y_bar is not None:
            piece += y_bar
    return a_bar


def restack(y_bars, shape, axis=0):
    """Adjoint of `np.unstack(a, axis=axis)` for `a` of `shape`; None stands for zero.

    >>> restack([np.ones(2), None], (2, 2), axis=1)
    array([[1., 0.],
           [1., 0.]])
    """
    a_bar = np.zeros(shape, _dtype_of(y_bars))
    slices = np.moveaxis(a_bar, axis, 0)
    for i, y_bar in enumerate(y_bars):
        if y_bar is not None:
            slices[i] = y_bar
    return a_bar


def _dtype_of(y_bars):
    given = [np.asarray(y_bar).dtype for y_bar in y_bars if y_bar is not None]
    return np.result_type(*given) if given else np.float64


def not_inserted(y_bar, shape, obj, values_shape, axis):
    """Adjoint of `np.insert(arr, obj, values, axis)` for `arr` of `shape`: the entries that stood there before.

    >>> not_inserted(np.arange(4.0), (3,), 1, (), None)
    array([0., 2., 3.])
    """
    if axis is None:
        return np.reshape(not_inserted(y_bar, (int(np.prod(shape)),), obj, values_shape, 0), shape)
    return np.compress(_origin(y_bar, shape, obj, axis) >= 0, y_bar, axis)


def inserted(y_bar, shape, obj, values_shape, axis):
    """Adjoint of `np.insert(arr, obj, values, axis)` with respect to `values`, for `arr` of `shape`.

    >>> inserted(np.arange(5.0), (3,), [2, 0], (2,), None)
    array([3., 0.])
    """
    if axis is None:
        shape, axis = (int(np.prod(shape)),), 0
    origin = _origin(y_bar, shape, obj, axis)
    where = np.flatnonzero(origin < 0)
    places = where[np.argsort(-1 - origin[where])]
    values_bar = np.take(y_bar, places, axis)
    if not isinstance(obj, slice) and np.ndim(obj) == 0:
        values_bar = np.moveaxis(values_bar, axis, 0)  # a scalar index takes values without that axis
    return unbroadcast(values_bar, values_shape)


def _origin(y_bar, shape, obj, axis):
    """For every place along `axis` of the result of np.insert: its place in `arr`, or -1 - its place in `values`."""
    length = shape[axis]
    return np.insert(np.arange(length), obj, -1 - np.arange(np.shape(y_bar)[axis] - length))


def undelete(y_bar, shape, obj, axis):
    """Adjoint of `np.delete(arr, obj, axis)` for `arr` of `shape`: zero where something was deleted.

    >>> undelete(np.array([1.0, 2.0]), (3,), 1, None)
    array([1., 0., 2.])
    """
    if axis is None:
        return np.reshape(undelete(y_bar, (int(np.prod(shape)),), obj, 0), shape)
    arr_bar = np.zeros(shape, y_bar.dtype)
    np.moveaxis(arr_bar, axis, 0)[np.delete(np.arange(shape[axis]), obj)] = np.moveaxis(y_bar, axis, 0)
    return arr_bar


def unpad(y_bar, shape, pad_width, mode="constant"):
    """Adjoint of `np.pad(array, pad_width, mode)` for `array` of `shape`.

    The modes are those that copy entries: "constant", "edge", "reflect", "symmetric", "wrap".

    >>> unpad(np.arange(5.0), (3,), 1)
    array([1., 2., 3.])
    >>> unpad(np.arange(5.0), (3,), 1, "edge")
    array([1., 2., 7.])
    """
    if mode not in ("constant", "edge", "reflect", "symmetric", "wrap"):
        raise ValueError(f"np.pad with mode {mode!r} has no derivative; pad with zeros and assign the rest instead")
    for axis, width in enumerate(_pairs(pad_width, len(shape))):
        length = shape[axis]
        if mode == "constant":
            y_bar = y_bar[(slice(None),) * axis + (slice(width[0], width[0] + length),)]
        elif width != (0, 0):
            y_bar = scatter_along(y_bar, np.pad(np.arange(length), width, mode), length, axis)
    return y_bar


def nonzero_region(filt, trim="fb", axis=None):
    """The slices of `filt` that `np.trim_zeros(filt, trim, axis)` keeps.

    >>> nonzero_region(np.array([0.0, 2.0, 0.0]))
    (slice(1, 2, None),)
    """
    rank = np.ndim(filt)
    axes = range(rank) if axis is None else [a % rank for a in (axis if isinstance(axis, tuple) else (axis,))]
    filled = np.argwhere(filt)
    start = np.min(filled, axis=0) if len(filled) else np.zeros(rank, int)
    stop = np.max(filled, axis=0) + 1 if len(filled) else start
    front, back = "f" in trim.lower() or not len(filled), "b" in trim.lower() or not len(filled)
    return tuple(
        slice(int(start[a]) if front else None, int(stop[a]) if back else None) if a in axes else slice(None)
        for a in range(rank)
    )


def untrim(y_bar, filt, trim="fb", axis=None):
    """Adjoint of `np.trim_zeros(filt, trim, axis)`: zeros where something was cut off.

    >>> untrim(np.array([5.0]), np.array([0.0, 2.0, 0.0]))
    array([0., 5., 0.])
    """
    filt_bar = np.zeros(np.shape(filt), np.asarray(y_bar).dtype)
    filt_bar[nonzero_region(filt, trim, axis)] = y_bar
    return filt_bar


def padded(array, pad_width, mode="edge"):
    """`np.pad(array, pad_width, mode)` for the modes that copy entries, which are linear; ValueError for the others.

    >>> padded(np.array([1.0, 2.0]), 1)
    array([1., 1., 2., 2.])
    """
    if mode not in ("constant", "edge", "reflect", "symmetric", "wrap"):
        raise ValueError(f"np.pad with mode {mode!r} has no derivative; pad with zeros and assign the rest instead")
    return np.pad(array, pad_width, mode)


def padding_values(y_bar, shape, pad_width, values_shape):
    """Adjoint of `np.pad(array, pad_width, constant_values=values)` with respect to `values`.

    >>> padding_values(np.arange(5.0), (3,), 1, (1,))
    array([4.])
    >>> padding_values(np.arange(5.0), (3,), 1, (2,))
    array([0., 4.])
    """
    rank = len(shape)
    sums = np.zeros((rank, 2), y_bar.dtype)
    # Axes are padded in order, each over the padding of those before: a corner holds the value of its last axis.
    for axis, (before, _) in reversed(list(enumerate(_pairs(pad_width, rank)))):
        along = np.moveaxis(y_bar, axis, 0)
        sums[axis] = np.sum(along[:before]), np.sum(along[before + shape[axis] :])
        y_bar = np.moveaxis(along[before : before + shape[axis]], 0, axis)
    if int(np.prod(values_shape)) == 1:
        return np.reshape(np.sum(sums), values_shape)
    return unbroadcast(sums, values_shape)


def _pairs(pad_width, rank):
    """`pad_width` in any of its forms as one pair (before, after) for each of `rank` axes."""
    if isinstance(pad_width, dict):
        full = np.zeros((rank, 2), int)
        for axis, width in pad_width.items():
            full[axis] = width
        pad_width = full
    return [tuple(pair) for pair in np.broadcast_to(pad_width, (rank, 2)).tolist()]
