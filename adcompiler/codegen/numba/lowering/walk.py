"""The walk over a generated function: statements with their types in, statements that Numba compiles alike out.

`Lowering` holds the state of the walk: the type of each name, names that may have no value yet, the statements made so
far. A loop is walked until the types at its head no longer change.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections import Counter

import numpy as np

from ....errors import NOWHERE, AdcompilerError, UnsupportedSyntaxError
from ....transform.bars import unique
from ....transform.code import call, constant, name, nodes_in
from ...emit import Comment
from ..tape.stacks import Stacks
from ..typed import Typed
from ..types import MIXED, NO_SHAPE, NONE, Array, Items, Known, Listed, Scalar, Stack, Type, forget, join, plain
from ..arrays.zero_d import Again, box_beside


LINE = "line_at"  # the parameter in which a text for finding lines notes the one that runs


class Lowering:
    """The state of one walk over one function; see `lower`."""

    def __init__(self, definition, params: dict, resolve, taken, *, stacks=(), options=None, learnt=None):
        self.definition, self.resolve = definition, resolve
        self.env: dict[str, Type] = dict(params)
        self.given: dict[str, Type] = dict(params)
        self.unsure: set[str] = set()  # names that may have no value
        self.taken = set(taken)
        self.out: list[ast.stmt] = []
        self.loc = NOWHERE
        self.learnt = learnt if learnt is not None else Learnt()
        self.stacks = Stacks(self, stacks)
        stored = {n.id for n in nodes_in(definition) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        names = [n.id for n in nodes_in(definition) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        self.parameters = set(params)  # names that have a value before any statement runs
        self.once = Counter([*names, *params])  # how often each name is set
        self.constants: dict[str, Typed] = {}  # names that hold what is known when compiling
        self.lasting = {n: t for n, t in params.items() if n not in stored}  # parameters that keep their values
        self.less: dict[str, str] = {}  # the index of the innermost loop: a name that it stays below
        self.breaks: list | None = None
        self.depth = 0  # of nested code; the function's own level is 1
        self.tokens = 0
        self.equal: list[tuple] = []  # pairs of tokens that a check has found equal
        self.extras: dict[str, object] = {}  # globals that become parameters
        self.imports: dict[str, object] = {}
        self.options = options or {}
        self.returned: Typed | None = None
        self.roots: dict = {}
        self.counters: set[str] = set()  # indices of loops that count up from 0
        self.inside: dict = {}  # index arrays: the extent that their entries lie in
        self.stored: frozenset = frozenset()  # memory that is written element by element
        self.bound_items: dict = {}  # tuples that are known part by part, by name
        self.kept: list = []  # what a forward function returns on the tape
        self.seen: dict[str, set] = {}  # types that each name has had
        self.reshaped: frozenset = frozenset()  # memory of arrays that are used in another shape
        self.copied: frozenset = frozenset()  # memory of which a view in NumPy is a copy here
        self.local: dict = {}  # tokens that hold for one statement
        self.group = (options or {}).get("group")  # functions that are called recursively
        self.group_function = (options or {}).get("group_function")  # the one of them that is walked
        self.skipped = False  # a path was left out: see `branch`
        self.in_loop = False
        self.snapshots: list = []  # types of names at the ends of loops
        self.numbers: set[str] = set()  # arrays that have become numbers, one per trip of a loop
        self.apart, self.together = [], []  # see `parallel`
        self.given_lists: dict = {}  # arguments that are lists: the arrays that they come in
        self.from_tape: dict = {}  # sites of lists on the tape: the first name of each
        self.made_once: set = set()  # lists that the function makes outside of loops and branches, by their sites
        self.is_tested = self.has_types_of_arguments = False  # of a gradient: no NaN is in it, types and shapes are right
        self.calls_python = self.prints = False  # it calls the interpreter; it prints
        self.once_only = False  # it does what must not be done again
        self.moved: list = []  # generators of random numbers outside of the function that it moves
        self.in_try = 0  # how many `try` the walk is inside of
        self.assigned = None  # the expression whose value becomes that of a name
        self.reversing: set[str] = set()  # checkpointed loops in whose reverse sweep the walk is
        self.changes_lists = False  # is a list changed that a recursive function is given, or gives?

    # -- errors ----------------------------------------------------------------------------------------------------
    def refuse(self, what, hint="use backend='numpy' for this function"):
        if self.skipped:  # it may be for want of what a path that was left out gives
            from .recursion import Unreached

            raise Unreached
        raise UnsupportedSyntaxError(f"the Numba backend does not compile {what}", self.loc, hint=hint)

    def resolved(self, node):
        """The object that a name in the text stands for, where it is no variable; else None."""
        try:
            return self.resolve(node.id) if isinstance(node, ast.Name) and node.id not in self.env else None
        except KeyError:
            return None

    # -- names -----------------------------------------------------------------------------------------------------
    def fresh(self, base: str) -> str:
        made = unique(base, self.taken | set(self.learnt.helpers.values()) | self.learnt.reserved())
        self.taken.add(made)
        return made

    def token(self):
        """A token for an extent of unknown origin."""
        self.tokens += 1
        return (("site", self.tokens), 0)

    def root(self, origin) -> frozenset:
        """The memory that a statement (or a name of our own) makes."""
        key = origin if isinstance(origin, str) else getattr(origin, "place", None) or id(origin)
        return frozenset({self.roots.setdefault(key, f"memory {key}")})

    def are_equal(self, a, b) -> bool:
        """Are two extents known to be equal?"""
        if a is None or b is None:
            return False
        if a == b:
            return True
        found = {a}
        for _ in self.equal:
            more = {q for p, q in self.equal if p in found} | {p for p, q in self.equal if q in found}
            if more <= found:
                break
            found |= more
        return b in found

    def set_equal(self, a, b):
        if a is not None and b is not None:
            self.equal.append((a, b))

    def local_token(self, key):
        """A token for an extent that equal texts in one statement share."""
        if key not in self.local:
            self.tokens += 1
            self.local[key] = (("local", self.tokens), 0)
        return self.local[key]

    def has_code(self, node) -> bool:
        """Does an expression need statements in front?"""
        from .expressions import expression

        out, self.out = self.out, []
        expression(self, node)
        made, self.out = self.out, out
        return bool(made)

    def helper(self, function) -> ast.expr:
        """The name of a function of the runtime library (or of math, numpy) in the text."""
        module = function.__module__
        if module == "math" or getattr(builtins, function.__name__, None) is function:
            return self.known(function)
        helpers = self.learnt.helpers
        if function not in helpers:  # a variable of the program may have its name
            helpers[function] = unique(function.__name__, self.taken | set(helpers.values()))
        self.imports[helpers[function]] = function
        return name(helpers[function])

    def known(self, function) -> ast.expr:
        if getattr(builtins, function.__name__, None) is function:
            return name(function.__name__)
        return ast.Attribute(self.known_module(sys.modules[function.__module__]), function.__name__, ast.Load())

    def known_module(self, module) -> ast.expr:
        """A module of the standard library, or NumPy."""
        local = "np" if module is np else module.__name__.rpartition(".")[2]
        self.imports[local] = module
        return name(local)

    def np(self, attribute) -> ast.expr:
        return ast.Attribute(name("np"), attribute, ast.Load())

    def emit(self, statement):
        self.out.append(statement)

    def assign(self, target: str, node):
        """Write an assignment to a name of our own."""
        self.emit(ast.Assign([name(target, True)], node))

    def held(self, typed: Typed, base="t") -> Typed:
        """The scalar in a name, unless it is one or a constant already."""
        if isinstance(typed.node, (ast.Name, ast.Constant)) or typed.is_known and _is_signed(typed.node):
            return typed
        made = self.fresh(base)
        self.assign(made, typed.node)
        return Typed(name(made), typed.type, typed.const)

    def set_name(self, target: str, t: Type):
        self.env[target] = t
        self.seen.setdefault(target, {plain(self.given[target])} if target in self.given else set()).add(plain(t))
        self.unsure.discard(target)
        self.counters.discard(target)
        self.less = {a: b for a, b in self.less.items() if target not in (a, b)}
        if target in self.learnt.guarded:
            self.assign(self.flag(target), constant(t != NONE))

    def flag(self, target):
        return f"{target}_is_set"

    def read_name(self, identifier: str, *, guard=True) -> Type | None:
        """The type of a variable; None if the name is not one. A read of a name without value raises, as in Python."""
        t = self.env.get(identifier)
        if t is None:
            return None
        if t is MIXED:
            self.refuse(
                f"'{identifier}', which holds values of different types on different paths",
                "give each kind of value a name of its own; a sum of arrays may start with np.zeros(...), in place of 0.0",
            )
        if identifier in self.unsure and guard:
            self.learnt.guard(identifier)
            message = f"cannot access local variable '{identifier}' where it is not associated with a value"
            error = ast.Raise(call(name("UnboundLocalError"), constant(message)), None)
            self.emit(ast.If(ast.UnaryOp(ast.Not(), name(self.flag(identifier))), [error], []))
        return t

    # -- nested code -----------------------------------------------------------------------------------------------
    def block(self, statements) -> list[ast.stmt]:
        """Walk statements into a list of their own; facts that checks inside establish end with it."""
        out, self.out, facts = self.out, [], len(self.equal)
        self.depth += 1
        self.statements(statements)
        self.depth -= 1
        made, self.out = self.out, out
        del self.equal[facts:]
        return made

    def branch(self, statements):
        """Walk one path of a branch; False if it needs what a recursive call gives, of which nothing is known yet."""
        from .recursion import Unreached

        out, depth, facts = self.out, self.depth, len(self.equal)
        try:
            return self.block(statements), True
        except Unreached:
            self.out, self.depth, self.skipped = out, depth, True
            del self.equal[facts:]
            return [], False

    def statements(self, statements):
        from .statements import lower_statement

        for s in statements:
            if isinstance(s, Comment):
                self.loc = s.loc or self.loc
                self.emit(s)
                if self.options.get("tracking") and s.loc is not None:
                    self.track(s.loc)
                continue
            try:
                lower_statement(self, s)
            except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
                if isinstance(error, AdcompilerError):
                    raise
                self.unforeseen(s, error)

    def unforeseen(self, s, error):
        """Refuse a statement of a form that the tables do not foresee."""
        value = getattr(s, "value", None)
        what = f"'{ast.unparse(value)}'" if isinstance(value, ast.expr) else "this statement"
        try:
            self.refuse(what if len(what) < 80 else what[:76] + "...'")
        except UnsupportedSyntaxError as refusal:
            raise refusal from error

    def track(self, loc):
        """Note the line of the program that runs, where the text is for finding it."""
        number = self.learnt.lines.setdefault((loc.filename, loc.lineno), (len(self.learnt.lines), loc))[0]
        self.emit(ast.Assign([ast.Subscript(name(LINE), constant(0), ast.Store())], constant(number)))

    def state(self):
        return dict(self.env), set(self.unsure)

    def restore(self, state):
        self.env, self.unsure = dict(state[0]), set(state[1])

    def joined(self, first, second):
        """The state behind two paths; None stands for a path that does not come here."""
        if first is None or second is None:
            return first or second
        env, unsure = {}, first[1] | second[1]
        for n in {**first[0], **second[0]}:
            a, b = first[0].get(n), second[0].get(n)
            if a is None or b is None:
                env[n] = a or b
                unsure.add(n)
            elif (a == NONE) != (b == NONE) and not isinstance(b if a == NONE else a, Known):
                env[n] = b if a == NONE else a
                unsure.add(n)
                self.learnt.nullable.add(n)
            else:
                box_beside(self, a, b)
                env[n] = join(a, b)
        return env, unsure

    def loop(self, body, owner=None) -> tuple[list[ast.stmt], tuple, list]:
        """Walk the body of a loop until the types at its head are settled: its code, the state at the head, breaks."""
        from .recursion import Unreached

        saved = self.breaks, self.out, self.depth, self.in_loop, len(self.equal), set(self.taken), list(self.stacks.reserved)
        head = self.state()
        try:
            return self.settled_loop(body, owner)
        except Unreached:  # as if it ran no trip, for this walk
            if self.group is None:
                raise
            self.breaks, self.out, self.depth, self.in_loop, facts, self.taken, self.stacks.reserved = saved
            del self.equal[facts:]
            self.restore(head)
            self.skipped = True
            return [], head, []

    def settled_loop(self, body, owner=None):
        """The same, where nothing is left out."""
        head = self.state()
        for attempt in range(12):
            self.restore(head)
            self.less = {}
            outer, self.breaks = self.breaks, []
            out, self.out, facts, first = self.out, [], len(self.equal), self.tokens
            before = self.taken
            self.taken = set(before)
            self.depth += 1
            inside, self.in_loop = self.in_loop, True
            body()
            self.in_loop = inside
            self.depth -= 1
            self.less = {}
            made, self.out = self.out, out
            breaks, self.breaks = self.breaks, outer
            del self.equal[facts:]
            gone = _later_than(first)
            end = self.without(self.state(), gone) if self.env is not None else None
            breaks = [self.without(b, gone) for b in breaks]
            if attempt == 0 and end is not None:
                self.spread_in_front_of(owner, head, end)
            new = self.joined(head, end)
            if attempt > 2:
                new = (_widened(new[0], head[0]), new[1])
            if new == head:
                self.taken |= before
                return made, head, breaks
            head = new
            self.taken = before
        self.refuse("a loop in which the types of names do not settle", "give each name one type in the loop")

    def spread_in_front_of(self, owner, head, end):
        """Start again if the loop turns numbers into arrays that can be arrays in front of it."""
        from .spreading import find

        found = find(self, owner, head[0], end[0])
        if found:
            self.learnt.spread[id(owner)] = found
            self.learnt.elements.clear()  # of lists: they were learnt with numbers
            raise Again

    def without(self, state, is_gone):
        return {n: forget(t, is_gone) for n, t in state[0].items()}, state[1]


def _is_signed(node):
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)


def _later_than(first):
    return lambda origin: isinstance(origin, tuple) and origin[0] in ("site", "local") and origin[1] > first


def _widened(env, old):
    """Without bounds that still change."""
    return {
        n: Scalar(t.dtype, t.weak, None, None, t.size, boxes=t.boxes) if isinstance(t, Scalar) and t != old.get(n) else t for n, t in env.items()
    }


class Learnt:
    """What a walk finds out that changes code written before: kept from walk to walk."""

    def __init__(self):
        self.guarded: set[str] = set()  # names whose reads must be checked
        self.nullable: set[str] = set()  # names that are None on some path
        self.helpers: dict = {}  # functions of the runtime library: their names in the text
        self.in_python: set = set()  # calls that are made in Python, by their functions and types
        self.elements: dict[str, Type] = {}  # what is pushed on each list of the tape
        self.assumed: dict = {}  # pairs of extents of the call, of which the first is taken to be at most the second
        self.lines: dict = {}  # lines of the program, numbered, where the text notes which one runs
        self.loops: dict = {}  # plans of checkpointed loops
        self.records: dict = {}  # layouts of objects and dicts, by their sites
        self.shadowed: dict = {}  # sites of records whose adjoints are asked for
        self.shadow_lists: dict = {}  # sites of lists likewise: the names of the list and of its adjoint
        self.lists_by_identity: set = set()  # sites of lists of which the adjoints are found by identity
        self.list_tables: dict = {}  # the names of the tables of these adjoints, by the types of their slots
        self.by_identity = ""  # the name of the table of adjoints of arrays that are found by their identity
        self.boxed: set = set()  # calls whose result, an array without axes in NumPy, is one here too
        self.inner: dict = {}  # functions that the program makes, by their places in the text
        self.spread: dict = {}  # loops: names that are numbers in front of them and arrays behind, with their types
        self.changed = False

    def reserved(self) -> set:
        """Names that are kept from walk to walk."""
        kept = [*self.loops.values(), *self.records.values()]
        pairs = [*self.shadow_lists.values(), (self.by_identity, *self.list_tables.values())]
        return {n for p in kept for n in p.every_name()} | {n for pair in pairs for n in pair}

    def guard(self, identifier):
        if identifier not in self.guarded:
            self.guarded.add(identifier)
            self.changed = True

    def pushed(self, site, t: Type):
        old = self.elements.get(site)
        new = t if old is None else join(old, t)
        if new != old:
            self.elements[site] = new
            self.changed = True
        return new


def lower(definition, params, resolve, taken, *, stacks=(), options=None, given=None, loops=None, records=None):
    """A function definition for Numba, and the walk that made it.

    params: types by name of the parameters; resolve: the object that a global name stands for (KeyError if none).
    stacks: names of the lists of the tape. Raises UnsupportedSyntaxError for what Numba would reject or compile wrongly.
    """
    learnt = Learnt()
    learnt.records.update(records or {})
    for _ in range(100):
        learnt.changed = False
        walk = Lowering(definition, params, resolve, taken, stacks=stacks, options=options, learnt=learnt)
        walk.stacks.given.update(given or {})
        walk.parameters |= {*(given or {}), *(loops or {})}
        try:
            walk.run_body(loops or {}, params)
        except Again:
            continue
        if not learnt.changed:
            return walk
    walk.refuse("a function in which the types of names do not settle")


def _run_body(self, loops, params):
    from ..containers import array_shadows, list_shadows, lists, records
    from ..tape import kept_steps

    kept = []
    for n, t in loops.items():
        source = records if isinstance(t, records.KeptRecord) else lists if isinstance(t, lists.KeptList) else kept_steps
        kept += source.from_tape(self, n, t)
    for n, t in params.items():
        if isinstance(t, Listed) and n not in loops and any(s[0] == "argument" for s in t.sites):
            kept += lists.from_argument(self, n, t)
    body = [*kept, *self.block(self.definition.body)]
    start = [ast.Assign([name(self.flag(n), True)], constant(False)) for n in sorted(self.learnt.guarded)]
    if any(isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant) and n.value.value == NO_SHAPE.value
           for s in body if isinstance(s, ast.stmt) for n in nodes_in(s)):
        self.refuse("the shape of what is None")
    self.body = [*start, *self.stacks.start(), *array_shadows.start(self, params), *list_shadows.start(self), *body]


Lowering.run_body = _run_body

__all__ = ["Array", "Items", "Known", "Listed", "Lowering", "Stack", "lower", "np"]
