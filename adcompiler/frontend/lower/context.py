"""State of one walk: frames of inlined calls, the environment, alias groups, the heap summary, emitted statements."""

from __future__ import annotations

import ast
import functools
import sysconfig
from dataclasses import dataclass, field, replace
from pathlib import Path
from functools import reduce

from ...errors import Loc, MissingRuleError, UnsupportedSyntaxError
from ...ir.nodes import NOTHING, Assign, Const, Var
from ...ir.types import OPAQUE, UNDEFINED, Num, Opaque, Ref, Tup, Type, carries_derivative, join, type_of


class Family:
    """Variables that may share memory at one time or another (coarser than a group): what a store may change."""

    __slots__ = ("parent", "stored", "escaped", "external", "opaque")

    def __init__(self):
        self.parent = None
        self.stored = False  # written in place somewhere
        self.escaped = False  # also reachable through a container
        self.external = False  # the caller holds it
        self.opaque = False  # handed to a call that may write it

    def find(self) -> Family:
        family = self
        while family.parent is not None:
            family = family.parent
        return family

    def merge(self, other: Family) -> Family:
        a, b = self.find(), other.find()
        if a is not b:
            b.parent = a
            for flag in ("stored", "escaped", "external", "opaque"):
                setattr(a, flag, getattr(a, flag) or getattr(b, flag))
        return a


class Group:
    """An alias group: variables of one group may share memory now. Groups merge (union-find) and never split."""

    __slots__ = ("parent", "own_family", "container")

    def __init__(self, family=None):
        self.parent = None
        self.own_family = family or Family()
        self.container = False  # an element of a container: its memory is found by identity

    def find(self) -> Group:
        group = self
        while group.parent is not None:
            group = group.parent
        return group

    def merge(self, other: Group) -> Group:
        a, b = self.find(), other.find()
        if a is not b:
            b.parent = a
            a.own_family.merge(b.own_family)
            a.container |= b.container
        return a

    @property
    def family(self) -> Family:
        return self.find().own_family.find()


@dataclass
class Holder:
    """What a list, dict or object that one place makes holds: types by key where keys are constant, else one type."""

    kind: str
    cls: object = None
    items: dict = field(default_factory=dict)  # key or attribute -> Type
    exact: bool = True  # items is complete; else `element` speaks for all
    element: Type = UNDEFINED
    varied: bool = False
    keys: Type = UNDEFINED
    statics: dict = field(default_factory=dict)  # key -> known object (functions in lists and attributes)
    lost: set = field(default_factory=set)  # keys of active values of which no type is known (NOTHING: any)
    lengths: set = field(default_factory=set)  # of the lists that displays make here
    constant: set = field(default_factory=set)  # keys under which the caller says that there is no derivative
    touched: set = field(default_factory=set)  # of these, where the program puts something active
    extra: object = None  # the length of a deque, or what makes the defaults of a defaultdict
    absorbed: set = field(default_factory=set)  # sites of containers among elements of unknown kind

    def types(self):
        return list(self.items.values()) if self.exact else [self.element]

    def is_constant(self, key) -> bool:
        """Does the caller say, and the program agree, that what is under `key` (NOTHING: any key) has no derivative?"""
        return self.exact and key is not NOTHING and key in self.constant and key not in self.touched

    def sites(self) -> set:
        """The sites of the containers that it may hold."""
        return {s for t in self.types() for s in _sites(t)} | self.absorbed


