"""Functions that make arrays."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from ....api import stop_gradient
from ....runtime.numba import lists as compiled_lists
from ....runtime.tangents import zero_tangent, zeros_laid_out
from ....transform.code import call, constant, name
from ..arrays.arrays import array, shape_items
from ..arrays.nests import settled
from .elementwise import ELEMENTWISE  # noqa: F401
from ..lowering.expressions import items_of, constant_of
from ..lowering.casts import cast, integer
from ..lowering.calls import handles
from ..typed import Axis, Lazy, Typed
from ..types import INT, Array, Items, Known, Listed, Scalar
from ..arrays.zero_d import NEW, is_zero_d, maybe_array, with_one_axis


def dtype_of(lo, given, default) -> np.dtype:
    """The dtype that an argument names."""
    if given is None or isinstance(given.type, Known) and given.type.value is None:
        return np.dtype(default)
    if not isinstance(given.type, Known):
        lo.refuse("a dtype that is computed")
    made = np.dtype(given.const)
    if made.kind not in "biufc":
        lo.refuse(f"arrays of {made}")
    return made


def shape_axes(lo, shape: Typed) -> list:
    """The axes of an array of this shape."""
    parts = shape.items if shape.items is not None else None
    if isinstance(shape.type, Scalar):
        parts = [shape]
    if parts is None and isinstance(shape.type, Items):
        parts = [
            Typed(ast.Subscript(shape.node, constant(k), ast.Load()), t) for k, t in enumerate(shape.type.items)
        ]
    if parts is None:
        lo.refuse("a shape that is not a tuple")
    axes = []
    for p in parts:
        p = integer(lo, p)
        if p.is_known:
            axes.append(Axis(int(p.const), lambda v=int(p.const): constant(v)))
            continue
        if not isinstance(p.node, (ast.Name, ast.Subscript)):
            p = lo.held(p, "extent")
        axes.append(Axis(p.type.token if p.type.token is not None else lo.token(), lambda p=p: p.node))
    return axes


def filled(lo, axes, value: Typed, dtype, printed=None) -> Typed:
    """A lazy array of one number. `printed`: the call that makes it, where it is needed as memory."""
    if not axes:
        return maybe_array(lo, value, dtype)
    value = lo.held(cast(lo, value, dtype))
    lengths = [constant(a.token) if isinstance(a.token, int) else a.extent() for a in axes]
    shape = lengths[0] if len(lengths) == 1 else ast.Tuple(lengths, ast.Load())
    if printed is None:
        printed = call(lo.np("full"), shape, value.node, lo.dtype(dtype))
    t = Array(dtype, len(axes), tuple(a.token for a in axes))
    return Typed(printed, t, lazy=Lazy(axes, lambda lo, ixs: value.node, constant=True), fresh=True)


def _plain(lo, function, axes, dtype, value):
    lengths = [constant(a.token) if isinstance(a.token, int) else a.extent() for a in axes]
    shape = lengths[0] if len(lengths) == 1 else ast.Tuple(lengths, ast.Load())
    args = [shape] if dtype == np.dtype(float) else [shape, lo.dtype(dtype)]
    return filled(lo, axes, constant_of(value), dtype, call(lo.np(function), *args))


def _zeros(function, value):
    def made(lo, args, kwargs):
        given = {**dict(zip(("shape", "dtype", "order"), args, strict=False)), **kwargs}
        dtype = dtype_of(lo, given.get("dtype"), float)
        if "order" in given and given["order"].const not in ("C", "K"):
            lo.refuse("arrays in Fortran order", "the default order")
        axes = shape_axes(lo, given["shape"])
        return _plain(lo, function, axes, dtype, dtype.type(value).item())

    return made


handles(np.zeros)(_zeros("zeros", 0))
handles(np.ones)(_zeros("ones", 1))
handles(np.empty)(_zeros("zeros", 0))


def _like(function, value):
    def made(lo, args, kwargs):
        if isinstance(args[0].type, Scalar):
            made = constant_of(args[0].type.dtype.type(value).item())
            made.type = replace(made.type, weak=False, boxes=NEW)
            return made
        dtype = dtype_of(lo, args[1] if len(args) > 1 else kwargs.get("dtype"), args[0].type.dtype)
        return _plain(lo, function, array(lo, args[0]).lazy.axes, dtype, dtype.type(value).item())

    return made


handles(np.zeros_like)(_like("zeros", 0))
handles(np.ones_like)(_like("ones", 1))
handles(np.empty_like)(_like("zeros", 0))


handles(zeros_laid_out)(_like("zeros", 0))


@handles(zero_tangent)
def _zero_tangent(lo, args, kwargs):
    if not isinstance(args[0].type, (Scalar, Array)) or args[0].type.kind not in "fc":
        lo.refuse("the tangent of this")
    return _like("zeros", 0)(lo, args, kwargs)


@handles(np.full)
def _full(lo, args, kwargs):
    given = {**dict(zip(("shape", "fill_value", "dtype"), args, strict=False)), **kwargs}
    value = given["fill_value"]
    if not isinstance(value.type, Scalar):
        lo.refuse("'numpy.full' of an array")
    dtype = dtype_of(lo, given.get("dtype"), value.type.dtype)
    return filled(lo, shape_axes(lo, given["shape"]), value, dtype)


@handles(np.full_like)
def _full_like(lo, args, kwargs):
    dtype = dtype_of(lo, args[2] if len(args) > 2 else kwargs.get("dtype"), args[0].type.dtype)
    return filled(lo, array(lo, args[0]).lazy.axes, args[1] if len(args) > 1 else kwargs["fill_value"], dtype)


@handles(np.arange)
def _arange(lo, args, kwargs):
    dtype = None if "dtype" not in kwargs else dtype_of(lo, kwargs["dtype"], float)
    if any(not isinstance(a.type, Scalar) for a in args):
        lo.refuse("these arguments of 'numpy.arange'")
    if all(a.type.kind in "iub" for a in args):
        return _integers(lo, args, dtype or np.dtype(np.int64))
    found = np.result_type(*[a.type.dtype for a in args])
    node = call(lo.np("arange"), *[a.node for a in args])
    return cast(lo, Typed(node, Array(found, 1, (None,))), dtype) if dtype else Typed(node, Array(found, 1, (None,)))


def _integers(lo, args, dtype):
    if len(args) > 2:
        node = call(lo.np("arange"), *[a.node for a in args])
        return Typed(node, Array(np.dtype(np.int64), 1, (None,)))
    start = args[0] if len(args) > 1 else constant_of(0)
    stop = lo.held(args[-1], "stop")
    start = lo.held(start, "start")
    if start.is_known and start.const == 0:
        token = stop.type.token if stop.type.low is not None and stop.type.low >= 0 else None
        length = stop if token is not None else lo.held(
            Typed(call(name("max"), constant(0), stop.node), Scalar(INT.dtype, True, 0, None, 1)), "extent")
    else:
        token = None
        length = call(name("max"), constant(0), ast.BinOp(stop.node, ast.Sub(), start.node))
        length = lo.held(Typed(length, Scalar(INT.dtype, True, 0, None, 1)), "extent")
    axis = Axis(token if token is not None else lo.token(), lambda: length.node)
    first = start

    def element(lo, ixs):
        node = ixs[0] if first.is_known and first.const == 0 else ast.BinOp(first.node, ast.Add(), ixs[0])
        from ..lowering.casts import as_dtype

        return as_dtype(lo, node, INT, dtype)

    return Typed(None, Array(dtype, 1, (axis.token,)), lazy=Lazy([axis], element))


@handles(np.linspace)
def _linspace(lo, args, kwargs):
    if kwargs or len(args) > 3 or any(not isinstance(a.type, Scalar) for a in args):
        lo.refuse("these arguments of 'numpy.linspace'")
    count = args[2] if len(args) > 2 else constant_of(50)
    axes = shape_axes(lo, count)
    node = call(lo.np("linspace"), args[0].node, args[1].node, count.node)
    return Typed(node, Array(np.dtype(float), 1, (axes[0].token,)))


@handles(np.eye, np.identity)
def _eye(lo, args, kwargs):
    if kwargs or len(args) > 2:
        lo.refuse("these arguments of 'numpy.eye'")
    rows = shape_axes(lo, args[0])[0]
    columns = shape_axes(lo, args[1])[0] if len(args) > 1 else rows

    def element(lo, ixs):
        return ast.IfExp(ast.Compare(ixs[0], [ast.Eq()], [ixs[1]]), constant(1.0), constant(0.0))

    return Typed(None, Array(np.dtype(float), 2, (rows.token, columns.token)), lazy=Lazy([rows, columns], element))


@handles(stop_gradient)
def _stop_gradient(lo, args, kwargs):
    """The number itself, or a copy of the array."""
    v = args[0]
    if isinstance(v.type, Scalar):
        return v
    if not isinstance(v.type, Array):
        lo.refuse("ad.stop_gradient of a container", "take it of its numbers and arrays")
    return array_from(lo, args, kwargs)


@handles(np.asarray, np.asanyarray)
def _asarray(lo, args, kwargs):
    """The array itself, if it has the dtype already."""
    v = args[0]
    given = args[1] if len(args) > 1 else kwargs.get("dtype")
    if isinstance(v.type, Scalar) and v.type.boxes and dtype_of(lo, given, v.type.dtype) == v.type.dtype:
        return v
    if isinstance(v.type, Array) and dtype_of(lo, given, v.type.dtype) == v.type.dtype and not set(kwargs) - {"dtype"}:
        return v
    return array_from(lo, args, kwargs)


@handles(np.ascontiguousarray)
def _ascontiguousarray(lo, args, kwargs):
    made = array_from(lo, args, kwargs)
    if is_zero_d(made):
        return with_one_axis(lo, made)
    if made.lazy is not None:
        made.lazy.alias = True
    return made


@handles(np.array, np.copy, np.ndarray.copy)
def array_from(lo, args, kwargs):
    """A new array of the same elements: a copy where it already is an array."""
    from ..containers.lists import element_of_all

    order = kwargs.pop("order", None)
    if set(kwargs) - {"dtype"} or len(args) > 2 or order is not None and order.const not in ("K", "C", "A"):
        lo.refuse(f"the argument '{next(iter(kwargs), 'order')}' of 'numpy.array'")
    v = args[0]
    given = args[1] if len(args) > 1 else kwargs.get("dtype")
    if isinstance(v.type, Scalar):
        return maybe_array(lo, v, dtype_of(lo, given, v.type.dtype))
    if isinstance(v.type, Array):
        dtype = dtype_of(lo, given, v.type.dtype)
        made = array(lo, cast(lo, v, dtype))
        return Typed(None, made.type, lazy=Lazy(made.lazy.axes, made.lazy.element, made.lazy.reads))
    if v.items is None and isinstance(v.type, Items):
        v = replace(v, items=items_of(v))
    if v.items is not None:
        return _from_items(lo, v, given)
    element = element_of_all(lo, v) if isinstance(v.type, Listed) else None
    if isinstance(element, Scalar):
        dtype = dtype_of(lo, given, element.dtype)
        node = call(lo.helper(compiled_lists.array_of), v.node, lo.dtype(element.dtype))
        return cast(lo, Typed(node, Array(element.dtype, 1, (None,))), dtype)
    if isinstance(element, Array) and element.rank:
        node = call(lo.helper(compiled_lists.stacked), v.node)
        return cast(lo, Typed(node, Array(element.dtype, element.rank + 1, (None,) * (element.rank + 1))), dtype_of(lo, given, element.dtype))
    lo.refuse("an array made of this", "use np.zeros, and store the elements")


def _from_items(lo, v, given):
    """An array of a display of numbers, arrays or displays."""
    from .joining import stacked

    items = v.items
    if not items:
        return filled(lo, [Axis(0, lambda: constant(0))], constant_of(0.0), dtype_of(lo, given, float))
    if all(isinstance(i.type, Scalar) for i in items):
        found = np.result_type(*[i.type.dtype for i in items])
        dtype = dtype_of(lo, given, found)
        made = lo.fresh("t")
        lo.assign(made, call(lo.np("empty"), constant(len(items)), lo.dtype(dtype)))
        for k, i in enumerate(items):
            where = ast.Subscript(name(made), constant(k), ast.Store())
            lo.emit(ast.Assign([where], cast(lo, i, dtype).node))
        lo.env[made] = Array(dtype, 1, (len(items),), lo.root(made))
        return lo.array_name(made)
    rows = [i if isinstance(i.type, Array) else array_from(lo, [i], {}) for i in items]
    made = stacked(lo, rows, 0)
    return cast(lo, made, dtype_of(lo, given, made.type.dtype))


@handles(np.ndarray.astype)
def _astype(lo, args, kwargs):
    copies = kwargs.get("copy", constant_of(True))
    if set(kwargs) - {"copy"} or not copies.is_known or len(args) != 2:
        lo.refuse("'astype' with these arguments", "only a dtype, and copy=")
    dtype = dtype_of(lo, args[1], float)
    if not copies.const and args[0].type.dtype == dtype:
        return args[0]
    if isinstance(args[0].type, Scalar):
        made = cast(lo, args[0], dtype)
        return Typed(made.node, Scalar(made.type.dtype, False))
    return array_from(lo, [cast(lo, args[0], dtype)], {})


__all__ = ["Listed", "filled", "settled", "shape_axes", "shape_items"]
