"""Scatter: the adjoint of reading `x[index]`, and which elements survive a store `x[index] = v`."""

import numpy as np


def add_at(buffer, index, values):
    """Add `values` into `buffer[index]` in place; an element named several times receives every contribution.

    `index` is any NumPy index expression; `values` broadcasts to the shape of `buffer[index]`. Raises what NumPy
    raises for an index out of bounds or values that do not fit. The adjoint of a real array is real: of complex values
    the real parts are added, as `zeros_beside` may have made a real buffer where the compiler did not know the kind.

    >>> x_bar = np.zeros(3)
    >>> add_at(x_bar, np.array([0, 2, 0]), np.array([1.0, 2.0, 3.0]))
    >>> x_bar
    array([4., 0., 2.])
    """
    if buffer.dtype.kind == "f" and np.iscomplexobj(values):
        values = np.real(values)
    if _may_repeat(index):
        # in the buffer's own dtype, and one value per element, NumPy takes its indexed loop, as fast as bincount
        np.add.at(buffer, index, np.asarray(values).astype(buffer.dtype, casting="same_kind", copy=False))
    else:
        buffer[index] += values


def zeros_beside(x):
    """The adjoint buffer of an array or list of numbers of which only the run knows whether it is real or complex.

    >>> zeros_beside(np.array([1.0, 2.0j]))
    array([0.+0.j, 0.+0.j])
    """
    x = np.asarray(x)
    return np.zeros(x.shape, np.result_type(x.dtype, np.float16))


def store_winners(shape, index):
    """Which elements of `v` are left in `x` after `x[index] = v`, for `x` of this shape: of repeated ones the last.

    Returns a boolean array with the shape of `x[index]`. It repeats the store with the element numbers, so that it
    agrees with NumPy by construction.

    >>> store_winners((3,), np.array([0, 2, 0]))
    array([False,  True,  True])
    """
    owner = np.empty(shape, dtype=np.intp)
    numbers = _positions(np.shape(owner[index]))
    owner[index] = numbers
    return np.asarray(owner[index] == numbers)


def _may_repeat(index) -> bool:
    """False for slices, single elements and one boolean mask, which name no element twice."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(isinstance(p, list) or (isinstance(p, np.ndarray) and p.ndim > 0 and p.dtype != bool) for p in parts)


def _positions(shape):
    """The number of each element in C order, in an array of this shape."""
    return np.arange(int(np.prod(shape)), dtype=np.intp).reshape(shape)
