"""Rules for scipy.signal: convolutions and linear filters.

Filters that start from a state (`zi`) are written out. Boundaries other than zeros (`convolve2d`) have no rule.
"""

from __future__ import annotations

import numpy as np
from scipy import signal

from ...runtime.scipy.signals import (
    convolve_adjoint,
    hilbert_adjoint,
    lfilter_coefficients_adjoint,
    lfilter_input_adjoint,
    reversed_conjugate,
    savgol_adjoint,
)
from ...runtime.scipy.filters_with_state import lfilter_from, sosfilt_from
from ...runtime.scipy.zero_phase import filtfilt_adjoint, sosfiltfilt_adjoint
from ..registry import conj, rule, written_out

# ---- convolution and correlation ----


@rule(signal.convolve, multilinear=("in1", "in2"))
def convolve(in1, in2, mode="full", method="auto"):
    z = signal.convolve(in1, in2, mode, method)
    in1_bar = convolve_adjoint(z_bar, in2, np.shape(in1), mode)
    in2_bar = convolve_adjoint(z_bar, in1, np.shape(in2), mode, True)


@rule(signal.correlate, multilinear=("in1", "in2"))
def correlate(in1, in2, mode="full", method="auto"):
    z = signal.correlate(in1, in2, mode, method)
    in1_bar = convolve_adjoint(z_bar, reversed_conjugate(in2), np.shape(in1), mode)
    in2_bar = reversed_conjugate(convolve_adjoint(z_bar, in1, np.shape(in2), mode, True))


@rule(signal.fftconvolve, when={"axes": None}, multilinear=("in1", "in2"))
def fftconvolve(in1, in2, mode="full", axes=None):
    z = signal.fftconvolve(in1, in2, mode)
    in1_bar = convolve_adjoint(z_bar, in2, np.shape(in1), mode)
    in2_bar = convolve_adjoint(z_bar, in1, np.shape(in2), mode, True)


@rule(signal.oaconvolve, when={"axes": None}, multilinear=("in1", "in2"))
def oaconvolve(in1, in2, mode="full", axes=None):
    z = signal.oaconvolve(in1, in2, mode)
    in1_bar = convolve_adjoint(z_bar, in2, np.shape(in1), mode)
    in2_bar = convolve_adjoint(z_bar, in1, np.shape(in2), mode, True)


@rule(signal.convolve2d, when={"boundary": "fill", "fillvalue": 0}, multilinear=("in1", "in2"))
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    z = signal.convolve2d(in1, in2, mode)
    in1_bar = convolve_adjoint(z_bar, in2, np.shape(in1), mode)
    in2_bar = convolve_adjoint(z_bar, in1, np.shape(in2), mode, True)


@rule(signal.correlate2d, when={"boundary": "fill", "fillvalue": 0}, multilinear=("in1", "in2"))
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    z = signal.correlate2d(in1, in2, mode)
    in1_bar = convolve_adjoint(z_bar, reversed_conjugate(in2), np.shape(in1), mode, later=1)
    in2_bar = reversed_conjugate(convolve_adjoint(z_bar, in1, np.shape(in2), mode, True, 1))


# ---- filters ----

written_out(signal.lfilter, lfilter_from, given="zi")
written_out(signal.sosfilt, sosfilt_from, given="zi")


@rule(signal.lfilter, when={"zi": None})
def lfilter(b, a, x, axis=-1, zi=None):
    y = signal.lfilter(b, a, x, axis)
    b_bar = lfilter_coefficients_adjoint(y_bar, x, a, np.size(b), axis)
    a_bar = -lfilter_coefficients_adjoint(y_bar, y, a, np.size(a), axis)
    x_bar = lfilter_input_adjoint(y_bar, b, a, axis)
    y_dot = signal.lfilter(b, a, x_dot, axis) + signal.lfilter(b_dot, a, x, axis) - signal.lfilter(a_dot, a, y, axis)


@rule(signal.sosfilt, when={"zi": None}, linear=("x",))
def sosfilt(sos, x, axis=-1, zi=None):
    y = signal.sosfilt(sos, x, axis)
    x_bar = np.flip(signal.sosfilt(conj(sos), np.flip(y_bar, axis), axis), axis)


@rule(signal.filtfilt, when={"method": "pad"}, linear=("x",))
def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    y = signal.filtfilt(b, a, x, axis, padtype, padlen)
    x_bar = filtfilt_adjoint(y_bar, b, a, np.shape(x), axis, padtype, padlen)


@rule(filtfilt_adjoint, linear=("y_bar",), infer=lambda y_bar, *types, **named: y_bar)
def filtfilt_adjoint_(y_bar, b, a, shape, axis=-1, padtype="odd", padlen=None):
    x = filtfilt_adjoint(y_bar, b, a, shape, axis, padtype, padlen)
    y_bar_bar = signal.filtfilt(b, a, x_bar, axis, padtype, padlen)


@rule(signal.sosfiltfilt, linear=("x",))
def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    y = signal.sosfiltfilt(sos, x, axis, padtype, padlen)
    x_bar = sosfiltfilt_adjoint(y_bar, sos, np.shape(x), axis, padtype, padlen)


@rule(sosfiltfilt_adjoint, linear=("y_bar",), infer=lambda y_bar, *types, **named: y_bar)
def sosfiltfilt_adjoint_(y_bar, sos, shape, axis=-1, padtype="odd", padlen=None):
    x = sosfiltfilt_adjoint(y_bar, sos, shape, axis, padtype, padlen)
    y_bar_bar = signal.sosfiltfilt(np.ascontiguousarray(sos), x_bar, axis, padtype, padlen)


@rule(signal.savgol_filter, when={"mode": "interp"}, linear=("x",))
def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0):
    y = signal.savgol_filter(x, window_length, polyorder, deriv, delta, axis)
    x_bar = savgol_adjoint(y_bar, np.shape(x), window_length, polyorder, deriv, delta, axis)


@rule(savgol_adjoint, linear=("y_bar",), infer=lambda y_bar, *types, **named: y_bar)
def savgol_adjoint_(y_bar, shape, window_length, polyorder, deriv=0, delta=1.0, axis=-1):
    x = savgol_adjoint(y_bar, shape, window_length, polyorder, deriv, delta, axis)
    y_bar_bar = signal.savgol_filter(x_bar, window_length, polyorder, deriv, delta, axis)


# A projection, whose matrix is symmetric.
@rule(signal.detrend, linear=("data",))
def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    y = signal.detrend(data, axis, type, bp)
    data_bar = signal.detrend(y_bar, axis, type, bp)


@rule(signal.hilbert, when={"N": None}, linear=("x",))
def hilbert(x, N=None, axis=-1):
    y = signal.hilbert(x, axis=axis)
    x_bar = hilbert_adjoint(y_bar, axis)
