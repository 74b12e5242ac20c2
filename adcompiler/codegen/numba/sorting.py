"""Sorting of vectors."""

from __future__ import annotations

import numpy as np

from ...transform.code import call, constant
from .arrays import settled
from .functions import handles
from .typed import Typed
from .types import Array


def _vector(lo, args, kwargs, function):
    kind = kwargs.pop("kind", None)
    axis = args[1] if len(args) > 1 else kwargs.pop("axis", None)
    if kwargs or len(args) > 2 or kind is not None and not isinstance(kind.const, str):
        lo.refuse(f"these arguments of '{function}'")
    v = args[0]
    if not isinstance(v.type, Array) or v.type.rank != 1 or axis is not None and axis.const not in (0, -1):
        lo.refuse(f"'{function}' of what is not a vector", "write a loop over the rows")
    return settled(lo, v)


@handles(np.sort)
def _sort(lo, args, kwargs):
    v = _vector(lo, args, kwargs, "numpy.sort")
    return Typed(call(lo.np("sort"), v.node), Array(v.type.dtype, 1, v.type.dims))


@handles(np.argsort, np.ndarray.argsort)
def _argsort(lo, args, kwargs):
    """Stable, so that the order of equal elements is that of the adjoint's ranks."""
    v = _vector(lo, args, kwargs, "numpy.argsort")
    made = lo.fresh("order")
    lo.assign(made, call(lo.np("argsort"), v.node, kind=constant("mergesort")))
    lo.env[made] = Array(np.dtype(np.int64), 1, v.type.dims, lo.root(made))
    lo.inside[made] = lo.env[made].dims[0]
    return lo.array_name(made)


@handles(np.take_along_axis)
def _take_along_axis(lo, args, kwargs):
    from .subscripts import gathered

    if any(not isinstance(a.type, Array) or a.type.rank != 1 for a in args[:2]):
        lo.refuse("'numpy.take_along_axis' of what is not a vector", "write a loop over the rows")
    return gathered(lo, settled(lo, args[0]), [settled(lo, args[1])], None)


@handles(np.take)
def _take(lo, args, kwargs):
    from .subscripts import gathered

    if kwargs or len(args) != 2 or args[0].type.rank != 1 or not isinstance(args[1].type, Array):
        lo.refuse("'numpy.take' with these arguments", "use an index: x[i]")
    return gathered(lo, settled(lo, args[0]), [args[1]], None)
