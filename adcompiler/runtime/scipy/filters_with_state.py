"""Linear filters that start from a given state and give the last one, in operations that have rules.

In the transposed direct form the state at the start adds to the output as if it were a part of the numerator's response:
with `a[0] = 1`, `A Y = B X + Z`; and what is left when the input ends is what the input and the output would still add.
"""

from __future__ import annotations

import numpy as np
from scipy import signal


def lfilter_from(b, a, x, axis=-1, zi=None):
    """`scipy.signal.lfilter(b, a, x, axis, zi)`: the output and the last state.

    >>> b, a, x, zi = np.array([1.0, 2.0]), np.array([1.0, -0.5]), np.array([1.0, 0.0, 3.0]), np.array([0.4])
    >>> y, zf = lfilter_from(b, a, x, zi=zi)
    >>> want, last = signal.lfilter(b, a, x, zi=zi)
    >>> bool(np.allclose(y, want) and np.allclose(zf, last))
    True
    """
    b, a, x, zi = np.atleast_1d(np.asarray(b)), np.atleast_1d(np.asarray(a)), np.asarray(x), np.asarray(zi)
    b, a = b / a[0], a / a[0]
    x, zi = np.moveaxis(x, axis, -1), np.moveaxis(zi, axis, -1)
    n, order = x.shape[-1], max(len(a), len(b)) - 1
    if n == 0:
        raise ValueError("of a filter without samples SciPy gives a last state of zeros; pass at least one sample")
    if zi.shape[-1] != order:
        raise ValueError(f"zi has {zi.shape[-1]} entries along the axis, and a filter of order {order} has as many")
    b = np.concatenate([b, np.zeros(order + 1 - len(b))])
    a = np.concatenate([a, np.zeros(order + 1 - len(a))])
    beyond = np.zeros((*x.shape[:-1], order))
    driven = np.concatenate([x, beyond], axis=-1)
    started = np.concatenate([zi + beyond, np.zeros(x.shape)], axis=-1)
    y = (signal.lfilter(b, a, driven) + signal.lfilter(np.ones(1), a, started))[..., :n]
    # The state is what would still come out without the terms of the outputs that are yet to come.
    left = signal.lfilter(b, np.ones(1), driven) - signal.lfilter(
        a - np.eye(order + 1)[0], np.ones(1), np.concatenate([y, beyond], axis=-1)
    )
    last = (left + started)[..., n:]
    return np.moveaxis(y, -1, axis), np.moveaxis(last, -1, axis)


def sosfilt_from(sos, x, axis=-1, zi=None):
    """`scipy.signal.sosfilt(sos, x, axis, zi)`: the output and the last state of each section.

    >>> sos, x = np.array([[1.0, 2.0, 0.5, 1.0, -0.5, 0.1]]), np.array([1.0, 0.0, 3.0])
    >>> y, zf = sosfilt_from(sos, x, zi=np.array([[0.4, 0.2]]))
    >>> bool(np.allclose(y, signal.sosfilt(sos, x, zi=np.array([[0.4, 0.2]]))[0])) and zf.shape
    (1, 2)
    """
    last = []
    for k in range(len(sos)):
        x, state = lfilter_from(sos[k, :3], sos[k, 3:], x, axis, zi[k])
        last.append(state)
    return x, np.stack(last)
