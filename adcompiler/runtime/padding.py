"""`np.pad` in the modes that compute what they fill in, in the language that the compiler reads."""

from __future__ import annotations

import numpy as np

_STATISTICS = {"maximum": np.max, "minimum": np.min, "mean": np.mean, "median": np.median}


def pad_with_statistics(array, pad_width, mode, statistic, stat_length=None):
    """`np.pad` in the modes "maximum", "minimum", "mean" and "median": `statistic` of the elements next to each end.

    >>> pad_with_statistics(np.array([1.0, 5.0, 3.0]), (1, 2), "mean", np.mean)
    array([3., 1., 5., 3., 3., 3.])
    """
    widths, lengths = widths_of(np.shape(array), pad_width), pairs(stat_length, np.ndim(array))
    y = np.asarray(array)
    for axis in range(np.ndim(array)):
        lanes = np.moveaxis(y, axis, 0)
        count = lanes.shape[0]
        first, last = lengths[axis]
        first = count if first is None else min(first, count)
        last = count if last is None else min(last, count)
        left = statistic(lanes[:first], axis=0, keepdims=True)
        right = statistic(lanes[count - last :], axis=0, keepdims=True)
        before, after = widths[axis]
        y = np.moveaxis(np.concatenate((np.repeat(left, before, 0), lanes, np.repeat(right, after, 0))), 0, axis)
    return y


def pad_with_ramps(array, pad_width, mode="linear_ramp", end_values=0):
    """`np.pad` in the mode "linear_ramp": straight lines from each end to the values at the new ends.

    >>> pad_with_ramps(np.array([4.0, 2.0]), 2, end_values=0.0)
    array([0., 2., 4., 2., 1., 0.])
    """
    widths = widths_of(np.shape(array), pad_width)
    ends = np.broadcast_to(end_values, (np.ndim(array), 2))
    y = np.asarray(array)
    for axis in range(np.ndim(array)):
        lanes = np.moveaxis(y, axis, -1)
        before, after = widths[axis]
        rise = (lanes[..., :1] - ends[axis, 0]) / max(before, 1)
        fall = (lanes[..., -1:] - ends[axis, 1]) / max(after, 1)
        left = np.arange(before) * rise + ends[axis, 0]
        right = np.arange(after)[::-1] * fall + ends[axis, 1]
        y = np.moveaxis(np.concatenate((left, lanes, right), axis=-1), -1, axis)
    return y


def pad_with_odd_reflection(array, pad_width, mode, reflect_type="odd"):
    """`np.pad` in the modes "reflect" and "symmetric" with `reflect_type="odd"`: turned by half a turn about each end.

    >>> pad_with_odd_reflection(np.array([1.0, 2.0, 4.0]), 2, "reflect")
    array([-2.,  0.,  1.,  2.,  4.,  6.,  7.])
    """
    widths = widths_of(np.shape(array), pad_width)
    y = np.asarray(array)
    for axis in range(np.ndim(array)):
        before, after = widths[axis]
        lanes = np.moveaxis(y, axis, 0)
        steps = np.pad(np.eye(lanes.shape[0]), ((before, after), (0, 0)), mode, reflect_type="odd")
        left = np.tensordot(steps[:before], lanes, axes=1)
        right = np.tensordot(steps[before + lanes.shape[0] :], lanes, axes=1)
        y = np.moveaxis(np.concatenate((left, lanes, right)), 0, axis)
    return y


def widths_of(shape, pad_width):
    """How many elements are added on either side of each axis; ValueError if there are none to compute them from.

    >>> widths_of((2, 0), ((1, 0), (0, 0)))
    [(1, 0), (0, 0)]
    """
    widths = pairs(pad_width, len(shape))
    for axis, (count, added) in enumerate(zip(shape, widths, strict=True)):
        if count == 0 and any(added):
            raise ValueError(f"np.pad cannot extend the empty axis {axis} in this mode")
    return widths


def pairs(given, rank):
    """A width or a length of `np.pad`, in any of its forms, as one pair (before, after) for each of `rank` axes.

    >>> pairs(2, 1), pairs({-1: (0, 3)}, 2)
    ([(2, 2)], [(0, 0), (0, 3)])
    """
    if given is None:
        return [(None, None)] * rank
    if isinstance(given, dict):
        full = [(0, 0)] * rank
        for axis, width in given.items():
            full[axis] = (width, width) if np.ndim(width) == 0 else tuple(width)
        return full
    return [tuple(pair) for pair in np.broadcast_to(given, (rank, 2)).tolist()]


def statistic_of(mode):
    """The statistic that a mode of `np.pad` fills in; None for other modes.

    >>> statistic_of("mean") is np.mean
    True
    """
    return _STATISTICS.get(mode) if isinstance(mode, str) else None
