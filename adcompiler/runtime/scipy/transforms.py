"""Adjoints of cosine and sine transforms: the transform of the transposed matrix.

The plain matrices of types 1 and 4 are symmetric, those of 2 and 3 transposes of each other, but for the weights of the
entries at the ends, which occur once where others occur twice. With `orthogonalize` these weights are shared between
both sides, and the matrix is a multiple of an orthogonal one.
"""

from __future__ import annotations

import numpy as np
from scipy import fft

from ..fft import fitted, other_norm, transformed_axes

_TRANSPOSED = {1: 1, 2: 3, 3: 2, 4: 4}


def real_transform_adjoint(function, y_bar, shape, type=2, axis=-1, norm=None, orthogonalize=None):
    """The adjoint of an `x` of this shape in `function(x, type, n, axis, norm, orthogonalize=orthogonalize)`, with
    `function` one of `dct`, `dst`, `idct` and `idst` of scipy.fft.

    >>> real_transform_adjoint(fft.dct, np.array([1.0, 0.0]), (2,)).round(12).tolist()
    [2.0, 2.0]
    """
    orthogonalize = norm == "ortho" if orthogonalize is None else orthogonalize
    if function in (fft.idct, fft.idst):  # the other type with the other norm
        function = fft.dct if function is fft.idct else fft.dst
        type, norm = _TRANSPOSED[type], other_norm(norm)
    moved = np.moveaxis(y_bar, axis, -1)
    n = moved.shape[-1]
    period = 2 * (n + (0 if type != 1 else -1 if function is fft.dct else 1))
    if orthogonalize:
        back = fft.idct if function is fft.dct else fft.idst
        size = 1.0 if norm == "ortho" else 1.0 / period if norm == "forward" else period
        found = size * back(moved, type, norm=norm, orthogonalize=True)
    else:
        size = period**-0.5 if norm == "ortho" else 1.0 / period if norm == "forward" else 1.0
        behind, before = _weights(function, type, n)
        found = size * before * function(behind * moved, _TRANSPOSED[type], orthogonalize=False)
    return fitted(np.moveaxis(found, -1, axis), shape, (axis,))


def _weights(function, type, n):
    """Factors on both sides of the plain transform of the transposed type."""
    behind, before = np.ones(n), np.ones(n)
    if function is fft.dct and type == 1:
        before[1:-1] = 2.0
        behind[1:-1] = 0.5
    end = 0 if function is fft.dct else -1
    if type == 2:
        behind[end] = 2.0
    elif type == 3:
        before[end] = 0.5
    return behind, before


def real_transforms_adjoint(function, y_bar, shape, type=2, s=None, axes=None, norm=None, orthogonalize=None):
    """The adjoint of a transform along several axes, which is one along each of them.

    >>> real_transforms_adjoint(fft.dct, np.array([[1.0, 0.0]]), (1, 2)).round(12).tolist()
    [[4.0, 4.0]]
    """
    along = transformed_axes(len(shape), s, (axes,) if isinstance(axes, int) else axes)
    for axis in along:
        y_bar = real_transform_adjoint(function, y_bar, np.shape(y_bar), type, axis, norm, orthogonalize)
    return fitted(y_bar, shape, along)
