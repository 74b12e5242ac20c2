"""Save: where each primal value that the reverse sweep needs comes from.

A value is, in this order of preference: a constant; still there (an argument, a name of the function's own level); cheap
to compute again from such values (element reads, views, lengths, integer arithmetic, comparisons); or kept on the tape
where it is defined. Arrays that change in place are either restored, by keeping what each store overwrites (save on
kill), or copied where they are read, whichever moves less.

Takes reverse code with `Needed` nodes; leaves code without them, and the insertions that the forward sweep must make.
"""

from __future__ import annotations

import ast
import bisect
import heapq
import operator
from dataclasses import dataclass, field

import numpy as np

from ..analysis.alias import root_of, view_source
from ..errors import NOWHERE, UnsupportedSyntaxError
from ..ir.nodes import (
    NOTHING,
    Assign,
    Call,
    Const,
    Effect,
    GetAttr,
    GetItem,
    If,
    Loop,
    Phi,
    Store,
    Unpack,
    UserCall,
    Var,
    operands,
)
from ..ir.types import INT, Num, Ref, Tup
from ..runtime.shadows import entries
from .bars import unique
from .code import (
    END,
    Enter,
    Line,
    LoopTarget,
    Needed,
    Repeat,
    Restore,
    Trips,
    attribute,
    call,
    expressions,
    inner_blocks,
    lines,
    name,
    nodes,
    subscript,
)
from .needs import Needs
from .primal_operands import need_operand, stands_alone
from .store_adjoints import is_element, region_type

_CHEAP = {
    operator.add,
    operator.sub,
    operator.mul,
    operator.floordiv,
    operator.mod,
    operator.neg,
    len,
    min,
    max,
    range,
    int,
    abs,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.eq,
    operator.ne,
    operator.not_,
    operator.is_,
    operator.is_not,
}
OVERWRITTEN = "its memory is overwritten later"  # why a copy is kept
TYPICAL = 50  # a typical extent and trip count, for comparing costs that are not known


@dataclass
class Kept:
    """One value on the tape: `site` is its name there, `listed` whether it is a list of one value per trip."""

    site: str
    var: object
    line: int
    reason: str
    listed: bool
    what: str = "value"
    label: str = ""
    loc: object = None


@dataclass
class Insertions:
    """What the forward sweep does beyond the user's program."""

    before: dict = field(default_factory=dict)  # statement -> lines in front of it
    after: dict = field(default_factory=dict)  # statement or block key -> lines behind it
    head: dict = field(default_factory=dict)  # loop -> lines at the start of its body
    start: list = field(default_factory=list)  # at the start of the function
    counters: dict = field(default_factory=dict)  # loop -> name of its trip counter


