"""Calls of compiled functions: the arguments as compiled code takes them, its results as generated Python gives them.

A `CallPlan` holds all that a call needs to know, in plain values, so that it can be kept for other processes.
"""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from ....errors import UnsupportedSyntaxError
from ....runtime.numba.kept_loops import KeptLoop, KeptObject
from ....runtime.tape import Tape
from ..types import Array, Items, Listed, Scalar
from .rebuilding import needs_rebuilding, rebuilt


class Ending(Enum):
    """What stands at the end of the path to a part of an argument, and says how it is passed."""

    VECTOR = "a list of numbers as an array"
    PLAIN = "a named tuple as a plain one"


@dataclass(frozen=True)
class CallPlan:
    """How one compiled function is called.

    name: of the function. parameters: those of the compiled function; extras: the last of them, globals of the program.
    own: the parameters of the caller; arguments: their names in the user's function. leaves: parameters that are
    parts of an argument, with its position and the path. result: the type of what is returned. sites: the names of the entries of
    the tape; loops and objects: the positions of those that are checkpointed loops, or arguments that are objects (with
    the number of the argument). targets, owner, seed: of an adjoint function, the entries that it reads, the
    function that makes the tape, and the type of the seed. tangents: the types of the tangents behind the arguments.
    returned: of a gradient whose arrays the caller makes, the numbers of the arguments whose shapes they have.
    """

    kind: str
    name: str
    parameters: tuple
    extras: tuple
    own: tuple
    arguments: tuple
    leaves: dict
    result: object
    sites: tuple = ()
    loops: dict = field(default_factory=dict)
    objects: dict = field(default_factory=dict)
    targets: tuple = ()
    owner: str = ""
    seed: object = None
    tangents: dict = field(default_factory=dict)
    apart: bool = False  # loops run on threads
    paths: dict = field(default_factory=dict)  # extras that are parts of a global: its name, and the path
    held: tuple = ()  # the positions of parameters that are Python objects
    calls_python: bool = False  # there is one more parameter, which runs code in Python
    moved: tuple = ()  # texts of the generators of random numbers outside of the function that it moves
    is_tested: bool = False  # a gradient with a NaN in it raises NotDefined
    has_types_of_arguments: bool = False
    returned: tuple = ()


def bare(t):
    """A type without what is known of extents and memory."""
    if isinstance(t, Array):
        return Array(t.dtype, t.rank)
    if isinstance(t, Scalar):
        return Scalar(t.dtype, t.weak)
    if isinstance(t, Items):
        return replace(t, items=tuple(map(bare, t.items)))
    return t


def caller(plan: CallPlan, core, namespace, behind=()):
    """The function of the caller around the compiled one, `core`; globals of the program are read from `namespace`.

    behind: arguments behind all others.
    """
    if plan.apart:
        core = one_at_a_time(core)
    if plan.calls_python or plan.held:
        from .python_calls import with_interpreter

        core = with_interpreter(plan, core, namespace, behind)
    elif behind:
        core = _with_more(core, behind)
    return _CALLERS[plan.kind](plan, core, namespace)


def _with_more(core, behind):
    return lambda *args: core(*args, *behind)


def without_remarks(core):
    """The compiled function `core`, without Numba's warnings on what it could not run on threads: see `report`."""
    compile_for = getattr(core, "compile", None)
    if compile_for is None:  # NUMBA_DISABLE_JIT=1: it runs as Python
        return core

    def compile_quietly(signature):
        from numba.core.errors import NumbaPerformanceWarning

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaPerformanceWarning)
            return compile_for(signature)

    core.compile = compile_quietly
    return core


def forms_of(core):
    """A dispatcher to what has been compiled of a function; for other types it raises a TypeError, and compiles nothing.

    Its test of the types takes the place of one in Python.
    """
    made = type(core)(core.py_func, targetoptions=core.targetoptions)
    add_forms(made, core)
    made.disable_compile()
    return made


def add_forms(forms, core):
    """Add what has been compiled since."""
    for types, form in list(core.overloads.items()):
        if types not in forms.overloads:
            forms.add_overload(form)


_THREADS = threading.Lock()  # Numba's own threads serve one caller; with some of its threading layers more would end the process


