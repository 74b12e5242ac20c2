"""Cutting a tangent function in two: the primal, which records what the tangents read, and the map from tangent to tangent.

    y_dot = x_dot * np.cos(x)                    kept.append(np.cos(x))            t_1 = next(kept)
    y = np.sin(x)                          ->    y = np.sin(x)                     y_dot = x_dot * t_1

A value is read back in the order in which it was kept. A loop keeps True for each trip and False behind the last one, a
branch its test; so the map runs the same way without a line of the primal. What the primal changes in place later is
kept as a copy. Raises NotLinear for what has no such form: recursive calls, tables of shadows, tangents in tests.
"""

from __future__ import annotations

import ast

from ..runtime.linear import kept_copy
from .bars import unique
from .code import Branch, Line, Repeat, TangentLine, Verbatim, call, clone, expressions, lines, name, nodes_in

SHADOWS = ("shadow_of", "tangents_of")
CONDITIONAL = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp)


class NotLinear(Exception):
    """The tangents of this function cannot be run without it."""


def cut(code, returned, parameters, tangents, module_names, taken, namer):
    """`(recording code, its result, linear code, its result)` of the code of a tangent function.

    `parameters` are the names of the arguments of the primal, `tangents` those of their tangents, `module_names` those
    that stand for modules, functions and globals.
    """
    return _Cut(code, parameters, tangents, module_names, taken, namer).run(returned)


