"""What adjoints of array constructors call."""

from __future__ import annotations

import numpy as np


def unit_steps(num, endpoint=True):
    """The weights t of np.linspace, which is `start + t * (stop - start)`.

    >>> unit_steps(5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    >>> unit_steps(4, endpoint=False)
    array([0.  , 0.25, 0.5 , 0.75])
    """
    return np.arange(num) / max(num - 1 if endpoint else num, 1)


def weighted_sum(weights, y_bar, axis=0):
    """The sum of the slices of `y_bar` along `axis`, each times its entry of `weights`.

    >>> weighted_sum(np.array([1.0, 10.0]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([31., 42.])
    """
    return np.tensordot(weights, y_bar, (0, axis))


def vander_slopes(x, N, increasing=False):
    """The derivatives of the entries of `np.vander(x, N, increasing)` with respect to their `x`, each row its own.

    >>> vander_slopes(np.array([2.0, 3.0]), 3)
    array([[4., 1., 0.],
           [6., 1., 0.]])
    """
    powers = np.arange(1, N)
    slopes = powers * np.vander(x, max(N - 1, 0), True)
    full = np.concatenate((np.zeros((np.shape(x)[0], min(N, 1))), slopes), axis=1)
    return full if increasing else np.flip(full, axis=1)


def ungrid(y_bars, shapes, indexing="xy"):
    """Adjoint of `np.meshgrid(*xi, indexing=indexing)` for `xi` of `shapes`, dense or sparse; None stands for zero.

    >>> ungrid([np.ones((3, 2)), None], [(2,), (3,)])
    [array([3., 3.]), array([0., 0., 0.])]
    """
    xi_bar = []
    for i, (y_bar, shape) in enumerate(zip(y_bars, shapes, strict=True)):
        if y_bar is None:
            xi_bar.append(np.zeros(shape))
            continue
        others = tuple(k for k in range(len(shapes)) if k != _own_axis(i, len(shapes), indexing))
        xi_bar.append(np.reshape(np.sum(y_bar, axis=others), shape))
    return xi_bar


def regrid(values, y_bars, indexing="xy"):
    """Adjoint of `ungrid(y_bars, shapes, indexing)`: each value spread over its axis of the grid; None stays None.

    >>> regrid([np.array([1.0, 2.0]), None], [np.zeros((3, 2)), None])[0]
    array([[1., 2.],
           [1., 2.],
           [1., 2.]])
    """
    spread = []
    for i, (value, y_bar) in enumerate(zip(values, y_bars, strict=True)):
        if value is None or y_bar is None:
            spread.append(None)
            continue
        shape = [1] * len(values)
        shape[_own_axis(i, len(values), indexing)] = -1
        spread.append(np.broadcast_to(np.reshape(value, shape), np.shape(y_bar)))
    return spread


def _own_axis(i, count, indexing):
    """The axis of the grid along which argument i of `count` varies."""
    return 1 - i if indexing == "xy" and count > 1 and i < 2 else i