class Saver:
    """Resolves the needs of one function's reverse code."""

    def __init__(self, builder, code, taken, *, joint, tbr=True, primal_names, interrupted=False):
        self.b, self.code, self.taken, self.joint, self.tbr = builder, code, taken, joint, tbr
        self.interrupted = interrupted  # the caller's code runs between the sweeps, this function's again among it
        self.private: set[str] = set()  # sites of the tape whose memory is copied at the end of the forward sweep
        self.layout, self.function = builder.layout, builder.function
        self.names = primal_names
        self.insert = Insertions()
        self.kept: list[Kept] = []
        self.recomputed: list = []
        self.plans: dict = {}
        self.used_names: dict[str, object] = {}
        self.tape: list[tuple[str, str]] = []  # (name in the forward function, name in the adjoint)
        self.kills = [s for s in self.layout.statements if isinstance(s, (Store, Effect, UserCall)) or self._opaque(s)]
        self.restoring: dict = {}
        self.not_restorable: set = set()
        self.saved_kills: set = set()
        self.index_names: dict = {}
        self.copies: dict = {}
        self.waiting: list = []  # heap of (rank, number, key)
        self.queued: set = set()
        self.kills_by_family = self._kills_by_family()
        self.kill_places_of: dict = {}
        self.restore_lines: dict = {}

    @staticmethod
    def _opaque(s):
        return (
            isinstance(s, Assign)
            and isinstance(s.value, Call)
            and s.value.rule is None
            and not (
                callable(s.value.function)
                and getattr(s.value.function, "__module__", None) in ("_operator", "builtins")
            )
        )

    # -- driver ----------------------------------------------------------------------------------------------------
    def run(self):
        """Resolve every need; afterwards the code is plain."""
        self.choose_modes()
        self.restores(self.code)
        self.needs = Needs(self.code)
        found = self.needs.take_found()
        for n in found:
            self.key(n)  # the statements that share a copy are known once all have been seen
        while self.wait_for(found):
            self.resolve_waiting()
            found = self.needs.nodes()
        self.working_copies()
        self.substitute(self.code)

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
            self.wait_for(self.needs.take_found())

    def rank(self, key):
        v = key[1]
        if key[0] == "trips":
            return (-self.layout.position[v], 0, 0)
        return (-self.layout.home.get(v, (None, -1))[1], v.uid, key[0] != "value")

    def key(self, n: Needed | Trips):
        if isinstance(n, Trips):
            return ("trips", n.loop)
        v = n.var
        if n.need == "entries":
            return ("entries", v)
        if n.need == "value" and self.unstable(v) and self.changes_after(v, n.at):
            mode = self.restoring.get(root_of(v)) if self.is_array(v) else None
            if not mode:
                return ("copy", v, self.canonical(v, n.at))
        return (("value", v) if n.need in ("value", "ref") else ("shape", v)) if n.need != "ref" else ("ref", v)

    # -- memory ----------------------------------------------------------------------------------------------------
    def is_array(self, v) -> bool:
        return isinstance(v.type, Num) and v.type.boxed is not False and v.group is not None

    def unstable(self, v) -> bool:
        """May the content of `v` change after it is read?"""
        return self.is_array(v) and (v.group.family.stored or v.group.family.opaque)

    def shadowed(self, v) -> bool:
        """Is the adjoint of this array found by its identity?"""
        return id(v.group.family) in self.b.shadowed

    def changes_between(self, v) -> bool:
        """May the content of `v` change between the sweeps, since the program changes memory that its caller holds?"""
        if not self.interrupted or not self.unstable(v):
            return False
        family = v.group.family
        return family.external or family.escaped or family.opaque

    def _kills_by_family(self):
        """Statements that may change memory, by the id of the family of what they change."""
        found: dict = {}
        for k in self.kills:
            for family in self._changed_families(k):
                found.setdefault(family, []).append(k)
        for s in self.layout.statements:
            if isinstance(s, Assign) and s.augmented is not None and s.target.group is not None:
                found.setdefault(id(s.target.group.family), []).append(s)
        return found

    def _changed_families(self, k):
        """Ids of the families of memory that a statement may change."""
        if isinstance(k, UserCall):
            return self.b.volatile
        if isinstance(k, Store):
            changed = [k.base] if isinstance(k.base, Var) else []
        else:
            names = k.names.values() if isinstance(k, Effect) else [*k.value.args, *k.value.kwargs.values()]
            changed = [v for n in names for v in operands(n)]
        return {id(v.group.family) for v in changed if v.group is not None}

    def kills_of(self, family):
        return self.kills_by_family.get(id(family), ())

    def kill_places(self, family):
        """Positions of the statements that may change memory of a family, in order, and the loops around any of them."""
        places = self.kill_places_of.get(id(family))
        if places is None:
            kills = self.kills_of(family)
            places = (
                sorted(self.layout.position[k] for k in kills),
                {loop for k in kills for loop in self.layout.loops[k]},
            )
            self.kill_places_of[id(family)] = places
        return places

    def changes_after(self, v, at) -> bool:
        """May a store change the content of `v` after the statement `at` has read it (or by `at` itself)?"""
        if at is END:
            return False
        if id(v.group.family) in self.b.volatile:
            return True  # other functions of the module change it, before this one runs in reverse
        if self.shadowed(v) and self.changes_between(v):
            return True  # known by its identity: the reference is needed too
        positions, loops = self.kill_places(v.group.family)
        return (
            bool(positions)
            and positions[-1] >= self.layout.position[at]
            or any(loop in loops for loop in self.layout.loops[at])
        )

    def canonical(self, v, at):
        """The first statement of the block of `at` that reads the same content of `v`."""
        block = self.layout.block[at]
        kills = [self.layout.position[k] for k in self.kills_of(v.group.family)]
        first = at
        for s in reversed(block[: block.index(at)]):
            low, high = self.layout.position[s], self.layout.position[at]
            if any(low <= k < high for k in kills) or isinstance(s, (If, Loop)):
                break
            if self.layout.home[v][1] >= low:
                break
            if (v, s) in self.copies:
                first = s
        self.copies[(v, first)] = True
        return first

    def choose_modes(self):
        """Per array that changes in place: restore it in reverse, or copy what is read."""
        reads: dict = {}
        for item in lines(self.code):
            for e in expressions(item):
                for n in nodes(e):
                    if isinstance(n, Needed) and n.need == "value" and n.at is not END:
                        self.note_read(n.var, n.at, reads)
        for root, wanted in reads.items():
            kills = self.kills_of(root.group.family)
            if root in self.not_restorable or not self.restorable(root, kills):
                continue
            first = min(self.layout.position[s] for s, _ in wanted)
            loops = {loop for s, _ in wanted for loop in self.layout.loops[s]}
            relevant = [
                k
                for k in kills
                if self.layout.position[k] >= first or any(loop in loops for loop in self.layout.loops[k])
            ]
            restore = sum(TYPICAL ** (self.layout.depth(k) + self.region_rank(k)) for k in relevant)
            copies = sum(TYPICAL ** (self.layout.depth(s) + rank) for s, rank in set(wanted))
            if restore <= copies:
                self.restoring[root] = True
                self.saved_kills |= set(kills if not self.tbr else relevant)

    def can_be_read_again(self, v) -> bool:
        """Can every view on the way from the array to `v` be taken again in reverse?"""
        root = root_of(v)
        while v is not root:
            if isinstance(v.definition, Assign) and not self.is_cheap(v):
                return False
            v = view_source(v)
        return True

    def note_read(self, v, at, reads):
        """Record that the reverse of `at` reads memory that changes later."""
        if self.unstable(v):
            if self.changes_after(v, at):
                reads.setdefault(root_of(v), []).append((at, v.type.rank or 1))
                if not self.can_be_read_again(v):
                    self.not_restorable.add(root_of(v))
            return
        d = v.definition
        if (
            isinstance(d, Assign)
            and isinstance(d.value, GetItem)
            and isinstance(d.value.base, Var)
            and self.unstable(d.value.base)
        ):
            base = d.value.base
            if self.changes_after(base, d) and self.steady(base, v, at):
                reads.setdefault(root_of(base), []).append((d, v.type.rank or 0 if isinstance(v.type, Num) else 0))

    def steady(self, base, v, at) -> bool:
        """Does no store change `base` between the definition of `v` and the statement `at`?"""
        low, home_loops = self.layout.home[v][1], self.layout.home_loops[v]
        positions, loops = self.kill_places(base.group.family)
        first = bisect.bisect_right(positions, low)
        # The reverse of a branch reads its test before anything inside is restored.
        end = self.layout.last[at] + 1 if isinstance(at, (If, Loop)) else self.layout.position[at]
        if first < len(positions) and positions[first] < end:
            return False
        return not any(loop in loops and loop not in home_loops for loop in self.layout.loops[at])

    def restorable(self, root, kills) -> bool:
        if id(root.group.family) in self.b.shadowed or isinstance(root.definition, Phi):
            return False
        if self.layout.home_loops.get(root) or self.layout.home[root][0] is not self.function.body:
            return False
        if root.group.family.opaque or not isinstance(root.type, Num) or not root.type.is_array:
            return False
        if isinstance(root.definition, (Unpack,)) or view_source(root) is not None:
            return False
        return all(isinstance(k, Store) and root_of(k.base) is root for k in kills)

    def region_rank(self, k):
        if not isinstance(k, Store):
            return 2
        t = region_type(self.b, k.base, k)
        return t.rank if isinstance(t, Num) and t.rank is not None else 1

    # -- plans -----------------------------------------------------------------------------------------------------
    def plan(self, key):
        """Decide where one need comes from; gives the expression that stands for it."""
        kind, v = key[0], key[1]
        if kind == "trips":
            return self.plan_trips(v)
        if kind == "copy":
            return self.keep_copy(v, key[2])
        if kind == "shape":
            made = self.plan_shape(v)
            if self.joint and isinstance(made, ast.Name) and self.may_be_missing(v):
                self.preset(made.id)  # a zero adjoint has the shape of what may be missing
            return made
        if kind == "entries":
            return self.keep_entries(v)
        if (
            kind == "value"
            and v.const is not NOTHING
            and isinstance(v.const, (bool, int, float, str))
            and not v.varied
            and not isinstance(v.type, Ref)
        ):
            return self.b.namer.object(v.const)
        if kind == "value" and v.const is not NOTHING and not isinstance(v.type, Num) and not isinstance(v.type, Ref):
            try:
                return self.b.namer.object(v.const)
            except (AttributeError, TypeError):
                pass
        if v.definition == "global":
            return self.available(v, self.names.name(v))
        if v.definition == "loop":
            return self.plan_index(v)
        if kind == "value":
            stored = self.read_back(v)
            if stored is not None:
                return stored
        if kind == "value" or (isinstance(v.definition, Assign) and v.definition.implicit and v.hidden):
            again = self.recompute(v)
            if again is not None:
                return again
        if kind == "value" and self.must_recompute(v) and self.changes_after(v, self.last_use(v)):
            raise UnsupportedSyntaxError(
                f"'{v.name}' looks into an array that changes in place, and cannot be looked at again in the reverse sweep",
                v.loc,
                hint="take a copy of it: x[i:j].copy()",
            )
        return self.keep(v)

    def plan_index(self, v):
        loop = self.layout.loop_of_index.get(v)
        if loop is None:
            return self.keep(v)
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
        if v.definition == "global" and self.changes_between(v) and not self.shadowed(v):
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
            if what == "value" and reason != OVERWRITTEN and self.changes_between(v) and not self.shadowed(v):
                self.private.add(forward)
            loc = loc or v.loc
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

    # -- recomputation ---------------------------------------------------------------------------------------------
    def recompute(self, v):
        """The expression that gives `v` again, as a line at the start of its block's reverse, or None."""
        component = v.hidden and isinstance(v.definition, Assign) and v.definition.implicit
        if not self.tbr and not isinstance(v.type, Tup) and not component and not self.must_recompute(v):
            return None
        if not self.is_cheap(v) or not self.valid(v) or (self.cost(v, 0) > 0 and not self.must_recompute(v)):
            return None
        if (
            not v.hidden
            and not self.layout.home_loops.get(v)
            and self.layout.home[v][0] is self.function.body
            and not (self.unstable(v))
            and not isinstance(v.definition, str)
        ):
            return None  # a name of the function's own level is simply still there
        expression = (
            need_operand(self.b, v.definition.value, self.last_use(v)) if isinstance(v.definition, Assign) else None
        )
        if expression is None:
            source = view_source(v)
            if source is None:
                return None
            expression = need_operand(self.b, source, self.last_use(v))
        text = self.reverse_name(v)
        self.place(v, Line(name(text, True), expression, None, v.loc, hidden=True))
        if not v.hidden:
            self.recomputed.append((v.loc, v.name, "cheaper to read again than to keep"))
        return name(text)

    def read_back(self, v):
        """A number that the next statement stores: before that store is undone, the memory still holds it."""
        if not self.tbr or not (
            v.hidden and isinstance(v.type, Num) and v.type.boxed is False and self.layout.home_loops.get(v)
        ):
            return None
        store = next(
            (s for _, s in self.layout.uses.get(v, ()) if isinstance(s, Store) and s.value is v and s.op is None), None
        )
        if store is None or store not in self.saved_kills or self.layout.block[store] is not self.layout.home[v][0]:
            return None
        root, base = root_of(store.base), store.base
        exact = (
            is_element(self.b, base, store)
            and base.type.kind == v.type.kind
            and (v.type.dtype or np.dtype(float)) == base.type.dtype
        )
        if (
            not self.restoring.get(root)
            or not exact
            or any(at > self.layout.position[store] for at, _ in self.reverse_uses(v))
        ):
            return None
        if any(self.cost_of(u, 0) > 0 for u in operands(store.index)):
            return None
        marker = self.restore_lines.get(store)
        if marker is None:
            return None
        text = unique(self.names.name(v), self.taken)
        value = subscript(need_operand(self.b, base, store), need_operand(self.b, store.index, store))
        self.needs.insert_before(marker, Line(name(text, True), value, None, store.loc, hidden=True))
        return name(text)

    def must_recompute(self, v):
        """A view of an array that is restored in reverse is read again there."""
        return self.is_array(v) and self.restoring.get(root_of(v)) and root_of(v) is not v

    def is_cheap(self, v) -> bool:
        d = v.definition
        if isinstance(d, Unpack):
            return view_source(v) is not None and self.must_recompute(v)
        if not isinstance(d, Assign):
            return False
        value = d.value
        if isinstance(value, (Var, Const)):
            return True
        if isinstance(value, GetItem):
            fancy = (
                isinstance(v.type, Num)
                and v.type.boxed is not False
                and not self.shares(v, value.base)
                and not isinstance(getattr(value.base, "type", None), Tup)
            )
            return (
                isinstance(value.base, (Var, Call))
                and not fancy
                and not isinstance(getattr(value.base, "type", None), Ref)
            )
        if isinstance(value, GetAttr):
            return value.attr in ("shape", "size", "ndim", "dtype")
        if isinstance(value, Call):
            if value.rule is not None and value.rule.cheap and value.rule.alias == "view":
                return True
            function = value.function
            try:
                known = function in _CHEAP
            except TypeError:
                return False
            if not known:
                return False
            scalars = all(
                not isinstance(a, Var) or isinstance(a.type, Num) and a.type.is_scalar or function is len
                for a in value.args
            )
            integral = isinstance(v.type, Num) and v.type.kind in "ib"
            return scalars and integral
        return False

    def shares(self, v, base):
        return (
            isinstance(base, Var)
            and base.group is not None
            and v.group is not None
            and base.group.find() is v.group.find()
        )

    def valid(self, v, users=()) -> bool:
        """Would computing `v` again in reverse read the same memory? `users`: statements that would read it then."""
        d = v.definition
        value = d.value if isinstance(d, Assign) else view_source(v)
        if isinstance(value, Call) and value.function is len:
            return not any(isinstance(getattr(a, "type", None), Ref) for a in value.args)
        for u in operands(value):
            if isinstance(u.type, Ref):
                return False
            if not self.unstable(u):
                continue
            if isinstance(value, GetAttr):
                continue
            if self.shares(v, u) and self.unstable(v):
                if not self.restoring.get(root_of(u)) and self.changes_after(u, d):
                    return False
                continue
            if not self.changes_after(u, d):
                continue
            if not self.restoring.get(root_of(u)):
                return False
            uses = [*(s for _, s in self.reverse_uses(v)), *users]
            if not all(s is not None and self.steady(u, v, s) for s in uses):
                return False
        return True

    def reverse_uses(self, v):
        """Statements whose reverse reads `v`."""
        return [(self.layout.position[n.at], n.at) for n in self.needs.nodes_of(v) if n.at is not END]

    def last_use(self, v):
        uses = self.reverse_uses(v)
        return max(uses, key=lambda u: u[0])[1] if uses else END

    def cost(self, v, depth, users=()) -> int:
        """Values that would have to be kept so that `v` can be computed again, for its own uses and for `users`."""
        if depth > 8:
            return 1
        users = [*(s for _, s in self.reverse_uses(v)), *users]
        total = 0
        value = v.definition.value if isinstance(v.definition, Assign) else view_source(v)
        for u in operands(value):
            total += self.cost_of(u, depth, users)
        return total

    def cost_of(self, u, depth, users=()):
        if u.const is not NOTHING and isinstance(u.const, (bool, int, float, str)):
            return 0
        if u.definition in ("param", "global", "loop"):
            if u.definition == "loop":
                return 0 if u in self.layout.loop_of_index else 1
            return 0
        if ("value", u) in self.plans or ("ref", u) in self.plans:
            return 0
        if not self.layout.home_loops.get(u):
            return 0
        if self.is_cheap(u) and self.valid(u, users):
            return self.cost(u, depth + 1, users)
        return 1

    # -- keeping ---------------------------------------------------------------------------------------------------
    def keep(self, v):
        """Keep `v` where it is defined: by name outside loops, on a list inside."""
        if v.items is not None and not stands_alone(v):
            return need_operand(self.b, v, END)
        if not self.layout.home_loops.get(v):
            return self.hold(v)
        site = unique(f"{self.names.name(v)}_saved", self.taken)
        self.insert.start.append(Line(name(site, True), ast.List([], ast.Load()), None, NOWHERE))
        self.after(v, Line(None, call(attribute(name(site), "append"), self.names.read(v)), None, v.loc, keep=True))
        text = self.reverse_name(v)
        self.place(v, Line(name(text, True), call(attribute(name(site), "pop")), None, v.loc, keep=True))
        self.on_tape(site, site, v, "read by the adjoint, different in each trip", listed=True)
        return name(text)

    def hold(self, v):
        text = self.names.name(v)
        conditional = self.layout.home[v][0] is not self.function.body
        rebound = self.names.is_rebound(v, text) or v.hidden and v in self.names.components
        if rebound or self.used_names.get(text, v) is not v:
            other = unique(f"{text}_0" if v.definition == "param" else text, self.taken)
            self.after(v, Line(name(other, True), self.names.read(v), None, v.loc))
            text = other
        self.used_names[text] = v
        if not self.joint and (conditional or not rebound and self.may_be_missing(v)):
            self.preset(text)
        self.on_tape(text, text, v, "argument" if v.definition == "param" else "read by the adjoint", listed=False)
        return name(text)

    def preset(self, text):
        """The tape reads the name whatever path has run: one that the program may leave without a value starts as None."""
        if not any(text == p.name for p in self.function.params):
            self.insert.start.append(Line(name(text, True), ast.Constant(None), None, NOWHERE))

    def may_be_missing(self, v) -> bool:
        """Is there a path on which this join has no value?"""
        return self.layout.may_be_missing(v)

    def keep_copy(self, v, at):
        """Keep a copy of memory as `at` reads it, since it changes later."""
        base = self.names.name(v)
        copied = (
            call(attribute(self.names.read(v), "copy"))
            if v.type.is_array and not self.may_be_missing(v)
            else call(self.b.numpy("copy"), self.names.read(v))
        )
        made_here = self.layout.home[v][1] >= self.layout.position[at]  # the adjoint reads its own result

        def insert(line):
            self.after(v, line) if made_here else self.before(at, line)

        if not self.layout.loops[at]:
            text = unique(f"{base}_0", self.taken)
            insert(Line(name(text, True), copied, None, at.loc))
            if self.layout.block[at] is not self.function.body and not self.joint:
                self.insert.start.append(Line(name(text, True), ast.Constant(None), None, NOWHERE))
            self.on_tape(text, text, v, OVERWRITTEN, listed=False)
            return name(text)
        site = unique(f"{base}_saved", self.taken)
        self.insert.start.append(Line(name(site, True), ast.List([], ast.Load()), None, NOWHERE))
        insert(Line(None, call(attribute(name(site), "append"), copied), None, at.loc, keep=True))
        text = unique(f"{base}_0", self.taken)
        key = ("copy", v, at)
        self.place_key(
            key,
            self.layout.block[at],
            Line(name(text, True), call(attribute(name(site), "pop")), None, at.loc, keep=True),
        )
        self.on_tape(site, site, v, OVERWRITTEN, listed=True)
        return name(text)

    def plan_shape(self, v):
        """Something with the shape of `v`."""
        t = v.type
        if isinstance(t, Ref) or v.definition in ("param", "global") and not isinstance(t, Tup):
            return self.plans.get(("ref", v)) or self.named(v)
        if ("value", v) in self.plans and isinstance(self.plans[("value", v)], ast.Name):
            return self.plans[("value", v)]
        if isinstance(t, Num) and t.dims and all(d is not None for d in t.dims):
            for p in (*self.function.params, *self.function.globals):
                if isinstance(p.type, Num) and p.type.dims == t.dims and p.type.boxed:
                    return self.named(p)
        if v.tied or self.unstable(v):
            root = root_of(v)
            if root is v and not self.layout.home_loops.get(v):
                return self.named(v)
        elif not self.layout.home_loops.get(v) and not v.hidden:
            return self.named(v)
        return self.keep_shape(v)

    def named(self, v):
        key = ("ref", v)
        if key not in self.plans:
            self.plans[key] = self.plan(key)
        return self.plans[key]

    def keep_entries(self, v):
        """Keep what a container of the caller holds at the start, since the program changes it."""
        text = unique(f"{self.names.name(v)}_given", self.taken)
        self.insert.start.append(
            Line(name(text, True), call(self.b.runtime(entries), self.names.read(v)), None, NOWHERE)
        )
        self.on_tape(text, text, v, "what the argument holds at the start", listed=False, what="structure")
        return name(text)

    def keep_shape(self, v):
        text = unique(f"{self.names.name(v)}_shape", self.taken)
        shape = (
            attribute(self.names.read(v), "shape")
            if v.type.is_array and not self.may_be_missing(v)
            else call(self.b.numpy("shape"), self.names.read(v))
        )
        if not self.layout.home_loops.get(v):
            self.after(v, Line(name(text, True), shape, None, v.loc))
            if self.layout.home[v][0] is not self.function.body and not self.joint:
                self.insert.start.append(Line(name(text, True), ast.Constant(None), None, NOWHERE))
            self.on_tape(text, text, v, "shape only", listed=False, what="shape")
        else:
            site = unique(f"{text}s", self.taken)
            self.insert.start.append(Line(name(site, True), ast.List([], ast.Load()), None, NOWHERE))
            self.after(v, Line(None, call(attribute(name(site), "append"), shape), None, v.loc, keep=True))
            self.place_key(
                ("shape", v),
                self.layout.home[v][0],
                Line(name(text, True), call(attribute(name(site), "pop")), None, v.loc, keep=True),
            )
            self.on_tape(site, site, v, "shape only", listed=True, what="shape")
        return ShapeName(text)

    def plan_trips(self, loop):
        counter = unique("trips", self.taken)
        self.insert.counters[loop] = counter
        if not self.layout.loops[loop]:
            if self.layout.block[loop] is not self.function.body and not self.joint:
                self.insert.start.append(Line(name(counter, True), ast.Constant(0), None, NOWHERE))
            self.on_tape(counter, counter, None, "how often the loop ran", listed=False, what="trips", loc=loop.loc)
            return name(counter)
        site = unique(f"{counter}_saved", self.taken)
        self.insert.start.append(Line(name(site, True), ast.List([], ast.Load()), None, NOWHERE))
        self.insert.after.setdefault(loop, []).append(
            Line(None, call(attribute(name(site), "append"), name(counter)), None, loop.loc, keep=True)
        )
        self.place_key(
            ("trips", loop),
            self.layout.block[loop],
            Line(name(counter, True), call(attribute(name(site), "pop")), None, loop.loc, keep=True),
        )
        self.on_tape(site, site, None, "how often the loop ran", listed=True, what="trips", loc=loop.loc)
        return name(counter)

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

    # -- restores --------------------------------------------------------------------------------------------------
    def restores(self, code):
        """Turn Restore markers into lines, or drop them."""
        out = []
        for item in code:
            for inner in inner_blocks(item):
                self.restores(inner)
            if isinstance(item, Restore):
                if item.store in self.saved_kills and self.restoring.get(root_of(item.store.base)):
                    out.extend(self.restore(item.store))
            else:
                out.append(item)
        code[:] = out

    def restore(self, s: Store):
        """Keep what the store overwrites (forward), put it back (reverse)."""
        base = self.names.name(s.base) if not s.base.hidden else self.names.name(root_of(s.base))
        element = is_element(self.b, s.base, s)
        whole = s.index is None or (isinstance(s.index, Const) and s.index.value is Ellipsis)
        read = self.names.read(s.base) if whole else subscript(self.names.read(s.base), self.names.index(s.index))
        kept = read if element else call(attribute(read, "copy"))
        place = need_operand(self.b, s.base, s)
        index = ast.Constant(Ellipsis) if whole else need_operand(self.b, s.index, s)
        if self.layout.loops[s]:
            site = unique(f"{base}_overwritten", self.taken)
            self.insert.start.append(Line(name(site, True), ast.List([], ast.Load()), None, NOWHERE))
            self.before(s, Line(None, call(attribute(name(site), "append"), kept), None, s.loc, keep=True))
            value = call(attribute(name(site), "pop"))
            self.on_tape_kill(site, s, True)
        else:
            site = unique(f"{base}_overwritten", self.taken)
            self.before(s, Line(name(site, True), kept, None, s.loc))
            if self.layout.block[s] is not self.function.body and not self.joint:
                self.insert.start.append(Line(name(site, True), ast.Constant(None), None, NOWHERE))
            value = name(site)
            self.on_tape_kill(site, s, False)
        self.restore_lines[s] = Line(subscript(place, index, True), value, None, s.loc, keep=True)
        return [self.restore_lines[s]]

    def working_copies(self):
        """What is restored in reverse is a copy, unless no one else can see the array."""
        for root in sorted(self.restoring, key=lambda v: v.uid):
            plan = self.plans.get(("value", root), self.plans.get(("ref", root)))
            returned = any(
                v.group is not None and v.group.family is root.group.family for v in operands(self.function.result)
            )
            if not isinstance(plan, ast.Name) or (self.joint and root.definition != "global" and not returned):
                continue
            own = plan.id if root.definition != "global" and not self.joint else unique(f"{plan.id}_now", self.taken)
            self.code.insert(0, Line(name(own, True), call(attribute(name(plan.id), "copy")), None, root.loc))
            for key in (("value", root), ("ref", root)):
                if key in self.plans:
                    self.plans[key] = name(own)

    def on_tape_kill(self, site, s, listed):
        self.tape.append((site, site))
        self.kept.append(
            Kept(
                site,
                s.base,
                s.loc.lineno,
                "overwritten here, and read by the adjoint of an earlier line",
                listed,
                "region",
                s.base.name if not s.base.hidden else site,
                s.loc,
            )
        )

    # -- the end ---------------------------------------------------------------------------------------------------
    def substitute(self, code):
        for item in code:
            if isinstance(item, Line):
                item.value = self.replaced(item.value)
                item.target = self.replaced(item.target) if item.target is not None else None
            elif isinstance(item, Repeat):
                item.iterable = self.replaced(item.iterable)
                if isinstance(item.target, LoopTarget):
                    index = item.target.loop.index
                    item.target = name(self.index_names.get(index, "_"), True) if index is not None else name("_", True)
                    if item.target.id == "_":
                        item.iterable = self.uncounted(item.iterable)
            elif hasattr(item, "test"):
                item.test = self.replaced(item.test)
            for inner in inner_blocks(item):
                self.substitute(inner)
        code[:] = [i for i in code if not isinstance(i, Enter)]

    def uncounted(self, node):
        """The shortest form of a reversed range whose values are not read."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "reversed":
            node = node.args[0]
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and node.slice.upper is not None:
            return call(self.b.namer.object(range), node.slice.upper)
        return node

    def replaced(self, node):
        if isinstance(node, Needed):
            return self.replaced(_copy(self.plans[self.key(node)]))
        if isinstance(node, Trips):
            return _copy(self.plans[("trips", node.loop)])
        if (
            isinstance(node, ast.Call)
            and len(node.args) == 1
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("shape", "ndim", "size")
        ):
            inner = self.replaced(node.args[0])
            if isinstance(inner, ShapeName):
                shape = name(inner.id)
                if node.func.attr == "shape":
                    return shape
                return (
                    call(self.b.namer.object(len), shape)
                    if node.func.attr == "ndim"
                    else call(self.b.namer.object(np.prod), shape)
                )
            return ast.Call(node.func, [inner], [])
        if (
            isinstance(node, ast.Call)
            and len(node.args) == 1
            and isinstance(node.func, ast.Name)
            and node.func.id == "len"
        ):
            inner = self.replaced(node.args[0])
            return (
                subscript(name(inner.id), ast.Constant(0))
                if isinstance(inner, ShapeName)
                else ast.Call(node.func, [inner], [])
            )
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, Needed)
            and node.attr in ("shape", "ndim", "size")
        ):
            inner = self.replaced(node.value)
            if isinstance(inner, ShapeName):
                return (
                    name(inner.id)
                    if node.attr == "shape"
                    else call(self.b.namer.object(len if node.attr == "ndim" else np.prod), name(inner.id))
                )
            return ast.Attribute(inner, node.attr, node.ctx)
        if isinstance(node, ast.AST):
            for f in node._fields:
                value = getattr(node, f, None)
                if isinstance(value, ast.AST):
                    setattr(node, f, self.replaced(value))
                elif isinstance(value, list):
                    setattr(node, f, [self.replaced(v) if isinstance(v, ast.AST) else v for v in value])
        return node


class ShapeName(ast.Name):
    """A name that holds a shape where an array was asked for."""

    _fields = ("id", "ctx")

    def __init__(self, id="shape", ctx=None):
        super().__init__(id, ctx or ast.Load())


def _copy(node):
    from .code import clone

    return clone(node)


__all__ = ["INT", "Insertions", "Kept", "Saver", "np"]
