"""Adjoints of linear filters of images: the kernel is read off an impulse, boundaries are folded back.

A filter is `y[i] = sum_j h[j] x[i - j]` on the image continued beyond its edges. Its adjoint correlates with the kernel,
and adds what falls beyond the edges where the continuation took its values from.
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage, signal

_PADDING = {
    "reflect": "symmetric",
    "grid-mirror": "symmetric",
    "mirror": "reflect",
    "nearest": "edge",
    "wrap": "wrap",
    "grid-wrap": "wrap",
    "constant": "constant",
    "grid-constant": "constant",
}


def impulse_response(function, radii):
    """The kernel of a filter, on a grid of these radii around its centre.

    >>> impulse_response(lambda x: ndimage.correlate1d(x, [1.0, 2.0, 3.0], mode="constant"), (1,)).tolist()
    [3.0, 2.0, 1.0]
    """
    impulse = np.zeros([2 * r + 1 for r in radii])
    impulse[tuple(radii)] = 1.0
    return function(impulse)


def kernel_adjoint(y_bar, kernel, mode="reflect"):
    """The adjoint of the image in a filter with this kernel (odd lengths), continued by `mode` on each axis.

    >>> kernel_adjoint(np.array([1.0, 0.0]), np.array([1.0, 1.0, 1.0]), "nearest").tolist()
    [2.0, 1.0]
    """
    modes = [mode] * np.ndim(y_bar) if isinstance(mode, str) else list(mode)
    found = signal.correlate(y_bar, kernel, mode="full")
    for axis, how in enumerate(modes):
        radius = kernel.shape[axis] // 2
        if radius:
            found = _folded(found, axis, radius, np.shape(y_bar)[axis], how)
    return found


def kernel_filter(x, kernel, mode="reflect"):
    """The filter with a kernel of odd lengths, of which `kernel_adjoint` is the adjoint.

    >>> kernel_filter(np.array([1.0, 0.0]), np.array([1.0, 1.0, 1.0]), "nearest").tolist()
    [2.0, 1.0]
    """
    modes = [mode] * np.ndim(x) if isinstance(mode, str) else list(mode)
    for axis, how in enumerate(modes):
        widths = [(0, 0)] * np.ndim(x)
        widths[axis] = (kernel.shape[axis] // 2,) * 2
        x = np.pad(x, widths, _PADDING[how])
    return signal.convolve(x, kernel, mode="valid")


def _folded(extended, axis, radius, n, mode):
    moved = np.moveaxis(extended, axis, 0)
    if _PADDING[mode] == "constant":
        return np.moveaxis(moved[radius : radius + n], 0, axis)
    source = np.pad(np.arange(n), radius, _PADDING[mode])
    out = np.zeros((n, *moved.shape[1:]), moved.dtype)
    np.add.at(out, source, moved)
    return np.moveaxis(out, 0, axis)


def along(function, y_bar, axis, radius, mode="reflect"):
    """The adjoint of the image in a filter along one axis; `function` filters one line without continuation.

    >>> along(lambda x: ndimage.uniform_filter1d(x, 3, mode="constant"), np.ones(3), 0, 1, "wrap").round(9).tolist()
    [1.0, 1.0, 1.0]
    """
    kernel = impulse_response(function, (radius,))
    shape = [1] * np.ndim(y_bar)
    shape[axis] = kernel.size
    modes = ["constant"] * np.ndim(y_bar)
    modes[axis] = mode
    return kernel_adjoint(y_bar, np.reshape(kernel, shape), modes)


def gaussian_radius(sigma, truncate=4.0, radius=None):
    """The radius of SciPy's Gaussian kernels.

    >>> gaussian_radius(1.0)
    4
    """
    return int(truncate * float(sigma) + 0.5) if radius is None else int(radius)


def gaussian_adjoint(y_bar, sigma, axis, order=0, mode="reflect", truncate=4.0, radius=None):
    """The adjoint of the image in `scipy.ndimage.gaussian_filter1d`.

    >>> gaussian_adjoint(np.ones(3), 0.1, 0).tolist()
    [1.0, 1.0, 1.0]
    """

    def line(x):
        return ndimage.gaussian_filter1d(x, sigma, -1, order, mode="constant", truncate=truncate, radius=radius)

    return along(line, y_bar, axis, gaussian_radius(sigma, truncate, radius), mode)


def per_axis(value, rank):
    """A value for each axis: one for all, or a sequence.

    >>> per_axis(1.0, 2), per_axis((1, 2), 2)
    ([1.0, 1.0], [1, 2])
    """
    return [value] * rank if isinstance(value, str) or np.ndim(value) == 0 else list(value)


def gaussian_filter_adjoint(y_bar, sigma, order=0, mode="reflect", truncate=4.0):
    """The adjoint of the image in `scipy.ndimage.gaussian_filter`, one axis after the other.

    >>> gaussian_filter_adjoint(np.ones((2, 2)), 0.1).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    rank = np.ndim(y_bar)
    for axis, s, o, how in zip(
        range(rank), per_axis(sigma, rank), per_axis(order, rank), per_axis(mode, rank), strict=True
    ):
        if s > 1e-15:
            y_bar = gaussian_adjoint(y_bar, s, axis, o, how, truncate)
    return y_bar


