"""The tangent: beside each statement of the primal the statement that gives its derivative along one direction.

Takes a lowered function with activity; gives, for one statement at a time and in the order in which they are printed,
the lines in front of it and behind it. The tangent program mirrors the primal: the tangent of what a name holds is in
`<name>_dot`, a view is the same view of the tangent, a store the same store, a container of values has a container of
their tangents that undergoes the same operations. So memory that is shared in the primal is shared in the tangent.

Tangents stand in front of their statement, where operands are still what they were, unless a rule reads the result.
The tangent of a value that no active operand reaches is zero, in the shape of the value.

Here are names, reads and the tangents of moves; `tangent_rules` has calls with a rule, `tangent_forms` brings a tangent
to the form of its value, `tangent_containers` has lists, dicts and objects, `reusable` says which temporaries may be
written twice.
"""

from __future__ import annotations

import ast
import operator

import numpy as np

from ..errors import UnsupportedSyntaxError
from ..ir.nodes import (
    Assign,
    Call,
    Const,
    ContainerOp,
    Display,
    GetItem,
    Store,
    Unpack,
    Var,
)
from ..ir.types import Num, Ref, Static, Tup, carries_derivative
from ..runtime.shadows import shadow_of, tangents_of
from ..runtime.tangents import updated_in_place, zero_tangent
from .bars import unique
from .code import TangentLine, attribute, call, clone, constant, name, subscript
from .reusable import Reusable
from .tangent_containers import container_tangent, display_tangent, object_tangent
from .tangent_forms import conform
from .tangent_rules import TangentInstance, rule_tangent


