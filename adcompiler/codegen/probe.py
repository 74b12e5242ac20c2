"""The probe of a function: the program as it runs, which tells what each statement of its own block takes.

`f_probe(x, y, measured)` computes what `f` computes, keeps nothing, and calls the methods of `measured` (see
`runtime.measured`). From that the parts of a program are planned that run again within a budget.
"""

from __future__ import annotations

from ..analysis.alias import root_of
from ..ir.nodes import Assign, Call, ContainerOp, Loop, Store, Var, With, operands, walk
from ..ir.types import Num, Ref
from ..transform.bars import unique
from ..transform.code import Line, attribute, call, constant, name
from ..transform.changed_containers import CHANGING
from ..transform.simplify import simplify
from ..transform.tape_sites import Insertions
from . import emit
from .compiled import Compiled, finish
from .primal import PrimalNames, PrimalPrinter
from .tangent import TangentGenerator


class ProbeGenerator(TangentGenerator):
    """Generates the probe. crossing: for each statement of the block, the variables that it leaves to later ones, each
    with the number of the last statement that reads it."""

    def run(self) -> Compiled:
        body = self.function.body
        self.crossing = [self.left_by(k) for k in range(len(body))]
        self.changed: dict[Var, int] = {}  # variables whose memory changes, numbered
        compiled = finish(self, {"probe": [self.definition()]}, self.saver)
        compiled.kind = "probe"
        compiled.probe = Probed(
            len(body),
            tuple(tuple(last for _, last in left) for left in self.crossing),
            tuple(k for k, s in enumerate(body) if isinstance(s, Loop)),
            next((k for k, s in enumerate(body) if not getattr(s, "implicit", False)), len(body)),
            frozenset(k for at, s in enumerate(body) for k in self.inseparable(at, s)),
            tuple(self.made_at(v) for v in self.changed),
            any(isinstance(inner, Loop) for s in body if isinstance(s, Loop) for inner in walk(s.body)),
        )
        return compiled

    def definition(self):
        names = PrimalNames(self.function, self.layout, self.namer, self.taken)
        measured = unique("measured", self.taken)
        code = ProbePrinter(self, names, measured).body()
        parameters = [*(v.name for v in self.function.params), measured]
        code.append(Line(None, names.read(self.function.result), keep=True))
        simplify(code, set(), enabled=False)
        returned = code.pop().value
        return emit.function(f"{self.base}_probe", emit.arguments(parameters), code, returned)

    def statement_at(self, position) -> int:
        """The number of the statement of the block that covers a position; their count behind the last."""
        for k, s in enumerate(self.function.body):
            if position <= self.layout.last[s]:
                return k
        return len(self.function.body)

    def made_at(self, v) -> int:
        """The number of the statement that binds a variable; -1 for a parameter."""
        position = self.layout.home[v][1] if v in self.layout.home else -1
        return -1 if position < 0 else self.statement_at(position)

    def inseparable(self, at, s):
        """Statements that stand in one part with the one before: a context is made where it is entered."""
        if isinstance(s, With):
            made = [self.made_at(v) for context, _ in s.items for v in operands(context)]
            yield from range(min([m for m in made if m >= 0], default=at) + 1, at + 1)

    def left_by(self, k) -> list[tuple[Var, int]]:
        """Arrays and containers that statement `k` binds, in its block, and that later statements read."""
        s = self.function.body[k]
        first, last = self.layout.position[s], self.layout.last[s]
        found = []
        for v, (block, position) in self.layout.home.items():
            if not first <= position <= last or block is not self.function.body or not _is_big(v):
                continue
            if isinstance(s, Assign) and not isinstance(s.value, Call):
                continue  # a name for what there is, or a view of it
            uses = [at for at, user in self.layout.uses.get(v, ()) if at > last or user is None]
            if uses:
                found.append((v, self.statement_at(max(uses))))
        return found


class Probed:
    """What the numbers that a probe measures are of.

    crossing: for each statement of the block and each variable that it leaves to later ones, the last that reads it.
    loops: the numbers of loops. first: that of the first statement that is not part of the function's head.
    inseparable: the numbers of statements with which no part begins. memory: for each piece of memory that changes, the
    number of the statement that makes it. nests: there are loops in loops.
    """

    def __init__(self, count, crossing, loops, first, inseparable, memory, nests):
        self.count, self.crossing, self.loops, self.first = count, crossing, loops, first
        self.inseparable, self.memory, self.nests = inseparable, memory, nests


class ProbePrinter(PrimalPrinter):
    """Prints the program with the calls that measure it."""

    def __init__(self, generator, names, measured):
        super().__init__(generator.function, names, Insertions(), generator.namer)
        self.generator, self.measured, self.at = generator, measured, 0

    def tell(self, s, method, *values):
        self.line(s, None, call(attribute(name(self.measured), method), constant(self.at), *values), keep=True)

    def block(self, block):
        outer = block is self.function.body
        for k, s in enumerate(block):
            if outer:
                self.at = k
            self.statement(s)
            changes = isinstance(s, Store) or isinstance(s, ContainerOp) and s.kind in CHANGING
            if changes and isinstance(s.base, Var):
                memory = root_of(s.base) or s.base
                number = self.generator.changed.setdefault(memory, len(self.generator.changed))
                self.tell(s, "changed", constant(number), self.names.read(memory))
            if isinstance(s, Assign) and isinstance(s.value, Call) and _is_big(s.target):
                self.tell(s, "made", self.names.read(s.target))
            if outer:
                self.tell(s, "leaves", *[self.names.read(v) for v, _ in self.generator.crossing[k]])

    def print_loop(self, s, first=()):
        if s in self.function.body:
            carried = [phi.then for phi in s.phis if phi.then is not None and _is_big(phi.then)]
            self.tell(s, "enters", *[self.names.read(v) for v in carried])
            trip = call(attribute(name(self.measured), "trip"), constant(self.at))
            first = [*first, Line(None, trip, None, s.loc, keep=True)]
        super().print_loop(s, first)


def _is_big(v) -> bool:
    """May this variable hold an array?"""
    t = v.type
    return isinstance(t, Num) and (t.rank is None or t.rank > 0 or t.boxed is not False) or isinstance(t, Ref)


__all__ = ["ProbeGenerator", "Probed"]
