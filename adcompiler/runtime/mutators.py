"""Functions that change an array in place, as pure functions that return its whole new content.

`np.fill_diagonal(a, val)` changes `a`; `with_diagonal(a, val)` leaves `a` alone and returns what it would hold. The
second half of this file are the adjoints of what was written: where entries are named several times, the value that
was written last gets the adjoint.
"""

from __future__ import annotations

import numpy as np

from .shape import unbroadcast


def copied(dst, src, casting="same_kind", where=True):
    """What `np.copyto(dst, src, casting, where)` leaves in `dst`.

    >>> copied(np.zeros(3), 1.0, where=np.array([True, False, True]))
    array([1., 0., 1.])
    """
    out = np.array(dst)
    np.copyto(out, src, casting=casting, where=where)
    return out


def filled(a, value):
    """What `a.fill(value)` leaves in `a`.

    >>> filled(np.zeros(2), 3.0)
    array([3., 3.])
    """
    out = np.array(a)
    out.fill(value)
    return out


def with_put(a, ind, v, mode="raise"):
    """What `np.put(a, ind, v, mode)` leaves in `a`: flat positions, `v` repeated as needed, the last of equals wins.

    >>> with_put(np.zeros(4), [0, 2, 0], [1.0, 2.0, 3.0])
    array([3., 0., 2., 0.])
    """
    out = np.array(a)
    np.put(out, ind, v, mode=mode)
    return out


def placed(arr, mask, vals):
    """What `np.place(arr, mask, vals)` leaves in `arr`: `vals` in order, repeated as needed, where `mask` is true.

    >>> placed(np.zeros(4), [True, False, True, True], [1.0, 2.0])
    array([1., 0., 2., 1.])
    """
    out = np.array(arr)
    np.place(out, mask, vals)
    return out


def put_masked(a, mask, values):
    """What `np.putmask(a, mask, values)` leaves in `a`: entry n of the repeated `values` where `mask` is true.

    >>> put_masked(np.zeros(4), [True, False, True, True], [1.0, 2.0])
    array([1., 0., 1., 2.])
    """
    out = np.array(a)
    np.putmask(out, mask, values)
    return out


def with_diagonal(a, val, wrap=False):
    """What `np.fill_diagonal(a, val, wrap)` leaves in `a`.

    >>> with_diagonal(np.zeros((2, 2)), [1.0, 2.0])
    array([[1., 0.],
           [0., 2.]])
    """
    out = np.array(a)
    np.fill_diagonal(out, val, wrap)
    return out


def put_along(arr, indices, values, axis):
    """What `np.put_along_axis(arr, indices, values, axis)` leaves in `arr`.

    >>> put_along(np.zeros((2, 2)), np.array([[1], [0]]), 5.0, 1)
    array([[0., 5.],
           [5., 0.]])
    """
    out = np.array(arr)
    np.put_along_axis(out, indices, values, axis)
    return out


def accumulated_at(a, indices, b):
    """What `np.add.at(a, indices, b)` leaves in `a`: an entry named several times receives every term.

    >>> accumulated_at(np.zeros(3), [0, 2, 0], 1.0)
    array([2., 0., 1.])
    """
    out = np.array(a)
    np.add.at(out, indices, b)
    return out


def reduced_at(a, indices, b):
    """What `np.subtract.at(a, indices, b)` leaves in `a`.

    >>> reduced_at(np.zeros(3), [0, 2, 0], 1.0)
    array([-2.,  0., -1.])
    """
    out = np.array(a)
    np.subtract.at(out, indices, b)
    return out


def multiplied_at(a, indices, b):
    """What `np.multiply.at(a, indices, b)` leaves in `a`.

    >>> multiplied_at(np.ones(3), [0, 2, 0], 3.0)
    array([9., 1., 3.])
    """
    out = np.array(a)
    np.multiply.at(out, indices, b)
    return out


def divided_at(a, indices, b):
    """What `np.divide.at(a, indices, b)` leaves in `a`.

    >>> divided_at(np.full(3, 12.0), [0, 2, 0], 2.0)
    array([ 3., 12.,  6.])
    """
    out = np.array(a)
    np.divide.at(out, indices, b)
    return out


def raised_at(a, indices, b):
    """What `np.maximum.at(a, indices, b)` leaves in `a`.

    >>> raised_at(np.zeros(3), [0, 2, 0], np.array([1.0, -1.0, 3.0]))
    array([3., 0., 0.])
    """
    out = np.array(a)
    np.maximum.at(out, indices, b)
    return out


def lowered_at(a, indices, b):
    """What `np.minimum.at(a, indices, b)` leaves in `a`.

    >>> lowered_at(np.zeros(3), [0, 2, 0], np.array([1.0, -1.0, 3.0]))
    array([ 0.,  0., -1.])
    """
    out = np.array(a)
    np.minimum.at(out, indices, b)
    return out


def extremum_shares(a, indices, b, y):
    """The shares of the entries of `a` and of the values `b` (in the shape of `a[indices]`) in the extrema `y` that
    `np.maximum.at` or `np.minimum.at` leaves: all that are equal to it share evenly.

    >>> extremum_shares(np.array([1.0, 5.0]), [0, 0, 1], np.array([2.0, 2.0, 5.0]), np.array([2.0, 5.0]))
    (array([0. , 0.5]), array([0.5, 0.5, 0.5]))
    """
    stays = np.equal(a, y)
    taken = np.broadcast_to(b, np.shape(y[indices])) == y[indices]
    count = np.array(stays, float)
    np.add.at(count, indices, np.array(taken, float))
    count = np.maximum(count, 1.0)
    return stays / count, taken / count[indices]


