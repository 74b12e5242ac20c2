"""What a caller gets: Python functions around compiled ones, with the same arguments and results as generated Python."""

from __future__ import annotations

import linecache
import re
import threading
import warnings
from pathlib import Path

import numpy as np

from ....errors import UnsupportedSyntaxError
from ....runtime.numba.checks import NotAsAssumed, SizeOne
from ....runtime.tape import Tape
from ....runtime.numba.kept_loops import KeptLoop, KeptObject
from ..containers import records
from ..tape.checkpoints import KeptSteps
from ..types import Array, Items, Known, Listed, Scalar, Stack, described


def entry_of(part, core, generator, namespace, maps, path, parts, options):
    """The function of the caller for one compiled function."""
    line = np.full(1, -1)
    if part.walk.apart:
        without_remarks(core)
    called = (lambda *args: core(*args, line)) if options.get("tracking") else one_at_a_time(core) if part.walk.apart else core
    made = _ENTRIES[part.kind](part, called, generator, namespace, parts)
    entry = Entry(made, part, core, generator, maps, path, options)
    entry.line = line
    return entry


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


_TRACKING = threading.Lock()
_THREADS = threading.Lock()  # Numba's own threads serve one caller; with some of its threading layers more would end the process


def one_at_a_time(core):
    """`core`, which runs on Numba's threads."""

    def run(*args):
        with _THREADS:
            return core(*args)

    return run



def _is_of_compiler(error) -> bool:
    """Was this raised inside Numba's own code, not by what it has compiled?"""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_globals.get("__name__", "").startswith("numba.")


class Entry:
    """A compiled function as the caller sees it; errors of Numba's compiler become errors of this one."""

    def __init__(self, run, part, core, generator, maps, path, options):
        self.run, self.part, self.core, self.generator, self.maps, self.path = run, part, core, generator, maps, path
        self.py_func = getattr(core, "py_func", core)  # with NUMBA_DISABLE_JIT=1 it is not compiled, and runs as Python
        self.__code__ = self.py_func.__code__
        self.__name__ = self.py_func.__name__
        self.other = None  # the same function without what this one takes for granted
        self.options = options
        self.overloads, self.checked = getattr(core, "overloads", {}), 0
        self.is_tested, self.has_types_of_arguments = part.walk.is_tested, part.walk.has_types_of_arguments
        self.tracked = None  # the same function, which notes the line that it is at

    def __call__(self, *args):
        if self.other is not None:
            return self.other(*args)
        try:
            made = self.run(*args)
        except (SizeOne, NotAsAssumed) as error:
            return self.again(args, type(error))
        except Exception as error:
            if type(error).__module__.startswith("numba.") or _is_of_compiler(error):
                if "list(undefined)" in str(error) and not self.options.get("example_lists"):
                    return self.again(args, "untyped lists")
                raise self.refusal(error) from None
            raise
        if len(self.overloads) != self.checked:
            self.check()
        return made

    @property
    def direct(self):
        """What may be called instead, by who does the rest of `__call__` in place; None where that is not to be."""
        return self.run if self.other is None else None

    def compiles_again(self, error) -> bool:
        """Must the call be made the long way, which compiles for any extents, explains a refusal, or finds the line?"""
        return True

    def place_of(self, error, args):
        """The place in the program at which a call raised, by a second run that notes its lines; None if it cannot tell.

        args: the arguments as they were before the call.
        """
        if self.other is not None:
            return self.other.place_of(error, args)
        if self.part.kind not in ("gradient", "forward", "tangent") or self.options.get("tracking"):
            return None
        with _TRACKING:
            if self.tracked is None:
                self.tracked = self.generator.compile_again(**self.options, tracking=True)[self.part.kind]
            self.tracked.line[0] = -1
            try:
                self.tracked.run(*args)
            except type(error):
                return {n: loc for n, loc in self.tracked.part.walk.learnt.lines.values()}.get(int(self.tracked.line[0]))
            except Exception:
                return None
        return None

    def check(self):
        """Check what Numba has compiled since the last time."""
        count = len(self.overloads)
        check_types(self)
        self.checked = count  # not before: what was refused once is refused again

    def again(self, args, reason):
        """Compile once more: for axes of length 1 beside longer ones, extents of any relation, lists by their types."""
        changed = {SizeOne: {"broadcasting": True}, NotAsAssumed: {"assuming": False}}.get(reason, {"example_lists": True})
        compiled = self.generator.compile_again(**{**self.options, **changed})
        self.other = compiled[self.part.kind]
        return self.other(*args)

    def refusal(self, error):
        """What Numba's compiler has against the code, as an error that tells the line of the program, and what it became."""
        text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
        numbers = [int(n) for f, n in re.findall(r'File "([^"]+)", line (\d+)', text) if self.path.endswith(f)
                   or f.endswith(self.path.rpartition("/")[2])]
        locs = self.maps.get((self.path, self.part.kind), {})
        number = next((n for n in numbers if n in locs), None)
        became = "the code that this line becomes"
        if number is not None and (line := linecache.getline(self.path, number).strip()):
            became = f"'{line}', which this line becomes"
        reason = _reason(text)
        return UnsupportedSyntaxError(
            f"Numba does not compile {became}" + (f" ({reason})" if reason else ""),
            locs.get(number, self.generator.function.loc),
            hint="one operation on numbers or arrays to a line, one type to a name; or backend='numpy' for this function; "
            "and report this",
        )


