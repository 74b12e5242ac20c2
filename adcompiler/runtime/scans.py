"""What the rules of running sums and extrema, and of sums of slices, call."""

import numpy as np

from .selecting import take_adjoint


def after_first(value, axis=None):
    """`value` without its first element along `axis` (None: of a row).

    >>> after_first(np.array([1.0, 2.0, 3.0]))
    array([2., 3.])
    """
    return value[1:] if axis is None else np.moveaxis(np.moveaxis(value, axis, 0)[1:], 0, axis)


def zero_first(value, axis=None):
    """`value` with a zero put in front along `axis` (None: of a row).

    >>> zero_first(np.array([2.0, 3.0]))
    array([0., 2., 3.])
    """
    moved = np.moveaxis(value, 0 if axis is None else axis, 0)
    return np.moveaxis(np.concatenate((np.zeros((1,) + np.shape(moved)[1:]), moved)), 0, 0 if axis is None else axis)


def accumulated_from(array, y, axis=0):
    """Where in `array` each running extremum `y` along `axis` comes from: the first of equals.

    >>> accumulated_from(np.array([1.0, 3.0, 3.0, 2.0]), np.array([1.0, 3.0, 3.0, 3.0]))
    array([0, 1, 1, 1])
    """
    lanes = np.moveaxis(y, axis, 0)
    numbers = np.reshape(np.arange(len(lanes)), (-1,) + (1,) * (np.ndim(y) - 1))
    same = lanes[1:] == lanes[:-1]
    both_missing = (lanes[1:] != lanes[1:]) & (lanes[:-1] != lanes[:-1])
    begins = np.concatenate((np.zeros_like(same[:1]), same | both_missing))
    return np.moveaxis(np.maximum.accumulate(np.where(begins, 0, numbers), axis=0), 0, axis)


def exp_shares(array, axis=0):
    """The share of each exponential in their sum over `axis` (None: over all), without overflow.

    >>> exp_shares(np.array([0.0, 0.0, -np.inf]))
    array([0.5, 0.5, 0. ])
    """
    with np.errstate(invalid="ignore"):
        top = np.max(array, axis=axis, keepdims=True)
        parts = np.exp(np.where(array == top, 0.0, array - top))
    return parts / np.sum(parts, axis=axis, keepdims=True)


def sums_of_slices_adjoint(y_bar, shape, indices, axis=0):
    """The adjoint of `np.add.reduceat(array, indices, axis)` for an array of this shape.

    A sum runs from its index to the next one, or takes one element if the next index is not greater.

    >>> sums_of_slices_adjoint(np.array([1.0, 10.0, 100.0]), (4,), [0, 2, 1])
    array([  1., 101., 110., 100.])
    """
    starts = np.asarray(indices)
    stops = np.append(starts[1:], shape[axis])
    counts = np.maximum(stops - starts, 1)
    positions = [np.arange(start, start + count) for start, count in zip(starts, counts, strict=True)]
    taken = np.concatenate([np.zeros(0, int), *positions])
    return take_adjoint(np.repeat(y_bar, counts, axis), shape, taken, axis)
