"""Rules of array constructors: arrays from values, from ranges, and matrices of powers."""

from __future__ import annotations

import numpy as np

from ..ir.types import OPAQUE, Num, Tup
from ..runtime.creating import regrid, ungrid, unit_steps, vander_slopes, weighted_sum
from ..runtime.joining import nested_shapes, unstack_like
from ..runtime.shape import unbroadcast
from .registry import LISTS, conj, inactive, ndim, rule, shapes

# ---- from existing data: an array, a scalar, or nested lists of them --------------------------------------------


@rule(np.array, when={"copy": True}, linear=("object",))
def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0):
    y = np.array(object, dtype, ndmin=ndmin)
    object_bar = (
        np.reshape(y_bar, np.shape(object))
        if isinstance(object, np.ndarray)
        else unstack_like(y_bar, nested_shapes(object))
    )


@rule(np.array, alias="maybe", alias_of="object", when={"copy": False}, linear=("object",))
def array_without_copy(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0):
    y = np.array(object, dtype, copy=None, ndmin=ndmin)
    object_bar = (
        np.reshape(y_bar, np.shape(object))
        if isinstance(object, np.ndarray)
        else unstack_like(y_bar, nested_shapes(object))
    )


@rule(np.asarray, np.asanyarray, alias="maybe", alias_of="a", linear=("a",))
def asarray(a, dtype=None, order=None, *, device=None, copy=None):
    y = np.asarray(a, dtype)
    a_bar = y_bar if isinstance(a, np.ndarray) else unstack_like(y_bar, nested_shapes(a))


# These two give a scalar one axis.
@rule(np.ascontiguousarray, np.asfortranarray, alias="maybe", alias_of="a", linear=("a",))
def ascontiguousarray(a, dtype=None):
    y = np.ascontiguousarray(a, dtype)
    a_bar = np.reshape(y_bar, np.shape(a)) if isinstance(a, np.ndarray) else unstack_like(y_bar, nested_shapes(a))


@rule(np.asarray_chkfinite, alias="maybe", alias_of="a")
def asarray_chkfinite(a, dtype=None, order=None):
    y = np.asarray_chkfinite(a, dtype)
    a_bar = y_bar if isinstance(a, np.ndarray) else unstack_like(y_bar, nested_shapes(a))
    y_dot = np.asarray(a_dot, dtype)


@rule(np.require, alias="maybe", alias_of="a", linear=("a",))
def require(a, dtype=None, requirements=None):
    y = np.require(a, dtype)
    a_bar = y_bar if isinstance(a, np.ndarray) else unstack_like(y_bar, nested_shapes(a))


@rule(
    np.complex128,
    np.complex64,
    np.clongdouble,
    np.float64,
    np.float32,
    np.float16,
    np.longdouble,
    elementwise=True,
    alias="maybe",
    alias_of="x",
    name="numpy.float64",
)
def scalar_type(x, /):
    y = np.complex128(x)
    x_bar = y_bar


# ---- from one value ---------------------------------------------------------------------------------------------


@rule(np.full, linear=("fill_value",))
def full(shape, fill_value, dtype=None, order="C", *, device=None):
    y = np.full(shape, fill_value, dtype)
    fill_value_bar = np.sum(y_bar) if ndim(fill_value) == 0 else unbroadcast(y_bar, np.shape(fill_value))


@rule(np.full_like, constant_in=("a",), linear=("fill_value",))
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    y = np.full_like(a, fill_value, dtype)
    fill_value_bar = np.sum(y_bar) if ndim(fill_value) == 0 else unbroadcast(y_bar, np.shape(fill_value))


# ---- numerical ranges -------------------------------------------------------------------------------------------


# The number of entries is constant almost everywhere, so `stop` only decides how many there are.
@rule(np.arange, constant_in=("stop",))
def arange(start_or_stop, /, stop=None, step=1, *, dtype=None, device=None):
    y = np.arange(start_or_stop, stop, step)
    start_or_stop_bar = 0.0 if stop is None else np.sum(y_bar)
    step_bar = np.dot(np.arange(np.size(y_bar)), y_bar)
    y_dot = (
        np.arange(np.size(y)) * step_dot
        if stop is None
        else np.full(np.shape(y), start_or_stop_dot) + np.arange(np.size(y)) * step_dot
    )


@rule(np.linspace, when={"retstep": False}, linear=("start", "stop"))
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    y = np.linspace(start, stop, num, endpoint, axis=axis)
    t = unit_steps(num, endpoint)
    start_bar = unbroadcast(weighted_sum(1.0 - t, y_bar, axis), np.shape(start))
    stop_bar = unbroadcast(weighted_sum(t, y_bar, axis), np.shape(stop))


