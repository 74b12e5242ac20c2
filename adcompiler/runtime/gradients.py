"""`np.gradient` along one axis with respect to the distances of the samples, in the language that the compiler reads."""

import numpy as np


def gradient_over_steps(f, h, axis, edge_order=1):
    """`np.gradient(f, h, axis=axis)` for samples at one distance `h`.

    >>> gradient_over_steps(np.array([1.0, 3.0, 4.0]), 2.0, 0)
    array([1.  , 0.75, 0.5 ])
    """
    samples = np.moveaxis(f, axis, -1)
    inside = (samples[..., 2:] - samples[..., :-2]) / (2.0 * h)
    if edge_order == 1:
        first, last = (samples[..., 1:2] - samples[..., :1]) / h, (samples[..., -1:] - samples[..., -2:-1]) / h
    else:
        first = (-1.5 / h) * samples[..., :1] + (2.0 / h) * samples[..., 1:2] + (-0.5 / h) * samples[..., 2:3]
        last = (0.5 / h) * samples[..., -3:-2] + (-2.0 / h) * samples[..., -2:-1] + (1.5 / h) * samples[..., -1:]
    return np.moveaxis(np.concatenate((first, inside, last), axis=-1), -1, axis)


def gradient_over_points(f, x, axis, edge_order=1):
    """`np.gradient(f, x, axis=axis)` for samples at the points `x`: slopes between neighbours, weighted by distances.

    >>> gradient_over_points(np.array([1.0, 3.0, 4.0]), np.array([0.0, 1.0, 3.0]), 0)
    array([2. , 1.5, 0.5])
    """
    samples = np.moveaxis(f, axis, -1)
    steps = np.diff(np.asarray(x))
    slopes = np.diff(samples, axis=-1) / steps
    left, right = steps[:-1], steps[1:]
    inside = (right * slopes[..., :-1] + left * slopes[..., 1:]) / (left + right)
    first, last = slopes[..., :1], slopes[..., -1:]
    if edge_order == 2:
        first = first - steps[0] * (slopes[..., 1:2] - first) / (steps[0] + steps[1])
        last = last + steps[-1] * (last - slopes[..., -2:-1]) / (steps[-1] + steps[-2])
    return np.moveaxis(np.concatenate((first, inside, last), axis=-1), -1, axis)
