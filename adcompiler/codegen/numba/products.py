"""Products of vectors and matrices."""

from __future__ import annotations

import ast

import numpy as np

from ...runtime.selecting import from_diagonal
from ...transform.code import call, constant
from .arrays import array, settled, total, with_ones
from .expressions import binary, cast
from .creation import shape_axes
from .functions import handles
from .typed import Lazy, Typed
from .types import Array, Items, Scalar


def product(lo, function, left: Typed, right: Typed) -> Typed:
    """`left @ right` or `np.dot(left, right)`."""
    if isinstance(left.type, Scalar) or isinstance(right.type, Scalar):
        if function is np.matmul:
            lo.refuse("'@' with a number")
        return binary(lo, ast.Mult, left, right)
    dtype = np.result_type(left.type.dtype, right.type.dtype)
    left, right = array(lo, cast(lo, left, dtype)), array(lo, cast(lo, right, dtype))
    ranks = (left.type.rank, right.type.rank)
    if max(ranks) > 2:
        from .contractions import high_rank_product

        return high_rank_product(lo, function, left, right)
    if ranks == (1, 1):
        return total(lo, binary(lo, ast.Mult, left, right), Scalar(dtype, False))
    if dtype.kind not in "fc":
        lo.refuse("a product of matrices of integers", "convert them to floats")
    left, right = _contiguous(lo, left), _contiguous(lo, right)
    node = call(lo.np("dot"), left.node, right.node)
    dims = left.type.dims[:-1] + (right.type.dims[1:] if ranks[1] == 2 else ())
    return Typed(node, Array(dtype, len(dims), dims))


def _contiguous(lo, v: Typed) -> Typed:
    """An array that the library of products takes without a copy of its own at each use."""
    named = settled(lo, v)
    lasting = named.type.dims
    if named is v and v.lazy.direct:
        return v
    if v.lazy.is_view and v.type.rank <= 2:
        made = lo.fresh("t")
        lo.assign(made, call(lo.np("ascontiguousarray"), named.node))
        lo.env[made] = Array(v.type.dtype, v.type.rank, lasting, named.type.roots)
        return lo.array_name(made)
    return named


@handles(np.dot, np.ndarray.dot)
def _dot(lo, args, kwargs):
    if len(args) != 2 or kwargs:
        lo.refuse("these arguments of 'numpy.dot'")
    return product(lo, np.dot, *args)


@handles(np.matmul)
def _matmul(lo, args, kwargs):
    if len(args) != 2 or kwargs:
        lo.refuse("these arguments of 'numpy.matmul'")
    return product(lo, np.matmul, *args)


@handles(np.inner, np.vdot)
def _inner(lo, args, kwargs):
    left, right = args
    if any(isinstance(a.type, Array) and a.type.rank != 1 or a.type.kind == "c" for a in args):
        lo.refuse("'numpy.inner' or 'numpy.vdot' of matrices or complex numbers", "use np.dot or np.sum")
    return product(lo, np.dot, left, right)


@handles(np.outer)
def _outer(lo, args, kwargs):
    if kwargs or any(not isinstance(a.type, Array) or a.type.rank != 1 for a in args):
        lo.refuse("'numpy.outer' of what is not two vectors")
    left, right = (settled(lo, a) if not array(lo, a).lazy.is_view else array(lo, a) for a in args)
    return binary(lo, ast.Mult, with_ones(lo, left, {1}), with_ones(lo, right, {0}))


@handles(np.trace, np.ndarray.trace)
def _trace(lo, args, kwargs):
    if len(args) > 1 or kwargs or args[0].type.rank != 2:
        lo.refuse("these arguments of 'numpy.trace'")
    return total(lo, diagonal(lo, args[0]), Scalar(args[0].type.dtype, False))


@handles(np.diag, np.diagonal, np.ndarray.diagonal)
def _diag(lo, args, kwargs):
    if len(args) > 1 or kwargs or args[0].type.rank != 2:
        lo.refuse("'numpy.diag' of a vector, or of another diagonal than the main one")
    return diagonal(lo, args[0])


@handles(from_diagonal)
def _from_diagonal(lo, args, kwargs):
    value, shape = args[:2]
    if any(not a.is_known for a in args[2:]) or [a.const for a in args[2:]] not in ([], [0], [0, 0, 1]) or kwargs:
        lo.refuse("the adjoint of this diagonal")
    if isinstance(shape.type, Items) and len(shape.type.items) != 2:
        lo.refuse("the adjoint of the diagonal of what is not a matrix")
    axes = shape_axes(lo, shape)
    value = settled(lo, value) if isinstance(value.type, Array) else lo.held(value)
    one = isinstance(value.type, Array) and value.lazy.axes[0].token == 1

    def element(lo, ixs):
        entry = value.node if isinstance(value.type, Scalar) else value.lazy.element(
            lo, [constant(0) if one else ixs[0]])
        return ast.IfExp(ast.Compare(ixs[0], [ast.Eq()], [ixs[1]]), entry, constant(0.0))

    reads = value.lazy.reads if isinstance(value.type, Array) else []
    t = Array(value.type.dtype, 2, tuple(a.token for a in axes))
    return Typed(None, t, lazy=Lazy(axes, element, reads))


def diagonal(lo, v: Typed) -> Typed:
    """The main diagonal of a matrix."""
    from ...transform.code import name
    from .typed import Axis, Lazy

    v = array(lo, v)
    rows, columns = v.lazy.axes
    if lo.are_equal(rows.token, columns.token):
        axis = rows
    else:
        held = lo.fresh("extent")
        lo.assign(held, call(name("min"), rows.extent(), columns.extent()))
        axis = Axis(lo.token(), lambda: name(held))
    lazy = Lazy([axis], lambda lo, ixs: v.lazy.element(lo, [ixs[0], ixs[0]]), v.lazy.reads)
    return Typed(None, Array(v.type.dtype, 1, (axis.token,)), lazy=lazy)
