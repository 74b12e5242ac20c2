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
        own = 1 - i if indexing == "xy" and len(shapes) > 1 and i < 2 else i
        others = tuple(k for k in range(len(shapes)) if k != own)
        xi_bar.append(np.reshape(np.sum(y_bar, axis=others), shape))
    return xi_bar


def vander_slope(y_bar, x, increasing=False):
    """The sum over the columns of `y_bar` times the derivative of the columns of `np.vander(x, N, increasing)`.

    >>> vander_slope(np.ones((1, 3)), np.array([2.0]))
    array([5.])
    """
    n = y_bar.shape[1]
    powers = np.arange(n) if increasing else np.arange(n)[::-1]
    return np.sum(y_bar * powers * np.asarray(x)[:, None] ** np.maximum(powers - 1, 0), axis=1)


def polyval_coefficients(y_bar, x, degree):
    """The sums of `y_bar` times the powers `degree`, ..., 1, 0 of `x`: adjoint of the coefficients of np.polyval.

    >>> polyval_coefficients(np.ones(2), np.array([1.0, 2.0]), 2)
    array([5., 3., 2.])
    """
    sums, term = [], np.asarray(y_bar)
    for _ in range(degree + 1):
        sums.append(np.sum(term))
        term = term * x
    return np.array(sums[::-1])
