"""The adjoint: the reverse of every active statement, naive and complete, in the order in which it runs.

Takes a lowered function with activity and ties; gives reverse code in which primal values are `Needed` nodes. Per name
the builder knows whether its adjoint is unset (zero), uniform (one number that stands for an array of it), borrowed
(shared with another name or with the caller) or owned (may be added to in place).
"""

from __future__ import annotations

import ast
import functools
import operator
from collections import Counter

import numpy as np

from ..analysis.alias import root_of, view_source
from ..errors import UnsupportedSyntaxError
from ..frontend.lower.statements import is_fancy
from ..ir.nodes import (
    Assign,
    Call,
    Const,
    ContainerOp,
    Display,
    GetAttr,
    GetItem,
    If,
    Loop,
    Phi,
    Raw,
    Slice,
    Store,
    Unpack,
    UserCall,
    Var,
    With,
    operands,
    walk,
)
from ..ir.types import Num, Ref, Tup
from .bars import unique
from .code import (
    Branch,
    Enter,
    Line,
    Needed,
    Repeat,
    Restore,
    Verbatim,
    attribute,
    call,
    clone,
    constant,
    name,
    needed,
    nodes,
    subscript,
)
from .templates import Instance

CHANGING = {
    "set",
    "append",
    "insert",
    "pop",
    "pop_key",
    "extend",
    "setattr",
    "clear",
    "reverse",
    "set_slice",
    "update",
    "permute",
}
UNSET, BORROWED, OWNED, UNIFORM = "unset", "borrowed", "owned", "uniform"


