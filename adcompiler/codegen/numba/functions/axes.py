"""Axes in another order, turned round, added or left out; and triangles of matrices."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....transform.code import call, constant
from ..arrays.arrays import array
from ..arrays.sums import with_ones
from ..lowering.calls import handles
from ..lowering.expressions import constant_of, tuple_of
from ..typed import Axis, Lazy, Typed
from ..types import Known, Scalar
from .creation import filled


def permuted(lo, v: Typed, order) -> Typed:
    """A view with the axes in another order."""
    v = array(lo, v)
    axes = [v.lazy.axes[k] for k in order]

    def element(lo, ixs):
        old = [None] * len(order)
        for at, k in enumerate(order):
            old[k] = ixs[at]
        return v.lazy.element(lo, old)

    node = None
    if v.node is not None and v.lazy.is_view:
        node = ast.Attribute(v.node, "T", ast.Load()) if order == list(range(v.type.rank))[::-1] else call(
            lo.np("transpose"), v.node, ast.Tuple([constant(k) for k in order], ast.Load()))
    t = replace(v.type, dims=tuple(a.token for a in axes))
    return Typed(node, t, lazy=replace(v.lazy, axes=axes, element=element, direct=False))


@handles(("attribute", "T"))
def _t(lo, args, kwargs):
    if isinstance(args[0].type, Scalar):
        return args[0]
    return permuted(lo, args[0], list(range(args[0].type.rank))[::-1])


@handles(np.transpose, np.ndarray.transpose)
def _transpose(lo, args, kwargs):
    v = args[0]
    given = args[1] if len(args) == 2 else kwargs.get("axes")
    if len(args) > 2:
        given = tuple_of(args[1:])
    if given is None or isinstance(given.type, Known):
        return _t(lo, [v], {})
    return permuted(lo, v, [a % v.type.rank for a in _constants(lo, given, "axes")])


def _constants(lo, given: Typed, what) -> list:
    """The integers of a constant tuple, list or number."""
    parts = given.items if given.items is not None else [given]
    if any(not p.is_known for p in parts):
        lo.refuse(f"{what} that are not constant")
    return [int(p.const) for p in parts]


@handles(np.swapaxes, np.ndarray.swapaxes)
def _swapaxes(lo, args, kwargs):
    order = list(range(args[0].type.rank))
    i, j = (_constants(lo, a, "axes")[0] for a in args[1:3])
    order[i], order[j] = order[j], order[i]
    return permuted(lo, args[0], order)


@handles(np.moveaxis)
def _moveaxis(lo, args, kwargs):
    rank = args[0].type.rank
    source = [a % rank for a in _constants(lo, args[1], "axes")]
    target = [a % rank for a in _constants(lo, args[2], "axes")]
    order = [k for k in range(rank) if k not in source]
    for to, of in sorted(zip(target, source, strict=True)):
        order.insert(to, of)
    return permuted(lo, args[0], order)


@handles(np.expand_dims)
def _expand_dims(lo, args, kwargs):
    given = args[1] if len(args) > 1 else kwargs["axis"]
    axes = _constants(lo, given, "axes")
    if isinstance(args[0].type, Scalar):
        return filled(lo, [Axis(1, lambda: constant(1)) for _ in axes], args[0], args[0].type.dtype)
    rank = args[0].type.rank + len(axes)
    return with_ones(lo, args[0], {a % rank for a in axes})


@handles(np.flip)
def _flip(lo, args, kwargs):
    v = array(lo, args[0])
    given = args[1] if len(args) > 1 else kwargs.get("axis")
    if given is None or isinstance(given.type, Known):
        return flipped(lo, v, set(range(v.type.rank)))
    return flipped(lo, v, {a % v.type.rank for a in _constants(lo, given, "axes")})


@handles(np.flipud)
def _flipud(lo, args, kwargs):
    return flipped(lo, array(lo, args[0]), {0})


@handles(np.fliplr)
def _fliplr(lo, args, kwargs):
    if args[0].type.rank < 2:
        lo.refuse("'numpy.fliplr' of a vector", "x[::-1]")
    return flipped(lo, array(lo, args[0]), {1})


def flipped(lo, v, axes) -> Typed:
    """The view that runs backwards along these axes."""
    from ..arrays.subscripts import viewed

    return viewed(lo, v, [
        ast.Slice(None, None, ast.UnaryOp(ast.USub(), constant(1))) if k in axes else ast.Slice()
        for k in range(v.type.rank)
    ])


@handles(np.squeeze, np.ndarray.squeeze)
def _squeeze(lo, args, kwargs):
    v = array(lo, args[0])
    given = args[1] if len(args) > 1 else kwargs.get("axis")
    if given is None:
        lo.refuse("'numpy.squeeze' without an axis", "name the axis")
    from ..arrays.arrays import item_at  # noqa: F401
    from ..arrays.subscripts import viewed

    axes = {a % v.type.rank for a in _constants(lo, given, "axes")}
    return viewed(lo, v, [constant_of(0) if k in axes else ast.Slice() for k in range(v.type.rank)], stays_array=True)


def _triangle(function, keeps):
    def made(lo, args, kwargs):
        v = array(lo, args[0])
        offset = args[1] if len(args) > 1 else kwargs.get("k", constant_of(0))
        if v.type.rank < 2:
            lo.refuse(f"'numpy.{function}' of what is not a matrix")
        offset = lo.held(offset)

        def element(lo, ixs):
            test = ast.Compare(ixs[-1], [keeps()], [ast.BinOp(ixs[-2], ast.Add(), offset.node)])
            return ast.IfExp(test, v.lazy.element(lo, ixs), constant(0.0 if v.type.kind == "f" else 0))

        lazy = Lazy(v.lazy.axes, element, v.lazy.reads)
        return Typed(None, replace(v.type, roots=frozenset()), lazy=lazy)

    return made


handles(np.tril)(_triangle("tril", ast.LtE))
handles(np.triu)(_triangle("triu", ast.GtE))
