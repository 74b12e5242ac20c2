"""Rules for products of vectors, matrices and arrays (numpy.linalg, "Matrix and vector products").

The common pairs of ranks are written out, so that emitted code shows the formula; other pairs and broadcast batch axes
go through one runtime function.
"""

import operator

import numpy as np

from ..runtime.einsum import (
    einsum_adjoint,
    einsum_adjoint_adjoints,
    einsum_adjoint_tangent,
    einsum_with,
)
from ..ir.types import Num, Tup
from ..runtime.products import (
    cross_left_adjoint,
    cross_right_adjoint,
    diagonal_adjoint,
    dot_left_adjoint,
    dot_right_adjoint,
    inner_left_adjoint,
    inner_right_adjoint,
    kron_left_adjoint,
    kron_right_adjoint,
    matmul_left_adjoint,
    matmul_right_adjoint,
    multi_dot_adjoints,
    multi_dot_tangent,
    tensordot_left_adjoint,
    tensordot_right_adjoint,
    vecdot_adjoint,
)
from .registry import conj, inactive, ndim, rule

# ---- matrix and vector products ----


@rule(np.dot, np.ndarray.dot, multilinear=("a", "b"))
def dot(a, b):
    z = np.dot(a, b)
    a_bar = (
        z_bar * conj(b)
        if ndim(a) == 1 and ndim(b) == 1
        else np.outer(z_bar, conj(b))
        if ndim(a) == 2 and ndim(b) == 1
        else conj(b).dot(z_bar)
        if ndim(a) == 1 and ndim(b) == 2
        else z_bar @ conj(b).T
        if ndim(a) >= 2 and ndim(b) == 2
        else dot_left_adjoint(z_bar, np.shape(a), b)
    )
    b_bar = (
        z_bar * conj(a)
        if ndim(a) == 1 and ndim(b) == 1
        else conj(a).T.dot(z_bar)
        if ndim(a) == 2 and ndim(b) == 1
        else conj(a).T @ z_bar
        if ndim(a) == 2 and ndim(b) == 2
        else np.outer(conj(a), z_bar)
        if ndim(a) == 1 and ndim(b) == 2
        else dot_right_adjoint(z_bar, a, np.shape(b))
    )


@rule(np.linalg.multi_dot)
def multi_dot(arrays):
    y = np.linalg.multi_dot(arrays)
    arrays_bar = multi_dot_adjoints(y_bar, arrays)
    y_dot = multi_dot_tangent(arrays_dot, arrays)


@rule(np.vdot, multilinear=("a", "b"))
def vdot(a, b, /):
    z = np.vdot(a, b)
    a_bar = conj(z_bar) * b if ndim(a) == 1 and ndim(b) == 1 else np.reshape(conj(z_bar) * np.ravel(b), np.shape(a))
    b_bar = z_bar * a if ndim(a) == 1 and ndim(b) == 1 else np.reshape(z_bar * np.ravel(a), np.shape(b))


@rule(np.vecdot, multilinear=("a", "b"))
def vecdot(a, b, /, *, axis=-1):
    z = np.vecdot(a, b, axis=axis)
    a_bar = vecdot_adjoint(conj(z_bar), b, np.shape(a), axis)
    b_bar = vecdot_adjoint(z_bar, a, np.shape(b), axis)


@rule(np.linalg.vecdot, multilinear=("x1", "x2"))
def linalg_vecdot(x1, x2, /, *, axis=-1):
    z = np.linalg.vecdot(x1, x2, axis=axis)
    x1_bar = vecdot_adjoint(conj(z_bar), x2, np.shape(x1), axis)
    x2_bar = vecdot_adjoint(z_bar, x1, np.shape(x2), axis)


@rule(np.inner, multilinear=("a", "b"))
def inner(a, b, /):
    z = np.inner(a, b)
    a_bar = (
        z_bar * conj(b)
        if ndim(a) == 1 and ndim(b) == 1
        else z_bar @ conj(b)
        if ndim(a) == 2 and ndim(b) == 2
        else inner_left_adjoint(z_bar, np.shape(a), b)
    )
    b_bar = (
        z_bar * conj(a)
        if ndim(a) == 1 and ndim(b) == 1
        else z_bar.T @ conj(a)
        if ndim(a) == 2 and ndim(b) == 2
        else inner_right_adjoint(z_bar, a, np.shape(b))
    )


