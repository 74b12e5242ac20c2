"""Attempts: `try` becomes straight-line pieces that may stop, and a number that says which handler is to run.

Takes the statements of a function before `structure`; gives statements in which every chosen `try` (and every
`with contextlib.suppress(...)` among the chosen) is gone. What may raise stands in an `Attempt`, a piece of which either
everything counts or nothing; where it stops, the handler's number is in a name of its own, loops are left by `break`,
and what would have followed is guarded. It is plain Python that computes what the original computes, so the path of an
exception is an ordinary path, and is reversed like one.

>>> tree = ast.parse('''
... def f(x):
...     try:
...         y = log(x)
...     except ValueError:
...         y = -x
...     return y
... ''').body[0]
>>> print(ast.unparse(ast.Module(spread(tree, lambda s: isinstance(s, ast.Try)), [])))
stopped = 0
try:
    y = log(x)
except ValueError:
    stopped = 1
if stopped == 1:
    stopped = 0
    y = -x
return y
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, field

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_HARMLESS = {"errstate", "catch_warnings", "nullcontext", "open", "no_grad", "Lock", "RLock"}
_SEQUENCES = {"range", "zip", "enumerate", "reversed"}


class Attempt(ast.Try):
    """A piece that runs as a whole or stops: its handlers only note which of the user's handlers is to run.

    `stopped` is the name of that number, `raised` the name of the exception where it is needed, else None.
    """

    _fields = ast.Try._fields


Attempt.__name__ = "Try"  # visitors, and printers of syntax trees, go by the name of the class


class _Marked(ast.Try):
    """A `try` that is taken apart in any case."""

    _fields = ast.Try._fields

    @classmethod
    def of(cls, s):
        return ast.copy_location(cls(s.body, s.handlers, s.orelse, s.finalbody), s)


class Refusal(Exception):
    """What stands in a `try` cannot be split into pieces: (node, reason, hint)."""


@dataclass
class _Clause:
    type: ast.expr | None
    number: int
    binds: bool  # is the exception wanted?
    reads: bool = False  # does the handler look into it?


@dataclass
class _Around:
    """One `try` around a statement, as its body (or handler) sees it."""

    clauses: list
    final: list = field(default_factory=list)
    loops: int = 0
    exits: list = field(default_factory=list)  # (number, statement) of what leaves through `final`


def spread(definition, chosen, *, apart=False) -> list[ast.stmt]:
    """The statements of a function without the `try` statements for which `chosen(node)` holds.

    apart: never put two statements into one piece. Raises Refusal.
    """
    return _Spreader(definition, chosen, apart).function()


class _Spreader:
    def __init__(self, definition, chosen, apart):
        self.definition, self.chosen, self.apart = definition, chosen, apart
        self.taken = (
            {n.id for n in ast.walk(definition) if isinstance(n, ast.Name)}
            | {
                a.arg
                for n in ast.walk(definition)
                if isinstance(n, ast.arguments)
                for a in (*n.args, *n.posonlyargs, *n.kwonlyargs)
            }
            | {h.name for h in ast.walk(definition) if isinstance(h, ast.ExceptHandler) and h.name}
        )
        self.stopped, self.raised = self.fresh("stopped"), self.fresh("raised")
        self.leaving = 1  # the number of an exception that has no handler, but a `finally`
        self.numbers = int(any(isinstance(n, ast.Try) and n.finalbody for n in ast.walk(definition)))
        self.leaves = False  # may an exception wait for a `finally` before it goes on?
        self.loops = 0
        self.caught: list[str] = []  # names of the exceptions of the handlers around

    def fresh(self, wanted):
        chosen, k = wanted, 0
        while chosen in self.taken:
            k += 1
            chosen = f"{wanted}_{k}"
        self.taken.add(chosen)
        return chosen

    def function(self):
        return self.sequence(self.definition.body, ())

    # -- small trees -----------------------------------------------------------------------------------------------
    def at(self, made, node):
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def set(self, name, value, node):
        value = ast.Constant(value) if not isinstance(value, ast.AST) else value
        return self.at(ast.Assign([ast.Name(name, ast.Store())], value), node)

    def test(self, number, node, differs=False):
        op = ast.NotEq() if differs else ast.Eq()
        return self.at(ast.Compare(ast.Name(self.stopped, ast.Load()), [op], [ast.Constant(number)]), node)

    def when(self, test, body, node, orelse=()):
        return self.at(ast.If(test, body or [ast.Pass()], list(orelse)), node)

    # -- blocks ----------------------------------------------------------------------------------------------------
    def sequence(self, body, around) -> list[ast.stmt]:
        """Statements in order; behind one that may stop, the rest is guarded."""
        out, pieces = [], []
        for k, s in enumerate(body):
            if around and self.is_simple(s):
                pieces.append(s)
                if k + 1 < len(body) and self.may_share(pieces, s, body[k + 1], body):
                    continue
                out.append(self.attempt(pieces, around))
                pieces = []
                stops = True
            else:
                made, stops = self.compound(s, around)
                out.extend(made)
            if stops and k + 1 < len(body) and not isinstance(s, (ast.Return, ast.Break, ast.Continue)):
                rest = self.sequence(body[k + 1 :], around)
                out.append(self.when(self.test(0, body[k + 1]), rest, body[k + 1]))
                return out
            if isinstance(s, (ast.Return, ast.Break, ast.Continue)):
                return out
        return out

    def is_simple(self, s) -> bool:
        if isinstance(
            s,
            (
                ast.Return,
                ast.Break,
                ast.Continue,
                ast.For,
                ast.While,
                ast.If,
                ast.Match,
                *_SCOPES,
                ast.Pass,
                ast.Global,
                ast.Nonlocal,
            ),
        ):
            return False
        if isinstance(s, ast.Assign) and _cannot_fail(s.value) and all(isinstance(t, ast.Name) for t in s.targets):
            return False
        if isinstance(s, ast.With):
            return not (self.suppresses(s, True) or all(_called(i.context_expr) in _HARMLESS for i in s.items))
        return not (isinstance(s, ast.Try) and (self.is_taken_apart(s) or _leaves(s)))

    def is_taken_apart(self, s) -> bool:
        return isinstance(s, ast.Try) and (isinstance(s, _Marked) or self.chosen(s))

    def suppresses(self, s, around) -> bool:
        return isinstance(s, ast.With) and any(self.is_suppress(i.context_expr, around) for i in s.items)

    def is_suppress(self, e, around) -> bool:
        return (
            self.chosen(e)
            or bool(around)
            and _called(e) == "suppress"
            and not any(isinstance(a, ast.Starred) for a in e.args)
        )

    def may_share(self, pieces, s, following, body) -> bool:
        """May the next statement join this piece: does nothing see what this one did if the next one fails?"""
        if (
            self.apart
            or not self.is_simple(following)
            or isinstance(following, (ast.Raise, ast.Try, ast.With, ast.Import, ast.ImportFrom))
        ):
            return False
        if not isinstance(s, ast.Assign) or not all(isinstance(t, ast.Name) for t in s.targets):
            return False
        names = {t.id for t in s.targets}
        loads = [
            n
            for n in ast.walk(self.definition)
            if isinstance(n, ast.Name) and n.id in names and not isinstance(n.ctx, ast.Store)
        ]
        later = {id(n) for t in body[body.index(s) + 1 :] for n in ast.walk(t)}
        return all(id(n) in later for n in loads) and not any(
            isinstance(t, ast.AugAssign) and isinstance(t.target, ast.Name) and t.target.id in names
            for t in ast.walk(self.definition)
        )

    def attempt(self, pieces, around) -> Attempt:
        first = pieces[0]
        for s in pieces:
            if any(isinstance(n, ast.NamedExpr) for n in ast.walk(s)):
                raise Refusal(s, "':=' inside 'try' around active statements", "assign in a statement of its own")
            if isinstance(s, ast.With) and _leaves(s):
                raise Refusal(s, "a block that is left from inside a context within 'try'", "leave it behind the 'try'")
            if (
                isinstance(s, ast.Assign)
                and (len(s.targets) > 1 or isinstance(s.targets[0], (ast.Tuple, ast.List)))
                and any(
                    not isinstance(n, (ast.Name, ast.Tuple, ast.List, ast.Starred, ast.expr_context))
                    for t in s.targets
                    for n in ast.walk(t)
                )
            ):
                raise Refusal(
                    s,
                    "an assignment of several parts inside 'try', which an exception may leave half done",
                    "assign each part in a statement of its own",
                )
        statements = [self.raise_caught(s) for s in pieces]
        handlers = []
        for clause in self.clauses(around):
            name = self.fresh("error") if clause.binds else None
            body = [self.set(self.stopped, clause.number, first)]
            if name:
                body.append(self.set(self.raised, ast.Name(name, ast.Load()), first))
            caught = clause.type
            if caught is None and name:
                caught = self.at(ast.Name("BaseException", ast.Load()), first)
            handlers.append(ast.ExceptHandler(caught, name, body))
        made = self.at(Attempt(statements, handlers, [], []), first)
        made.stopped, made.raised = self.stopped, self.raised
        made.carries = any(a.clauses and any(c.binds and c.reads for c in a.clauses) for a in around)
        return made

    def raise_caught(self, s):
        """A bare `raise` names what it raises."""
        if isinstance(s, ast.Raise) and s.exc is None and self.caught:
            return self.at(ast.Raise(ast.Name(self.caught[-1], ast.Load()), None), s)
        return s

    def clauses(self, around):
        """Where an exception goes from here: handlers from the inside out, then whatever runs a `finally`."""
        found = []
        for a in reversed(around):
            for clause in a.clauses:
                found.append(clause)
                if clause.type is None:
                    return found
        if any(a.final for a in around):
            made = _Clause(self.at(ast.Name("BaseException", ast.Load()), self.definition), self.leaving, True)
            found.append(made)
            self.leaves = True
        return found

    # -- statements that hold others -------------------------------------------------------------------------------
    def compound(self, s, around):
        """(statements, may they stop) for what is not a piece of its own."""
        if self.is_taken_apart(s) or isinstance(s, ast.Try) and around and _leaves(s):
            return self.lower_try(s, s.body, s.handlers, s.orelse, s.finalbody, around), bool(around)
        if self.suppresses(s, around):
            return self.lower_suppress(s, around), bool(around)
        if isinstance(s, ast.If):
            lines, test = self.evaluated(s.test, around)
            made = self.at(
                ast.If(test, self.sequence(s.body, around) or [ast.Pass()], self.sequence(s.orelse, around)), s
            )
            return self.after(lines, [made], s), bool(around)
        if isinstance(s, ast.For):
            return self.lower_for(s, around), bool(around)
        if isinstance(s, ast.While):
            return self.lower_while(s, around), bool(around)
        if isinstance(s, ast.With):
            lines, items = [], []
            for item in s.items:
                more, e = [], item.context_expr
                if around:
                    callee = e.func if isinstance(e, ast.Call) else e
                    more, e = self.evaluated(e, around) if _called(e) == "open" else ([], copy.copy(e))
                    e.callee_in_try = callee  # exceptions stop inside: a context that looks at them must be refused
                lines += more if not lines else [self.when(self.test(0, s), more, s)] if more else []
                items.append(ast.withitem(e, item.optional_vars))
            return self.after(
                lines, [self.at(ast.With(items, self.sequence(s.body, around) or [ast.Pass()]), s)], s
            ), bool(around)
        if isinstance(s, ast.Try):
            handlers = [
                ast.copy_location(ast.ExceptHandler(h.type, h.name, self.sequence(h.body, ())), h) for h in s.handlers
            ]
            return [
                self.at(
                    ast.Try(
                        self.sequence(s.body, ()), handlers, self.sequence(s.orelse, ()), self.sequence(s.finalbody, ())
                    ),
                    s,
                )
            ], False
        if isinstance(s, ast.Return):
            return self.leave(s, around, [a for a in reversed(around)]), False
        if isinstance(s, (ast.Break, ast.Continue)):
            return self.leave(s, around, [a for a in reversed(around) if a.loops == self.loops]), False
        if isinstance(s, ast.Match) and around:
            raise Refusal(s, "'match' inside 'try' around active statements", "write if/elif on the same conditions")
        return [self.raise_caught(s)], False

    def lower_suppress(self, s, around):
        """`with a, suppress(E), b:` is a `try` inside `with a`, around `with b`."""
        at = next(k for k, i in enumerate(s.items) if self.is_suppress(i.context_expr, around))
        body = s.body
        if at + 1 < len(s.items):
            body = [ast.copy_location(ast.With(s.items[at + 1 :], body), s)]
        e = s.items[at].context_expr
        types = e.args[0] if len(e.args) == 1 else self.at(ast.Tuple(e.args, ast.Load()), e)
        nothing = ast.ExceptHandler(types, None, [self.at(ast.Pass(), s)])
        attempt = ast.copy_location(ast.Try(body, [ast.copy_location(nothing, e)], [], []), s)
        if at:
            outer = ast.copy_location(ast.With(s.items[:at], [_Marked.of(attempt)]), s)
            return self.sequence([outer], around)
        return self.lower_try(s, body, [nothing], [], [], around)

    def after(self, lines, made, node):
        if not lines:
            return made
        return [*lines, self.when(self.test(0, node), made, node)]

    def evaluated(self, e, around):
        """Lines that compute `e` in a piece of its own, and what to read then; an expression that cannot fail stays."""
        if not around or _cannot_fail(e):
            return [], e
        name = self.fresh("value")
        statement = self.at(ast.Assign([ast.Name(name, ast.Store())], e), e)
        return [self.attempt([statement], around)], self.at(ast.Name(name, ast.Load()), e)

    def leave(self, s, around, left):
        """`return`, `break` and `continue`; through a `finally` they become a number that is looked at behind it."""
        lines = []
        final = next((a for a in left if a.final), None)
        if isinstance(s, ast.Return) and s.value is not None and around:
            lines, value = self.evaluated(s.value, around)
            if final is not None and not lines and not isinstance(value, ast.Constant):
                name = self.fresh("value")
                lines, value = [self.set(name, value, s)], self.at(ast.Name(name, ast.Load()), s)
            s = self.at(ast.Return(value), s)
        rest = [s]
        if final is not None:
            self.numbers += 1
            final.exits.append((self.numbers, s))
            rest = [self.set(self.stopped, self.numbers, s)]
        if any(isinstance(line, Attempt) for line in lines):
            return [*lines, self.when(self.test(0, s), rest, s)]
        return [*lines, *rest]

    def then(self, first, rest, around, node):
        return [*first, self.when(self.test(0, node), rest, node)] if around else [*first, *rest]

    def lower_for(self, s, around):
        lines, iterable = [], s.iter
        if (
            around
            and isinstance(s.iter, ast.Call)
            and isinstance(s.iter.func, ast.Name)
            and s.iter.func.id in _SEQUENCES
        ):
            arguments = []
            for a in s.iter.args:
                more, e = self.evaluated(a, around)
                lines += more if not lines else [self.when(self.test(0, a), more, a)] if more else []
                arguments.append(e)
            iterable = self.at(ast.Call(s.iter.func, arguments, s.iter.keywords), s.iter)
        elif around:
            lines, iterable = self.evaluated(s.iter, around)
        body = self.turn(s, around)
        made = self.at(ast.For(s.target, iterable, body, []), s)
        made.orelse = self.sequence(s.orelse, around)
        return self.after(lines, [made], s)

    def turn(self, s, around):
        self.loops += 1
        body = self.sequence(s.body, around)
        self.loops -= 1
        if around:
            body.append(self.when(self.test(0, s, differs=True), [ast.Break()], s))
        return body

    def lower_while(self, s, around):
        if not around or _cannot_fail(s.test):
            return [self.at(ast.While(s.test, self.turn(s, around), self.sequence(s.orelse, around)), s)]
        if s.orelse:
            raise Refusal(
                s,
                "'while ... else' inside 'try' around active statements",
                "put the 'else' behind the loop, under a flag",
            )
        lines, test = self.evaluated(s.test, around)
        leave = self.when(
            self.at(ast.BoolOp(ast.Or(), [self.test(0, s, differs=True), ast.UnaryOp(ast.Not(), test)]), s),
            [ast.Break()],
            s,
        )
        body = [*lines, leave, *self.turn(s, around)]
        return [self.at(ast.While(ast.Constant(True), body, []), s)]

    # -- try -------------------------------------------------------------------------------------------------------
    def lower_try(self, s, body, handlers, orelse, final, around):
        from .structure import falls

        clauses = []
        for h in handlers:
            self.numbers += 1
            clause = _Clause(h.type, self.numbers, bool(h.name) or _raises_again(h.body))
            clause.reads = h.name is not None and _reads_value(h.body, h.name)
            clauses.append(clause)
        whole = _Around(clauses, final, self.loops)
        outside = _Around([], final, self.loops, whole.exits)
        inner = (*around, outside) if final else around
        out = self.sequence(body, (*around, whole))
        # where the body never falls through, only a stopped one gets here: the last handler needs no test
        leaves = self.leaves
        certain = not around and not leaves and not falls([*body, *orelse])
        chain = None
        for h, clause in reversed(list(zip(handlers, clauses, strict=True))):
            block = [self.set(self.stopped, 0, h)]
            name = None
            if clause.binds:
                name = h.name or self.fresh("error")
                block.append(self.set(name, ast.Name(self.raised, ast.Load()), h))
                block.append(self.set(self.raised, None, h))
                self.caught.append(name)
            block += self.sequence(h.body, inner)
            if name:
                self.caught.pop()
            chain = (
                block if certain and chain is None else [self.when(self.test(clause.number, h), block, h, chain or ())]
            )
        if orelse:
            made = self.sequence(orelse, inner)
            if chain:
                chain = [self.when(self.test(0, s), made, s, chain)]
            else:
                chain = [self.when(self.test(0, s), made, s)]
        out += chain or []
        if final:
            out += self.lower_final(s, final, around)
            for number, statement in whole.exits:
                out.append(
                    self.when(
                        self.test(number, statement),
                        [self.set(self.stopped, 0, s), *self.compound(statement, around)[0]],
                        statement,
                    )
                )
        if around:
            return out
        if leaves or self.leaves:
            leave = self.at(ast.Raise(ast.Name(self.raised, ast.Load()), None), s)
            out.append(self.when(self.test(self.leaving, s), [leave], s) if falls([s]) else leave)
            self.leaves = False
        begin = [self.set(self.stopped, 0, s)]
        if any(isinstance(n, ast.Name) and n.id == self.raised for line in out for n in ast.walk(line)):
            begin.append(self.set(self.raised, None, s))
        return [*begin, *out]

    def lower_final(self, s, final, around):
        """`finally` runs whatever has happened; what it stops by itself wins."""
        held, kept = self.fresh("stopped"), self.fresh("raised")
        lines = [
            self.set(held, ast.Name(self.stopped, ast.Load()), s),
            self.set(kept, ast.Name(self.raised, ast.Load()), s),
            self.set(self.stopped, 0, s),
        ]
        restore = [
            self.set(self.stopped, ast.Name(held, ast.Load()), s),
            self.set(self.raised, ast.Name(kept, ast.Load()), s),
        ]
        return [*lines, *self.then(self.sequence(final, around), restore, around, s)]


def _leaves(s) -> bool:
    return any(isinstance(n, (ast.Return, ast.Break, ast.Continue)) for n in ast.walk(s))


def _called(e) -> str | None:
    f = e.func if isinstance(e, ast.Call) else None
    return f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else None


def _cannot_fail(e) -> bool:
    """Reads of names, constants, and comparisons of them; a name without a value raises where it is read."""
    if isinstance(e, ast.BoolOp):
        return all(_cannot_fail(v) for v in e.values)
    if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.Not):
        return _cannot_fail(e.operand)
    if isinstance(e, ast.Compare):
        return all(_cannot_fail(v) for v in (e.left, *e.comparators))
    return isinstance(e, (ast.Name, ast.Constant))


def _raises_again(body) -> bool:
    return any(isinstance(n, ast.Raise) and n.exc is None for s in body for n in ast.walk(s))


def _reads_value(body, name) -> bool:
    """Is the exception read for more than to raise it again or to print it?"""

    def visit(node):
        if isinstance(node, ast.Raise):
            return False
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("print", "str", "repr", "type")
        ):
            return False
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            return True
        return any(visit(child) for child in ast.iter_child_nodes(node))

    return any(visit(s) for s in body)


__all__ = ["Attempt", "Refusal", "spread"]