def weighted_tangent(value, weights):
    """`value` times `weights`; where the weight is 0 the value does not count, even if it is infinite.

    >>> weighted_tangent(np.array([np.inf, 2.0]), np.array([0.0, 0.5]))
    array([0., 1.])
    """
    return np.where(weights == 0, 0.0, value) * weights


def put_values(y_bar, ind, shape, mode="raise"):
    """Adjoint of `with_put(a, ind, v, mode)` with respect to `v` of `shape`.

    >>> put_values(np.array([7.0, 8.0]), [0, 0], (2,))
    array([0., 7.])
    """
    source = np.full(np.shape(y_bar), -1)
    np.put(source, ind, np.arange(np.size(ind)), mode=mode)
    return _collect(y_bar, source, shape)


def placed_values(y_bar, mask, shape):
    """Adjoint of `placed(arr, mask, vals)` with respect to `vals` of `shape`.

    >>> placed_values(np.array([1.0, 2.0, 4.0]), [True, True, True], (2,))
    array([5., 2.])
    """
    source = np.full(np.shape(y_bar), -1)
    chosen = np.reshape(mask, source.shape).astype(bool)
    source[chosen] = np.arange(np.count_nonzero(chosen))
    return _collect(y_bar, source, shape)


def masked_values(y_bar, mask, shape):
    """Adjoint of `put_masked(a, mask, values)` with respect to `values` of `shape`.

    >>> masked_values(np.array([1.0, 2.0, 4.0]), [False, True, True], (2,))
    array([4., 2.])
    """
    numbers = np.arange(np.size(y_bar)).reshape(np.shape(y_bar))
    return _collect(y_bar, np.where(np.reshape(mask, numbers.shape), numbers, -1), shape)


def diagonal_values(y_bar, shape, wrap=False):
    """Adjoint of `with_diagonal(a, val, wrap)` with respect to `val` of `shape`.

    >>> diagonal_values(np.array([[1.0, 2.0], [3.0, 4.0]]), (2,))
    array([1., 4.])
    """
    source = np.full(np.shape(y_bar), -1)
    np.fill_diagonal(source, np.arange(max(source.size, 1)), wrap)
    return _collect(y_bar, source, shape)


def along_values(y_bar, indices, shape, axis):
    """Adjoint of `put_along(arr, indices, values, axis)` with respect to `values` of `shape`.

    >>> along_values(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1], [0]]), (2, 1), 1)
    array([[2.],
           [3.]])
    """
    source = np.full(np.shape(y_bar), -1)
    written = np.take_along_axis(source, indices, axis).shape  # `indices` may broadcast against the array
    np.put_along_axis(source, indices, np.arange(int(np.prod(written))).reshape(written), axis)
    return unbroadcast(_collect(y_bar, source, written), shape)


def factors_beside(a, indices, b):
    """By what each factor `b` is multiplied in `np.multiply.at(a, indices, b)`: the entry of `a` and the factors that
    meet in the same entry. Exact also where factors are zero. Has the shape of `a[indices]`.

    >>> factors_beside(np.array([2.0, 5.0]), [0, 0, 1], np.array([3.0, 0.0, 7.0]))
    array([0., 6., 5.])
    """
    places = np.arange(a.size).reshape(a.shape)[indices]
    factors = np.broadcast_to(b, np.shape(places)).ravel()
    at = np.ravel(places)
    order = np.argsort(at, kind="stable")
    first = np.r_[True, np.diff(at[order]) != 0] if at.size else np.zeros(0, bool)
    turn = np.empty(at.size, int)  # of the factors that meet in one entry: the how-many-th
    turn[order] = np.arange(at.size) - np.flatnonzero(first)[np.cumsum(first) - 1]
    beside = np.ones(at.size, np.result_type(a, b))
    for turns in (range(turn.max(initial=-1) + 1), range(turn.max(initial=-1), -1, -1)):
        product = np.ones(a.size, beside.dtype)
        for k in turns:
            now = np.flatnonzero(turn == k)
            beside[now] *= product[at[now]]
            product[at[now]] *= factors[now]
    return (beside * np.ravel(a)[at]).reshape(np.shape(places))


def _collect(y_bar, source, shape):
    """Add each entry of `y_bar` with `source >= 0` into entry `source` (counted cyclically) of an array of `shape`."""
    size = int(np.prod(shape))
    written = source >= 0
    out = np.zeros(size, np.asarray(y_bar).dtype)
    if size:
        np.add.at(out, source[written] % size, y_bar[written])
    return np.reshape(out, shape)


def winning(stored_bar, index):
    """What flows back through `x[index] = v`: the adjoint of the elements written, where several writes hit one element
    only for the last of them.

    >>> winning(np.array([1.0, 2.0]), np.array([0, 0]))
    array([0., 1.])
    """
    from .indexing import store_winners

    return np.where(store_winners(np.shape(stored_bar), index), stored_bar[index], 0.0)
