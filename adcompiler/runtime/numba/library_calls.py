"""Calls of library functions in Python, from compiled code.

    y = called("lambda a: np.fft.fft(a)", "complex128[::1]", x)

What such a call gives is brought to the form that the code was compiled for. Numba ends the process where it meets
another form than it was told, so that nothing passes unchecked.
"""

from __future__ import annotations

import ast
import importlib

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

from .calling_python import arguments_of, call_python

_PYTHON = {"float64": float, "int64": int, "bool": bool, "complex128": complex}
_FUNCTIONS: dict = {}  # by text and kind: the function, and what brings its result to its form


def run(text, kind, *args):
    """The result of a function, given as the text of a `lambda`, in the form that `kind` says.

    >>> run("lambda a: np.cumsum(a)[::2]", "float64[::1]", np.ones(3))
    array([1., 3.])
    """
    found = _FUNCTIONS.get((text, kind))
    if found is None:
        found = _FUNCTIONS[text, kind] = eval(text, _names(text)), tuple(map(_former, kind.split(";")))
    function, formers = found
    made = function(*args)
    if ";" not in kind:
        return formers[0](made)
    if len(made) != len(formers) - 1:
        raise TypeError(f"a call gave {len(made)} results, where {len(formers) - 1} were expected")
    parts = [former(m) for former, m in zip(formers, made, strict=False)]
    return tuple([p for p in parts if p is not None])


def _names(text) -> dict:
    """The modules that a text reads, by their first names."""
    names = {"np": np}
    for n in ast.walk(ast.parse(text)):
        if isinstance(n, ast.Attribute):
            path = ast.unparse(n).split(".")
            if path[0] in ("scipy", "math", "operator", "adcompiler"):
                names[path[0]] = importlib.import_module(path[0])
                if len(path) > 2:
                    importlib.import_module(".".join(path[:-1]))
    return names


def _former(kind):
    """What brings a result to a form: `float64` a number, `float64[:, ::1]` an array in rows, `float64[:, :]` one in any order;
    with a star in front, a new one. What is `none` is left out of a tuple."""
    if kind == "none":
        return _nothing
    dtype, _, axes = kind.rstrip("]").lstrip("*").partition("[")
    if not axes:
        return lambda made: number_of(made, dtype)
    rank, order = axes.count(",") + 1, "C" if axes.endswith("::1") else "K"
    if kind.startswith("*"):
        return lambda made: copy_of(made, dtype, rank, order)
    return (lambda made: array_of(made, dtype, rank)) if order == "C" else lambda made: in_any_order(made, dtype, rank)


def _nothing(made):
    if made is not None:
        raise TypeError(f"a call gave {_form(made)}, where None was expected")


def array_of(value, dtype, rank):
    """An array in C order. Raises TypeError for any other dtype or rank.

    >>> array_of(np.arange(3.0)[::2], "float64", 1)
    array([0., 2.])
    """
    value = in_any_order(value, dtype, rank)
    return value if value.flags.c_contiguous else np.array(value, order="C")


def in_any_order(value, dtype, rank):
    """An array as it lies in memory: what is a view of it in another shape depends on that."""
    if not isinstance(value, np.ndarray) or value.ndim != rank or value.dtype != dtype:
        raise TypeError(f"a call gave {_form(value)}, where an array of {dtype} of rank {rank} was expected")
    return value if value.flags.writeable and type(value) is np.ndarray and value.dtype.isnative else np.array(value)


def copy_of(value, dtype, rank, order="C"):
    """A new array, of what may be an argument of the call.

    >>> a = np.arange(3.0)
    >>> copy_of(a, "float64", 1) is a
    False
    """
    return np.array(in_any_order(value, dtype, rank), order=order)


def number_of(value, dtype):
    """A number as one of Python's. Raises TypeError for one of another dtype, OverflowError for one of more than 64 bits.

    >>> number_of(np.float32(0.5), "float32")
    0.5
    """
    if type(value) is np.dtype(dtype).type or type(value) is np.ndarray and not value.ndim and value.dtype == dtype:
        return value.item()
    if type(value) is int and dtype == "int64" and not -(2**63) <= value < 2**63:
        raise OverflowError(f"the integer {value} has more than 64 bits")
    if _PYTHON.get(dtype) is not type(value):
        raise TypeError(f"a call gave {_form(value)}, where a number of {dtype} was expected")
    return value


def _form(value) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of rank {value.ndim}"
    return f"a number of {value.dtype}" if isinstance(value, np.generic) else f"a value of {type(value).__name__}"


# -- in compiled code --------------------------------------------------------------------------------------------------
def result_type(kind):
    """Numba's type of what has a kind; parts of a tuple stand in front of a `;` each."""
    if ";" in kind:
        return types.Tuple([result_type(k) for k in kind.split(";") if k not in ("", "none")])
    dtype, _, axes = kind.rstrip("]").lstrip("*").partition("[")
    element = numba.from_dtype(np.dtype(dtype))
    return types.Array(element, axes.count(",") + 1, "C" if axes.endswith("::1") else "A") if axes else element


def _typed(typingctx, text, kind, *args):
    given = arguments_of(text, kind, args)
    result = result_type(kind.literal_value)

    def generate(context, builder, signature, values):
        def function_of(api):
            module = api.import_module(context.insert_const_string(builder.module, __name__))
            return api.object_getattr_string(module, "run"), module

        texts = (text.literal_value, kind.literal_value)
        return call_python(context, builder, function_of, texts, given, values[2], lambda api, made: api.to_native_value(result, made))

    return result(text, kind, given), generate


def called(text, kind, *args):
    """Run a function of a library in Python; kind: `"float64"`, `"float64[::1]"`, or for several results `"float64[::1];float64;"`."""
    return run(text, kind, *args)


if not numba.config.DISABLE_JIT:
    _typed.__name__ = _typed.__qualname__ = "called"
    called = intrinsic(prefer_literal=True)(_typed)

__all__ = ["array_of", "called", "copy_of", "in_any_order", "number_of", "run"]
