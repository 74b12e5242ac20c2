"""Interpolation on a grid, `scipy.interpolate.interpn` and `RegularGridInterpolator`, in the values and in the points.

Between its nearest points a value is linear in each coordinate. All derivatives of one order in the coordinates are one
array, `grid_derivatives(points, values, xi, depth=d)[a, b, ...]` in the directions of the axes a, b, ..., linear in
the values, so that these arrays and their adjoints are closed under differentiation. At a point of the grid they are
those to the right.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from scipy import interpolate

from ...errors import UnsupportedSyntaxError


class GridInterpolator(NamedTuple):
    """`scipy.interpolate.RegularGridInterpolator`.

    >>> GridInterpolator((np.arange(2.0),), np.array([1.0, 3.0]))(np.array([[0.5]])).tolist()
    [2.0]
    """

    points: tuple
    values: np.ndarray
    method: str = "linear"
    bounds_error: bool = True
    fill_value: float = np.nan

    def __call__(self, xi, method=None):
        method = self.method if method is None else method
        demand_known(method)
        if isinstance(xi, tuple) and len(xi) > 1:
            places = np.stack(np.broadcast_arrays(*xi), axis=-1)[np.newaxis]
            return grid_value(self.points, self.values, places, method, self.bounds_error, self.fill_value)[0]
        places = np.asarray(xi[0] if isinstance(xi, tuple) else xi)
        return grid_value(self.points, self.values, places, method, self.bounds_error, self.fill_value)


def grid_interpolator(
    points, values, method="linear", bounds_error=True, fill_value=np.nan, *, solver=None, solver_args=None
):
    """`scipy.interpolate.RegularGridInterpolator` as a tuple.

    >>> grid_interpolator((np.arange(2.0),), np.array([1.0, 3.0]))(np.array([[0.5]])).tolist()
    [2.0]
    """
    demand_known(method)
    return GridInterpolator(points, values, method, bounds_error, fill_value)


def demand_known(method):
    """Refuse methods without a derivative.

    >>> demand_known("linear")
    """
    if method not in ("linear", "nearest"):
        raise UnsupportedSyntaxError(
            f"interpolation on a grid has a derivative for the methods 'linear' and 'nearest', not for {method!r}",
            hint="interpolate along one axis after the other with make_interp_spline or PchipInterpolator",
        )


def grid_interpolation(points, values, xi, method="linear", bounds_error=True, fill_value=np.nan):
    """`scipy.interpolate.interpn`, as it is differentiated.

    >>> grid_interpolation((np.arange(2.0),), np.array([1.0, 3.0]), np.array([[0.5]])).tolist()
    [2.0]
    """
    return grid_interpolator(points, values, method, bounds_error, fill_value)(xi)


def grid_value(points, values, xi, method="linear", bounds_error=True, fill_value=np.nan):
    """`scipy.interpolate.interpn` at points in one array, whose last axis counts the coordinates.

    >>> grid_value((np.arange(2.0),), np.array([1.0, 3.0]), np.array([[0.5]])).tolist()
    [2.0]
    """
    return interpolate.interpn(points, values, xi, method, bounds_error, fill_value)


def shape_of_points(xi, rank):
    """The shape of the points: all axes but the last, and (n // rank,) of one axis.

    >>> shape_of_points(np.ones((4, 5, 2)), 2), shape_of_points(np.ones(2), 2)
    ((4, 5), (1,))
    """
    return np.shape(xi)[:-1] if np.ndim(xi) > 1 else (np.size(xi) // rank,)


def _cells(points, xi, method, fill_value, axes):
    """For each axis the two points of the grid beside each place and their weights, and which places count.

    Weights are those of the derivative along `axes`.
    """
    rank = len(points)
    flat = np.reshape(np.asarray(xi, float), (-1, rank))
    known = np.ones(len(flat), bool)
    beside = []
    for axis, line in enumerate(points):
        line, place, count = np.asarray(line, float), flat[:, axis], axes.count(axis)
        backwards = len(line) > 1 and line[0] > line[-1]
        line = line[::-1] if backwards else line
        cell = np.clip(np.searchsorted(line, place, side="right") - 1, 0, len(line) - 2)
        width = line[cell + 1] - line[cell]
        share = (place - line[cell]) / width
        if method == "nearest":
            weights = (share <= 0.5) * float(count == 0), (share > 0.5) * float(count == 0)
        elif count == 0:
            weights = 1.0 - share, share
        else:
            weights = -float(count == 1) / width, float(count == 1) / width
        indices = (len(line) - 1 - cell, len(line) - 2 - cell) if backwards else (cell, cell + 1)
        beside.append(list(zip(indices, weights, strict=True)))
        if fill_value is not None:
            known &= (place >= line[0]) & (place <= line[-1])
    return beside, known


def _corners(points, xi, method, fill_value, axes):
    """For each corner of the cells: its index and its weight at each point."""
    beside, known = _cells(points, xi, method, fill_value, axes)
    for corner in itertools.product(*beside):
        yield tuple(index for index, _ in corner), known * np.prod([weight for _, weight in corner], axis=0)


def grid_derivatives(points, values, xi, method="linear", fill_value=np.nan, depth=0):
    """All derivatives of one order, `depth`, in the coordinates; where the value is filled in, that counts as 0.

    Shape: an axis of coordinates for each derivative, then the points, then further axes of the values.

    >>> grid_derivatives((np.arange(2.0),), np.array([1.0, 3.0]), np.array([[0.25]]), depth=1).tolist()
    [[2.0]]
    """
    rank, values = len(points), np.asarray(values)
    further, shape = values.shape[rank:], shape_of_points(xi, rank)
    made = {}
    for axes in itertools.combinations_with_replacement(range(rank), depth):
        total = np.zeros((np.prod(shape, dtype=int), *further), np.result_type(values.dtype, float))
        for index, weight in _corners(points, xi, method, fill_value, axes):
            total += np.reshape(weight, (-1,) + (1,) * len(further)) * values[index]
        made[axes] = np.reshape(total, shape + further)
    every = [made[tuple(sorted(axes))] for axes in itertools.product(range(rank), repeat=depth)]
    return np.reshape(np.stack(every), (rank,) * depth + shape + further)


def grid_derivatives_adjoint(y_bar, shape, points, xi, method="linear", fill_value=np.nan, depth=0):
    """The adjoint of values of this shape in `grid_derivatives`: each cell's corners.

    >>> grid_derivatives_adjoint(np.ones(1), (2,), (np.arange(2.0),), np.array([[0.25]])).tolist()
    [0.75, 0.25]
    """
    rank, y_bar = len(points), np.asarray(y_bar)
    out = np.zeros(shape, np.result_type(y_bar.dtype, float))
    for axes in itertools.product(range(rank), repeat=depth):
        for index, weight in _corners(points, xi, method, fill_value, axes):
            rows = np.reshape(y_bar[axes], (len(weight), *shape[rank:]))
            np.add.at(out, index, np.reshape(weight, (-1,) + (1,) * (rows.ndim - 1)) * rows)
    return out


def coordinates_adjoint(y_bar, slopes, shape, depth=0):
    """The adjoint of coordinates of this shape in derivatives of order `depth`, from those of the next order.

    >>> coordinates_adjoint(np.array([2.0]), np.array([[3.0]]), (1, 1)).tolist()
    [[6.0]]
    """
    products = np.conj(y_bar) * slopes
    behind = tuple(range(1 + depth + max(len(shape) - 1, 1), np.ndim(products)))
    summed = np.sum(products, axis=(*range(1, 1 + depth), *behind)).real
    return np.reshape(np.moveaxis(summed, 0, -1), shape)


def coordinates_tangent(xi_dot, slopes, depth=0):
    """The tangent of derivatives of order `depth` by that of the coordinates.

    >>> coordinates_tangent(np.array([[2.0]]), np.array([[3.0]])).tolist()
    [6.0]
    """
    rank = np.shape(slopes)[0]
    points = shape_of_points(xi_dot, rank)
    steps = np.moveaxis(np.reshape(xi_dot, (*points, rank)), -1, 0)
    further = (1,) * (np.ndim(slopes) - 1 - depth - len(points))
    return np.sum(np.reshape(steps, (rank, *(1,) * depth, *points, *further)) * slopes, axis=0)


def coordinates_product(y_bar, xi_dot, depth, rank):
    """The adjoint `y_bar` of derivatives of order `depth` times a tangent of the coordinates: of the next order.

    rank: the number of axes of the result.

    >>> coordinates_product(np.array([2.0]), np.array([[3.0]]), 0, 2).tolist()
    [[6.0]]
    """
    further = (1,) * (rank - 1 - depth - max(np.ndim(xi_dot) - 1, 1))
    points = np.shape(y_bar)[depth : np.ndim(y_bar) - len(further)]
    steps = np.moveaxis(np.reshape(xi_dot, (*points, -1)), -1, 0)
    return np.reshape(steps, (len(steps), *(1,) * depth, *points, *further)) * y_bar