def uniform_adjoint(y_bar, size, axis, mode="reflect", origin=0):
    """The adjoint of the image in `scipy.ndimage.uniform_filter1d`.

    >>> uniform_adjoint(np.ones(3), 1, 0).tolist()
    [1.0, 1.0, 1.0]
    """
    return along(
        lambda x: ndimage.uniform_filter1d(x, size, mode="constant", origin=origin),
        y_bar,
        axis,
        size // 2 + abs(origin) + 1,
        mode,
    )


def uniform_filter_adjoint(y_bar, size=3, mode="reflect", origin=0):
    """The adjoint of the image in `scipy.ndimage.uniform_filter`.

    >>> uniform_filter_adjoint(np.ones((2, 2)), 1).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    rank = np.ndim(y_bar)
    for axis, n, how, shift in zip(
        range(rank), per_axis(size, rank), per_axis(mode, rank), per_axis(origin, rank), strict=True
    ):
        if n > 1:
            y_bar = uniform_adjoint(y_bar, int(n), axis, how, shift)
    return y_bar


def correlate_adjoint(y_bar, weights, mode="reflect", origin=0, flipped=False):
    """The adjoint of the image in `scipy.ndimage.correlate`, or in `convolve` if `flipped`.

    >>> correlate_adjoint(np.array([1.0, 0.0]), np.array([0.0, 1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    rank = np.ndim(y_bar)
    shifts = per_axis(origin, rank)
    radii = [n // 2 + abs(s) + 1 for n, s in zip(np.shape(weights), shifts, strict=True)]
    function = ndimage.convolve if flipped else ndimage.correlate
    kernel = impulse_response(lambda x: function(x, np.asarray(weights, float), mode="constant", origin=origin), radii)
    return kernel_adjoint(y_bar, kernel, mode)


def correlate1d_adjoint(y_bar, weights, axis=-1, mode="reflect", origin=0, flipped=False):
    """The adjoint of the image in `scipy.ndimage.correlate1d`, or in `convolve1d` if `flipped`.

    >>> correlate1d_adjoint(np.array([1.0, 0.0]), np.array([0.0, 1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    function = ndimage.convolve1d if flipped else ndimage.correlate1d
    weights = np.asarray(weights, float)
    return along(
        lambda x: function(x, weights, mode="constant", origin=origin),
        y_bar,
        axis % np.ndim(y_bar),
        len(weights) // 2 + abs(origin) + 1,
        mode,
    )


def correlated(x, weights, mode="reflect", origin=0, flipped=False):
    """`scipy.ndimage.correlate`, or `convolve` if `flipped`.

    >>> correlated(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 2.0]), flipped=True).tolist()
    [3.0, 2.0, 0.0]
    """
    return (ndimage.convolve if flipped else ndimage.correlate)(x, weights, mode=mode, origin=origin)


def correlated_lines(x, weights, axis=-1, mode="reflect", origin=0, flipped=False):
    """`scipy.ndimage.correlate1d`, or `convolve1d` if `flipped`.

    >>> correlated_lines(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 2.0]), flipped=True).tolist()
    [3.0, 2.0, 0.0]
    """
    return (ndimage.convolve1d if flipped else ndimage.correlate1d)(x, weights, axis, mode=mode, origin=origin)


def weights_adjoint(y_bar, image, shape, mode="reflect", origin=0, flipped=False):
    """The adjoint of weights of this shape in `scipy.ndimage.correlate`, or in `convolve` if `flipped`.

    >>> weights_adjoint(np.array([1.0, 0.0]), np.array([3.0, 5.0]), (3,), "nearest").tolist()
    [3.0, 3.0, 5.0]
    """
    rank = np.ndim(image)
    modes, shifts = per_axis(mode, rank), per_axis(origin, rank)
    for axis, (n, how, shift) in enumerate(zip(shape, modes, shifts, strict=True)):
        before = n // 2 + shift if not flipped else (n - 1) // 2 - shift
        widths = [(0, 0)] * rank
        widths[axis] = (before, n - 1 - before)
        image = np.pad(image, widths, _PADDING[how])
    found = signal.correlate(image, y_bar, mode="valid")
    return np.flip(found) if flipped else found


def line_weights_adjoint(y_bar, image, count, axis=-1, mode="reflect", origin=0, flipped=False):
    """The adjoint of the weights in `scipy.ndimage.correlate1d`, or in `convolve1d` if `flipped`.

    >>> line_weights_adjoint(np.array([1.0, 0.0]), np.array([3.0, 5.0]), 3, -1, "nearest").tolist()
    [3.0, 3.0, 5.0]
    """
    rank = np.ndim(image)
    shape = [1] * rank
    shape[axis] = count
    origins = [0] * rank
    origins[axis] = origin
    modes = ["constant"] * rank
    modes[axis] = mode
    return np.ravel(weights_adjoint(y_bar, image, shape, modes, origins, flipped))


def stencil_adjoint(function, y_bar, mode="reflect"):
    """The adjoint of the image in a filter of the nearest neighbours (`laplace`, `sobel`, `prewitt`).

    >>> stencil_adjoint(lambda x, mode: ndimage.laplace(x, mode=mode), np.array([1.0, 0.0, 0.0])).tolist()
    [-1.0, 1.0, 0.0]
    """
    kernel = impulse_response(lambda x: function(x, "constant"), (1,) * np.ndim(y_bar))
    return kernel_adjoint(y_bar, kernel, mode)


def laplace_adjoint(y_bar, mode="reflect"):
    """The adjoint of the image in `scipy.ndimage.laplace`.

    >>> laplace_adjoint(np.array([1.0, 0.0, 0.0])).tolist()
    [-1.0, 1.0, 0.0]
    """
    return stencil_adjoint(lambda x, how: ndimage.laplace(x, mode=how), y_bar, mode)


def sobel_adjoint(y_bar, axis=-1, mode="reflect"):
    """The adjoint of the image in `scipy.ndimage.sobel`.

    >>> sobel_adjoint(np.array([0.0, 1.0, 0.0])).tolist()
    [-1.0, 0.0, 1.0]
    """
    return stencil_adjoint(lambda x, how: ndimage.sobel(x, axis, mode=how), y_bar, mode)


def prewitt_adjoint(y_bar, axis=-1, mode="reflect"):
    """The adjoint of the image in `scipy.ndimage.prewitt`.

    >>> prewitt_adjoint(np.array([0.0, 1.0, 0.0])).tolist()
    [-1.0, 0.0, 1.0]
    """
    return stencil_adjoint(lambda x, how: ndimage.prewitt(x, axis, mode=how), y_bar, mode)