def _reason(text) -> str:
    """The operation that Numba's compiler has not, or the first sentence of its error."""
    call = re.search(r"No implementation of function .*? found for signature:\s+>>> (.+)", text)
    lines = (line.strip() for line in text.splitlines())
    found = next((line for line in lines if line and not line.startswith("Failed in ")), "").rstrip(":. ")
    found = f"it has no {call[1]}" if call else found
    return found if len(found) <= 160 else found[:157] + "..."


def _arguments(part, generator, namespace):
    """How the parameters of the compiled function come from those of the caller."""
    own = [v.name for v in generator.function.params]
    extras = tuple(part.extras)
    if part.leaves:
        named = [n for n in part.parameters if n not in part.extras]
        paths = [part.leaves.get(n) or (own.index(n), ()) for n in named]
        lists = [k for k, path in paths if VECTOR in path]
        if len(lists) > 1:
            return lambda args: (*[_at(args[k], path) for k, path in paths], *[namespace[e] for e in extras], *_none_twice(args, lists))
        return lambda args: (*[_at(args[k], path) for k, path in paths], *[namespace[e] for e in extras])
    places = [own.index(n) for n in part.parameters if n not in part.extras]
    if not extras and places == list(range(len(own))):
        return None
    return lambda args: (*[args[k] for k in places], *[namespace[e] for e in extras])


VECTOR = object()  # at the end of a path: lists of numbers are passed as arrays
PLAIN = object()  # at the end of a path: named tuples are passed as plain ones


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
        if key is PLAIN:
            return _plain(value)
        if key is VECTOR:
            return np.array(value)
        value = value[key] if isinstance(value, (dict, list, tuple)) else getattr(value, key)
    return value


def _joint(part, core, generator, namespace, parts):
    arranged = _arguments(part, generator, namespace)
    fixed, listing = _fixing(part.result.items[0]), _lists_of(part.result.items[1])
    if listing is not None and not records.needs_rebuilding(part.result):
        def with_lists(*args):
            value, gradient = core(*(args if arranged is None else arranged(args)))
            return (value if fixed is None else fixed(value)), listing(gradient)

        return with_lists
    if records.needs_rebuilding(part.result):
        names = [n for n, _ in generator.signature.parameters]

        def rebuilding(*args):
            value, gradient = core(*(args if arranged is None else arranged(args)))
            value = value if fixed is None else fixed(value)
            return records.rebuilt(part.result, (value, gradient), dict(zip(names, args, strict=True)))

        return rebuilding
    if arranged is None and fixed is None:
        return core
    if fixed is None and not part.leaves:
        return _with_globals(part, core, generator, namespace)

    def run(*args):
        value, gradient = core(*(args if arranged is None else arranged(args)))
        return (value if fixed is None else fixed(value)), gradient

    return run


def _with_globals(part, core, generator, namespace):
    """`core` called with the arguments that it takes and the globals behind them, written out: a loop costs more."""
    own = [v.name for v in generator.function.params]
    names = [f"a{k}" for k in range(len(own))]
    places = [own.index(n) for n in part.parameters if n not in part.extras]
    given = [names[k] for k in places] + [f"namespace[{e!r}]" for e in part.extras]
    text = f"lambda {', '.join(names)}: core({', '.join(given)})"
    made = eval(text, {"core": core, "namespace": namespace})
    made.around = core, places, part.extras
    return made


def _forward(part, core, generator, namespace, parts):
    arranged = _arguments(part, generator, namespace)
    fixed = _fixing(part.result)
    sites = tuple(s for s, _ in part.kept)
    owner = part.definition.name
    loops = {k: t for k, (_, t) in enumerate(part.kept) if isinstance(t, KeptSteps)}
    names = [n for n, _ in generator.signature.parameters]
    held = {k: names.index(t.site[1]) for k, (_, t) in enumerate(part.kept)
            if isinstance(t, records.KeptRecord) and t.site[0] == "argument" and len(t.site) == 2}
    rebuilds = records.needs_rebuilding(part.result)

    def run(*args):
        value, kept = core(*(args if arranged is None else arranged(args)))
        if loops:
            kept = tuple(loops[k].kept(v) if k in loops else v for k, v in enumerate(kept))
        if held:
            kept = tuple(KeptObject(names[held[k]], args[held[k]], v) if k in held else v for k, v in enumerate(kept))
        if rebuilds:
            value = records.rebuilt(part.result, value, {})
        return (value if fixed is None else fixed(value)), Tape(owner, sites, kept)

    return run