@rule(np.outer, multilinear=("a", "b"))
def outer(a, b):
    z = np.outer(a, b)
    a_bar = z_bar @ conj(b) if ndim(a) == 1 and ndim(b) == 1 else np.reshape(z_bar @ np.ravel(conj(b)), np.shape(a))
    b_bar = conj(a) @ z_bar if ndim(a) == 1 and ndim(b) == 1 else np.reshape(np.ravel(conj(a)) @ z_bar, np.shape(b))


@rule(np.linalg.outer, multilinear=("x1", "x2"))
def linalg_outer(x1, x2, /):
    z = np.linalg.outer(x1, x2)
    x1_bar = z_bar @ conj(x2)
    x2_bar = conj(x1) @ z_bar


@rule(operator.matmul, np.matmul, np.linalg.matmul, multilinear=("x", "y"))
def matmul(x, y, /):
    z = np.matmul(x, y)
    x_bar = (
        z_bar * conj(y)
        if ndim(x) == 1 and ndim(y) == 1
        else np.outer(z_bar, conj(y))
        if ndim(x) == 2 and ndim(y) == 1
        else conj(y).dot(z_bar)
        if ndim(x) == 1 and ndim(y) == 2
        else z_bar @ conj(y).T
        if ndim(x) >= 2 and ndim(y) == 2
        else matmul_left_adjoint(z_bar, np.shape(x), y)
    )
    y_bar = (
        z_bar * conj(x)
        if ndim(x) == 1 and ndim(y) == 1
        else conj(x).T.dot(z_bar)
        if ndim(x) == 2 and ndim(y) == 1
        else conj(x).T @ z_bar
        if ndim(x) == 2 and ndim(y) == 2
        else np.outer(conj(x), z_bar)
        if ndim(x) == 1 and ndim(y) == 2
        else matmul_right_adjoint(z_bar, x, np.shape(y))
    )


if hasattr(np, "matvec"):  # NumPy 2.2

    @rule(np.matvec, multilinear=("a", "v"))
    def matvec(a, v, /):
        z = np.matvec(a, v)
        a_bar = matmul_left_adjoint(z_bar[..., np.newaxis], np.shape(a), v[..., np.newaxis])
        v_bar = matmul_right_adjoint(z_bar[..., np.newaxis], a, np.shape(v) + (1,))[..., 0]

    @rule(np.vecmat, multilinear=("v", "a"))
    def vecmat(v, a, /):
        z = np.vecmat(v, a)
        row = np.shape(v)[:-1] + (1,) + np.shape(v)[-1:]
        v_bar = matmul_left_adjoint(conj(z_bar)[..., np.newaxis, :], row, conj(a))[..., 0, :]
        a_bar = matmul_right_adjoint(z_bar[..., np.newaxis, :], conj(v)[..., np.newaxis, :], np.shape(a))


@rule(np.tensordot, multilinear=("a", "b"))
def tensordot(a, b, axes=2):
    z = np.tensordot(a, b, axes)
    a_bar = tensordot_left_adjoint(z_bar, np.shape(a), b, axes)
    b_bar = tensordot_right_adjoint(z_bar, a, np.shape(b), axes)


@rule(np.linalg.tensordot, multilinear=("x1", "x2"))
def linalg_tensordot(x1, x2, /, *, axes=2):
    z = np.linalg.tensordot(x1, x2, axes=axes)
    x1_bar = tensordot_left_adjoint(z_bar, np.shape(x1), x2, axes)
    x2_bar = tensordot_right_adjoint(z_bar, x1, np.shape(x2), axes)


@rule(np.einsum, alias="maybe", alias_of="operands", multilinear=("*operands",))
def einsum(subscripts, *operands, optimize=False):
    y = np.einsum(subscripts, *operands, optimize=optimize)
    operands_bar = [einsum_adjoint(y_bar, subscripts, operands, k, optimize) for k in range(len(operands))]


