"""Derivatives of functions that a program hands to SciPy: they are compiled when the derivative is first asked for.

A function of the program is made anew whenever the program runs; those that close over nothing share what is compiled.
"""

from __future__ import annotations

import types

import numpy as np

_SHARED: dict = {}


def shared(function):
    """One function for all that have the same code and close over nothing, so that each code is compiled once.

    >>> made = [lambda x: x for _ in range(2)]
    >>> shared(made[0]) is shared(made[1])
    True
    """
    alone = isinstance(function, types.FunctionType) and not function.__closure__ and not function.__defaults__
    if not alone or function.__kwdefaults__ or function.__dict__:
        return function
    key = (function.__code__, id(function.__globals__))
    if len(_SHARED) > 1000:
        _SHARED.clear()
    return _SHARED.setdefault(key, function)


def is_floating(value) -> bool:
    """May a derivative be asked with respect to this argument?

    >>> [is_floating(v) for v in (1.0, 2, None, np.ones(2), (1, 2.0))]
    [True, False, False, True, True]
    """
    if isinstance(value, (tuple, list)):
        return any(map(is_floating, value))
    if isinstance(value, dict):
        return any(map(is_floating, value.values()))
    return isinstance(value, (float, complex)) or getattr(getattr(value, "dtype", None), "kind", "") in ("f", "c")


def pullback(function, *args):
    """The value of a function at its arguments, and a map from an adjoint of the value to one adjoint per argument,
    None for arguments that hold no floats.

    >>> value, pull = pullback(lambda x, n: x ** n, 3.0, 2)
    >>> value, pull(1.0)
    (9.0, (6.0, None))
    """
    from ... import api

    wrt = tuple(k for k, a in enumerate(args) if is_floating(a))
    value, pull = api.vjp(shared(function), *args, wrt=wrt)

    def adjoints(value_bar):
        found = dict(zip(wrt, pull(value_bar), strict=True))
        return tuple(found.get(k) for k in range(len(args)))

    return value, adjoints


def pushforward(function, args, tangents):
    """The tangent of the value of a function along tangents of its arguments, None for those that have none.

    >>> pushforward(lambda x, n: x ** n, (3.0, 2), (1.0, None))
    6.0
    """
    from ... import jvp

    kept = [t if is_floating(a) else None for a, t in zip(args, tangents, strict=True)]
    return jvp(shared(function), tuple(args), tuple(kept))[1]


def jacobian(function, x, args):
    """The value, the matrix of derivatives of a function with respect to the entries of `x`, and the map from an
    adjoint of the value to those of the further arguments.

    >>> value, matrix, pull = jacobian(lambda x, p: p * x, np.array([1.0, 2.0]), (3.0,))
    >>> matrix.tolist(), pull(np.ones(2))
    ([[3.0, 0.0], [0.0, 3.0]], (3.0,))
    """
    value, pull = pullback(function, x, *args)
    units = np.eye(flat(value).size)
    rows = [np.ravel(pull(filled(value, unit))[0]) for unit in units]
    return value, np.array(rows), lambda value_bar: pull(value_bar)[1:]


def scaled(adjoints, factor):
    """Each adjoint of a structure times a number; None stays None.

    >>> scaled((1.0, None, [2.0]), 3.0)
    (3.0, None, [6.0])
    """
    return _mapped(lambda g: factor * g, adjoints)


def added(first, second):
    """The sum of two structures of adjoints, None for zero.

    >>> added((1.0, None), (2.0, None))
    (3.0, None)
    """
    if first is None or second is None:
        return second if first is None else first
    if isinstance(first, (tuple, list)):
        return type(first)(added(a, b) for a, b in zip(first, second, strict=True))
    if isinstance(first, dict):
        return {k: added(first[k], second[k]) for k in first}
    return first + second


def _mapped(function, structure):
    if structure is None:
        return None
    if isinstance(structure, (tuple, list)):
        return type(structure)(_mapped(function, part) for part in structure)
    if isinstance(structure, dict):
        return {k: _mapped(function, part) for k, part in structure.items()}
    return function(structure)


def flat(structure) -> np.ndarray:
    """The numbers of a structure of adjoints in one array, for integrals over all of them at once.

    >>> flat((1.0, None, np.array([2.0, 3.0]))).tolist()
    [1.0, 2.0, 3.0]
    """
    parts = []
    _mapped(lambda g: parts.append(np.ravel(np.asarray(g))), structure)
    return np.concatenate(parts) if parts else np.zeros(0)


def filled(structure, numbers):
    """A structure like `structure` with these numbers, in the order of `flat`.

    >>> filled((1.0, None, np.array([2.0, 3.0])), np.array([4.0, 5.0, 6.0]))
    (4.0, None, array([5., 6.]))
    """
    at = 0

    def take(g):
        nonlocal at
        size = np.size(g)
        part = numbers[at : at + size]
        at += size
        return float(part[0]) if isinstance(g, float) else np.reshape(part, np.shape(g))[()]

    return _mapped(take, structure)
