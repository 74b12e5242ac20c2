"""Functions as values in the differentiated code: closures, partials, methods, and one of several told at run time.

They are known objects of the compiler (`Var.const`) and never run; `captured` gives what a call may read beside its
arguments, so that a function that closes over an active value is itself active wherever it goes.
"""

from __future__ import annotations

import ast
import operator
from dataclasses import dataclass

from ...ir.nodes import NOTHING, Call, Const, Raw, Var
from ...ir.types import BOOL
from .bound_names import names_used
from .frames import Frame


class FunctionValue:
    """What stands for a function while compiling: `callable` holds, but it is never run."""

    def __call__(self, *args, **kwargs):
        raise RuntimeError(f"{type(self).__name__} stands for a function of the program and is not run")


@dataclass(eq=False)
class Closure(FunctionValue):
    """A function defined inside the differentiated code. Free names are read when it is called."""

    node: object
    frame: Frame
    defaults: tuple
    keyword_defaults: dict
    name: str

    def captured(self, cx, seen):
        """The operands that a call may read beside its arguments, as they are bound now."""
        if id(self) in seen:
            return
        seen.add(id(self))
        yield from (*self.defaults, *self.keyword_defaults.values())
        a = self.node.args
        own = {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if p is not None}
        for name in names_used(self.node) - own:
            frame = self.frame
            while frame is not None and (frame.number, name) not in cx.env:
                frame = frame.enclosing
            if frame is not None:
                yield from _reached(cx, cx.env[(frame.number, name)], seen)

    def owners(self) -> dict:
        """The free names that are variables of functions around it, and the frames of those."""
        found = {}
        for name in names_used(self.node):
            frame = self.frame
            while frame is not None and name not in frame.locals:
                frame = frame.enclosing
            if frame is not None:
                found[name] = frame
        return found

    def is_like(self, other) -> bool:
        """Is it the same text over the same variables?"""
        mine, others = ({n: f.number for n, f in c.owners().items()} for c in (self, other))
        return self.node is other.node and mine == others


@dataclass(eq=False)
class StoredClosure:
    """A closure read back from a list: which one is known only at run time, so defaults are read off the object."""

    closure: Closure
    holder: Var

    def captured(self, cx, seen):
        return self.closure.captured(cx, seen)


@dataclass(eq=False)
class Choice(FunctionValue):
    """One of several known functions, which one is told at run time; `is_option(cx, node, k, holder)` tests for one."""

    options: tuple
    is_option: object

    def captured(self, cx, seen):
        for option in self.options:
            if hasattr(option, "captured"):
                yield from option.captured(cx, seen)


@dataclass(eq=False)
class BoundMethod(FunctionValue):
    """A method of an object of the program, with its object."""

    function: object
    self: Var

    def captured(self, cx, seen):
        yield self.self


@dataclass(eq=False)
class Partial(FunctionValue):
    """What `functools.partial` makes inside the differentiated code: a callable value and the operands it fixes."""

    function: object
    args: tuple
    kwargs: dict

    def same_form(self, other) -> bool:
        """Do both fix the same parameters of the same function?"""
        mine, others = (getattr(p.function, "const", None) or getattr(p.function, "value", None) for p in (self, other))
        return (
            mine is not NOTHING
            and mine is others
            and len(self.args) == len(other.args)
            and self.kwargs.keys() == other.kwargs.keys()
        )

    def captured(self, cx, seen):
        for operand in (self.function, *self.args, *self.kwargs.values()):
            yield from _reached(cx, operand, seen)


@dataclass(eq=False)
class Segmented(Partial):
    """What `checkpoint` makes of a function that is defined inside: each call is a segment."""


@dataclass(eq=False)
class StoredPartial(FunctionValue):
    """A partial read back from a container: what it fixes is read off the object."""

    partial: Partial
    holder: Var

    def captured(self, cx, seen):
        return self.partial.captured(cx, seen)


@dataclass(eq=False)
class ArrayMethod(FunctionValue):
    """A method of an array as a value: `dot = x.dot`."""

    base: object
    name: str

    def captured(self, cx, seen):
        yield self.base


@dataclass(eq=False)
class ContainerMethod(FunctionValue):
    """A method of a list or a dict as a value: `push = stack.append`, `key=d.get`."""

    base: object
    name: str

    def captured(self, cx, seen):
        yield self.base


def _reached(cx, operand, seen):
    """An operand, or what it captures if it is a function of the program."""
    if isinstance(operand, Var) and hasattr(operand.const, "captured"):
        yield from operand.const.captured(cx, seen)
    else:
        yield operand


def in_holder(value, holder):
    """The same function, where `holder` is the variable that has the object."""
    if isinstance(value, StoredClosure):
        return StoredClosure(value.closure, holder)
    return StoredPartial(value.partial, holder) if isinstance(value, StoredPartial) else value


def behind_join(value, holder):
    """A function that one path has made, as known where the paths have met in `holder`; None if that cannot be said.

    What it has fixed (defaults, the arguments of a partial) was computed on that path only, and is read off the object.
    """
    fixed = (
        (*value.defaults, *value.keyword_defaults.values())
        if isinstance(value, Closure)
        else (*value.args, *value.kwargs.values())
        if isinstance(value, Partial)
        else (value.base,)
        if isinstance(value, ArrayMethod)
        else (value.self,)
        if isinstance(value, BoundMethod)
        else ()
    )
    if all(isinstance(o, Const) or o.definition in ("param", "global") for o in fixed):
        return value
    return stored(value, holder) if isinstance(value, (Closure, Partial)) else None


def _name_of_closure(value) -> str:
    """The name by which a nested function is told at run time; empty for a lambda and for anything else."""
    closure = value.closure if isinstance(value, StoredClosure) else value
    return closure.name if isinstance(closure, Closure) and closure.name != "<lambda>" else ""


def choice_of(known, holder):
    """The choice between known functions when the one in `holder` came from either of two paths, or None."""
    options = []
    for value in known:
        for option in value.options if isinstance(value, Choice) else (value,):
            if not any(option is o for o in options):
                options.append(option)
    options = [behind_join(o, holder) for o in options]
    if None in options:
        return None
    closures = [
        o for o in options if isinstance(o, (Closure, StoredClosure, Partial, StoredPartial, ArrayMethod, BoundMethod))
    ]
    names = {_name_of_closure(o) for o in closures}
    named = len(names) == len(closures) and "" not in names
    if len(closures) > 1 and not named:
        return None
    if len(closures) == 1:
        options = [o for o in options if o is not closures[0]] + closures

    def is_option(cx, node, k, holder):
        name = _name_of_closure(options[k])
        if name:
            tree = ast.parse("f.__name__ == text", mode="eval").body
            return cx.assign_temporary(Raw(tree, {"f": holder, "text": Const(name)}), BOOL, node)
        return cx.assign_temporary(Call(operator.is_, (holder, Const(options[k]))), BOOL, node)

    return Choice(tuple(options), is_option)


def stored(function, holder):
    """A function read back from a container into `holder`: what it has fixed is read off the object."""
    if isinstance(function, Closure) and (function.defaults or function.keyword_defaults):
        return StoredClosure(function, holder)
    if isinstance(function, Partial):
        return StoredPartial(function, holder)
    return function


__all__ = [
    "ArrayMethod",
    "BoundMethod",
    "Choice",
    "Closure",
    "Partial",
    "StoredClosure",
    "StoredPartial",
    "behind_join",
    "choice_of",
    "in_holder",
    "stored",
]