@rule(np.kron, multilinear=("a", "b"))
def kron(a, b):
    z = np.kron(a, b)
    a_bar = kron_left_adjoint(z_bar, np.shape(a), b)
    b_bar = kron_right_adjoint(z_bar, a, np.shape(b))


def _kron_adjoint_type(seed, first, second):
    """The array of which the shape is given, first or second, of the kind of the seed and of the other factor."""
    shape, other = (first, second) if isinstance(first, Tup) else (second, first)
    kinds = {t.kind for t in (seed, other) if isinstance(t, Num)}
    rank = len(shape.items) if isinstance(shape, Tup) else None
    return Num("c" if "c" in kinds else "f" if kinds == {"f"} else "?", None, rank, True, None if rank is None else (None,) * rank)


@rule(kron_left_adjoint, multilinear=("z_bar", "b"), infer=_kron_adjoint_type)
def kron_left_adjoint_(z_bar, shape, b):
    g = kron_left_adjoint(z_bar, shape, b)
    z_bar_bar = np.kron(g_bar, b)
    b_bar = kron_right_adjoint(z_bar, g_bar, np.shape(b))


@rule(kron_right_adjoint, multilinear=("z_bar", "a"), infer=_kron_adjoint_type)
def kron_right_adjoint_(z_bar, a, shape):
    g = kron_right_adjoint(z_bar, a, shape)
    z_bar_bar = np.kron(a, g_bar)
    a_bar = kron_left_adjoint(z_bar, np.shape(a), g_bar)


@rule(np.cross, multilinear=("a", "b"))
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    c = np.cross(a, b, axisa, axisb, axisc, axis)
    a_bar = (
        cross_left_adjoint(c_bar, np.shape(a), b, axisa, axisb, axisc)
        if axis is None
        else cross_left_adjoint(c_bar, np.shape(a), b, axis, axis, axis)
    )
    b_bar = (
        cross_right_adjoint(c_bar, a, np.shape(b), axisa, axisb, axisc)
        if axis is None
        else cross_right_adjoint(c_bar, a, np.shape(b), axis, axis, axis)
    )


@rule(np.linalg.cross, multilinear=("x1", "x2"))
def linalg_cross(x1, x2, /, *, axis=-1):
    c = np.linalg.cross(x1, x2, axis=axis)
    x1_bar = cross_left_adjoint(c_bar, np.shape(x1), x2, axis, axis, axis)
    x2_bar = cross_right_adjoint(c_bar, x1, np.shape(x2), axis, axis, axis)


# ---- diagonals of stacked matrices (last two axes; numpy's own namesakes take axis1 and axis2) ----


@rule(np.linalg.diagonal, alias="view", alias_of="x", cheap=True, linear=("x",))
def linalg_diagonal(x, /, *, offset=0):
    y = np.linalg.diagonal(x, offset=offset)
    x_bar = diagonal_adjoint(y_bar, np.shape(x), offset)


@rule(np.linalg.trace, linear=("x",))
def linalg_trace(x, /, *, offset=0, dtype=None):
    y = np.linalg.trace(x, offset=offset)
    x_bar = np.expand_dims(y_bar, (-2, -1)) * np.eye(*np.shape(x)[-2:], k=offset)


@rule(np.linalg.matrix_transpose, alias="view", alias_of="x", cheap=True, linear=("x",))
def linalg_matrix_transpose(x, /):
    y = np.linalg.matrix_transpose(x)
    x_bar = np.swapaxes(y_bar, -1, -2)


# ---- the function that an adjoint calls, so that derivatives of derivatives call it again ----


# The adjoint of operand k is linear in what it is given for `y_bar`, and in every other operand.
@rule(
    einsum_adjoint,
    unchecked={"second order": "third derivatives of einsum: which operands there are is not known when compiling"},
)
def einsum_adjoint_(y_bar, subscripts, operands, index, optimize=False):
    g = einsum_adjoint(y_bar, subscripts, operands, index, optimize)
    y_bar_bar = einsum_with(subscripts, operands, index, g_bar, optimize)
    operands_bar = einsum_adjoint_adjoints(g_bar, y_bar, subscripts, operands, index, optimize)
    g_dot = einsum_adjoint_tangent(y_bar_dot, operands_dot, y_bar, subscripts, operands, index, optimize)


inactive(np.einsum_path)
