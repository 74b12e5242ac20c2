"""Adjoints of integrals of samples: the rules of Simpson and Romberg, and running ones."""

from __future__ import annotations

import numpy as np
from scipy import integrate

from ...errors import UnsupportedSyntaxError
from ..shape import unbroadcast
from ..signals import diff_adjoint, trapezoid_steps


def simpson_weights(n, x=None, dx=1.0):
    """The weights of `scipy.integrate.simpson` for `n` samples: parabolas over pairs of intervals, and for an even
    number of samples a parabola through the last three for the last interval (Cartwright 2017).

    >>> (3.0 * simpson_weights(3)).tolist()
    [1.0, 4.0, 1.0]
    """
    h = np.full(max(n - 1, 0), dx, float) if x is None else np.diff(np.asarray(x, float))
    w = np.zeros(n)
    if n == 2:
        return w + 0.5 * h[0]
    pairs = (n - 1) // 2
    first, second = h[0 : 2 * pairs : 2], h[1 : 2 * pairs : 2]
    total = first + second
    w[0 : 2 * pairs : 2] += total * (2.0 - second / first) / 6.0
    w[1 : 2 * pairs + 1 : 2] += total**3 / (6.0 * first * second)
    w[2 : 2 * pairs + 1 : 2] += total * (2.0 - first / second) / 6.0
    if n % 2 == 0 and n > 2:
        before, last = h[-2], h[-1]
        w[-1] += (2.0 * last**2 + 3.0 * before * last) / (6.0 * (before + last))
        w[-2] += (last**2 + 3.0 * before * last) / (6.0 * before)
        w[-3] -= last**3 / (6.0 * before * (before + last))
    return w


def simpson_adjoint(area_bar, shape, x=None, dx=1.0, axis=-1):
    """The adjoint of the samples, of this shape, in `scipy.integrate.simpson(y, x, dx=dx, axis=axis)`.

    >>> (3.0 * simpson_adjoint(1.0, (3,))).tolist()
    [1.0, 4.0, 1.0]
    """
    if np.ndim(x) > 1:
        points = np.moveaxis(np.asarray(x, float), axis, -1)
        rows = np.reshape(points, (-1, points.shape[-1]))
        weights = np.array([simpson_weights(shape[axis], row) for row in rows])
        weights = np.moveaxis(np.reshape(weights, points.shape), -1, axis)
    else:
        along = [1] * len(shape)
        along[axis] = shape[axis]
        weights = np.reshape(simpson_weights(shape[axis], x, dx), along)
    return np.expand_dims(area_bar, axis) * weights


def running_adjoint(y_bar, axis=-1, initial=None):
    """The adjoint of each interval's area in a running sum along `axis`, of which `initial` precedes.

    >>> running_adjoint(np.array([1.0, 2.0, 4.0]), -1, 0).tolist()
    [6.0, 4.0]
    """
    moved = np.moveaxis(y_bar, axis, 0)
    moved = moved if initial is None else moved[1:]
    return np.moveaxis(np.cumsum(moved[::-1], axis=0)[::-1], 0, axis)


def cumulative_trapezoid_adjoint(z_bar, shape, x=None, dx=1.0, axis=-1, initial=None):
    """The adjoint of the samples, of this shape, in `scipy.integrate.cumulative_trapezoid(y, x, dx, axis, initial)`.

    >>> cumulative_trapezoid_adjoint(np.array([1.0, 1.0]), (3,)).tolist()
    [1.0, 1.5, 0.5]
    """
    half = np.moveaxis(0.5 * running_adjoint(z_bar, axis, initial) * trapezoid_steps(shape, x, dx, axis), axis, 0)
    zeros = np.zeros((1,) + half.shape[1:])
    return np.moveaxis(np.concatenate((half, zeros)) + np.concatenate((zeros, half)), 0, axis)


def cumulative_trapezoid_points_adjoint(z_bar, y, x, axis=-1, initial=None):
    """The adjoint of the points in `scipy.integrate.cumulative_trapezoid(y, x, axis=axis, initial=initial)`.

    >>> cumulative_trapezoid_points_adjoint(np.array([0.0, 1.0]), np.arange(3.0), np.arange(3.0)).tolist()
    [-0.5, -1.0, 1.5]
    """
    samples = np.moveaxis(np.asarray(y), axis, 0)
    steps_bar = running_adjoint(z_bar, axis, initial) * np.moveaxis(0.5 * (samples[1:] + samples[:-1]), 0, axis)
    if np.ndim(x) > 1:
        return diff_adjoint(steps_bar, np.shape(x), 1, axis)
    along = np.moveaxis(steps_bar, axis, -1)
    return diff_adjoint(np.sum(np.reshape(along, (-1, along.shape[-1])), axis=0), np.shape(x))


def cumulative_trapezoid_step_adjoint(z_bar, z, dx, shape):
    """The adjoint of a uniform step in a running integral, which is proportional to it.

    >>> float(cumulative_trapezoid_step_adjoint(np.ones(2), np.array([2.0, 4.0]), 2.0, ()))
    3.0
    """
    return unbroadcast(np.sum(z_bar * z) / dx, shape)


def romberg_weights(count):
    """The weights of `scipy.integrate.romb` for samples at distance 1.

    >>> romberg_weights(3).round(9).tolist()
    [0.333333333, 1.333333333, 0.333333333]
    """
    return integrate.romb(np.eye(count), axis=0)


def romberg_adjoint(area_bar, shape, dx=1.0, axis=-1):
    """The adjoint of samples of this shape in `scipy.integrate.romb(y, dx, axis)`.

    >>> romberg_adjoint(3.0, (3,)).round(9).tolist()
    [1.0, 4.0, 1.0]
    """
    weights = np.reshape(romberg_weights(shape[axis]), (-1,) + (1,) * (len(shape) - 1))
    return np.moveaxis(weights * (dx * np.asarray(area_bar)), 0, axis)


def cumulative_simpson_weights(count, x=None, initial=None):
    """The matrix of `scipy.integrate.cumulative_simpson` for samples at `x`, or at distance 1.

    >>> cumulative_simpson_weights(3).round(9).tolist()
    [[0.416666667, 0.666666667, -0.083333333], [0.333333333, 1.333333333, 0.333333333]]
    """
    start = None if initial is None else 0.0
    return integrate.cumulative_simpson(np.eye(count), x=x, axis=0, initial=start)


def cumulative_simpson_adjoint(area_bar, shape, x=None, dx=1.0, axis=-1, initial=None):
    """The adjoint of samples of this shape in `scipy.integrate.cumulative_simpson`; the points are the same for each line.

    >>> cumulative_simpson_adjoint(np.array([0.0, 3.0]), (3,)).round(9).tolist()
    [1.0, 4.0, 1.0]
    """
    demand_points_of_one_axis(x)
    moved = np.moveaxis(area_bar, axis, 0)
    weights = np.transpose(cumulative_simpson_weights(shape[axis], x, initial))
    bars = weights @ np.reshape(moved, (np.shape(moved)[0], -1))
    scaled = bars * (dx if x is None else 1.0)
    return np.moveaxis(np.reshape(scaled, (shape[axis],) + np.shape(moved)[1:]), 0, axis)


def demand_points_of_one_axis(x):
    """Refuse points that differ from line to line.

    >>> demand_points_of_one_axis(np.arange(3.0))
    """
    if np.ndim(x) > 1:
        raise UnsupportedSyntaxError(
            "scipy.integrate.cumulative_simpson has a derivative for points with one axis", hint="call it for each line"
        )