class TangentBuilder:
    """Builds the tangents of the statements of one function."""

    def __init__(self, function, layout, cx, namer, names, taken, laid_out, *, strict=False):
        self.function, self.layout, self.cx, self.namer = function, layout, cx, namer
        self.names, self.taken, self.laid_out, self.strict = names, taken, laid_out, strict
        self.dots: dict[str, str] = {}  # name in the primal -> name of its tangent
        self.kept: dict[Var, str] = {}  # tangents of what a loop runs over, where the name is bound again in its body
        self.inline: dict[Var, ast.expr] = {}  # tangents of values that the header of a loop binds
        self.reusable = Reusable(names)
        self.made: list = []
        self.statement = None
        self.reads_result = False

    # -- small parts -----------------------------------------------------------------------------------------------
    def numpy(self, attr):
        return attribute(self.namer.module(np), attr)

    def runtime(self, function):
        return self.namer.object(function)

    def temporary(self, wanted):
        return unique(wanted, self.taken)

    def line(self, target, value, op=None, hidden=False, keep=False):
        self.made.append(TangentLine(target, value, op, self.statement.loc, hidden, keep, self.dots.values()))

    def contributes(self, operand) -> bool:
        """Has this operand of a rule a tangent?"""
        if isinstance(operand, (tuple, list)):
            return any(self.contributes(o) for o in operand)
        return isinstance(operand, Var) and operand.active

    # -- names and values ------------------------------------------------------------------------------------------
    def dot_name(self, spelt: str) -> str:
        """The name of the tangent of what the primal calls `spelt`."""
        if spelt not in self.dots:
            self.dots[spelt] = unique(f"{spelt}_dot", self.taken)
        return self.dots[spelt]

    def dot(self, v: Var) -> ast.expr:
        """The tangent of an active variable, as an expression to read."""
        if v in self.kept and getattr(self.statement, "implicit", False):
            return name(self.kept[v])
        if v in self.inline:
            return clone(self.inline[v])
        if v in self.names.components and v.hidden:
            base, k = self.names.components[v]
            return subscript(self.dot(base), constant(k))
        if v in self.names.bound:
            return name(self.dot_name(self.names.name(self.names.bound[v])))
        return name(self.dot_name(self.names.name(v)))

    def read(self, operand) -> ast.expr:
        """A primal operand, as an expression to read in front of (or, for the result itself, behind) the statement."""
        if isinstance(operand, Var) and operand in self.targets():
            self.reads_result = True
            node = self.names.read(operand)
            for part in ast.walk(node):  # a component is read off the name of the whole
                part.is_result = True
            return node
        return self.reusable.read(operand)

    def targets(self) -> tuple:
        """The variables that the statement gives."""
        target = getattr(self.statement, "target", None)
        return () if target is None else (target, *(target.items or ()))

    def tangent(self, operand, like: Var | None = None) -> ast.expr:
        """The tangent of an operand, zero where it has none; with the structure of `like`, which it is assigned to."""
        if not isinstance(operand, Var) or not operand.active:
            if like is not None and isinstance(like.type, Ref) and like.active:
                if self.cx.constant(operand) is None:  # no container yet: nothing is read of it
                    return constant(None)
                self.refuse_mixed(like)
            return self.zero(operand)
        if like is not None and operand.items is not None and like.items is not None:
            pairs = list(zip(like.items, operand.items, strict=True))
            if any(self.differs(t, v) for t, v in pairs):
                return ast.Tuple([self.tangent(v, t) for t, v in pairs], ast.Load())
        return self.dot(operand)

    def differs(self, target: Var, source) -> bool:
        """Must the tangent of `source` be completed by zeros where it becomes that of `target`?"""
        if not target.active:
            return False
        if not isinstance(source, Var) or not source.active:
            return True
        if target.items is None or source.items is None:
            return False
        return any(self.differs(t, v) for t, v in zip(target.items, source.items, strict=True))

    def refuse_mixed(self, v: Var):
        raise UnsupportedSyntaxError(
            f"'{v.name}' is a container with active values on one path, and one without on another",
            self.statement.loc,
            hint="fill it from one container, or use an array",
        )

    def zero(self, operand) -> ast.expr:
        """A zero tangent with the structure of an operand; None for what carries no number."""
        t = self.cx.type(operand) if isinstance(operand, (Var, Const)) else None
        if isinstance(operand, Var) and operand.items is not None:
            made = getattr(operand.definition, "value", None)
            as_list = isinstance(made, Display) and made.kind == "list"  # np.block tells lists from tuples
            return (ast.List if as_list else ast.Tuple)([self.zero(i) for i in operand.items], ast.Load())
        if isinstance(t, Tup) and isinstance(operand, Const):
            return ast.Tuple([self.zero(Const(v)) for v in operand.value], ast.Load())
        if isinstance(t, Num) and t.boxed is False:
            return constant(0.0)
        if isinstance(t, Num) and t.boxed is True and t.kind in "fc":
            return call(self.numpy("zeros_like"), self.read(operand))
        if isinstance(t, Static) or t is None:
            return constant(None)
        d = operand.definition if isinstance(operand, Var) and operand.hidden else None
        if isinstance(d, Assign) and isinstance(d.value, Display) and d.value.kind == "list" and self.is_whole(operand, d):
            return ast.List([self.zero(i) for i in d.value.items], ast.Load())
        return call(self.runtime(zero_tangent), self.read(operand))

    def is_whole(self, operand: Var, made: Assign) -> bool:
        """Does a list hold what its display says, and nothing that was appended later?"""
        holder = self.cx.assumed.holders[operand.type.site]
        return holder.exact and len(holder.items) == len(made.value.items)

    # -- rules -----------------------------------------------------------------------------------------------------
    def rule(self, target: Var, value: Call, give):
        """The tangent of a call with a rule, which `give` builds."""
        give()

    def instance(self, value: Call, target: Var):
        return TangentInstance(self, self.statement, value, target)

    def conform(self, expression, cover, result: Var, value: Call):
        return conform(self, expression, cover, result, value)

    # -- statements ------------------------------------------------------------------------------------------------
    def lines(self, s) -> tuple[list, list]:
        """The tangent of one statement that holds no blocks: lines in front of it and behind it."""
        self.statement, self.made, self.reads_result = s, [], False
        if not getattr(s, "implicit", False):
            self.inline.clear()
        if isinstance(s, Assign):
            self.assign(s)
        elif isinstance(s, Unpack):
            self.unpack(s)
        elif isinstance(s, Store):
            self.store(s)
        elif isinstance(s, ContainerOp):
            container_tangent(self, s)
        made = self.made
        self.made = []
        if not self.reads_result:
            return made, []
        return self.set_aside(s, made), made

    def set_aside(self, s, made) -> list:
        """Lines that keep what the tangent reads under a name that the statement itself binds anew."""
        if not isinstance(s, Assign) or s.target.hidden:
            return []
        bound, kept = self.names.name(s.target), []
        for item in made:
            for n in ast.walk(item.value):
                if isinstance(n, ast.Name) and n.id == bound and not hasattr(n, "is_result"):
                    if not kept:
                        boxed = s.target.type.boxed if isinstance(s.target.type, Num) else True
                        if s.augmented is not None and boxed:
                            raise UnsupportedSyntaxError(
                                "the tangent of this in-place operator reads both the old and the new value",
                                s.loc,
                                hint="write x = x ... instead",
                            )
                        old = self.temporary(f"{bound}_before")
                        before = name(bound)
                        if s.augmented is not None and boxed is None:  # it may be an array, which changes
                            before = call(self.numpy("positive"), before)
                        kept.append(TangentLine(name(old, True), before, None, s.loc, hidden=True))
                    n.id = old
        return kept

    def give(self, target: Var, expression):
        """`target_dot = expression`."""
        if getattr(self.statement, "implicit", False) and target.hidden:
            if target in self.names.bound or target in self.names.components:
                self.inline[target] = expression
                return
        node = self.dot(target)
        if isinstance(node, ast.Name) and isinstance(expression, ast.Name) and node.id == expression.id:
            return
        node.ctx = ast.Store()
        self.line(node, expression, hidden=target.hidden)

    def assign(self, s: Assign):
        target, value = s.target, s.value
        if not target.active:
            return
        if isinstance(value, Var):
            self.give(target, self.tangent(value, target))
        elif isinstance(value, GetItem):
            self.item(target, value)
        elif isinstance(value, Display):
            display_tangent(self, target, value)
        elif isinstance(value, Call) and value.function is shadow_of:
            level = self.cx.assumed.tangent_levels + 1  # those of another direction have tables of their own
            levels = [constant(level)] if level > 1 else []
            tables = call(self.runtime(tangents_of), self.read(value.args[0]), *levels)
            self.give(target, call(self.runtime(shadow_of), tables, self.read(value.args[1])))
        elif isinstance(value, Call) and isinstance(target.type, Ref):
            object_tangent(self, target, value)
        elif isinstance(value, Call) and s.augmented is not None:
            before = value.args[0]
            old = clone(self.dot(before)) if isinstance(before, Var) and before.active else None
            if value.rule is None:  # `x //= c`
                self.give(target, self.zero(target))
            else:
                rule_tangent(self, target, value)
            if old is not None and self.made and not (isinstance(target.type, Num) and target.type.boxed is False):
                made = self.made[-1]
                made.value = call(self.runtime(updated_in_place), old, made.value)
        elif isinstance(value, Call) and value.rule is not None and value.bound is not None:
            rule_tangent(self, target, value)
        elif isinstance(value, Call) and target.items is not None:
            self.give(target, ast.Tuple([self.tangent(i, t) for i, t in _paired(value.args, target)], ast.Load()))
        else:
            self.give(target, self.zero(target))

    def item(self, target: Var, value: GetItem):
        """`target = base[index]`."""
        base = value.base
        if not isinstance(base, Var) or not base.active:
            self.give(target, self.zero(target))
        elif isinstance(base.type, Num) and base.type.is_scalar:
            self.give(target, self.dot(base))
        else:
            self.give(target, subscript(self.dot(base), self.reusable.index(value.index)))

    def unpack(self, s: Unpack):
        """Names that are bound together take their tangents together."""
        pairs = [(t, v) for t, v in s.pairs if t.active]
        if not pairs:
            return
        values = [self.tangent(v, t) for t, v in pairs]
        moved = [
            (t, v)
            for (t, _), v in zip(pairs, values, strict=True)
            if not (isinstance(v, ast.Name) and v.id == self.names_dot(t))
        ]
        if len(moved) == 1:
            self.line(name(self.names_dot(moved[0][0]), True), moved[0][1], hidden=moved[0][0].hidden)
        elif moved:
            self.line(
                ast.Tuple([name(self.names_dot(t), True) for t, _ in moved], ast.Store()),
                ast.Tuple([v for _, v in moved], ast.Load()),
            )

    def names_dot(self, v: Var) -> str:
        return self.dot_name(self.names.name(v))

    def store(self, s: Store):
        """`base[index] = value`: the same store of the tangent, zero for a constant."""
        found = self.stored_region(s)
        if found is None:
            return
        region, active, whole = found
        value = s.value
        if isinstance(s.printed, tuple) and self.scaled(s, region, whole):
            return
        if s.op is not None:
            if whole and isinstance(region.value, ast.Name):
                region = name(region.value.id, True)
            self.line(region, self.dot(value), ast.Add() if s.op is operator.add else ast.Sub(), keep=True)
            return
        self.line(region, self.dot(value) if active else constant(0.0), keep=True)

    def stored_region(self, s: Store):
        """The tangent of what a store changes: its region, is the value active, is it the whole; None if it has none."""
        base, active = s.base, isinstance(s.value, Var) and s.value.active
        if not isinstance(base, Var) or not base.active or not active and s.op is not None:
            return None
        whole = s.index is None or (isinstance(s.index, Const) and s.index.value is Ellipsis)
        region = subscript(self.dot(base), constant(Ellipsis) if whole else self.place(s.index), True)
        return region, active, whole

    def place(self, index):
        """An index as it stands in the tangent."""
        return self.reusable.index(index)

    def scaled(self, s: Store, region, whole) -> bool:
        """`x *= c` and `x /= c` with a constant `c` scale the tangent in the same way."""
        _, function, factor = s.printed
        d = s.value.definition if isinstance(s.value, Var) else None
        if function not in (operator.mul, operator.truediv) or isinstance(factor, Var) and factor.active:
            return False
        if not isinstance(d, Assign) or not isinstance(d.value, Call) or not carries_derivative(s.base.type):
            return False
        if not (isinstance(s.base.type, Num) and s.base.type.kind in "fc" and s.value.active):
            return False
        first = d.value.args[0]
        if not isinstance(first, Var) or not first.active or not (isinstance(factor, (Var, Const))):
            return False
        target = name(region.value.id, True) if whole and isinstance(region.value, ast.Name) else region
        op = ast.Mult() if function is operator.mul else ast.Div()
        self.line(target, self.reusable.read(factor), op, keep=True)
        return True


def _paired(operands, target):
    return zip(operands, target.items, strict=True)


__all__ = ["TangentBuilder"]
