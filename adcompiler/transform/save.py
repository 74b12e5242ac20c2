"""Save: where each primal value that the reverse sweep needs comes from.

A value is, in this order of preference: a constant; still there (an argument, a name of the function's own level); cheap
to compute again from such values (element reads, views, lengths, integer arithmetic, comparisons); or kept on the tape
where it is defined. Arrays that change in place are either restored, by keeping what each store overwrites (save on
kill), or copied where they are read, whichever moves less.

Takes reverse code with `Needed` nodes; leaves code without them, and the insertions that the forward sweep must make.
"""

from __future__ import annotations

import ast
import heapq

from ..analysis.alias import root_of
from ..errors import UnsupportedSyntaxError
from ..frontend.lower.function_values import FunctionValue, StoredClosure
from ..ir.nodes import NOTHING, Assign, Loop, Phi, Var
from ..ir.nodes import Kept as SegmentMemory
from ..ir.types import Num, Ref
from .bars import unique
from .code import END, Line, Needed, Trips, name
from .common_operands import keep_common_operands
from .keeping import keep, keep_copy, keep_entries, keep_memory, keep_trips, plan_shape, preset
from .memory_choices import MemoryChoices
from .needs import Needs
from .object_changes import is_object
from .packed_values import is_packed
from .reciprocals import multiply_by_reciprocals
from .recompute import last_use, read_back, recompute
from .restores import restore_all, working_copies
from .substitution import substitute
from .tape_sites import OVERWRITTEN, Insertions, Kept


