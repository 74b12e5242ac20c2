"""Arithmetic in the memory of an array that is not read any more.

    y_dot = 2.0 * (x_dot * t) * t_2         y_dot = t
                                            y_dot *= x_dot
                                            y_dot *= 2.0
                                            y_dot *= t_2

A new array costs more than the arithmetic in it: the system hands out its pages, and takes them back. So where the last
read of an array `t` stands in a chain of operations, each result goes to the memory of `t`. That is done if

- `t` is bound once, to the result of an operation or a ufunc, and all its reads are operands of those: no other name,
  view or container can hold its memory;
- every operand of the chain is known to be a number, or a float64 array in the shape of `t`: results have that form;
- nothing reads `t` afterwards.

The operations, and so the results, are the same to the last bit. Takes and gives code (see `code`), simplified.

>>> from .code import Line, name
>>> code = [Line(name("t", True), ast.parse("-x", mode="eval").body), Line(name("y", True), ast.parse("2.0 * (t * x)", mode="eval").body)]
>>> _ = write_in_place(code, name("y"), {"x": ("n",), "t": ("n",)}, {}, "np", set())
>>> [ast.unparse(line.target) + (" *= " if line.op else " = ") + ast.unparse(line.value) for line in code]
['t = -x', 'y = t', 'y *= x', 'y *= 2.0']
"""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from .bars import unique
from .code import Line, Verbatim, expressions, inner_blocks, lines, name, nodes_in

SCALAR = "a real number"
_STEPS = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_REDUCTIONS = ("sum", "mean")


def write_in_place(code, returned: ast.expr, forms: dict, tangents: dict, numpy: str, taken) -> tuple:
    """Rewrite `code` in place; gives `returned` anew, and the names whose memory now belongs to others.

    forms: for each name that is known to hold a real number `SCALAR`, for a float64 array of rank 1 or more a key of its
    shape; tangents: the same of the values of tangents, which is proven here for them. numpy: how the module is called in the code.
    """
    end = Line(None, returned, keep=True)
    writer = _Writer([*code, end], forms, tangents, numpy, taken)
    writer.block(code, end)
    return end.value, writer.passed


