"""Adjoints of differences, numerical gradients, the trapezoidal rule, interpolation and convolution."""

import numpy as np

from .indexing import add_at
from .shape import unbroadcast


def axis_length(shape, axis):
    """The length that `prepend` or `append` of `np.diff` adds: 1 for a number, which is broadcast.

    >>> axis_length((), 0), axis_length((2, 3), -1)
    (1, 3)
    """
    return shape[axis] if len(shape) else 1


def diff_adjoint(value, shape, n=1, axis=-1, before=0, after=0):
    """The adjoint of `np.diff` with respect to the array of this shape among those that are joined.

    `before` and `after` say how many elements along `axis` stand in front of it and behind it.

    >>> diff_adjoint(np.array([1.0, 10.0]), (3,))
    array([-1., -9., 10.])
    """
    length = axis_length(shape, axis)
    joined = np.moveaxis(value, axis, 0)
    if joined.shape[0] == 0:
        joined = np.zeros((before + length + after,) + joined.shape[1:])
    else:
        zeros = np.zeros((1,) + joined.shape[1:], joined.dtype)
        for _ in range(n):
            joined = -np.diff(np.concatenate((zeros, joined, zeros)), axis=0)
    part = np.moveaxis(joined[before : before + length], 0, axis)
    return part if len(shape) else unbroadcast(part, ())


def gradient_adjoint(value, shape, spacings=(), axis=None, edge_order=1):
    """The adjoint of `np.gradient` with respect to the array, of this shape; spacings may be numbers or coordinates.

    `value` is one array, or a sequence of one per axis as `np.gradient` returns it.

    >>> gradient_adjoint(np.array([0.0, 1.0, 0.0]), (3,))
    array([-0.5,  0. ,  0.5])
    """
    axes = gradient_axes(shape, axis)
    own = gradient_spacings(spacings, len(axes))
    if len(axes) == 1:
        return _gradient_adjoint_along(value, axes[0], own[0], edge_order)
    total = np.zeros(shape)
    for k in range(len(axes)):
        if value[k] is not None:
            total = total + _gradient_adjoint_along(value[k], axes[k], own[k], edge_order)
    return total


def gradient_axes(shape, axis=None):
    """The axes along which `np.gradient` works, in its order.

    >>> gradient_axes((2, 2)), gradient_axes((2, 2), -1)
    ((0, 1), (-1,))
    """
    return tuple(range(len(shape))) if axis is None else tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)


def gradient_spacings(spacings, count):
    """One spacing per axis: 1 if none was given, the same for all if one was.

    >>> gradient_spacings((), 2), gradient_spacings((0.5,), 2)
    ((1.0, 1.0), (0.5, 0.5))
    """
    return (1.0,) * count if not spacings else tuple(spacings) * count if len(spacings) == 1 else tuple(spacings)


def _gradient_adjoint_along(value, axis, spacing, edge_order):
    """Along one axis: entry i of `np.gradient` combines its two neighbours and itself, with the ends aside."""
    g = np.moveaxis(value, axis, -1)
    count = g.shape[-1]
    steps = np.full(count - 1, 1.0) * spacing if np.ndim(spacing) == 0 else np.diff(spacing)
    left, right = steps[:-1], steps[1:]
    f_bar = np.zeros(g.shape, g.dtype)
    f_bar[..., :-2] -= g[..., 1:-1] * (right / (left * (left + right)))
    f_bar[..., 1:-1] += g[..., 1:-1] * ((right - left) / (left * right))
    f_bar[..., 2:] += g[..., 1:-1] * (left / (right * (left + right)))
    if edge_order == 1:
        first, last = g[..., 0] / steps[0], g[..., -1] / steps[-1]
        f_bar[..., 0] -= first
        f_bar[..., 1] += first
        f_bar[..., -2] -= last
        f_bar[..., -1] += last
    else:
        p, q = steps[0], steps[1]
        f_bar[..., 0] -= g[..., 0] * ((2.0 * p + q) / (p * (p + q)))
        f_bar[..., 1] += g[..., 0] * ((p + q) / (p * q))
        f_bar[..., 2] -= g[..., 0] * (p / (q * (p + q)))
        p, q = steps[-1], steps[-2]
        f_bar[..., -1] += g[..., -1] * ((2.0 * p + q) / (p * (p + q)))
        f_bar[..., -2] -= g[..., -1] * ((p + q) / (p * q))
        f_bar[..., -3] += g[..., -1] * (p / (q * (p + q)))
    return np.moveaxis(f_bar, -1, axis)


