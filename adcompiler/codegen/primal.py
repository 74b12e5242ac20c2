"""The primal in generated code: the user's program from IR, with what the forward sweep keeps.

Statements keep the user's names and order; temporaries carry `hidden` so that `simplify` can put them back into the
expressions they came from.
"""

from __future__ import annotations

import ast
import copy
import functools

from ..analysis.components import components_of, is_implicit
from ..ir.nodes import (
    NOTHING,
    Assign,
    Break,
    Call,
    Const,
    ContainerOp,
    Display,
    Effect,
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
    walk,
)
from ..ir.types import Opaque, Tup
from ..rules.libraries import only_computes
from ..transform.bars import unique
from ..transform.rerun import acts_outside, is_print, moves_generator
from ..transform.hook_adjoints import is_hook
from ..transform.code import Branch, Line, Repeat, Verbatim, attribute, call, constant, name, subscript
from .names import apply, method_of, operator_node


class PrimalNames:
    """How variables are spelt in the forward sweep."""

    def __init__(self, function, layout, namer, taken):
        self.function, self.layout, self.namer, self.taken = function, layout, namer, taken
        self.hidden: dict[Var, str] = {}
        self.versions: dict[str, list[Var]] = {}
        self.latest: dict[str, tuple[int, int]] = {}  # name -> position and number of its last definition
        self.components = components_of(layout)
        self.bound: dict[Var, Var] = {}  # elements that a loop's header binds to a name -> that name
        for v in layout.home:
            d = v.definition
            if not v.hidden and isinstance(d, Assign) and d.implicit and isinstance(d.value, Var):
                if is_implicit(d.value):
                    self.bound.setdefault(d.value, v)
            if not v.hidden:
                self.versions.setdefault(v.name, []).append(v)

    def name(self, v: Var) -> str:
        if not v.hidden:
            return v.name
        if v not in self.hidden:
            self.hidden[v] = unique(v.name, self.taken)
        return self.hidden[v]

    def is_rebound(self, v: Var, text) -> bool:
        """Does the name of `v` mean something else at the end of the function?"""
        if v.hidden:
            return False
        if v.name not in self.latest:
            versions = self.versions.get(v.name, ())
            self.latest[v.name] = max(((self.layout.home[w][1], w.uid) for w in versions), default=(-1, -1))
        return self.latest[v.name] > (self.layout.home[v][1], v.uid)

    def is_rebound_for(self, v, text):
        return False

    # -- expressions -----------------------------------------------------------------------------------------------
    def read(self, e):
        """An operand or expression of the IR as Python."""
        if isinstance(e, Var):
            if e in self.components and e.hidden:
                base, k = self.components[e]
                return subscript(self.read(base), constant(k))
            if e in self.bound:
                return name(self.name(self.bound[e]))
            if (
                e.const is not NOTHING
                and e.hidden
                and not e.varied
                and isinstance(e.const, (int, float, str, bool))
                and e.definition is None
            ):
                return self.namer.object(e.const)
            return name(self.name(e))
        if isinstance(e, Const):
            return self.namer.object(e.value)
        if isinstance(e, Call):
            return self.call(e)
        if isinstance(e, GetItem):
            return subscript(self.read(e.base), self.index(e.index))
        if isinstance(e, GetAttr):
            return attribute(self.read(e.base), e.attr)
        if isinstance(e, Slice):
            return ast.Slice(*[None if p is None else self.read(p) for p in (e.lower, e.upper, e.step)])
        if isinstance(e, Starred):
            return ast.Starred(self.read(e.value), ast.Load())
        if isinstance(e, Display):
            items = [self.read(i) for i in e.items]
            if e.kind == "dict":
                return ast.Dict([self.read(k) for k in e.keys], items)
            return {"tuple": ast.Tuple, "list": ast.List}[e.kind](items, ast.Load())
        if isinstance(e, Raw):
            return self.raw(e.node, e.names)
        raise TypeError(f"unknown expression {type(e).__name__}")

    def index(self, e):
        return self.read(e)

    def call(self, e: Call):
        if is_hook(e):
            return self.read(e.args[0])
        args = [self.read(a) for a in e.args]
        kwargs = {k: self.read(v) for k, v in e.kwargs.items()}
        method = method_of(e)
        if method is not None and method.startswith("."):
            return attribute(args[0], method[1:])
        if method is not None:
            return call(attribute(args[0], method), *args[1:], **kwargs)
        if isinstance(e.function, (Var, Const, GetAttr)):
            return call(self.read(e.function), *args, **kwargs)
        return apply(self.namer.object, e.function, args, kwargs)

    def raw(self, node, names):
        """A piece of the user's text with the names of this function."""
        return _Renamer(self, names).visit(copy.deepcopy(node))

    def pattern(self, p):
        if isinstance(p, Var):
            return name(self.name(p), True)
        if p and p[0] == "*":
            return ast.Starred(self.pattern(p[1]), ast.Store())
        return ast.Tuple([self.pattern(i) for i in p], ast.Store())