class _Writer:
    def __init__(self, whole, forms, tangents, numpy, taken):
        self.whole, self.end, self.numpy, self.taken = whole, whole[-1], numpy, taken
        self.passed: set[str] = set()
        self.hidden = {i.target.id for i in lines(whole) if isinstance(i, Line) and i.hidden and isinstance(i.target, ast.Name)}
        self.reads: dict[str, int] = {}
        self.bindings: dict[str, list] = {}  # the lines that bind a name; None for other ways
        self.found: dict[str, list[ast.Name]] = {}  # where a name stands
        self.unsafe: set[str] = set()
        for item in lines(whole):
            self.count(item)
        self.forms = {**forms, **tangents}
        changed = True
        while changed:
            changed = False
            for n in tangents:
                if self.forms[n] is not None and not self.keeps_form(n):
                    self.forms[n], changed = None, True

    # -- what is known of names ------------------------------------------------------------------------------------
    def count(self, item):
        """Count reads and writes; names with a read that may hand their memory on are unsafe."""
        if isinstance(item, Verbatim):
            self.unsafe |= {n.id for n in nodes_in(item.node) if isinstance(n, ast.Name)}
        for e in expressions(item):
            safe = {id(child) for n in nodes_in(e) for child in self.operands(n)}
            for n in nodes_in(e):
                if isinstance(n, ast.Name):
                    self.found.setdefault(n.id, []).append(n)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load):
                    self.reads[n.id] = self.reads.get(n.id, 0) + 1
                    if id(n) not in safe:
                        self.unsafe.add(n.id)
                elif isinstance(n, ast.Name):
                    plain = isinstance(item, Line) and n is item.target
                    self.bindings.setdefault(n.id, []).append(item if plain else None)
                    if not plain or item.op is not None:
                        self.unsafe.add(n.id)
                elif isinstance(n, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr)):
                    self.unsafe |= {m.id for m in nodes_in(n) if isinstance(m, ast.Name)}

    def keeps_form(self, tangent) -> bool:
        """Is all that is bound to a tangent of the form of its value, if the other tangents are?"""
        form = self.forms[tangent]
        return all(
            item is not None and self.form(item.value) in ((form,) if item.op is None else (SCALAR, form))
            for item in self.bindings.get(tangent, ())
        )

    def operands(self, node) -> list:
        """The expressions that an operation reads without keeping them."""
        if isinstance(node, ast.BinOp):
            return [node.left, node.right]
        if isinstance(node, ast.UnaryOp):
            return [node.operand]
        return node.args if self.is_ufunc(node) else []

    def is_ufunc(self, node) -> bool:
        """A call of a ufunc that gives float64 for float64."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords):
            return False
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id == self.numpy):
            return False
        function = getattr(np, node.func.attr, None)
        return isinstance(function, np.ufunc) and len(node.args) == function.nin and (
            "d" * function.nin + "->d" in function.types and function.signature is None
        )

    def form(self, e):
        """`SCALAR`, the shape of a float64 array, or None."""
        if isinstance(e, ast.Constant):
            return SCALAR if type(e.value) in (int, float) else None
        if isinstance(e, ast.Name):
            return self.forms.get(e.id)
        if isinstance(e, ast.UnaryOp):
            return self.form(e.operand) if isinstance(e.op, ast.USub) else None
        parts = self.operands(e)
        if not parts or isinstance(e, ast.BinOp) and not isinstance(e.op, _STEPS):
            return None
        found = {self.form(p) for p in parts}
        arrays = found - {SCALAR}
        return None if None in found or len(arrays) > 1 else arrays.pop() if arrays else SCALAR

    def is_made(self, e) -> bool:
        """Does the expression make a new array?"""
        return isinstance(e, (ast.BinOp, ast.UnaryOp)) or self.is_ufunc(e)

    # -- rewriting -------------------------------------------------------------------------------------------------
    def block(self, code, end=None):
        own: set[str] = set()  # arrays that this block has made, with all that is needed to write into them
        seen: dict[str, int] = {}
        at = 0
        while at < len(code) + (end is not None):
            item = code[at] if at < len(code) else end
            if not isinstance(item, Verbatim):  # what stops in an attempt must have bound nothing
                for inner in inner_blocks(item):
                    self.block(inner)
            self.note_reads(item, seen)
            if not isinstance(item, Line):
                at += 1
                continue
            dead = {n for n in own - self.unsafe if seen.get(n, 0) == self.reads.get(n, 0)}
            made = self.rewritten(item, dead) if dead else None
            if made is not None:
                code[at : at + (item is not end)] = made
                at += len(made) - (item is not end)
                item = made[0]
            self.note_binding(item, own)
            at += 1

    def is_bound_once(self, identifier) -> bool:
        return len(self.bindings.get(identifier, ())) == 1

    def note_reads(self, item, seen):
        for i in lines([item]):
            for e in expressions(i):
                for n in nodes_in(e):
                    if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load):
                        seen[n.id] = seen.get(n.id, 0) + 1

    def note_binding(self, item, own):
        """What a line makes."""
        if item.op is not None or not isinstance(item.target, ast.Name) or not self.is_bound_once(item.target.id):
            return
        bound, form = item.target.id, self.form(item.value)
        if form is not None:
            self.forms.setdefault(bound, form)  # a tangent: what is written shows its form
        if bound in self.unsafe or self.forms.get(bound) in (None, SCALAR) or form not in (None, self.forms[bound]):
            return
        if self.is_made(item.value) or isinstance(item.value, ast.Name) and item.value.id in self.passed:
            own.add(bound)

    def rewritten(self, item: Line, dead) -> list | None:
        """The lines for one in which dead arrays are read; the line itself is changed where it reads the result."""
        if item.op is not None or not isinstance(item.target, ast.Name):
            return self.reduced(item, dead)
        target = item.target.id
        chain = self.chain(item.value, item.value, dead)
        if chain is None:
            return self.reduced(item, dead)
        start, *rest = chain
        if _mentions(item.value, target):  # bound anew from what it was
            if start not in self.hidden:
                return None
            self.passed.add(start)
            item.value = name(start)
            return [*self.steps(item, start, rest), item]
        if item.hidden and start in self.hidden:
            if not self.is_bound_once(target):
                return None
            self.rename(target, start)
            return self.steps(item, start, rest)
        self.passed.add(start)
        return [replace(item, value=name(start)), *self.steps(item, target, rest)]

    def rename(self, old, new):
        """A temporary that goes on in the memory of another one has its name as well."""
        for n in self.found.get(old, ()):
            n.id = new
        self.found[new] += self.found.get(old, [])
        self.reads[new] += self.reads.get(old, 0)
        if old in self.unsafe:
            self.unsafe.add(new)

    def reduced(self, item: Line, dead) -> list | None:
        """`(2.0 * t).sum()`, alone or in a tuple whose other parts are of this kind or names."""
        parts = item.value.elts if isinstance(item.value, ast.Tuple) else [item.value]
        if not all(isinstance(p, (ast.Name, ast.Constant)) or self.is_reduction(p) for p in parts):
            return None
        for p in parts:
            steps = self.chain(p.func.value, item.value, dead) if self.is_reduction(p) else None
            if steps is not None:
                start, *rest = steps
                self.passed.add(start)
                temporary = unique("terms", self.taken)
                p.func.value = name(temporary)
                opened = replace(item, target=name(temporary, True), value=name(start), op=None, keep=False)
                end = [] if item is self.end else [item]
                return [opened, *self.steps(item, temporary, rest), *end]
        return None

    def is_reduction(self, e) -> bool:
        if not (isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and e.func.attr in _REDUCTIONS):
            return False
        return not e.args and not e.keywords and self.form(e.func.value) not in (None, SCALAR)

    def steps(self, item, target, rest) -> list:
        """`target op= operand` for each step."""
        return [replace(item, target=name(target, True), value=e, op=op, hidden=False, keep=True) for op, e in rest]

    def chain(self, e, whole, dead) -> list | None:
        """The longest chain of operations that makes up `e` from a dead array: its name, then pairs of operation and operand."""
        shape = self.form(e)
        if shape in (None, SCALAR):
            return None
        counts: dict[str, int] = {}
        for n in nodes_in(whole):
            if isinstance(n, ast.Name):
                counts[n.id] = counts.get(n.id, 0) + 1
        found = [c for c in self.chains(e) if c[0] in dead and len(c) > 1 and self.forms[c[0]] == shape]
        found = [c for c in found if counts[c[0]] == 1 + (isinstance(c[1][1], ast.Name) and c[1][1].id == c[0])]
        return max(found, key=len, default=None)

    def chains(self, e):
        """Each way to a name in `e` on which an operation can be done in place."""
        if isinstance(e, ast.Name):
            yield [e.id]
        elif isinstance(e, ast.BinOp) and isinstance(e.op, _STEPS):
            for c in self.chains(e.left):
                yield [*c, (e.op, e.right)]
            if isinstance(e.op, (ast.Add, ast.Mult)):
                for c in self.chains(e.right):
                    yield [*c, (e.op, e.left)]


def _mentions(e, identifier) -> bool:
    return any(isinstance(n, ast.Name) and n.id == identifier for n in nodes_in(e))


__all__ = ["SCALAR", "write_in_place"]
