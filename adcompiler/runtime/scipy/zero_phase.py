"""Filters that run forwards and backwards, so that the phase stays: `filtfilt` and `sosfiltfilt` of `scipy.signal`.

Both extend the signal at its ends, start each run from the steady state of the first value, and cut the ends off; all of
it is linear in the signal (F. Gustafsson, Determining the initial states in forward-backward filtering, 1996).
"""

from __future__ import annotations

import numpy as np
from scipy import signal


def filtfilt_adjoint(y_bar, b, a, shape, axis=-1, padtype="odd", padlen=None):
    """The adjoint of the signal, of this shape, in `scipy.signal.filtfilt(b, a, x, axis, padtype, padlen)`.

    >>> bool(np.allclose(filtfilt_adjoint(np.ones(12), np.array([1.0]), np.array([1.0, 0.0]), (12,)), 1.0))
    True
    """
    edge = _edge(padtype, 3 * max(len(np.atleast_1d(a)), len(np.atleast_1d(b))), padlen)
    b, a = np.conj(b), np.conj(a)
    start = signal.lfilter_zi(b, a)
    return _adjoint(y_bar, lambda x: signal.lfilter(b, a, x), lambda x: signal.lfilter(b, a, x, zi=start)[0], edge, shape, axis, padtype)


def sosfiltfilt_adjoint(y_bar, sos, shape, axis=-1, padtype="odd", padlen=None):
    """The adjoint of the signal, of this shape, in `scipy.signal.sosfiltfilt(sos, x, axis, padtype, padlen)`."""
    sos = np.conj(np.asarray(sos))
    taps = 2 * len(sos) + 1 - min((sos[:, 2] == 0).sum(), (sos[:, 5] == 0).sum())
    start = signal.sosfilt_zi(sos)
    return _adjoint(y_bar, lambda x: signal.sosfilt(sos, x), lambda x: signal.sosfilt(sos, x, zi=start)[0],
                    _edge(padtype, 3 * int(taps), padlen), shape, axis, padtype)


def _edge(padtype, usual, padlen):
    return 0 if padtype is None else usual if padlen is None else padlen


def _adjoint(y_bar, filtered, from_steady_state, edge, shape, axis, padtype):
    """The transposes of the steps in opposite order, along the last axis."""
    n = shape[axis]
    extended = np.zeros((*np.moveaxis(np.empty(shape), axis, -1).shape[:-1], n + 2 * edge), np.asarray(y_bar).dtype)
    extended[..., edge : edge + n] = np.moveaxis(y_bar, axis, -1)
    response = from_steady_state(np.zeros(n + 2 * edge))  # to the state alone
    for _ in range(2):
        first = np.sum(response * extended[..., ::-1], axis=-1)
        extended = filtered(extended)[..., ::-1]  # the transpose of a filter runs backwards
        extended = np.concatenate([extended[..., :1] + first[..., None], extended[..., 1:]], axis=-1)
    return np.moveaxis(_ends_folded(extended, edge, n, padtype), -1, axis)


def _ends_folded(g, edge, n, padtype):
    """The transpose of the extension at both ends."""
    left, x_bar, right = g[..., :edge], np.array(g[..., edge : edge + n]), g[..., edge + n :]
    if edge == 0:
        return x_bar
    if padtype in ("odd", "even"):
        sign = -1.0 if padtype == "odd" else 1.0
        x_bar[..., 1 : edge + 1] += sign * left[..., ::-1]
        x_bar[..., n - edge - 1 : n - 1] += sign * right[..., ::-1]
    if padtype in ("odd", "constant"):
        weight = 2.0 if padtype == "odd" else 1.0
        x_bar[..., 0] += weight * np.sum(left, axis=-1)
        x_bar[..., -1] += weight * np.sum(right, axis=-1)
    return x_bar