class _Cut:
    def __init__(self, code, parameters, tangents, module_names, taken, namer):
        self.code, self.module_names, self.taken, self.namer = code, set(module_names), taken, namer
        self.linear_names = _linear_names(code, tangents)
        self.changes = any(_changes_memory(item) and not self.is_linear(item) for item in lines(code))
        self.kept = unique("kept", taken)
        self.recorded, self.map = [], []
        self.once = set() if self.changes else _assigned_once(code, parameters)
        self.known: set[str] = set()  # names that are assigned once, and have been read back
        self.hoisted: set[str] = set()  # the same, in front of the loop
        self.outside = None  # both halves in front of the outermost loop
        self.loops = 0
        self.in_line: set[str] = set()  # names that have been read back for the line at hand

    def run(self, returned):
        if not isinstance(returned, ast.Tuple) or len(returned.elts) != 2:
            raise NotLinear
        value, tangent = returned.elts
        self.refuse_linear(value)
        self.block(self.code)
        self.in_line.clear()
        result = self.expression(clone(tangent), None)
        start = Line(name(self.kept, True), ast.List([], ast.Load()))
        again = Line(name(self.kept, True), call(name("iter"), name(self.kept)))
        recorded = ast.Tuple([value, name(self.kept)], ast.Load())
        return [start, *self.recorded], recorded, [again, *self.map], result

    # -- what is linear --------------------------------------------------------------------------------------------
    def is_linear(self, item) -> bool:
        """Is it a line of the map?"""
        if isinstance(item, TangentLine):
            return True
        return isinstance(item, Line) and any(self.mentions(e) for e in expressions(item))

    def mentions(self, e) -> bool:
        return any(isinstance(n, ast.Name) and n.id in self.linear_names for n in nodes_in(e))

    def refuse_linear(self, e):
        if self.mentions(e):
            raise NotLinear

    # -- statements ------------------------------------------------------------------------------------------------
    def block(self, code):
        for item in code:
            if isinstance(item, Line):
                self.line(item)
            elif isinstance(item, Branch):
                self.branch(item)
            elif isinstance(item, Repeat):
                self.repeat(item)
            elif isinstance(item, Verbatim):
                self.verbatim(item)
            else:
                raise NotLinear

    def line(self, item):
        if not self.is_linear(item):
            self.recorded.append(item)
            return
        if isinstance(item.target, ast.Tuple) and not all(self.mentions(e) for e in item.target.elts):
            raise NotLinear
        self.in_line.clear()
        value = self.value(clone(item.value), item)
        target = clone(item.target) if item.target is not None else None
        for part in target.elts if isinstance(target, ast.Tuple) else [target]:
            if isinstance(part, (ast.Subscript, ast.Attribute)):
                self.parts(part, item)
        self.map.append(Line(target, value, item.op, item.loc, item.hidden, item.keep))

    def branch(self, item):
        self.refuse_linear(item.test)
        if not any(self.needed(inner) for inner in lines([item])):
            self.recorded.append(item)
            return
        recorded, mapped = self.recorded, self.map
        test = unique("t", self.taken)
        made, again = Branch(name(test), [], [], item.loc), Branch(self.read(), [], [], item.loc)
        known = set(self.known)
        for k in range(2):
            self.recorded, self.map = (made.then, again.then) if k == 0 else (made.orelse, again.orelse)
            self.block(item.then if k == 0 else item.orelse)
            self.known = set(known)
        self.recorded, self.map = recorded, mapped
        self.recorded.append(Line(name(test, True), call(name("bool"), item.test), None, item.loc))
        self.recorded.append(self.keep(name(test), item))
        self.recorded.append(made)
        self.map.append(again)

    def repeat(self, item):
        for e in expressions(item):
            self.refuse_linear(e)
        if not any(self.needed(inner) for inner in lines(item.body)):
            self.recorded.append(item)
            return
        recorded, mapped, known = self.recorded, self.map, set(self.known)
        if not self.loops:
            self.outside = recorded, mapped
        self.recorded, self.map = [self.keep(ast.Constant(True), item)], []
        self.loops += 1
        self.block(item.body)
        self.loops -= 1
        made = Repeat(item.target, item.iterable, self.recorded, item.loc)
        again = Repeat(None, self.read(), self.map, item.loc)
        self.recorded, self.map, self.known = recorded, mapped, known
        if not self.loops:
            self.known, self.hoisted = known | self.hoisted, set()
        self.recorded += [made, self.keep(ast.Constant(False), item)]
        self.map.append(again)

    def verbatim(self, item):
        inner = [line for block in item.blocks for line in lines(block)]
        if isinstance(item.node, ast.Return) or any(self.needed(line) for line in inner):
            raise NotLinear
        self.recorded.append(item)
        if isinstance(item.node, (ast.Break, ast.Continue)):
            if not self.loops:
                raise NotLinear
            self.map.append(Verbatim(ast.Continue(), item.loc))  # behind a loop False is read, whatever ended it

    def needed(self, item) -> bool:
        """Must the map come by this item?"""
        return self.is_linear(item) or isinstance(item, Verbatim) and isinstance(item.node, (ast.Break, ast.Continue))

    # -- expressions -----------------------------------------------------------------------------------------------
    def value(self, e, item):
        """The right side of a line of the map: what is new in it must be new in each run."""
        if isinstance(e, (ast.Tuple, ast.List)) and not self.mentions(e):
            e.elts = [self.value(part, item) for part in e.elts]
            return e
        if isinstance(e, (ast.Call, ast.BinOp, ast.UnaryOp)) and not self.mentions(e):
            return self.parts(e, item)
        return self.expression(e, item)

    def expression(self, e, item, arithmetic=True):
        """An expression of the map, in which what is of the primal has been kept."""
        if isinstance(e, (ast.Constant, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop)):
            return e
        if isinstance(e, ast.Name) and (e.id in self.linear_names or e.id in self.module_names):
            return e
        if not any(isinstance(n, ast.Name) for n in nodes_in(e)):
            return e
        if isinstance(e, CONDITIONAL):
            return self.names_only(e, item)
        if not self.mentions(e) and not self.is_global(e):
            slices = isinstance(e, ast.Slice) or isinstance(e, ast.Tuple) and any(isinstance(i, ast.Slice) for i in e.elts)
            if slices or isinstance(e, (ast.Call, ast.List, ast.Tuple, ast.Dict)) and not arithmetic:
                return self.parts(e, item)
            return self.kept_value(e, item)
        return self.parts(e, item)

    def parts(self, e, item):
        """The same node over parts of the map."""
        arithmetic = isinstance(e, (ast.BinOp, ast.UnaryOp, ast.Compare))
        if isinstance(e, ast.Call):
            if any(isinstance(n, ast.Name) and n.id in SHADOWS for n in nodes_in(e.func)):
                raise NotLinear
            if not self.is_global(e.func):
                e.func = self.parts(e.func, item)
            e.args = [self.expression(a, item, False) for a in e.args]
            e.keywords = [ast.keyword(k.arg, self.expression(k.value, item, False)) for k in e.keywords]
            return e
        if isinstance(e, ast.Subscript):
            e.value = self.expression(e.value, item, False)
            e.slice = self.expression(e.slice, item)
            return e
        for field, part in ast.iter_fields(e):
            if isinstance(part, ast.expr):
                setattr(e, field, self.expression(part, item, arithmetic))
            elif isinstance(part, list):
                setattr(e, field, [self.expression(p, item, arithmetic) if isinstance(p, ast.expr) else p for p in part])
        return e

    def names_only(self, e, item):
        """An expression whose parts may not be evaluated: the names in it are kept, and no more."""
        bound = {a.arg for n in nodes_in(e) if isinstance(n, ast.Lambda) for a in n.args.args}
        bound |= {n.id for n in nodes_in(e) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        known = bound | self.linear_names | self.module_names
        for free in sorted({n.id for n in nodes_in(e) if isinstance(n, ast.Name)} - known):
            self.kept_value(name(free), item)
        return e

    def is_global(self, e) -> bool:
        """Is it a function or a module, which both halves read as it is?"""
        while isinstance(e, ast.Attribute):
            e = e.value
        return isinstance(e, ast.Name) and e.id in self.module_names

    def kept_value(self, e, item):
        """Keep the value of an expression of the primal; where it is read back."""
        recorded, mapped = self.recorded, self.map
        if isinstance(e, ast.Name) and e.id in self.once:
            if e.id in self.known or e.id in self.hoisted:
                return e
            (self.hoisted if self.loops else self.known).add(e.id)
            recorded, mapped = self.outside if self.loops else (recorded, mapped)
        if isinstance(e, ast.Name) and e.id in self.in_line:
            return e
        target = e.id if isinstance(e, ast.Name) else unique("t", self.taken)
        self.in_line.add(target)
        recorded.append(self.keep(self.safe(e), item))
        mapped.append(Line(name(target, True), self.read(), None, getattr(item, "loc", None)))
        return name(target)

    def safe(self, e):
        if self.changes and not isinstance(e, (ast.BinOp, ast.Compare, ast.UnaryOp)):
            return call(self.namer.object(kept_copy), clone(e))
        return clone(e)

    def keep(self, value, item):
        put = ast.Attribute(name(self.kept), "append", ast.Load())
        return Line(None, call(put, value), None, getattr(item, "loc", None), keep=True)

    def read(self):
        return call(name("next"), name(self.kept))


def _linear_names(code, tangents) -> set[str]:
    """The names of tangents: what tangent lines assign, and what is computed of them."""
    found = set(tangents)
    for item in lines(code):
        if isinstance(item, TangentLine):
            found |= _bases(item.target)
    while True:
        size = len(found)
        for item in lines(code):
            if isinstance(item, Line) and any(
                isinstance(n, ast.Name) and n.id in found for e in expressions(item) for n in nodes_in(e)
            ):
                found |= _bases(item.target)
        if len(found) == size:
            return found


def _bases(target) -> set[str]:
    """The names that a target binds or changes."""
    if isinstance(target, ast.Tuple):
        return set().union(*map(_bases, target.elts))
    while isinstance(target, (ast.Subscript, ast.Attribute)):
        target = target.value
    return {target.id} if isinstance(target, ast.Name) else set()


def _changes_memory(item) -> bool:
    """May this line of the primal change an array or a container?"""
    if isinstance(item, Verbatim):
        return not isinstance(item.node, (ast.Break, ast.Continue, ast.Pass, ast.Assert, ast.Raise))
    if not isinstance(item, Line):
        return False
    return item.op is not None or item.keep or item.target is None or isinstance(item.target, (ast.Subscript, ast.Attribute))


def _assigned_once(code, parameters) -> set[str]:
    """Names that stand for one value: arguments, and what is assigned outside of branches and loops, once."""
    count: dict[str, int] = dict.fromkeys(parameters, 1)
    top = set(parameters)
    for item in code:
        if isinstance(item, Line) and isinstance(item.target, ast.Name):
            top.add(item.target.id)
    for item in lines(code):
        targets = [item.target] if isinstance(item, (Line, Repeat)) and item.target is not None else []
        node = item.node if isinstance(item, Verbatim) else None
        for e in (*targets, *([node] if node is not None else [])):
            for n in ast.walk(e):
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                    count[n.id] = count.get(n.id, 0) + 1
    return {n for n in top if count.get(n) == 1}


__all__ = ["NotLinear", "cut"]