def _adjoint(part, core, generator, namespace, parts):
    owner = parts[0].definition.name
    targets = part.kept
    places = [targets.index(n) for n in part.parameters if n in targets]
    extras = tuple(part.extras)
    seeded = seed_for(part.seed)
    loops = any(isinstance(t, KeptSteps) for _, t in parts[0].kept)
    rebuilds, listing = records.needs_rebuilding(part.result), _lists_of(part.result)

    def run(tape, seed=1.0):
        kept = tape.open(owner)
        objects = {v.name: v.primal for v in kept if isinstance(v, KeptObject)}
        if loops or objects:
            kept = [v.values if isinstance(v, (KeptLoop, KeptObject)) else v for v in kept]
        found = core(*[kept[k] for k in places], seeded(seed), *[namespace[e] for e in extras])
        if listing is not None and not rebuilds:
            return listing(found)
        return records.rebuilt(part.result, found, objects) if rebuilds else found

    return run


def _lists_of(t):
    """What turns the lists in a gradient into Python's; None where there are none."""
    if isinstance(t, Listed):
        return list
    if type(t) is not Items or not any(map(_lists_of, t.items)):
        return None
    parts = [_lists_of(i) for i in t.items]
    return lambda value: tuple(v if p is None else p(v) for v, p in zip(value, parts, strict=True))


def _tangent(part, core, generator, namespace, parts):
    own = [v.name for v in generator.function.params]
    tangents = dict(part.kept)
    every = [*own, *tangents]
    places = [every.index(n) for n in part.parameters if n not in part.extras]
    converted = {every.index(n): seed_for(t) for n, t in tangents.items()}
    extras = tuple(part.extras)
    fixed = _fixing(part.result)

    def run(*args):
        given = [converted[k](args[k]) if k in converted else args[k] for k in places]
        made = core(*given, *[namespace[e] for e in extras])
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


_ENTRIES = {"gradient": _joint, "forward": _forward, "adjoint": _adjoint, "tangent": _tangent}


def check_types(entry):
    """Compare the types that Numba has found with those of the walk: a difference would be another result."""
    for part, core in [(entry.part, entry.core), *entry.part.helpers]:
        _check_types(entry, part.walk.seen, core)


def forget(path):
    """Remove a compiled file, and the machine code that Numba has kept for it."""
    path = Path(path)
    for f in (path, *(path.parent / "__pycache__").glob(f"{path.stem}.*")):
        f.unlink(missing_ok=True)


def _check_types(entry, seen, core):
    from numba.core.types import Integer

    for made in core.overloads.values():
        annotation = getattr(made, "type_annotation", None)
        if annotation is None or isinstance(annotation, str):
            continue  # loaded from the cache, where it was checked when it was made
        for variable, found in annotation.typemap.items():
            base = variable.partition(".")[0]
            if base not in seen or not variable.isidentifier() and "." not in variable:
                continue
            if base == "_" and str(found) == "_undef_var":
                continue  # the index of a loop that only counts, in front of the loop: nothing reads it
            if base == "index" and isinstance(found, Integer) and any(isinstance(t, Array) for t in seen[base]):
                continue  # a name that Numba gives to a counter of its own, where it makes an array of a list
            if not any(_agrees(t, found) for t in seen[base]):
                forget(entry.path)  # no other process may take its machine code for checked
                raise UnsupportedSyntaxError(
                    f"Numba takes '{base}' for {found}, and NumPy computes {' or '.join(sorted(map(described, seen[base])))}",
                    entry.generator.function.loc,
                    hint="use backend='numpy' for this function, and report this",
                )


def _agrees(t, found) -> bool:
    from numba.core import types as nb

    if isinstance(found, (nb.Literal, nb.BooleanLiteral)):
        found = nb.unliteral(found)
    if isinstance(found, nb.Omitted):
        return True
    if isinstance(t, Array):
        return isinstance(found, nb.Array) and found.ndim == t.rank and str(found.dtype) == _name(t.dtype)
    if isinstance(t, Scalar):
        if isinstance(found, nb.Boolean):
            return t.kind == "b"
        if isinstance(found, nb.Integer):
            return t.kind in "iu" and (t.dtype.itemsize == 8 or str(found) == _name(t.dtype)) or t.kind == "b"
        return str(found) == _name(t.dtype)
    return True


def _name(dtype):
    return {"bool": "bool"}.get(dtype.name, dtype.name)


__all__ = ["Known", "Stack", "entry_of", "forget"]
