"""Checks at run time that inferred types tell the truth: generated forward code asserts the type of every value.

Switched on by `pipeline.switched(check_types=True)`, for tests. A wrong extent would drop a sum over a broadcast axis,
and so give a wrong gradient without any error.
"""

from __future__ import annotations

import numpy as np

from ..ir.nodes import NOTHING, Assign, ContainerOp, Phi, Unpack, Var
from ..ir.types import NUMBER, Num, Ref, Tup, type_of
from ..transform.bars import unique
from ..transform.code import Line, attribute, call, constant, name

_KINDS = "bifc"  # a number of one kind may stand where paths join to a later one


class WrongType(AssertionError):
    """A value is not of the type that the compiler has inferred for it."""


class TypeChecks:
    """Checks of one function, called by its generated code."""

    __name__ = "check_type"

    def __init__(self, function_name: str):
        self.function_name = function_name
        self.variables: list[Var] = []
        self.extents: dict = {}  # token -> the extent that it stands for now

    def started(self) -> "TypeChecks":
        """The checks of one call of the function: a recursive call has extents of its own."""
        made = TypeChecks(self.function_name)
        made.variables = self.variables
        return made

    def __call__(self, at: int, value):
        """Assert that `value` is of the type of variable number `at`."""
        v = self.variables[at]
        self.fits(v, v.type, value)
        if (
            v.const is not NOTHING
            and isinstance(v.const, (bool, int, float, str))
            and not isinstance(value, np.ndarray)
        ):
            if type(value) is not type(v.const) or value != v.const and v.const == v.const:
                self.fail(v, f"{value!r} is not the constant {v.const!r}")
        if v.dim is not None and isinstance(v.dim, tuple) and v.dim in self.extents and value != self.extents[v.dim]:
            self.fail(v, f"{value!r} is not the extent {self.extents[v.dim]}")

    def fail(self, v, reason):
        raise WrongType(f"'{v.name}' in '{self.function_name}', line {v.loc.lineno}: {reason}; inferred {v.type}")

    def fits(self, v, t, value):
        if isinstance(t, Num):
            self.number(v, t, value)
        elif isinstance(t, Tup):
            if not isinstance(value, (tuple, list)) or len(value) != len(t.items):
                self.fail(v, f"{value!r} is no tuple of {len(t.items)}")
            for part, item in zip(t.items, value, strict=True):
                self.fits(v, part, item)
        elif isinstance(t, Ref):
            kinds = {"list": (list, tuple), "dict": dict}.get(t.kind, object)
            if not isinstance(value, kinds):
                self.fail(v, f"{type(value).__name__} is no {t.kind}")

    def number(self, v, t, value):
        actual = type_of(value)
        if t == NUMBER:
            return  # nothing is claimed
        if not isinstance(actual, Num):
            self.fail(v, f"{value!r} is no number")
        if t.kind != "?" and not (
            actual.kind == t.kind or t.dtype is None and _KINDS.index(actual.kind) < _KINDS.index(t.kind)
        ):
            self.fail(v, f"the kind is {actual.kind}")
        if t.boxed is not None and actual.boxed != t.boxed:
            self.fail(v, f"the value is {'an array' if actual.boxed else 'a number'}")
        if t.dtype is not None and actual.dtype != t.dtype:
            self.fail(v, f"the dtype is {actual.dtype}")
        if t.rank is not None and actual.rank != t.rank:
            self.fail(v, f"the rank is {actual.rank}")
        if t.rank and t.dims is not None and t.rank == np.ndim(value):
            self.check_extents(v, t.dims, np.shape(value))

    def check_extents(self, v, tokens, shape):
        own = {v.uid}
        if isinstance(v.definition, Phi) and v.definition.then is not None:
            own.add(v.definition.then.uid)  # behind a loop, the head's token stands for the head's last value
        for axis, (token, extent) in enumerate(zip(tokens, shape, strict=True)):
            if token is None:
                continue
            if isinstance(token, int):
                expected = token
            elif token[0] == "of" and token[1] in own:
                self.rebind(token, extent)
                expected = extent
            else:
                expected = self.extents.setdefault(token, extent)
            if extent != expected:
                self.fail(
                    v, f"axis {axis} has the extent {extent}, not {expected} as another array with the token {token}"
                )

    def rebind(self, token, extent):
        """A variable has a new value: what derives from its old extent is forgotten."""
        for known in [k for k in self.extents if _mentions(k, token)]:
            del self.extents[known]
        self.extents[token] = extent


def _mentions(known, token) -> bool:
    return known == token or isinstance(known, tuple) and any(_mentions(part, token) for part in known)


def check_types(function, saver, names, namer) -> None:
    """Insert a check behind the definition of every variable that the forward sweep spells out."""
    checks = TypeChecks(function.name)
    checker = unique("types", saver.taken)
    saver.insert.start.insert(0, Line(name(checker, True), call(attribute(namer.object(checks), "started"))))
    for v in sorted(saver.layout.home, key=lambda v: saver.layout.home[v][1]):
        if not _is_printed(v, saver, names):
            continue
        checks.variables.append(v)
        saver.after(
            v,
            Line(
                None,
                call(name(checker), constant(len(checks.variables) - 1), name(names.name(v))),
                None,
                v.loc,
                keep=True,
            ),
        )


def _is_printed(v, saver, names) -> bool:
    d = v.definition
    if v.hidden and (not isinstance(d, (Assign, ContainerOp)) or d.implicit or v in names.components):
        return False
    if isinstance(d, Phi):
        return not saver.layout.may_be_missing(v)
    return d in ("param", "loop") or isinstance(d, (Assign, Unpack, ContainerOp)) and not getattr(d, "implicit", False)


__all__ = ["TypeChecks", "WrongType", "check_types"]
