"""Code of segments and checkpointed loops: what the forward sweep keeps of them, and how they are run again in reverse.

A segment is printed as it stands, behind a copy of the memory that it changes. In reverse that is put back, the block
is printed once more, now with what its adjoint keeps, and the adjoint of the block follows. Of a checkpointed loop the
forward sweep carries out the first part of a schedule, the reverse sweep the second; both are a loop over the actions
of the schedule with a branch for each kind.
"""

from __future__ import annotations

import ast

from ..errors import UnsupportedSyntaxError
from ..ir.nodes import Loop, Var, With, operands
from ..ir.types import Num, Ref
from ..runtime.checkpointed import CheckpointedLoop
from ..runtime.contents import can_be_put_back, contents, unchanged
from ..transform.bars import unique
from ..transform.code import (
    Branch,
    Enter,
    Line,
    Needed,
    Repeat,
    Replay,
    Verbatim,
    attribute,
    call,
    clone,
    constant,
    inner_blocks,
    lines,
    name,
    needed,
    nodes_in,
    subscript,
)
from ..transform.code import expressions as expressions_of
from ..transform.exposed import assigned_in, exposed_names
from ..transform.keeping import preset
from ..transform.loop_adjoints import reversed_loop
from ..transform.primal_operands import need_operand, stands_alone
from ..transform.rerun import memory_of, obstacle_of
from ..transform.rerun_objects import holders_of_objects, to_be_looked_at
from ..transform.scope_saver import ScopeSaver
from ..transform.simplify import simplify
from .primal import PrimalNames, PrimalPrinter
from .releasing import TapeNames, held_here, segment_end


def resolve_replays(saver, code):
    """Replace every `Replay` in reverse code by the new run and the adjoint lines, ready for `saver`."""
    out = []
    for item in code:
        if isinstance(item, Replay):
            reason = obstacle_of(saver, item.statement)
            if reason is not None:
                out.extend(taped(saver, item, *reason))
                continue
            scope = (LoopScope if isinstance(item.statement, Loop) else SegmentScope)(saver, item)
            saver.b.settled.add(item.statement)
            if scope.needs_nothing():
                out.extend(scope.without_replay())
                continue
            saver.b.scopes[item.statement] = scope
            scope.find_state()
            out.extend(scope.reverse())
        else:
            for inner in inner_blocks(item):
                resolve_replays(saver, inner)
            out.append(item)
    code[:] = out


def taped(saver, item, loc, reason, hint) -> list:
    """The reverse of what cannot run again: taped as everything else, if it was not the user who marked it."""
    s = item.statement
    if not (s.checkpoints.is_automatic if isinstance(s, Loop) else s.is_automatic):
        raise UnsupportedSyntaxError(
            f"{reason}, and this is run again in the reverse sweep",
            loc,
            hint=hint,
        )
    code = [reversed_loop(saver.b, s, item.body)] if isinstance(s, Loop) else item.body
    resolve_replays(saver, code)
    return code


class ScopeNames(PrimalNames):
    """Spelling inside a scope: variables from outside as the code around spells them."""

    def __init__(self, around, function, layout, namer, taken):
        super().__init__(function, layout, namer, taken)
        self.around, self.outside = around, set(function.params)
        for s in function.body:  # what a loop carries has the same names on every run
            if isinstance(s, Loop):
                self.outside |= {phi.target for phi in s.phis}

    def name(self, v):
        return self.around.name(v) if v in self.outside else super().name(v)

    def read(self, e):
        return self.around.read(e) if isinstance(e, Var) and e in self.outside else super().read(e)


class ScopePrinter(PrimalPrinter):
    """Prints a scope: taped, or with `plain` without anything that the adjoint keeps; `again` is any run but the first."""

    def __init__(self, scope, names, *, plain, again):
        from ..transform.tape_sites import Insertions

        saver = scope.saver
        insertions = Insertions() if plain else saver.insert
        super().__init__(saver.function, names, insertions, saver.b.namer)
        self.scopes = {} if plain else saver.b.scopes
        self.plain, self.again, self.cx = plain, again, saver.b.cx
        self.loops = 0 if isinstance(scope, SegmentScope) else 1  # of this scope, around what is being printed

    def block(self, block):
        for s in block:
            self.out.extend(fresh(self.insert.before.get(s, ())))
            self.statement(s)
            self.out.extend(fresh(self.insert.after.get(s, ())))

    def _assign(self, s):
        for v in to_be_looked_at(self.cx, s):
            self.line(s, None, call(self.namer.object(can_be_put_back), self.names.read(v)), keep=True)
        super()._assign(s)

    def print_loop(self, s, first=()):
        self.loops += 1
        super().print_loop(s, first)
        self.loops -= 1

    def _break(self, s):
        if self.loops or not self.again:  # the last trip of a loop around is left by itself: nothing runs behind
            super()._break(s)

    def loop_head(self, s):
        return fresh(self.insert.head.get(s, ()))