@rule(np.linspace, when={"retstep": True}, linear=("start", "stop"))
def linspace_with_step(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    y, step = np.linspace(start, stop, num, endpoint, retstep=True, axis=axis)
    t = unit_steps(num, endpoint)
    difference_bar = step_bar / max(num - 1 if endpoint else num, 1)
    start_bar = unbroadcast(weighted_sum(1.0 - t, y_bar, axis) - difference_bar, np.shape(start))
    stop_bar = unbroadcast(weighted_sum(t, y_bar, axis) + difference_bar, np.shape(stop))


@rule(np.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    y = np.logspace(start, stop, num, endpoint, base, axis=axis)
    t = unit_steps(num, endpoint)
    start_sum = weighted_sum(1.0 - t, y_bar * conj(y), axis)
    stop_sum = weighted_sum(t, y_bar * conj(y), axis)
    start_bar = unbroadcast(start_sum * conj(np.log(base)), np.shape(start))
    stop_bar = unbroadcast(stop_sum * conj(np.log(base)), np.shape(stop))
    base_bar = unbroadcast((start_sum * conj(start) + stop_sum * conj(stop)) / conj(base), np.shape(base))
    exponent_dot = np.linspace(
        start_dot * np.log(base) + start * base_dot / base,
        stop_dot * np.log(base) + stop * base_dot / base,
        num,
        endpoint,
        axis=axis,
    )
    y_dot = y * exponent_dot


@rule(np.geomspace)
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    y = np.geomspace(start, stop, num, endpoint, axis=axis)
    t = unit_steps(num, endpoint)
    start_bar = unbroadcast(weighted_sum(1.0 - t, y_bar * conj(y), axis) / conj(start), np.shape(start))
    stop_bar = unbroadcast(weighted_sum(t, y_bar * conj(y), axis) / conj(stop), np.shape(stop))
    y_dot = y * np.linspace(start_dot / start, stop_dot / stop, num, endpoint, axis=axis)


# The result is a tuple, and so is its adjoint.
@rule(np.meshgrid, when={"copy": True}, linear=("xi",))
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    y = np.meshgrid(*xi, sparse=sparse, indexing=indexing)
    xi_bar = ungrid(y_bar, shapes(xi), indexing)


@rule(np.meshgrid, alias="view", alias_of="xi", when={"copy": False}, linear=("xi",))
def meshgrid_of_views(*xi, copy=True, sparse=False, indexing="xy"):
    y = np.meshgrid(*xi, copy=False, sparse=sparse, indexing=indexing)
    xi_bar = ungrid(y_bar, shapes(xi), indexing)


# ---- matrices --------------------------------------------------------------------------------------------------


@rule(np.vander)
def vander(x, N=None, increasing=False):
    y = np.vander(x, N, increasing)
    n = max(np.shape(y_bar)[1] - 1, 0)
    x_bar = (
        np.sum(y_bar[:, 1:] * np.arange(1, n + 1) * conj(np.vander(x, n, True)), axis=1)
        if increasing
        else np.sum(y_bar[:, :-1] * np.arange(n, 0, -1) * conj(np.vander(x, n)), axis=1)
    )
    y_dot = x_dot[:, np.newaxis] * vander_slopes(x, np.shape(y)[1], increasing)


# ---- constructors without a derivative --------------------------------------------------------------------------

inactive(
    np.empty,
    np.empty_like,
    np.eye,
    np.identity,
    np.ones,
    np.ones_like,
    np.zeros,
    np.zeros_like,
    np.tri,
    np.indices,
    np.ix_,
    np.ravel_multi_index,
    np.unravel_index,
    np.diag_indices,
    np.diag_indices_from,
    np.tril_indices,
    np.tril_indices_from,
    np.triu_indices,
    np.triu_indices_from,
    np.mask_indices,
    np.ndindex,
    np.bartlett,
    np.blackman,
    np.hamming,
    np.hanning,
    np.frombuffer,
    np.fromstring,
    np.fromfile,
    np.loadtxt,
    np.genfromtxt,
    np.load,
)

# ---- the functions that adjoints call, so that derivatives of derivatives call them again -----------------------


@rule(weighted_sum, linear=("value",))
def weighted_sum_(weights, value, axis=0):
    y = weighted_sum(weights, value, axis)
    value_bar = np.moveaxis(np.multiply.outer(weights, y_bar), 0, axis)


def _axes_of_grid(values, like, *_, **__):
    """The types of the coordinates, each of the rank that its shape says."""
    if not isinstance(like, Tup) or not isinstance(values, Tup):
        return OPAQUE
    kinds = {t.kind if isinstance(t, Num) else "?" for t in values.items}
    kind = "c" if "c" in kinds else "f" if kinds == {"f"} else "?"
    ranks = [len(shape.items) if isinstance(shape, Tup) else None for shape in like.items]
    return Tup(tuple(Num(kind, None, r, True, None if r is None else (None,) * r) for r in ranks))


@rule(ungrid, constant_in=("like",), linear=("values",), infer=_axes_of_grid, unchecked=LISTS)
def ungrid_(values, like, indexing="xy"):
    y = ungrid(values, like, indexing)
    values_bar = regrid(y_bar, values, indexing)


inactive(unit_steps)
