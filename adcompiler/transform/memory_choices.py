"""Choices about memory that changes: which statements change it, whether a read may come too late, restore or copy.

Takes reverse code with `Needed` nodes. An array that changes in place is either restored in reverse, by keeping what each
store overwrites (`saved_kills`), or copied where it is read (`copies`), whichever moves less. A value may be read again
in reverse only if no statement changes its memory in between (`steady`, `changes_after`).
"""

from __future__ import annotations

import bisect
import operator

from ..analysis.alias import may_be_view, root_of, view_source
from ..analysis.regions import Regions
from ..ir.nodes import (
    Assign,
    Call,
    Const,
    Effect,
    GetAttr,
    GetItem,
    If,
    Loop,
    Phi,
    Raw,
    Store,
    Unpack,
    UserCall,
    Var,
    operands,
)
from ..ir.types import Num, Ref, Tup
from .code import END, Needed, expressions, lines, nodes_in
from .object_changes import ObjectChanges
from .store_adjoints import region_type

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
TYPICAL = 50  # a typical extent and trip count, for comparing costs that are not known


class MemoryChoices:
    """What the statements of one function do to memory, and per array whether it is restored or copied."""

    def __init__(self, builder, layout, function, *, tbr, interrupted):
        self.b, self.layout, self.function, self.tbr = builder, layout, function, tbr
        self.arithmetic_is_cheap = getattr(builder, "arithmetic_is_cheap", False)  # cheaper than a read of the tape
        self.own_scope = None  # the checkpointed loop that these choices are for
        self.interrupted = interrupted  # the caller's code runs between the sweeps, this function's again among it
        self.kills = [s for s in self.layout.statements if isinstance(s, (Store, Effect, UserCall)) or _opaque(s) or unseen(s)]
        self.restoring: dict = {}  # arrays that are restored in reverse
        self.not_restorable: set = set()  # arrays with a view that cannot be taken again in reverse
        self.saved_kills: set = set()  # stores that keep what they overwrite
        self.copies: dict = {}  # (array, statement) whose reverse reads a copy of it
        self.objects = ObjectChanges(layout, builder.cx)
        self.kills_by_family = self._kills_by_family()
        self.kill_places_of: dict = {}
        self.regions = Regions(layout)

    def is_array(self, v) -> bool:
        return isinstance(v.type, Num) and v.type.boxed is not False and v.group is not None

    def unstable(self, v) -> bool:
        """May the content of `v` change after it is read?"""
        return self.is_array(v) and (v.group.family.stored or v.group.family.opaque)

    def _kills_by_family(self):
        """Statements that may change memory, by the id of the family of what they change."""
        found: dict = {}
        for k in self.kills:
            for family in self._changed_families(k):
                found.setdefault(family, []).append(k)
        for s in self.layout.statements:
            if isinstance(s, Assign) and s.augmented is not None and s.target.group is not None:
                found.setdefault(id(s.target.group.family), []).append(s)
        for family in {id(v.group.family) for v in self.layout.home if self.is_array(v) and v.group.family.opaque}:
            known = found.setdefault(family, [])  # objects made elsewhere may hold this memory: memoryview(x), x.fill
            known += [s for s in self.objects.changing if s not in known]
        return found

    def _changed_families(self, k):
        """Ids of the families of memory that a statement may change."""
        if isinstance(k, UserCall):
            return self.b.volatile
        if isinstance(k, Store):
            changed = [k.base] if isinstance(k.base, Var) else []
        else:
            names = k.names.values() if isinstance(k, Effect) else operands(k.value) if unseen(k) else given(k)
            changed = [v for n in names for v in operands(n)]
            changed += read_by_functions(changed)
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
        """The statement whose copy of `v` serves `at`: it reads the same content, and its copy is asked for."""
        first = self.canonical_read(v, at, lambda s: (v, s) in self.copies)
        self.copies[(v, first)] = True
        return first

    def canonical_read(self, v, at, counts=lambda s: True):
        """The first statement of the block of `at` that reads the same content of `v`, among those that count."""
        block = self.layout.block[at]
        kills = [self.layout.position[k] for k in self.kills_of(v.group.family)]
        first = at
        for s in reversed(block[: block.index(at)]):
            low, high = self.layout.position[s], self.layout.position[at]
            if any(low <= k < high for k in kills) or isinstance(s, (If, Loop)):
                break
            if self.layout.home[v][1] >= low:
                break
            if counts(s):
                first = s
        return first

    def choose(self, code, leaves=lambda node: False):
        """Per array that changes in place: restore it in reverse, or copy what is read; without nodes that it `leaves`."""
        reads: dict = {}
        for item in lines(code):
            for e in expressions(item):
                for n in nodes_in(e):
                    if isinstance(n, Needed) and n.need == "value" and n.at is not END and not leaves(n):
                        self.note_read(n.var, n.at, reads)
        for root, wanted in reads.items():
            kills = self.kills_of(root.group.family)
            if root in self.not_restorable or any(self.in_scope(k) for k in kills) or not self.restorable(root, kills):
                continue
            relevant = [k for k in kills if any(self.overwrites(k, s, region) for s, _, region in wanted)]
            restore = sum(TYPICAL ** (self.layout.depth(k) + self.region_rank(k)) for k in relevant)
            copied = {(s, rank) for s, rank, _ in wanted}
            if self.arithmetic_is_cheap:  # such code adds up the same content once, and reads a copy faster than it restores
                copied = {(self.canonical_read(root, s) if rank else s, rank) for s, rank in copied}
                restore += any(rank for _, rank in copied)
            copies = sum(TYPICAL ** (self.layout.depth(s) + rank) for s, rank in copied)
            if restore <= copies:
                self.restoring[root] = True
                self.saved_kills |= set(kills if not self.tbr else relevant)

    def overwrites(self, store, read, region, *, stored=False) -> bool:
        """May a store change what the statement `read` has read (or `stored`) there, after it?"""
        is_first = self.layout.position[store] < self.layout.position[read]
        if is_first and not set(self.layout.loops[read]).intersection(self.layout.loops[store]):
            return False
        own = self.regions.of(store.base, store, store.index)
        return self.regions.may_overwrite(store, own, read, region, stored=stored)

    def in_scope(self, k) -> bool:
        """Does a statement stand in a segment or a checkpointed loop, whose saver it is left to?"""
        return any(s in self.b.settled and s is not self.own_scope for s in self.layout.branches[k])

    def note_read(self, v, at, reads):
        """Record that the reverse of `at` reads memory that changes later."""
        if self.unstable(v):
            if self.changes_after(v, at):
                reads.setdefault(root_of(v), []).append((at, v.type.rank or 1, self.regions.of(v, at)))
                if not self.can_be_read_again(v):
                    self.not_restorable.add(root_of(v))
            return
        d = v.definition
        while isinstance(d, Assign) and isinstance(d.value, Var):  # a number under another name
            v, d = d.value, d.value.definition
        if (
            isinstance(d, Assign)
            and isinstance(d.value, GetItem)
            and isinstance(d.value.base, Var)
            and self.unstable(d.value.base)
        ):
            base = d.value.base
            if self.changes_after(base, d) and self.steady(base, v, at):
                rank = v.type.rank or 0 if isinstance(v.type, Num) else 0
                reads.setdefault(root_of(base), []).append((d, rank, self.regions.of(base, d, d.value.index)))
                if not self.can_be_read_again(base):
                    self.not_restorable.add(root_of(base))

    def steady(self, base, v, at) -> bool:
        """Does no store change `base` between the definition of `v` and the statement `at`?"""
        low, home_loops = self.layout.home[v][1], self.layout.home_loops[v]
        positions, loops = self.kill_places(base.group.family)
        first = bisect.bisect_right(positions, low)
        end = self._first_read_again(v, at)
        if first < len(positions) and positions[first] < end:
            return False
        return not any(loop in loops and loop not in home_loops for loop in self.layout.loops[at])

    def _first_read_again(self, v, at):
        """Behind which statements the reverse sweep reads `v` again for `at`: it does in the block that defines `v`.

        The reverse of a branch reads its test before anything inside is restored, and what stands inside is read in front of it.
        """
        home = self.layout.home[v][0]
        around = [s for s in (*self.layout.branches[at], at) if isinstance(s, (If, Loop)) and self.layout.block[s] is home]
        return self.layout.last[around[0]] + 1 if around else self.layout.position[at]

    def restorable(self, root, kills) -> bool:
        if id(root.group.family) in self.b.shadowed or isinstance(root.definition, Phi):
            return False
        if self.layout.home_loops.get(root) or self.layout.home[root][0] is not self.function.body:
            return False
        if root.group.family.opaque or not isinstance(root.type, Num) or not root.type.is_array:
            return False
        if isinstance(root.definition, (Unpack,)) or view_source(root) is not None:
            return False
        return all(isinstance(k, Store) and root_of(k.base) is root and self.can_be_stored_into_again(k.base, root) for k in kills)

    def restores_since(self, v, at) -> bool:
        """Is the memory of `v` as the statement `at` has read it, once the reverse sweep is back there?

        Only those stores are undone that follow a read which was seen to need it, and that change what it has read.
        """
        value = getattr(at, "value", None)
        is_item = isinstance(value, GetItem) and value.base is v
        region = self.regions.of(v, at, value.index) if is_item else self.regions.of(v, at)
        return self.restores_region(v, region, at)

    def restores_region(self, v, region, at, *, stored=False) -> bool:
        """The same for what `at` has read of the array, or stored there."""
        return bool(self.restoring.get(root_of(v))) and all(
            k in self.saved_kills or not self.overwrites(k, at, region, stored=stored)
            for k in self.kills_of(v.group.family)
        )

    def region_rank(self, k):
        if not isinstance(k, Store):
            return 2
        t = region_type(self.b, k.base, k)
        return t.rank if isinstance(t, Num) and t.rank is not None else 1

    def can_be_read_again(self, v) -> bool:
        """Can every view on the way from the array to `v` be taken again in reverse?"""
        root = root_of(v)
        while v is not root:
            if isinstance(v.definition, Assign) and not self.is_cheap(v):
                return False
            v = view_source(v)
        return True

    def can_be_stored_into_again(self, v, root) -> bool:
        """Can the reverse sweep take the view `v` of its own copy of the array, so that what is put back arrives there?

        What may be a view or a copy (`m.reshape(-1)`) is kept as it was, and is no view of that copy.
        """
        while v is not root:
            d = v.definition
            if isinstance(d, Assign) and isinstance(d.value, Call) and not self.is_cheap(v):
                return False
            v = view_source(v)
        return True

    def shadowed(self, v) -> bool:
        """Is the adjoint of this array found by its identity?"""
        return id(v.group.family) in self.b.shadowed

    def changes_between(self, v) -> bool:
        """May the content of `v` change between the sweeps, since the program changes memory that its caller holds?"""
        if not self.interrupted or not self.unstable(v):
            return False
        family = v.group.family
        return family.external or family.escaped or family.opaque

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
            number = isinstance(v.type, Num) and v.type.is_scalar
            return scalars and (integral or self.arithmetic_is_cheap and number)
        return False

    def shares(self, v, base):
        return may_be_view(v, base)


def given(s) -> list:
    return [*s.value.args, *s.value.kwargs.values()]


def unseen(s) -> bool:
    """May this expression call functions of the program that the walk has not followed there?"""
    return isinstance(s, Assign) and isinstance(s.value, (Call, Raw)) and bool(read_by_functions(operands(s.value)))


def read_by_functions(variables) -> list:
    """What the functions among these read, and may change, by their free names."""
    found, waiting, seen = [], list(variables), set()
    while waiting:
        v = waiting.pop()
        if v in seen or not (isinstance(v, Var) and hasattr(v.const, "captured")):
            continue
        seen.add(v)
        made = v.definition.value if isinstance(v.definition, Assign) else None
        free = list(operands(made)) if made is not None else []
        found += free
        waiting += free
    return found


def _opaque(s):
    """Is this a call of something unknown, which may change its arguments?"""
    return (
        isinstance(s, Assign)
        and isinstance(s.value, Call)
        and s.value.rule is None
        and not (
            callable(s.value.function) and getattr(s.value.function, "__module__", None) in ("_operator", "builtins")
        )
    )
