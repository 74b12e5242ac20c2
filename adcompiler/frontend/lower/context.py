"""State of one walk: frames, the environment, emitted statements, and facts about operands."""

from __future__ import annotations

import functools
import sysconfig
from dataclasses import replace
from pathlib import Path

from ...errors import Loc, MissingRuleError, UnsupportedSyntaxError, is_of_package
from ...ir.nodes import NOTHING, Assign, Const, Var
from ...ir.types import OPAQUE, Num, Opaque, Ref, Type, carries_derivative, type_of
from .alias_groups import Group
from .assumptions import Assumptions, sites_of_type
from .frames import Frame


class Context:
    """One walk over a function and the helpers it calls."""

    def __init__(self, assumptions: Assumptions):
        self.assumed = assumptions
        self.env: dict[tuple[int, str], Var] = {}
        self.blocks: list[list] = [[]]
        self.frames: list[Frame] = []
        self.uid = 0
        self.frames_made: dict = {}  # path -> how many frames of it there are in this walk
        self.unvalued = None  # the error of a read that has no value yet
        self.printed: dict[str, tuple] = {}  # printed name -> (frame, user name)
        self.globals: dict[tuple[int, str], Var] = {}
        self.guards: list = []
        self.stored_families: list = []  # in the order of the stores
        self.calls_in_progress: list = []
        self.holder_groups: dict = {}
        self.read_early: dict = {}  # list in the place of an iterator -> what it was made of
        self.copies_of_lists: dict = {}  # call -> {list: what it held then}
        self.changed_by_calls: dict = {}  # key of an instance -> the sites of the containers that its calls change
        self.reserved: set[str] = set()
        self.active_inputs: frozenset = frozenset()  # paths of the inputs with respect to which is differentiated
        self.constant_inputs: frozenset = frozenset()  # paths within them to numbers that carry no derivative
        self.loop_depth = 0
        self.depth_of_container: dict = {}  # site -> how many loops are around the place that makes it
        self.kept_frames: set[int] = set()  # frames whose variables a closure may still read
        self.prologue: list = []
        self.opaque_classes: dict = {}  # classes of arguments and globals about which nothing else is known
        self.implicit = False  # statements stand for what a loop header or a call binds
        self.varied_families: set[int] = set()
        self.instances: dict = {}  # key -> compiled function that recursive calls use
        self.walked: set = set()  # keys of the instances that were walked
        self.depth_of_instances = 0
        self.unreached = False  # some path was left out, for want of a recursive result
        self.taken_apart = False  # the next walk goes over other statements: what is noted of loops holds no more
        self.owned_frames = None  # numbers of the frames of the instance that is walked
        self.printed_globals: dict = {}  # global -> its spelling in every function of the module
        self.mirrored_sites: set = set()  # containers whose shadows go through every change (analysis.mirrored)
        self.shadow_groups: dict = {}  # alias groups of the arrays in tables of shadows
        self.strict = False  # derivatives inside have strict zeros
        self.carried = 0  # attempts around whose handlers read the exception
        self.caught: list = []  # the exceptions that the handlers of each attempt around take

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
        called_at = self.frame.called_at if node is self.frame.call else None
        return Loc(
            called_at.filename if called_at is not None else self.frame.filename,
            getattr(node, "lineno", 0),
            getattr(node, "col_offset", 0),
            getattr(node, "end_lineno", None),
            getattr(node, "end_col_offset", None),
            self.frame.name,
            self.frame.called_at if is_of_package(self.frame.filename) and called_at is None else None,
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

    def number_of_frame(self, path) -> int:
        """A number for a frame that is made here; a walk that leaves statements out gives the same ones."""
        base = self.owned_frames[0] if self.owned_frames is not None else 0
        made = self.frames_made[path] = self.frames_made.get(path, 0) + 1
        numbers = self.assumed.frame_numbers.setdefault(base, {})
        return base + numbers.setdefault((path, made), len(numbers) + 1)

    def site(self, node, kind="list") -> tuple:
        """The place of a container that is made here: all instances of a recursive function share it."""
        place = (*self.place(node), kind)
        if place[0] == "instance":
            place = ("recursion", self.assumed.same_function[place[1]], *place[2:])
        return self.assumed.site(place)

    # -- variables -------------------------------------------------------------------------------------------------
    def printed_name(self, name: str) -> str:
        """How a name of this frame, or of one around it, is spelt in generated code: as the user did, or with a number."""
        return self.printed_for(self.owner_of(name), name)

    def printed_for(self, frame, name: str) -> str:
        """How a name of one of the frames is spelt."""
        if name not in frame.renamed:
            frame.renamed[name] = self.spelt((frame.number, name))
        return frame.renamed[name]

    def spelt(self, key) -> str:
        """A spelling for the name of a frame that no other name has."""
        chosen, k = key[1], 0
        while chosen in self.reserved or self.printed.get(chosen, key) != key:
            k += 1
            chosen = f"{key[1]}_{k}"
        self.printed[chosen] = key
        return chosen

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

    def is_marked(self, var: Var) -> bool:
        """Is this an array into which an active value is stored later, as an earlier walk has seen?"""
        return not var.hidden and var.place in self.assumed.varied_places and carries_derivative(var.type)

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
        return (self.owner_of(name).number, name)

    def owner_of(self, name: str):
        """The frame to which a name of the current one belongs, following `nonlocal`."""
        frame = self.frame
        while name in frame.nonlocals and frame.enclosing is not None:
            frame = frame.enclosing
        return frame

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
        found, waiting = set(), [*sites_of_type(var.type), *var.absorbed]
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
        return {*sites_of_type(var.type), *var.absorbed}

    def absorb(self, target: Var, *sources):
        """Note the containers that a target of unknown kind may be, when it comes from these."""
        if isinstance(target.type, Opaque):
            found = [s for v in sources if isinstance(v, Var) for s in (*sites_of_type(v.type), *v.absorbed)]
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