def one_at_a_time(core):
    """`core`, which runs on Numba's threads."""

    def run(*args):
        with _THREADS:
            return core(*args)

    return run


def _arguments(plan, namespace):
    """How the parameters of the compiled function come from those of the caller."""
    own = plan.own
    extras, outside = plan.extras, _outside(plan, namespace)
    if plan.leaves:
        named = [n for n in plan.parameters if n not in plan.extras]
        paths = [plan.leaves.get(n) or (own.index(n), ()) for n in named]
        lists = [k for k, path in paths if Ending.VECTOR in path]
        if len(lists) > 1:
            return lambda args: (*[_at(args[k], path) for k, path in paths], *[outside(e) for e in extras], *_none_twice(args, lists))
        return lambda args: (*[_at(args[k], path) for k, path in paths], *[outside(e) for e in extras])
    places = [own.index(n) for n in plan.parameters if n not in plan.extras]
    if not extras and places == [*range(len(own))]:
        return None
    return lambda args: (*[args[k] for k in places], *[outside(e) for e in extras])


def _outside(plan, namespace):
    """The value of a parameter that is a global, or a part of one, by its name."""
    if not plan.paths:
        return namespace.__getitem__

    def value(parameter):
        found, path = plan.paths.get(parameter, (parameter, ()))
        return _at(namespace[found], path)

    return value


def _none_twice(args, lists):
    """Nothing, where no list is given as two arguments."""
    if len({id(args[k]) for k in lists}) < len(lists):
        raise UnsupportedSyntaxError("the Numba backend does not compile one list as two arguments", hint="pass a copy of it")
    return ()


def _plain(value):
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


def _at(value, path):
    """The part of an argument at the end of a path of keys and attributes."""
    for key in path:
        if key is Ending.PLAIN:
            return _plain(value)
        if key is Ending.VECTOR:
            return np.array(value)
        value = value[key] if isinstance(value, (dict, list, tuple)) else getattr(value, key)
    return value


def _joint(plan, core, namespace):
    arranged = _arguments(plan, namespace)
    fixed, listing = _fixing(plan.result.items[0]), _lists_of(plan.result.items[1])
    if listing is not None and not needs_rebuilding(plan.result):
        def with_lists(*args):
            value, gradient = core(*(args if arranged is None else arranged(args)))
            return (value if fixed is None else fixed(value)), listing(gradient)

        return with_lists
    if needs_rebuilding(plan.result):
        names = plan.arguments

        def rebuilding(*args):
            value, gradient = core(*(args if arranged is None else arranged(args)))
            value = value if fixed is None else fixed(value)
            return rebuilt(plan.result, (value, gradient), dict(zip(names, args, strict=True)))

        return rebuilding
    if plan.returned:
        return _with_arrays(plan, core, namespace, fixed)
    if arranged is None and fixed is None:
        return core
    if fixed is None and not plan.leaves and not plan.paths:
        return _with_globals(plan, core, namespace)

    def run(*args):
        value, gradient = core(*(args if arranged is None else arranged(args)))
        return (value if fixed is None else fixed(value)), gradient

    return run


def _with_globals(plan, core, namespace):
    """`core` called with the arguments that it takes and the globals behind them, written out: a loop costs more."""
    own = plan.own
    names = [f"a{k}" for k in range(len(own))]
    places = [own.index(n) for n in plan.parameters if n not in plan.extras]
    given = [names[k] for k in places] + [f"namespace[{e!r}]" for e in plan.extras]
    text = f"lambda {', '.join(names)}: core({', '.join(given)})"
    made = eval(text, {"core": core, "namespace": namespace})
    made.around = core, places, plan.extras, ()
    return made


def _with_arrays(plan, core, namespace, fixed):
    """`core` called with arguments, globals, and new arrays for the parts of the gradient."""
    places = [plan.own.index(n) for n in plan.parameters if n not in plan.extras]
    shapes = plan.returned

    def run(*args):
        gradient = tuple(np.empty(args[k].shape) for k in shapes)
        value = core(*[args[k] for k in places], *[namespace[e] for e in plan.extras], *gradient)
        return (value if fixed is None else fixed(value)), gradient if len(gradient) > 1 else gradient[0]

    if fixed is None:
        run.around = core, places, plan.extras, shapes
    return run


