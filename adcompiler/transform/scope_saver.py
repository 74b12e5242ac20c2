"""Saving inside a segment or a checkpointed loop: its primal values come from its new run, not from the tape.

A scope is what runs again: the block of a segment, or the trips of a loop. Its saver resolves the needs of the scope's
own variables, and of memory that the scope changes, as if the scope were a function: with a layout of its own, in which
everything from outside is a parameter. What is left (values from outside, as they are in front of the scope) is handed
over to the saver of the code around, which sees it as read by the scope's statement.
"""

from __future__ import annotations

import ast

from ..analysis.alias import root_of, view_source
from ..analysis.layout import Layout
from ..ir.nodes import Call, Const, Display, Function, GetAttr, GetItem, Loop, Phi, Starred, UserCall, Var, operands
from .bars import unique
from .code import END, Needed, Trips, expressions, lines, name, nodes_in
from .object_changes import is_object
from .primal_operands import changes
from .save import Saver


class ScopeSaver(Saver):
    """Resolves the needs of the reverse of one segment or checkpointed loop.

    layout: that of the scope alone. outside: variables that it reads. repeated: memory of variables from outside that
    must be put back before the scope is reversed, since it changes behind the scope.
    """

    def __init__(self, outer, statement, code, make_names):
        builder = outer.b
        self.outer, self.statement = outer, statement
        body = [statement] if isinstance(statement, Loop) else statement.body
        alone = Layout(Function("scope", [], body, Const(None)))
        own = set(alone.home) - _left_behind(statement)
        self.outside = _outside(alone, own, code)
        scope = Function("scope", self.outside, body, Const(None))
        self.own_vars = own
        self.repeated: dict[Var, None] = {}
        self.held: dict[Var, str] = {}  # variables from outside whose name the scope binds again -> another name
        self.read_outside: dict[Var, None] = {}  # variables from outside that the reverse reads by their names
        layout, function = builder.layout, builder.function
        builder.layout, builder.function = Layout(scope, around=layout), scope
        super().__init__(
            builder, code, outer.taken, joint=True, tbr=outer.tbr, primal_names=make_names(scope, builder.layout)
        )
        builder.layout, builder.function = layout, function
        self.simplifying, self.tape_dtype = outer.simplifying, outer.tape_dtype
        self.memory.own_scope = statement
        self.changes_objects = bool(self.memory.objects.changing)

    def leaves(self, node) -> bool:
        if isinstance(node, Trips):
            return node.loop is not self.statement and node.loop not in self.layout.position
        v = node.var
        if v in self.own_vars:
            return False
        if node.at is not END and is_object(v) and self.memory.objects.may_follow(node.at):
            return False
        return not (node.need == "value" and self.changed_inside(v))

    def hand_over(self, node):
        v = node.var
        if node.at is END:
            return node
        node.at = self.statement
        if self.changes_objects and is_object(v):
            node.need = "memory"  # the object itself, as it is behind the new run
        elif node.need == "value" and self.changed_later(v):
            self.repeated[v] = None
            node.need = "memory"
        return node

    def own_joins(self, v) -> bool:
        """Does this variable get its values inside the scope, on every path on which it has one?"""
        waiting, seen = [v], set()
        while waiting:
            v = waiting.pop()
            if v is None or v in seen:
                continue
            seen.add(v)
            if v not in self.own_vars:
                return False
            if isinstance(v.definition, Phi):
                waiting += [v.definition.then, v.definition.orelse]
        return True

    def changed_inside(self, v) -> bool:
        """Does the scope change the memory of this array?"""
        return self.memory.unstable(v) and bool(self.memory.kills_of(v.group.family))

    def changed_later(self, v) -> bool:
        """May memory that `v` names change between the scope's forward run and its reverse?"""
        outer = self.outer
        if not outer.memory.unstable(v):
            return False
        if id(v.group.family) in self.b.volatile or outer.memory.changes_between(v):
            return True
        positions, loops = outer.memory.kill_places(v.group.family)
        after = bool(positions) and positions[-1] > outer.layout.last[self.statement]
        return after or any(loop in loops for loop in outer.layout.loops[self.statement])

    def container_changes_later(self, v) -> bool:
        """May a container, or an array in it, change behind the scope and before its reverse?"""
        b, outer = self.b, self.outer
        if any(isinstance(s, UserCall) for s in b.layout.statements) or changes(b, v, self.statement):
            return True
        if outer.memory.interrupted and changes(b, v, b.layout.statements[0]):
            return True
        return any(outer.memory.kills_by_family.get(id(f)) for f in b.cx.element_families(v))

    def plan(self, key):
        if key[0] not in ("trips", "copy") and key[1] not in self.own_vars:
            return self.from_outside(key[1])
        return super().plan(key)

    def has_value(self, text) -> bool:
        given = (n.id for v in self.read_outside for n in ast.walk(self.names.read(v)) if isinstance(n, ast.Name))
        return text in self.held.values() or text in given

    def from_outside(self, v):
        """A variable from outside has its name in the new run, unless the scope binds that name again."""
        read = self.names.read(v)
        text = next((n.id for n in ast.walk(read) if isinstance(n, ast.Name)), None)
        if not any(not w.hidden and w.name == text for w in self.own_vars):
            self.read_outside[v] = None
            return read
        if v not in self.held:
            self.held[v] = unique(f"{text}_0", self.taken)
        return name(self.held[v])

    def keep_private(self):
        """What runs again works in memory that is put back afterwards: no copies."""


def _left_behind(statement) -> set:
    """Variables that a loop defines for the code behind it."""
    if not isinstance(statement, Loop):
        return set()
    return {phi.target for phi in statement.exits} | {statement.checkpoints.store}


def _called(expression):
    """Variables whose methods an expression calls, or that it calls."""
    if isinstance(expression, Call):
        function = expression.function
        if isinstance(function, (Var, GetAttr)):
            yield from operands(function)
        for part in (*expression.args, *expression.kwargs.values()):
            yield from _called(part)
    elif isinstance(expression, GetItem):
        yield from _called(expression.base)
        yield from _called(expression.index)
    elif isinstance(expression, (GetAttr, Starred)):
        yield from _called(getattr(expression, "base", None) or getattr(expression, "value", None))
    elif isinstance(expression, Display):
        for part in (*expression.keys, *expression.items):
            yield from _called(part)


def _outside(layout, own, code) -> list[Var]:
    """Variables that the scope or its reverse reads, with the arrays that they are views of and the tuples they hold."""
    waiting = [v for v in layout.uses if v not in own]
    for s in layout.statements:
        waiting += _called(getattr(s, "value", None))
        printed = getattr(s, "printed", None)
        waiting += operands(printed[2] if isinstance(printed, tuple) else printed)
    for item in lines(code):
        for e in expressions(item):
            waiting += [n.var for n in nodes_in(e) if isinstance(n, Needed) and n.var not in own]
    found: dict[Var, None] = {}
    while waiting:
        v = waiting.pop()
        if not isinstance(v, Var) or v in found or v in own:
            continue
        found[v] = None
        waiting += [*(v.items or ()), root_of(v), view_source(v)]
        d = v.definition
        if v.hidden and getattr(d, "implicit", False):
            waiting += list(operands(d.value))
    return sorted(found, key=lambda v: v.uid)


__all__ = ["ScopeSaver"]
