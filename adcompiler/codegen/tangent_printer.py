"""Printing of a tangent function: the primal with the tangent of each statement beside it, blocks and joins included."""

from __future__ import annotations

import ast

from ..ir.nodes import Assign, If, Loop, Segment, Try, UserCall, Var, With, operands
from ..ir.types import Num
from ..segments import checkpoint, checkpointed
from ..transform.bars import unique
from ..transform.code import Branch, Repeat, TangentLine, Verbatim, call, constant, lines, name, nodes_in
from ..transform.tape_sites import Insertions
from .primal import PrimalPrinter
from .tangent_attempts import tangents_behind


class TangentPrinter(PrimalPrinter):
    """Prints statements, and what a tangent builder gives for each."""

    def __init__(self, function, names, builder, namer, marked=False):
        super().__init__(function, names, Insertions(), namer)
        self.builder, self.marked = builder, marked

    def block(self, block):
        for s in block:
            if isinstance(s, (If, Loop, With, Try)):
                self.builder.inline.clear()
                self.builder.reusable.forget()
                self.statement(s)
                self.builder.reusable.forget()
                continue
            if isinstance(s, UserCall):
                self.builder.inline.clear()
                self.statement(s)
                self.builder.reusable.note(s)
                continue
            before, after = self.builder.lines(s)
            self.out.extend(before)
            self.statement(s)
            self.out.extend(after)
            self.builder.reusable.note(s)

    def nested(self, block, head=()):
        self.builder.reusable.forget()
        made = super().nested(block, head)
        self.builder.reusable.forget()
        return made

    # -- joins -----------------------------------------------------------------------------------------------------
    def rename(self, code, target, source, s):
        """A join: the tangent takes the joined name as well, zero on a path without one."""
        made = self.joined_tangent(target, source, s)
        leaving = isinstance(code[-1], Verbatim) and isinstance(code[-1].node, ast.Break) if code else False
        if leaving:
            last = code.pop()
            code.extend(made)
            super().rename(code, target, source, s)
            code.append(last)
            return
        code.extend(made)
        super().rename(code, target, source, s)

    def joined_tangent(self, target, source, s) -> list:
        b = self.builder
        if source is None or not target.active or target in self.names.components and target.hidden:
            return []
        b.statement, b.made = s, []
        b.give(target, b.tangent(source, target))
        made, b.made = b.made, []
        return made

    def loop_body(self, s, head):
        body = self.nested(s.body, head)
        for phi in s.phis:
            if phi.orelse is not None and phi.target.active and not phi.target.hidden and not phi.orelse.active:
                self.before_breaks(body, phi, s)
            self.rename(body, phi.target, phi.orelse, s)
        return body

    def before_breaks(self, code, phi, s):
        """What the end of a body does to a tangent is done on the way out as well."""
        at = 0
        while at < len(code):
            item = code[at]
            if isinstance(item, Verbatim) and isinstance(item.node, ast.Break):
                made = self.joined_tangent(phi.target, phi.orelse, s)
                code[at:at] = made
                at += len(made)
            elif not isinstance(item, Repeat):
                for inner in _blocks(item):
                    self.before_breaks(inner, phi, s)
            at += 1

    # -- loops over sequences --------------------------------------------------------------------------------------
    def _loop(self, s: Loop):
        iterated = self.keep_iterated(s) if s.kind == "sequence" else []
        super()._loop(s)
        for table, v in iterated:  # another path does not come by here
            del table[v]

    def keep_iterated(self, s: Loop):
        """A loop runs over what its iterable was at the start, whatever the names in it stand for later.

        Gives the tables in which what is kept stands while the loop is printed.
        """
        b, layout, made = self.builder, self.builder.layout, []
        inside = range(layout.position[s], layout.last[s] + 1)
        bound = {v.name for v, (_, at) in layout.home.items() if at in inside and not v.hidden}
        for v in self.read_by_header(s):
            if v.hidden or v.name not in bound or layout.home[v][1] in inside:
                continue
            b.statement = s
            if v.active and v not in b.kept:
                b.kept[v] = unique(f"{v.name}_before_dot", b.taken)
                made.append((b.kept, v))
                self.out.append(TangentLine(name(b.kept[v], True), name(b.dot_name(v.name)), None, s.loc))
            if v not in b.reusable.kept:
                kept = unique(f"{v.name}_before", b.taken)
                b.reusable.kept[v] = name(kept)
                made.append((b.reusable.kept, v))
                self.out.append(TangentLine(name(kept, True), name(v.name), None, s.loc))
        return made

    def read_by_header(self, s: Loop) -> list:
        """The variables that the statements read which the header of a loop stands for."""
        found: dict = {}
        for inner in s.body:
            if not getattr(inner, "implicit", False):
                break
            parts = (getattr(inner, "value", None), getattr(inner, "base", None), getattr(inner, "key", None))
            for v in (v for part in parts for v in operands(part)):
                found[v] = None
        return list(found)

    def _segment(self, s: Segment):
        if not self.marked:
            super()._segment(s)
            return
        item = ast.withitem(call(self.namer.object(checkpoint)), None)
        self.out.append(Verbatim(ast.With([item], []), s.loc, [self.nested(s.body)]))

    def print_loop(self, s: Loop, first=()):
        self.name_index(s)
        super().print_loop(s, first)
        made = self.out[-1]
        self.enumerated(s, made)
        if self.marked and s.checkpoints is not None:
            self.mark(s, made)

    def mark(self, s: Loop, made: Repeat):
        """`for ... in checkpointed(...)`, `while checkpointed(...)`."""
        options = {k: self.names.read(v) for k, v in s.checkpoints.options.items()}
        if s.checkpoints.schedule is not None:
            options["schedule"] = constant(s.checkpoints.schedule)
        made.iterable = call(self.namer.object(checkpointed), made.iterable, **options)

    def enumerated(self, s: Loop, made: Repeat):
        """A loop whose tangent lines read its index, which its header does not bind."""
        index = s.index
        if s.kind != "sequence" or index is None or index in self.names.bound or index not in self.names.hidden:
            return
        spelt = self.names.hidden[index]
        read = any(isinstance(n, ast.Name) and n.id == spelt for item in lines(made.body) for n in _names(item))
        if read:
            made.target = ast.Tuple([name(spelt, True), made.target], ast.Store())
            made.iterable = call(self.namer.object(enumerate), made.iterable)

    def name_index(self, s):
        """What the header binds: a loop over `enumerate` has its index already, and elements may have hidden names."""
        if s.kind != "sequence" or s.index is None:
            return
        pattern = set(_pattern(s.header[0]))
        for inner in s.body:
            if not (isinstance(inner, Assign) and inner.implicit and isinstance(inner.value, Var)):
                continue
            if inner.value is s.index and not inner.target.hidden:
                self.names.bound.setdefault(s.index, inner.target)
            elif inner.target.hidden and inner.target in pattern and inner.value.hidden:
                self.names.bound.setdefault(inner.value, inner.target)

    def attempted(self, then, s):
        last = next((i for i in reversed(s.then) if isinstance(i, Assign) and not i.target.hidden), None)
        is_number = last is not None and isinstance(last.target.type, Num) and last.target.type.boxed is False
        return tangents_behind(then, is_number, self.builder.taken)

    # -- calls -----------------------------------------------------------------------------------------------------
    def _usercall(self, s: UserCall):
        """`y, y_dot = g_tangent(x, x_dot)`."""
        b, instance = self.builder, s.instance
        b.statement, b.made = s, []
        arguments = [self.names.read(a) for a in s.args]
        tangents = [b.tangent(a, p) for p, a in zip(instance.params, s.args, strict=True) if p.active]
        called = call(name(instance.tangent_name), *arguments, *tangents)
        target = name(self.names.name(s.target), True)
        if not (isinstance(instance.result, Var) and instance.result.active):
            self.line(s, target, called, hidden=False, keep=True)
            if s.target.active:
                raise AssertionError(f"the result of '{instance.name}' is active, and it has no tangent")
            return
        dot = name(b.dot_name(self.names.name(s.target)), True)
        self.line(s, ast.Tuple([target, dot], ast.Store()), called, keep=True)


def _pattern(pattern):
    if isinstance(pattern, Var):
        yield pattern
    elif isinstance(pattern, tuple):
        for p in pattern:
            yield from _pattern(p)


def _blocks(item):
    if isinstance(item, Branch):
        return [item.then, item.orelse]
    return item.blocks if isinstance(item, Verbatim) else []


def _names(item):
    for e in (getattr(item, "target", None), getattr(item, "value", None), getattr(item, "test", None),
              getattr(item, "iterable", None), getattr(item, "node", None)):
        if e is not None:
            yield from nodes_in(e)


__all__ = ["TangentPrinter"]