class Saver:
    """Resolves the needs of one function's reverse code."""

    def __init__(self, builder, code, taken, *, joint, tbr=True, primal_names, interrupted=False):
        self.b, self.code, self.taken, self.joint, self.tbr = builder, code, taken, joint, tbr
        self.tape_dtype: str | None = None  # the format in which floating arrays are kept
        self.packed_sites: set[str] = set()  # names on the tape that are kept in it
        self.exact_sites: set[str] = set()  # and those that must stay the very objects that they are
        self.simplifying = True  # are the parts that run again put into their shortest form?
        self.private: set[str] = set()  # sites of the tape whose memory is copied at the end of the forward sweep
        self.layout, self.function = builder.layout, builder.function
        self.names = primal_names
        self.memory = MemoryChoices(builder, self.layout, self.function, tbr=tbr, interrupted=interrupted)
        self.insert = Insertions()
        self.kept: list[Kept] = []
        self.recomputed: list = []
        self.read_again: dict = {}  # array that is no view, such as a component of a result -> the lines that read it in reverse
        self.plans: dict = {}
        self.used_names: dict[str, object] = {}
        self.reserved: dict[str, object] = {}  # names that replays bind -> the variable that they may stand for
        self.tape: list[tuple[str, str]] = []  # (name in the forward function, name in the adjoint)
        self.index_names: dict = {}
        self.waiting: list = []  # heap of (rank, number, key)
        self.queued: set = set()
        self.restore_lines: dict = {}

    # -- driver ----------------------------------------------------------------------------------------------------
    def run(self):
        """Resolve every need; afterwards the code is plain."""
        if self.memory.arithmetic_is_cheap:
            multiply_by_reciprocals(self.code)
            keep_common_operands(self)
        self.memory.choose(self.code, self.leaves)
        restore_all(self, self.code)
        self.needs = Needs(self.code)
        found = self.own(self.needs.take_found())
        for n in found:
            self.key(n)  # the statements that share a copy are known once all have been seen
        while self.wait_for(found):
            self.resolve_waiting()
            found = self.own(self.needs.nodes())
        self.keep_private()
        substitute(self, self.code)

    def own(self, found) -> list:
        """The nodes that this saver resolves."""
        return [n for n in found if not self.leaves(n)]

    def leaves(self, node) -> bool:
        """Is a node left to the saver of the code around?"""
        return False

    def has_value(self, text) -> bool:
        """Is this a name that the code around gives a value?"""
        return False

    def hand_over(self, node):
        """A node that is left to the saver of the code around, as that is to see it."""
        return node

    def keep_private(self):
        """What is restored in reverse must not be seen by anyone else."""
        working_copies(self)

    def wait_for(self, found) -> bool:
        """Queue the needs of nodes that have no plan yet, latest definition first; is any need waiting?"""
        for n in found:
            key = self.key(n)
            if key not in self.plans and key not in self.queued:
                self.queued.add(key)
                heapq.heappush(self.waiting, (self.rank(key), len(self.queued), key))
        return bool(self.waiting)

    def resolve_waiting(self):
        """Plan what waits; a plan may insert lines with needs of their own."""
        while self.waiting:
            key = heapq.heappop(self.waiting)[2]
            if key not in self.plans:
                self.plans[key] = self.plan(key)
            self.wait_for(self.own(self.needs.take_found()))

    def rank(self, key):
        v = key[1]
        if key[0] == "trips":
            return (-self.layout.position[v], 0, 0)
        return (-self.layout.home.get(v, (None, -1))[1], v.uid, key[0] != "value")

    def key(self, n: Needed | Trips):
        if isinstance(n, Trips):
            return ("trips", n.loop)
        v = n.var
        if n.need in ("entries", "memory"):
            return (n.need, v)
        if n.at is not END and is_object(v) and self.memory.objects.may_follow(n.at):
            return ("copy", v, n.at)
        if n.need == "value" and self.memory.unstable(v) and self.memory.changes_after(v, n.at):
            mode = self.memory.restoring.get(root_of(v)) if self.memory.is_array(v) else None
            if not mode:
                return ("copy", v, self.memory.canonical(v, n.at))
        return (("value", v) if n.need in ("value", "ref") else ("shape", v)) if n.need != "ref" else ("ref", v)

    # -- plans -----------------------------------------------------------------------------------------------------
    def plan(self, key):
        """Decide where one need comes from; gives the expression that stands for it."""
        kind, v = key[0], key[1]
        if kind == "trips":
            return keep_trips(self, v)
        if kind == "copy":
            return keep_copy(self, v, key[2])
        if kind == "shape":
            made = plan_shape(self, v)
            of_its_own = isinstance(made, ast.Name) and self.used_names.get(made.id, v) is v
            if self.joint and of_its_own and not self.has_value(made.id) and self.layout.may_be_missing(v):
                preset(self, made.id)  # a zero adjoint has the shape of what may be missing
            return made
        if kind == "entries":
            return keep_entries(self, v)
        if kind == "memory":
            return self.plan_memory(v)
        if (
            kind == "value"
            and v.const is not NOTHING
            and isinstance(v.const, (bool, int, float, str))
            and not v.varied
            and not isinstance(v.type, Ref)
        ):
            return self.b.namer.object(v.const)
        made_here = isinstance(v.const, (FunctionValue, StoredClosure))  # only the run has the function itself
        if (
            kind == "value"
            and v.const is not NOTHING
            and not made_here
            and not isinstance(v.type, Num)
            and not isinstance(v.type, Ref)
        ):
            try:
                return self.b.namer.object(v.const)
            except (AttributeError, TypeError):
                pass
        if v.definition == "global":
            return self.available(v, self.names.name(v))
        if v.definition == "loop":
            return self.plan_index(v)
        if kind == "value":
            stored = read_back(self, v)
            if stored is not None:
                return stored
        if kind == "value" or (isinstance(v.definition, Assign) and v.definition.implicit and v.hidden):
            again = recompute(self, v)
            if again is not None:
                return again
        if kind == "value" and self.memory.must_recompute(v) and self.memory.changes_after(v, last_use(self, v)):
            raise UnsupportedSyntaxError(
                f"'{v.name}' looks into an array that changes in place, and cannot be looked at again in the reverse sweep",
                v.loc,
                hint="take a copy of it: x[i:j].copy()",
            )
        return keep(self, v, exact=kind != "value")

    def plan_memory(self, v):
        """The very object that the forward sweep has used, not a copy of what it held."""
        if v.definition == "global":
            return name(self.names.name(v))
        if not self.memory.changes_between(v) or self.memory.shadowed(v):
            if ("ref", v) not in self.plans:
                self.plans["ref", v] = self.plan(("ref", v))
            return self.plans["ref", v]
        return keep_memory(self, v)

    def plan_index(self, v):
        loop = self.layout.loop_of_index.get(v)
        if loop is None:
            return keep(self, v)
        if v not in self.index_names:
            wanted = self.names.name(v)
            other = self.used_names.get(wanted)
            if not v.hidden and other in self.index_names and self.apart(loop, other):
                self.index_names[v] = self.index_names[other]  # two loops, one after the other, share an index name
            else:
                self.index_names[v] = self.reverse_name(v)
        return name(self.index_names[v])

    def apart(self, loop, index) -> bool:
        """Is the loop of `index` neither around nor inside `loop`?"""
        other = self.layout.loop_of_index.get(index)
        return other is not None and other not in self.layout.branches[loop] and loop not in self.layout.branches[other]

    def reverse_name(self, v) -> str:
        """A name for `v` in reverse code: the user's, unless another value has it there."""
        wanted = self.names.name(v)
        if v.hidden and (self.joint or self.used_names.get(wanted, v) is not v):
            return unique(wanted, self.taken)
        if self.used_names.get(wanted, v) is v and not (self.joint and self.names.is_rebound_for(v, wanted)):
            self.used_names[wanted] = v
            return wanted
        return unique(wanted, self.taken)

    def available(self, v, text):
        """A value that is there under `text` at the end of the forward sweep."""
        if self.used_names.get(text, v) is not v:
            return self.hold_renamed(v, text)
        self.used_names[text] = v
        if v.definition == "global" and self.memory.changes_between(v) and not self.memory.shadowed(v):
            other = unique(f"{text}_last", self.taken)
            self.on_tape(text, other, v, "the next call changes it", listed=False)
            return name(other)
        if v.definition != "global":
            self.on_tape(text, text, v, "argument" if v.definition == "param" else "value", listed=False)
        return name(text)

    def hold_renamed(self, v, text):
        other = unique(f"{text}_0" if v.definition == "param" else text, self.taken)
        self.after(v, Line(name(other, True), self.names.read(v), None, v.loc))
        self.used_names[other] = v
        self.on_tape(other, other, v, "value before it is overwritten", listed=False)
        return name(other)

    def on_tape(self, forward, reverse, v, reason, *, listed, what="value", loc=None):
        if (forward, reverse) not in self.tape:
            self.tape.append((forward, reverse))
            if (
                what == "value"
                and reason != OVERWRITTEN
                and self.memory.changes_between(v)
                and not self.memory.shadowed(v)
            ):
                self.private.add(forward)
            if what == "value" and not listed and isinstance(v, Var) and is_packed(self, v):
                self.packed_sites.add(forward)
            loc = loc or v.loc
            if isinstance(v, Var) and isinstance(v.definition, (SegmentMemory, Loop)):
                reason = "what runs again starts from this"
            self.kept.append(
                Kept(
                    forward,
                    v,
                    loc.lineno,
                    reason,
                    listed,
                    what,
                    v.name if isinstance(v, Var) and not v.hidden else forward,
                    loc,
                )
            )

    # -- places ----------------------------------------------------------------------------------------------------
    def before(self, s, line):
        self.insert.before.setdefault(s, []).append(line)

    def after(self, v, line):
        """Insert behind the definition of `v` in the forward sweep."""
        d = v.definition
        if v in self.function.params or d == "param":
            self.insert.start.append(line)
            return
        if isinstance(d, Phi) or d == "loop":
            owner = self.layout.head_of.get(v)
            if owner is not None:
                self.insert.head.setdefault(owner, []).append(line)
            else:
                self.insert.after.setdefault(self.layout.join_of[v], []).append(line)
            return
        if isinstance(d, str) or d is None:
            self.insert.start.append(line)
            return
        self.insert.after.setdefault(d, []).append(line)

    def place(self, v, line):
        """Put a line into the reverse of the block that defines `v`, in front of the first use."""
        self.place_key(("value", v), self.layout.home[v][0], line)

    def place_key(self, key, block, line):
        self.needs.insert(line, block, key[1], lambda n: self.reads(n, key))

    def reads(self, n, key) -> bool:
        """Does a node read what `key` stands for?"""
        found = self.key(n)
        return found == key or (key[0] == "value" and found[0] != "copy")


__all__ = ["Saver"]
