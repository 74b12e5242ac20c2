"""Adjoints of discrete Fourier transforms: the transform the other way, with what was cropped or padded undone.

The matrix of a transform is symmetric, so its adjoint is its conjugate: the inverse transform with the other norm.
"""

import numpy as np


def fitted(value, shape, axes):
    """`value` cropped, or padded with zeros at the end, to the lengths that `shape` has along `axes`.

    >>> fitted(np.array([1.0, 2.0, 3.0]), (2,), (0,)), fitted(np.array([1.0]), (2,), (0,))
    (array([1., 2.]), array([1., 0.]))
    """
    for axis in axes:
        length, wanted = np.shape(value)[axis], shape[axis]
        moved = np.moveaxis(value, axis, 0)[:wanted]
        if wanted > length:
            moved = np.concatenate((moved, np.zeros((wanted - length,) + np.shape(moved)[1:])))
        value = np.moveaxis(moved, 0, axis)
    return value


def other_norm(norm):
    """The norm with which the inverse transform is the adjoint of the transform with this norm.

    >>> other_norm(None), other_norm("ortho"), other_norm("forward")
    ('forward', 'ortho', 'backward')
    """
    return "ortho" if norm == "ortho" else "backward" if norm == "forward" else "forward"


def transformed_axes(rank, s=None, axes=None):
    """The axes of an n-dimensional transform, in its order.

    >>> transformed_axes(3), transformed_axes(3, (4, 4)), transformed_axes(3, None, (0, -1))
    ((0, 1, 2), (1, 2), (0, -1))
    """
    if axes is not None:
        return tuple(axes)
    return tuple(range(rank - (rank if s is None else len(s)), rank))


def rfft_adjoint(y_bar, shape, n=None, axis=-1, norm=None):
    """The adjoint of `np.fft.rfft(a, n, axis, norm)` for a real `a` of this shape.

    >>> rfft_adjoint(np.array([1.0, 0.0]), (2,))
    array([1., 1.])
    """
    # With zeros for the frequencies that rfft leaves out, this is the adjoint of fft.
    full = np.fft.ifft(y_bar, shape[axis] if n is None else n, axis, other_norm(norm))
    return fitted(full.real, shape, (axis,))


def irfft_adjoint(y_bar, shape, n=None, axis=-1, norm=None):
    """The adjoint of `np.fft.irfft(a, n, axis, norm)` for an `a` of this shape: frequencies between the ends count
    twice, for themselves and for their conjugates.

    >>> irfft_adjoint(np.array([3.0, 0.0, 0.0]), (2,), 3)
    array([1.+0.j, 2.+0.j])
    """
    half = np.fft.rfft(y_bar, axis=axis, norm=other_norm(norm))
    count, length = np.shape(half)[axis], np.shape(y_bar)[axis]
    k = np.arange(count)
    weights = np.where((k == 0) | (2 * k == length), 1.0, 2.0)
    return fitted(np.moveaxis(np.moveaxis(half, axis, -1) * weights, -1, axis), shape, (axis,))


def fftn_adjoint(y_bar, shape, s=None, axes=None, norm=None):
    """The adjoint of `np.fft.fftn(a, s, axes, norm)` for an `a` of this shape.

    >>> fftn_adjoint(np.array([[1.0, 0.0]]), (1, 2)).real
    array([[1., 1.]])
    """
    axes = transformed_axes(len(shape), s, axes)
    return fitted(np.fft.ifftn(y_bar, axes=axes, norm=other_norm(norm)), shape, axes)


def ifftn_adjoint(y_bar, shape, s=None, axes=None, norm=None):
    """The adjoint of `np.fft.ifftn(a, s, axes, norm)` for an `a` of this shape.

    >>> ifftn_adjoint(np.array([[2.0, 0.0]]), (1, 2)).real
    array([[1., 1.]])
    """
    axes = transformed_axes(len(shape), s, axes)
    return fitted(np.fft.fftn(y_bar, axes=axes, norm=other_norm(norm)), shape, axes)


def rfftn_adjoint(y_bar, shape, s=None, axes=None, norm=None):
    """The adjoint of `np.fft.rfftn(a, s, axes, norm)`, which is rfft along the last axis and then fft along the others.

    >>> rfftn_adjoint(np.array([[1.0, 0.0]]), (1, 2))
    array([[1., 1.]])
    """
    axes = transformed_axes(len(shape), s, axes)
    n = None if s is None or s[-1] == -1 else s[-1]
    half = list(shape)
    half[axes[-1]] = np.shape(y_bar)[axes[-1]]
    if len(axes) > 1:
        y_bar = fftn_adjoint(y_bar, half, None if s is None else s[:-1], axes[:-1], norm)
    return rfft_adjoint(y_bar, shape, n, axes[-1], norm)


def irfftn_adjoint(y_bar, shape, s=None, axes=None, norm=None):
    """The adjoint of `np.fft.irfftn(a, s, axes, norm)`, which is ifft along the first axes and irfft along the last.

    >>> irfftn_adjoint(np.array([[3.0, 0.0, 0.0]]), (1, 2), (1, 3)).real
    array([[1., 2.]])
    """
    axes = transformed_axes(len(shape), s, axes)
    half = list(np.shape(y_bar))
    half[axes[-1]] = shape[axes[-1]]
    y_bar = irfft_adjoint(y_bar, half, None, axes[-1], norm)
    return ifftn_adjoint(y_bar, shape, None, axes[:-1], norm) if len(axes) > 1 else y_bar
