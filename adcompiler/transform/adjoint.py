"""The adjoint: the reverse of every active statement, naive and complete, in the order in which it runs.

Takes a lowered function with activity and ties; gives reverse code in which primal values are `Needed` nodes. Per name
the builder knows whether its adjoint is unset (zero), uniform (one number that stands for an array of it), borrowed
(shared with another name or with the caller) or owned (may be added to in place).

Here are the names and states of adjoints, what adds to them and takes them over, and the walk over blocks. The reverse
of each kind of statement is a module of functions that take the builder first: `rule_adjoints` (calls of rules, whose
`contributions` are brought into form), `move_adjoints`, `store_adjoints`, `container_adjoints`, `branch_adjoints`,
`loop_adjoints` and `call_adjoints` (recursive calls). They read primal values through `primal_operands`.
"""

from __future__ import annotations

import ast
import functools

import numpy as np

from ..analysis.alias import root_of, view_source
from ..ir.nodes import Assign, Call, ContainerOp, Display, GetItem, If, Loop, Segment, Store, Unpack, UserCall, Var, With
from ..ir.types import Num, Opaque, Ref, carries_derivative
from ..runtime.indexing import add_at, zeros_beside
from ..runtime.shadows import add_seed, gradient_of
from .bars import unique
from .branch_adjoints import reverse_branch
from .call_adjoints import reverse_call
from .changed_containers import changing_statements
from .code import END, Enter, Line, attribute, call, clone, constant, name, needed, subscript
from .container_adjoints import reverse_construction, reverse_container, reverse_display
from .hook_adjoints import is_hook, reverse_hook
from .loop_adjoints import reverse_loop
from .move_adjoints import move, move_items, reverse_unpack
from .primal_operands import need_operand
from .rule_adjoints import reverse_rule
from .segment_adjoints import reverse_segment
from .states import BORROWED, OWNED, UNIFORM, UNSET
from .store_adjoints import reverse_item, reverse_store


