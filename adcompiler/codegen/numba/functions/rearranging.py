"""Functions that move and repeat elements, in terms of slices, joins and views of other shapes."""

from __future__ import annotations

import numpy as np

from ....runtime import products, shape as shapes
from ..lowering.calls import handles
from ..lowering.inlined import inlined, only
from ..types import Array, Known, Scalar


def _given(names, args, kwargs) -> dict:
    return dict(zip(names, args, strict=False)) | kwargs


def _is_none(value) -> bool:
    return value is None or isinstance(value.type, Known)


# -- roll and rot90 ----------------------------------------------------------------------------------------------------
@inlined(np.roll)
def _roll(a, shift, axis=None):
    if axis is None:
        if a.ndim > 1:
            return np.reshape(np.roll(np.ravel(a), shift, 0), np.shape(a))
        return np.roll(a, shift, 0)
    turned = np.moveaxis(a, axis, 0)
    first = turned.shape[0] - shift % max(turned.shape[0], 1)
    return np.moveaxis(np.concatenate((turned[first:], turned[:first]), axis=0), 0, axis)


def _by_a_number(args, kwargs):
    given = _given(("a", "shift", "axis"), args, kwargs)
    shift, axis = given["shift"], given.get("axis")
    number = isinstance(shift.type, Scalar) and shift.type.kind in "iu"
    return isinstance(given["a"].type, Array) and number and (_is_none(axis) or axis.is_known and isinstance(axis.const, int))


only(np.roll, _by_a_number, "one shift along one axis, a constant")


@handles(np.rot90)
def _rot90(lo, args, kwargs):
    """A view; of matrices."""
    from .axes import flipped, permuted

    given = _given(("m", "k", "axes"), args, kwargs)
    turns = given.get("k")
    if given["m"].type.rank != 2 or "axes" in given and _pair(given["axes"]) != [0, 1] or turns is not None and not turns.is_known:
        lo.refuse("these arguments of 'numpy.rot90'", "a matrix and a constant number of turns")
    k = 1 if turns is None else turns.const % 4
    made = permuted(lo, given["m"], [1, 0]) if k % 2 else given["m"]
    return flipped(lo, made, (set(), {0}, {0, 1}, {1})[k])


def _pair(axes):
    return [i.const for i in axes.items] if axes.items is not None and all(i.is_known for i in axes.items) else None


# -- repetitions -------------------------------------------------------------------------------------------------------
@inlined(np.repeat, np.ndarray.repeat)
def _repeat(a, repeats, axis=None):
    flat = np.ravel(a)
    return np.reshape(np.broadcast_to(np.expand_dims(flat, 1), (flat.shape[0], repeats)), (-1,))


@inlined(shapes.unrepeat)
def _unrepeat(y_bar, shape, repeats, axis=None):
    return np.sum(np.reshape(y_bar, (shape[0], repeats)), axis=1)


@inlined(np.tile)
def _tile(A, reps):
    return np.reshape(np.broadcast_to(np.expand_dims(A, 0), (reps, A.shape[0])), (-1,))


@inlined(shapes.untile)
def _untile(y_bar, shape, reps):
    return np.sum(np.reshape(y_bar, (reps, shape[0])), axis=0)


def _of_a_vector(names):
    def fits(args, kwargs):
        given = _given(names, args, kwargs)
        of, count = given[names[-2]], given[names[-1]]
        rank = of.type.rank if isinstance(of.type, Array) else len(getattr(of.type, "items", ()))
        return rank == 1 and isinstance(count.type, Scalar) and count.is_known and count.const > 0

    return fits


def _of_a_vector_along_it(names):
    fits = _of_a_vector(names)

    def inner(args, kwargs):
        axis = _given((*names, "axis"), args, kwargs).get("axis")
        return fits(args, kwargs) and (_is_none(axis) or axis.is_known and axis.const in (0, -1))

    return inner


_HINT = "a vector and a constant number of repetitions"
for f in (np.repeat, np.ndarray.repeat):
    only(f, _of_a_vector_along_it(("a", "repeats")), _HINT)
only(shapes.unrepeat, _of_a_vector_along_it(("y_bar", "shape", "repeats")), _HINT)
only(np.tile, _of_a_vector(("A", "reps")), _HINT)
only(shapes.untile, _of_a_vector(("y_bar", "shape", "reps")), _HINT)


# -- kron --------------------------------------------------------------------------------------------------------------
@inlined(np.kron)
def _kron(a, b):
    return np.reshape(np.outer(a, b), (-1,))


@inlined(products.kron_left_adjoint)
def _kron_left_adjoint(z_bar, shape, b):
    return np.reshape(z_bar, (shape[0], b.shape[0])) @ b


@inlined(products.kron_right_adjoint)
def _kron_right_adjoint(z_bar, a, shape):
    return a @ np.reshape(z_bar, (a.shape[0], shape[0]))


def _real_vectors(args, kwargs):
    arrays = [a.type for a in args if isinstance(a.type, Array)]
    ranks = [a.type.rank if isinstance(a.type, Array) else len(getattr(a.type, "items", ())) for a in args]
    return not kwargs and set(ranks) == {1} and all(t.dtype == np.dtype(float) for t in arrays)


for f in (np.kron, products.kron_left_adjoint, products.kron_right_adjoint):
    only(f, _real_vectors, "vectors of floats; einsum for matrices")
