"""Running sums and products along an axis, products of all other elements, and their adjoints."""

from __future__ import annotations

import numpy as np

from ....runtime.numba import reductions as compiled
from ....runtime.reduction_tangents import cumprod_tangent
from ....runtime.reductions import cumprod_adjoint, cumsum_from_end, products_of_others
from ....transform.code import call
from ..arrays.arrays import array, shape_items
from ..arrays.nests import settled
from ..examples import element_type
from ..lowering.casts import cast
from ..lowering.expressions import constant_of
from ..lowering.calls import handles
from .lanes import scanned
from .reductions import _arguments, _axes, _chosen, _is_absent, _is_all, _mask
from .elementwise import where as elementwise_where
from .shapes import reshaped
from ..types import Array


def _scan(lo, helper, values, axis, dtype, flat_result=True):
    """`helper` of each row of the values along an axis; without one, of all elements in a row."""
    values = [array(lo, v) for v in values]
    rank = values[-1].type.rank
    if rank == 1 or not _is_absent(axis):
        k = 0 if _is_absent(axis) else axis.const % rank if axis.is_known else lo.refuse("an axis that is not constant")
        return scanned(lo, values, [k], lambda rows: call(lo.helper(helper), *rows), dtype)
    shape = shape_items(lo, values[-1])
    flat = [reshaped(lo, v, constant_of(-1)) for v in values]
    made = scanned(lo, flat, [0], lambda rows: call(lo.helper(helper), *rows), dtype)
    return made if flat_result else reshaped(lo, made, shape)


def _running(function, helper):
    def made(lo, args, kwargs):
        v, axis, _ = _arguments(lo, function, args, kwargs)
        if not isinstance(v.type, Array):
            lo.refuse(f"'{function.__name__}' of what is not an array")
        dtype = element_type(function, [v.type]).dtype
        return _scan(lo, helper, [cast(lo, v, dtype)], axis, dtype)

    return made


handles(np.cumsum, np.ndarray.cumsum)(_running(np.cumsum, compiled.running_sum))
handles(np.cumprod, np.ndarray.cumprod)(_running(np.cumprod, compiled.running_product))


@handles(cumsum_from_end)
def _cumsum_from_end(lo, args, kwargs):
    return _scan(lo, compiled.running_sum_from_end, args[:1], args[1] if len(args) > 1 else kwargs["axis"], args[0].type.dtype)


def _of_floats(function, helper):
    """The adjoint or the tangent of a running product: of a direction and the factors."""

    def made(lo, args, kwargs):
        axis = args[2] if len(args) > 2 else kwargs.get("axis")
        values = [settled(lo, v) for v in args[:2]]
        if any(not isinstance(v.type, Array) or v.type.kind != "f" for v in values):
            lo.refuse("the derivative of 'numpy.cumprod' of other than floats")
        return _scan(lo, helper, values, axis, values[1].type.dtype, flat_result=function is cumprod_tangent)

    return made


handles(cumprod_adjoint)(_of_floats(cumprod_adjoint, compiled.running_product_adjoint))
handles(cumprod_tangent)(_of_floats(cumprod_tangent, compiled.running_product_tangent))


@handles(products_of_others)
def _products_of_others(lo, args, kwargs):
    given = {**dict(zip(("a", "axis", "where"), args, strict=False)), **kwargs}
    a, where = given["a"], given.get("where")
    if not isinstance(a.type, Array) or a.type.kind not in "fc":
        lo.refuse("the derivative of 'numpy.prod' of what is not an array of floats")
    a = settled(lo, a)
    axes = _axes(lo, given.get("axis"), a.type.rank) or list(range(a.type.rank))
    chosen = _chosen(lo, a, where, constant_of(1))
    made = scanned(lo, [chosen], axes, lambda rows: call(lo.helper(compiled.products_of_others), *rows), a.type.dtype)
    return made if _is_all(where) else elementwise_where(lo, _mask(lo, a, where), made, constant_of(0.0))