class _Renamer(ast.NodeTransformer):
    def __init__(self, names, mapping, writes=None):
        self.names, self.mapping, self.writes = names, mapping, writes or {}

    def visit_Lambda(self, node):
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [None if d is None else self.visit(d) for d in node.args.kw_defaults]
        bound = {a.arg for a in (*node.args.args, *node.args.posonlyargs, *node.args.kwonlyargs)}
        inner = _Renamer(self.names, {k: v for k, v in self.mapping.items() if k not in bound}, self.writes)
        node.body = inner.visit(node.body)
        return node

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load) and node.id in self.mapping:
            return self.names.read(self.mapping[node.id])
        if not isinstance(node.ctx, ast.Load) and node.id in self.writes:
            return ast.Name(self.names.name(self.writes[node.id]), node.ctx)
        if isinstance(node.ctx, ast.Load) and node.id in self.writes:
            return ast.Name(self.names.name(self.writes[node.id]), node.ctx)
        return node


class PrimalPrinter:
    """Turns the statements of a function into code, with the insertions of the save pass."""

    def __init__(self, function, names: PrimalNames, insertions, namer, scopes=None):
        self.function, self.names, self.insert, self.namer = function, names, insertions, namer
        self.scopes = scopes or {}  # segments and checkpointed loops that run again in reverse
        self.plain = False  # nothing is taped, in calls either
        self.again = False  # the program has run this part before
        self.out: list = []

    def body(self):
        self.out = list(self.insert.start)
        self.block(self.function.body)
        return self.out

    def nested(self, block, head=()):
        out, self.out = self.out, list(head)
        self.block(block)
        made, self.out = self.out, out
        return made

    def block(self, block):
        for s in block:
            self.out.extend(self.insert.before.get(s, ()))
            self.statement(s)
            self.out.extend(self.insert.after.get(s, ()))

    def line(self, s, target, value, op=None, hidden=False, keep=False):
        self.out.append(Line(target, value, op, s.loc, hidden, keep))

    def statement(self, s):
        method = getattr(self, "_" + type(s).__name__.lower())
        method(s)

    def _assign(self, s: Assign):
        if s.implicit:
            return
        if isinstance(s.value, Raw) and isinstance(s.value.node, ast.FunctionDef):
            self.out.append(Verbatim(self.names.raw(s.value.node, s.value.names), s.loc))
            return
        target = name(self.names.name(s.target), True)
        if s.augmented is not None and isinstance(s.value, Call) and len(s.value.args) == 2:
            in_place = isinstance(s.target.type, Opaque)  # other names may see it
            self.line(s, target, self.names.read(s.value.args[1]), operator_node(s.augmented)(), keep=in_place)
            return
        self.line(s, target, self.names.read(s.value), hidden=s.target.hidden, keep=_has_effect(s.value))

    def _unpack(self, s: Unpack):
        self.line(s, self.names.pattern(s.pattern), self.names.read(s.value))

    def _store(self, s: Store):
        if isinstance(s.printed, tuple):
            _, function, value = s.printed
            if s.index is None or isinstance(s.index, Const) and s.index.value is Ellipsis:
                target = self.names.read(s.base)
            else:
                target = subscript(self.names.read(s.base), self.names.index(s.index))
            target.ctx = ast.Store()
            self.line(s, target, self.names.read(value), operator_node(function)(), keep=True)
            return
        if s.printed is not None:
            self.line(s, None, self.names.read(s.printed), keep=True)
            return
        if s.index is None:
            target = self.names.read(s.base)
            if not isinstance(target, (ast.Name, ast.Subscript, ast.Attribute)):
                target = subscript(target, constant(Ellipsis))
            target.ctx = ast.Store()
        else:
            target = subscript(self.names.read(s.base), self.names.index(s.index), True)
        op = operator_node(s.op)() if s.op is not None else None
        self.line(s, target, self.names.read(s.value), op, keep=True)

    def _containerop(self, s: ContainerOp):
        if s.implicit:
            return
        base = self.names.read(s.base)
        key = None if s.key is None else self.names.read(s.key)
        value = None if s.value is None else self.names.read(s.value)
        target = name(self.names.name(s.target), True) if s.target is not None else None
        hidden = s.target is not None and s.target.hidden
        if s.kind == "get":
            self.line(s, target, subscript(base, key), hidden=hidden)
        elif s.kind == "getattr":
            self.line(s, target, attribute(base, s.key.value), hidden=hidden)
        elif s.kind == "setattr":
            self.line(s, ast.Attribute(base, s.key.value, ast.Store()), value, keep=True)
        elif s.kind == "set" or s.kind == "set_slice":
            self.line(s, subscript(base, key, True), value, keep=True)
        elif s.kind == "append":
            self.line(s, None, call(attribute(base, "append"), value), keep=True)
        elif s.kind == "insert":
            self.line(s, None, call(attribute(base, "insert"), key, value), keep=True)
        elif s.kind in ("pop", "pop_key"):
            self.line(
                s, target, call(attribute(base, "pop"), *([key] if key is not None else [])), hidden=False, keep=True
            )
        elif s.kind == "extend":
            self.line(s, None, call(attribute(base, "extend"), value), keep=True)
        elif s.kind in ("reverse", "clear"):
            self.line(s, None, call(attribute(base, s.kind)), keep=True)
        elif s.kind == "slice":
            self.line(s, target, subscript(base, key), hidden=hidden)
        elif s.kind == "elements":
            whole = isinstance(s.key, Slice) and s.key.lower is None and s.key.upper is None
            self.line(s, target, call(self.namer.object(list), base if whole else subscript(base, key)), hidden=hidden)
        elif s.kind == "permute":
            self.permute(s, base, key)
        elif s.kind == "update":
            self.line(s, None, call(attribute(base, "update"), value), keep=True)
        elif s.kind == "copy_dict":
            self.line(s, target, call(self.namer.object(dict), base), hidden=hidden)
        elif s.kind == "values":
            self.line(s, target, call(self.namer.object(list), call(attribute(base, "values"))), hidden=hidden)
        elif s.kind == "concatenate":
            self.line(s, target, ast.BinOp(base, ast.Add(), key), hidden=hidden)
        elif s.kind == "replicate":
            self.line(s, target, ast.BinOp(base, ast.Mult(), key), hidden=hidden)
        else:
            raise TypeError(f"unknown container operation {s.kind}")

    def permute(self, s, base, order):
        """`values.sort()`, or the elements in a given order."""
        if s.printed is not None:
            self.line(s, None, call(attribute(base, "sort")), keep=True)
            return
        k = unique("k", set(self.names.taken))
        generator = ast.comprehension(name(k, True), order, [], 0)
        self.line(
            s,
            subscript(base, ast.Slice(), True),
            ast.ListComp(subscript(copy.deepcopy(base), name(k)), [generator]),
            keep=True,
        )

    def _effect(self, s: Effect):
        if self.again and is_print(s):
            return
        node = _Renamer(self.names, s.names, s.writes).visit(copy.deepcopy(s.node))
        self.out.append(Verbatim(node, s.loc))

    def _if(self, s: If):
        then, orelse = self.nested(s.then), self.nested(s.orelse)
        for phi in s.phis:
            self.rename(then, phi.target, phi.then, s)
            self.rename(orelse, phi.target, phi.orelse, s)
        self.undefined(then, s, "then")
        self.undefined(orelse, s, "orelse")
        self.out.append(Branch(self.names.read(s.test), then, orelse, s.loc))

    def undefined(self, code, s, side):
        """A name that one side leaves without a value has None there, where it is kept for the adjoint all the same."""
        for phi in s.phis:
            if getattr(phi, side) is None and phi.target in self.kept_joins and not self.is_component(phi.target):
                code.append(Line(name(self.names.name(phi.target), True), _nothing(phi.target), None, s.loc))

    def is_component(self, v) -> bool:
        """Is it read off the name of a tuple?"""
        return v in self.names.components and v.hidden

    @functools.cached_property
    def kept_joins(self) -> set[Var]:
        """Joins that are kept where they are made, and the joins that lead to them."""
        found: set[Var] = set()
        for s in walk(self.function.body):
            if not isinstance(s, (If, Loop)):
                continue
            kept = {
                n.id
                for line in (*self.insert.head.get(s, ()), *self.insert.after.get(s, ()))
                for n in ast.walk(line.value)
                if isinstance(n, ast.Name)
            }
            stack = [phi for phi in (*s.phis, *getattr(s, "exits", ())) if self.names.name(phi.target) in kept]
            while stack:
                phi = stack.pop()
                if phi.target not in found:
                    found.add(phi.target)
                    stack.extend(
                        v.definition for v in (phi.then, phi.orelse) if v is not None and isinstance(v.definition, Phi)
                    )
        return found

    def rename(self, code, target, source, s):
        """A join of values with other names: the joined name is assigned on this path."""
        if source is None or target in self.names.components and target.hidden:
            return
        text, old = self.names.name(target), self.names.read(source)
        if isinstance(old, ast.Name) and old.id == text:
            return
        code.append(Line(name(text, True), old, None, s.loc, hidden=target.hidden))

    def _loop(self, s: Loop):
        for phi in s.phis:
            self.rename(self.out, phi.target, phi.then, s)
        self.undefined(self.out, s, "then")
        if s in self.scopes:
            self.scopes[s].forward(self)
        else:
            self.print_loop(s)
        for phi in s.exits:
            self.rename(self.out, phi.target, phi.then, s)

    def loop_body(self, s, head):
        body = self.nested(s.body, head)
        for phi in s.phis:
            self.rename(body, phi.target, phi.orelse, s)
        return body

    def loop_head(self, s) -> list:
        return list(self.insert.head.get(s, ()))

    def print_loop(self, s: Loop, first=()):
        counter = self.insert.counters.get(s)
        head = [*first, *self.loop_head(s)]
        if counter is not None:
            self.line(s, name(counter, True), constant(0))
            head.insert(0, Line(name(counter, True), constant(1), ast.Add(), s.loc))
        if s.kind == "while":
            test_lines = self.nested(s.test_block)
            body = self.loop_body(s, head)
            if test_lines:
                from ..transform.forwarding import substituted_test

                test = substituted_test(test_lines, self.names.read(s.test))
                if test is None:
                    leave = Branch(
                        ast.UnaryOp(ast.Not(), self.names.read(s.test)), [Verbatim(ast.Break(), s.loc)], [], s.loc
                    )
                    self.out.append(Repeat(None, constant(True), [*test_lines, leave, *body], s.loc))
                    return
                self.out.append(Repeat(None, test, body, s.loc))
                return
            self.out.append(Repeat(None, self.names.read(s.test), body, s.loc))
            return
        body = self.loop_body(s, head)
        pattern, printed = s.header
        if s.kind == "range":
            iterable = call(self.namer.object(range), *[self.names.read(b) for b in s.bounds])
            if s.backward:
                iterable = call(self.namer.object(reversed), iterable)
        else:
            iterable = self.names.read(printed)
        self.out.append(Repeat(self.names.pattern(pattern), iterable, body, s.loc))

    def _break(self, s: Break):
        self.out.append(Verbatim(ast.Break(), s.loc))

    def _with(self, s: With):
        items = [
            ast.withitem(self.names.read(c), name(self.names.name(v), True) if v is not None else None)
            for c, v in s.items
        ]
        body = self.nested(s.body)
        if not s.checked:
            self.out.append(Verbatim(ast.With(items, []), s.loc, [body]))
            return
        from ..runtime.contexts import check_completed

        completed = unique("completed", self.names.taken)
        self.line(s, name(completed, True), constant(False))
        body.append(Line(name(completed, True), constant(True), None, s.loc))
        self.out.append(Verbatim(ast.With(items, []), s.loc, [body]))
        check = call(
            self.namer.object(check_completed), name(completed), constant(s.loc.filename), constant(s.loc.lineno)
        )
        self.line(s, None, check, keep=True)

    def _segment(self, s: Segment):
        if s in self.scopes:
            self.scopes[s].forward(self)
        else:
            self.block(s.body)

    def _try(self, s: Try):
        from .exceptions import print_try

        print_try(self, s)

    def attempted(self, then, s: Try) -> tuple[list, list]:
        """The code of an attempt: what may stop, and what follows if it does not."""
        return then, []

    def _usercall(self, s: UserCall):
        from .user_calls import print_call

        print_call(self, s)


