"""What one walk assumes and the next must confirm, and what containers hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce

from ...ir.nodes import NOTHING
from ...ir.types import UNDEFINED, Opaque, Ref, Tup, Type, carries_derivative, join


@dataclass
class Holder:
    """What a list, dict or object that one place makes holds: types by key where keys are constant, else one type."""

    kind: str
    cls: object = None
    items: dict = field(default_factory=dict)  # key or attribute -> Type
    exact: bool = True  # items is complete; else `element` speaks for all
    element: Type = UNDEFINED
    given: dict = field(default_factory=dict)  # key (NOTHING: any) -> Type of what is there and is not None
    varied: bool = False
    keys: Type = UNDEFINED
    statics: dict = field(default_factory=dict)  # key -> known object (functions in lists and attributes); NOTHING -> those under any key
    lost: set = field(default_factory=set)  # keys of active values of which no type is known (NOTHING: any)
    lengths: set = field(default_factory=set)  # of the lists that displays make here
    constant: set = field(default_factory=set)  # keys under which the caller says that there is no derivative
    touched: set = field(default_factory=set)  # of these, where the program puts something active
    extra: object = None  # the length of a deque, or what makes the defaults of a defaultdict
    kinds: dict = field(default_factory=dict)  # key -> what a value of unknown type is taken for (sparse_kinds)
    absorbed: set = field(default_factory=set)  # sites of containers among elements of unknown kind
    is_shadow: bool = False  # its elements are adjoints, found by the identity of a container

    def types(self):
        return list(self.items.values()) if self.exact else [self.element]

    def elements(self):
        """The type of each element that is told apart, and what it is where it is not None."""
        if not self.exact:
            return [(self.element, self.given.get(NOTHING, UNDEFINED))]
        return [(t, self.given.get(key, UNDEFINED)) for key, t in self.items.items()]

    def given_type(self, key, join_all) -> Type:
        """The type of what is under `key` (NOTHING: any key) and is not None."""
        if self.exact and key is not NOTHING:
            return self.given.get(key, UNDEFINED)
        return join_all(self.given.values())

    def is_constant(self, key) -> bool:
        """Does the caller say, and the program agree, that what is under `key` (NOTHING: any key) has no derivative?"""
        return self.exact and key is not NOTHING and key in self.constant and key not in self.touched

    def sites(self) -> set:
        """The sites of the containers that it may hold."""
        return {s for t in self.types() for s in sites_of_type(t)} | self.absorbed


class Assumptions:
    """What one walk assumes and the next must confirm."""

    def __init__(self):
        self.loop_keys = {}  # loop -> names that change in it, with their types at the head
        self.loop_alias = {}  # loop -> pairs of names that may share memory at the head
        self.holders = {}  # site -> Holder
        self.recursive = {}  # key of an instance -> what is known of it
        self.hopeless = None  # an error that no further walk can mend
        self.recursive_functions = set()  # functions seen to call themselves
        self.same_function = {}  # number of an instance -> number of the first instance of its function
        self.tables_of_arrays = set()  # tables of shadows in which arrays are found by identity
        self.tangent_levels = 0  # how often forward mode has made tangents of tables of shadows already
        self.entry_keys = {}  # place of `entries(container)` -> its keys there, without those of later stores
        self.lifted = {}  # functions of the program that were lifted, by what they are made of
        self.derivatives = {}  # derivatives of them
        self.written = {}  # sources of derivatives, by the types of their calls
        self.constants = {}  # containers of objects known at compile time, kept between walks
        self.driven = set()  # (file, place) of the calls of generator functions whose loops are taken apart
        self.tries = {}  # function -> places of the tries that are taken apart; "apart" where pieces stay single
        self.missing_attributes = set()  # (class, attribute) that `__getattr__` was asked for
        self.stored_attributes = set()  # (id of a class or module, attribute) that kept statements set
        self.stored_outside = {}  # places of globals and cells that the program assigns -> type of what it stores
        self.varied_places = set()  # variables of arrays into which something active is stored later
        self.same_site = {}  # site of a container -> the site that stands for it
        self.read_first = set()  # element updates whose right side changes the array: the old value is read before
        self.walked_in_place = (
            set()
        )  # calls and comprehensions that look inactive here but are not (`Activity.walk_in_place`)
        self.tests_inside = set()  # loops whose test does more than give a value: it is evaluated inside the body
        self.frame_numbers = {}  # path of a frame -> its number, the same in every walk
        self.settled = False  # what still has no value where it is read gets none in a later walk either
        self.changed = False

    def holder(self, site, kind, cls=None) -> Holder:
        site = self.site(site)
        if site not in self.holders:
            self.holders[site] = Holder(kind, cls)
        return self.holders[site]

    def site(self, site):
        """The site that stands for `site`: containers that one name may mean share a holder."""
        while site in self.same_site:
            site = self.same_site[site]
        return site

    def join(self, a: Type, b: Type) -> Type:
        """The type of a value that comes from either of two paths; two containers of one kind become one site."""
        if isinstance(a, Ref) and isinstance(b, Ref) and a.kind == b.kind:
            self._unify(a.site, b.site)
            return Ref(a.kind, self.site(a.site)) if self.site(a.site) == self.site(b.site) else join(a, b)
        if isinstance(a, Tup) and isinstance(b, Tup) and len(a.items) == len(b.items) and a.cls == b.cls:
            return Tup(tuple(self.join(p, q) for p, q in zip(a.items, b.items, strict=True)), a.cls)
        return join(a, b)

    def join_all(self, types) -> Type:
        """The join of any number of types; `Undefined` for none."""
        return reduce(self.join, types, UNDEFINED)

    def _unify(self, first, second):
        first, second = self.site(first), self.site(second)
        a, b = self.holders.get(first), self.holders.get(second)
        if first == second or a is None or b is None or a.cls is not b.cls:
            return
        self.same_site[second] = first
        self.changed = True
        if a.kind != "object" and (not a.exact or not b.exact or list(a.items) != list(b.items)):
            self.generalise(a)
            self.generalise(b)
        if a.exact:
            for key, t in b.items.items():
                a.items[key] = self.join(a.items.get(key, UNDEFINED), t)
        else:
            a.element = self.join(a.element, b.element)
        for key, t in b.given.items():
            self._give(a, key, t)
        a.varied |= b.varied
        a.absorbed |= b.absorbed
        self._absorb(a, a.element, *b.types())
        a.lengths |= b.lengths
        a.keys = join(a.keys, b.keys)
        for key, value in b.statics.items():
            if key is NOTHING:
                a.statics.setdefault(NOTHING, []).extend(value)
            elif not a.exact:
                a.statics.setdefault(NOTHING, []).append(value)
            else:
                a.statics[key] = value if key not in a.statics or a.statics[key] is value else NOTHING
        for holder in self.holders.values():
            holder.items = {k: self.current(t) for k, t in holder.items.items()}
            holder.element, holder.keys = self.current(holder.element), self.current(holder.keys)
            holder.given = {k: self.current(t) for k, t in holder.given.items()}
        for known in self.loop_keys.values():
            for entry in known.values():
                entry["type"] = self.current(entry["type"])
        self.holders[second] = a

    def current(self, t: Type) -> Type:
        """The type with the sites that stand for its containers now."""
        if isinstance(t, Ref):
            return Ref(t.kind, self.site(t.site))
        if isinstance(t, Tup):
            return Tup(tuple(self.current(i) for i in t.items), t.cls)
        return t

    def _give(self, holder: Holder, key, type: Type):
        key = key if holder.exact else NOTHING
        old = holder.given.get(key, UNDEFINED)
        new = self.join(old, type)
        if new != old:
            holder.given[key] = new
            self.changed = True

    def widen(self, holder: Holder, key, type: Type, varied: bool, given: Type | None = None):
        """Record that `holder` may hold a value of `type` under `key` (NOTHING: any key).

        given: its type where it is not None, if it may be None there.
        """
        if holder.exact and key is NOTHING:
            self.generalise(holder)
        self._give(holder, key, type if given is None else given)
        if varied and not holder.varied:
            holder.varied = self.changed = True
        if varied and holder.constant - holder.touched:
            reached = {key} if holder.exact and key is not NOTHING else holder.constant
            self.changed |= bool(reached & holder.constant - holder.touched)
            holder.touched |= reached
        if holder.exact and key is not NOTHING:
            old = holder.items.get(key, UNDEFINED)
            new = self.join(old, type)
            self._absorb(holder, new, old, type)
            if new != old:
                holder.items[key] = new
                self.changed = True
            if varied and isinstance(new, Opaque) and key not in holder.lost:
                holder.lost.add(key)
                self.changed = True
            return
        new = self.join(holder.element, type)
        self._absorb(holder, new, holder.element, type)
        if new != holder.element:
            holder.element = new
            self.changed = True
        if isinstance(new, Opaque) and varied and NOTHING not in holder.lost:
            holder.lost.add(NOTHING)
            self.changed = True

    def _absorb(self, holder: Holder, joined: Type, *parts: Type):
        """Remember the containers that the type of an element no longer tells."""
        lost = (
            {s for t in parts for s in sites_of_type(t)} - set(sites_of_type(joined))
            if isinstance(joined, Opaque)
            else set()
        )
        if not lost <= holder.absorbed:
            holder.absorbed |= lost
            self.changed = True

    def generalise(self, holder: Holder):
        """Stop telling the elements apart."""
        if holder.exact:
            if (
                holder.lost
                or isinstance(self.join_all([*holder.items.values()]), Opaque)
                and any(carries_derivative(t) for t in holder.items.values())
            ):
                holder.lost.add(NOTHING)
            items, statics = list(holder.items.values()), [v for k, v in holder.statics.items() if k is not NOTHING]
            holder.exact = False
            holder.items = {}
            holder.given = {NOTHING: self.join_all(holder.given.values())}
            holder.statics = {NOTHING: [*holder.statics.get(NOTHING, ()), *statics]} if holder.statics else {}
            joined = self.join_all([holder.element, *items])
            self._absorb(holder, joined, holder.element, *items)
            holder.element = joined
            self.changed = True


def sites_of_type(t: Type):
    if isinstance(t, Ref):
        yield t.site
    elif isinstance(t, Tup):
        for item in t.items:
            yield from sites_of_type(item)
