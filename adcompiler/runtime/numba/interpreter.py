"""Calls from compiled code into the Python interpreter: random draws, text, and functions that only Python knows.

    noise = interpreted(python, "lambda rng, n: rng.standard_normal(n)", "float64[:]", rng, n)

`python` is the `Interpreter` of one call of compiled code. Python objects pass through compiled code as they are, as
pointers; whoever called it, or the interpreter, holds them. An exception leaves compiled code as it was raised.
"""

from __future__ import annotations

import random

import numba
import numpy as np
from numba import types
from numba.extending import NativeValue, box, intrinsic, models, register_model, typeof_impl, unbox

from .calling_python import arguments_of, call_python
from .library_calls import array_of

_NUMBERS = {"float": types.float64, "int": types.int64, "bool": types.boolean, "complex": types.complex128}


class Held:
    """A Python object as an argument of compiled code, which does not look into it."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Interpreter:
    """What compiled code calls in Python, during one call of it.

    functions: those of the texts that were run before, by text; names: what the texts read; read: the generators of
    random numbers that may be moved, as objects.
    """

    __slots__ = ("functions", "names", "objects", "states")

    def __init__(self, functions, names, generators=()):
        self.functions, self.names = functions, names
        self.objects = []  # results, which live as long as this
        self.states = [(g, state_of(g)) for g in generators]

    def run(self, text, kind, *args):
        """The result of a function, given as a text, as compiled code takes it."""
        function = self.functions.get(text)
        if function is None:
            function = self.functions[text] = eval(text, self.names)
        made = function(*args)
        if kind[-1] == "]":
            dtype, _, axes = kind[:-1].partition("[")
            return array_of(made, dtype, axes.count(":"))
        if kind == "object":
            self.objects.append(made)
        return made


def state_of(generator):
    """Where a generator of random numbers is; see `put_back`."""
    if generator is np.random:
        return np.random.get_state()
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    if isinstance(generator, np.random.RandomState):
        return generator.get_state()
    return generator.getstate()


def put_back(generator, state):
    """Move a generator of random numbers to where it was."""
    if generator is np.random:
        np.random.set_state(state)
    elif isinstance(generator, np.random.Generator):
        generator.bit_generator.state = state
    elif isinstance(generator, np.random.RandomState):
        generator.set_state(state)
    else:
        generator.setstate(state)


def is_generator(value) -> bool:
    """Is this a generator of random numbers whose state is known?"""
    return value is np.random or value is random or isinstance(value, (np.random.Generator, np.random.RandomState, random.Random))


def shuffled(generator, values, *args, **kwargs):
    """A shuffled copy of an array.

    >>> shuffled(np.random.default_rng(0), np.arange(4)).tolist()
    [2, 0, 1, 3]
    """
    values = values.copy()
    generator.shuffle(values, *args, **kwargs)
    return values


def raised(error):
    """Raise an exception."""
    raise error


# -- in compiled code --------------------------------------------------------------------------------------------------
class PythonObject(types.Type):
    """The type of a Python object in compiled code."""

    def __init__(self):
        super().__init__(name="PythonObject")


OBJECT = PythonObject()
register_model(PythonObject)(models.OpaqueModel)


@typeof_impl.register(Held)
def _(value, context):
    return OBJECT


@typeof_impl.register(Interpreter)
def _(value, context):
    return INTERPRETER


class InterpreterType(types.Type):
    """The type of the interpreter of a call."""

    def __init__(self):
        super().__init__(name="Interpreter")


INTERPRETER = InterpreterType()
register_model(InterpreterType)(models.OpaqueModel)


@unbox(PythonObject)
def _(t, value, c):
    inside = c.pyapi.object_getattr_string(value, "value")
    c.pyapi.decref(inside)  # the holder is an argument, and lives as long as the call
    return NativeValue(inside)


@unbox(InterpreterType)
def _(t, value, c):
    return NativeValue(value)


@box(PythonObject)
def _(t, value, c):
    c.pyapi.incref(value)
    return value


def result_type(kind):
    """Numba's type of a result: `"float"`, `"float64[:,:]"`, `"object"`, `"none"` ..."""
    if kind == "none":
        return types.none
    if kind == "object":
        return OBJECT
    if kind in _NUMBERS:
        return _NUMBERS[kind]
    dtype, _, axes = kind.rstrip("]").partition("[")
    element = numba.from_dtype(np.dtype(dtype))
    return types.Array(element, axes.count(":"), "C") if axes else element


def _typed(typingctx, python, text, kind, *args):
    given = arguments_of(text, kind, args)
    result = result_type(kind.literal_value)

    def generate(context, builder, signature, values):
        def native_of(api, made):
            if result == types.none:
                return NativeValue(context.get_dummy_value())
            return NativeValue(made) if result == OBJECT else api.to_native_value(result, made)  # the interpreter holds objects

        texts = (text.literal_value, kind.literal_value)
        return call_python(
            context, builder, lambda api: (api.object_getattr_string(values[0], "run"),), texts, given, values[3], native_of
        )

    return result(python, text, kind, given), generate


def interpreted(python, text, kind, *args):
    """Run a function of Python, given as the text of a `lambda`; kind: "float", "int", "float64[:]", "object" or "none"."""
    return python.run(text, kind, *[a.value if isinstance(a, Held) else a for a in args])


if not numba.config.DISABLE_JIT:
    _typed.__name__ = _typed.__qualname__ = "interpreted"
    interpreted = intrinsic(prefer_literal=True)(_typed)

__all__ = ["Held", "Interpreter", "interpreted", "is_generator", "put_back", "raised", "shuffled", "state_of"]
