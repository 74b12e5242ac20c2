"""Products of vectors and matrices."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....runtime.selecting import from_diagonal
from ....runtime.numba import checks
from ....runtime.numba import products as compiled
from ....runtime.numba.reshaping import diagonal_of
from ....transform.code import call, constant, name, nodes_in
from ..arrays.sums import addition, total, with_ones
from ..arrays.arrays import array, extents, lasting
from ..arrays.nests import settled
from ..lowering.operators import binary
from ..lowering.casts import cast
from ..lowering.expressions import constant_of
from .creation import shape_axes
from ..lowering.calls import handles
from ..typed import Axis, Lazy, Typed
from ..types import Array, Items, Scalar


_OF_RANKS = {(2, 1): compiled.matrix_vector, (1, 2): compiled.vector_matrix, (2, 2): compiled.matrix_matrix}


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
    if ranks == (2, 1) and _is_part(left):
        return _by_rows(lo, left, right)
    if ranks == (1, 2) and _is_part(right):
        return _by_rows(lo, _transposed(right), left)
    left, right = _contiguous(lo, left), _contiguous(lo, right)
    function = lo.helper(_OF_RANKS[ranks]) if dtype == np.dtype(float) else lo.np("dot")
    node = call(function, left.node, right.node)
    dims = left.type.dims[:-1] + (right.type.dims[1:] if ranks[1] == 2 else ())
    return Typed(node, Array(dtype, len(dims), dims, lo.root(f"product {ast.unparse(node)}")))


def _is_part(matrix: Typed) -> bool:
    """Is this a view of real numbers that a library of products would copy first?"""
    return matrix.lazy.is_view and not matrix.lazy.direct and matrix.type.kind == "f"


def _transposed(matrix: Typed) -> Typed:
    lazy = matrix.lazy
    turned = replace(lazy, axes=lazy.axes[::-1], element=lambda lo, ixs: lazy.element(lo, ixs[::-1]), direct=False)
    return Typed(None, replace(matrix.type, dims=matrix.type.dims[::-1]), lazy=turned)


def _by_rows(lo, matrix: Typed, vector: Typed) -> Typed:
    """`matrix @ vector` in loops that run along the rows as they lie in memory, without a copy of the part."""
    is_turned = _runs_along_columns(lo, matrix)
    if not (vector.lazy.is_view or is_turned):  # each of its elements is needed once where the rows lie turned
        vector = settled(lo, vector)
    inner, own = matrix.lazy.axes[1], vector.lazy.axes[0]
    if not lo.are_equal(inner.token, own.token):
        lo.emit(ast.Expr(call(lo.helper(checks.same_extent), inner.extent(), own.extent())))
        lo.set_equal(inner.token, own.token)
    rows, columns = extents(lo, matrix.lazy)
    made, i, j = lo.fresh("product"), lo.fresh("i"), lo.fresh("j")
    lo.counters |= {i, j}
    lo.assign(made, call(lo.np("zeros" if is_turned else "empty"), rows, lo.dtype(matrix.type.dtype)))
    element = matrix.lazy.element(lo, [name(i), name(j)])
    place = ast.Subscript(name(made), name(i), ast.Store())
    if is_turned:
        out, lo.out = lo.out, []
        factor = lo.held(Typed(vector.lazy.element(lo, [name(j)]), Scalar(vector.type.dtype, False)), "factor").node
        term = ast.BinOp(element, ast.Mult(), factor)
        lo.emit(ast.For(name(i, True), call(name("range"), rows), [ast.AugAssign(place, ast.Add(), term)], []))
        inside, lo.out = lo.out, out
        lo.emit(ast.For(name(j, True), call(name("range"), columns), inside, []))
    else:
        term = ast.BinOp(element, ast.Mult(), vector.lazy.element(lo, [name(j)]))
        total = lo.fresh("total")
        t = Scalar(matrix.type.dtype, False)
        lo.env[total] = t
        lo.emit(ast.For(name(i, True), call(name("range"), rows), [
            ast.Assign([name(total, True)], constant(0.0) if t.dtype == float else call(lo.dtype(t.dtype), constant(0.0))),
            ast.For(name(j, True), call(name("range"), columns), [addition(lo, total, term, t)], []),
            ast.Assign([place], name(total)),
        ], []))
    token = matrix.lazy.axes[0].token
    lo.env[made] = Array(matrix.type.dtype, 1, (token,), lo.root(made))
    lo.env[made] = lasting(lo, lo.array_name(made))
    return lo.array_name(made)


def _runs_along_columns(lo, matrix) -> bool:
    """Does the second index of this view stand in front of the first where the elements lie?"""
    probe = [name("index 0"), name("index 1")]
    out, lo.out = lo.out, []
    element = matrix.lazy.element(lo, probe)
    lo.out = out
    order = [n.id for n in nodes_in(element) if isinstance(n, ast.Name) and n.id.startswith("index ")]
    return order == ["index 1", "index 0"]


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


@handles(np.inner)
def _inner(lo, args, kwargs):
    left, right = args
    if any(isinstance(a.type, Array) and a.type.rank != 1 for a in args):
        lo.refuse("'numpy.inner' of matrices", "use '@' with the transpose of the second")
    return product(lo, np.dot, left, right)


@handles(np.vdot)
def _vdot(lo, args, kwargs):
    """Of all elements, in C order; those of the first are conjugated."""
    from .elementwise import ELEMENTWISE
    from .shapes import reshaped

    left, right = (reshaped(lo, a, constant_of(-1)) if isinstance(a.type, Array) and a.type.rank > 1 else a for a in args)
    return product(lo, np.dot, ELEMENTWISE[np.conjugate](lo, [left]), right)


@handles(np.outer)
def _outer(lo, args, kwargs):
    if kwargs or any(not isinstance(a.type, Array) or a.type.rank != 1 for a in args):
        lo.refuse("'numpy.outer' of what is not two vectors")
    left, right = (settled(lo, a) if not array(lo, a).lazy.is_view else array(lo, a) for a in args)
    return binary(lo, ast.Mult, with_ones(lo, left, {1}), with_ones(lo, right, {0}))


@handles(np.trace, np.ndarray.trace)
def _trace(lo, args, kwargs):
    offset = args[1] if len(args) > 1 else kwargs.get("offset", constant_of(0))
    if len(args) > 2 or set(kwargs) - {"offset"} or args[0].type.rank != 2 or not offset.is_known:
        lo.refuse("these arguments of 'numpy.trace'")
    return total(lo, diagonal(lo, args[0], offset.const), Scalar(args[0].type.dtype, False))


@handles(np.diag, np.diagonal, np.ndarray.diagonal)
def _diag(lo, args, kwargs):
    given = {**dict(zip(("offset", "axis1", "axis2"), args[1:], strict=False)), **kwargs}
    offset = given.pop("offset", given.pop("k", constant_of(0)))
    axes = [given.pop(n, constant_of(k)) for k, n in enumerate(("axis1", "axis2"))]
    if given or not offset.is_known or [a.const for a in axes if a.is_known] != [0, 1] or args[0].type.rank > 2:
        lo.refuse("'numpy.diagonal' of stacks of matrices, or at an offset that is not constant", "a loop over the elements")
    if args[0].type.rank == 1:
        return _of_diagonal(lo, args[0], offset.const)
    return diagonal(lo, args[0], offset.const)


def _of_diagonal(lo, v, offset):
    """`np.diag(v, k)` of a vector: the matrix with this diagonal."""
    v = settled(lo, v)
    extent = lo.fresh("extent")
    lo.assign(extent, _more(v.lazy.axes[0].extent(), abs(offset)))
    axis = Axis(v.lazy.axes[0].token if not offset else lo.token(), lambda: name(extent))
    zero = cast(lo, constant_of(0), v.type.dtype).node

    def element(lo, ixs):
        on = ast.Compare(_more(ixs[1], max(-offset, 0)), [ast.Eq()], [_more(ixs[0], max(offset, 0))])
        return ast.IfExp(on, v.lazy.element(lo, [ixs[0] if offset >= 0 else ixs[1]]), zero)

    t = Array(v.type.dtype, 2, (axis.token, axis.token))
    return Typed(None, t, lazy=Lazy([axis, axis], element, v.lazy.reads))


@handles(from_diagonal)
def _from_diagonal(lo, args, kwargs):
    value, shape = args[:2]
    given = [a.const if a.is_known else None for a in args[2:]]
    offset = given[0] if given else 0
    if offset is None or given[1:] not in ([], [0, 1]) or kwargs:
        lo.refuse("the adjoint of this diagonal")
    if isinstance(shape.type, Items) and len(shape.type.items) != 2:
        lo.refuse("the adjoint of the diagonal of what is not a matrix")
    axes = shape_axes(lo, shape)
    value = settled(lo, value) if isinstance(value.type, Array) else lo.held(value)
    one = isinstance(value.type, Array) and value.lazy.axes[0].token == 1

    def element(lo, ixs):
        entry = value.node if isinstance(value.type, Scalar) else value.lazy.element(
            lo, [constant(0) if one else ixs[0] if offset >= 0 else ixs[1]])
        on = ast.Compare(_more(ixs[0], max(offset, 0)), [ast.Eq()], [_more(ixs[1], max(-offset, 0))])
        return ast.IfExp(on, entry, constant(0.0))

    reads = value.lazy.reads if isinstance(value.type, Array) else []
    t = Array(value.type.dtype, 2, tuple(a.token for a in axes))
    return Typed(None, t, lazy=Lazy(axes, element, reads))


def diagonal(lo, v: Typed, offset=0) -> Typed:
    """A diagonal of a matrix: in NumPy a view."""
    v = array(lo, v)
    rows, columns = v.lazy.axes
    if not offset and lo.are_equal(rows.token, columns.token):
        axis = rows
    else:
        held = lo.fresh("extent")
        across, down = _less(columns.extent(), max(offset, 0)), _less(rows.extent(), max(-offset, 0))
        shorter = call(name("min"), down, across)
        lo.assign(held, shorter if not offset else call(name("max"), constant(0), shorter))
        axis = Axis(lo.token(), lambda: name(held))

    def element(lo, ixs):
        return v.lazy.element(lo, [_more(ixs[0], max(-offset, 0)), _more(ixs[0], max(offset, 0))])

    t = Array(v.type.dtype, 1, (axis.token,), v.type.roots if v.lazy.is_view else frozenset())
    node = call(lo.helper(diagonal_of), v.node, constant(offset)) if v.lazy.is_view and v.node is not None else None
    return Typed(node, t, lazy=Lazy([axis], element, v.lazy.reads, alias=v.lazy.is_view))


def _more(node, count):
    return ast.BinOp(node, ast.Add(), constant(count)) if count else node


def _less(node, count):
    return ast.BinOp(node, ast.Sub(), constant(count)) if count else node