class Frame:
    """One function being walked: the root, or a helper walked in the place of its call."""

    def __init__(self, number, source, parent=None, enclosing=None, cells=None, path=()):
        self.number, self.source, self.parent, self.path = number, source, parent, path
        self.enclosing = enclosing  # the frame in which a nested function was defined
        self.cells = cells or {}
        self.globals = source.function.__globals__ if source is not None else {}
        self.filename = source.filename if source is not None else "<unknown>"
        self.name = source.qualname if source is not None else ""
        self.locals = set()
        self.nonlocals = set()
        self.global_names = set()
        self.outer_cells = set()  # nonlocal names of the function that made the differentiated one
        self.renamed = {}
        self.live_after = {}  # id(statement) -> names read later
        self.live_head = {}  # id(loop) -> names read at or after its head
        self.always_live = set()  # names that nested functions read
        self.definition = None  # the syntax tree of the function
        self.called_at = None  # where the caller's source calls it
        self.rewritten = {}  # id(loop) -> its form with the test inside
        self.evaluated = {}  # id(iterable of a loop) -> its value
        self.statement = None  # the statement being lowered
        self.live_now = None  # names live behind it

    @property
    def bound_again(self) -> set[str]:
        """Names that any statement of this function, or of one inside it, binds."""
        return {n.id for n in ast.walk(self.definition) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}

    @property
    def rebound_inside(self) -> set[str]:
        """Names that an expression of this function may bind: by `:=`, or in a nested function by `nonlocal`."""
        found = _REBOUND.get(id(self.definition))
        if found is None or found[0] is not self.definition:
            names = set()
            for n in ast.walk(self.definition) if self.definition is not None else ():
                if isinstance(n, ast.NamedExpr):
                    names.add(n.target.id)
                elif isinstance(n, ast.Nonlocal):
                    names.update(n.names)
            if len(_REBOUND) > 5000:
                _REBOUND.clear()
            found = _REBOUND[id(self.definition)] = (self.definition, names)
        return found[1]


_REBOUND: dict = {}


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
        self.lifted = {}  # functions of the program that were lifted, by what they are made of
        self.derivatives = {}  # derivatives of them
        self.written = {}  # sources of derivatives, by the types of their calls
        self.constants = {}  # containers of objects known at compile time, kept between walks
        self.tries = {}  # function -> places of the tries that are taken apart; "apart" where pieces stay single
        self.stored_outside = {}  # places of globals and cells that the program assigns -> type of what it stores
        self.varied_places = set()  # variables of arrays into which something active is stored later
        self.same_site = {}  # site of a container -> the site that stands for it
        self.read_first = set()  # element updates whose right side changes the array: the old value is read before
        self.walked_in_place = set()  # calls and comprehensions that look inactive here but are not (`Activity.walk_in_place`)
        self.tests_inside = set()  # loops whose test does more than give a value: it is evaluated inside the body
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
        a.varied |= b.varied
        a.absorbed |= b.absorbed
        self._absorb(a, a.element, *b.types())
        a.lengths |= b.lengths
        a.keys = join(a.keys, b.keys)
        for key, value in b.statics.items():
            if key == "*":
                a.statics.setdefault("*", []).extend(value)
            elif not a.exact:
                a.statics.setdefault("*", []).append(value)
            else:
                a.statics[key] = value if key not in a.statics or a.statics[key] is value else None
        for holder in self.holders.values():
            holder.items = {k: self.current(t) for k, t in holder.items.items()}
            holder.element, holder.keys = self.current(holder.element), self.current(holder.keys)
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

    def widen(self, holder: Holder, key, type: Type, varied: bool):
        """Record that `holder` may hold a value of `type` under `key` (NOTHING: any key)."""
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
        if holder.exact:
            self.generalise(holder)
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
        lost = {s for t in parts for s in _sites(t)} - set(_sites(joined)) if isinstance(joined, Opaque) else set()
        if not lost <= holder.absorbed:
            holder.absorbed |= lost
            self.changed = True

    def generalise(self, holder: Holder):
        """Stop telling the elements apart."""
        if holder.exact:
            if holder.lost or isinstance(self.join_all([*holder.items.values()]), Opaque) and any(
                carries_derivative(t) for t in holder.items.values()
            ):
                holder.lost.add(NOTHING)
            items, statics = list(holder.items.values()), [v for k, v in holder.statics.items() if k != "*"]
            holder.exact = False
            holder.items = {}
            holder.statics = {"*": [*holder.statics.get("*", ()), *statics]} if holder.statics else {}
            joined = self.join_all([holder.element, *items])
            self._absorb(holder, joined, holder.element, *items)
            holder.element = joined
            self.changed = True


