"""The same call in other forms: other memory layouts, precisions, shapes, and ways to pass the arguments.

Each is a pair of arguments and keywords; what a function does not take in a form, the caller leaves out.
"""

from __future__ import annotations

import inspect

import numpy as np

from ..pytrees import mapped


def other_layouts(args, kwargs):
    """Arrays with gaps between their elements, in reverse order in memory, and in Fortran order."""
    for name, layout in (("with gaps", _gaps), ("reversed in memory", _reversed), ("in Fortran order", _fortran)):
        made = mapped(lambda leaf, f=layout: f(leaf) if _is_array(leaf) and leaf.ndim else leaf, (args, kwargs))
        yield f"arrays {name}", *made


def single_precision(args, kwargs):
    """Arrays and NumPy scalars of double precision in single precision."""
    kinds = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}

    def narrow(leaf):
        if isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype in kinds:
            return leaf.astype(kinds[leaf.dtype])
        return leaf

    return mapped(narrow, (args, kwargs))


def other_shapes(args, kwargs):
    """For elementwise functions: numbers, arrays without axes, of size 1, empty, and broadcast against each other."""
    arrays = [leaf for leaf in (*args, *kwargs.values()) if _is_array(leaf) or isinstance(leaf, (float, complex))]
    if not arrays or any(np.size(a) == 0 for a in arrays):
        return
    count = np.broadcast(*arrays).size

    def element(leaf, k=0):
        return np.broadcast_to(leaf, np.broadcast_shapes(*map(np.shape, arrays))).reshape(-1)[min(k, count - 1)]

    def every(make):
        return mapped(lambda leaf: make(leaf) if any(leaf is a for a in arrays) else leaf, (args, kwargs))

    yield "numbers", *every(lambda leaf: element(leaf).item())
    yield "NumPy scalars", *every(lambda leaf: element(leaf))
    yield "arrays of no axis", *every(lambda leaf: np.array(element(leaf)))
    yield "arrays of size 1", *every(lambda leaf: np.full((1, 1), element(leaf)))
    yield "empty arrays", *every(lambda leaf: np.zeros((0, 2), np.asarray(leaf).dtype))
    if len(arrays) < 2:
        return
    for k, one in enumerate(arrays):
        first = every(lambda leaf, one=one: np.full((2, 1) if leaf is one else (3,), element(leaf)))
        yield f"argument {k} as (2, 1) against (3,)", *first
        yield f"argument {k} as a number", *every(
            lambda leaf, one=one: element(leaf).item() if leaf is one else np.full((2, 3), element(leaf))
        )


def other_sizes(args, kwargs, active):
    """For functions that are not elementwise: active arrays of no axis, empty ones, and stacks of two.

    `active` are the positions and keywords of active arguments. Each form changes all arrays, a stack also each alone.
    """
    arrays = {key: v for key, v in (*enumerate(args), *kwargs.items()) if key in active and _is_array(v) and v.size}

    def with_new(new):
        changed = tuple(new.get(k, a) for k, a in enumerate(args))
        return changed, {key: new.get(key, v) for key, v in kwargs.items()}

    def every(make):
        return with_new({key: make(a) for key, a in arrays.items()})

    if not any(a.ndim for a in arrays.values()):
        return
    yield "arrays of no axis", *every(lambda a: a.reshape(-1)[0].reshape(()))
    yield "arrays without rows", *every(lambda a: a[:0].copy() if a.ndim else a)
    yield "arrays without columns", *every(lambda a: a[..., :0].copy() if a.ndim else a)
    yield "stacks of two", *every(lambda a: np.stack([a, 0.5 * a]) if a.ndim else a)
    for key in arrays if len(arrays) > 1 else ():
        yield f"argument {key} as a stack of two", *with_new({key: np.stack([arrays[key], 0.5 * arrays[key]])})


def other_ways_to_pass(function, signature: inspect.Signature, args, kwargs):
    """All arguments by keyword that can be; keywords by position; each default of the function itself written out."""
    parameters = list(signature.parameters.values())
    by_keyword = [k for k, p in enumerate(parameters[: len(args)]) if p.kind is p.POSITIONAL_OR_KEYWORD]
    if by_keyword and by_keyword[-1] == len(args) - 1:
        first = len(args) - len([k for k in by_keyword if all(j in by_keyword for j in range(k, len(args)))])
        named = {parameters[k].name: args[k] for k in range(first, len(args))}
        yield "by keyword", args[:first], {**named, **kwargs}
    by_position = []
    for p in parameters[len(args) :]:
        if p.kind is not p.POSITIONAL_OR_KEYWORD or p.name not in kwargs:
            break
        by_position.append(p.name)
    if by_position:
        left = {name: v for name, v in kwargs.items() if name not in by_position}
        yield "by position", (*args, *[kwargs[name] for name in by_position]), left
    given = set(signature.bind_partial(*args, **kwargs).arguments)
    for name, default in _defaults(function).items():
        if name in signature.parameters and name not in given and _is_plain(default):
            yield f"with {name}={default!r}", args, {**kwargs, name: default}


def _defaults(function) -> dict:
    """The defaults of the parameters that may be given by keyword, as far as the function tells."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return {}
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return {p.name: p.default for p in named if p.default is not p.empty}


def _is_plain(value) -> bool:
    return value is None or type(value) in (int, float, bool, str)


def _is_array(leaf) -> bool:
    return isinstance(leaf, np.ndarray)


def _gaps(a):
    wide = np.zeros((*a.shape[:-1], 2 * a.shape[-1]), a.dtype)
    wide[..., ::2] = a
    return wide[..., ::2]


def _reversed(a):
    return a[::-1].copy()[::-1]


def _fortran(a):
    return np.asfortranarray(a) if a.ndim > 1 else a.copy()
