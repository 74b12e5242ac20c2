"""Rules for scipy.ndimage: linear filters of images with all their boundary modes.

A filter continued by a constant other than 0 (`cval`) and filters into an array of their own (`output=`) have no rule.
The widths of Gaussian filters are constants.
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from ...runtime.scipy.images import (
    correlate1d_adjoint,
    correlate_adjoint,
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
from ..registry import inactive, rule

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


# ---- what the rules above call: differentiated again at higher order ----


@rule(kernel_adjoint, linear=("y_bar",))
def kernel_adjoint_(y_bar, kernel, mode="reflect"):
    x = kernel_adjoint(y_bar, kernel, mode)
    y_bar_bar = kernel_filter(x_bar, kernel, mode)


@rule(kernel_filter, linear=("x",))
def kernel_filter_(x, kernel, mode="reflect"):
    y = kernel_filter(x, kernel, mode)
    x_bar = kernel_adjoint(y_bar, kernel, mode)


inactive(gaussian_radius)