def _forward(plan, core, namespace):
    arranged = _arguments(plan, namespace)
    fixed = _fixing(plan.result)
    sites, owner, loops, names, held = plan.sites, plan.name, plan.loops, plan.arguments, plan.objects
    rebuilds = needs_rebuilding(plan.result)

    def run(*args):
        value, kept = core(*(args if arranged is None else arranged(args)))
        if loops:
            kept = tuple(loops[k].kept(v) if k in loops else v for k, v in enumerate(kept))
        if held:
            kept = tuple(KeptObject(names[held[k]], args[held[k]], v) if k in held else v for k, v in enumerate(kept))
        if rebuilds:
            value = rebuilt(plan.result, value, {})
        return (value if fixed is None else fixed(value)), Tape(owner, sites, kept)

    return run


def _adjoint(plan, core, namespace):
    owner, targets = plan.owner, plan.targets
    places = [targets.index(n) for n in plan.parameters if n in targets]
    extras, outside = plan.extras, _outside(plan, namespace)
    seeded = seed_for(plan.seed)
    loops = bool(plan.loops)
    rebuilds, listing = needs_rebuilding(plan.result), _lists_of(plan.result)

    def run(tape, seed=1.0):
        kept = tape.open(owner)
        objects = {v.name: v.primal for v in kept if isinstance(v, KeptObject)}
        if loops or objects:
            kept = [v.values if isinstance(v, (KeptLoop, KeptObject)) else v for v in kept]
        found = core(*[kept[k] for k in places], seeded(seed), *[outside(e) for e in extras])
        if listing is not None and not rebuilds:
            return listing(found)
        return rebuilt(plan.result, found, objects) if rebuilds else found

    return run


def _lists_of(t):
    """What turns the lists in a gradient into Python's; None where there are none."""
    if isinstance(t, Listed):
        return list
    if type(t) is not Items or not any(map(_lists_of, t.items)):
        return None
    parts = [_lists_of(i) for i in t.items]
    return lambda value: tuple(v if p is None else p(v) for v, p in zip(value, parts, strict=True))


def _tangent(plan, core, namespace):
    own = plan.own
    tangents = plan.tangents
    every = [*own, *tangents]
    places = [every.index(n) for n in plan.parameters if n not in plan.extras]
    converted = {every.index(n): seed_for(t) for n, t in tangents.items()}
    extras, outside = plan.extras, _outside(plan, namespace)
    fixed = _fixing(plan.result)

    def run(*args):
        given = [converted[k](args[k]) if k in converted else args[k] for k in places]
        made = core(*given, *[outside(e) for e in extras])
        return made if fixed is None else fixed(made)

    return run


def seed_for(t):
    """The conversion of a seed to the type that was compiled for."""
    if isinstance(t, Scalar):
        if t.dtype == np.dtype(float):
            return lambda seed: float(np.real(seed))
        if t.dtype == np.dtype(complex):
            return complex
        return t.dtype.type
    if isinstance(t, Array):
        return lambda seed: np.asarray(seed, t.dtype)
    if isinstance(t, Items):
        parts = [seed_for(i) for i in t.items]
        return lambda seed: tuple(p(s) for p, s in zip(parts, seed, strict=True))
    if isinstance(t, Listed):
        return _list_of_floats
    return float


def _list_of_floats(seed):
    from numba import float64
    from numba.typed import List

    made = List.empty_list(float64)
    for s in seed:
        made.append(float(np.real(s)))
    return made


def _fixing(t):
    """What turns a returned value into the type that NumPy gives; None if it is that already."""
    if isinstance(t, Scalar) and t.weak is not True and t.dtype not in (
        np.dtype(float), np.dtype(np.int64), np.dtype(complex), np.dtype(bool)
    ):
        return t.dtype.type
    if isinstance(t, Items):
        parts = [_fixing(i) for i in t.items]
        if any(p is not None for p in parts):
            return lambda value: tuple(v if p is None else p(v) for v, p in zip(value, parts, strict=True))
    if isinstance(t, Listed):
        return list
    return None


_CALLERS = {"gradient": _joint, "forward": _forward, "adjoint": _adjoint, "tangent": _tangent}


__all__ = ["CallPlan", "Ending", "bare", "caller", "without_remarks"]