class Context:
    """One walk over a function and the helpers it calls."""

    def __init__(self, assumptions: Assumptions):
        self.assumed = assumptions
        self.env: dict[tuple[int, str], Var] = {}
        self.blocks: list[list] = [[]]
        self.frames: list[Frame] = []
        self.uid = 0
        self.frame_count = 0
        self.printed: dict[str, tuple] = {}  # printed name -> (frame, user name)
        self.globals: dict[tuple[int, str], Var] = {}
        self.guards: list = []
        self.stored_families: list = []  # in the order of the stores
        self.calls_in_progress: list = []
        self.holder_groups: dict = {}
        self.copies_of_lists: dict = {}  # call -> {list: what it held then}
        self.reserved: set[str] = set()
        self.active_inputs: frozenset = frozenset()  # paths of the inputs with respect to which is differentiated
        self.constant_inputs: frozenset = frozenset()  # paths within them to numbers that carry no derivative
        self.loop_depth = 0
        self.kept_frames: set[int] = set()  # frames whose variables a closure may still read
        self.prologue: list = []
        self.opaque_classes: dict = {}  # classes of arguments and globals about which nothing else is known
        self.implicit = False  # statements stand for what a loop header or a call binds
        self.varied_families: set[int] = set()
        self.instances: dict = {}  # key -> compiled function that recursive calls use
        self.walked: set = set()  # keys of the instances that were walked
        self.depth_of_instances = 0
        self.unreached = False  # some path was left out, for want of a recursive result
        self.owned_frames = None  # numbers of the frames of the instance that is walked
        self.printed_globals: dict = {}  # global -> its spelling in every function of the module
        self.mirrored_sites: set = set()  # containers whose shadows go through every change (analysis.mirrored)
        self.shadow_groups: dict = {}  # alias groups of the arrays in tables of shadows
        self.strict = False  # derivatives inside have strict zeros
        self.carried = 0  # attempts around whose handlers read the exception

    @property
    def stores(self) -> int:
        """How many stores there have been."""
        return len(self.stored_families)

    def note_store(self, *operands):
        """Memory of these operands may have been changed here."""
        for operand in operands:
            if isinstance(operand, Var) and operand.group is not None:
                self.stored_families.append(operand.group.family)

    # -- places ----------------------------------------------------------------------------------------------------
    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def loc(self, node) -> Loc:
        return Loc(
            self.frame.filename,
            getattr(node, "lineno", 0),
            getattr(node, "col_offset", 0),
            getattr(node, "end_lineno", None),
            getattr(node, "end_col_offset", None),
            self.frame.name,
        )

    def user_loc(self, node, reason) -> tuple[Loc, str]:
        """Where the user can do something about an error: inside a library's code that is the call that led there."""
        loc = self.loc(node)
        if not is_library(loc.filename):
            return loc, reason
        for frame in reversed(self.frames):
            if frame.called_at is not None and not is_library(frame.called_at.filename):
                return frame.called_at, f"{reason} (inside the library function '{frame.name}', which is called here)"
        return loc, reason

    def unsupported(self, node, reason, hint=""):
        loc, told = self.user_loc(node, reason)
        if told != reason:
            hint = "give the library function a rule of its own with ad.register_vjp, or write it with operations that have rules"
        raise UnsupportedSyntaxError(
            told, loc, hint=hint or "write it with operations that have rules, or keep the active value out of it"
        )

    def missing_rule(self, node, name, hint=""):
        reason = f"no derivative rule for {name}, which is called with an active value"
        loc, told = self.user_loc(node, reason)
        if told != reason:
            reason, hint = (
                told,
                hint
                or "give the library function a rule of its own with ad.register_vjp, or write it with operations that have rules",
            )
        raise MissingRuleError(
            reason,
            loc,
            hint=hint
            or f"give it one: ad.register_vjp({name.rsplit('.', 1)[-1]}, vjp) with "
            "vjp(y_bar, y, *args) -> one adjoint per argument; or @ad.rule",
        )

    def place(self, node) -> tuple:
        """A name for a place in the program that is the same in every walk."""
        return (
            *self.frame.path,
            getattr(node, "lineno", 0),
            getattr(node, "col_offset", 0),
            getattr(node, "end_lineno", 0),
            getattr(node, "end_col_offset", 0),
            type(node).__name__,
        )

    def site(self, node, kind="list") -> tuple:
        """The place of a container that is made here: all instances of a recursive function share it."""
        place = (*self.place(node), kind)
        if place[0] == "instance":
            place = ("recursion", self.assumed.same_function[place[1]], *place[2:])
        return self.assumed.site(place)

    # -- variables -------------------------------------------------------------------------------------------------
    def printed_name(self, name: str) -> str:
        """How a name of this frame is spelt in generated code: as the user did, or with a number."""
        frame = self.frame
        if name not in frame.renamed:
            chosen, k = name, 0
            while chosen in self.reserved or self.printed.get(chosen, (frame.number, name)) != (frame.number, name):
                k += 1
                chosen = f"{name}_{k}"
            self.printed[chosen] = (frame.number, name)
            frame.renamed[name] = chosen
        return frame.renamed[name]

    def printed_in(self, name: str) -> str:
        """The spelling of a name that belongs to an enclosing frame."""
        var = self.env.get(self.key(name))
        if var is not None:
            return var.name
        frames, self.frames = self.frames, [f for f in self.frames if f.number == self.key(name)[0]] or self.frames
        try:
            return self.printed_name(name)
        finally:
            self.frames = frames

    def new_var(self, name, type=OPAQUE, node=None, hidden=False) -> Var:
        self.uid += 1
        var = Var(name, type, uid=self.uid, hidden=hidden)
        if node is not None:
            var.loc = self.loc(node)
            var.place = (name, *self.place(node))
            var.varied = var.place in self.assumed.varied_places and not hidden
        if isinstance(type, (Num, Ref)):
            var.group = Group()
        if isinstance(type, Num) and type.rank and type.boxed is not False:
            var.type = named_extents(type, self.uid)
        return var

    def mark_varied(self, var: Var):
        """An active value is stored into this array: in the next walk it is active from its definition on."""
        var.varied = True
        if var.place is not None and var.place not in self.assumed.varied_places:
            self.assumed.varied_places.add(var.place)
            self.assumed.changed = True

    def temporary(self, type, node) -> Var:
        return self.new_var("t", type, node, hidden=True)

    def emit(self, statement):
        self.blocks[-1].append(statement)

    def assign_temporary(self, value, type, node, *, varied=False, const=NOTHING) -> Var:
        """Emit `t = value` and return `t`."""
        t = self.temporary(type, node)
        t.varied, t.const = varied, const
        statement = Assign(t, value, loc=self.loc(node), implicit=self.implicit)
        t.definition = statement
        self.emit(statement)
        return t

    def key(self, name: str) -> tuple[int, str]:
        """The environment key of a name in the current frame, following `nonlocal`."""
        frame = self.frame
        while name in frame.nonlocals and frame.enclosing is not None:
            frame = frame.enclosing
        return (frame.number, name)

    def bind(self, name: str, var: Var):
        self.env[self.key(name)] = var

    def find_name(self, name: str) -> Var | None:
        """The variable that a name means here, through enclosing functions; None for globals and builtins."""
        frame = self.frame
        while frame is not None:
            found = self.env.get((frame.number, name))
            if found is not None:
                return found
            if name in frame.locals and frame is self.frame and name not in frame.nonlocals:
                return None
            self.check_reachable(frame, name)
            frame = frame.enclosing
        return None

    def check_reachable(self, frame, name):
        """Inside a recursive function, variables of functions around it are there only if they were handed over."""
        if (
            self.owned_frames is not None
            and name in frame.locals
            and not self.owned_frames[0] <= frame.number < self.owned_frames[1]
        ):
            self.unsupported(
                frame.statement or self.frame.definition,
                f"'{name}' of an enclosing function is read in a recursion through a stored function",
                f"pass '{name}' as an argument",
            )

    def is_live(self, key) -> bool:
        """May the name be read later? True for what is not known."""
        number, name = key
        for frame in self.frames:
            if frame.number == number:
                return (
                    frame.live_now is None
                    or name in frame.live_now
                    or name in frame.always_live
                    or name in frame.rebound_inside
                )
        return (
            any(f.enclosing is not None and f.enclosing.number == number for f in self.frames)
            or number in self.kept_frames
        )

    # -- facts about operands --------------------------------------------------------------------------------------
    def type(self, operand) -> Type:
        if isinstance(operand, Var):
            return operand.type
        if isinstance(operand, Const):
            return type_of(operand.value)
        return OPAQUE

    def constant(self, operand):
        """The value of an operand if it is known at compile time, else NOTHING."""
        if isinstance(operand, Const):
            return operand.value
        if isinstance(operand, Var):
            if operand.const is not NOTHING:
                return operand.const
            if operand.items is not None:
                values = [self.constant(i) for i in operand.items]
                if all(v is not NOTHING for v in values):
                    return tuple(values)
        return NOTHING

    def varied(self, operand) -> bool:
        if isinstance(operand, Var):
            if isinstance(operand.type, Ref):
                return self.varied_site(operand.type.site, set())
            if operand.items is not None:
                return any(self.varied(i) for i in operand.items)
            if operand.const is not NOTHING and hasattr(operand.const, "captured"):
                return any(self.varied(o) for o in operand.const.captured(self, set()))
            return operand.varied or any(self.varied_site(s, set()) for s in operand.absorbed)
        return False

    def sites_within(self, var) -> set:
        """The sites of a container and of all containers inside it."""
        found, waiting = set(), [*_sites(var.type), *var.absorbed]
        while waiting:
            site = waiting.pop()
            if site not in found:
                found.add(site)
                holder = self.assumed.holders.get(site)
                waiting += holder.sites() if holder is not None else ()
        return found

    def element_families(self, var) -> list:
        """The alias families of the arrays that a container holds, directly or inside others."""
        groups = [self.holder_groups.get(("elements", site)) for site in self.sites_within(var)]
        return [g.family for g in groups if g is not None]

    def holds_shadowed(self, var, shadowed) -> bool:
        """Are the adjoints of the arrays inside a container found by identity?"""
        return any(id(f) in shadowed for f in self.element_families(var))

    def varied_site(self, site, seen) -> bool:
        if site in seen:
            return False
        seen.add(site)
        holder = self.assumed.holders.get(site)
        if holder is None:
            return False
        return holder.varied or any(self.varied_site(s, seen) for s in holder.sites())

    def sites_of(self, var) -> set:
        """The sites of the containers that a variable may be."""
        return {*_sites(var.type), *var.absorbed}

    def absorb(self, target: Var, *sources):
        """Note the containers that a target of unknown kind may be, when it comes from these."""
        if isinstance(target.type, Opaque):
            found = [s for v in sources if isinstance(v, Var) for s in (*_sites(v.type), *v.absorbed)]
            target.absorbed = target.absorbed | frozenset(found)


