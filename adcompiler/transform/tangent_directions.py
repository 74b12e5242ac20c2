"""Tangents along many directions at once: every tangent has a leading axis, one entry for each direction.

Builds on the tangent along one direction, for programs of numbers and arrays of known rank. Elementwise rules broadcast
over the leading axis, with axes put in between for operands of lower rank; views and stores leave it out with a slice in
front; other rules run for one direction after the other. What has no such form raises `OneByOne`: the caller then takes
the directions one by one.
"""

from __future__ import annotations

import ast
import dataclasses
import operator

import numpy as np

from ..frontend.lower.numbers import indexed_type
from ..analysis.alias import may_be_view
from ..ir.nodes import Assign, Call, Const, ContainerOp, Display, GetItem, Slice, Store, Var
from ..ir.types import Num, Ref, Static, Tup
from ..rules import tangents
from .bars import unique
from .code import call, constant, name, subscript
from .tangent import TangentBuilder
from .tangent_forms import _is_elementwise, is_fresh, is_stored, is_whole, same_dtype
from .tangent_rules import TangentInstance


PRODUCTS = (operator.matmul, np.matmul, np.dot, np.ndarray.dot)


class OneByOne(Exception):
    """This program has no form for many directions at once."""


class DirectionsBuilder(TangentBuilder):
    """Builds tangents with a leading axis for the directions."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.count = unique("count", self.taken)
        self.along: dict | None = None  # in a loop over directions: tangent -> name of its entry

    # -- values ----------------------------------------------------------------------------------------------------
    def dot(self, v: Var):
        node = super().dot(v)
        if self.along is None:
            return node
        if not isinstance(v.type, Num):
            raise OneByOne
        key = ast.dump(node)
        if key not in self.along:
            base = node.id if isinstance(node, ast.Name) else "part_dot"
            self.along[key] = (unique(f"{base.removesuffix('_dot')}_direction", self.taken), node)
        return name(self.along[key][0])

    def zero(self, operand):
        if self.along is not None:
            return super().zero(operand)
        t = self.cx.type(operand) if isinstance(operand, (Var, Const)) else None
        if isinstance(operand, Var) and operand.items is not None:
            return ast.Tuple([self.zero(i) for i in operand.items], ast.Load())
        if isinstance(t, Num) and t.boxed is False:
            return call(self.numpy("zeros"), name(self.count))
        if isinstance(t, Num) and t.boxed is True and t.kind in "fc":
            dtype = [] if t.dtype in (None, np.dtype(float)) else [self.numpy(t.dtype.name)]
            return call(self.numpy("zeros"), self.shape_of(operand), *dtype)
        if isinstance(t, Static) or t is None:
            return constant(None)
        raise OneByOne

    def shape_of(self, operand):
        """`(count, *x.shape)`."""
        shape = ast.Attribute(self.read(operand), "shape", ast.Load())
        return ast.Tuple([name(self.count), ast.Starred(shape, ast.Load())], ast.Load())

    def lifted(self, node, operand, rank):
        """The tangent of an operand among values of a higher rank: axes are put behind the leading one."""
        own = rank_of(self.cx.type(operand))
        if own == rank:
            return node
        if own > rank:
            raise OneByOne
        return subscript(node, ast.Tuple([ast.Slice(), *[constant(None)] * (rank - own)], ast.Load()))

    # -- statements ------------------------------------------------------------------------------------------------
    def assign(self, s: Assign):
        if s.target.active and s.augmented is not None and s.target.type.boxed is not False:
            raise OneByOne
        if s.target.active and isinstance(s.target.type, Ref) and not isinstance(s.value, (Var, Display)):
            if s.target.type.kind != "object" or not is_record_made(s.value):
                raise OneByOne
        super().assign(s)

    def item(self, target: Var, value: GetItem):
        base = value.base
        if isinstance(base, Var) and base.active and isinstance(base.type, Num) and not base.type.is_scalar:
            read = subscript(self.dot(base), self.behind(value.index))
            if is_stored(base) and not may_be_view(target, base):  # one element of the value, but a view of the tangents
                read = call(ast.Attribute(read, "copy", ast.Load()))
            self.give(target, read)
            return
        super().item(target, value)

    def behind(self, index):
        """An index into a value as an index into its tangents."""
        parts = index.items if isinstance(index, Display) and index.kind == "tuple" else (index,)
        if isinstance(index, Const) and isinstance(index.value, tuple):
            parts = [Const(v) for v in index.value]
        if not all(self.is_basic(p) for p in parts) and not (len(parts) == 1 and self.is_array(parts[0])):
            raise OneByOne
        return ast.Tuple([ast.Slice(), *[self.reusable.index(p) for p in parts]], ast.Load())

    def is_basic(self, part) -> bool:
        if isinstance(part, Slice):
            return True
        t = self.cx.type(part) if isinstance(part, (Var, Const)) else None
        if isinstance(part, Const) and (part.value is None or part.value is Ellipsis):
            return True
        return isinstance(t, Num) and t.boxed is False and t.kind == "i"

    def is_array(self, part) -> bool:
        t = self.cx.type(part) if isinstance(part, (Var, Const)) else None
        return isinstance(t, Num) and t.boxed is True and t.kind in "ib"

    def store(self, s: Store):
        found = self.stored_region(s)
        if found is None:
            return
        region, active, whole = found
        if not active:
            self.line(region, constant(0.0), keep=True)
            return
        rank = rank_of(s.base.type if whole else indexed_type(self.cx, s.base.type, s.index)[0])
        given = self.lifted(self.dot(s.value), s.value, rank)
        if s.op is None:
            self.line(region, given, keep=True)
            return
        op = ast.Add() if s.op.__name__ == "add" else ast.Sub()
        self.line(region, given, op, keep=True)

    def place(self, index):
        return self.behind(index)

    def lines(self, s):
        if isinstance(s, ContainerOp) and s.kind in ("elements", "permute"):
            raise OneByOne
        return super().lines(s)

    # -- rules -----------------------------------------------------------------------------------------------------
    def instance(self, value, target):
        return DirectionsInstance(self, self.statement, value, target)

    def conform(self, expression, cover, result, value):
        if self.along is not None:
            return super().conform(expression, cover, result, value)
        return conform_directions(self, expression, cover, result, value)

    def rule(self, target, value, give):
        """The tangent of a call with a rule; `give` builds it for one direction."""
        if self.along is not None:
            return give()
        if target.group is not None and id(target.group.family) in self.laid_out:
            raise OneByOne
        if value.rule.elementwise and tangents.form(value.rule) in ("explicit", "elementwise"):
            if target.items is not None:
                raise OneByOne
            return give()
        if not isinstance(target.type, Num) or value.rule.alias != "fresh" and is_stored(target):
            raise OneByOne
        short = self.short_form(target, value)
        if short is not None:
            self.give(target, short)
            return None
        return self.one_after_the_other(target, give)

    def one_after_the_other(self, target, give):
        """`np.stack([... for x_direction in x_dot])`."""
        kept, self.made, self.along = self.made, [], {}
        plain = self.give
        built = []
        try:
            self.give = lambda _, expression: built.append(expression)
            give()
            extra, entries = self.made, list(self.along.values())
        finally:
            self.give, self.made, self.along = plain, kept, None
        if extra or len(built) != 1 or not entries:
            raise OneByOne
        targets = [name(n, True) for n, _ in entries]
        sources = [node for _, node in entries]
        generator = ast.comprehension(
            targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store()),
            sources[0] if len(sources) == 1 else call(self.namer.object(zip), *sources),
            [],
            0,
        )
        self.give(target, call(self.numpy("stack"), ast.ListComp(built[0], [generator])))
        return None

    def short_form(self, target, value):
        """Sums, and products with matrices, have a form of their own."""
        function = value.function
        if function in (np.sum, np.ndarray.sum) and set(value.bound) <= {"a", "axis"}:
            a, axis = value.bound["a"], value.bound.get("axis", Const(None))
            axis = self.cx.constant(axis) if isinstance(axis, (Var, Const)) else axis
            if isinstance(a, Var) and a.active and a.items is None and (axis is None or type(axis) is int and axis >= 0):
                rank = rank_of(a.type)
                if rank and a.type.boxed:
                    axes = axis + 1 if axis is not None else 1 if rank == 1 else tuple(range(1, rank + 1))
                    summed = ast.Attribute(self.dot(a), "sum", ast.Load())
                    return ast.Call(summed, [self.namer.object(axes)], [])
        if function in PRODUCTS and len(value.bound) == 2:
            return self.product(*value.bound.values())
        if function in (np.array, np.stack) and len(value.bound) == 1:
            return self.stacked(next(iter(value.bound.values())), rank_of(target.type) - 1)
        return None

    def stacked(self, operand, rank):
        """`np.array([a, b])` of values of one rank: their tangents side by side behind the directions; None for others."""
        items = operand.items if isinstance(operand, Var) or isinstance(operand, Display) and operand.kind != "dict" else ()
        if not items:
            return None
        types = [self.cx.type(i) if isinstance(i, (Var, Const)) else None for i in items]
        if not all(isinstance(t, Num) and rank_of(t) == rank and t.kind in "bif" for t in types):
            return None
        parts = [self.tangent(i) if self.contributes(i) else self.zero(i) for i in items]
        return call(self.numpy("stack"), ast.List(parts, ast.Load()), constant(1))

    def product(self, a, b):
        """`a @ b` of vectors and matrices: one product for all directions; None for other ranks."""
        types = [self.cx.type(o) if isinstance(o, (Var, Const)) else None for o in (a, b)]
        if not all(isinstance(t, Num) and t.boxed and t.rank in (1, 2) and t.kind in "fc" for t in types):
            return None
        terms = []
        if self.contributes(a):
            terms.append(ast.BinOp(self.dot(a), ast.MatMult(), self.read(b)))
        if self.contributes(b):
            primal, tangent = self.read(a), self.dot(b)
            if types[1].rank == 1:  # the directions are the rows of a matrix
                turned = primal if types[0].rank == 1 else ast.Attribute(primal, "T", ast.Load())
                terms.append(ast.BinOp(tangent, ast.MatMult(), turned))
            else:
                terms.append(ast.BinOp(primal, ast.MatMult(), tangent))
        return terms[0] if len(terms) == 1 else ast.BinOp(terms[0], ast.Add(), terms[1])


class DirectionsInstance(TangentInstance):
    """One call of an elementwise rule, for many directions."""

    def tangents(self, active):
        if self.builder.along is None and not isinstance(self.target.type, Num):
            raise OneByOne
        return super().tangents(active)

    def dot_of(self, value):
        if self.builder.along is not None or not self.rule.elementwise:
            return super().dot_of(value)
        if isinstance(value, tuple) or isinstance(value, Var) and value.items is not None:
            raise OneByOne
        return self.builder.lifted(self.builder.tangent(value), value, rank_of(self.target.type))

    def substitute(self, node):
        if self.builder.along is None and isinstance(node, tangents.Zero):
            raise OneByOne
        if self.builder.along is None and isinstance(node, ast.Call) and _reads_tangent(node):
            if not _is_elementwise(self, node.func):
                raise OneByOne
        return super().substitute(node)


def is_record_made(value) -> bool:
    """Is this the making of a dataclass from its fields?"""
    return isinstance(value, Call) and dataclasses.is_dataclass(value.function) and bool(value.kwargs) and not value.args


def _reads_tangent(node) -> bool:
    return any(isinstance(n, ast.Name) and n.id.endswith("_dot") for a in (*node.args, *node.keywords) for n in ast.walk(a))


def rank_of(t) -> int:
    """The rank of a number or an array; `OneByOne` if only the run knows."""
    if not isinstance(t, Num) or t.rank is None or t.boxed is None or isinstance(t, (Tup, Ref)):
        raise OneByOne
    return t.rank


def conform_directions(b, expression, cover, result: Var, value):
    """Tangents of an elementwise call in the form of its result."""
    t = result.type
    rank = rank_of(t)
    if value.rule.alias != "fresh":
        return expression
    if t.boxed is False:
        return expression
    if rank == 0 and is_stored(result):
        raise OneByOne
    whole = is_whole(b, cover, result, value)
    if not whole:
        expression = call(b.numpy("broadcast_to"), expression, b.shape_of(result))
    operands = [o for o in value.bound.values() if isinstance(o, Var)]
    if is_stored(result) or (not is_fresh(expression) and any(is_stored(o) for o in operands)):
        if not same_dtype(b, cover, result, value):
            if t.dtype is None:
                raise OneByOne
            return call(b.numpy("array"), expression, b.numpy(t.dtype.name))
        if not is_fresh(expression):
            expression = call(b.numpy("array"), expression)
    return expression


__all__ = ["DirectionsBuilder", "DirectionsInstance", "OneByOne", "conform_directions"]
