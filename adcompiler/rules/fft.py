"""Rules of discrete Fourier transforms (numpy.fft). All are linear; what a transform ignores has the adjoint 0: the
imaginary part of a real transform's argument, and the imaginary parts of the frequencies at the ends for irfft."""

from __future__ import annotations

import numpy as np

from ..ir.types import Num
from ..runtime.fft import (
    fftn_adjoint,
    fitted,
    ifftn_adjoint,
    irfft_adjoint,
    irfftn_adjoint,
    other_norm,
    rfft_adjoint,
    rfftn_adjoint,
    transformed_axes,
)
from .registry import inactive, is_real, rule

def _like_first(value, *types, **named):
    """An array like the first argument, of other extents."""
    if not isinstance(value, Num):
        return Num("?")
    return Num(value.kind, value.dtype, value.rank, True, None if value.rank is None else (None,) * value.rank)


@rule(fitted, alias="maybe", alias_of="value", linear=("value",), infer=_like_first)
def fitted_(value, shape, axes):
    y = fitted(value, shape, axes)
    value_bar = fitted(y_bar, np.shape(value), axes)


# ---- standard transforms ----------------------------------------------------------------------------------------


@rule(np.fft.fft, linear=("a",))
def fft(a, n=None, axis=-1, norm=None):
    y = np.fft.fft(a, n, axis, norm)
    a_bar = (
        np.fft.ifft(y_bar, axis=axis, norm="forward")
        if n is None and norm is None
        else fitted(np.fft.ifft(y_bar, axis=axis, norm=other_norm(norm)), np.shape(a), (axis,))
    )


@rule(np.fft.ifft, linear=("a",))
def ifft(a, n=None, axis=-1, norm=None):
    y = np.fft.ifft(a, n, axis, norm)
    a_bar = (
        np.fft.fft(y_bar, axis=axis, norm="forward")
        if n is None and norm is None
        else fitted(np.fft.fft(y_bar, axis=axis, norm=other_norm(norm)), np.shape(a), (axis,))
    )


@rule(np.fft.fft2, linear=("a",))
def fft2(a, s=None, axes=(-2, -1), norm=None):
    y = np.fft.fft2(a, s, axes, norm)
    a_bar = fftn_adjoint(y_bar, np.shape(a), s, axes, norm)


@rule(np.fft.ifft2, linear=("a",))
def ifft2(a, s=None, axes=(-2, -1), norm=None):
    y = np.fft.ifft2(a, s, axes, norm)
    a_bar = ifftn_adjoint(y_bar, np.shape(a), s, axes, norm)


@rule(np.fft.fftn, linear=("a",))
def fftn(a, s=None, axes=None, norm=None):
    y = np.fft.fftn(a, s, axes, norm)
    a_bar = fftn_adjoint(y_bar, np.shape(a), s, axes, norm)


@rule(np.fft.ifftn, linear=("a",))
def ifftn(a, s=None, axes=None, norm=None):
    y = np.fft.ifftn(a, s, axes, norm)
    a_bar = ifftn_adjoint(y_bar, np.shape(a), s, axes, norm)


# ---- transforms of real data ------------------------------------------------------------------------------------


@rule(np.fft.rfft, linear=("a",))
def rfft(a, n=None, axis=-1, norm=None):
    y = np.fft.rfft(a, n, axis, norm)
    a_bar = rfft_adjoint(y_bar, np.shape(a), n, axis, norm)


@rule(np.fft.irfft, linear=("a",))
def irfft(a, n=None, axis=-1, norm=None):
    y = np.fft.irfft(a, n, axis, norm)
    a_bar = np.real(irfft_adjoint(y_bar, np.shape(a), n, axis, norm)) if is_real(a) else irfft_adjoint(y_bar, np.shape(a), n, axis, norm)


@rule(np.fft.rfft2, linear=("a",))
def rfft2(a, s=None, axes=(-2, -1), norm=None):
    y = np.fft.rfft2(a, s, axes, norm)
    a_bar = rfftn_adjoint(y_bar, np.shape(a), s, axes, norm)


@rule(np.fft.irfft2, linear=("a",))
def irfft2(a, s=None, axes=(-2, -1), norm=None):
    y = np.fft.irfft2(a, s, axes, norm)
    a_bar = np.real(irfftn_adjoint(y_bar, np.shape(a), s, axes, norm)) if is_real(a) else irfftn_adjoint(y_bar, np.shape(a), s, axes, norm)


@rule(np.fft.rfftn, linear=("a",))
def rfftn(a, s=None, axes=None, norm=None):
    y = np.fft.rfftn(a, s, axes, norm)
    a_bar = rfftn_adjoint(y_bar, np.shape(a), s, axes, norm)


@rule(np.fft.irfftn, linear=("a",))
def irfftn(a, s=None, axes=None, norm=None):
    y = np.fft.irfftn(a, s, axes, norm)
    a_bar = np.real(irfftn_adjoint(y_bar, np.shape(a), s, axes, norm)) if is_real(a) else irfftn_adjoint(y_bar, np.shape(a), s, axes, norm)


# ---- transforms of Hermitian data: hfft(a) is irfft(conj(a)) with the other norm --------------------------------


@rule(np.fft.hfft, linear=("a",))
def hfft(a, n=None, axis=-1, norm=None):
    y = np.fft.hfft(a, n, axis, norm)
    a_conj = irfft_adjoint(y_bar, np.shape(a), n, axis, other_norm(norm))
    a_bar = np.real(a_conj) if is_real(a) else np.conj(a_conj)


@rule(np.fft.ihfft, linear=("a",))
def ihfft(a, n=None, axis=-1, norm=None):
    y = np.fft.ihfft(a, n, axis, norm)
    a_bar = rfft_adjoint(np.conj(y_bar), np.shape(a), n, axis, other_norm(norm))


# ---- frequencies and shifts -------------------------------------------------------------------------------------


@rule(np.fft.fftfreq)
def fftfreq(n, d=1.0, device=None):
    y = np.fft.fftfreq(n, d)
    d_bar = -np.sum(y_bar * y) / d
    y_dot = -y * (d_dot / d)


@rule(np.fft.rfftfreq)
def rfftfreq(n, d=1.0, device=None):
    y = np.fft.rfftfreq(n, d)
    d_bar = -np.sum(y_bar * y) / d
    y_dot = -y * (d_dot / d)


@rule(np.fft.fftshift, linear=("x",))
def fftshift(x, axes=None):
    y = np.fft.fftshift(x, axes)
    x_bar = np.fft.ifftshift(y_bar, axes)


@rule(np.fft.ifftshift, linear=("x",))
def ifftshift(x, axes=None):
    y = np.fft.ifftshift(x, axes)
    x_bar = np.fft.fftshift(y_bar, axes)


inactive(other_norm, transformed_axes)
