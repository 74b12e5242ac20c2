"""Rows and columns of a Jacobian: unit seeds of a result, and arrays of shape `result.shape + argument.shape`."""

from __future__ import annotations

import copy

import numpy as np

from .shadows import attribute_names, is_object


def numbers_of(value) -> int:
    """How many real or complex floating numbers a value holds.

    >>> numbers_of((1.0, np.zeros((2, 3)), 5, "text"))
    7
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return np.size(value) if value.dtype.kind in "fc" else 0
    if isinstance(value, (float, complex)):
        return 1
    return sum(numbers_of(v) for v in _parts(value))


def _parts(value) -> list:
    if isinstance(value, (tuple, list)):
        return list(value)
    if isinstance(value, dict):
        return list(value.values())
    if not is_object(value) or isinstance(value, (np.ndarray, np.generic)):
        return []
    return [getattr(value, k) for k in attribute_names(value)]


def _rebuilt(value, parts):
    """A container of the kind of `value` with other parts, in the order of `_parts`."""
    if isinstance(value, tuple):
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, list):
        return list(parts)
    if isinstance(value, dict):
        return dict(zip(value, parts, strict=True))
    made = copy.copy(value)
    for k, part in zip(attribute_names(value), parts, strict=True):
        object.__setattr__(made, k, part)
    return made


def unit_seeds(value) -> list:
    """One seed for each number of a result, which is one there and zero elsewhere.

    >>> unit_seeds(np.zeros(2))
    [array([1., 0.]), array([0., 1.])]
    >>> unit_seeds((1.0, "text", 2.0))
    [(1.0, None, None), (None, None, 1.0)]
    """
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "fc":
            return []
        units = np.zeros((value.size, value.size), value.dtype)
        np.fill_diagonal(units, 1)
        return [unit.reshape(value.shape) for unit in units]
    if isinstance(value, (float, complex, np.inexact)):
        return [1.0]
    parts = _parts(value)
    seeds = []
    for at, part in enumerate(parts):
        for seed in unit_seeds(part):
            seeds.append(_rebuilt(value, [seed if k == at else None for k in range(len(parts))]))
    return seeds


def like_argument(gradient, function):
    """A gradient with `function` applied to each number or array in it."""
    if gradient is None or isinstance(gradient, (np.ndarray, float, complex, np.generic)):
        return None if gradient is None else function(gradient)
    parts = [like_argument(part, function) for part in _parts(gradient)]
    return _rebuilt(gradient, parts) if parts else gradient


def stacked(sweeps, value, argument, columns_first=False):
    """The Jacobian of a result with respect to an argument, from one sweep for each number of one of them.

    `sweeps` are gradients with the structure of the argument, in the order of the numbers of the result; with
    `columns_first`, tangents with the structure of the result, in the order of the numbers of the argument. Structures
    nest, that of the result outside. Returns an array of shape `result.shape + argument.shape` for arrays.
    """
    if columns_first:
        return _of_result(value, lambda path, of: _from_columns(sweeps, path, argument, of))
    rows = iter(sweeps)
    return _from_rows(value, rows, argument)


def _from_rows(value, rows, argument):
    if isinstance(value, (np.ndarray, float, complex, np.generic)):
        if isinstance(value, np.ndarray) and value.dtype.kind not in "fc":
            return None
        taken = [next(rows) for _ in range(np.size(value))]
        return _stack(taken, np.shape(value), argument)
    if not _parts(value) and not isinstance(value, (tuple, list, dict)):
        return None
    parts = [_from_rows(part, rows, argument) if numbers_of(part) else None for part in _parts(value)]
    return _rebuilt(value, parts)


def _stack(gradients, shape, argument):
    """Gradients of like structure, leaf by leaf in one array."""
    if isinstance(argument, np.ndarray):
        if argument.dtype.kind not in "fc":
            return None
        return np.reshape(np.array(gradients, argument.dtype), shape + argument.shape)
    if isinstance(argument, (float, complex, np.generic)) and not isinstance(argument, np.bool_):
        if isinstance(argument, np.integer):
            return None
        return gradients[0] if shape == () else np.reshape(np.array(gradients), shape)
    parts = _parts(argument)
    if not parts:
        return None
    return _rebuilt(
        argument, [_stack([_parts(g)[k] for g in gradients], shape, part) for k, part in enumerate(parts)]
    )


def _of_result(value, made, path=()):
    if isinstance(value, (np.ndarray, float, complex, np.generic)):
        return made(path, value) if numbers_of(value) or isinstance(value, np.ndarray) else None
    parts = _parts(value)
    if not parts and not isinstance(value, (tuple, list, dict)):
        return None
    return _rebuilt(value, [_of_result(part, made, (*path, k)) for k, part in enumerate(parts)])


def _from_columns(columns, path, argument, of):
    taken = []
    for column in columns:
        for k in path:
            column = _parts(column)[k]
        taken.append(column)
    return _columns_like(iter(taken), argument, of)


def _columns_like(columns, argument, of):
    if isinstance(argument, np.ndarray):
        if argument.dtype.kind not in "fc":
            return None
        taken = [next(columns) for _ in range(argument.size)]
        if not taken:
            return np.zeros(np.shape(of) + argument.shape, argument.dtype)
        return np.reshape(np.stack([np.asarray(c) for c in taken], -1), np.shape(taken[0]) + argument.shape)
    if isinstance(argument, (float, complex, np.inexact)):
        column = next(columns)
        return float(column) if type(argument) is float and isinstance(column, np.floating) else column
    parts = [_columns_like(columns, part, of) if numbers_of(part) else None for part in _parts(argument)]
    return _rebuilt(argument, parts) if parts else None
