"""Adjoints of functions that take a sequence of numbers: `sum`, `max`, `math.prod`, `math.hypot`.

An adjoint of a sequence has the structure of the sequence: a list, a tuple or an array of the same length. In the
adjoint of a list, None stands for a zero.
"""

from __future__ import annotations

import numpy as np


def scaled_each(values, factor, like=None):
    """`factor * v` for each `v` of `values`, in the structure of `like` (default: of `values`).

    >>> scaled_each((1.0, 2.0), 3.0), scaled_each((1.0, 2.0), 3.0, like=[5.0, 6.0])
    ((3.0, 6.0), [3.0, 6.0])
    """
    return _structured([0.0 if v is None else factor * v for v in values], values if like is None else like)


def dot_each(p, q):
    """The sum of the products of the elements of two sequences of the same length.

    >>> dot_each([1.0, 2.0], (3.0, 4.0))
    11.0
    """
    return sum((a * b for a, b in zip(p, q, strict=True) if a is not None and b is not None), start=0.0)


def differences(p, q):
    """The list of `a - b` for the elements of two sequences of the same length.

    >>> differences((3.0, 4.0), [1.0, 1.0])
    [2.0, 3.0]
    """
    return [a - b for a, b in zip(p, q, strict=True)]


def sums(p, q):
    """The list of `a + b` for the elements of two sequences of the same length.

    >>> sums((3.0, 4.0), [1.0, 1.0])
    [4.0, 5.0]
    """
    return [a + b for a, b in zip(p, q, strict=True)]


def products_of_others(values):
    """For each element the product of all others, without a division: zeros do no harm. An array gives an array.

    >>> products_of_others([2.0, 0.0, 5.0])
    [0.0, 10.0, 0.0]
    """
    factors = list(values)
    products = []
    before = 1
    for v in factors:
        products.append(before)
        before = before * v
    after = 1
    for i in range(len(factors) - 1, -1, -1):
        products[i] = products[i] * after
        after = after * factors[i]
    return np.array(products, values.dtype) if isinstance(values, np.ndarray) else _structured(products, values)


def change_of_others(direction, values):
    """How `products_of_others(values)` changes along a direction; None in it stands for a zero.

    >>> change_of_others((1.0, None, 0.0), (2.0, 3.0, 5.0))
    (0.0, 5.0, 3.0)
    """
    factors, count = list(values), len(values)
    changes = [0.0] * count
    for i in range(count):
        if direction[i] is not None:
            rest = products_of_others(factors[:i] + factors[i + 1 :])
            for k in range(count):
                if k != i:
                    changes[k] = changes[k] + direction[i] * rest[k if k < i else k - 1]
    return _structured(changes, values)


def adjoint_of_others(y_bar, values):
    """The adjoint of `products_of_others(values)`: the change itself of real numbers, as second derivatives are symmetric.

    >>> adjoint_of_others((1.0, None, 0.0), (2.0, 3.0, 5.0))
    (0.0, 5.0, 3.0)
    """
    change = change_of_others([None if v is None else v.conjugate() for v in y_bar], values)
    return scaled_conjugates(change, 1.0, like=values)


def scaled_conjugates(values, factor, like):
    """`factor` times the conjugate of each of `values`, in the structure of `like`, and real where that is real.

    >>> scaled_conjugates([2.0, 1.0j], 1.0j, like=(1.0, 1.0j))
    (0.0, (1+0j))
    """
    each = [0.0 if v is None else factor * v.conjugate() for v in values]
    return _structured([z if np.iscomplexobj(of) else z.real for z, of in zip(each, like, strict=True)], like)


def each_of_sum(values, y_bar):
    """The adjoint of `values` where `y = sum(values)`: `y_bar` for each, summed to the element's own shape.

    >>> each_of_sum([1.0, np.ones(2)], np.array([3.0, 4.0]))
    [7.0, array([3., 4.])]
    """
    if isinstance(values, np.ndarray):
        return np.array(np.broadcast_to(y_bar, values.shape))
    return _structured([summed_to(y_bar, v) for v in values], values)


def summed_to(y_bar, value):
    """`y_bar` summed over the axes along which `value` was broadcast; its real part for a real `value`.

    >>> summed_to(np.ones((2, 3)), 1.0), summed_to(2.0 + 1.0j, 1.0)
    (6.0, 2.0)
    """
    if not np.iscomplexobj(value) and np.iscomplexobj(y_bar):
        y_bar = y_bar.real
    if np.ndim(y_bar) == 0:
        return y_bar
    shape, lead = np.shape(value), np.ndim(y_bar) - np.ndim(value)
    axes = tuple(range(lead)) + tuple(lead + i for i, n in enumerate(shape) if n == 1 and y_bar.shape[lead + i] != 1)
    total = y_bar.sum(axis=axes).reshape(shape) if axes else y_bar.copy()
    return total if isinstance(value, (np.ndarray, np.generic)) else total.item()


def share_among_ties(values, y, y_bar):
    """The adjoint of `values` where `y` is their greatest or least: shared evenly among those equal to `y`.

    >>> share_among_ties([1.0, 3.0, 3.0], 3.0, 1.0)
    [0.0, 0.5, 0.5]
    """
    winners = [v == y for v in values]
    share = y_bar / max(int(sum(winners)), 1)
    return _structured([share if won else 0.0 for won in winners], values)


def _structured(items, like):
    if isinstance(like, np.ndarray):
        return np.array(items).reshape(like.shape)
    return tuple(items) if isinstance(like, tuple) else items
