"""Rules for scipy.ndimage: linear filters of images with all their boundary modes, and images between their pixels.

A filter continued by a constant other than 0 (`cval`) and filters into an array of their own (`output=`) have no rule.
The widths of Gaussian filters are constants.
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from ...ir.types import Num, Tup
from ...runtime.scipy.images import (
    correlate1d_adjoint,
    correlate_adjoint,
    correlated,
    correlated_lines,
    gaussian_adjoint,
    gaussian_filter_adjoint,
    gaussian_radius,
    kernel_adjoint,
    kernel_filter,
    laplace_adjoint,
    line_weights_adjoint,
    prewitt_adjoint,
    sobel_adjoint,
    uniform_adjoint,
    uniform_filter_adjoint,
    weights_adjoint,
)
from ...runtime.scipy.image_splines import (
    beside_axes,
    image_coefficients,
    image_coefficients_adjoint,
    image_derivatives,
    image_derivatives_adjoint,
    map_coordinates,
)
from ..registry import conj, inactive, rule, written_out


def _like_weights(y_bar, image, shape, *types, **named):
    rank = len(shape.items) if isinstance(shape, Tup) else None
    return Num("f", None, rank, True, None if rank is None else (None,) * rank)


_PLAIN = {"output": None, "cval": 0.0}


@rule(ndimage.convolve, when=_PLAIN, multilinear=("input", "weights"))
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0):
    y = ndimage.convolve(input, weights, None, mode, 0.0, origin)
    input_bar = correlate_adjoint(y_bar, weights, mode, origin, True)
    weights_bar = weights_adjoint(y_bar, input, np.shape(weights), mode, origin, True)


@rule(ndimage.convolve1d, when=_PLAIN, multilinear=("input", "weights"))
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    y = ndimage.convolve1d(input, weights, axis, None, mode, 0.0, origin)
    input_bar = correlate1d_adjoint(y_bar, weights, axis, mode, origin, True)
    weights_bar = line_weights_adjoint(y_bar, input, np.size(weights), axis, mode, origin, True)


@rule(ndimage.correlate, when=_PLAIN, multilinear=("input", "weights"))
def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0):
    y = ndimage.correlate(input, weights, None, mode, 0.0, origin)
    input_bar = correlate_adjoint(y_bar, weights, mode, origin)
    weights_bar = weights_adjoint(y_bar, input, np.shape(weights), mode, origin)


@rule(ndimage.correlate1d, when=_PLAIN, multilinear=("input", "weights"))
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    y = ndimage.correlate1d(input, weights, axis, None, mode, 0.0, origin)
    input_bar = correlate1d_adjoint(y_bar, weights, axis, mode, origin)
    weights_bar = line_weights_adjoint(y_bar, input, np.size(weights), axis, mode, origin)


@rule(ndimage.gaussian_filter, when=_PLAIN, linear=("input",))
def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0):
    y = ndimage.gaussian_filter(input, sigma, order, None, mode, 0.0, truncate)
    input_bar = gaussian_filter_adjoint(y_bar, sigma, order, mode, truncate)


@rule(ndimage.gaussian_filter1d, when=_PLAIN, linear=("input",))
def gaussian_filter1d(
    input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None
):
    y = ndimage.gaussian_filter1d(input, sigma, axis, order, None, mode, 0.0, truncate, radius=radius)
    input_bar = gaussian_adjoint(y_bar, sigma, axis, order, mode, truncate, radius)


@rule(ndimage.laplace, when=_PLAIN, linear=("input",))
def laplace(input, output=None, mode="reflect", cval=0.0):
    y = ndimage.laplace(input, None, mode)
    input_bar = laplace_adjoint(y_bar, mode)


@rule(ndimage.prewitt, when=_PLAIN, linear=("input",))
def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    y = ndimage.prewitt(input, axis, None, mode)
    input_bar = prewitt_adjoint(y_bar, axis, mode)


@rule(ndimage.sobel, when=_PLAIN, linear=("input",))
def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    y = ndimage.sobel(input, axis, None, mode)
    input_bar = sobel_adjoint(y_bar, axis, mode)


@rule(ndimage.uniform_filter, when=_PLAIN, linear=("input",))
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0):
    y = ndimage.uniform_filter(input, size, None, mode, 0.0, origin)
    input_bar = uniform_filter_adjoint(y_bar, size, mode, origin)


@rule(ndimage.uniform_filter1d, when=_PLAIN, linear=("input",))
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    y = ndimage.uniform_filter1d(input, size, axis, None, mode, 0.0, origin)
    input_bar = uniform_adjoint(y_bar, size, axis, mode, origin)


# ---- images between their pixels: see runtime.scipy.image_splines ----

written_out(ndimage.map_coordinates, map_coordinates)


def _like_shape(bar, shape, *types, **named):
    rank = len(shape.items) if isinstance(shape, Tup) else None
    return Num(bar.kind if isinstance(bar, Num) else "f", None, rank, True, None if rank is None else (None,) * rank)


@rule(image_coefficients)
def image_coefficients_(image, order=3, mode="constant", cval=0.0, prefilter=True):
    c = image_coefficients(image, order, mode, cval, prefilter)
    image_bar = image_coefficients_adjoint(c_bar, np.shape(image), order, mode, prefilter)
    c_dot = image_coefficients(image_dot, order, mode, 0.0, prefilter)


@rule(image_coefficients_adjoint, linear=("c_bar",), infer=_like_shape)
def image_coefficients_adjoint_(c_bar, shape, order=3, mode="constant", prefilter=True):
    image = image_coefficients_adjoint(c_bar, shape, order, mode, prefilter)
    c_bar_bar = image_coefficients(image_bar, order, mode, 0.0, prefilter)


def _derivatives(c, x, *types, **named):
    """An axis for each derivative, whose number only the run tells; none in front of values."""
    rank = x.rank - 1 if isinstance(x, Num) and x.rank is not None and len(types) < 5 and "depth" not in named else None
    return Num(c.kind if isinstance(c, Num) else "f", None, rank, True, None if rank is None else (None,) * rank)


@rule(image_derivatives, infer=_derivatives)
def image_derivatives_(c, x, order=3, mode="constant", cval=0.0, margin=0, depth=0):
    y = image_derivatives(c, x, order, mode, cval, margin, depth)
    c_bar = image_derivatives_adjoint(y_bar, np.shape(c), x, order, mode, margin, depth)
    slopes = image_derivatives(c, x, order, mode, cval, margin, depth + 1)
    x_bar = np.sum(y_bar * conj(slopes), axis=tuple(range(1, depth + 1)))
    moved = np.sum(beside_axes(x_dot, depth) * slopes, axis=0)
    y_dot = image_derivatives(c_dot, x, order, mode, 0.0, margin, depth) + moved


@rule(image_derivatives_adjoint, infer=_like_shape)
def image_derivatives_adjoint_(y_bar, shape, x, order=3, mode="constant", margin=0, depth=0):
    c = image_derivatives_adjoint(y_bar, shape, x, order, mode, margin, depth)
    y_bar_bar = image_derivatives(c_bar, x, order, mode, 0.0, margin, depth)
    slopes = image_derivatives(c_bar, x, order, mode, 0.0, margin, depth + 1)
    x_bar = np.sum(conj(y_bar) * slopes, axis=tuple(range(1, depth + 1)))
    moved = image_derivatives_adjoint(beside_axes(x_dot, depth) * y_bar, shape, x, order, mode, margin, depth + 1)
    c_dot = image_derivatives_adjoint(y_bar_dot, shape, x, order, mode, margin, depth) + moved


# ---- what the rules above call: differentiated again at higher order ----


@rule(kernel_adjoint, linear=("y_bar",))
def kernel_adjoint_(y_bar, kernel, mode="reflect"):
    x = kernel_adjoint(y_bar, kernel, mode)
    y_bar_bar = kernel_filter(x_bar, kernel, mode)


@rule(kernel_filter, linear=("x",))
def kernel_filter_(x, kernel, mode="reflect"):
    y = kernel_filter(x, kernel, mode)
    x_bar = kernel_adjoint(y_bar, kernel, mode)


@rule(correlate_adjoint, multilinear=("y_bar", "weights"))
def correlate_adjoint_(y_bar, weights, mode="reflect", origin=0, flipped=False):
    x = correlate_adjoint(y_bar, weights, mode, origin, flipped)
    y_bar_bar = correlated(x_bar, weights, mode, origin, flipped)
    weights_bar = weights_adjoint(y_bar, x_bar, np.shape(weights), mode, origin, flipped)


@rule(weights_adjoint, multilinear=("y_bar", "image"), infer=_like_weights)
def weights_adjoint_(y_bar, image, shape, mode="reflect", origin=0, flipped=False):
    w = weights_adjoint(y_bar, image, shape, mode, origin, flipped)
    y_bar_bar = correlated(image, w_bar, mode, origin, flipped)
    image_bar = correlate_adjoint(y_bar, w_bar, mode, origin, flipped)


@rule(correlated, multilinear=("x", "weights"))
def correlated_(x, weights, mode="reflect", origin=0, flipped=False):
    y = correlated(x, weights, mode, origin, flipped)
    x_bar = correlate_adjoint(y_bar, weights, mode, origin, flipped)
    weights_bar = weights_adjoint(y_bar, x, np.shape(weights), mode, origin, flipped)


@rule(correlate1d_adjoint, multilinear=("y_bar", "weights"))
def correlate1d_adjoint_(y_bar, weights, axis=-1, mode="reflect", origin=0, flipped=False):
    x = correlate1d_adjoint(y_bar, weights, axis, mode, origin, flipped)
    y_bar_bar = correlated_lines(x_bar, weights, axis, mode, origin, flipped)
    weights_bar = line_weights_adjoint(y_bar, x_bar, np.size(weights), axis, mode, origin, flipped)


@rule(line_weights_adjoint, multilinear=("y_bar", "image"), infer=lambda *types, **named: Num("f", None, 1, True, (None,)))
def line_weights_adjoint_(y_bar, image, count, axis=-1, mode="reflect", origin=0, flipped=False):
    w = line_weights_adjoint(y_bar, image, count, axis, mode, origin, flipped)
    y_bar_bar = correlated_lines(image, w_bar, axis, mode, origin, flipped)
    image_bar = correlate1d_adjoint(y_bar, w_bar, axis, mode, origin, flipped)


@rule(correlated_lines, multilinear=("x", "weights"))
def correlated_lines_(x, weights, axis=-1, mode="reflect", origin=0, flipped=False):
    y = correlated_lines(x, weights, axis, mode, origin, flipped)
    x_bar = correlate1d_adjoint(y_bar, weights, axis, mode, origin, flipped)
    weights_bar = line_weights_adjoint(y_bar, x, np.size(weights), axis, mode, origin, flipped)


@rule(gaussian_filter_adjoint, linear=("y_bar",))
def gaussian_filter_adjoint_(y_bar, sigma, order=0, mode="reflect", truncate=4.0):
    x = gaussian_filter_adjoint(y_bar, sigma, order, mode, truncate)
    y_bar_bar = ndimage.gaussian_filter(x_bar, sigma, order, None, mode, 0.0, truncate)


@rule(laplace_adjoint, linear=("y_bar",))
def laplace_adjoint_(y_bar, mode="reflect"):
    x = laplace_adjoint(y_bar, mode)
    y_bar_bar = ndimage.laplace(x_bar, None, mode)


@rule(prewitt_adjoint, linear=("y_bar",))
def prewitt_adjoint_(y_bar, axis=-1, mode="reflect"):
    x = prewitt_adjoint(y_bar, axis, mode)
    y_bar_bar = ndimage.prewitt(x_bar, axis, None, mode)


@rule(sobel_adjoint, linear=("y_bar",))
def sobel_adjoint_(y_bar, axis=-1, mode="reflect"):
    x = sobel_adjoint(y_bar, axis, mode)
    y_bar_bar = ndimage.sobel(x_bar, axis, None, mode)


@rule(uniform_filter_adjoint, linear=("y_bar",))
def uniform_filter_adjoint_(y_bar, size=3, mode="reflect", origin=0):
    x = uniform_filter_adjoint(y_bar, size, mode, origin)
    y_bar_bar = ndimage.uniform_filter(x_bar, size, None, mode, 0.0, origin)


inactive(gaussian_radius)
