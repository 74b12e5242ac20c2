"""Running generated code: guards of what it relies on, and the user's line on every exception."""

from __future__ import annotations

import functools
import types

import numpy as np

from .budget_trials import name_least_budget
from .errors import AdcompilerError, MemoryBudgetError, in_program
from .frontend.signature import describe
from .runtime.finish import NotDefined
from .runtime.tape_limit import limit_in_force, no_limit
from .within_budget import adjoint_within_budget, forward_within_budget, gradient_within_budget


CONTAINERS = ("tuple", "list", "rows", "dict", "object")


def guards_hold(compiled) -> bool:
    """Do the globals that were baked in still hold? Current values of the others go into the namespace."""
    if not compiled.guards:
        return True
    for container, name, is_cell, holds, spelling in guard_checks(compiled):
        try:
            value = container[name]
            if is_cell:
                value = value.cell_contents
        except (KeyError, ValueError):
            return False
        if not holds(value):
            return False
        if spelling is not None:
            compiled.namespace[spelling] = value
    return True


def read_globals(compiled):
    """Current values of the globals that generated code reads go into its namespace."""
    for container, name, is_cell, _, spelling in guard_checks(compiled):
        if spelling is not None:
            value = container[name]
            compiled.namespace[spelling] = value.cell_contents if is_cell else value


def data_outside(compiled) -> list:
    """The arrays, containers and objects that generated code reads beside its arguments, by name."""
    read = [(name, compiled.namespace.get(spelling)) for _, name, _, _, spelling in guard_checks(compiled) if spelling]
    return [(name, value) for name, value in read if isinstance(value, np.ndarray) or describe(value).kind in CONTAINERS]


def guard_checks(compiled) -> list:
    """The guards of generated code as (container, name, whether it holds cells, test, name in the namespace or None)."""
    if compiled.checks is None:
        compiled.checks = [_check_of(g) for g in _distinct(compiled.guards)]
    return compiled.checks


# Of other types, equal objects may still behave differently, or compare element by element.
_COMPARED = (int, float, complex, str, bool, types.MethodType)


def _distinct(guards):
    """Each place of memory once for each use."""
    found = {}
    for guard in guards:
        container, name = guard[1:3]
        found.setdefault((guard[0], id(getattr(container, "owner", container)), name, *guard[5:]), guard)
    return found.values()


def _check_of(guard):
    """A guard as (container, name, whether it holds cells, test, name in the generated namespace or None)."""
    kind, container, name, wanted = guard[:4]
    if kind == "same":
        return container, name, guard[4] == "closure", IsSame(wanted), None
    return container, name, guard[4] == "closure", _fits(wanted), guard[5]


def _fits(described):
    """A quick test that a value has a description."""
    t = described.type
    if described.kind == "num" and t.is_python and t.kind in "if":
        return _IsOfType({"i": int, "f": float}[t.kind])
    if described.kind == "num" and t.is_array:
        return lambda value: type(value) is np.ndarray and value.dtype == t.dtype and value.ndim == t.rank
    return lambda value: describe(value) == described


class IsSame:
    """The test that a value is what was compiled in: the same object, or an equal one of a plain type."""

    def __init__(self, wanted):
        self.wanted = wanted

    def __call__(self, value):
        wanted = self.wanted
        return value is wanted or (type(value) is type(wanted) and type(value) in _COMPARED and value == wanted)


class _IsOfType:
    """The test that a value is a plain Python number of one type."""

    def __init__(self, python_type):
        self.python_type = python_type

    def __call__(self, value):
        return type(value) is self.python_type


def call_generated(compiled, kind, values, again=None):
    """Run generated code; an exception in it points to the user's line.

    again: gives the arguments as they were, where the code changes them; machine code is run once more to find the line.
    """
    if not compiled.is_measured:
        if limit_in_force() is None:
            return _called(compiled, kind, values, again)
        with no_limit():  # a budget is for the program's own tape, not for those of the gradients in it
            return _called(compiled, kind, values, again)
    call = functools.partial(_called, compiled)
    if kind == "adjoint":
        return adjoint_within_budget(compiled, *values, call)
    if kind == "forward":
        return forward_within_budget(compiled, values, again, call)
    return gradient_within_budget(compiled, values, again, call)


def _called(compiled, kind, values, again=None):
    function = compiled.functions[kind]
    try:
        return function(*values)
    except NotDefined:
        raise
    except Exception as error:
        add_place(error, compiled, kind)
        if isinstance(error, MemoryBudgetError) and not compiled.is_measured and kind in ("gradient", "forward"):
            name_budget(error, compiled, again if again is not None or compiled.mutated else lambda: values)
        if hasattr(function, "place_of") and not is_placed(error) and (again is not None or not compiled.mutated):
            note(error, compiled, function.place_of(error, values if again is None else again()))
        raise


def name_budget(error, compiled, again):
    """Let an error name the least budget of the whole program; `again` gives its arguments, and is None if they are lost."""
    if again is None or compiled.effects or compiled.changes_globals:  # it must not run again
        return
    def run():
        if "gradient" in compiled.functions:
            compiled.functions["gradient"](*again())
            return 0
        value, tape = compiled.functions["forward"](*again())
        try:
            compiled.functions["adjoint"](tape, value)
        except MemoryBudgetError:
            raise
        except Exception:  # not every value can stand for a seed; then what loops of known length need is known
            pass
        return 0

    if compiled.memory is not None:
        with np.errstate(all="ignore"):
            name_least_budget(error, compiled.memory, run)


def is_placed(error) -> bool:
    """Does an exception tell the line already?"""
    if isinstance(error, AdcompilerError):
        return bool(error.lineno)
    return any("in generated code of" in n for n in getattr(error, "__notes__", ()))


def note(error, compiled, loc):
    """Add a place in the program to an exception."""
    if loc is None:
        return
    if isinstance(error, AdcompilerError):
        error.locate(loc)
    elif not is_placed(error):
        loc = in_program(loc)
        error.add_note(
            f'  in generated code of {compiled.name}, for File "{loc.filename}", line {loc.lineno}: {loc.line().strip()}'
        )


def add_place(error, compiled, kind):
    """Add a note with the line of the user's source to an exception that generated code raised."""
    trace, found = error.__traceback__, None
    filename = compiled.functions[kind].__code__.co_filename
    while trace is not None:  # of recursive calls, the innermost
        if trace.tb_frame.f_code.co_filename == filename:
            found = trace
        trace = trace.tb_next
    if found is not None:
        places = [lines.get(found.tb_lineno) for (file, _), lines in compiled.lines.items() if file == filename]
        note(error, compiled, next(filter(None, places), None))