class Builder:
    """Builds the reverse code of one function."""

    def __init__(self, function, layout, cx, namer, bars, taken, shadowed, *, strict=False):
        self.function, self.layout, self.cx, self.namer = function, layout, cx, namer
        self.bars, self.taken, self.shadowed, self.strict = bars, taken, shadowed, strict
        self.versions: dict[str, list[Var]] = {}  # name of an adjoint -> variables whose adjoint has it
        for v, bar in bars.items():
            if not v.hidden:  # adjoints of temporaries get their names when they are first used
                self.versions.setdefault(bar, []).append(v)
        self.contexts = {id(w.body): w for w in layout.statements if isinstance(w, With)}
        self.hidden_named: set[Var] = set()
        self.states: dict[str, str] = {}
        self.code: list = []
        self.loc = None
        self.uses_shadow = False
        self.plain = False  # checkpointing is switched off: everything is taped
        self.budget = None  # for a tape with one: the names of what measures it, and of what holds parts of it
        self.scopes: dict = {}  # segments and checkpointed loops that run again in reverse -> how they are printed
        self.settled: set = set()  # statements whose inner needs are resolved
        self.volatile: set[int] = set()  # families that a recursive call may change
        self.uniform: dict[str, Var] = {}  # adjoints that are one number for all elements

    # -- small parts -----------------------------------------------------------------------------------------------
    def numpy(self, attr):
        return attribute(self.namer.module(np), attr)

    def runtime(self, function):
        return self.namer.object(function)

    def line(self, target, value, op=None, hidden=False, keep=False):
        self.code.append(Line(target, value, op, self.loc, hidden, keep))

    def temporary(self, wanted):
        return unique(wanted, self.taken)

    def bar(self, v: Var) -> str:
        """The adjoint's name."""
        if v.hidden and v not in self.hidden_named:
            self.hidden_named.add(v)
            self.rename_bar(v, unique(self.bars.get(v, f"{v.name}_bar"), self.taken))
        return self.bars[v]

    def rename_bar(self, v: Var, bar: str):
        """Give the adjoint of `v` its name."""
        old = self.versions.get(self.bars.get(v), ())
        if v in old:
            old.remove(v)
        self.bars[v] = bar
        self.versions.setdefault(bar, []).append(v)

    def is_bar_of_numbers(self, bar: str) -> bool:
        """Is this the adjoint of nothing but real numbers?"""
        versions = self.versions.get(bar, ())
        return bool(versions) and all(_is_real_number(v) for v in versions)

    def is_hidden(self, v: Var) -> bool:
        return v.hidden

    def shadow_kind(self, v: Var) -> bool:
        return v.group is not None and isinstance(v.type, Num) and id(v.group.family) in self.shadowed

    def contributes(self, operand) -> bool:
        """Does this operand of a rule receive an adjoint?"""
        if isinstance(operand, (tuple, list)):
            return any(self.contributes(o) for o in operand)
        return isinstance(operand, Var) and operand.active

    # -- adjoints of variables -------------------------------------------------------------------------------------
    def state(self, v: Var) -> str:
        return self.states.get(self.bar(v), UNSET)

    def is_set(self, v: Var) -> bool:
        """Has anything reached the adjoint of `v`?"""
        if v.items is not None:
            return any(self.is_set(i) for i in v.items)
        if isinstance(v.type, Ref) or self.shadow_kind(v):
            return v.active
        if v.tied:
            return self.is_set(root_of(v))
        return v.active and self.state(v) != UNSET

    def bar_value(self, v: Var, at, *, uniform=False):
        """The adjoint of `v` as an expression to read; with `uniform` one number may stand for all elements."""
        if v.items is not None:
            return ast.Tuple([self.bar_value(i, at) for i in v.items], ast.Load())
        if v.tied or self.shadow_kind(v):
            return self.region(v, at)
        if not v.active or self.state(v) == UNSET:
            return self.zero(v, at)
        if self.state(v) == UNIFORM and not uniform:
            self.spread_out(v, at)
        return name(self.bar(v))

    def spread_out(self, v: Var, at):
        """A uniform adjoint becomes an array."""
        bar = self.bar(v)
        last = self.code[-1] if self.code else None
        if isinstance(last, Line) and last.op is None and isinstance(last.target, ast.Name) and last.target.id == bar:
            last.value = call(
                self.numpy("full"), self.shape_expression(v, at), last.value, *self.dtype_argument(v.type)
            )
            self.states[bar] = OWNED
            return
        self.line(
            name(bar, True),
            call(self.numpy("full"), self.shape_expression(v, at), name(bar), *self.dtype_argument(v.type)),
        )
        self.states[bar] = OWNED

    def spread_all(self, at):
        """Before nested code every uniform adjoint becomes an array."""
        for bar, v in list(self.uniform.items()):
            if self.states.get(bar) == UNIFORM:
                self.spread_out(v, at)
        self.uniform.clear()

    def region(self, v: Var, at):
        """The adjoint of a tied view or a shadowed array, as an expression for its memory."""
        if self.shadow_kind(v):
            return self.shadow(v, at)
        if not v.tied:
            return name(self.bar(v))
        base = view_source(v)
        d = v.definition
        below = self.region(base, at)
        if isinstance(d, Assign) and isinstance(d.value, GetItem):
            return subscript(below, need_operand(self, d.value.index, at))
        if isinstance(d, Assign) and isinstance(d.value, Call):
            value = d.value
            arguments = [below if a is base else need_operand(self, a, at) for a in value.args]
            kwargs = {k: below if a is base else need_operand(self, a, at) for k, a in value.kwargs.items()}
            if value.method is not None and value.method.startswith("."):
                return attribute(arguments[0], value.method[1:])
            if value.method is not None:
                return call(attribute(arguments[0], value.method), *arguments[1:], **kwargs)
            return call(self.namer.object(value.function), *arguments, **kwargs)
        return below

    def shadow(self, v: Var, at):
        """The adjoint memory of an array or container, found by the identity of the primal object."""
        self.uses_shadow = True
        return call(name("shadow"), needed(v, "ref", at))

    def zero(self, v: Var, at):
        t = v.type
        if isinstance(t, Num) and t.boxed is False:
            return constant(0.0)
        if isinstance(t, Num) and t.kind == "?":  # real or complex, as the value is
            changes = v.group is not None and v.group.family.stored  # what it holds does not matter, so no copy
            return call(self.runtime(zeros_beside), needed(v, "ref" if changes else "value", at))
        return call(self.numpy("zeros"), self.shape_expression(v, at), *self.dtype_argument(t))

    def dtype_argument(self, t):
        if isinstance(t, Num) and t.dtype is not None and t.dtype != np.dtype(float):
            return [self.numpy(t.dtype.name)]
        if isinstance(t, Num) and t.dtype is None and t.kind == "c" or self.is_of_unknown_kind(t):
            return [name("complex")]
        return []

    def is_of_unknown_kind(self, t) -> bool:
        """Could this be complex for all that is known? In a program of real numbers nothing is."""
        unknown = isinstance(t, Opaque) or isinstance(t, Num) and t.dtype is None and t.kind == "?"
        return unknown and self.may_be_complex

    def may_be_real_after_all(self, t) -> bool:
        """Is this complex on some paths, or for all that is known, so that its memory, found by identity, may be real?"""
        return isinstance(t, Num) and t.dtype is None and (t.kind == "c" or self.is_of_unknown_kind(t))

    def kill(self, v: Var):
        """The adjoint of `v` has been passed on."""
        for item in v.items or ():
            self.kill(item)
        if v.items is None and not v.tied and v in self.bars:
            self.states[self.bar(v)] = UNSET

    def accumulate(self, v, expression, at, fresh=True, uniform=False):
        """Add a contribution to the adjoint of `v`; a uniform one is a number for all elements."""
        if not isinstance(v, Var) or not v.active:
            return
        if v.tied or self.shadow_kind(v):
            root = root_of(v)
            if not self.shadow_kind(v):
                self.own(root, at)
            region = self.region(v, at)
            if self.shadow_kind(v) and self.may_be_real_after_all(v.type):
                self.line(None, call(self.runtime(add_at), region, constant(Ellipsis), expression), keep=True)
            elif isinstance(region, (ast.Subscript, ast.Name)):
                if isinstance(region, ast.Subscript):
                    region.ctx = ast.Store()
                self.line(region, expression, ast.Add())
            else:
                self.line(subscript(region, constant(Ellipsis), True), expression, ast.Add())
            return
        bar, state = self.bar(v), self.state(v)
        if state == UNSET and uniform:
            self.line(name(bar, True), expression, hidden=self.is_hidden(v))
            self.states[bar], self.uniform[bar] = UNIFORM, v
        elif state == UNIFORM and uniform:
            self.line(name(bar, True), expression, ast.Add())
        elif uniform and state != UNSET:
            self.line(name(bar, True), expression, ast.Add()) if state == OWNED else self.line(
                name(bar, True), ast.BinOp(name(bar), ast.Add(), expression)
            )
            self.states[bar] = BORROWED if self.is_zero_d(v) else OWNED
        elif state == UNSET:
            self.line(name(bar, True), expression, hidden=self.is_hidden(v))
            self.states[bar] = OWNED if fresh and not self.is_zero_d(v) else BORROWED
        elif state == OWNED or self.is_immutable(v):
            self.line(name(bar, True), expression, ast.Add())
        else:
            self.line(name(bar, True), ast.BinOp(name(bar), ast.Add(), expression))
            self.states[bar] = BORROWED if self.is_zero_d(v) else OWNED

    def is_zero_d(self, v: Var) -> bool:
        """Arithmetic on 0-d arrays gives scalars, and contributions to a complex array may be real: no buffers."""
        t = v.type
        if isinstance(t, Num) and t.boxed is not False and (not t.rank or t.kind in "c?"):
            return True
        return self.is_of_unknown_kind(t)

    def is_immutable(self, v: Var) -> bool:
        return isinstance(v.type, Num) and v.type.boxed is False

    def own(self, v: Var, at):
        """Make the adjoint of `v` a buffer that may be changed in place."""
        if v.tied:
            v = root_of(v)
        if self.shadow_kind(v):
            return
        bar, state = self.bar(v), self.state(v)
        if state == UNSET:
            self.line(name(bar, True), self.zero(v, at))
        elif state == UNIFORM:
            self.spread_out(v, at)
        elif state == BORROWED:
            self.line(name(bar, True), call(self.numpy("array"), name(bar), *self.dtype_argument(v.type)))
        self.states[bar] = OWNED

    # -- functions -------------------------------------------------------------------------------------------------
    def build(self, seed, result, wrt):
        """Reverse code from the adjoint `seed` of `result` to the adjoints of `wrt`; the returned expressions."""
        self.loc = None
        self.seed(seed, result)
        self.block(self.function.body)
        return [self.final(v) for v in wrt]

    def seed(self, seed, result):
        if isinstance(result, Var) and result.items is not None:
            for k, item in enumerate(result.items):
                if item.active:
                    self.seed(subscript(clone(seed), constant(k)), item)
        elif isinstance(result, Var) and isinstance(result.type, Ref):
            by_identity = [constant(True)] if self.cx.holds_shadowed(result, self.shadowed) else []
            self.line(
                None,
                call(self.runtime(add_seed), name("shadow"), needed(result, "ref", END), seed, *by_identity),
                keep=True,
            )
            self.uses_shadow = True
        elif isinstance(result, Var) and result.active:
            self.accumulate(result, seed, END, fresh=False)

    def final(self, v: Var):
        """The gradient with respect to an input, as an expression."""
        if v.items is not None:
            items = [self.final(i) if _numeric(i) else constant(None) for i in v.items]
            cls = v.type.cls
            return call(self.namer.object(cls), *items) if cls is not None else ast.Tuple(items, ast.Load())
        if isinstance(v.type, Ref):
            self.uses_shadow = True
            return call(
                self.runtime(gradient_of),
                name("shadow"),
                needed(v, "entries" if self.is_restructured(v) else "ref", END),
            )
        if not _numeric(v):
            return constant(None)
        if self.shadow_kind(v):
            return self.shadow(v, END)
        if not v.active or self.state(v) == UNSET:
            return self.zero(v, END)
        if self.state(v) == UNIFORM:
            self.spread_out(v, END)
        if self.state(v) == BORROWED and not self.is_immutable(v):
            return call(self.numpy("array"), name(self.bar(v)))
        return name(self.bar(v))

    def is_restructured(self, v: Var) -> bool:
        """Does a statement change what a container of the caller (or one inside it) holds?"""
        return bool(changing_statements(self.cx, v, self.layout.statements))

    # -- blocks ----------------------------------------------------------------------------------------------------
    def block(self, block):
        self.code.append(Enter(block, self.loc))
        for s in reversed(block):
            before, self.loc = self.loc, s.loc
            self.statement(s)
            self.loc = before

    def statement(self, s):
        """The reverse of one statement."""
        if isinstance(s, Assign):
            self.assign(s)
        elif isinstance(s, Unpack):
            reverse_unpack(self, s)
        elif isinstance(s, Store):
            reverse_store(self, s)
        elif isinstance(s, ContainerOp):
            reverse_container(self, s)
        elif isinstance(s, If):
            reverse_branch(self, s)
        elif isinstance(s, Loop):
            reverse_loop(self, s)
        elif isinstance(s, Segment) and not self.plain:
            reverse_segment(self, s)
        elif isinstance(s, With):
            self.block(s.body)
        elif isinstance(s, UserCall):
            reverse_call(self, s)

    def assign(self, s: Assign):
        target, value = s.target, s.value
        if isinstance(value, Display) and isinstance(target.type, Ref):
            reverse_display(self, target, value, s)
            return
        if isinstance(value, Call) and isinstance(target.type, Ref):
            reverse_construction(self, target, value, s)
            return
        if target.items is not None and not (isinstance(value, Call) and value.rule is not None):
            move_items(self, target, value, s)
            return
        if isinstance(value, GetItem) and isinstance(value.base, Var) and value.base.items is not None:
            return  # a component: its adjoint is read where the tuple is made
        if is_hook(value):
            if self.is_set(target):
                reverse_hook(self, target, value, s)
            return
        if target.tied:
            return
        if not self.is_set(target):
            return
        if isinstance(value, Var):
            move(self, target, value, s)
        elif isinstance(value, GetItem):
            reverse_item(self, target, value, s)
        elif isinstance(value, Call):
            reverse_rule(self, target, value, s)
        else:
            self.kill(target)

    def state_of(self, v):
        """The state of the adjoint that `v` has for itself: unset for tuples, tied views and shadowed arrays."""
        return UNSET if v.items is not None or v.tied or self.shadow_kind(v) or not v.active else self.state(v)

    def shape_expression(self, operand, s):
        """The shape of an operand, as reverse code."""
        if isinstance(operand.type, Num) and operand.type.is_array and not self.layout.may_be_missing(operand):
            return attribute(needed(operand, "shape", s), "shape")
        return call(self.numpy("shape"), needed(operand, "shape", s))

    @functools.cached_property
    def may_be_complex(self) -> bool:
        """Is any value of the function complex?"""
        return any(isinstance(v.type, Num) and v.type.kind in "c" for v in self.layout.home)


def _is_real_number(v: Var) -> bool:
    return isinstance(v.type, Num) and v.type.boxed is False and v.type.kind == "f"


def _numeric(v: Var) -> bool:
    return carries_derivative(v.type)


__all__ = ["Builder"]
