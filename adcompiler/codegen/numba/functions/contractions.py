"""Sums of products over named axes: einsum, tensordot, products of stacks of matrices, and their adjoints, as loops.

Every operand has a letter per axis. The result is a loop over all letters that sums the products of the elements; the
adjoint of an operand is the same loop, which adds the product of the others where the operand has been read.
"""

from __future__ import annotations

import ast
import functools

import numpy as np

from ....runtime import products as runtime
from ....runtime.einsum import einsum_adjoint, expand_subscripts
from ....runtime.numba import checks
from ....transform.code import call, constant, name
from ..arrays.arrays import array, extents, packed_index
from ..arrays.nests import nest, settled
from ..arrays.sums import total, total_over
from .creation import shape_axes
from ..lowering.casts import cast
from ..lowering.calls import handles
from ..typed import Axis, Lazy, Typed
from ..types import Array, Scalar

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def contraction(lo, operands, inputs, output) -> Typed:
    """The array (or the number) with the letters `output`: sums of products of the operands."""
    operands, dtype = _prepared(lo, operands)
    axes = _axes(lo, [o.lazy.axes for o in operands], inputs)
    letters = [*output, *[c for c in axes if c not in output]]
    if any(c not in axes for c in output) or len(set(output)) < len(output):
        lo.refuse("this result of 'numpy.einsum'", "indices of the operands, each once")

    def element(lo, ixs):
        at = dict(zip(letters, ixs, strict=True))
        return _product([o.lazy.element(lo, [at[c] for c in s]) for o, s in zip(operands, inputs, strict=True)])

    t = Array(dtype, len(letters), tuple(axes[c].token for c in letters))
    reads = [r for o in operands for r in o.lazy.reads]
    whole = Typed(None, t, lazy=Lazy([axes[c] for c in letters], element, reads))
    summed = set(range(len(output), len(letters)))
    if not output:
        return total(lo, whole, Scalar(dtype, False))
    return total_over(lo, whole, summed, False, dtype) if summed else whole


def contraction_adjoint(lo, y_bar, output, others, other_inputs, own, shape) -> Typed:
    """The adjoint of an operand with the letters `own` and the axes `shape`, given those of the result and the others."""
    factors, dtype = _prepared(lo, [*( [y_bar] if output else []), *others])
    inputs = [*([output] if output else []), *other_inputs]
    axes = _axes(lo, [*[f.lazy.axes for f in factors], shape], [*inputs, own])
    if not output:
        y_bar = lo.held(y_bar)
        dtype = np.result_type(dtype, y_bar.type.dtype) if factors else y_bar.type.dtype
    if dtype.kind == "c":
        lo.refuse("the adjoint of a sum of products of complex arrays", "use loops")
    lengths = [constant(a.token) if isinstance(a.token, int) else a.extent() for a in shape]
    made = lo.fresh("t")
    lo.assign(made, call(lo.np("zeros"), packed_index(lengths), lo.dtype(dtype)))
    letters = [*dict.fromkeys(own), *[c for c in axes if c not in own]]
    lazy = Lazy([axes[c] for c in letters], None)

    def body(ixs):
        at = dict(zip(letters, ixs, strict=True))
        parts = [f.lazy.element(lo, [at[c] for c in s]) for f, s in zip(factors, inputs, strict=True)]
        where = ast.Subscript(name(made), packed_index([at[c] for c in own]), ast.Store())
        lo.emit(ast.AugAssign(where, ast.Add(), _product([*([] if output else [y_bar.node]), *parts])))

    nest(lo, lazy, body)
    lo.env[made] = Array(dtype, len(own), tuple(a.token for a in shape), lo.root(made))
    return lo.array_name(made)


def _product(nodes):
    return functools.reduce(lambda a, b: ast.BinOp(a, ast.Mult(), b), nodes)


def _prepared(lo, operands):
    """The operands as arrays of one dtype, each element of which is at hand without a computation."""
    dtype = np.result_type(*[o.type.dtype for o in operands]) if operands else np.dtype(float)
    made = []
    for o in operands:
        if not isinstance(o.type, Array):
            lo.refuse("a sum of products with a number", "multiply by it apart")
        o = array(lo, cast(lo, o, dtype))
        made.append(o if o.lazy.is_view or o.lazy.constant else settled(lo, o))
    return made, dtype


def _axes(lo, all_axes, inputs) -> dict:
    """The axis of each letter; extents that must be equal are compared."""
    found: dict[str, Axis] = {}
    for own, letters in zip(all_axes, inputs, strict=True):
        if len(own) != len(letters):
            lo.refuse(f"the subscripts '{letters}' of an array of rank {len(own)}")
        for a, c in zip(own, letters, strict=True):
            if c not in found:
                found[c] = a
            elif not lo.are_equal(a.token, found[c].token):
                if lo.options.get("broadcasting") or 1 in (a.token, found[c].token):
                    lo.refuse("a sum of products along an axis of length 1 that stands beside another one",
                              "np.broadcast_to, or index the axis")
                lo.emit(ast.Expr(call(lo.helper(checks.same_extent), found[c].extent(), a.extent())))
                lo.set_equal(a.token, found[c].token)
    lazy = Lazy(list(found.values()), None)
    extents(lo, lazy)
    return found


# -- einsum ------------------------------------------------------------------------------------------------------------
def _text(lo, value):
    if not value.is_known or not isinstance(value.const, str):
        lo.refuse("'numpy.einsum' without a constant text of subscripts", "write the text out: np.einsum('ij,jk', a, b)")
    return value.const