def fresh(code) -> list:
    """The same lines once more: every place where they are printed has its own."""
    return [
        Line(None if i.target is None else clone(i.target), clone(i.value), i.op, i.loc, i.hidden, i.keep) for i in code
    ]


CONTESTED = object()  # several replays bind the name to different values


class Scope:
    """One segment or checkpointed loop.

    state: names that must be put back before a new run; kept: variables whose memory is copied in front of it.
    """

    def __init__(self, outer, item):
        self.outer, self.statement, self.loc = outer, item.statement, item.loc
        self.b, self.namer, self.taken = outer.b, outer.b.namer, outer.taken
        self.saver = ScopeSaver(outer, self.statement, item.body, self.make_names)
        resolve_replays(self.saver, item.body)
        self.saver.run()
        self.adjoint = item.body

    def make_names(self, function, layout):
        return ScopeNames(self.outer.names, function, layout, self.namer, self.taken)

    def new_names(self):
        return self.make_names(self.saver.function, self.saver.layout)

    # -- what a new run needs --------------------------------------------------------------------------------------
    def names_read(self) -> set[str]:
        """Names that the adjoint reads, but for those of values from outside."""
        return {
            n.id
            for item in lines(self.adjoint)
            for e in expressions_of(item)
            for n in nodes_in(e)
            if isinstance(n, ast.Name) and not isinstance(n, Needed)
        }

    def from_outside(self):
        """Values from outside that the adjoint reads as they are in front of the scope, or while it runs."""
        return {**self.saver.read_outside, **self.saver.held, **self.saver.repeated}

    def find_state(self):
        """Which names and which memory a new run needs; fixes what of it is live behind one."""
        self.live = self.names_read()
        self.reads = self.variables_by_name()
        while True:
            code = self.everything_that_runs()
            written = assigned_in(code)
            found = exposed_names(code)
            state = sorted(n for n in found & written if n in self.reads)
            if set(state) <= self.live:
                break
            self.live |= set(state)
        self.written, self.state = written, state
        wanted = [self.reads[n] for n in sorted(found) if n in self.reads]
        wanted += [v for v in self.saver.outside if v.definition == "global"]
        wanted += [*self.run_over(), *self.saver.read_outside, *self.saver.held]
        wanted = [part for v in wanted for part in _with_components(v)]
        self.kept, self.generators = memory_of(self.saver, self.one_of_each_name(wanted))
        found = found | {n for v in [*self.kept, *self.saver.read_outside] for n in self.names_in(v)}
        self.needed = {n: v for n, v in sorted(self.reads.items()) if n in found and n not in written}
        self.entering = self.values_on_entry()
        later = [v for v in wanted if self.saver.memory.is_array(v) and self.saver.changed_later(v)]
        later += [v for v in wanted if isinstance(v.type, Ref) and self.saver.container_changes_later(v)]
        if self.outer.memory.objects.may_follow(self.statement):
            holding = holders_of_objects(self.saver, self.saver.layout.statements)
            later += [v for v in wanted if v in holding]
        self.later = list(dict.fromkeys([*later, *sorted(self.saver.repeated, key=lambda v: v.uid)]))
        self.reserve()

    def values_on_entry(self) -> dict:
        """What a loop carries under a name that it never binds (a list, behind `v += [...]`) -> what it begins with."""
        phis = self.statement.phis if isinstance(self.statement, Loop) else []
        return {phi.target: phi.then for phi in phis if isinstance(phi.then, Var)}

    def one_of_each_name(self, variables):
        """Without variables that have, where the scope begins, the name of another one."""
        return [
            v
            for v in dict.fromkeys(variables)
            if v.hidden or v in self.saver.held or v is self.reads.get(v.name, v)
        ]

    def names_in(self, v):
        return [n.id for n in ast.walk(self.saver.names.read(v)) if isinstance(n, ast.Name)]

    def run_over(self):
        """Variables that a new run reaches without their names: the loop keeps the elements of what it runs over."""
        header = getattr(self.statement, "header", None)
        return [v for v in operands(header[1]) if v in self.saver.outside] if header is not None else []

    def variables_by_name(self) -> dict:
        """The variables from outside (and those carried by the loop) that the scope reads, by the name they have there."""
        found: dict[str, Var] = {}
        heads = [p.target for p in self.statement.phis] if isinstance(self.statement, Loop) else []
        ordered = sorted(self.saver.outside, key=lambda v: (self.outer.layout.home.get(v, (None, -1))[1], v.uid))
        for v in [*ordered, *heads]:
            if v.definition == "global":
                continue
            read = self.saver.names.read(v)
            while isinstance(read, (ast.Subscript, ast.Attribute)):
                read = read.value
            if not isinstance(read, ast.Name) or read.id in self.namer.bindings:
                continue
            base = v
            while base.hidden and base in self.outer.names.components:
                base = self.outer.names.components[base][0]
            found[read.id] = base
        return found

    def reserve(self):
        """Keep the code around from giving other values the names that a new run binds."""
        last = self.last_versions()
        bound = self.entered() | {text: last.get(text, self) for text in self.written}
        for item in lines(self.adjoint):
            if isinstance(item, Line) and isinstance(item.target, ast.Name):
                bound.setdefault(item.target.id, self)
        self.bound = set(bound)
        reserved = self.outer.reserved
        for text in sorted(bound):
            reserved[text] = bound[text] if reserved.get(text, bound[text]) is bound[text] else CONTESTED
            self.outer.used_names[text] = reserved[text]

    def entry(self) -> list:
        """Lines that give the new run its names from outside."""
        made = []
        for text, v in self.entered().items():
            row = v.items is not None and not stands_alone(v)
            at, begun = self.statement, self.entering.get(v, v)
            value = need_operand(self.b, v, at, self.need_of) if row else needed(begun, self.need_of(v), at)
            made.append(Line(name(text, True), value, None, self.loc))
        read = self.names_read()
        for v, text in self.saver.held.items():
            if text in read:
                made.append(Line(name(text, True), needed(v, self.need_of(v), self.statement), None, self.loc))
        return made

    def need_of(self, v) -> str:
        if v in self.later or v in self.kept:
            return "memory"
        return "value" if _is_number(v) else "ref"

    def reading(self, names, variables) -> list:
        return [names.read(v) for v in variables]

    def memory_arguments(self, names, variables) -> list:
        return [*self.reading(names, variables), *[self.namer.module(m) for m in self.generators]]

    def room(self) -> list:
        """In front of a new run what nobody reads any more is released; compiled code keeps its names."""
        return [] if self.b.arithmetic_is_cheap else [segment_end()]

    def measured(self, code) -> list:
        """Behind a new run, or in front of one that takes its own measure: what is held, if there is a budget for it."""
        if self.b.budget is None:
            return []
        holds, gains, whole = self.b.budget
        own = frozenset(assigned_in(code))
        whole |= own if whole else set()
        return [held_here(TapeNames(holds, gains, whole, own), self.loc)]

    @property
    def outermost(self):
        saver = self.outer
        while isinstance(saver, ScopeSaver):
            saver = saver.outer
        return saver

    def seen_by_others(self, v):
        """Must this memory hold behind a replay what it held before?"""
        if not self.saver.memory.is_array(v) or not self.outermost.joint:
            return True  # a tape that is kept may be replayed again
        family = v.group.family
        return family.external or family.escaped or family.opaque