def trapezoid_steps(shape, x, dx, axis):
    """The widths of the intervals of `np.trapezoid`, broadcastable against the samples without one along `axis`.

    >>> trapezoid_steps((3,), np.array([0.0, 1.0, 3.0]), 1.0, -1)
    array([1., 2.])
    """
    if x is None:
        return dx
    if np.ndim(x) > 1:
        return np.diff(x, axis=axis)
    return np.reshape(np.diff(x), tuple(-1 if i == axis % len(shape) else 1 for i in range(len(shape))))


def trapezoid_adjoint(value, shape, x=None, dx=1.0, axis=-1):
    """The adjoint of `np.trapezoid` with respect to the samples, of this shape.

    >>> trapezoid_adjoint(1.0, (3,), x=np.array([0.0, 1.0, 3.0]))
    array([0.5, 1.5, 1. ])
    """
    intervals = tuple(max(n - 1, 0) if i == axis % len(shape) else n for i, n in enumerate(shape))
    half = 0.5 * np.expand_dims(value, axis) * np.conj(trapezoid_steps(shape, x, dx, axis))
    half = np.broadcast_to(half, np.broadcast_shapes(np.shape(half), intervals))
    half = np.moveaxis(unbroadcast(half, intervals), axis, 0)
    zeros = np.zeros((min(1, shape[axis]),) + half.shape[1:])
    return np.moveaxis(np.concatenate((half, zeros)) + np.concatenate((zeros, half)), 0, axis)


def trapezoid_steps_adjoint(value, y, shape, axis=-1):
    """The adjoint of `np.trapezoid` with respect to the widths of the intervals, summed to this shape.

    >>> trapezoid_steps_adjoint(1.0, np.array([1.0, 2.0, 4.0]), (2,))
    array([1.5, 3. ])
    """
    samples = np.moveaxis(y, axis, 0)
    heights = np.moveaxis(0.5 * (samples[1:] + samples[:-1]), 0, axis)
    return unbroadcast(np.expand_dims(value, axis) * np.conj(heights), shape)


def trapezoid_points_adjoint(value, y, x, axis=-1):
    """The adjoint of `np.trapezoid` with respect to the sample points `x`.

    >>> trapezoid_points_adjoint(1.0, np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 3.0]))
    array([-1.5, -1.5,  3. ])
    """
    steps_bar = trapezoid_steps_adjoint(value, y, np.shape(trapezoid_steps(np.shape(y), x, 1.0, axis)), axis)
    if np.ndim(x) > 1:
        return diff_adjoint(steps_bar, np.shape(x), 1, axis)
    return diff_adjoint(np.ravel(steps_bar), np.shape(x))


# Interpolation


def interp_pieces(x, xp):
    """The number of the interval of `xp` in which each `x` lies; those outside belong to the first or last one.

    >>> interp_pieces(np.array([-1.0, 1.0, 9.0]), np.array([0.0, 1.0, 2.0]))
    array([0, 1, 1])
    """
    return np.clip(np.searchsorted(xp, x, side="right") - 1, 0, max(len(xp) - 2, 0))


def interp_slope(x, xp, fp):
    """The slope of the piecewise linear function at `x`: to the right of a knot, inside at the last one, 0 outside.

    >>> interp_slope(np.array([-1.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 5.0]))
    array([0., 4., 4.])
    """
    if len(xp) < 2:
        return np.zeros(np.shape(x))
    xp = np.asarray(xp)
    j = interp_pieces(x, xp)
    slopes = np.diff(fp) / np.diff(xp)
    return np.where((x < xp[0]) | (x > xp[-1]), 0.0, slopes[j])


def interp_spread(value, x, xp):
    """The adjoint of `np.interp(x, xp, fp)` with respect to `fp`: each value goes to the two ends of its interval.

    >>> interp_spread(np.array([1.0, 2.0]), np.array([0.25, 9.0]), np.array([0.0, 1.0]))
    array([0.75, 2.25])
    """
    xp = np.asarray(xp)
    fp_bar = np.zeros(len(xp), np.result_type(value, 0.0))
    j = np.ravel(interp_pieces(x, xp))
    if len(xp) < 2:
        return fp_bar + np.sum(value)
    share = np.clip((np.ravel(x) - xp[j]) / (xp[j + 1] - xp[j]), 0.0, 1.0)
    add_at(fp_bar, j, np.ravel(value) * (1.0 - share))
    add_at(fp_bar, j + 1, np.ravel(value) * share)
    return fp_bar


