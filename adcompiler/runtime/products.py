"""Adjoints of products of arrays of any rank: matmul, dot, inner, tensordot, kron, cross, multi_dot.

All are the two product rules of matrices (Giles 2008, "Collected matrix derivative results for forward and reverse mode
algorithmic differentiation", section 2.2.2): `C = A B` gives `A_bar = C_bar B^H` and `B_bar = A^H C_bar`. What is added
here is bookkeeping of axes. Arguments are arrays (or what np.asarray takes); a result has the shape of the factor whose
adjoint it is, and may be complex for a real factor if the other one is complex.
"""

import numpy as np


def sum_to(g, shape):
    """Sum `g` over the axes along which an array of shape `shape` was broadcast.

    >>> sum_to(np.ones((4, 2, 3)), (2, 1)).tolist()
    [[12.0], [12.0]]
    """
    lead = np.ndim(g) - len(shape)
    if lead > 0:
        g = np.sum(g, axis=tuple(range(lead)))
    axes = tuple(i for i, n in enumerate(shape) if n == 1 and np.shape(g)[i] != 1)
    return np.sum(g, axis=axes, keepdims=True) if axes else g


def ctranspose(a):
    """The conjugate transpose of a matrix or a stack of them (last two axes).

    >>> ctranspose(np.array([[1.0, 2j]])).tolist()
    [[(1-0j)], [-2j]]
    """
    return np.swapaxes(np.asarray(a), -1, -2).conj()


# ---- matmul ----


def matmul_left_adjoint(z_bar, shape, y):
    """The adjoint of `x` (of the given shape) in `z = x @ y`, for every pair of ranks, batch axes broadcast.

    >>> matmul_left_adjoint(np.ones((5, 2, 4)), (2, 3), np.ones((5, 3, 4))).tolist()
    [[20.0, 20.0, 20.0], [20.0, 20.0, 20.0]]
    """
    y = np.asarray(y).conj()
    z_bar = np.asarray(z_bar)
    if len(shape) == 1:
        x_bar = z_bar * y if y.ndim == 1 else (y @ z_bar[..., np.newaxis])[..., 0]
    elif y.ndim == 1:
        x_bar = z_bar[..., np.newaxis] * y
    else:
        x_bar = z_bar @ np.swapaxes(y, -1, -2)
    return sum_to(x_bar, shape)


def matmul_right_adjoint(z_bar, x, shape):
    """The adjoint of `y` (of the given shape) in `z = x @ y`, for every pair of ranks, batch axes broadcast.

    >>> matmul_right_adjoint(np.ones((5, 2)), np.ones((5, 2, 3)), (3,)).tolist()
    [10.0, 10.0, 10.0]
    """
    x = np.asarray(x).conj()
    z_bar = np.asarray(z_bar)
    if len(shape) == 1:
        # One vector for the whole batch: one product with all rows at once.
        return z_bar * x if x.ndim == 1 else np.reshape(z_bar, (-1,)) @ np.reshape(x, (z_bar.size, shape[0]))
    if x.ndim == 1:
        return sum_to(x[:, np.newaxis] * z_bar[..., np.newaxis, :], shape)
    if len(shape) == 2:
        rows = z_bar.size // shape[1] if shape[1] else 0
        if not rows:
            return np.zeros(shape, np.result_type(z_bar, x))
        return np.reshape(x, (rows, shape[0])).T @ np.reshape(z_bar, (rows, shape[1]))
    return sum_to(np.swapaxes(x, -1, -2) @ z_bar, shape)


# ---- dot, inner, tensordot: sums over paired axes, no broadcasting ----


def tensordot_left_adjoint(z_bar, shape, b, axes):
    """The adjoint of `a` (of the given shape) in `z = np.tensordot(a, b, axes)`.

    >>> tensordot_left_adjoint(np.ones(2), (3, 2), np.ones(3), ([0], [0])).tolist()
    [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]
    """
    axes_a, axes_b = _paired_axes(axes, len(shape), np.ndim(b))
    free_a = [i for i in range(len(shape)) if i not in axes_a]
    free_b = [i for i in range(np.ndim(b)) if i not in axes_b]
    g = np.tensordot(z_bar, np.conj(b), (list(range(len(free_a), np.ndim(z_bar))), free_b))
    # The axes of g: the free ones of a, then the contracted ones in the order they have in b.
    order = free_a + [axes_a[axes_b.index(j)] for j in sorted(axes_b)]
    return np.transpose(g, [order.index(i) for i in range(len(shape))])


