"""Adjoints of convolutions and of linear filters of signals."""

from __future__ import annotations

import numpy as np
from scipy import signal

from .images import correlate1d_adjoint


def embedded(z_bar, shape, other, mode, later=0):
    """The adjoint of the full convolution of arrays of two shapes, of which `mode` keeps a part.

    Where the middle lies between two entries, "same" takes the first one, or with `later` the second.

    >>> embedded(np.array([1.0]), (2,), (2,), "valid").tolist()
    [0.0, 1.0, 0.0]
    """
    if mode == "full":
        return z_bar
    full = np.zeros([m + n - 1 for m, n in zip(shape, other, strict=True)], np.result_type(z_bar))
    starts = [(n - 1 + later) // 2 if mode == "same" else min(m, n) - 1 for m, n in zip(shape, other, strict=True)]
    full[tuple(slice(s, s + k) for s, k in zip(starts, np.shape(z_bar), strict=True))] = z_bar
    return full


def convolve_adjoint(z_bar, other, shape, mode="full", swapped=False, later=0):
    """The adjoint of one array of this shape in the convolution with another; `swapped` if it is the second one.

    >>> convolve_adjoint(np.array([1.0, 0.0, 0.0]), np.array([2.0, 3.0]), (2,)).tolist()
    [2.0, 0.0]
    """
    full = embedded(z_bar, *((np.shape(other), shape) if swapped else (shape, np.shape(other))), mode, later)
    return signal.correlate(full, other, mode="valid")


def reversed_conjugate(a):
    """An array with every axis reversed, and conjugated: a correlation is a convolution with it.

    >>> reversed_conjugate(np.array([1.0, 2.0])).tolist()
    [2.0, 1.0]
    """
    return np.conj(np.flip(a))


def lfilter_input_adjoint(y_bar, b, a, axis=-1):
    """The adjoint of `x` in `scipy.signal.lfilter(b, a, x, axis)`: the filter run backwards.

    >>> lfilter_input_adjoint(np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.array([1.0])).tolist()
    [2.0, 1.0]
    """
    return np.flip(signal.lfilter(np.conj(b), np.conj(a), np.flip(y_bar, axis), axis), axis)


def lfilter_coefficients_adjoint(y_bar, z, a, count, axis=-1):
    """The adjoint of `count` coefficients of the numerator with the input `z`; of the denominator, with minus the output.

    From `A Y = B X` follows `dY = (dB X - dA Y) / A`.

    >>> lfilter_coefficients_adjoint(np.array([1.0, 1.0]), np.array([1.0, 3.0]), np.array([1.0]), 2).tolist()
    [4.0, 1.0]
    """
    whole = np.moveaxis(signal.lfilter([1.0], a, z, axis), axis, -1)
    given = np.moveaxis(y_bar, axis, -1)
    n = given.shape[-1]
    return np.array(
        [np.sum(given[..., k:] * np.conj(whole[..., : n - k])) if k < n else 0.0 * np.sum(given) for k in range(count)]
    )


def savgol_adjoint(y_bar, shape, window_length, polyorder, deriv=0, delta=1.0, axis=-1):
    """The adjoint of `x` in `scipy.signal.savgol_filter` with the mode "interp".

    Inside it is a convolution; at the ends, as many values as half a window are those of a polynomial that is fitted to
    the first or the last window.

    >>> savgol_adjoint(np.ones(3), (3,), 3, 2).round(12).tolist()
    [1.0, 1.0, 1.0]
    """
    moved = np.moveaxis(y_bar, axis, 0)
    half = window_length // 2
    n = shape[axis]
    inner = np.array(moved)
    inner[:half] = 0.0
    inner[n - half :] = 0.0
    weights = signal.savgol_coeffs(window_length, polyorder, deriv=deriv, delta=delta)
    found = np.reshape(correlate1d_adjoint(inner, weights, 0, "constant", flipped=True), (n, -1))
    ends = signal.savgol_filter(np.eye(window_length), window_length, polyorder, deriv, delta, axis=0, mode="interp")
    rest = np.reshape(moved, (n, -1))
    if half:
        found[:window_length] += ends[:half].T @ rest[:half]
        found[n - window_length :] += ends[window_length - half :].T @ rest[n - half :]
    return np.moveaxis(np.reshape(found, moved.shape), 0, axis)


def hilbert_adjoint(y_bar, axis=-1):
    """The adjoint of a real `x` in `scipy.signal.hilbert(x, axis=axis)`.

    >>> hilbert_adjoint(np.array([1.0 + 0j, 0.0])).tolist()
    [1.0, 0.0]
    """
    moved = np.moveaxis(y_bar, axis, -1)
    n = moved.shape[-1]
    keep = np.zeros(n)
    keep[0] = 1.0
    keep[1 : (n + 1) // 2] = 2.0
    if n % 2 == 0:
        keep[n // 2] = 1.0
    found = np.fft.ifft(np.fft.fft(moved) * keep).real
    return np.moveaxis(found, -1, axis)