@functools.cache
def is_library(filename: str) -> bool:
    """Is this a file of the standard library or of an installed package?"""
    parts = Path(filename).parts
    return filename.startswith(sysconfig.get_paths()["stdlib"]) or "site-packages" in parts or "dist-packages" in parts


def named_extents(t: Num, uid: int) -> Num:
    """The type with a token of the variable's own for each extent that nothing is known of."""
    dims = t.dims if t.dims is not None else (None,) * t.rank
    if None not in dims:
        return t
    return replace(t, dims=tuple(("of", uid, k) if d is None else d for k, d in enumerate(dims)))


def _sites(t: Type):
    if isinstance(t, Ref):
        yield t.site
    elif isinstance(t, Tup):
        for item in t.items:
            yield from _sites(item)


def assigned_names(body) -> set[str]:
    """Names that a block binds (not inside nested functions and comprehensions, but `:=` there counts)."""
    found = set()

    def visit(node, inside=False):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if not inside:
                found.add(node.name)
            return
        if isinstance(node, ast.Lambda):
            return
        comprehension = isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp))
        if isinstance(node, ast.NamedExpr):
            found.add(node.target.id)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)) and not inside:
            found.add(node.id)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).split(".")[0])
        for child in ast.iter_child_nodes(node):
            visit(child, inside or comprehension)

    for statement in body:
        visit(statement)
    return found


def names_used(node) -> set[str]:
    """Names that a tree reads, nested functions included."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


__all__ = ["Assumptions", "Context", "Family", "Frame", "Group", "Holder", "assigned_names", "names_used"]
