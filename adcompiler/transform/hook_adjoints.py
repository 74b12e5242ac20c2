"""The reverse of `on_adjoint`: the hook is called on the adjoint, and what it returns takes its place.

The hook gets an adjoint that belongs to nobody else, so that it may change it in place or keep it. Where the array
shares its memory with others that change, its adjoint is a region of a buffer: the hook gets a copy of the region.
"""

from __future__ import annotations

import ast

from ..frontend.lower.hooks import ADJOINT
from ..ir.nodes import Call, Const, Raw, Var
from ..runtime.hooks import replaced
from ..surgery import on_adjoint
from .code import attribute, call, clone, constant, name, subscript
from .primal_operands import need_operand
from .states import UNIFORM


def is_hook(value) -> bool:
    """Is this expression a call of `on_adjoint`?"""
    return isinstance(value, Call) and value.function is on_adjoint


def reverse_hook(b, target: Var, value: Call, s):
    """Run the hook on the adjoint of `target`, and pass on what it gives."""
    operand, hook = value.args
    if target.tied or b.shadow_kind(target):
        _in_region(b, target, hook, s)
        return
    if b.state(target) == UNIFORM:
        b.spread_out(target, s)
    if not b.is_immutable(target):
        b.own(target, s)
    bar = b.bar_value(target, s)
    expression = call(b.runtime(replaced), bar, written(b, hook, bar, s))
    b.kill(target)
    if not operand.tied and not b.shadow_kind(operand):
        b.accumulate(operand, expression, s, fresh=False)
        b.code[-1].keep = True
        return
    made = b.temporary("part_bar")
    b.line(name(made, True), expression, keep=True)
    b.accumulate(operand, name(made), s, fresh=False)


def _in_region(b, target, hook, s):
    """The adjoint is memory that others share: what the hook gives is written back into it."""
    region = b.region(target, s)
    made = b.temporary("part_bar")
    b.line(name(made, True), call(attribute(region, "copy")))
    if isinstance(region, ast.Name):
        region = subscript(clone(region), constant(Ellipsis))
    stored = clone(region) if isinstance(region, ast.Subscript) else subscript(clone(region), constant(Ellipsis))
    stored.ctx = ast.Store()
    b.line(stored, call(b.runtime(replaced), name(made), written(b, hook, name(made), s)), keep=True)


def written(b, hook: Raw, bar, s):
    """The hook's expression over an adjoint."""
    return _Writer(b, hook.names, bar, s).visit(clone(hook.node))


class _Writer(ast.NodeTransformer):
    """Puts the adjoint and the operands in the places of the names that stand for them."""

    def __init__(self, b, names, bar, s):
        self.b, self.names, self.bar, self.s = b, names, bar, s

    def visit_Name(self, node):
        if node.id == ADJOINT:
            return clone(self.bar)
        found = self.names.get(node.id)
        if isinstance(found, Raw):
            return _Writer(self.b, found.names, self.bar, self.s).visit(clone(found.node))
        if isinstance(found, Const):
            return self.b.namer.object(found.value)
        return node if found is None else need_operand(self.b, found, self.s)

    def visit_Lambda(self, node):
        inner = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        node.body = self._without(inner).visit(node.body)
        return node

    def _comprehension(self, node):
        inner = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        node.generators[0].iter = self.visit(node.generators[0].iter)
        writer = self._without(inner)
        for k, g in enumerate(node.generators):
            g.iter = writer.visit(g.iter) if k else g.iter
            g.ifs = [writer.visit(i) for i in g.ifs]
        for part in ("elt", "key", "value"):
            if hasattr(node, part):
                setattr(node, part, writer.visit(getattr(node, part)))
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _without(self, inner):
        return _Writer(self.b, {k: v for k, v in self.names.items() if k not in inner}, self.bar, self.s)
