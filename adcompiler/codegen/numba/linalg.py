"""Linear algebra: what Numba compiles through LAPACK."""

from __future__ import annotations

import ast

import numpy as np

from ...runtime import mutators
from ...runtime.norms import norm_adjoint
from ...runtime.numba import matrices
from ...runtime.numba.matrices import cofactors
from ...transform.code import call, constant
from .arrays import settled
from .elementwise import ELEMENTWISE
from .expressions import binary, cast, constant_of
from .functions import handles
from .products import product
from .reductions import sum_of
from .shapes import _tuple_parts, permuted
from .typed import Typed
from .types import Array, Items, Scalar


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


@handles(np.linalg.inv)
def _inv(lo, args, kwargs):
    a = _matrix(lo, args[0], "numpy.linalg.inv")
    return Typed(_linalg(lo, "inv", a.node), Array(a.type.dtype, 2, a.type.dims))


@handles(np.linalg.det)
def _det(lo, args, kwargs):
    a = _matrix(lo, args[0], "numpy.linalg.det")
    return lo.held(Typed(_linalg(lo, "det", a.node), Scalar(a.type.dtype, False)))


@handles(cofactors)
def _cofactors(lo, args, kwargs):
    a = _matrix(lo, args[0], "numpy.linalg.det")
    if a.type.kind != "f":
        lo.refuse("the determinant of a complex matrix")
    return Typed(call(lo.helper(cofactors), a.node), Array(a.type.dtype, 2, a.type.dims))


@handles(np.linalg.slogdet)
def _slogdet(lo, args, kwargs):
    from .types import Items

    a = _matrix(lo, args[0], "numpy.linalg.slogdet")
    t = Scalar(a.type.dtype, False)
    return Typed(_linalg(lo, "slogdet", a.node), Items((t, t)))


@handles(np.linalg.solve)
def _solve(lo, args, kwargs):
    a = _matrix(lo, args[0], "numpy.linalg.solve")
    if not isinstance(args[1].type, Array) or args[1].type.rank > 2:
        lo.refuse("'numpy.linalg.solve' of a stack of matrices", "write a loop over the matrices")
    b = _plain(lo, cast(lo, args[1], a.type.dtype))
    return Typed(_linalg(lo, "solve", a.node, b.node), Array(a.type.dtype, b.type.rank, b.type.dims))


@handles(np.linalg.cholesky)
def _cholesky(lo, args, kwargs):
    if kwargs:
        lo.refuse("'numpy.linalg.cholesky' with these arguments")
    a = _matrix(lo, args[0], "numpy.linalg.cholesky")
    return Typed(_linalg(lo, "cholesky", a.node), Array(a.type.dtype, 2, a.type.dims))


@handles(np.linalg.norm)
def _norm(lo, args, kwargs):
    """The Euclidean norm of all elements."""
    if len(args) > 1 or kwargs:
        lo.refuse("'numpy.linalg.norm' with an order or an axis", "write np.sqrt(np.sum(x ** 2, axis=...))")
    v = args[0]
    if v.type.kind == "c":
        lo.refuse("the norm of complex numbers")
    if v.type.kind != "f":
        v = cast(lo, v, np.dtype(float))
    v = settled(lo, v) if isinstance(v.type, Array) else lo.held(v)
    return ELEMENTWISE[np.sqrt](lo, [sum_of(lo, binary(lo, ast.Mult, v, v))])


@handles(norm_adjoint)
def _norm_adjoint(lo, args, kwargs):
    if len(args) > 3 and not all(a.is_known and a.const in (None, False) for a in args[3:]) or kwargs:
        lo.refuse("the adjoint of a norm with an order or an axis")
    y_bar, y, x = args[:3]
    y_bar, y = lo.held(y_bar), lo.held(y)
    safe = Typed(ast.IfExp(ast.Compare(y.node, [ast.Eq()], [constant(0)]), constant(1.0), y.node),
                 Scalar(y.type.dtype, False))
    return binary(lo, ast.Mult, y_bar, binary(lo, ast.Div, x, lo.held(safe)))


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