def _with_components(v):
    """A variable, and those that a tuple of it holds, at any depth: they may be arrays that change in place."""
    yield v
    for item in v.items or ():
        if isinstance(item, Var):
            yield from _with_components(item)


def preset_if_missing(saver, v, text):
    """A name that may have no value in front of a loop is None from the start of the function, or of the segment."""
    while isinstance(saver, ScopeSaver):
        if isinstance(saver.statement, Loop):
            return  # it carries the name, and has seen to it itself
        if saver.own_joins(v):
            break
        saver = saver.outer
    preset(saver, text)


def inside(context, code, loc):
    """A `with` statement around reverse code."""
    return Verbatim(ast.With([ast.withitem(context, None)], []), loc, [code])


def _is_number(v):
    return isinstance(v.type, Num)


class SegmentScope(Scope):
    """A block that runs again as a whole."""

    def needs_nothing(self) -> bool:
        """Does the adjoint of the block read nothing of what a new run would give it?"""
        names = self.saver.names
        own = {v.name if not v.hidden else names.hidden.get(v) for v in self.saver.own_vars}
        kept = self.saver.insert
        insertions = kept.before or kept.after or kept.head or kept.start or kept.counters
        return not (insertions or self.names_read() & own or self.from_outside())

    def without_replay(self):
        return [*[Enter(block, self.loc) for block in visible_blocks(self.statement)], *self.adjoint]

    def everything_that_runs(self):
        return [*self.code(self.saver.names, plain=False, again=True), *self.adjoint]

    def code(self, names, *, plain, again):
        printer = ScopePrinter(self, names, plain=plain, again=again)
        printer.out = fresh(self.saver.insert.start) if not plain else []
        printer.block(self.statement.body)
        simplify(printer.out, set(self.live), enabled=self.outer.simplifying)
        return printer.out

    def entered(self):
        return {n: v for n, v in sorted(self.reads.items()) if n in self.needed or n in self.state}

    def last_versions(self):
        found = {}
        for v in self.saver.own_vars:
            if not v.hidden:
                best = found.get(v.name)
                if best is None or self.key(v) > self.key(best):
                    found[v.name] = v
        return found

    def key(self, v):
        return (self.saver.layout.home[v][1], v.uid)

    @property
    def memory(self):
        return list(dict.fromkeys([*self.kept, *self.later]))

    def reverse(self):
        body = []
        if self.memory or self.generators:
            store = needed(self.statement.store, "value", self.statement)
            body.append(Line(None, call(attribute(store, "restore")), None, self.loc, keep=True))
        code, entry = self.code(self.saver.names, plain=False, again=True), self.entry()
        body += [*code, *self.measured([*entry, *code]), *self.adjoint]
        marks = [Enter(block, self.loc) for block in visible_blocks(self.statement)]
        return [*marks, *self.room(), *entry, *self.guarded(body), segment_end()]

    def guarded(self, code) -> list:
        """Code that runs in memory which others see too: it is left as it was found."""
        seen = [v for v in self.memory if v in self.saver.outside and self.seen_by_others(v)]
        if not seen and not self.generators:
            return code
        arguments = [needed(v, "memory", self.statement) for v in seen] + [self.namer.module(m) for m in self.generators]
        return [inside(call(self.namer.object(unchanged), *arguments), code, self.loc)]

    def forward(self, printer):
        """In the forward sweep: the contents of memory are kept, and the block runs."""
        if self.memory or self.generators:
            kept = call(self.namer.object(contents), *self.memory_arguments(printer.names, self.memory))
            store = self.statement.store
            printer.line(self.statement, name(printer.names.name(store), True), kept)
            printer.out.extend(printer.insert.after.get(store.definition, ()))
        plain = ScopePrinter(self, printer.names, plain=True, again=printer.again)
        plain.insert, plain.loops = printer.insert, getattr(printer, "loops", 1)
        plain.block(self.statement.body)
        printer.out.extend([*plain.out, segment_end()])