@handles(np.einsum)
def _einsum(lo, args, kwargs):
    if set(kwargs) - {"optimize"}:
        lo.refuse("these arguments of 'numpy.einsum'")
    subscripts = _text(lo, args[0])
    operands = args[1:]
    inputs, output = expand_subscripts(subscripts, tuple(_rank(o) for o in operands))
    return contraction(lo, operands, inputs, output)


def _rank(o):
    return o.type.rank if isinstance(o.type, Array) else 0


@handles(einsum_adjoint)
def _einsum_adjoint(lo, args, kwargs):
    y_bar, subscripts, operands, index = args[:4]
    operands, k = operands.items, index.const
    inputs, output = expand_subscripts(_text(lo, subscripts), tuple(_rank(o) for o in operands))
    others = [o for j, o in enumerate(operands) if j != k]
    other_inputs = [s for j, s in enumerate(inputs) if j != k]
    shape = array(lo, operands[k]).lazy.axes
    return contraction_adjoint(lo, y_bar, output, others, other_inputs, inputs[k], shape)


# -- products of arrays of any rank ------------------------------------------------------------------------------------
def matmul_letters(left, right):
    """Letters of `x @ y` for two ranks.

    >>> matmul_letters(3, 2)
    ('cij', 'jk', 'cik')
    """
    batch = "cdefgh"
    a = batch[max(0, right - left) :][: max(left - 2, 0)]
    longest = max(left, right) - 2
    b = batch[longest - max(right - 2, 0) : longest] if right > 2 else ""
    a = batch[longest - max(left - 2, 0) : longest] if left > 2 else ""
    rows, columns = ("i" if left > 1 else ""), ("k" if right > 1 else "")
    whole = a if len(a) >= len(b) else b
    return a + rows + "j", b + "j" + columns, whole + rows + columns


def dot_letters(left, right):
    """Letters of `np.dot(x, y)`, which sums over the last axis of `x` and the last but one of `y`.

    >>> dot_letters(3, 3)
    ('abz', 'czd', 'abcd')
    """
    a = LETTERS[: left - 1] + "z"
    b = LETTERS[left - 1 : left - 1 + right - 1]
    inner = b[:-1] + "z" + b[-1:] if right > 1 else "z"
    return a, inner, a[:-1] + b


def high_rank_product(lo, function, left, right) -> Typed:
    """`left @ right` or `np.dot(left, right)` of arrays of rank 3 and more."""
    letters = (matmul_letters if function is np.matmul else dot_letters)(left.type.rank, right.type.rank)
    return contraction(lo, [left, right], letters[:2], letters[2])


def _left(letters_of):
    def handler(lo, args, kwargs):
        y_bar, shape, right = args[:3]
        axes = shape_axes(lo, shape)
        a, b, output = letters_of(len(axes), _rank(right))
        return contraction_adjoint(lo, y_bar, output, [right], [b], a, axes)

    return handler


def _right(letters_of):
    def handler(lo, args, kwargs):
        y_bar, left, shape = args[:3]
        axes = shape_axes(lo, shape)
        a, b, output = letters_of(_rank(left), len(axes))
        return contraction_adjoint(lo, y_bar, output, [left], [a], b, axes)

    return handler


handles(runtime.matmul_left_adjoint)(_left(matmul_letters))
handles(runtime.matmul_right_adjoint)(_right(matmul_letters))
handles(runtime.dot_left_adjoint)(_left(dot_letters))
handles(runtime.dot_right_adjoint)(_right(dot_letters))


# -- tensordot ---------------------------------------------------------------------------------------------------------
def tensordot_letters(lo, axes, left, right):
    """Letters of `np.tensordot(x, y, axes)`."""
    known = _constant_axes(lo, axes)
    pairs = runtime._paired_axes(known, left, right)
    a = list(LETTERS[:left])
    b = list(LETTERS[left : left + right])
    for p, q in zip(*pairs, strict=True):
        b[q % right] = a[p % left]
    output = [c for c in a if c not in b] + [c for c in b if c not in a]
    return "".join(a), "".join(b), "".join(output)


def _constant_axes(lo, axes):
    if axes is None:
        return 2
    if axes.is_known:
        return axes.const
    if axes.items is not None:
        return tuple(_constant_axes(lo, i) for i in axes.items)
    lo.refuse("'numpy.tensordot' along axes that are not constant")


@handles(np.tensordot)
def _tensordot(lo, args, kwargs):
    axes = args[2] if len(args) > 2 else kwargs.get("axes")
    a, b, output = tensordot_letters(lo, axes, _rank(args[0]), _rank(args[1]))
    return contraction(lo, args[:2], [a, b], output)


@handles(runtime.tensordot_left_adjoint)
def _tensordot_left(lo, args, kwargs):
    y_bar, shape, right, axes = args
    own = shape_axes(lo, shape)
    a, b, output = tensordot_letters(lo, axes, len(own), _rank(right))
    return contraction_adjoint(lo, y_bar, output, [right], [b], a, own)


@handles(runtime.tensordot_right_adjoint)
def _tensordot_right(lo, args, kwargs):
    y_bar, left, shape, axes = args
    own = shape_axes(lo, shape)
    a, b, output = tensordot_letters(lo, axes, _rank(left), len(own))
    return contraction_adjoint(lo, y_bar, output, [left], [a], b, own)


__all__ = ["contraction", "contraction_adjoint", "high_rank_product"]
