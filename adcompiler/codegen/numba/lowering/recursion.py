"""Recursive functions in compiled code: a compiled function for each sweep, and tapes that are numbers.

    power_result, power_tape = power_forward(x, n - 1)     ->     called = power_forward(x, n - 1, power_n, ...)
                                                                  power_result, power_tape = called
    return result, Tape(..., (power_result, n))            ->     power_n.append(n) ...
                                                                  return result, len(power_n) - 1

Every call keeps a record: one entry in each of the lists that the outermost function makes. Its number is the tape, and
the adjoint function looks the record up. Types of parameters and results are learnt by walking all functions until
nothing changes; a branch that needs a result of which nothing is known yet is left out of that walk.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from ....transform.bars import unique
from ....transform.code import attribute, call, constant, name, nodes_in, subscript
from ..tape.stacks import empty_list_of, example
from ..typed import Typed
from ..types import INT, MIXED, NONE, Array, Items, Known, Listed, Scalar, Stack, forget, join
from ..arrays.zero_d import box
from .passed import SHARED, given, is_passable, is_unknown, kept, living_in, memory_of, resolved, takes_other_types, widen


DEEPEST = 5000  # calls inside one another: the stack of machine code is not checked otherwise


class Unreached(Exception):
    """The walk needs the result of a function that has not been walked to its end."""


@dataclass
class Compiled:
    """One function of a recursive group: what is known of it so far."""

    definition: ast.FunctionDef
    is_forward: bool
    record: Record
    params: dict = field(default_factory=dict)
    result: object = None
    walk: object = None


@dataclass
class Record:
    """What the calls of one function keep: a list for each entry of the tape."""

    base: str
    sites: list = field(default_factory=list)  # of the tape, in order
    entries: list = field(default_factory=list)  # of each: its type on the tape, or None if it carries nothing
    lists: list = field(default_factory=list)  # and the name of its list
    owner: str = ""
    skipped: bool = True  # has a path been left out in the walk that gave the entries?
    counter: str = ""  # the name of what counts the records, and the calls inside one another

    def used(self):
        return [n for n, t in zip(self.lists, self.entries, strict=True) if _is_kept(t)]


def _is_kept(t):
    return t is not None and not isinstance(t, Known)


class Group:
    """All functions that a program calls recursively.

    Arrays that come from a caller, from the tape or out of a call may share memory in ways that no one function sees. So
    they count as one piece of memory (`SHARED`), and every array that is passed on or returned as one that is changed.
    """

    def __init__(self, definitions, names):
        """names: all that are used in the program."""
        self.functions, self.changed = {}, False
        self.taken, self.own_names = set(names), {}
        self.shadow_table = ""  # the name of the table of adjoints of arrays that are found by their identity
        self.list_tables: dict = {}  # and of those of lists, by the types of their slots
        self.passes_lists = self.changes_lists = False  # are lists of the caller passed on? are lists that are passed changed?
        self.stored = False  # is memory changed?
        records: dict[str, Record] = {}
        for d in definitions:
            forward = d.name.endswith("_forward")
            base = d.name.removesuffix("_forward" if forward else "_adjoint")
            record = records.setdefault(base, Record(base, counter=self.own_name(f"{base}_records")))
            self.functions[d.name] = Compiled(d, forward, record)
        self.records = list(records.values())

    def find(self, node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self.functions.get(node.func.id)
        return None

    def names(self, function: Compiled) -> list:
        """What every function of the group is given: the lists of all records; and tables of adjoints in the reverse sweep."""
        tables = [*([self.shadow_table] if self.shadow_table else []), *self.list_tables.values()]
        return [*(n for r in self.records for n in (*r.used(), r.counter)), *(() if function.is_forward else tables)]

    def table_of_arrays(self) -> str:
        """The name of the table of adjoints of arrays, which is made from the next walk on."""
        if not self.shadow_table:
            self.shadow_table, self.changed = self.own_name("shadow_table"), True
        return self.shadow_table

    def table_of_lists(self, slot) -> str:
        """The same of adjoints of lists, with slots of one type."""
        if slot not in self.list_tables:
            self.list_tables[slot], self.changed = self.own_name(f"found_lists_{len(self.list_tables)}" if self.list_tables else "found_lists"), True
        return self.list_tables[slot]

    def own_name(self, wanted) -> str:
        """A name that no function of the program uses."""
        if wanted not in self.own_names:
            self.own_names[wanted] = unique(wanted, self.taken)
        return self.own_names[wanted]

    def reserved(self) -> set:
        return set(self.own_names.values())

    def note(self, walk, options):
        """Take what the walk of one function has found out about memory: it may be that of another function, too."""
        self.stored = self.stored or bool(walk.stored)
        if walk.reshaped and self.stored and not options.get("exact_reshape"):
            options["exact_reshape"] = self.changed = True
        self.changes_lists = self.changes_lists or walk.changes_lists
        if self.passes_lists and self.changes_lists:
            self.refuse(walk, "a change of a list that is an argument", "a copy of it: list(values)")
        if takes_other_types(walk.learnt):
            self.refuse(walk, "a list that a recursive function returns, and that gets values of another type", "one type: 0.0 for 0")

    def refuse(self, walk, what, hint):
        """Refuse what more walks would not change."""
        walk.skipped = False
        walk.refuse(what, hint)

    def note_lists(self, function):
        """Take what the walk of a function has put into lists that it was given."""
        for parameter, t in function.params.items():
            found = resolved(function.walk.learnt, t)
            if found is MIXED:
                self.refuse(function.walk, "a list of different things", "one list for each kind of value")
            found = given(found, parameter) if isinstance(found, Listed) else t
            if found != t:
                function.params[parameter], self.changed = found, True

    # -- calls -----------------------------------------------------------------------------------------------------
    def call(self, lo, node, function: Compiled) -> Typed:
        """A call of one of the functions."""
        from ..containers.lists import named
        from .casts import cast
        from .expressions import expression, tuple_of

        args = [expression(lo, a) for a in node.args]
        nodes, memory = [], frozenset()
        for parameter, value in zip(function.definition.args.args, args, strict=True):
            box(lo, value.type)
            t = self.pass_on(lo, function, parameter.arg, value)
            if isinstance(t, Known):
                continue
            if isinstance(value.type, Array):
                lo.note_alias(value)
                value = lo.settled(value)
            elif isinstance(value.type, Scalar):
                value = cast(lo, value, t.dtype)
            elif isinstance(value.type, Listed):
                value = named(lo, value)
            else:
                value = lo.result(value)
            memory |= memory_of(resolved(lo.learnt, value.type))
            nodes.append(value.node)
        lo.stored |= memory
        memory |= SHARED
        if function.result is None:
            raise Unreached
        lo.inside = {}
        called = call(name(function.definition.name), *nodes, *[name(n) for n in self.names(function)])
        if isinstance(function.result, Known):
            lo.emit(ast.Expr(called))
            return Typed(constant(None), function.result, function.result.value)
        made = lo.fresh("called")
        lo.assign(made, called)
        t = living_in(forget(function.result, lambda origin: True), memory)  # it may be memory of an argument
        lo.env[made] = t
        widen(lo.learnt, t, t)
        if isinstance(t, Array):
            return lo.array_name(made)
        if isinstance(t, Items):
            parts = [self.part(lo, made, k, i) for k, i in enumerate(t.items)]
            found = tuple_of(parts)
            return replace_type(found, t)
        return Typed(name(made), t)

    def part(self, lo, made, k, t) -> Typed:
        if isinstance(t, Known):
            return Typed(constant(None), t, t.value)
        own = lo.fresh("part")
        lo.assign(own, subscript(name(made), constant(k)))
        lo.env[own] = t
        return lo.array_name(own) if isinstance(t, Array) else Typed(name(own), t)

    def pass_on(self, lo, function, parameter, value):
        """Note the type of an argument."""
        t = resolved(lo.learnt, value.type)
        if not isinstance(t, Known) and not is_passable(t):
            lo.refuse("this argument of a recursive call", "numbers, arrays, lists and tuples of them")
        if isinstance(t, Listed) and any(site[0] == "argument" for site in t.sites):
            self.passes_lists = True
        if t == NONE and lo.skipped:
            raise Unreached  # it may be a number in the end
        t = given(t, parameter)
        old = function.params.get(parameter)
        new = t if old is None else join(old, t)
        if new is MIXED:
            lo.refuse(f"a recursive function whose parameter '{parameter}' has values of different types",
                      "give it one type in every call")
        widen(lo.learnt, value.type, new)
        if new != old:
            function.params[parameter] = new
            self.changed = True
        return new

    # -- bodies ----------------------------------------------------------------------------------------------------
    def keep(self, lo, node) -> Typed:
        """`Tape(name, sites, values)` at the end of a forward function: a record; its number."""
        record = lo.group_function.record
        record.owner = node.args[0].value
        record.sites = [s.value for s in node.args[1].elts]
        record.lists = [self.own_name(f"{record.base}_{s}_kept") for s in record.sites]
        old, record.entries = record.entries, []
        for n, e in zip(record.lists, node.args[2].elts, strict=True):
            record.entries.append(self.keep_value(lo, n, e))
        if old != record.entries:
            self.changed = True
        number = lo.fresh("number")
        lo.assign(number, subscript(name(record.counter), constant(0)))
        lo.emit(ast.AugAssign(subscript(name(record.counter), constant(0), True), ast.Add(), constant(1)))
        lo.emit(ast.AugAssign(subscript(name(record.counter), constant(1), True), ast.Sub(), constant(1)))
        return Typed(name(number), INT)

    def enter(self, function) -> list:
        """At the start of a forward function: too many calls inside one another are an error, as in Python."""
        depth = subscript(name(function.record.counter), constant(1))
        error = ast.Raise(call(name("RecursionError"), constant("maximum recursion depth exceeded in compiled code")), None)
        return [
            ast.AugAssign(subscript(name(function.record.counter), constant(1), True), ast.Add(), constant(1)),
            ast.If(ast.Compare(depth, [ast.Gt()], [constant(DEEPEST)]), [error], []),
        ]

    def keep_value(self, lo, target, e):
        from .expressions import expression

        append = lambda node: lo.emit(ast.Expr(call(attribute(name(target), "append"), node)))  # noqa: E731
        if isinstance(e, ast.Name) and e.id in lo.stacks.sites:
            t = lo.stacks.element(e.id)
            if t is None:
                return None
            t = resolved(lo.learnt, t)
            if isinstance(t, Items) or not is_passable(t):
                lo.refuse("a loop over tuples in a recursive function", "keep numbers, arrays or lists")
            append(lo.stacks.kept(e.id))
            return Stack(e.id, kept(t))
        copies = isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and e.func.attr == "copy"
        inner = e.func.value if copies else e
        if isinstance(inner, ast.Name):
            t = lo.env.get(inner.id)
            if t is None or isinstance(t, Known):
                return t
            if t is MIXED:
                lo.read_name(inner.id)
            value = Typed(inner, t)
        else:
            value = lo.result(expression(lo, inner))
            t = value.type
        t = resolved(lo.learnt, t)
        if not is_passable(t):
            lo.refuse("this value on the tape of a recursive function", "numbers, arrays, lists and tuples of them")
        if is_unknown(t):  # so far
            lo.skipped = True
            return None
        append(call(attribute(value.node, "copy")) if copies and isinstance(t, Array) else value.node)
        return kept(t)

    def open(self, lo, targets):
        """`a, b = tape.open(...)` at the start of an adjoint function."""
        record = lo.group_function.record
        if len(record.entries) != len(targets):
            raise Unreached
        lo.skipped = lo.skipped or record.skipped
        for target, values, t in zip(targets, record.lists, record.entries, strict=True):
            if not _is_kept(t):
                lo.set_name(target, t or NONE)
                continue
            lo.assign(target, subscript(name(values), name("tape")))
            if isinstance(t, Stack):
                lo.stacks.given[target] = t.element
                widen(lo.learnt, t.element, t.element)
                lo.stacks.sites.add(target)
                lo.stacks.kept_by_loops.add(target)
                size = call(lo.np("uintp"), attribute(name(target), "size")) if isinstance(t.element, Scalar) else call(name("len"), name(target))
                lo.assign(lo.stacks.counter(target), size)
                lo.env[target] = t
                continue
            lo.set_name(target, living_in(t, SHARED))
            widen(lo.learnt, t, t)

    def start(self, lo) -> list:
        """The lists of all records and the tables of adjoints of lists, empty, in the outermost function."""
        from ..containers import list_shadows

        made = []
        for r in self.records:
            for n, t in zip(r.lists, r.entries, strict=True):
                if _is_kept(t):
                    made.append(ast.Assign([name(n, True)], empty_list_of(example(lo, t))))
            made.append(ast.Assign([name(r.counter, True)], call(lo.np("zeros"), constant(2), lo.np("int64"))))
        return [*made, *list_shadows.tables(lo, self.list_tables)]


    def unset(self, function: Compiled) -> list:
        """Values of names that only some paths of a function set, and that its record keeps all the same."""
        record, body = function.record, function.walk.body
        types = dict(zip(record.lists, record.entries, strict=True))
        is_set = {a.arg for a in function.definition.args.args}
        is_set |= {n.id for s in body if isinstance(s, ast.Assign) for t in s.targets for n in nodes_in(t) if isinstance(n, ast.Name)}
        made = []
        for s in body:
            if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and isinstance(s.value.func, ast.Attribute):
                owner = s.value.func.value
                if isinstance(owner, ast.Name) and _is_kept(types.get(owner.id)):
                    value = s.value.args[0]
                    if isinstance(value, ast.Name) and value.id not in is_set:
                        made.append(ast.Assign([name(value.id, True)], example(function.walk, types[owner.id])))
        return made


def replace_type(value: Typed, t) -> Typed:
    value.type = t
    return value


def walk_all(backend, group: Group, walk_main):
    """Walk the outermost function and those of the group until their types no longer change; the walk of the first."""
    for _ in range(10):
        group.changed, main, group.skipped = False, None, False
        waiting = []
        try:
            main = walk_main()
            group.skipped = main[0].skipped
        except Unreached:
            waiting.append("main")
        if main is not None:
            group.note(main[0], backend.options)
        for function in group.functions.values():
            wanted = [a.arg for a in function.definition.args.args]
            if not all(p in function.params for p in wanted):
                waiting.append(function)
                continue
            try:
                function.walk = backend.walk_instance(group, function)
            except Unreached:
                waiting.append(function)
                continue
            if function.is_forward and function.record.skipped != function.walk.skipped:
                function.record.skipped, group.changed = function.walk.skipped, True
            group.skipped = group.skipped or function.walk.skipped
            group.note(function.walk, backend.options)
            group.note_lists(function)
            result = resolved(function.walk.learnt, function.walk.returned.type)
            if is_unknown(result):
                waiting.append(function)
                continue
            result = kept(result)
            new = result if function.result is None else join(function.result, result)
            if new is MIXED:
                backend.refuse("a recursive function whose results have different types", "one type on every path")
            if new != function.result:
                function.result, group.changed = new, True
        if main is not None and not group.changed and not group.skipped:
            return main
        if not group.changed:
            break
    backend.refuse("this recursive function: its types do not settle", "a loop, or backend='numpy'")


__all__ = ["Group", "Unreached", "walk_all"]
