"""Linear algebra: what Numba compiles through LAPACK."""

from __future__ import annotations

import ast

import numpy as np

from ....runtime import mutators
from ....runtime.numba import matrices
from ....runtime.numba.matrices import cofactors
from ....transform.code import call, constant
from ..arrays.nests import settled
from ..lowering.casts import cast
from ..lowering.expressions import constant_of
from ..lowering.calls import handles
from .lanes import over
from .products import product
from .shapes import _tuple_parts
from .axes import permuted
from ..typed import Typed
from ..types import Array, Items, Scalar


def _matrix(lo, v, what):
    if not isinstance(v.type, Array) or v.type.rank != 2:
        lo.refuse(f"'{what}' of what is not one matrix", "write a loop over the matrices")
    v = cast(lo, v, v.type.dtype if v.type.kind in "fc" else np.dtype(float))
    return _plain(lo, v)


def _plain(lo, v):
    v = settled(lo, v)
    made = lo.fresh("t")
    lo.assign(made, call(lo.np("ascontiguousarray"), v.node))
    lo.env[made] = v.type
    return lo.array_name(made)


def _linalg(lo, attr, *nodes):
    return call(ast.Attribute(lo.np("linalg"), attr, ast.Load()), *nodes)


def stacked(lo, v, what) -> Typed:
    """A matrix, or a stack of matrices, of floats."""
    if isinstance(v.type, Array) and v.type.rank == 2:
        return _matrix(lo, v, what)
    if not isinstance(v.type, Array) or v.type.rank < 2:
        lo.refuse(f"'{what}' of what is not a matrix")
    return settled(lo, cast(lo, v, v.type.dtype if v.type.kind in "fc" else np.dtype(float)))


def last_axes(v, count=2) -> list:
    """The axes of one matrix of a stack."""
    return v.lazy.axes[v.type.rank - count:]


def contiguous(lo, nodes) -> list:
    """Rows of stacks as the library takes them."""
    return [call(lo.np("ascontiguousarray"), n) for n in nodes]


def _of_each(lo, attr, a, results):
    """`np.linalg.attr` of each matrix of a stack."""
    return over(lo, [a], [2], lambda rows: _linalg(lo, attr, *contiguous(lo, rows)), results)


@handles(np.linalg.inv)
def _inv(lo, args, kwargs):
    a = stacked(lo, args[0], "numpy.linalg.inv")
    if a.type.rank > 2:
        return _of_each(lo, "inv", a, [(last_axes(a), a.type.dtype)])[0]
    return Typed(_linalg(lo, "inv", a.node), Array(a.type.dtype, 2, a.type.dims))


@handles(np.linalg.det)
def _det(lo, args, kwargs):
    a = stacked(lo, args[0], "numpy.linalg.det")
    if a.type.rank > 2:
        return _of_each(lo, "det", a, [([], a.type.dtype)])[0]
    return lo.held(Typed(_linalg(lo, "det", a.node), Scalar(a.type.dtype, False)))


@handles(cofactors)
def _cofactors(lo, args, kwargs):
    a = stacked(lo, args[0], "numpy.linalg.det")
    if a.type.kind != "f":
        lo.refuse("the determinant of a complex matrix")
    if a.type.rank > 2:
        build = lambda rows: call(lo.helper(cofactors), *contiguous(lo, rows))  # noqa: E731
        return over(lo, [a], [2], build, [(last_axes(a), a.type.dtype)])[0]
    return Typed(call(lo.helper(cofactors), a.node), Array(a.type.dtype, 2, a.type.dims))


@handles(np.linalg.slogdet)
def _slogdet(lo, args, kwargs):
    a = stacked(lo, args[0], "numpy.linalg.slogdet")
    if a.type.rank > 2:
        made = _of_each(lo, "slogdet", a, [([], a.type.dtype), ([], np.zeros(0, a.type.dtype).real.dtype)])
        return Typed(None, Items(tuple(m.type for m in made)), items=made)
    t = Scalar(a.type.dtype, False)
    return Typed(_linalg(lo, "slogdet", a.node), Items((t, t)))


@handles(np.linalg.solve)
def _solve(lo, args, kwargs):
    a, b = stacked(lo, args[0], "numpy.linalg.solve"), args[1]
    if not isinstance(b.type, Array):
        lo.refuse("'numpy.linalg.solve' with a number")
    dtype = np.result_type(a.type.dtype, b.type.dtype)
    a, b = stacked(lo, cast(lo, a, dtype), "numpy.linalg.solve"), cast(lo, b, dtype)
    if a.type.rank > 2 or b.type.rank > 2:
        b, one = settled(lo, b), min(b.type.rank, 2)
        build = lambda rows: _linalg(lo, "solve", *contiguous(lo, rows))  # noqa: E731
        return over(lo, [a, b], [2, one], build, [(last_axes(b, one), dtype)])[0]
    b = _plain(lo, b)
    return Typed(_linalg(lo, "solve", a.node, b.node), Array(dtype, b.type.rank, b.type.dims))


@handles(np.linalg.cholesky)
def _cholesky(lo, args, kwargs):
    if kwargs:
        lo.refuse("'numpy.linalg.cholesky' with these arguments")
    a = stacked(lo, args[0], "numpy.linalg.cholesky")
    if a.type.rank > 2:
        return _of_each(lo, "cholesky", a, [(last_axes(a), a.type.dtype)])[0]
    return Typed(_linalg(lo, "cholesky", a.node), Array(a.type.dtype, 2, a.type.dims))


# -- diagonals ---------------------------------------------------------------------------------------------------------
def _floats(lo, a, wrap):
    if not isinstance(a.type, Array) or a.type.rank != 2 or a.type.dtype != np.dtype(float) or wrap and wrap.const is not False:
        lo.refuse("'numpy.fill_diagonal' of what is not a matrix of floats, or with wrap", "a loop: a[i, i] = v[i]")
    return settled(lo, a)


@handles(mutators.with_diagonal)
def _with_diagonal(lo, args, kwargs):
    given = dict(zip(("a", "val", "wrap"), args, strict=False)) | kwargs
    a, value = _floats(lo, given["a"], given.get("wrap")), given["val"]
    if not isinstance(value.type, (Array, Scalar)) or value.type.kind not in "iuf" or isinstance(value.type, Array) and value.type.rank != 1:
        lo.refuse("'numpy.fill_diagonal' with these values", "a number or a vector")
    value = cast(lo, value, np.dtype(float))
    values = settled(lo, value).node if isinstance(value.type, Array) else call(lo.np("full"), constant(1), value.node)
    return Typed(call(lo.helper(matrices.with_diagonal), a.node, values), Array(a.type.dtype, 2, a.type.dims))


@handles(mutators.diagonal_values)
def _diagonal_values(lo, args, kwargs):
    given = dict(zip(("y_bar", "shape", "wrap"), args, strict=False)) | kwargs
    y_bar, shape = _floats(lo, given["y_bar"], given.get("wrap")), given["shape"]
    if not isinstance(shape.type, Items) or len(shape.type.items) > 1:
        lo.refuse("'numpy.fill_diagonal' with these values", "a number or a vector")
    size = (shape.items or _tuple_parts(shape))[0] if shape.type.items else constant_of(1)
    made = call(lo.helper(matrices.diagonal_values), y_bar.node, size.node)
    if not shape.type.items:
        return Typed(ast.Subscript(made, constant(0), ast.Load()), Scalar(np.dtype(float), False))
    return Typed(made, Array(np.dtype(float), 1, (size.type.token,)))


__all__ = ["constant_of", "permuted", "product"]
