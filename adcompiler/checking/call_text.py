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

import importlib
import itertools
import linecache

import numpy as np

from ..rules.libraries import public_name

GENERATORS = (np.random.Generator, np.random.RandomState)
_NUMBER = itertools.count(1)


class Program:
    """One call in a Python function whose parameters are the active arguments of the call.

    `active` are positions and keywords. `form` is one of "once", "twice", "operands overwritten", "result changed".
    Integers and strings are written as literals, unless `variables` names them: then they are parameters too.
    A function of SciPy is called by its name in its module, as programs do.
    """

    def __init__(self, function, args, kwargs, active, form="once", variables=()):
        self.function, self.args, self.kwargs, self.active, self.form = function, args, kwargs, tuple(active), form
        self.names = {key: f"a{key}" if isinstance(key, int) else f"a_{key}" for key in (*self.active, *variables)}
        self.parameters = [key for key in (*range(len(args)), *kwargs) if key in self.names]
        self.namespace = {"function": function, "np": np, "__name__": "adcompiler.checked"}
        public = public_name(function)
        self.called = "function" if public is None else f"module.{public[1]}"
        self.is_method = bool(args) and isinstance(args[0], GENERATORS)  # rng.normal(...)
        if public is not None:
            self.namespace["module"] = importlib.import_module(public[0])
        self.text = "\n".join([f"def call({', '.join(self.names[key] for key in self.parameters)}):", *self._body()])
        self.run = self._built(self.text, "call")

    def pullback(self, value, once=False):
        """The adjoints of the active arguments, as a function of the seed and the arguments, each number or array alone.

        `value` is a result of the call; `once`: the function draws, and must run once alone. Lists and tuples are taken
        apart, those of the seed too: `parts` gives the arguments for a seed and values.

        >>> program = Program(np.add, (0.5, 1.0), {}, (0, 1))
        >>> print(program.pullback_text(1.5))
        def call(a0, a1):
            return function(a0, a1)
        def pulled(seed, a0, a1):
            _, pullback = vjp(call, a0, a1, wrt=(0, 1))
            return pullback(seed)
        """
        from ..api import grad, vjp

        self.namespace.update(vjp=vjp, grad=grad)
        return self._built(self.pullback_text(value, once), "pulled")

    def pullback_text(self, value, once=False) -> str:
        names = {key: _apart(self.names[key], v) for key, v in zip(self.parameters, self.values(), strict=True)}
        flat = [name for key in self.parameters for name in _flat(names[key])]
        wrt = tuple(k for k, name in enumerate(flat) if any(name in _flat(names[key]) for key in self.active))
        seeds = _apart("seed", value)
        written = {**{key: self._written(key, v) for key, v in self.values_by_key().items()}, **{k: _spelt(n) for k, n in names.items()}}
        call = f"def call({', '.join(flat)}):\n    return {self._call(written)}\n"
        if once:  # a derivative of random draws inside a program is taken in one run of them
            inner = tuple(k + 1 for k in wrt)
            return (
                f"{call}"
                f"def weighted(seed, {', '.join(flat)}):\n"
                f"    return np.sum(seed * call({', '.join(flat)}))\n"
                f"def pulled(seed, {', '.join(flat)}):\n"
                f"    return grad(weighted, wrt={inner})(seed, {', '.join(flat)})"
            )
        return (
            f"{call}"
            f"def pulled({', '.join([*_flat(seeds), *flat])}):\n"
            f"    _, pullback = vjp(call, {', '.join(flat)}, wrt={wrt})\n"
            f"    return pullback({_spelt(seeds)})"
        )

    def parts(self, seed, values) -> list:
        """The arguments of the function that `pullback` gives."""
        return [part for v in (seed, *values) for part in _flat(v)]

    def values(self) -> list:
        """The arguments of the program, in order."""
        return [self.args[key] if isinstance(key, int) else self.kwargs[key] for key in self.parameters]

    def places(self) -> tuple:
        """Where the active arguments stand among those of the program."""
        return tuple(self.parameters.index(key) for key in self.active)

    def _body(self):
        operands = {key: self._written(key, value) for key, value in self.values_by_key().items()}
        call = self._call(operands)
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

    def _call(self, written) -> str:
        """The call with these texts of its arguments."""
        called = self.called
        if self.is_method:
            called, written = f"{written[0]}.{self.function.__name__}", {k: o for k, o in written.items() if k != 0}
        return f"{called}({', '.join(o if isinstance(key, int) else f'{key}={o}' for key, o in written.items())})"

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

    def _built(self, text, name):
        filename = f"<{name} of {getattr(self.function, '__name__', 'function')}, {next(_NUMBER)}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
        exec(compile(text, filename, "exec"), self.namespace)
        return self.namespace[name]


def _apart(name, value):
    """Names for the parts of a list or tuple, in a structure like it; one name for anything else."""
    if type(value) not in (list, tuple):
        return name
    return type(value)(_apart(f"{name}_{k}", part) for k, part in enumerate(value))


def _flat(structure) -> list:
    return [p for part in structure for p in _flat(part)] if type(structure) in (list, tuple) else [structure]


def _spelt(names) -> str:
    if isinstance(names, list):
        return f"[{', '.join(map(_spelt, names))}]"
    return f"({', '.join(map(_spelt, names))},)" if isinstance(names, tuple) else names


def is_literal(value) -> bool:
    """Is it written as a literal: an integer, a bool, a string, None, a list or tuple of them?"""
    if type(value) in (tuple, list):
        return all(map(is_literal, value))
    return type(value) in (int, bool, str, type(None))