def has_outer_effect(s) -> bool:
    """Does this statement do something that outlives the call, or that would come out differently if it ran again?"""
    if isinstance(s, Effect):
        stores = any(
            isinstance(n, (ast.Subscript, ast.Attribute)) and isinstance(n.ctx, ast.Store) for n in ast.walk(s.node)
        )
        return not isinstance(s.node, (ast.Assert, ast.Raise)) and (
            stores or any(isinstance(n, ast.Call) for n in ast.walk(s.node))
        )
    if not isinstance(s, Assign) or not isinstance(s.value, Call):
        return False
    function = s.value.function
    if isinstance(function, (Var, Const, GetAttr)):
        return not (isinstance(function, Const) and only_computes(function.value))
    if moves_generator(function):
        return True
    makes = isinstance(function, type) or getattr(function, "__name__", "") == "__new__"
    return (
        not makes
        and not (getattr(function, "__module__", None) or "").startswith("adcompiler.")
        and _has_effect(s.value)
    )


def _has_effect(value) -> bool:
    """May computing this do more than give a value?"""
    if isinstance(value, Call):
        if value.rule is not None:
            return not value.rule.pure
        from ..rules.registry import is_inactive

        function = value.function
        if isinstance(function, (Var, Const, GetAttr)) or not callable(function) or moves_generator(function):
            return True
        if acts_outside(function):
            return True
        return (
            not is_inactive(function)
            and not only_computes(function)
            and getattr(function, "__module__", "") not in ("_operator",)
            and function not in _PURE
        )
    return (
        isinstance(value, Raw)
        and not isinstance(value.node, ast.Lambda)
        and any(isinstance(n, (ast.Call, ast.NamedExpr)) for n in ast.walk(value.node))
    )


def _nothing(v):
    """None in the structure of a variable, so that the parts of a tuple can be kept one by one."""
    if v.items is None:
        return constant(None)
    return ast.Tuple([_nothing(i) for i in v.items], ast.Load())


_PURE = (functools.partial, len, range, min, max, list, tuple, isinstance, enumerate, zip, reversed, str, repr)

__all__ = ["PrimalNames", "PrimalPrinter", "Starred", "Tup"]
