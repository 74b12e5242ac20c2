"""Images between their pixels: `scipy.ndimage.map_coordinates` with respect to the image and to the coordinates.

An image is a spline `sum_j c[j] B(x - j)` of its coefficients `c`, which are the image itself up to order 1 and come of a
recursive filter above (Unser, Aldroubi and Eden 1993, doi:10.1109/78.193220). It is linear in them. Derivatives in the
coordinates are splines of the same coefficients: all of one order are one array, `image_derivatives(c, x, ...,
depth=d)[a, b, ...]` in the directions of the axes a, b, ..., so that these arrays and their adjoints are closed under
differentiation. Where a slope jumps (the pixels of order 1, the edge of the image) it is the one to the right.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy import ndimage

from ...errors import UnsupportedSyntaxError

# By how many pixels SciPy continues an image before it filters it, where the filter knows no exact boundary.
_MARGIN = 12
_MARGINS = {"nearest": "edge", "grid-constant": "constant"}
# Up to this length the adjoint of the filter is that of its matrix.
_SHORT = 64


def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """`scipy.ndimage.map_coordinates`, as it is differentiated.

    >>> map_coordinates(np.array([0.0, 1.0, 4.0]), np.array([[0.5, 1.5]]), order=1).tolist()
    [0.5, 2.5]
    """
    if output is not None:
        raise UnsupportedSyntaxError(
            "scipy.ndimage.map_coordinates has a derivative without output=", hint="leave it out, and convert the result"
        )
    if input.dtype.kind not in "fc":
        raise UnsupportedSyntaxError(
            "scipy.ndimage.map_coordinates rounds to integers where the image holds integers",
            hint="pass image.astype(float)",
        )
    c = image_coefficients(input, order, mode, cval, prefilter)
    values = image_derivatives(c, np.asarray(coordinates), order, mode, cval, margin_of(order, mode, prefilter))
    return values.astype(input.dtype)


def margin_of(order, mode, prefilter):
    """By how many pixels the image is continued.

    >>> margin_of(3, "nearest", True), margin_of(3, "reflect", True)
    (12, 0)
    """
    return _MARGIN if prefilter and order > 1 and mode in _MARGINS else 0


def image_coefficients(image, order=3, mode="constant", cval=0.0, prefilter=True):
    """The coefficients of the spline through an image, which SciPy continues beyond its edges for some modes.

    >>> image_coefficients(np.array([0.0, 1.0, 0.0]), 3, "mirror").round(9).tolist()
    [-1.0, 2.0, -1.0]
    """
    if not prefilter or order < 2:
        return np.array(image)
    if mode in _MARGINS:
        filling = {"constant_values": cval} if mode == "grid-constant" else {}
        image = np.pad(image, _MARGIN, _MARGINS[mode], **filling)
    return ndimage.spline_filter(image, order, complex if np.iscomplexobj(image) else float, mode)


def image_coefficients_adjoint(c_bar, shape, order=3, mode="constant", prefilter=True):
    """The adjoint of an image of this shape in the coefficients of its spline.

    >>> image_coefficients_adjoint(np.array([0.0, 1.0, 0.0]), (3,), 3, "mirror").round(9).tolist()
    [-0.5, 2.0, -0.5]
    """
    if not prefilter or order < 2:
        return np.array(c_bar)
    bar = np.array(c_bar, complex if np.iscomplexobj(c_bar) else float)
    for axis in range(bar.ndim):
        bar = np.moveaxis(_filter_adjoint(np.moveaxis(bar, axis, 0), order, mode), 0, axis)
    return _folded(bar, shape, mode) if mode in _MARGINS else bar


def _filter_adjoint(bar, order, mode):
    """The adjoint of `scipy.ndimage.spline_filter1d` along the first axis.

    The samples of a spline at the pixels are a symmetric matrix times its coefficients, but that an image mirrored about
    its last pixels has these once and all others twice. On short lines SciPy starts its filter near enough only.
    """
    n = len(bar)
    if n == 1:
        return bar
    if n <= _SHORT:
        return np.tensordot(ndimage.spline_filter1d(np.eye(n), order, 0, float, mode), bar, ((0,), (0,)))
    ends = [0, -1] if mode not in ("reflect", "grid-mirror", "grid-wrap", "nearest") else []
    bar[ends] *= 2.0
    bar = ndimage.spline_filter1d(bar, order, 0, bar.dtype, mode)
    bar[ends] *= 0.5
    return bar


def _folded(bar, shape, mode):
    """The adjoint of `numpy.pad` by the margin."""
    for axis, n in enumerate(shape):
        moved = np.moveaxis(bar, axis, 0)
        inside = moved[_MARGIN : _MARGIN + n].copy()
        if mode == "nearest":
            inside[0] += np.sum(moved[:_MARGIN], axis=0)
            inside[-1] += np.sum(moved[_MARGIN + n :], axis=0)
        bar = np.moveaxis(inside, 0, axis)
    return bar


def image_derivatives(c, x, order=3, mode="constant", cval=0.0, margin=0, depth=0):
    """All derivatives of one order, `depth`, of a spline with coefficients `c` at the points `x[axis, ...]`.

    Shape: an axis of the image's rank for each derivative, then the points.

    >>> image_derivatives(np.array([0.0, 1.0, 4.0]), np.array([[0.5, 1.5]]), 1, depth=1).tolist()
    [[1.0, 3.0]]
    """
    x = np.asarray(x, float) + margin
    if depth == 0:
        return ndimage.map_coordinates(c, x, None, order, mode, cval, False)
    rank, points = len(x), x.shape[1:]
    made = {}
    for axes in itertools.combinations_with_replacement(range(rank), depth):
        total = np.zeros(np.prod(points, dtype=int), np.result_type(c.dtype, float))
        for index, weight, inside in _corners(x, c.shape, order, mode, axes):
            total += weight * (c[index] if inside is None else np.where(inside, c[index], cval))
        made[axes] = np.reshape(total, points)
    every = [made[tuple(sorted(axes))] for axes in itertools.product(range(rank), repeat=depth)]
    return np.reshape(np.stack(every), (rank,) * depth + points)


def image_derivatives_adjoint(y_bar, shape, x, order=3, mode="constant", margin=0, depth=0):
    """The adjoint of coefficients of this shape in `image_derivatives`.

    >>> image_derivatives_adjoint(np.ones(1), (3,), np.array([[0.25]]), 1).tolist()
    [0.75, 0.25, 0.0]
    """
    x = np.asarray(x, float) + margin
    y_bar = np.asarray(y_bar)
    out = np.zeros(shape, np.result_type(y_bar.dtype, float))
    for axes in itertools.product(range(len(x)), repeat=depth):
        seeds = np.ravel(y_bar[axes])
        for index, weight, inside in _corners(x, shape, order, mode, axes):
            np.add.at(out, index, seeds * (weight if inside is None else weight * inside))
    return out


def beside_axes(x_dot, depth):
    """A tangent of points with room for the axes of derivatives behind the first.

    >>> beside_axes(np.ones((2, 5)), 1).shape
    (2, 1, 5)
    """
    return np.reshape(x_dot, np.shape(x_dot)[:1] + (1,) * depth + np.shape(x_dot)[1:])


def _corners(x, shape, order, mode, axes):
    """For each coefficient beside the points: its index, its weight, and whether it lies inside (None: always).

    The weights are those of the derivative along `axes`.
    """
    rows = [_taps(np.ravel(x[a]), n, order, mode, axes.count(a)) for a, n in enumerate(shape)]
    bordered = mode == "grid-constant"
    for taps in itertools.product(range(order + 1), repeat=len(shape)):
        weight = np.prod([row[1][tap] for row, tap in zip(rows, taps, strict=True)], axis=0)
        inside = np.all([row[2][tap] for row, tap in zip(rows, taps, strict=True)], axis=0) if bordered else None
        yield tuple(row[0][tap] for row, tap in zip(rows, taps, strict=True)), weight, inside


def _taps(x, n, order, mode, derivative):
    """The coefficients beside points on one axis: indices, weights, and which lie inside; the first axis counts them."""
    place, slope = _place(x, n, mode)
    below = np.floor(place + (0.5 if order % 2 == 0 else 0.0))
    within = place - below + (0.5 if order % 2 == 0 else 0.0)
    weights = spline_weights(within, order, derivative) * slope**derivative
    index = below.astype(int) - order // 2 + np.arange(order + 1)[:, np.newaxis]
    if mode == "constant":
        weights = np.where((x < 0.0) | (x > n - 1), 0.0, weights)
    inside = (index >= 0) & (index < n)
    return _index(index, n, mode), weights, inside


def spline_weights(u, order, derivative=0):
    """The cardinal splines of an order that are not 0 at `u` in [0, 1], or a derivative of them; the last one begins there.

    >>> spline_weights(np.array([0.25]), 1).ravel().tolist(), spline_weights(np.array([0.25]), 1, 1).ravel().tolist()
    ([0.75, 0.25], [-1.0, 1.0])
    """
    if derivative > order:
        return np.zeros((order + 1, len(u)))
    found = np.ones((1, len(u)))
    for k in range(1, order - derivative + 1):
        j = np.arange(k + 1)[:, np.newaxis]
        before, behind = np.pad(found, ((1, 0), (0, 0))), np.pad(found, ((0, 1), (0, 0)))
        found = ((u + k - j) * before + (1.0 - u + j) * behind) / k
    for _ in range(derivative):
        found = np.pad(found, ((1, 0), (0, 0))) - np.pad(found, ((0, 1), (0, 0)))
    return found


def _place(x, n, mode):
    """Where SciPy reads an axis of length `n` for the coordinates `x`, and the slope of this place."""
    one = np.ones(np.shape(x))
    if mode == "constant":
        return np.clip(x, 0.0, n - 1.0), one
    if mode in ("nearest", "grid-constant"):
        return x, one
    if mode == "wrap":
        return (x, one) if n == 1 else (np.where((x < 0.0) | (x > n - 1), np.mod(x, n - 1.0), x), one)
    if mode == "grid-wrap":
        return np.mod(x, float(n)), one
    if n == 1:
        return 0.0 * x, 0.0 * one
    centre = 0.0 if mode == "mirror" else -0.5
    period = 2.0 * n - (2.0 if mode == "mirror" else 0.0)
    far = np.mod(x - centre, period)
    turned = far > 0.5 * period
    return np.where(turned, period - far, far) + centre, np.where(turned, -1.0, 1.0)


def _index(index, n, mode):
    """Which coefficient stands for one beyond the ends of an axis of length `n`."""
    if mode in ("nearest", "grid-constant"):
        return np.clip(index, 0, n - 1)
    if mode == "grid-wrap":
        return np.mod(index, n)
    if n == 1:
        return 0 * index
    if mode in ("reflect", "grid-mirror"):
        far = np.mod(index, 2 * n)
        return np.where(far >= n, 2 * n - 1 - far, far)
    far = np.mod(index, 2 * n - 2)
    return np.where(far >= n, 2 * n - 2 - far, far)
