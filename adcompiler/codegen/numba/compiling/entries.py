"""What a caller gets: Python functions around compiled ones, with the same arguments and results as generated Python."""

from __future__ import annotations

import linecache
import re
import threading
import weakref
from pathlib import Path

import numpy as np

from ....errors import UnsupportedSyntaxError
from ....runtime.numba.checks import NotAsAssumed, SizeOne
from ..types import Array, Scalar, described
from .calls import CallPlan, add_forms, bare, caller, forms_of, without_remarks
from .python_calls import held_by, move_back


def entry_of(part, core, generator, namespace, maps, path, parts, options):
    """The function of the caller for one compiled function."""
    line = np.full(1, -1)
    if part.walk.apart:
        without_remarks(core)
    plan = plan_of(part, parts, generator)
    made = caller(plan, core, namespace, (line,) if options.get("tracking") else ())
    entry = Entry(made, part, core, generator, maps, path, options)
    entry.line, entry.plan = line, plan
    return entry


def plan_of(part, parts, generator) -> CallPlan:
    """How the compiled function of a part is called."""
    from ..containers.records import KeptRecord
    from ..tape.kept_steps import KeptSteps

    names = tuple(n for n, _ in generator.signature.parameters)
    more = {}
    if part.kind in ("forward", "adjoint"):
        kept = (parts[0] if part.kind == "adjoint" else part).kept
        more["loops"] = {k: t for k, (_, t) in enumerate(kept) if isinstance(t, KeptSteps)}
    if part.kind == "forward":
        more["sites"] = tuple(s for s, _ in kept)
        more["objects"] = {k: names.index(t.site[1]) for k, (_, t) in enumerate(kept)
                           if isinstance(t, KeptRecord) and t.site[0] == "argument" and len(t.site) == 2}
    elif part.kind == "adjoint":
        more.update(targets=tuple(part.kept), owner=parts[0].definition.name, seed=bare(part.seed))
    elif part.kind == "tangent":
        more["tangents"] = {n: bare(t) for n, t in part.kept}
    return CallPlan(
        part.kind, part.definition.name, tuple(part.parameters), tuple(part.extras),
        tuple(v.name for v in generator.function.params), names, part.leaves, bare(part.result),
        apart=bool(part.walk.apart), paths=part.paths, held=held_by(part), calls_python=part.walk.calls_python,
        moved=tuple(part.walk.moved), is_tested=part.walk.is_tested, has_types_of_arguments=part.walk.has_types_of_arguments,
        returned=part.returned, **more,
    )


_TRACKING = threading.Lock()


def _is_of_compiler(error) -> bool:
    """Was this raised inside Numba's own code, not by what it has compiled?"""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_globals.get("__name__", "").startswith("numba.")


def _knows_no_type(error) -> bool:
    """Has Numba found no type, as of a list that is read in the text before anything is appended?"""
    text = str(error)
    return any(sign in text for sign in ("list(undefined)", "<undecided>", "cannot be determined"))


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
        self.forms = None  # what has been compiled and checked of it, to be called without the compiler

    def __call__(self, *args):
        if self.other is not None:
            return self.other(*args)
        try:
            made = self.run(*args)
        except (SizeOne, NotAsAssumed) as error:
            if self.part.walk.calls_python:  # what it has drawn is drawn again
                move_back()
            return self.again(args, type(error))
        except Exception as error:
            if type(error).__module__.startswith("numba.") or _is_of_compiler(error):
                if _knows_no_type(error) and not self.options.get("example_lists"):
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
        if self.part.walk.once_only:  # it has called what must not be called twice
            return None
        with _TRACKING:
            if self.tracked is None:
                self.tracked = self.generator.compile_again(**self.options, tracking=True)[self.part.kind]
            self.tracked.line[0] = -1
            if self.part.walk.calls_python and not move_back():
                return None
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
        if self.forms is not None:
            add_forms(self.forms, self.core)

    def compiled_forms(self):
        """The compiled function for types that it has been called with: others raise a TypeError. None before the first call."""
        if self.forms is None and self.overloads and len(self.overloads) == self.checked and self.other is None:
            self.forms = forms_of(self.core)
        return self.forms

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


def check_types(entry):
    """Compare the types that Numba has found with those of the walk: a difference would be another result."""
    for part, core in [(entry.part, entry.core), *entry.part.helpers]:
        _check_types(entry, part.walk.seen, core)


def forget(path):
    """Remove a compiled file, and the machine code that Numba has kept for it."""
    path = Path(path)
    for f in (path, *(path.parent / "__pycache__").glob(f"{path.stem}.*")):
        f.unlink(missing_ok=True)


_CHECKED = weakref.WeakKeyDictionary()  # compiled functions: signatures that have been checked. One text may stand for several types.


def _check_types(entry, seen, core):
    from numba.core.types import Integer

    checked = _CHECKED.setdefault(core, set())
    for signature, made in core.overloads.items():
        if signature in checked:
            continue
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
        checked.add(signature)


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


__all__ = ["Entry", "entry_of", "forget"]