def interp_shift(value, x, xp):
    """How `interp_spread(value, x, xp)` changes when every `x` moves by 1: from one end of its interval to the other.

    >>> interp_shift(np.array([1.0, 2.0]), np.array([0.25, 9.0]), np.array([0.0, 2.0]))
    array([-0.5,  0.5])
    """
    xp, x, value = np.asarray(xp), np.ravel(x), np.ravel(value)
    change = np.zeros(len(xp), np.result_type(value, 0.0))
    if len(xp) > 1:
        j = interp_pieces(x, xp)
        rate = np.where((x < xp[0]) | (x > xp[-1]), 0.0, value / (xp[j + 1] - xp[j]))
        add_at(change, j, -rate)
        add_at(change, j + 1, rate)
    return change


def periodic_knots(xp, period):
    """The knots of `np.interp(x, xp, fp, period=period)`: sorted within one period, with a neighbour on either side.

    >>> periodic_knots(np.array([3.0, 5.0]), 4.0)
    array([-1.,  1.,  3.,  5.])
    """
    sorted_knots = np.sort(np.mod(xp, np.abs(period)))
    return np.concatenate((sorted_knots[-1:] - np.abs(period), sorted_knots, sorted_knots[:1] + np.abs(period)))


def periodic_values(fp, xp, period):
    """The values at `periodic_knots(xp, period)` where `fp` are those at `xp`.

    >>> periodic_values(np.array([10.0, 20.0]), np.array([3.0, 5.0]), 4.0)
    array([10., 20., 10., 20.])
    """
    order = np.argsort(np.mod(xp, np.abs(period)))
    return np.asarray(fp)[np.concatenate((order[-1:], order, order[:1]))]


def periodic_values_adjoint(value, xp, period):
    """The adjoint of `periodic_values(fp, xp, period)` with respect to `fp`.

    >>> periodic_values_adjoint(np.array([1.0, 2.0, 4.0, 8.0]), np.array([3.0, 5.0]), 4.0)
    array([ 5., 10.])
    """
    order = np.argsort(np.mod(xp, np.abs(period)))
    fp_bar = np.zeros(len(order), value.dtype)
    add_at(fp_bar, np.concatenate((order[-1:], order, order[:1])), value)
    return fp_bar


# Convolution


def pad_to_full(value, left, count):
    """`value` with `left` zeros in front and zeros behind up to `count`.

    >>> pad_to_full(np.array([1.0]), 1, 3)
    array([0., 1., 0.])
    """
    return np.concatenate((np.zeros(left), value, np.zeros(count - left - len(value))))


def convolve_adjoint(value, other, shape, mode="full"):
    """The adjoint of `np.convolve` with respect to one operand, of this shape; `other` is the other operand.

    >>> convolve_adjoint(np.array([1.0, 0.0, 0.0]), np.array([3.0, 4.0]), (2,))
    array([3., 0.])
    """
    size = int(np.prod(shape))
    short = min(size, np.size(other))
    left = {"full": 0, "same": short - 1 - short // 2, "valid": short - 1}[mode]
    full = pad_to_full(value, left, size + np.size(other) - 1)
    return np.reshape(np.correlate(full, np.ravel(other), "valid"), shape)


def correlate_adjoint(value, v, shape, mode="valid"):
    """The adjoint of `np.correlate(a, v)` with respect to `a`, of this shape.

    >>> correlate_adjoint(np.array([1.0, 0.0]), np.array([3.0, 4.0]), (3,))
    array([3., 4., 0.])
    """
    full = _full_correlation_bar(value, int(np.prod(shape)), np.size(v), mode)
    return np.reshape(np.convolve(full, np.ravel(v), "valid"), shape)


def correlate_kernel_adjoint(value, a, shape, mode="valid"):
    """The adjoint of `np.correlate(a, v)` with respect to `v`, of this shape.

    >>> correlate_kernel_adjoint(np.array([1.0, 0.0]), np.array([5.0, 6.0, 7.0]), (2,))
    array([5., 6.])
    """
    full = _full_correlation_bar(value, np.size(a), int(np.prod(shape)), mode)
    return np.reshape(np.flip(np.conj(np.correlate(full, np.ravel(a), "valid"))), shape)


def _full_correlation_bar(value, size, kernel_size, mode):
    """The cotangent in "full" mode. NumPy correlates the longer with the shorter, and turns the result round."""
    short, count = min(size, kernel_size), size + kernel_size - 1
    left = {"full": 0, "same": short - 1 - short // 2, "valid": short - 1}[mode]
    return pad_to_full(value, left if size >= kernel_size else count - left - len(value), count)
