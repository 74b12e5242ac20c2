"""Changes of objects that the compiler does not look into: lists of constants, sets, dicts, what a library has made.

They carry no derivative, but the reverse sweep may read them: an index list, a test, a factor. They are not told apart,
since any of them may hold any other; so after a statement that may change one, what was read of all of them before is
kept, and where an adjoint reads the object itself, a copy of it (`runtime.kept_objects`).
"""

from __future__ import annotations

import logging
import operator

import numpy as np

from ..ir.nodes import Assign, Call, Const, ContainerOp, Effect, GetAttr, Kept, Loop, Phi, Raw, Store, UserCall, Var, operands
from ..ir.types import Opaque
from ..rules.mutators import lookup_mutator
from ..rules.registry import is_inactive, lookup

# Methods that leave the object as it is, whatever its class of those that are common.
_READING = {
    "copy", "count", "endswith", "find", "format", "get", "index", "intersection", "isdisjoint", "issubset", "items", "join",
    "keys", "lower", "replace", "split", "startswith", "strip", "union", "upper", "values",
    "all", "any", "argmax", "argmin", "argsort", "astype", "conj", "cumsum", "dot", "flatten", "item", "max", "mean", "min",
    "nonzero", "prod", "ravel", "reshape", "squeeze", "std", "sum", "tolist", "transpose", "var",
}  # fmt: skip
_CHANGING = {
    next, setattr, delattr, operator.setitem, operator.delitem, operator.iadd, operator.iconcat, operator.imul, operator.ior,
    operator.iand, operator.isub, operator.ixor,
}  # fmt: skip
# Objects whose methods change nothing that a derivative reads.
_APART = (np.random.Generator, np.random.RandomState, logging.Logger)


class ObjectChanges:
    """The statements of a function that may change objects, and what may come after one that reads."""

    def __init__(self, layout, cx):
        self.layout, self.cx = layout, cx
        changing = self.changing = [s for s in layout.statements if any(is_object(v) for v in self.changed_by(s))]
        self.positions = [layout.position[s] for s in changing]
        self.loops = {loop for s in changing for loop in layout.loops[s]}

    def may_follow(self, at) -> bool:
        """May an object change after the statement `at` has read it (or by `at` itself)?"""
        position = self.layout.position.get(at)
        if position is None:
            return bool(self.positions)
        return any(p >= position for p in self.positions) or any(loop in self.loops for loop in self.layout.loops[at])

    def changed_by(self, s) -> list:
        """The operands that a statement may change if they are objects."""
        if isinstance(s, Effect):
            return [*s.names.values(), *s.writes.values()]
        if isinstance(s, (Store, ContainerOp)):
            return [s.base]
        if isinstance(s, UserCall):
            return list(operands(s))
        if not isinstance(s, Assign):
            return []
        if isinstance(s.value, Raw):
            return list(operands(s.value))
        if s.augmented is not None:
            return list(operands(s.value))
        if not isinstance(s.value, Call) or s.value.rule is not None:
            return []
        given = [v for a in (*s.value.args, *s.value.kwargs.values()) for v in operands(a)]
        function = s.value.function
        if isinstance(function, GetAttr):
            if function.attr in _READING or self._is_apart(function.base) and function.attr != "shuffle":
                return []
            return [function.base, *given]
        return [] if _only_reads(function) and "out" not in s.value.kwargs else [function, *given]

    def _is_apart(self, owner) -> bool:
        if isinstance(owner, Const):
            return isinstance(owner.value, _APART)
        made = owner.definition.value if isinstance(owner, Var) and isinstance(owner.definition, Assign) else None
        if isinstance(made, Call) and made.function in (np.random.default_rng, np.random.RandomState, logging.getLogger):
            return True
        cls = self.cx.opaque_classes.get(owner)
        return isinstance(cls, type) and issubclass(cls, _APART)


def is_object(v) -> bool:
    """May this be an object that changes, of which nothing is known?"""
    return isinstance(v, Var) and isinstance(v.type, Opaque) and not _is_constant_for_good(v) and not _is_of_the_sweeps(v)


def _is_of_the_sweeps(v) -> bool:
    """Is this a tape or a store of checkpoints? Both sweeps must see the very same one."""
    d = v.definition
    if isinstance(d, UserCall):
        return d.tape is v
    return isinstance(d, Kept) or isinstance(d, Loop) and d.checkpoints is not None and d.checkpoints.store is v


def _is_constant_for_good(v, depth=5) -> bool:
    """Is this one of some texts or numbers, which nothing changes?"""
    if isinstance(v, Const):
        return isinstance(v.value, (str, bytes, int, float, complex, type(None)))
    d = v.definition if isinstance(v, Var) and depth else None
    sources = (d.then, d.orelse) if isinstance(d, Phi) else (d.value,) if isinstance(d, Assign) else ()
    return bool(sources) and all(_is_constant_for_good(u, depth - 1) for u in sources)


def _only_reads(function) -> bool:
    """Is this a function of Python or of a library that leaves its arguments as they are?"""
    if not callable(function) or getattr(function, "__name__", "") == "shuffle" or lookup_mutator(function) is not None:
        return False
    if getattr(function, "__module__", None) in ("_operator", "builtins"):
        return function not in _CHANGING
    return is_inactive(function) or lookup(function) is not None


__all__ = ["ObjectChanges", "is_object"]
