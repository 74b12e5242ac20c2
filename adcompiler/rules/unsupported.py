"""Functions of NumPy that pass numbers on and have no derivative here, each with the reason and with what to write.

>>> unsupported_reason(np.random.Generator.choice)
'which elements are taken is not told'
>>> unsupported_reason(np.sin) is None
True
"""

from __future__ import annotations

from functools import reduce

import numpy as np

_REJECTION = "the draw is accepted or rejected by its parameters, so that it is no smooth function of them"
_SCORE = "draw with constant parameters, or use a distribution of location and scale"
_SETS = "values in both sets must be equal to the last digit, which no change of them keeps"
_MATRIX = "a matrix has operations of its own"
_MEMORY = "it gives the memory and not the numbers"
_GONE = "NumPy 2 has taken it away"
_OBJECT = "it makes Python objects, which carry no derivative through an array"

# dotted name under numpy: reason, what to write instead
_TABLE = {
    # functions of an element, and iterators
    "vectorize": ("it calls a Python function for each element", "write one expression on whole arrays, or a loop"),
    "frompyfunc": (_OBJECT, "write one expression on whole arrays, or a loop that stores each result in an array"),
    "fromiter": ("it reads an iterator", "append to a list, and make an array of it"),
    "nditer": ("it reads and writes through buffers", "write a loop over indices"),
    "nested_iters": ("it reads and writes through buffers", "write a loop over indices"),
    "ndenumerate": ("as a value it is an iterator over elements", "for index, value in np.ndenumerate(x): ..."),
    "flatiter": ("it is an iterator over elements", "np.ravel(x)"),
    "broadcast": ("it is an iterator over elements", "np.broadcast_arrays"),
    "ndarray.flat": ("it is an iterator over elements", "np.ravel(x)"),
    # matrices, records and memory
    "matrix": (_MATRIX, "an array, and the operator @"),
    "asmatrix": (_MATRIX, "an array, and the operator @"),
    "bmat": (_MATRIX, "np.block"),
    "ndarray.base": (_MEMORY, "the array itself"),
    "ndarray.data": (_MEMORY, "the array itself"),
    "ndarray.ctypes": (_MEMORY, "the array itself"),
    "ndarray.getfield": (_MEMORY, "x.real, x.imag, or x.astype"),
    "ndarray.setfield": ("it changes the bytes of the array, not its numbers", "x.real = ..., x.imag = ..."),
    "ndarray.byteswap": ("it changes the bytes of the array, not its numbers", "do this before the differentiated code"),
    "ndarray.resize": ("it changes the shape of the array in place", "np.resize or np.concatenate"),
    "ndarray.setflags": ("it changes whether the array may be written", "do this before the differentiated code"),
    "ndarray.to_device": ("it moves the array to another device", "arrays in main memory"),
    "from_dlpack": ("it takes over memory of another library", "np.asarray, before the differentiated code"),
    # taken away by NumPy 2; the names are there in 2.0 to say so
    "ndarray.itemset": (_GONE, "x[index] = value"),
    "ndarray.newbyteorder": (_GONE, "x.view(x.dtype.newbyteorder(order))"),
    "ndarray.ptp": (_GONE, "np.ptp(x)"),
    "ndarray.tostring": (_GONE, "x.tobytes()"),
    "ndarray.tolist": ("how many numbers the nested list holds is not known when compiling", "the array, by its indices"),
    "lib.stride_tricks.as_strided": (
        "which elements share memory is not known when compiling",
        "np.lib.stride_tricks.sliding_window_view, np.broadcast_to, or slices",
    ),
    # sets
    "intersect1d": (_SETS, "x[np.isin(x, y)]"),
    "unique_all": ("its results have names of their own", "np.unique(x, return_inverse=True) and its other forms"),
    "unique_counts": ("its results have names of their own", "np.unique(x, return_counts=True)"),
    "unique_inverse": ("its results have names of their own", "np.unique(x, return_inverse=True)"),
}

_DRAWS = {
    "choice": ("which elements are taken is not told", "x[rng.choice(len(x), size)]"),
    "permutation": ("the order that was drawn is not told", "x[rng.permutation(len(x))]"),
    "permuted": ("the order that was drawn is not told", "x[rng.permutation(len(x))]"),
    "shuffle": ("it permutes the array in place by random numbers", "x = x[rng.permutation(len(x))]"),
    **dict.fromkeys(
        (
            "beta",
            "chisquare",
            "dirichlet",
            "f",
            "noncentral_chisquare",
            "noncentral_f",
            "standard_gamma",
            "standard_t",
            "wald",
        ),
        (_REJECTION, _SCORE),
    ),
}


def _resolved() -> dict:
    """The table by the objects of the installed NumPy; names that it does not have are left out."""
    found = {}
    for prefix in ("random", "random.Generator", "random.RandomState"):
        _TABLE.update({f"{prefix}.{name}": entry for name, entry in _DRAWS.items()})
    for name, entry in _TABLE.items():
        try:
            value = reduce(getattr, name.split("."), np)
        except AttributeError:
            continue
        found[id(value)] = (value, name, *entry)
    return found


_UNSUPPORTED = _resolved()


def unsupported_reason(function) -> str | None:
    """Why a function of NumPy has no derivative here; None for a function that is not in the table."""
    found = _entry(function)
    return found[2] if found is not None else None


def unsupported_hint(function) -> str:
    """The reason, and what to write instead, as the hint of an error; empty for a function that is not in the table.

    >>> unsupported_hint(np.ndarray.tolist)
    'how many numbers the nested list holds is not known when compiling; write instead: the array, by its indices'
    """
    found = _entry(function)
    return f"{found[2]}; write instead: {found[3]}" if found is not None else ""


_FIRST_ORDER: dict[int, tuple] = {}


def first_order(*functions, reason, instead):
    """List what the adjoints and tangents of a rule call and what is not differentiated again, as an error tells it."""
    for function in functions:
        _FIRST_ORDER[id(function)] = (function, function.__name__, reason, instead)


def _entry(function):
    """Methods of NumPy's global generator are made anew at each access, and found by name."""
    found = _UNSUPPORTED.get(id(function)) or _FIRST_ORDER.get(id(function))
    if found is not None and found[0] is function:
        return found
    owner = getattr(function, "__self__", None)
    if isinstance(owner, (np.random.Generator, np.random.RandomState)):
        return _entry(getattr(type(owner), function.__name__))
    return None


def all_unsupported() -> list[tuple[str, str, str]]:
    """Name, reason, and what to write instead, for every function of the table that the installed NumPy has."""
    return [(f"numpy.{name}", reason, instead) for _, name, reason, instead in _UNSUPPORTED.values()]
