"""Small programs around one call of a function, for the compiler to differentiate: the call alone, twice, and beside
statements that change what it was given and what it returned.

>>> import numpy as np
>>> program = Program(np.sum, (np.ones((2, 3)), 1), {"keepdims": True}, (0,))
>>> print(program.text)
def call(a0):
    return function(a0, 1, keepdims=True)
>>> program.run(np.ones((2, 3))).tolist()
[[3.0], [3.0]]
"""

from __future__ import annotations

import itertools
import linecache

import numpy as np

_NUMBER = itertools.count(1)


class Program:
    """One call in a Python function whose parameters are the active arguments of the call.

    `active` are positions and keywords. `form` is one of "once", "twice", "operands overwritten", "result changed".
    Integers and strings are written as literals, unless `variables` names them: then they are parameters too.
    """

    def __init__(self, function, args, kwargs, active, form="once", variables=()):
        self.function, self.args, self.kwargs, self.active, self.form = function, args, kwargs, tuple(active), form
        self.names = {key: f"a{key}" if isinstance(key, int) else f"a_{key}" for key in (*self.active, *variables)}
        self.parameters = [key for key in (*range(len(args)), *kwargs) if key in self.names]
        self.namespace = {"function": function, "np": np, "__name__": "adcompiler.checked"}
        self.text = "\n".join([f"def call({', '.join(self.names[key] for key in self.parameters)}):", *self._body()])
        self.run = self._built()

    def values(self) -> list:
        """The arguments of the program, in order."""
        return [self.args[key] if isinstance(key, int) else self.kwargs[key] for key in self.parameters]

    def places(self) -> tuple:
        """Where the active arguments stand among those of the program."""
        return tuple(self.parameters.index(key) for key in self.active)

    def _body(self):
        operands = {key: self._written(key, value) for key, value in self.values_by_key().items()}
        call = "function({})".format(
            ", ".join(o if isinstance(key, int) else f"{key}={o}" for key, o in operands.items())
        )
        if self.form == "once":
            return [f"    return {call}"]
        if self.form == "twice":
            return [f"    first = {call}", f"    second = {call}", "    return first, second"]
        if self.form == "result changed":
            return [f"    result = {call}", "    result *= 2.0", "    return result"]
        arrays = [self.names[key] for key in self.active if isinstance(self.values_by_key()[key], np.ndarray)]
        return [
            *[f"    {name} = {name}.copy()" for name in arrays],
            f"    result = {call}",
            *[f"    {name}[...] = 0.0" for name in arrays],
            "    return result",
        ]

    def values_by_key(self) -> dict:
        return {**dict(enumerate(self.args)), **self.kwargs}

    def _written(self, key, value) -> str:
        if key in self.names:
            return self.names[key]
        if is_literal(value):
            return repr(value)
        name = f"k{key}" if isinstance(key, int) else f"k_{key}"
        self.namespace[name] = value
        return name

    def _built(self):
        filename = f"<call of {getattr(self.function, '__name__', 'function')}, {next(_NUMBER)}>"
        linecache.cache[filename] = (len(self.text), None, self.text.splitlines(True), filename)
        exec(compile(self.text, filename, "exec"), self.namespace)
        return self.namespace["call"]


def is_literal(value) -> bool:
    """Is it written as a literal: an integer, a bool, a string, None, a list or tuple of them?"""
    if type(value) in (tuple, list):
        return all(map(is_literal, value))
    return type(value) in (int, bool, str, type(None))