def tensordot_right_adjoint(z_bar, a, shape, axes):
    """The adjoint of `b` (of the given shape) in `z = np.tensordot(a, b, axes)`.

    >>> tensordot_right_adjoint(np.ones((2, 3)), np.ones(2), (3,), 0).tolist()
    [2.0, 2.0, 2.0]
    """
    axes_a, axes_b = _paired_axes(axes, np.ndim(a), len(shape))
    free_a = [i for i in range(np.ndim(a)) if i not in axes_a]
    free_b = [i for i in range(len(shape)) if i not in axes_b]
    g = np.tensordot(np.conj(a), z_bar, (free_a, list(range(len(free_a)))))
    order = [axes_b[axes_a.index(i)] for i in sorted(axes_a)] + free_b
    return np.transpose(g, [order.index(j) for j in range(len(shape))])


def _paired_axes(axes, ndim_a, ndim_b):
    """The contracted axes of both factors, as lists of non-negative numbers in matching order."""
    if isinstance(axes, (int, np.integer)):
        return list(range(ndim_a - axes, ndim_a)), list(range(axes))
    axes_a, axes_b = axes
    axes_a = [axes_a] if isinstance(axes_a, (int, np.integer)) else list(axes_a)
    axes_b = [axes_b] if isinstance(axes_b, (int, np.integer)) else list(axes_b)
    return [int(i) % ndim_a for i in axes_a], [int(j) % ndim_b for j in axes_b]


def dot_left_adjoint(z_bar, shape, b):
    """The adjoint of `a` (of the given shape) in `z = np.dot(a, b)`: the last axis of a with the last but one of b.

    >>> dot_left_adjoint(np.ones((2, 4, 5)), (2, 3), np.ones((4, 3, 5))).tolist()
    [[20.0, 20.0, 20.0], [20.0, 20.0, 20.0]]
    """
    if len(shape) == 0:
        return np.sum(z_bar * np.conj(b))
    if np.ndim(b) == 0:
        return z_bar * np.conj(b)
    return tensordot_left_adjoint(z_bar, shape, b, (-1, -2 if np.ndim(b) > 1 else -1))


def dot_right_adjoint(z_bar, a, shape):
    """The adjoint of `b` (of the given shape) in `z = np.dot(a, b)`.

    >>> dot_right_adjoint(np.ones((2, 4, 5)), np.ones((2, 3)), (4, 3, 5)).shape
    (4, 3, 5)
    """
    if len(shape) == 0:
        return np.sum(z_bar * np.conj(a))
    if np.ndim(a) == 0:
        return z_bar * np.conj(a)
    return tensordot_right_adjoint(z_bar, a, shape, (-1, -2 if len(shape) > 1 else -1))


def inner_left_adjoint(z_bar, shape, b):
    """The adjoint of `a` (of the given shape) in `z = np.inner(a, b)`: last axis with last axis.

    >>> inner_left_adjoint(np.ones((2, 4)), (2, 3), np.ones((4, 3))).tolist()
    [[4.0, 4.0, 4.0], [4.0, 4.0, 4.0]]
    """
    if len(shape) == 0 or np.ndim(b) == 0:
        return dot_left_adjoint(z_bar, shape, b)
    return tensordot_left_adjoint(z_bar, shape, b, (-1, -1))


def inner_right_adjoint(z_bar, a, shape):
    """The adjoint of `b` (of the given shape) in `z = np.inner(a, b)`.

    >>> inner_right_adjoint(np.ones((2, 4)), np.ones((2, 3)), (4, 3)).tolist()
    [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0], [2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]
    """
    if len(shape) == 0 or np.ndim(a) == 0:
        return dot_right_adjoint(z_bar, a, shape)
    return tensordot_right_adjoint(z_bar, a, shape, (-1, -1))


def vecdot_adjoint(z_bar, factor, shape, axis):
    """The adjoint of one factor (of the given shape) of a sum of products along `axis`, given the other factor.

    >>> vecdot_adjoint(np.ones(2), np.ones((2, 3)), (3,), -1).tolist()
    [2.0, 2.0, 2.0]
    """
    # `axis` counts from the end of either factor when negative; the batch axes before it may be broadcast.
    factor = np.moveaxis(factor, axis, -1)
    axis_of_result = axis % len(shape)
    moved = tuple(n for i, n in enumerate(shape) if i != axis_of_result) + (shape[axis],)
    return np.moveaxis(sum_to(np.expand_dims(z_bar, -1) * factor, moved), -1, axis)


# ---- kron ----


def kron_left_adjoint(z_bar, shape, b):
    """The adjoint of `a` (of the given shape) in `z = np.kron(a, b)`: z in blocks, each summed against b.

    >>> kron_left_adjoint(np.arange(6.0), (2,), np.ones(3)).tolist()
    [3.0, 12.0]
    """
    blocks, rank = _kron_blocks(z_bar, shape, np.shape(b))
    b = np.reshape(np.conj(b), (1,) * (rank - np.ndim(b)) + np.shape(b))
    return np.reshape(np.tensordot(blocks, b, (list(range(1, 2 * rank, 2)), list(range(rank)))), shape)


