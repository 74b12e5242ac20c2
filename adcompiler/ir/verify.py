"""The IR verifier: what every pass may rely on, checked where `pipeline.switched(verify=True)` is on.

A broken rule is an error of the compiler, never of the user's program: `BrokenIR`, with the stage, the function and the
statement.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..analysis.alias import view_source
from .nodes import (
    Assign,
    Break,
    Call,
    Const,
    ContainerOp,
    Display,
    Effect,
    Function,
    GetAttr,
    GetItem,
    If,
    Loop,
    Phi,
    Raw,
    Segment,
    Slice,
    Starred,
    Store,
    Try,
    Unpack,
    UserCall,
    Var,
    With,
    blocks,
    operands,
)
from .types import Num, Ref, Tup, carries_derivative

_EXPRESSIONS = (Var, Const, Call, GetItem, GetAttr, Slice, Starred, Display, Raw)


class BrokenIR(AssertionError):
    """The compiler has broken one of its own rules. `stage`, `function` and `statement` say where."""

    def __init__(self, reason: str, *, stage: str = "", function: str = "", statement: object = None):
        self.reason, self.stage, self.function, self.statement = reason, stage, function, statement
        super().__init__(f"{reason} [after {stage or 'lowering'}, in '{function}', at {describe(statement)}]")


def describe(statement) -> str:
    """A statement in a few words: its kind, line and what it defines."""
    if statement is None:
        return "the result"
    loc = getattr(statement, "loc", None)
    where = f" in line {loc.lineno}" if loc is not None and loc.lineno else ""
    target = getattr(statement, "target", None) or getattr(statement, "base", None)
    return f"{type(statement).__name__}{where}" + (f" ({target!r})" if isinstance(target, Var) else "")


def verify(function: Function, layout=None, stage: str = "") -> None:
    """Check a lowered function; `BrokenIR` for the first rule that is broken.

    Every variable is defined once, and before its uses on every path; phis join values of their own two paths; nothing
    runs behind a `Break`; tuples and their components agree; arrays have alias groups. With a `layout`, it knows the
    place of every variable that is used.
    """
    _Verifier(function, layout, stage).run()


class _Verifier:
    def __init__(self, function, layout, stage):
        self.function, self.layout, self.stage = function, layout, stage
        self.ever: set[Var] = set()
        self.awaited: list = []

    def fail(self, reason, statement=None):
        raise BrokenIR(reason, stage=self.stage, function=self.function.name, statement=statement)

    def run(self):
        known: set[Var] = set()
        for v in (*self.function.params, *self.function.globals):
            self.define(v, known, None)
        self.block(self.function.body, known, in_loop=False)
        self.read(self.function.result, known, None)
        for v, s in self.awaited:
            if v not in self.ever:
                self.fail(f"{v!r} stands in a pattern, and nothing says what it is", s)

    # -- definitions and uses --------------------------------------------------------------------------------------
    def define(self, v, known, s, definition=None):
        if v is None:
            return
        if not isinstance(v, Var):
            self.fail(f"{v!r} is defined, which is not a variable", s)
        if v in self.ever:
            self.fail(f"{v!r} is defined a second time", s)
        if definition is not None and v.definition is not definition:
            self.fail(f"{v!r} names another statement as its definition: {describe(v.definition)}", s)
        self.ever.add(v)
        known.add(v)
        self.variable(v, s)

    def read(self, e, known, s):
        """An expression of known parts that reads defined variables only."""
        if e is None:
            return
        self.parts(e, s)
        for v in operands(e):
            if v not in known:
                self.fail(
                    f"{v!r} is read {'where it is not defined on every path' if v in self.ever else 'before it is defined'}",
                    s,
                )
            if self.layout is not None and v not in self.layout.home:
                self.fail(f"the layout does not know {v!r}", s)

    def parts(self, e, s):
        if not isinstance(e, _EXPRESSIONS):
            self.fail(f"{type(e).__name__} is no expression of the IR", s)
        inner: Iterable = ()
        if isinstance(e, Call):
            inner = (*e.args, *e.kwargs.values())
            if not (callable(e.function) or isinstance(e.function, (Var, Const, GetAttr)) or e.method):
                self.fail(f"a call of {e.function!r}", s)
        elif isinstance(e, GetItem):
            inner = (e.base, e.index)
        elif isinstance(e, GetAttr):
            inner = (e.base,)
        elif isinstance(e, Slice):
            inner = [p for p in (e.lower, e.upper, e.step) if p is not None]
        elif isinstance(e, Starred):
            inner = (e.value,)
        elif isinstance(e, Display):
            inner = (*e.keys, *e.items)
        elif isinstance(e, Raw):
            inner = e.names.values()
        for part in inner:
            self.parts(part, s)

    # -- variables -------------------------------------------------------------------------------------------------
    def variable(self, v: Var, s):
        t = v.type
        if isinstance(t, Tup):
            if v.items is not None and len(v.items) != len(t.items):
                self.fail(f"{v!r} has {len(v.items)} components, its type {len(t.items)}", s)
            for item, part in zip(v.items or (), t.items, strict=True) if v.items is not None else ():
                if not _compatible(item.type, part):
                    self.fail(f"component {item!r} of {v!r} has the type {item.type}, not {part}", s)
        elif v.items is not None:
            self.fail(f"{v!r} has components, but the type {t}", s)
        if isinstance(t, (Num, Ref)) and v.group is None:
            self.fail(f"{v!r} has no alias group", s)
        if isinstance(t, Num) and t.dims is not None and (t.rank is None or len(t.dims) != t.rank):
            self.fail(f"{v!r} has {len(t.dims)} extents and the rank {t.rank}", s)
        if isinstance(t, Num) and t.boxed is False and t.rank not in (0, None):
            self.fail(f"{v!r} is a number of rank {t.rank}", s)
        if v.active and isinstance(t, Num) and not carries_derivative(t):
            self.fail(f"{v!r} is active, but its type {t} carries no derivative", s)
        if v.tied and view_source(v) is None:
            self.fail(f"{v!r} is tied, but looks into no other array", s)

    def copies(self, target: Var, source, s):
        """`target = source` between operands: the types must be those of one value."""
        if isinstance(source, Var) and not _compatible(source.type, target.type):
            self.fail(f"{target!r} of type {target.type} is a copy of {source!r} of type {source.type}", s)

    # -- statements ------------------------------------------------------------------------------------------------
    def block(self, block, known, in_loop):
        for at, s in enumerate(block):
            method = getattr(self, "_" + type(s).__name__.lower(), None)
            if method is None:
                self.fail(f"{type(s).__name__} is no statement of the IR", s)
            if at + 1 < len(block) and leaves(s):
                self.fail("something stands behind an exit of its loop", block[at + 1])
            method(s, known, in_loop)

    def _assign(self, s: Assign, known, in_loop):
        self.read(s.value, known, s)
        self.define(s.target, known, s, s)
        if isinstance(s.value, Var):
            self.copies(s.target, s.value, s)

    def _unpack(self, s: Unpack, known, in_loop):
        self.read(s.value, known, s)
        for _, source in s.pairs:
            self.read(source, known, s)
        pattern, targets = list(pattern_variables(s.pattern)), {t for t, _ in s.pairs}
        if not targets <= set(pattern):
            self.fail("an unpacking whose pattern lacks one of its targets", s)
        self.awaited.extend((v, s) for v in pattern if v not in targets)  # implicit reads behind it define these
        for target, source in s.pairs:
            self.define(target, known, s, s)
            self.copies(target, source, s)

    def _store(self, s: Store, known, in_loop):
        printed = s.printed[2:] if isinstance(s.printed, tuple) else (s.printed,)
        for e in (s.base, s.index, s.value, *printed):
            self.read(e, known, s)

    def _containerop(self, s: ContainerOp, known, in_loop):
        for e in (s.base, s.key, s.value, s.printed):
            self.read(e, known, s)
        self.define(s.target, known, s, s)

    def _effect(self, s: Effect, known, in_loop):
        for e in s.names.values():
            self.read(e, known, s)
        for v in s.writes.values():
            self.define(v, known, s, s)

    def _usercall(self, s: UserCall, known, in_loop):
        for a in s.args:
            self.read(a, known, s)
        self.define(s.target, known, s, s)
        self.define(s.tape, known, s, s)

    def _if(self, s: If, known, in_loop):
        self.read(s.test, known, s)
        for side, block in (("then", s.then), ("orelse", s.orelse)):
            inside = set(known)
            self.block(block, inside, in_loop)
            self.sources(s.phis, side, inside, s)
        for phi in s.phis:
            self.define(phi.target, known, s, phi)

    def sources(self, phis, side, known, s):
        """The values that phis take on one path are defined on that path."""
        for phi in phis:
            if not isinstance(phi, Phi):
                self.fail(f"{type(phi).__name__} among the phis", s)
            source = getattr(phi, side)
            if source is None:
                continue
            if not isinstance(source, Var) or source not in known:
                self.fail(f"the phi of {phi.target!r} takes {source!r}, which is not defined on that path", s)
            if source.const is None:  # no value yet, where generated code reads none
                continue
            if not _compatible(source.type, phi.target.type):
                self.fail(
                    f"the phi of {phi.target!r} of type {phi.target.type} takes {source!r} of type {source.type}", s
                )

    def _loop(self, s: Loop, known, in_loop):
        for e in (*s.bounds, s.length, s.header[1] if s.header is not None else None):
            self.read(e, known, s)
        if s.checkpoints is not None:
            for e in s.checkpoints.options.values():
                self.read(e, known, s)
            self.define(s.checkpoints.store, known, s, s)
        self.sources(s.phis, "then", known, s)
        inside = set(known)
        for phi in s.phis:
            self.define(phi.target, inside, s, phi)
        head = set(inside)
        self.define(s.index, inside, s)
        for v in pattern_variables(s.header[0]) if s.header is not None else ():
            if v.definition == "loop" and v not in inside:
                self.define(v, inside, s)
        if s.kind == "while":
            self.block(s.test_block, inside, in_loop=False)
            self.read(s.test, inside, s)
        elif s.kind not in ("range", "sequence", "opaque"):
            self.fail(f"a loop of kind {s.kind!r}", s)
        self.block(s.body, inside, in_loop=True)
        if s.breaks != any(leaves(i) for i in s.body):
            self.fail("a loop that does not say whether it breaks", s)
        self.sources(s.phis, "orelse", inside, s)
        self.sources(s.exits, "then", head, s)
        for phi in s.exits:
            self.define(phi.target, known, s, phi)

    def _break(self, s: Break, known, in_loop):
        if not in_loop:
            self.fail("a break outside every loop", s)

    def _with(self, s: With, known, in_loop):
        for context, target in s.items:
            self.read(context, known, s)
            self.define(target, known, s)
        self.block(s.body, known, in_loop)

    def _segment(self, s: Segment, known, in_loop):
        self.define(s.store, known, s)
        self._with(s, known, in_loop)

    def _try(self, s: Try, known, in_loop):
        """An attempt: like a branch whose test, read behind it, tells whether `then` has run to its end."""
        for side, block in (("then", s.then), ("orelse", s.orelse)):
            inside = set(known)
            self.block(block, inside, in_loop)
            self.sources(s.phis, side, inside, s)
        for types, _, _ in s.clauses:
            self.read(types, known, s)
        for phi in s.phis:
            self.define(phi.target, known, s, phi)
        self.read(s.test, known, s)


def leaves(s) -> bool:
    """May control leave the enclosing loop inside this statement?"""
    if isinstance(s, Break):
        return True
    return not isinstance(s, Loop) and any(leaves(inner) for block in blocks(s) for inner in block)


def pattern_variables(pattern) -> Iterable[Var]:
    """The variables of a target pattern, left to right."""
    if isinstance(pattern, Var):
        yield pattern
    elif isinstance(pattern, tuple):
        for p in pattern:
            yield from pattern_variables(p)


def _compatible(t, wider) -> bool:
    """May a value of type `t` be one of type `wider`, which knows less or the same?"""
    if isinstance(t, Num) and isinstance(wider, Num):
        if wider.kind != "?" and t.kind != wider.kind and not (t.kind in "bif" and wider.kind in "ifc"):
            return False
        return all(w is None or n is None or w == n for n, w in ((t.rank, wider.rank), (t.boxed, wider.boxed)))
    if isinstance(t, Tup) and isinstance(wider, Tup):
        return len(t.items) == len(wider.items) and all(
            _compatible(a, b) for a, b in zip(t.items, wider.items, strict=True)
        )
    if isinstance(t, Ref) and isinstance(wider, Ref):
        return t.kind == wider.kind
    return not isinstance(wider, (Num, Tup, Ref))


__all__ = ["BrokenIR", "describe", "leaves", "pattern_variables", "verify"]
