"""Adjoints of vector norms, matrix norms and condition numbers.

A norm has slope 0 at zero; where several entries attain a maximum they share the cotangent evenly.
"""

import numpy as np

from .products import ctranspose


def norm_adjoint(y_bar, y, x, ord=None, axis=None, keepdims=False):
    """The adjoint of `x` in `y = np.linalg.norm(x, ord, axis, keepdims)`: vector and matrix norms.

    >>> norm_adjoint(1.0, 5.0, np.array([3.0, 4.0])).tolist()
    [0.6, 0.8]
    >>> norm_adjoint(1.0, 3.0, np.array([1.0, 3.0, -3.0]), np.inf).tolist()
    [0.0, 0.5, -0.5]
    """
    x = np.asarray(x)
    if axis is None:
        if ord is None:
            return vector_norm_adjoint(y_bar, y, x, None, keepdims, 2)
        axis = tuple(range(x.ndim))
    axis = axis if isinstance(axis, tuple) else (int(axis),)
    if len(axis) == 1 or ord is None:
        return vector_norm_adjoint(y_bar, y, x, axis, keepdims, 2 if ord is None else ord)
    moved = np.moveaxis(x, axis, (-2, -1))
    if keepdims:
        y_bar = np.squeeze(y_bar, axis)
    return np.moveaxis(matrix_norm_adjoint(y_bar, moved, ord), (-2, -1), axis)


def vector_norm_adjoint(y_bar, y, x, axis=None, keepdims=False, ord=2):
    """The adjoint of `x` in `y = np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)`.

    For p > 0 it is `y_bar sign(x) (|x| / y)^(p - 1)`, with `sign(x) = x / |x|` and sign(0) = 0.

    >>> vector_norm_adjoint(1.0, 0.0, np.zeros(2)).tolist()
    [0.0, 0.0]
    >>> vector_norm_adjoint(1.0, 3.0, np.array([1.0, -2.0]), ord=1).tolist()
    [1.0, -1.0]
    """
    x = np.asarray(x)
    axis = tuple(range(x.ndim)) if axis is None else axis
    if not keepdims:
        y_bar, y = np.expand_dims(y_bar, axis), np.expand_dims(y, axis)
    if ord == 2:
        return y_bar * (x / np.where(y == 0, 1.0, y))
    if ord == 0:
        return y_bar * np.zeros_like(x)
    if ord == 1:
        return y_bar * np.sign(x)
    size = np.abs(x)
    if ord in (np.inf, -np.inf):
        attained = size == y
        return y_bar * np.sign(x) * attained / np.sum(attained, axis=axis, keepdims=True)
    # Entries at zero have slope 0 for p > 1; for p < 1 the slope is infinite, except at the zero vector.
    ratio = size / np.where(y == 0, 1.0, y)
    if ord > 1:
        return y_bar * np.sign(x) * ratio ** (ord - 1)
    flat = (y == 0) | (y_bar == 0)
    direction = np.where(size == 0, 1.0, np.sign(x))
    return np.where(flat, 0.0, y_bar) * direction * np.where(flat, 1.0, ratio) ** (ord - 1.0)


def matrix_norm_adjoint(y_bar, x, ord="fro"):
    """The adjoint of a stack of matrices in their norms (last two axes, no keepdims).

    Sums of singular values ('nuc') have slope `U V^H`, the largest (2) `u_1 v_1^H` (Watson 1992, "Characterization of
    the subdifferential of some matrix norms"); 1 and inf pass the cotangent to the largest column or row sum.

    >>> matrix_norm_adjoint(1.0, np.array([[3.0, 0.0], [0.0, -1.0]]), 'nuc').round(12).tolist()
    [[1.0, 0.0], [0.0, -1.0]]
    >>> matrix_norm_adjoint(1.0, np.array([[1.0, 2.0], [-3.0, 1.0]]), 1).tolist()
    [[1.0, 0.0], [-1.0, 0.0]]
    """
    y_bar = np.expand_dims(y_bar, (-2, -1))
    if ord in ("fro", "f", None):
        return vector_norm_adjoint(y_bar, np.linalg.norm(x, axis=(-2, -1), keepdims=True), x, (-2, -1), True)
    if ord in (1, -1, np.inf, -np.inf):
        sums = np.sum(np.abs(x), axis=-2 if ord in (1, -1) else -1, keepdims=True)
        extreme = np.max(sums, axis=(-2, -1), keepdims=True) if ord > 0 else np.min(sums, axis=(-2, -1), keepdims=True)
        attained = sums == extreme
        return y_bar * np.sign(x) * attained / np.sum(attained, axis=(-2, -1), keepdims=True)
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    if ord == "nuc":
        # Rounding leaves small values in the place of zeros: those have slope 0, as |x| has.
        slope = s > np.finfo(s.dtype).eps * max(np.shape(x)[-2:]) * np.max(s, axis=-1, keepdims=True)
    else:
        extreme = np.max(s, axis=-1, keepdims=True) if ord == 2 else np.min(s, axis=-1, keepdims=True)
        attained = (s == extreme) & (s > 0)
        slope = attained / np.maximum(np.sum(attained, axis=-1, keepdims=True), 1)
    return y_bar * ((u * slope[..., np.newaxis, :]) @ vh)


def cond_adjoint(y_bar, x, p=None):
    """The adjoint of `x` in `np.linalg.cond(x, p)`: the product rule on norm(x) norm(x^-1), or on the ratio of the
    extreme singular values for p None, 2 and -2.

    >>> cond_adjoint(1.0, np.array([[3.0, 0.0], [0.0, 1.0]])).round(12).tolist()
    [[1.0, 0.0], [0.0, -3.0]]
    """
    if p in (None, 2, -2):
        largest = np.linalg.norm(x, 2, axis=(-2, -1))
        least = np.linalg.norm(x, -2, axis=(-2, -1))
        if p == -2:
            largest, least = least, largest
        over, under = (2, -2) if p != -2 else (-2, 2)
        return matrix_norm_adjoint(y_bar / least, x, over) - matrix_norm_adjoint(y_bar * largest / least**2, x, under)
    inverse = np.linalg.inv(x)
    direct = matrix_norm_adjoint(y_bar * np.linalg.norm(inverse, p, axis=(-2, -1)), x, p)
    through = matrix_norm_adjoint(y_bar * np.linalg.norm(x, p, axis=(-2, -1)), inverse, p)
    return direct - ctranspose(inverse) @ through @ ctranspose(inverse)
