"""Rules for scipy.fft: Fourier, cosine and sine transforms. All are linear, with the conventions of numpy.fft.

A cosine or sine transform is a real matrix along each axis, whose transpose is the transform of the type that undoes it
(1 with 1, 2 with 3, 4 with 4) up to the scaling of a few entries; the adjoint applies it so.
"""

from __future__ import annotations

import numpy as np
from scipy import fft

from ...runtime.fft import (
    fftn_adjoint,
    fitted,
    ifftn_adjoint,
    irfft_adjoint,
    irfftn_adjoint,
    other_norm,
    rfft_adjoint,
    rfftn_adjoint,
)
from ...runtime.scipy.transforms import real_transform_adjoint, real_transforms_adjoint
from ..registry import inactive, rule

# ---- Fourier transforms ----


@rule(fft.fft, linear=("x",))
def fft_(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    y = fft.fft(x, n, axis, norm)
    x_bar = fitted(fft.ifft(y_bar, axis=axis, norm=other_norm(norm)), np.shape(x), (axis,))


@rule(fft.ifft, linear=("x",))
def ifft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    y = fft.ifft(x, n, axis, norm)
    x_bar = fitted(fft.fft(y_bar, axis=axis, norm=other_norm(norm)), np.shape(x), (axis,))


@rule(fft.fft2, linear=("x",))
def fft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None):
    y = fft.fft2(x, s, axes, norm)
    x_bar = fftn_adjoint(y_bar, np.shape(x), s, axes, norm)


@rule(fft.ifft2, linear=("x",))
def ifft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None):
    y = fft.ifft2(x, s, axes, norm)
    x_bar = ifftn_adjoint(y_bar, np.shape(x), s, axes, norm)


@rule(fft.fftn, linear=("x",))
def fftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    y = fft.fftn(x, s, axes, norm)
    x_bar = fftn_adjoint(y_bar, np.shape(x), s, axes, norm)


@rule(fft.ifftn, linear=("x",))
def ifftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    y = fft.ifftn(x, s, axes, norm)
    x_bar = ifftn_adjoint(y_bar, np.shape(x), s, axes, norm)


@rule(fft.rfft, linear=("x",))
def rfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    y = fft.rfft(x, n, axis, norm)
    x_bar = rfft_adjoint(y_bar, np.shape(x), n, axis, norm)


@rule(fft.irfft, linear=("x",))
def irfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    y = fft.irfft(x, n, axis, norm)
    x_bar = irfft_adjoint(y_bar, np.shape(x), n, axis, norm)


@rule(fft.rfft2, linear=("x",))
def rfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None):
    y = fft.rfft2(x, s, axes, norm)
    x_bar = rfftn_adjoint(y_bar, np.shape(x), s, axes, norm)


@rule(fft.irfft2, linear=("x",))
def irfft2(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None):
    y = fft.irfft2(x, s, axes, norm)
    x_bar = irfftn_adjoint(y_bar, np.shape(x), s, axes, norm)


@rule(fft.rfftn, linear=("x",))
def rfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    y = fft.rfftn(x, s, axes, norm)
    x_bar = rfftn_adjoint(y_bar, np.shape(x), s, axes, norm)


@rule(fft.irfftn, linear=("x",))
def irfftn(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None):
    y = fft.irfftn(x, s, axes, norm)
    x_bar = irfftn_adjoint(y_bar, np.shape(x), s, axes, norm)


@rule(fft.hfft, linear=("x",))
def hfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    y = fft.hfft(x, n, axis, norm)
    x_bar = np.conj(irfft_adjoint(y_bar, np.shape(x), n, axis, other_norm(norm)))


@rule(fft.ihfft, linear=("x",))
def ihfft(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None):
    y = fft.ihfft(x, n, axis, norm)
    x_bar = rfft_adjoint(np.conj(y_bar), np.shape(x), n, axis, other_norm(norm))


# ---- cosine and sine transforms ----


@rule(fft.dct, linear=("x",))
def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    y = fft.dct(x, type, n, axis, norm, orthogonalize=orthogonalize)
    x_bar = real_transform_adjoint(fft.dct, y_bar, np.shape(x), type, axis, norm, orthogonalize)


@rule(fft.idct, linear=("x",))
def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    y = fft.idct(x, type, n, axis, norm, orthogonalize=orthogonalize)
    x_bar = real_transform_adjoint(fft.idct, y_bar, np.shape(x), type, axis, norm, orthogonalize)


@rule(fft.dst, linear=("x",))
def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    y = fft.dst(x, type, n, axis, norm, orthogonalize=orthogonalize)
    x_bar = real_transform_adjoint(fft.dst, y_bar, np.shape(x), type, axis, norm, orthogonalize)


@rule(fft.idst, linear=("x",))
def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    y = fft.idst(x, type, n, axis, norm, orthogonalize=orthogonalize)
    x_bar = real_transform_adjoint(fft.idst, y_bar, np.shape(x), type, axis, norm, orthogonalize)


@rule(fft.dctn, linear=("x",))
def dctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, orthogonalize=None):
    y = fft.dctn(x, type, s, axes, norm, orthogonalize=orthogonalize)
    x_bar = real_transforms_adjoint(fft.dct, y_bar, np.shape(x), type, s, axes, norm, orthogonalize)


@rule(fft.idctn, linear=("x",))
def idctn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    y = fft.idctn(x, type, s, axes, norm, orthogonalize=orthogonalize)
    x_bar = real_transforms_adjoint(fft.idct, y_bar, np.shape(x), type, s, axes, norm, orthogonalize)


@rule(fft.dstn, linear=("x",))
def dstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    y = fft.dstn(x, type, s, axes, norm, orthogonalize=orthogonalize)
    x_bar = real_transforms_adjoint(fft.dst, y_bar, np.shape(x), type, s, axes, norm, orthogonalize)


@rule(fft.idstn, linear=("x",))
def idstn(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
    y = fft.idstn(x, type, s, axes, norm, orthogonalize=orthogonalize)
    x_bar = real_transforms_adjoint(fft.idst, y_bar, np.shape(x), type, s, axes, norm, orthogonalize)


inactive(fft.next_fast_len, fft.prev_fast_len)
