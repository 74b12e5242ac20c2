"""Axes in another order, and back: the adjoints of `np.transpose` and `np.rollaxis`, and `np.matrix_transpose`."""

from __future__ import annotations

import numpy as np

from ....runtime.shape import inverse_permutation, unroll_axis, untranspose
from ..lowering.calls import handles
from ..lowering.expressions import constant_of, tuple_of
from ..types import Known
from .axes import _constants, permuted


def _order(lo, given, rank) -> list:
    """The axes of `a.transpose(*axes)`: none, one None, one sequence, or one number per axis."""
    if len(given) == 1 and (given[0].items is not None or isinstance(given[0].type, Known) and given[0].const is None):
        given = given[0].items or []
    axes = [n for axis in given for n in _constants(lo, axis, "axes")]
    if not axes:
        return list(range(rank))[::-1]
    if sorted(a % rank for a in axes) != list(range(rank)):
        lo.refuse("axes that do not fit the array", f"each of the {rank} axes once")
    return [a % rank for a in axes]


@handles(untranspose)
def _untranspose(lo, args, kwargs):
    order = _order(lo, args[1].items or [], args[0].type.rank)
    return permuted(lo, args[0], [int(k) for k in np.argsort(order)])


@handles(inverse_permutation)
def _inverse_permutation(lo, args, kwargs):
    return tuple_of([constant_of(k) for k in inverse_permutation(_constants(lo, args[0], "axes"))])


@handles(np.matrix_transpose, ("attribute", "mT"))
def _matrix_transpose(lo, args, kwargs):
    axes = list(range(args[0].type.rank))
    return permuted(lo, args[0], [*axes[:-2], axes[-1], axes[-2]])


def _moved(lo, a, source, target):
    order = [k for k in range(a.type.rank) if k != source]
    order.insert(target, source)
    return permuted(lo, a, order)


@handles(np.rollaxis)
def _rollaxis(lo, args, kwargs):
    given = dict(zip(("a", "axis", "start"), args, strict=False)) | kwargs
    a, (axis, start) = given["a"], _axis_and_start(lo, given)
    return _moved(lo, a, axis, start - 1 if axis < start else start)


@handles(unroll_axis)
def _unroll_axis(lo, args, kwargs):
    given = dict(zip(("a", "axis", "start"), args, strict=False)) | kwargs
    a, (axis, start) = given["a"], _axis_and_start(lo, given)
    return _moved(lo, a, start - 1 if axis < start else start, axis)


def _axis_and_start(lo, given):
    rank = given["a"].type.rank
    axis = _constants(lo, given["axis"], "axes")[0] % rank
    start = _constants(lo, given["start"], "axes")[0] if "start" in given else 0
    return axis, start + rank if start < 0 else start