def visible_blocks(statement):
    """The blocks of a segment whose variables are seen behind it."""
    yield statement.body
    for s in statement.body:
        if isinstance(s, With):
            yield from visible_blocks(s)


class LoopScope(Scope):
    """A loop whose trips run again, some at a time."""

    def __init__(self, outer, item):
        statement = item.statement
        self.action, self.trips = unique("action", outer.taken), unique("trips", outer.taken)
        self.online = statement.breaks or statement.kind in ("while", "opaque") or statement.checkpoints.schedule == "online"
        super().__init__(outer, item)

    def needs_nothing(self) -> bool:
        """Do the adjoints of the trips read nothing of what a new run would tape?"""
        return not (self.saver.insert.start or self.from_outside())

    def without_replay(self):
        made = reversed_loop(self.b, self.statement, self.adjoint)
        if self.reverse_index() != "_":
            made.target = name(self.reverse_index(), True)
        return [made]

    def everything_that_runs(self):
        return [
            *self.trips_again(self.saver.names, plain=False, again=True),
            *self.trips_again(self.new_names(), plain=True, again=True),
        ]

    def find_state(self):
        super().find_state()
        for phi in self.statement.phis:
            text = self.saver.names.name(phi.target)
            if phi.then is not None and text in self.state and self.outer.layout.may_be_missing(phi.then):
                preset_if_missing(self.outer, phi.then, text)

    def entered(self):
        return self.needed

    def last_versions(self):
        return {phi.target.name: phi.target for phi in self.statement.exits if not phi.target.hidden}

    @property
    def sites(self):
        return [i for i in self.saver.insert.start if isinstance(i.value, ast.List) and not i.value.elts]

    def start(self):
        return [i for i in self.saver.insert.start if not (isinstance(i.value, ast.List) and not i.value.elts)]

    # -- the trips -------------------------------------------------------------------------------------------------
    def body(self, names, *, plain, again):
        s = self.statement
        printer = ScopePrinter(self, names, plain=plain, again=again)
        code = printer.loop_body(s, printer.loop_head(s))
        if s.kind == "while":
            code = [*printer.nested(s.test_block), *code]
        return code

    def trips_again(self, names, *, plain, again, first=False):
        """The trips of one action, as a loop; behind the `first` run the program reads what the loop leaves."""
        s = self.statement
        target = name("_", True) if s.kind == "while" else names.pattern(s.header[0])
        made = [Repeat(target, name(self.trips), self.body(names, plain=plain, again=again), s.loc)]
        live = self.live | self.user_names() if first else set(self.live)
        simplify(made, live, enabled=self.outer.simplifying)
        return made

    def user_names(self):
        heads = [phi.target for phi in self.statement.phis]
        return {v.name for v in self.saver.own_vars if not v.hidden} | {self.outer.names.name(v) for v in heads}

    # -- saving and loading ----------------------------------------------------------------------------------------
    def save(self, names, store):
        held = ast.Tuple([name(n) for n in self.state], ast.Load())
        arguments = [held]
        if self.kept or self.generators:
            arguments.append(call(self.namer.object(contents), *self.memory_arguments(names, self.kept)))
        options = {}
        apart = self.statement.checkpoints.schedule == "disk" or self.saver.tape_dtype is not None
        if apart:  # whose shadow is found by identity cannot come from a file, or be made of fewer bits
            fixed = [i for i, n in enumerate(self.state) if self.b.shadow_kind(self.reads[n])]
            options = {"fixed": ast.Tuple([constant(i) for i in fixed], ast.Load())} if fixed else {}
        return [Line(None, call(attribute(store, "save"), *arguments, **options), None, self.loc, keep=True)]

    def load(self, store):
        loaded = call(attribute(store, "load"))
        if not self.state:
            return [Line(None, loaded, None, self.loc, keep=True)]
        return [Line(ast.Tuple([name(n, True) for n in self.state], ast.Store()), loaded, None, self.loc, keep=True)]

    def branches(self, kinds) -> list:
        """`if action == "...": ... elif ...`, the last kind without a test."""
        (kind, code), *rest = kinds
        if not rest:
            return code
        test = ast.Compare(name(self.action), [ast.Eq()], [constant(kind)])
        return [Branch(test, code, self.branches(rest), self.loc)]

    def target(self):
        return ast.Tuple([name(self.action, True), name(self.trips, True)], ast.Store())

    # -- the two sweeps --------------------------------------------------------------------------------------------
    def forward(self, printer):
        s, names = self.statement, printer.names
        text = names.name(s.checkpoints.store)
        for phi in s.phis:
            if phi.then is None and self.saver.names.name(phi.target) in self.state:
                printer.line(s, name(self.saver.names.name(phi.target), True), constant(None))
        sites = [clone(i.target) for i in self.sites]
        for i in sites:
            i.ctx = ast.Load()
        printer.out.extend([*fresh(self.sites), *fresh(self.start())])
        arguments = [self.over(names), ast.List(sites, ast.Load())]
        if s.kind == "sequence" and not self.online:
            arguments_of_length = names.read(s.length)
        options = {k: names.read(v) for k, v in s.checkpoints.options.items()}
        if s.checkpoints.schedule is not None:
            options = {**options, "schedule": constant(s.checkpoints.schedule)}
        if self.online:
            options["schedule"] = constant("online")
        if s.kind == "sequence" and not self.online:
            options = {"length": arguments_of_length, **options}
        if self.saver.tape_dtype is not None:
            options["tape_dtype"] = constant(self.saver.tape_dtype)
        made = call(self.namer.object(CheckpointedLoop), *arguments, **options)
        printer.line(s, name(text, True), made, keep=True)
        again = printer.again
        if self.online:
            self.forward_online(printer, text, again)
        else:
            kinds = [
                ("snapshot", self.save(names, name(text))),
                ("advance", self.trips_again(self.new_names(), plain=True, again=again, first=True)),
                ("tape", self.trips_again(self.saver.names, plain=False, again=again, first=True)),
            ]
            actions = call(attribute(name(text), "forward"))
            printer.out.append(Repeat(self.target(), actions, self.branches(kinds), s.loc))
        if self.at_the_end:
            finish = call(attribute(name(text), "finish"), *self.at_the_end_arguments(names))
            printer.line(s, None, finish, keep=True)

    def over(self, names):
        s = self.statement
        if s.kind == "range":
            span = call(self.namer.object(range), *[names.read(b) for b in s.bounds])
            return subscript(span, ast.Slice(None, None, constant(-1))) if s.backward else span
        if s.kind == "while":
            return constant(None)
        return names.read(s.header[1])

    def forward_online(self, printer, text, again):
        """The user's loop, which asks before each trip whether its state is wanted."""
        s = self.statement
        names = self.new_names()
        due = Branch(call(attribute(name(text), "is_due")), self.save(names, name(text)), [], s.loc)
        inner = ScopePrinter(self, names, plain=True, again=again)
        if s.kind == "while":
            inner.print_loop(s, [due])
        else:
            body = inner.loop_body(s, [due])
            iterable = call(attribute(name(text), "each"))
            inner.out.append(Repeat(names.pattern(s.header[0]), iterable, body, s.loc))
        simplify(inner.out, self.live | self.user_names(), enabled=self.outer.simplifying)
        printer.out.extend(inner.out)

    def reverse(self):
        s = self.statement
        store = lambda: needed(s.checkpoints.store, "value", s)  # noqa: E731
        head = []
        if self.sites and not (self.outermost.joint and self.outer.layout.block[s] is self.outermost.function.body):
            target = ast.Tuple([name(i.target.id, True) for i in self.sites], ast.Store())
            head.append(Line(target, attribute(store(), "sites"), None, self.loc, keep=True))
        reverse = [Repeat(name(self.reverse_index(), True), self.reversed_trips(), self.adjoint, s.loc)]
        kinds = [
            ("restore", self.load(store())),
            ("snapshot", self.save(self.saver.names, store())),
            ("advance", self.trips_again(self.new_names(), plain=True, again=True)),
            ("tape", self.trips_again(self.saver.names, plain=False, again=True)),
            ("reverse", reverse),
        ]
        driver = Repeat(self.target(), call(attribute(store(), "reverse")), self.branches(kinds), s.loc)
        code = [inside(call(attribute(store(), "unchanged")), [driver], s.loc)] if self.at_the_end else [driver]
        entry = [*self.entry(), *fresh(self.start()), *head]
        return [*self.room(), *entry, *self.measured(entry), *code]

    @property
    def at_the_end(self):
        """Memory whose contents behind the loop matter in reverse, and the generators that the loop draws from."""
        found = dict.fromkeys([*self.later, *[v for v in self.kept if self.seen_by_others(v)]])
        return [*found, *self.generators]

    def at_the_end_arguments(self, names):
        return [names.read(v) if isinstance(v, Var) else self.namer.module(v) for v in self.at_the_end]

    def reverse_index(self):
        index = self.statement.index
        return self.saver.index_names.get(index, "_") if index is not None else "_"

    def reversed_trips(self):
        return call(self.namer.object(reversed), name(self.trips))


__all__ = ["resolve_replays"]