def kron_right_adjoint(z_bar, a, shape):
    """The adjoint of `b` (of the given shape) in `z = np.kron(a, b)`.

    >>> kron_right_adjoint(np.arange(6.0), np.ones(2), (3,)).tolist()
    [3.0, 5.0, 7.0]
    """
    blocks, rank = _kron_blocks(z_bar, np.shape(a), shape)
    a = np.reshape(np.conj(a), (1,) * (rank - np.ndim(a)) + np.shape(a))
    return np.reshape(np.tensordot(blocks, a, (list(range(0, 2 * rank, 2)), list(range(rank)))), shape)


def _kron_blocks(z_bar, shape_a, shape_b):
    """`z_bar` with every axis split in two: position of the block (from a), position in the block (from b)."""
    rank = max(len(shape_a), len(shape_b))
    shape_a = (1,) * (rank - len(shape_a)) + tuple(shape_a)
    shape_b = (1,) * (rank - len(shape_b)) + tuple(shape_b)
    return np.reshape(z_bar, [n for pair in zip(shape_a, shape_b, strict=True) for n in pair]), rank


# ---- cross ----


def cross_left_adjoint(c_bar, shape, b, axisa=-1, axisb=-1, axisc=-1):
    """The adjoint of `a` (of the given shape) in `c = np.cross(a, b)`, by `da . (b x c_bar)`, batch axes broadcast.

    >>> cross_left_adjoint(np.array([0.0, 0.0, 1.0]), (3,), np.array([0.0, 1.0, 0.0])).tolist()
    [1.0, 0.0, 0.0]
    """
    if shape[axisa] != 3 or np.shape(b)[axisb] != 3:
        raise ValueError("the adjoint of np.cross is defined for vectors of three components")
    moved = tuple(n for i, n in enumerate(shape) if i != axisa % len(shape)) + (3,)
    g = np.cross(np.moveaxis(np.conj(b), axisb, -1), np.moveaxis(c_bar, axisc, -1))
    return np.moveaxis(sum_to(g, moved), -1, axisa)


def cross_right_adjoint(c_bar, a, shape, axisa=-1, axisb=-1, axisc=-1):
    """The adjoint of `b` (of the given shape) in `c = np.cross(a, b)`: that of the left factor of `-(b x a)`.

    >>> cross_right_adjoint(np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]), (3,)).tolist()
    [-0.0, 1.0, -0.0]
    """
    return -cross_left_adjoint(c_bar, shape, a, axisb, axisa, axisc)


# ---- multi_dot ----


def multi_dot_adjoints(y_bar, arrays):
    """The adjoints of all factors of `np.linalg.multi_dot(arrays)`: what stands left and right of each, conjugated.

    >>> [g.tolist() for g in multi_dot_adjoints(1.0, [np.array([1.0, 2.0]), np.eye(2), np.array([3.0, 4.0])])]
    [[3.0, 4.0], [[3.0, 4.0], [6.0, 8.0]], [1.0, 2.0]]
    """
    matrices = [np.asarray(a) for a in arrays]
    matrices[0] = np.atleast_2d(matrices[0])
    if matrices[-1].ndim == 1:
        matrices[-1] = matrices[-1][:, np.newaxis]
    # left[k] is y_bar with the factors before k taken to the other side.
    left = [np.reshape(y_bar, (matrices[0].shape[0], matrices[-1].shape[1]))]
    for m in matrices[:-1]:
        left.append(ctranspose(m) @ left[-1])
    adjoints, right = [left[-1]], None
    for k in range(len(matrices) - 2, -1, -1):
        right = matrices[k + 1] if right is None else matrices[k + 1] @ right
        adjoints.append(left[k] @ ctranspose(right))
    return [np.reshape(g, np.shape(a)) for g, a in zip(adjoints[::-1], arrays, strict=True)]


def multi_dot_tangent(arrays_dot, arrays):
    """The tangent of `np.linalg.multi_dot(arrays)`: the sum over the factors of the product with one tangent.

    >>> float(multi_dot_tangent([np.ones(2), np.zeros(2)], [np.array([1.0, 2.0]), np.array([3.0, 4.0])]))
    7.0
    """
    left, left_dot = arrays[0], arrays_dot[0]
    for a, a_dot in zip(arrays[1:], arrays_dot[1:], strict=True):
        left_dot = left_dot @ a + left @ a_dot
        left = left @ a
    return left_dot


# ---- diagonals ----


def diagonal_adjoint(y_bar, shape, offset=0):
    """The adjoint of matrices of the given shape (last two axes) whose `offset` diagonal is `y`.

    >>> diagonal_adjoint(np.array([1.0, 2.0]), (2, 3), 1).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]
    """
    x_bar = np.zeros(shape, np.asarray(y_bar).dtype)
    count = np.shape(y_bar)[-1]
    i = np.arange(count) + max(-offset, 0)
    x_bar[..., i, i + offset] = y_bar
    return x_bar