class Builder:
    """Builds the reverse code of one function."""

    def __init__(self, function, layout, cx, namer, bars, taken, shadowed, *, strict=False):
        self.function, self.layout, self.cx, self.namer = function, layout, cx, namer
        self.bars, self.taken, self.shadowed, self.strict = bars, taken, shadowed, strict
        self.versions: dict[str, list[Var]] = {}  # name of an adjoint -> variables whose adjoint has it
        for v, bar in bars.items():
            self.versions.setdefault(bar, []).append(v)
        self.scalar_bars = Counter(bar for v, bar in bars.items() if _is_real_number(v))
        self.contexts = {id(w.body): w for w in layout.statements if isinstance(w, With)}
        self.hidden_named: set[Var] = set()
        self.states: dict[str, str] = {}
        self.code: list = []
        self.loc = None
        self.uses_shadow = False
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
        scalar = _is_real_number(v)
        if v in self.bars:
            self.versions[self.bars[v]].remove(v)
            self.scalar_bars[self.bars[v]] -= scalar
        self.bars[v] = bar
        self.versions.setdefault(bar, []).append(v)
        self.scalar_bars[bar] += scalar

    def is_hidden(self, v: Var) -> bool:
        return v.hidden

    def shadow_kind(self, v: Var) -> bool:
        return v.group is not None and isinstance(v.type, Num) and id(v.group.family) in self.shadowed

    def contributes(self, operand) -> bool:
        """Does this operand of a rule receive an adjoint?"""
        if isinstance(operand, (tuple, list)):
            return any(self.contributes(o) for o in operand)
        return isinstance(operand, Var) and operand.active

    # -- values of the primal --------------------------------------------------------------------------------------
    def need_operand(self, value, at, need="value"):
        """An operand as an expression in reverse code."""
        if isinstance(value, Var):
            if isinstance(value.type, Ref):
                value = self.list_as_read(value, at)
            if value.items is not None and not stands_alone(value):
                items = [self.need_operand(i, at, need) for i in value.items]
                cls = value.type.cls if isinstance(value.type, Tup) else None
                if cls is not None:
                    return call(self.namer.object(cls), *items)
                is_list = (
                    isinstance(value.definition, Assign)
                    and isinstance(value.definition.value, Display)
                    and value.definition.value.kind == "list"
                )
                return ast.List(items, ast.Load()) if is_list else ast.Tuple(items, ast.Load())
            return needed(value, need, at)
        if isinstance(value, Const):
            return self.namer.object(value.value)
        if isinstance(value, Slice):
            parts = [None if p is None else self.need_operand(p, at) for p in (value.lower, value.upper, value.step)]
            return ast.Slice(*parts)
        if isinstance(value, Display):
            return ast.Tuple([self.need_operand(i, at) for i in value.items], ast.Load())
        if isinstance(value, Call):
            return self.printed_call(value, at)
        if isinstance(value, GetItem):
            base = needed(value.base, need, at) if isinstance(value.base, Var) else self.need_operand(value.base, at)
            return subscript(base, self.need_operand(value.index, at))
        if isinstance(value, GetAttr):
            return attribute(
                self.need_operand(value.base, at, "shape" if value.attr in ("shape", "size", "ndim") else "value"),
                value.attr,
            )
        if isinstance(value, Raw):
            raise UnsupportedSyntaxError("this expression cannot be evaluated again", at.loc)
        return self.namer.object(value)

    def list_as_read(self, v, at):
        """A list, or the copy of it that was made for `at`, where it changes later."""
        if at is END or not self.changes(v, at):
            return v
        found = self.cx.copies_of_lists.get(getattr(at, "value", None), {}).get(v)
        if found is None:
            raise UnsupportedSyntaxError(
                f"the derivative of this reads the list '{v.name}' as it is here, and it changes later"
                if not v.hidden
                else "the derivative of this reads a list that changes later",
                at.loc,
                hint="make an array or a tuple of it first",
            )
        return found

    def changes(self, v, at) -> bool:
        """May a container (or one inside it) change behind the statement `at`?"""
        sites, position = self.cx.sites_within(v), self.layout.position[at]
        return any(
            isinstance(s, ContainerOp)
            and s.kind in CHANGING
            and s.base.type.site in sites
            and (self.layout.position[s] >= position or set(self.layout.loops[s]) & {*self.layout.loops[at], at})
            for s in self.layout.statements
        )

    def printed_call(self, value, at):
        from ..codegen.names import apply

        args = [
            self.need_operand(
                a, at, "shape" if value.function is len and isinstance(getattr(a, "type", None), Num) else "value"
            )
            for a in value.args
        ]
        kwargs = {k: self.need_operand(v, at) for k, v in value.kwargs.items()}
        if value.method is not None and value.method.startswith("."):
            return attribute(args[0], value.method[1:])
        if value.method is not None:
            return call(attribute(args[0], value.method), *args[1:], **kwargs)
        if isinstance(value.function, GetAttr):
            return call(self.need_operand(value.function, at), *args, **kwargs)
        return apply(self.namer.object, value.function, args, kwargs)

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
            return subscript(below, self.need_operand(d.value.index, at))
        if isinstance(d, Assign) and isinstance(d.value, Call):
            value = d.value
            arguments = [below if a is base else self.need_operand(a, at) for a in value.args]
            kwargs = {k: below if a is base else self.need_operand(a, at) for k, a in value.kwargs.items()}
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
        return call(self.numpy("zeros"), self.shape_expression(v, at), *self.dtype_argument(t))

    def dtype_argument(self, t):
        if isinstance(t, Num) and t.dtype is not None and t.dtype != np.dtype(float):
            return [self.numpy(t.dtype.name)]
        if isinstance(t, Num) and t.dtype is None and t.kind == "c":
            return [name("complex")]
        return []

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
            if isinstance(region, (ast.Subscript, ast.Name)):
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
        return isinstance(v.type, Num) and v.type.boxed is not False and (not v.type.rank or v.type.kind in "c?")

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

    def accumulate_part(self, v: Var, index, expression, at, fancy):
        """Add a contribution to `v[index]`."""
        from ..runtime.indexing import add_at

        self.own(v, at)
        region = self.region(v, at)
        place = self.need_operand(index, at)
        if fancy:
            self.line(None, call(self.runtime(add_at), region, self.index_value(place), expression), keep=True)
        else:
            self.line(subscript(region, place, True), expression, ast.Add())

    def index_value(self, node):
        """An index as an argument: slices as calls of `slice`."""
        if isinstance(node, ast.Slice):
            return call(
                self.namer.object(slice),
                *[constant(None) if p is None else p for p in (node.lower, node.upper, node.step)],
            )
        if isinstance(node, ast.Tuple):
            return ast.Tuple([self.index_value(e) for e in node.elts], ast.Load())
        return node

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
            from ..runtime.shadows import add_seed

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
            from ..runtime.shadows import gradient_of

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
        sites = self.cx.sites_within(v)
        return any(
            isinstance(s, ContainerOp) and s.kind in CHANGING and s.base.type.site in sites
            for s in self.layout.statements
        )

    # -- blocks ----------------------------------------------------------------------------------------------------
    def block(self, block):
        self.code.append(Enter(block, self.loc))
        for s in reversed(block):
            before, self.loc = self.loc, s.loc
            self.statement(s)
            self.loc = before

    def statement(self, s):
        if isinstance(s, Assign):
            self.assign(s)
        elif isinstance(s, Unpack):
            self.unpack(s)
        elif isinstance(s, Store):
            self.store(s)
        elif isinstance(s, ContainerOp):
            from .container_adjoints import reverse_container

            reverse_container(self, s)
        elif isinstance(s, If):
            self.branch(s)
        elif isinstance(s, Loop):
            self.loop(s)
        elif isinstance(s, With):
            self.block(s.body)
        elif isinstance(s, UserCall):
            from .call_adjoints import reverse_call

            reverse_call(self, s)

    def assign(self, s: Assign):
        target, value = s.target, s.value
        if isinstance(value, Display) and isinstance(target.type, Ref):
            from .container_adjoints import reverse_display

            reverse_display(self, target, value, s)
            return
        if isinstance(value, Call) and isinstance(target.type, Ref):
            from .container_adjoints import reverse_construction

            reverse_construction(self, target, value, s)
            return
        if target.items is not None and not (isinstance(value, Call) and value.rule is not None):
            self.copy_tuple(target, value, s)
            return
        if isinstance(value, GetItem) and isinstance(value.base, Var) and value.base.items is not None:
            return  # a component: its adjoint is read where the tuple is made
        if target.tied:
            return
        if not self.is_set(target):
            return
        if isinstance(value, Var):
            self.move(target, value, s)
        elif isinstance(value, GetItem):
            self.getitem(target, value, s)
        elif isinstance(value, Call):
            self.call(target, value, s)
        else:
            self.kill(target)

    def copy_tuple(self, target, value, s):
        if isinstance(value, Var) and value.items is not None:
            for t, v in zip(target.items, value.items, strict=True):
                if t is not v and self.is_set(t):
                    self.move(t, v, s)

    def move(self, target: Var, source: Var, s):
        """`target` is another name for `source`."""
        if target is source or not source.active:
            return
        if self.shadow_kind(target) and self.shadow_kind(source):
            return
        if target.items is not None and source.items is not None:
            self.copy_tuple(target, source, s)
            return
        source = self.unaliased(source)
        if (
            not source.tied
            and not self.shadow_kind(source)
            and not target.tied
            and self.bar(source) == self.bar(target)
        ):
            return
        bar, state = self.bar_value(target, s), self.state(target) if not target.tied else BORROWED
        if source.tied and self.region_name(source) == self.bar(target):
            bar = self.set_aside(bar)
        self.kill(target)
        if not source.tied and not self.shadow_kind(source) and self.state(source) == UNSET:
            self.line(name(self.bar(source), True), bar, hidden=self.is_hidden(source))
            self.states[self.bar(source)] = state
            return
        self.accumulate(source, bar, s, fresh=False)

    def unaliased(self, v: Var) -> Var:
        """The variable whose adjoint a tied name is, where it is only another name and no view of a part."""
        while (
            v.tied
            and not self.shadow_kind(v)
            and (
                isinstance(v.definition, Unpack)
                or isinstance(v.definition, Assign)
                and isinstance(v.definition.value, Var)
            )
        ):
            v = view_source(v)
        return v

    def set_aside(self, value):
        """Keep an adjoint under a name of its own, because its own name is about to mean something else."""
        made = self.temporary("part_bar")
        self.line(name(made, True), value, hidden=True)
        return name(made)

    def getitem(self, target, value, s):
        base = value.base
        if not isinstance(base, Var) or not base.active:
            self.kill(target)
            return
        if self.shadow_kind(target) and base.group is not None and target.group.find() is base.group.find():
            return  # a view: the shadow of the base is the shadow of the view
        given = self.bar_value(target, s)
        if isinstance(given, ast.Name) and self.region_name(base) == given.id:
            made = self.temporary(f"{base.name}_part_bar")
            self.line(name(made, True), given, hidden=True)
            given = name(made)
        self.kill(target)
        if isinstance(base.type, Num) and base.type.is_scalar:
            self.accumulate(base, given, s, fresh=False)
            return
        self.accumulate_part(
            base,
            value.index,
            given,
            s,
            is_fancy(self.cx, value.index) or (isinstance(base.type, Num) and base.type.rank is None),
        )

    def region_name(self, v):
        """The name of the adjoint buffer of `v` or of the array that it looks into; None for shadows."""
        if self.shadow_kind(v):
            return None
        root = root_of(v) if v.tied else v
        return self.bar(root)

    def call(self, target, value: Call, s):
        rule = value.rule
        if rule is None or value.bound is None:
            self.kill(target)
            return
        if rule.vjp is not None:
            self.functional(target, value, s)
            return
        results = [target] if target.items is None else list(target.items)
        may_be_uniform = self.state_of(target) == UNIFORM and self.all_same_extents(rule, value, target)
        if self.state_of(target) == UNIFORM and not may_be_uniform:
            self.spread_out(target, s)
        instance = Instance(self, s, value, target)
        contributions = []
        for parameter in rule.differentiable:
            operand = value.bound.get(parameter)
            if operand is None or not self.contributes(operand):
                continue
            expression = instance.contribution(parameter)
            if expression is None:
                continue
            if self.strict and rule.elementwise:
                expression = self.masked(expression, results[0], s)
            contributions.append((operand, expression))
        uniform_result = may_be_uniform
        if rule.alias != "fresh" and any(self.shadow_kind(r) for r in results):
            self.pass_on(target, value, contributions, s)
            return
        killed = {
            self.bar(r)
            for r in results
            if r.items is None and not r.tied and not self.shadow_kind(r) and r in self.bars
        }
        handed_over = len(contributions) == 1 and self.state_of(target) == OWNED
        for r in results:
            self.kill(r)
        self.distribute(
            contributions, killed, rule, target, s, self.bars.get(target) if uniform_result else None, handed_over
        )

    def state_of(self, v):
        return UNSET if v.items is not None or v.tied or self.shadow_kind(v) or not v.active else self.state(v)

    def all_same_extents(self, rule, value, target) -> bool:
        """Is this an elementwise call whose active operands all have the extents of its result?"""
        if not rule.elementwise or len(rule.result) != 1 or self.strict:
            return False
        for parameter in rule.differentiable:
            operand = value.bound.get(parameter)
            if self.contributes(operand) and not (
                isinstance(operand, Var)
                and operand.items is None
                and isinstance(operand.type, Num)
                and operand.type.is_array
                and not operand.tied
                and not self.shadow_kind(operand)
                and _same_extents(operand.type, target.type)
            ):
                return False
        return True

    def extent_of(self, node, target, uniform_bar):
        """ "scalar", "full" (the extents of `target`) or None: what evaluating this expression gives."""
        if isinstance(node, Needed):
            t = node.var.type
            if node.need != "value" or not isinstance(t, Num):
                return None
            return "scalar" if t.boxed is False else "full" if _same_extents(t, target.type) else None
        if isinstance(node, ast.Constant):
            return "scalar"
        if isinstance(node, ast.Name):
            if node.id == self.bars.get(target):
                return "scalar" if uniform_bar else "full"
            return None
        if isinstance(node, ast.UnaryOp):
            return self.extent_of(node.operand, target, uniform_bar)
        if isinstance(node, ast.BinOp):
            parts = [node.left, node.right]
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and isinstance(getattr(np, node.func.attr, None), np.ufunc)
            and not node.keywords
        ):
            parts = node.args
        else:
            return None
        found = [self.extent_of(p, target, uniform_bar) for p in parts]
        if None in found:
            return None
        return "full" if "full" in found else "scalar"

    def total(self, node, target, uniform_bar):
        """The sum over all elements of an expression with the extents of `target`, with scalar factors taken out."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return ast.UnaryOp(ast.USub(), self.total(node.operand, target, uniform_bar))
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
            left, right = (self.extent_of(e, target, uniform_bar) for e in (node.left, node.right))
            if right == "scalar" and left == "full":
                return ast.BinOp(self.total(node.left, target, uniform_bar), node.op, node.right)
            if isinstance(node.op, ast.Mult) and left == "scalar" and right == "full":
                return ast.BinOp(node.left, ast.Mult(), self.total(node.right, target, uniform_bar))
            if (
                isinstance(node.op, ast.Mult)
                and left == right == "full"
                and target.type.rank == 1
                and target.type.kind == "f"
            ):
                left_node, sign = node.left, False
                if isinstance(left_node, ast.UnaryOp) and isinstance(left_node.op, ast.USub):
                    left_node, sign = left_node.operand, True
                product = (
                    call(attribute(left_node, "dot"), node.right)
                    if isinstance(left_node, ast.Name)
                    else call(self.numpy("dot"), left_node, node.right)
                )
                return ast.UnaryOp(ast.USub(), product) if sign else product
        return call(self.numpy("sum"), node)

    def pass_on(self, target, value, contributions, s):
        """A result that may be a view of its operand: only a copy passes its adjoint on, a view shares it already."""
        base = value.bound.get(value.rule.alias_of)
        if value.rule.alias == "view" or not isinstance(base, Var):
            return
        shared = call(self.numpy("may_share_memory"), needed(base, "ref", s), needed(target, "ref", s))
        code, self.code = self.code, []
        for operand, expression in contributions:
            self.line(subscript(self.shadow(operand, s), constant(Ellipsis), True), expression, ast.Add())
        made, self.code = self.code, code
        self.code.append(Branch(ast.UnaryOp(ast.Not(), shared), made, [], s.loc))

    def masked(self, expression, result, s):
        """A contribution in which a zero adjoint stays zero whatever the slope."""
        from ..runtime.strict import zero_wins

        empty = ast.arguments(
            posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]
        )
        return call(self.runtime(zero_wins), self.bar_value(result, s), ast.Lambda(empty, expression))

    def distribute(self, contributions, killed, rule, target, s, uniform_bar=None, handed_over=False):
        """Emit contributions; those to the adjoint just consumed come last, as one sum."""
        late: dict[str, list] = {}
        for operand, expression in _doubled(contributions):
            if isinstance(operand, tuple) or (isinstance(operand, Var) and operand.items is not None):
                self.distribute_sequence(operand, expression, s)
                continue
            if isinstance(operand.type, Ref):
                from ..runtime.shadows import add_to_arrays, add_to_elements

                if self.cx.holds_shadowed(operand, self.shadowed):
                    held = self.cx.copies_of_lists[s.value][operand]
                    self.line(
                        None,
                        call(self.runtime(add_to_arrays), name("shadow"), needed(held, "ref", s), expression),
                        keep=True,
                    )
                    self.uses_shadow = True
                    continue
                self.line(None, call(self.runtime(add_to_elements), self.shadow(operand, s), expression), keep=True)
                continue
            uniform = False
            if uniform_bar is not None:
                uniform = self.extent_of(expression, target, uniform_bar) != "full"
                if uniform and self.extent_of(expression, target, uniform_bar) is None:
                    expression = call(self.numpy("broadcast_to"), expression, self.shape_expression(operand, s))
                    uniform = False
            elif self.is_spread_number(expression, operand, rule):
                expression, uniform = expression.args[0], True
            if not uniform:
                expression, fresh = self.conform(expression, operand, target, rule, s)
            if uniform and not operand.tied and not self.shadow_kind(operand):
                if self.bar(operand) in killed and self.state(operand) == UNSET:
                    late.setdefault(self.bar(operand), []).append((operand, expression, "uniform"))
                else:
                    self.accumulate(operand, expression, s, uniform=True)
                continue
            if handed_over and isinstance(expression, ast.Name) and expression.id in killed:
                fresh = True  # the buffer of the result becomes the operand's
            if not operand.tied and not self.shadow_kind(operand) and self.bar(operand) in killed:
                late.setdefault(self.bar(operand), []).append((operand, expression, fresh))
            else:
                self.accumulate(operand, expression, s, fresh)
        for items in late.values():
            operand, expression, fresh = items[0]
            uniform = all(f == "uniform" for _, _, f in items)
            for _, more, _ in items[1:]:
                expression, fresh = ast.BinOp(expression, ast.Add(), more), True
            self.accumulate(operand, expression, s, fresh, uniform=uniform)

    def is_spread_number(self, expression, operand, rule) -> bool:
        """Is this `np.broadcast_to(number, np.shape(operand))`, the adjoint of a whole sum?"""
        return (
            not self.strict
            and not rule.elementwise
            and isinstance(expression, ast.Call)
            and isinstance(expression.func, ast.Attribute)
            and expression.func.attr == "broadcast_to"
            and isinstance(operand.type, Num)
            and operand.type.is_array
            and operand.type.kind == "f"
            and operand.type.dtype in (None, np.dtype(float))
            and bool(operand.type.rank)
            and not operand.tied
            and not self.shadow_kind(operand)
            and self.is_number(expression.args[0])
        )

    def is_number(self, node) -> bool:
        """Does the expression give one number: made of constants, scalar values and adjoints of scalars?"""
        for n in nodes(node):
            if isinstance(n, Needed):
                if n.need == "value" and not (
                    isinstance(n.var.type, Num) and n.var.type.boxed is False and n.var.type.kind in "fi"
                ):
                    return False
            elif (
                isinstance(n, ast.Name)
                and not self.scalar_bars[n.id]
                and not hasattr(n, "var")
                and n.id not in ("np", "math")
            ):
                return False
        return True

    def distribute_sequence(self, operand, expression, s):
        """A contribution that is a sequence of adjoints, one per element."""
        items = operand if isinstance(operand, tuple) else operand.items
        if isinstance(expression, ast.ListComp):
            self.distribute_comprehension(items, expression, s)
            return
        if isinstance(expression, (ast.List, ast.Tuple)) and len(expression.elts) == len(items):
            parts = expression.elts
        else:
            made = self.temporary("parts_bar")
            self.line(name(made, True), expression, hidden=True)
            parts = [subscript(name(made), constant(k)) for k in range(len(items))]
        for item, part in zip(items, parts, strict=True):
            if not isinstance(item, Var) or not item.active:
                continue
            if item.items is not None:
                self.distribute_sequence(item, part, s)
            elif isinstance(item.type, Num):
                part = self.cast(part, item, None)
                self.accumulate(item, part, s, fresh=False)

    def distribute_comprehension(self, items, expression, s):
        """`[f(k) for k in range(n)]`: only the elements that are wanted."""
        generator = expression.generators[0]
        index = generator.target.id
        for k, item in enumerate(items):
            if isinstance(item, Var) and item.active:
                part = _replace_name(expression.elt, index, k)
                self.accumulate(item, self.cast(part, item, None), s, fresh=False)

    def conform(self, expression, operand, target, rule, s):
        """Bring a contribution to the shape and kind of its operand; also whether it is a new array."""
        from ..runtime.shape import unbroadcast

        t, r = operand.type, target.type if isinstance(target.type, Num) else None
        fresh = is_fresh(expression)
        if rule.elementwise and r is not None and isinstance(t, Num):
            if t.boxed is False and r.boxed is True:
                expression, fresh = self.total(expression, target, None), True
            elif not (t.boxed is False and r.boxed is False) and not _same_extents(t, r):
                expression = call(self.runtime(unbroadcast), expression, self.shape_expression(operand, s))
                fresh = False
        return self.cast(expression, operand, r), fresh

    def shape_expression(self, operand, s):
        """The shape of an operand, as reverse code."""
        if isinstance(operand.type, Num) and operand.type.is_array and not self.layout.may_be_missing(operand):
            return attribute(needed(operand, "shape", s), "shape")
        return call(self.numpy("shape"), needed(operand, "shape", s))

    def cast(self, expression, operand, result):
        """The real part for a real operand of a complex result; float32 for a float32 operand."""
        t = operand.type
        if not isinstance(t, Num):
            return expression
        if t.kind == "f" and (result is None or result.kind in "c?") and (result is not None or self.may_be_complex):
            expression = call(self.numpy("real"), expression)
        if (
            t.dtype is not None
            and t.dtype.kind == "f"
            and t.dtype != np.dtype(float)
            and result is not None
            and result.dtype != t.dtype
        ):
            expression = (
                call(self.numpy("asarray"), expression, self.numpy(t.dtype.name))
                if t.boxed
                else call(self.numpy(t.dtype.name), expression)
            )
        return expression

    @functools.cached_property
    def may_be_complex(self) -> bool:
        """Is any value of the function complex?"""
        return any(isinstance(v.type, Num) and v.type.kind in "c" for v in self.layout.home)

    def functional(self, target, value, s):
        """A rule given as a function: it reads everything."""
        rule = value.rule
        args = [self.need_operand(a, s) for a in value.args]
        kwargs = {k: self.need_operand(v, s) for k, v in value.kwargs.items()}
        result = needed(target, "value", s) if target.items is None else self.need_operand(target, s)
        made = self.temporary("bars")
        self.line(
            name(made, True),
            call(self.namer.object(rule.vjp), self.bar_value(target, s), result, *args, **kwargs),
            hidden=True,
        )
        self.kill(target)
        from ..runtime.strict import adjoint_or_zero

        for k, a in enumerate(value.args):
            if isinstance(a, Var) and a.active:
                if a.items is not None or isinstance(a.type, Ref):
                    raise UnsupportedSyntaxError(
                        "a functional rule with an active sequence as an argument", s.loc, hint="pass arrays"
                    )
                part = call(self.runtime(adjoint_or_zero), subscript(name(made), constant(k)), self.need_operand(a, s))
                self.accumulate(a, part, s, fresh=False)

    # -- unpacking -------------------------------------------------------------------------------------------------
    def unpack(self, s: Unpack):
        moved = []
        for target, source in s.pairs:
            self.collect_moves(target, source, moved, s)
        if not moved:
            return
        moved = [(target, self.unaliased(source)) for target, source in moved]
        values = [
            (source, self.bar_value(target, s), self.state(target) if not target.tied else BORROWED, target)
            for target, source in moved
        ]
        killed = {self.bar(t) for t, _ in moved if not t.tied}
        if any(source.tied and self.region_name(source) in killed for _, source in moved):
            values = [(source, self.set_aside(value), BORROWED, target) for source, value, _, target in values]
        for t, _ in moved:
            self.kill(t)
        assigned: list = []
        for source, value, state, _ in values:
            direct = not source.tied and not self.shadow_kind(source)
            if direct and self.state(source) == UNSET and all(self.bar(source) != self.bar(a) for a, _, _ in assigned):
                assigned.append((source, value, state))
            elif direct and any(self.bar(source) == self.bar(a) for a, _, _ in assigned):
                k = next(i for i, (a, _, _) in enumerate(assigned) if self.bar(a) == self.bar(source))
                assigned[k] = (source, ast.BinOp(assigned[k][1], ast.Add(), value), OWNED)
            else:
                self.accumulate(source, value, s, fresh=False)
        real = [(a, v, st) for a, v, st in assigned if not (isinstance(v, ast.Name) and v.id == self.bar(a))]
        reads = {n.id for _, v, _ in real for n in ast.walk(v) if isinstance(n, ast.Name)}
        writes = {self.bar(a) for a, _, _ in real}
        if len(real) > 1 and reads & writes & killed:
            self.line(
                ast.Tuple([name(self.bar(a), True) for a, _, _ in real], ast.Store()),
                ast.Tuple([v for _, v, _ in real], ast.Load()),
            )
        else:
            for a, v, _ in real:
                self.line(name(self.bar(a), True), v, hidden=self.is_hidden(a))
        for a, _, st in assigned:
            self.states[self.bar(a)] = st

    def collect_moves(self, target, source, moved, s):
        if not isinstance(source, Var):
            self.kill(target)
            return
        if target.items is not None and source.items is not None:
            for t, v in zip(target.items, source.items, strict=True):
                if t is not v:
                    self.collect_moves(t, v, moved, s)
            return
        if isinstance(target.type, Ref) or (self.shadow_kind(target) and self.shadow_kind(source)) or target.tied:
            return
        if not self.is_set(target):
            return
        if not source.active:
            self.kill(target)
            return
        moved.append((target, source))

    # -- stores ----------------------------------------------------------------------------------------------------
    def store(self, s: Store):
        base = s.base
        if not isinstance(base, Var) or not base.active or not self.is_set(base):
            self.code.append(Restore(s, s.loc))
            return
        whole = s.index is None or (isinstance(s.index, Const) and s.index.value is Ellipsis)
        if whole and s.op is None and not base.tied and not self.shadow_kind(base) and not self.has_ties(base):
            self.replaced_whole(s, base)
            return
        self.own(base, s)
        self.code.append(Restore(s, s.loc))
        whole = s.index is None or (isinstance(s.index, Const) and s.index.value is Ellipsis)
        index = constant(Ellipsis) if whole else self.need_operand(s.index, s)
        region = subscript(self.region(base, s), index)
        value = s.value
        active = isinstance(value, Var) and value.active
        if s.op is operator.add or s.op is operator.sub:
            if active:
                self.store_contribution(base, value, region, whole, s, s.op is operator.sub)
            return
        if s.op is not None:
            raise AssertionError(f"a store with {s.op} was not taken apart")
        fancy = not whole and is_fancy(self.cx, s.index)
        if active:
            if fancy:
                from ..runtime.mutators import winning

                made = self.temporary("stored_bar")
                self.line(
                    name(made, True),
                    call(self.runtime(winning), self.region(base, s), self.index_value(index)),
                    hidden=True,
                )
                self.line(subscript(self.region(base, s), clone(index), True), constant(0.0))
                self.accumulate(value, self.stored_shape(name(made), base, value, s, None), s, fresh=True)
                return
            made = self.temporary(f"{value.name}_bar" if value.hidden else "stored_bar")
            copied = self.is_element(base, s)
            self.line(name(made, True), region if copied else call(attribute(region, "copy")), hidden=True)
            self.line(subscript(self.region(base, s), clone(index), True), constant(0.0))
            self.accumulate(value, self.stored_shape(name(made), base, value, s, whole), s, fresh=True)
        else:
            self.line(subscript(self.region(base, s), index, True), constant(0.0))

    def has_ties(self, base) -> bool:
        """Is the adjoint of a view of `base` taken as a view of the adjoint of `base`?"""
        return any(v.tied and root_of(v) is base for v in self.layout.home)

    def replaced_whole(self, s, base):
        """`base[...] = value`: the whole adjoint goes to the value, and starts anew from zero."""
        value, state = s.value, self.state(base)
        if state == UNIFORM:
            self.spread_out(base, s)
            state = OWNED
        made = self.temporary("stored_bar")
        active = isinstance(value, Var) and value.active
        if active:
            self.line(name(made, True), name(self.bar(base)), hidden=True)
        self.code.append(Restore(s, s.loc))
        self.kill(base)
        if active:
            self.accumulate(value, self.stored_shape(name(made), base, value, s, True), s, fresh=state == OWNED)

    def is_element(self, base, s):
        from ..frontend.lower.numbers import indexed_type

        if s.index is None or not isinstance(base.type, Num):
            return False
        t, _ = indexed_type(self.cx, base.type, s.index)
        return isinstance(t, Num) and t.boxed is False

    def region_type(self, base, s):
        from ..frontend.lower.numbers import indexed_type

        whole = s.index is None or (isinstance(s.index, Const) and s.index.value is Ellipsis)
        return base.type if whole else indexed_type(self.cx, base.type, s.index)[0]

    def store_contribution(self, base, value, region, whole, s, negative):
        element = self.is_element(base, s)
        expression = (
            ast.UnaryOp(ast.USub(), region) if negative else region if element else call(attribute(region, "copy"))
        )
        self.accumulate(value, self.stored_shape(expression, base, value, s, whole), s, fresh=True)

    def stored_shape(self, expression, base, value, s, whole):
        from ..runtime.shape import unbroadcast

        t, r = value.type, self.region_type(base, s)
        if isinstance(t, Num) and isinstance(r, Num):
            if t.boxed is False and r.boxed is True:
                expression = call(self.numpy("sum"), expression)
            elif not (t.boxed is False and r.boxed is False) and not _same_extents(t, r):
                expression = call(self.runtime(unbroadcast), expression, self.shape_expression(value, s))
        return self.cast(expression, value, r if isinstance(r, Num) else None)

    # -- branches --------------------------------------------------------------------------------------------------
    def branch(self, s: If):
        self.spread_all(s)
        phis = [p for p in s.phis if p.target.active and not isinstance(p.target.type, Ref) and p.target.items is None]
        before = dict(self.states)
        then, after_then = self.side(s.then, [(p.target, p.then) for p in phis], before)
        orelse, after_else = self.side(s.orelse, [(p.target, p.orelse) for p in phis], before)
        self.merge_sides(then, after_then, orelse, after_else, s)
        if _is_empty(then) and _is_empty(orelse):
            return
        test = self.need_operand(s.test, s)
        self.code.append(Branch(test, then, orelse, s.loc))

    def side(self, block, moves, before):
        """One side of a branch, reversed, from the state `before`."""
        code, states = self.code, self.states
        self.code, self.states = [], dict(before)
        self.code.append(Enter(block, self.loc))
        self.moves([(t, v) for t, v in moves])
        for s in reversed(block):
            loc, self.loc = self.loc, s.loc
            self.statement(s)
            self.loc = loc
        made, after = self.code, self.states
        self.code, self.states = code, states
        return made, after

    def moves(self, pairs):
        """Adjoints of phis go to what they came from, all at once."""
        statement = Unpack((), None, [], loc=self.loc)
        moved = []
        for target, source in pairs:
            if source is None:
                self.kill(target)
                continue
            source = self.unaliased(source)
            same = (
                not source.tied
                and not self.shadow_kind(source)
                and source in self.bars
                and source.active
                and self.bar(source) == self.bar(target)
            )
            if same:
                continue
            moved.append((target, source))
        if moved:
            statement.pairs = moved
            self.unpack(statement)
            for target, _ in moved:
                if not target.tied:
                    pass

    def merge_sides(self, then, a, orelse, b, s):
        """Bring both sides to one state: an adjoint set on one side only is zero on the other."""
        merged = {}
        for bar in sorted(set(a) | set(b)):
            x, y = a.get(bar, UNSET), b.get(bar, UNSET)
            if x == y:
                merged[bar] = x
            elif UNSET in (x, y):
                v = self.live_version(bar, s)
                if v is None:
                    merged[bar] = UNSET
                    continue
                code = then if x == UNSET else orelse
                code.append(Line(name(bar, True), self.zero(v, s), None, s.loc))
                merged[bar] = OWNED if OWNED in (x, y) else BORROWED
            else:
                merged[bar] = BORROWED
        self.states = merged

    def live_version(self, bar, s):
        """The variable, defined before `s`, whose adjoint is called `bar` in front of it."""
        found = [
            v
            for v in self.versions.get(bar, ())
            if v.active and self.layout.defined_before(v, s) and self.visible(v, s)
        ]
        return max(found, key=lambda v: (self.layout.home[v][1], v.uid)) if found else None

    def visible(self, v, s):
        """Is the block that defines `v` around `s`?"""
        from ..ir.nodes import blocks

        home = self.layout.home[v][0]
        while id(home) in self.contexts:  # what runs in a context always runs
            home = self.layout.block[self.contexts[id(home)]]
        if home is self.function.body:
            return True
        around = [*self.layout.branches[s]]
        return any(b is home for outer in around for b in blocks(outer)) or home is self.layout.block[s]

    # -- loops -----------------------------------------------------------------------------------------------------
    def loop(self, s: Loop):
        numeric = [
            p for p in s.phis if p.target.active and not isinstance(p.target.type, Ref) and p.target.items is None
        ]
        exits = [
            p for p in s.exits if p.target.active and not isinstance(p.target.type, Ref) and p.target.items is None
        ]
        touched = self.touched(s)
        if not numeric and not touched and not self.has_memory_work(s):
            return
        self.moves([(p.target, p.then) for p in exits])
        self.spread_all(s)
        heads = []
        for p in numeric:
            if p.target.tied or self.shadow_kind(p.target):
                continue
            heads.append(p)
            if self.state(p.target) == UNSET:
                self.line(
                    name(self.bar(p.target), True),
                    self.zero(p.then if p.then is not None else p.target, s)
                    if self.is_immutable(p.target)
                    else self.zero_head(p, s),
                )
                self.states[self.bar(p.target)] = OWNED
        for v in touched:
            if v.tied:
                v = root_of(v)
            if not self.is_immutable(v) or self.state(v) == UNSET:
                if self.state(v) != OWNED:
                    if self.state(v) == BORROWED and self.is_immutable(v):
                        continue
                    self.own(v, s) if not self.is_immutable(v) else self.start(v, s)
        entry = dict(self.states)
        names = {self.bar(p.target) for p in heads}
        for _ in range(4):
            body, after = self.loop_body(s, heads, entry, touched)
            weaker = {
                b
                for b in entry
                if entry[b] == OWNED and after.get(b, UNSET) == BORROWED and (b in names or True) and b in after
            }
            if not weaker:
                break
            for b in weaker:
                entry[b] = BORROWED
        self.states = {b: (after.get(b, UNSET) if b in entry or b in names else UNSET) for b in set(entry) | set(after)}
        for b in entry:
            if entry[b] != UNSET and self.states.get(b, UNSET) == UNSET:
                self.states[b] = entry[b]
        if _is_empty(body):
            self.moves([(p.target, p.then) for p in heads])
            return
        self.code.append(self.header(s, body))
        self.moves([(p.target, p.then) for p in heads])

    def zero_head(self, p, s):
        """A zero adjoint for what a loop carries, where nothing behind the loop has used it."""
        last = next((e.target for e in s.exits if e.then is p.target), None)
        return self.zero(last if last is not None else p.orelse if p.orelse is not None else p.target, s)

    def start(self, v, s):
        self.line(name(self.bar(v), True), constant(0.0))
        self.states[self.bar(v)] = OWNED

    def loop_body(self, s, heads, entry, touched=()):
        code, states = self.code, self.states
        self.code, self.states = [], dict(entry)
        self.code.append(Enter(s.body, self.loc))
        self.moves([(p.target, p.orelse) for p in heads])
        for inner in reversed(s.body):
            loc, self.loc = self.loc, inner.loc
            self.statement(inner)
            self.loc = loc
        for inner in reversed(s.test_block):
            loc, self.loc = self.loc, inner.loc
            self.statement(inner)
            self.loc = loc
        for p in heads:
            if self.state(p.target) == UNSET:
                self.line(name(self.bar(p.target), True), self.zero(p.target, s))
                self.states[self.bar(p.target)] = OWNED
        for v in touched:
            v = root_of(v) if v.tied else v
            if self.state(v) == UNSET and not self.shadow_kind(v):
                self.line(name(self.bar(v), True), self.zero(v, s))
                self.states[self.bar(v)] = OWNED
        made, after = self.code, self.states
        self.code, self.states = code, states
        return made, after

    def touched(self, s: Loop) -> list[Var]:
        """Variables from outside a loop that receive contributions inside, in the order of their definition."""
        inside = {
            v
            for v, (_, position) in self.layout.home.items()
            if self.layout.position[s] <= position <= self.layout.last[s] and s in self.layout.home_loops.get(v, ())
        }
        found: dict[Var, None] = {}

        def note(v):
            if not isinstance(v, Var) or not v.active:
                return
            if v.items is not None:
                for i in v.items:
                    note(i)
                return
            if isinstance(v.type, Ref) or self.shadow_kind(v) or not isinstance(v.type, Num):
                return
            v = root_of(v) if v.tied else v
            if v not in inside and v.active:
                found[v] = None

        for inner in walk(s.body + s.test_block):
            for v in _differentiable_operands(inner):
                note(v)
        for p in s.phis:
            if p.orelse is not None and p.orelse is not p.target:
                note(p.orelse)
        return sorted(found, key=lambda v: (self.layout.home[v][1], v.uid))

    def has_memory_work(self, s):
        return any(
            isinstance(i, ContainerOp)
            and (self.contributes(i.value) or (i.target is not None and i.target.active) or i.base.active)
            or isinstance(i, Store)
            and isinstance(i.base, Var)
            and i.base.active
            or isinstance(i, UserCall)
            and i.instance.needs_shadow
            for i in walk(s.body)
        )

    def header(self, s: Loop, body):
        """The loop that walks backwards over the trips that ran."""
        if s.kind == "range" and not s.breaks:
            bounds = [self.need_operand(b, s) for b in s.bounds]
            span = call(self.namer.object(range), *bounds)
            return Repeat(LoopTarget(s, self), call(self.namer.object(reversed), span), body, s.loc)
        if s.kind == "range":
            bounds = [self.need_operand(b, s) for b in s.bounds]
            trips = call(self.namer.object(range), Trips(s, ran=True))
            span = subscript(call(self.namer.object(range), *bounds), ast.Slice(None, Trips(s, ran=True), None))
            del trips
            return Repeat(LoopTarget(s, self), call(self.namer.object(reversed), span), body, s.loc)
        if (
            s.kind == "sequence"
            and not s.breaks
            and not any(isinstance(v.type, Ref) and self.changes(v, s) for v in operands(s.length))
        ):
            return Repeat(
                LoopTarget(s, self),
                call(self.namer.object(reversed), call(self.namer.object(range), self.need_operand(s.length, s))),
                body,
                s.loc,
            )
        return Repeat(
            LoopTarget(s, self),
            call(self.namer.object(reversed), call(self.namer.object(range), Trips(s, ran=True))),
            body,
            s.loc,
        )


class LoopTarget(ast.Name):
    """The index of a reversed loop; `_` if its value is not read."""

    _fields = ("id", "ctx")

    def __init__(self, loop=None, builder=None, id="_", ctx=None):
        super().__init__(id, ctx or ast.Store())
        self.loop = loop


class Trips(ast.Name):
    """How often a loop ran."""

    _fields = ("id", "ctx")

    def __init__(self, loop=None, ran=True, id="trips", ctx=None):
        super().__init__(id, ctx or ast.Load())
        self.loop = loop


class _End:
    """The place behind the last statement."""

    loc = None

    def __repr__(self):
        return "END"


END = _End()


def stands_alone(v: Var) -> bool:
    """Is a tuple a value of its own in the primal (an argument, a result of a call), not only a row of variables?"""
    d = v.definition
    if isinstance(d, Assign):
        return isinstance(d.value, (GetAttr, GetItem)) or (
            isinstance(d.value, Call) and not isinstance(d.value.function, type)
        )
    return d in ("param", "global") or isinstance(d, (ContainerOp, UserCall))


def _differentiable_operands(s):
    if isinstance(s, Assign):
        if (
            isinstance(s.value, Call)
            and s.value.rule is not None
            and s.value.bound is not None
            and not s.value.rule.vjp
        ):
            from ..analysis.activity import operands_of

            for p in s.value.rule.differentiable:
                yield from operands_of(s.value.bound.get(p))
        else:
            yield from operands(s.value)
    elif isinstance(s, Unpack):
        for _, source in s.pairs:
            yield source
    elif isinstance(s, Store):
        yield s.base
        yield from operands(s.value)
    elif isinstance(s, ContainerOp):
        yield s.value
    elif isinstance(s, (If, Loop)):
        for p in (*s.phis, *getattr(s, "exits", ())):
            yield p.then
            yield p.orelse
    elif isinstance(s, UserCall):
        yield from s.args


def _doubled(contributions):
    """Two equal contributions to one operand become twice the one (exact in floating point)."""
    out = []
    for operand, expression in contributions:
        same = next(
            (
                k
                for k, (o, e) in enumerate(out)
                if o is operand and isinstance(o, Var) and _dump(e) == _dump(expression)
            ),
            None,
        )
        if same is None:
            out.append((operand, expression))
        else:
            out[same] = (operand, ast.BinOp(constant(2.0), ast.Mult(), out[same][1]))
    return out


def _dump(node):
    if isinstance(node, Needed):
        return ("needed", node.var.uid, node.need)
    if isinstance(node, ast.AST):
        return (type(node).__name__, *[_dump(getattr(node, f, None)) for f in node._fields if f != "ctx"])
    if isinstance(node, list):
        return tuple(_dump(n) for n in node)
    return node


def is_fresh(expression) -> bool:
    """Does evaluating this make a new array (or a number)?"""
    if isinstance(expression, (ast.BinOp, ast.UnaryOp, ast.Constant)):
        return True
    if (
        isinstance(expression, ast.Call)
        and isinstance(expression.func, ast.Attribute)
        and isinstance(expression.func.value, ast.Name)
    ):
        return expression.func.attr in (
            "where",
            "sum",
            "dot",
            "outer",
            "copysign",
            "sign",
            "zeros",
            "full",
            "copy",
            "multiply",
            "array",
        )
    return False


def _same_extents(t: Num, r: Num) -> bool:
    if t.rank != r.rank or t.rank is None:
        return False
    if t.rank == 0:
        return t.boxed == r.boxed or r.boxed is False
    if t.dims is None or r.dims is None:
        return False
    return all(a is not None and a == b for a, b in zip(t.dims, r.dims, strict=True))


def _is_real_number(v: Var) -> bool:
    return isinstance(v.type, Num) and v.type.boxed is False and v.type.kind == "f"


def _numeric(v: Var) -> bool:
    from ..ir.types import carries_derivative

    return carries_derivative(v.type)


def _is_empty(code) -> bool:
    return all(isinstance(c, Enter) or (isinstance(c, Restore)) for c in code)


def _replace_name(node, identifier, value):
    if isinstance(node, ast.Name) and node.id == identifier and not hasattr(node, "var"):
        return constant(value)
    if isinstance(node, ast.AST) and not hasattr(node, "var"):
        return type(node)(
            **{f: _replace_name(getattr(node, f), identifier, value) for f in node._fields if hasattr(node, f)}
        )
    if isinstance(node, list):
        return [_replace_name(n, identifier, value) for n in node]
    return clone(node)


__all__ = ["Builder", "END", "LoopTarget", "Trips", "Phi", "Verbatim", "stands_alone"]
