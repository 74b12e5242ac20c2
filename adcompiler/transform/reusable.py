"""Temporaries whose expression may be written twice, in the primal and in its tangent, instead of being kept in a name.

`x[i - 1] * x[i]` has temporaries for the index and for both elements. Where the tangent reads one of them too, the
element is read again, as a person would write it, as long as nothing in between can have changed it. Only reads of
elements, attributes and short arithmetic of numbers are cheap enough.
"""

from __future__ import annotations

import ast

from ..ir.nodes import Assign, Call, Const, ContainerOp, Effect, GetItem, Slice, Store, UserCall, Var
from ..ir.types import Num
from .code import clone, nodes_in

LONGEST = 14
_SHORT = {"add", "sub", "mul", "neg"}


class Reusable:
    """The temporaries that can be written again at this point of the program."""

    def __init__(self, names):
        self.names = names
        self.found: dict[Var, ast.expr] = {}
        self.kept: dict[Var, ast.expr] = {}  # values whose name is bound again while a loop over them runs

    def read(self, operand) -> ast.expr:
        """An operand or expression of the primal; a temporary that can be written again is."""
        if isinstance(operand, Var) and operand in self.kept:
            return clone(self.kept[operand])
        if isinstance(operand, Var) and operand in self.found:
            return clone(self.found[operand])
        return self.names.read(operand)

    def index(self, e):
        """An index, with the temporaries in it written again."""
        if isinstance(e, Slice):
            return ast.Slice(*[None if p is None else self.read(p) for p in (e.lower, e.upper, e.step)])
        if hasattr(e, "kind") and getattr(e, "items", None) is not None and e.kind == "tuple":
            return ast.Tuple([self.index(i) for i in e.items], ast.Load())
        return self.read(e)

    def forget(self):
        """A block begins or ends."""
        self.found.clear()

    def note(self, s):
        """After a statement has been printed: what it makes reusable, and what no longer is."""
        if getattr(s, "implicit", False):
            self.note_implicit(s)
            return
        if isinstance(s, Assign) and s.target.hidden and not s.implicit and self.is_short(s):
            made = self.expression(s.value)
            if made is not None and len(nodes_in(made)) <= LONGEST:
                self.found[s.target] = made
            return
        if isinstance(s, (Store, ContainerOp, Effect, UserCall)) or (isinstance(s, Assign) and s.augmented is not None):
            for v in [v for v, e in self.found.items() if _reads_memory(e)]:
                del self.found[v]
        for bound in _bound(s):
            spelt = self.names.name(bound)
            for v in [v for v, e in self.found.items() if any(isinstance(n, ast.Name) and n.id == spelt for n in nodes_in(e))]:
                del self.found[v]

    def note_implicit(self, s):
        """What the header of a loop computes has no name: positions and lengths are written where they are read."""
        target = getattr(s, "target", None)
        if not isinstance(s, Assign) or not target.hidden or target in self.names.bound:
            return
        if isinstance(s.value, Var):
            self.found[target] = self.read(s.value)
        elif isinstance(s.value, GetItem) and not target.varied:
            self.found[target] = ast.Subscript(self.read(s.value.base), self.index(s.value.index), ast.Load())
        elif isinstance(s.value, Call) and not target.varied:
            self.found[target] = _Written(self).call(s.value)

    def is_short(self, s) -> bool:
        t = s.target.type
        return isinstance(t, Num) and t.boxed is False

    def expression(self, value):
        if isinstance(value, GetItem) and isinstance(value.base, Var):
            return ast.Subscript(self.read(value.base), self.index(value.index), ast.Load())
        if isinstance(value, Call) and not value.kwargs and value.method is None:
            if getattr(value.function, "__module__", "") == "_operator" and value.function.__name__ in _SHORT:
                if all(isinstance(a, (Var, Const)) for a in value.args):
                    shown = Call(value.function, value.args)
                    return _Written(self).call(shown)
        return None


class _Written:
    """Prints a call over operands that are written again."""

    def __init__(self, reusable):
        self.reusable = reusable

    def call(self, value):
        from ..codegen.names import apply

        args = [self.reusable.read(a) for a in value.args]
        return apply(self.reusable.names.namer.object, value.function, args, {})


def _reads_memory(e) -> bool:
    return any(isinstance(n, (ast.Subscript, ast.Attribute)) for n in nodes_in(e))


def _bound(s):
    if isinstance(s, Assign):
        yield s.target
    elif isinstance(s, UserCall):
        yield s.target
    elif isinstance(s, ContainerOp) and s.target is not None:
        yield s.target
    elif isinstance(s, Effect):
        yield from s.writes.values()
    else:
        for target, _ in getattr(s, "pairs", ()):
            yield target


__all__ = ["Reusable"]
