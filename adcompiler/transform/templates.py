"""Instantiation of rule templates: names become operands, markers and decidable tests are folded.

Takes a call with its bound rule; gives the expression of each active operand's contribution, with the primal values
that it reads as `Needed` nodes.
"""

from __future__ import annotations

import ast
import builtins
import inspect

import numpy as np

from ..errors import UnsupportedSyntaxError
from ..ir.nodes import NOTHING, Const, Display, Var
from ..ir.types import Num, Ref, Static, Tup
from ..rules import registry
from ..runtime.shape import layout_order, layout_positions
from .code import Line, attribute, call, clone, constant, name, needed
from .primal_operands import need_operand

_SHAPE_FUNCTIONS = {"shape", "ndim", "size"}


class Undecided(Exception):
    """A test that only the running program can decide."""


class Instance:
    """One call of a rule, about to become adjoint code."""

    def __init__(self, builder, statement, value, target):
        self.builder, self.statement, self.value, self.target = builder, statement, value, target
        self.rule, self.bound = value.rule, value.bound
        self.results = [target] if len(self.rule.result) == 1 else list(target.items or [target])
        self.temporaries: dict[str, ast.expr] = {}
        self.base: Var | None = None  # where results may be views of it, which share its adjoint

    # -- contributions ---------------------------------------------------------------------------------------------
    def contribution(self, parameter: str):
        """The expression of `<parameter>_bar`, or None if it is zero; temporaries are emitted as lines."""
        expression = None
        for s in self.rule.adjoint_statements(parameter):
            target = s.targets[0].id
            if target == parameter + "_bar":
                expression = self.fold(s.value)
                if (
                    isinstance(expression, ast.Constant)
                    and expression.value == 0.0
                    and not isinstance(expression.value, bool)
                ):
                    return None
                expression = self.substitute(expression)
            elif target not in self.temporaries:
                folded = self.substitute(self.fold(s.value))
                made = self.builder.temporary(target)
                self.builder.line(name(made, True), folded, hidden=True)
                self.temporaries[target] = name(made)
        return expression

    # -- decisions at compile time ---------------------------------------------------------------------------------
    def fold(self, node):
        """Replace conditional expressions whose test is known."""
        if isinstance(node, ast.IfExp):
            try:
                chosen = node.body if self.decide(node.test) else node.orelse
            except Undecided:
                return ast.IfExp(self.undecided(node.test), self.fold(node.body), self.fold(node.orelse))
            return self.fold(chosen)
        if isinstance(node, ast.AST):
            made = type(node)(**{f: self.fold(getattr(node, f)) for f in node._fields if hasattr(node, f)})
            return made
        if isinstance(node, list):
            return [self.fold(n) for n in node]
        return node

    def undecided(self, test):
        """A test without the parts that are known: of `a and b` with a true `a`, `b`."""
        if not isinstance(test, ast.BoolOp):
            return test
        values = [self.undecided(v) for v in test.values if not self.is_decided(v)]
        return values[0] if len(values) == 1 else ast.BoolOp(test.op, values)

    def is_decided(self, test) -> bool:
        try:
            self.decide(test)
        except Undecided:
            return False
        return True

    def decide(self, test):
        if isinstance(test, ast.BoolOp):
            stop = isinstance(test.op, ast.Or)
            undecided = False
            for v in test.values:
                try:
                    if bool(self.decide(v)) is stop:
                        return stop
                except Undecided:
                    undecided = True
            if undecided:
                raise Undecided
            return not stop
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return not self.decide(test.operand)
        return self.known(test)

    def known(self, node):
        """The value of an expression in markers and literal parameters."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.IfExp):
            return self.known(node.body if self.decide(node.test) else node.orelse)
        if isinstance(node, ast.Call):
            return self.known_call(node)
        if isinstance(node, ast.Compare):
            if self.is_given(node):
                return isinstance(node.ops[0], (ast.IsNot, ast.NotEq))
            values = [self.known(v) for v in (node.left, *node.comparators)]
            return all(_compare(op, a, b) for op, a, b in zip(node.ops, values, values[1:], strict=False))
        if isinstance(node, ast.Name):
            return self.literal(node.id)
        if isinstance(node, ast.Tuple):
            return tuple(self.known(e) for e in node.elts)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.known(node.operand)
        if isinstance(node, ast.BinOp):
            a, b = self.known(node.left), self.known(node.right)
            code = compile(
                ast.fix_missing_locations(
                    ast.Expression(ast.BinOp(ast.Name("a", ast.Load()), node.op, ast.Name("b", ast.Load())))
                ),
                "<fold>",
                "eval",
            )
            return eval(code, {"a": a, "b": b})
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in self.rule.namespace
        ):
            return getattr(self.rule.namespace[node.value.id], node.attr)
        raise Undecided

    def is_given(self, test) -> bool:
        """Does a test ask whether an operand was left out (`b is None`, `rest != ()`) that was given?"""
        left, op, right = test.left, test.ops[0], test.comparators[0]
        if len(test.ops) > 1 or not isinstance(left, ast.Name) or left.id not in self.bound:
            return False
        value = self.bound[left.id]
        if isinstance(right, ast.Tuple) and not right.elts:
            return isinstance(op, (ast.Eq, ast.NotEq)) and isinstance(value, tuple) and len(value) > 0
        is_none = isinstance(right, ast.Constant) and right.value is None and isinstance(op, (ast.Is, ast.IsNot))
        t = self.type_of(left.id)
        return is_none and isinstance(value, Var) and isinstance(t, Num) and t.kind != "?"

    def literal(self, identifier):
        if identifier in self.bound:
            value = self.bound[identifier]
            if isinstance(value, tuple) and not value:
                return ()
            if isinstance(value, Const):
                return value.value
            if isinstance(value, Var) and value.const is not NOTHING and not value.varied:
                return value.const
            raise Undecided
        parameter = self.rule.signature.parameters.get(identifier)
        if parameter is not None:
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                return ()
            if parameter.default is inspect.Parameter.empty:
                raise Undecided
            return parameter.default
        if identifier in self.rule.namespace and identifier not in self.rule.result:
            return self.rule.namespace[identifier]
        raise Undecided

    def known_call(self, node):
        marker = self.rule.namespace.get(node.func.id) if isinstance(node.func, ast.Name) else None
        argument = node.args[0] if node.args else None
        if marker is registry.is_active:
            return self.builder.contributes(self.bound.get(argument.id)) if isinstance(argument, ast.Name) else False
        if marker is registry.is_literal:
            try:
                value = self.literal(argument.id)
            except Undecided:
                return False
            return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if marker is registry.is_real:
            t = self.type_of(argument.id)
            if isinstance(t, Num) and t.kind in "bif":
                return True
            if isinstance(t, Num) and t.kind == "c":
                return False
            raise Undecided
        is_ndim = marker is getattr(registry, "ndim", None) or (
            isinstance(node.func, ast.Attribute) and node.func.attr == "ndim" and isinstance(argument, ast.Name)
        )
        if is_ndim and isinstance(argument, ast.Name):
            t = self.type_of(argument.id)
            if isinstance(t, Num) and t.rank is not None:
                return t.rank
            raise Undecided
        if isinstance(node.func, ast.Name) and node.func.id == "isinstance" and isinstance(argument, ast.Name):
            classes = self.known(node.args[1])
            t = self.type_of(argument.id)
            classes = classes if isinstance(classes, tuple) else (classes,)
            if isinstance(t, Num) and t.boxed is not None:
                if classes == (np.ndarray,):
                    return t.boxed
                if t.boxed and not any(issubclass(np.ndarray, c) for c in classes):
                    return False
                if t.is_python:
                    return any(
                        issubclass({"b": bool, "i": int, "f": float, "c": complex}.get(t.kind, float), c)
                        for c in classes
                    )
            if isinstance(t, Tup):
                return any(issubclass(t.cls or tuple, c) for c in classes) or (list in classes)
            if isinstance(t, Ref) and t.kind != "object" and classes == (np.ndarray,):
                return False
            raise Undecided
        if isinstance(node.func, ast.Name) and node.func.id == "len" and isinstance(argument, ast.Name):
            value = self.bound.get(argument.id, ())
            if isinstance(value, tuple):
                return len(value)
            if isinstance(value, Var) and value.items is not None:
                return len(value.items)
        raise Undecided

    def type_of(self, identifier):
        if identifier in self.rule.result:
            return self.results[self.rule.result.index(identifier)].type
        value = self.bound.get(identifier)
        if value is None:
            parameter = self.rule.signature.parameters.get(identifier)
            if parameter is not None and parameter.default is not inspect.Parameter.empty:
                return self.builder.cx.type(Const(parameter.default))
            return None
        return self.builder.cx.type(value) if isinstance(value, (Var, Const)) else None

    # -- substitution ----------------------------------------------------------------------------------------------
    def substitute(self, node):
        """A copy of a folded template expression over the operands of this call."""
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr == "shape" and self.is_operand(node.value.id):
                return self.shape(node.value.id, "shape")
            module = self.rule.namespace.get(node.value.id)
            if inspect.ismodule(module) and not self.is_operand(node.value.id):
                return ast.Attribute(self.builder.namer.module(module), node.attr, ast.Load())
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self.comprehension(node)
        if isinstance(node, ast.BinOp):
            return folded_arithmetic(ast.BinOp(self.substitute(node.left), node.op, self.substitute(node.right)))
        if isinstance(node, ast.AST):
            return type(node)(**{f: self.substitute(getattr(node, f)) for f in node._fields if hasattr(node, f)})
        if isinstance(node, list):
            return _spread_out([self.substitute(n) for n in node])
        return node

    def comprehension(self, node):
        inner = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        saved = {n: self.temporaries.get(n) for n in inner}
        self.temporaries.update({n: name(n) for n in inner})
        made = type(node)(**{f: self.substitute(getattr(node, f)) for f in node._fields})
        for n, value in saved.items():
            if value is None:
                self.temporaries.pop(n)
            else:
                self.temporaries[n] = value
        return made

    def is_operand(self, identifier):
        return (
            identifier in self.bound or identifier in self.rule.result or identifier in self.rule.signature.parameters
        )

    def call(self, node):
        function = node.func
        marker = self.rule.namespace.get(function.id) if isinstance(function, ast.Name) else None
        if marker is registry.conj and marker is not None:
            inner = self.substitute(node.args[0])
            return inner if self.is_real_expression(node.args[0]) else call(self.builder.numpy("conj"), inner)
        argument = node.args[0] if node.args else None
        if isinstance(argument, ast.Name) and self.is_operand(argument.id) and len(node.args) == 1:
            if (
                isinstance(function, ast.Attribute)
                and function.attr in _SHAPE_FUNCTIONS
                and isinstance(function.value, ast.Name)
            ):
                return self.shape(argument.id, function.attr)
            if marker is registry.ndim:
                return self.shape(argument.id, "ndim")
            if marker is registry.shapes or getattr(marker, "__name__", "") == "nested_shapes":
                return self.shapes(self.bound.get(argument.id, ()), node)
        if marker in (layout_order, layout_positions):
            return ast.Call(self.substitute(function), [self.itself(argument), *self.substitute(node.args[1:])], [])
        return ast.Call(self.substitute(function), self.substitute(node.args), self.substitute(node.keywords))

    def itself(self, node):
        """An operand of which only the layout is read: what it holds may have changed, and a copy would not have its layout."""
        operand = self.bound.get(node.id)
        if isinstance(operand, Var) and isinstance(operand.type, Num) and operand.type.is_array and not operand.optional:
            return needed(operand, "ref", self.statement)
        return self.substitute(node)

    def is_real_expression(self, node) -> bool:
        """True if every operand in a slope is real, so that its conjugate is itself."""
        for n in ast.walk(node):
            if isinstance(n, ast.Constant) and isinstance(n.value, complex):
                return False
            if isinstance(n, ast.Call) and not self.keeps_reals(n.func):
                return False
            if isinstance(n, ast.Name) and self.is_operand(n.id):
                value = None if n.id in self.rule.result else self.bound.get(n.id)
                if not (self._all_real(value) if value is not None else _holds_reals(self.type_of(n.id))):
                    return False
            if isinstance(n, ast.Name) and n.id.endswith("_bar"):
                return False
            temporary = self.statement_of(n.id) if isinstance(n, ast.Name) and not self.is_operand(n.id) else None
            if temporary is not None and not self.is_real_expression(self.fold(temporary.value)):
                return False
        return True

    def _all_real(self, value) -> bool:
        """Is an operand real, and so is each one of a display, or of those that `*args` or `**kwargs` take?"""
        if isinstance(value, Display):
            value = value.items
        if isinstance(value, (tuple, list, dict)):
            return all(map(self._all_real, value.values() if isinstance(value, dict) else value))
        return not isinstance(value, (Var, Const)) or _holds_reals(self.builder.cx.type(value))

    def keeps_reals(self, node) -> bool:
        """Does a function of a template give real numbers for real numbers? What is not known may give complex ones."""
        if isinstance(node, ast.Attribute):
            owner = node.value
            if isinstance(owner, ast.Name) and self.is_operand(owner.id) or not isinstance(owner, ast.Name):
                return True  # a method of an operand, a method of what is looked at for itself
            function = getattr(self.rule.namespace.get(owner.id), node.attr, None)
        else:
            function = self.rule.namespace.get(getattr(node, "id", None), getattr(builtins, getattr(node, "id", ""), None))
        module = getattr(function, "__module__", None) or ""
        known = module.split(".")[0] in ("numpy", "math", "adcompiler") and not module.startswith("numpy.fft")
        return isinstance(function, np.ufunc) or known or function in (
            abs,
            float,
            len,
            max,
            min,
            range,
            tuple,
        )

    def statement_of(self, temporary):
        """The line of the template that gives a temporary; None for any other name."""
        return next((s for s in self.rule.statements if s.targets[0].id == temporary), None)

    def shape(self, identifier, what):
        operand = (
            self.results[self.rule.result.index(identifier)]
            if identifier in self.rule.result
            else self.bound.get(identifier)
        )
        return self.shape_of(operand, what, identifier)

    def shape_of(self, operand, what, identifier=None):
        t = self.builder.cx.type(operand) if isinstance(operand, (Var, Const)) else None
        if isinstance(t, Num) and t.rank is not None and what == "ndim":
            return constant(t.rank)
        if isinstance(t, Num) and t.is_scalar:
            return {"shape": ast.Tuple([], ast.Load()), "size": constant(1), "ndim": constant(0)}[what]
        if isinstance(operand, Var) and isinstance(t, Num):
            if t.is_array and what in ("shape", "size") and not operand.optional:
                return attribute(needed(operand, "shape", self.statement), what)
            function = self.builder.numpy(what)
            return call(function, needed(operand, "shape", self.statement))
        return call(self.builder.numpy(what), self.operand(operand) if operand is not None else self.name(identifier))

    def shapes(self, value, node):
        items = (
            value
            if isinstance(value, tuple)
            else getattr(value, "items", None)
            if isinstance(value, (Var, Display))
            else None
        )
        if items is None or any(
            not isinstance(getattr(i, "type", None), Num) and not isinstance(i, Const) for i in items
        ):
            if items is not None:
                return ast.List(
                    [
                        self.shapes(i, node)
                        if isinstance(i, Var) and i.items is not None
                        else self.shape_of(i, "shape")
                        for i in items
                    ],
                    ast.Load(),
                )
            return ast.Call(self.substitute(node.func), [self.operand(value)], [])
        return ast.List([self.shape_of(i, "shape") for i in items], ast.Load())

    def bar_of_copies(self, result):
        """The adjoint of pieces that may be views of `base`: zero for a view, whose adjoint is that of `base` already."""
        if result.items is not None:
            return ast.Tuple([self.bar_of_copies(i) for i in result.items], ast.Load())
        b, s = self.builder, self.statement
        if not b.shadow_kind(result):
            return b.bar_value(result, s)
        if not isinstance(result.type, Num):
            raise UnsupportedSyntaxError(
                f"pieces within pieces of {self.rule.name} may be views of its argument or copies, and memory that they share is changed",
                s.loc,
                hint="copy the argument before",
            )
        shared = call(b.numpy("may_share_memory"), needed(self.base, "ref", s), needed(result, "ref", s))
        return call(b.numpy("where"), shared, constant(0.0), b.bar_value(result, s))

    def name(self, identifier):
        if identifier in self.temporaries:
            return clone(self.temporaries[identifier])
        for k, r in enumerate(self.rule.result):
            if identifier == r + "_bar" and self.base is not None:
                return self.bar_of_copies(self.results[k])
            if identifier == r + "_bar":
                return self.builder.bar_value(self.results[k], self.statement, uniform=len(self.results) == 1)
            if identifier == r:
                return needed(self.results[k], "value", self.statement)
        if identifier in self.bound:
            return self.operand(self.bound[identifier])
        parameter = self.rule.signature.parameters.get(identifier)
        if parameter is not None:
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                return ast.Tuple([], ast.Load())
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                return ast.Dict([], [])
            if parameter.default is not inspect.Parameter.empty:
                return self.builder.namer.object(parameter.default)
        if identifier in self.rule.namespace:
            return self.builder.namer.object(self.rule.namespace[identifier])
        return name(identifier)

    def operand(self, value):
        if isinstance(value, tuple):
            return ast.Tuple([self.operand(v) for v in value], ast.Load())
        if isinstance(value, dict):
            return ast.Dict([constant(k) for k in value], [self.operand(v) for v in value.values()])
        return need_operand(self.builder, value, self.statement)


def folded_arithmetic(node: ast.BinOp):
    """Arithmetic on literals is done; powers of one and of zero and factors of one disappear."""
    a, b = _number(node.left), _number(node.right)
    if a is not None and b is not None and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
        value = {ast.Add: a.__add__, ast.Sub: a.__sub__, ast.Mult: a.__mul__}[type(node.op)](b)
        if value is not NotImplemented:
            return constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), constant(-value))
    if isinstance(node.op, ast.Pow) and b is not None:
        if b == 1:
            return node.left
        if b == 0:
            return constant(1.0)
    if isinstance(node.op, ast.Mult):
        if a == 1:
            return node.right
        if b == 1:
            return node.left
    return node


def _number(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    return None


def _holds_reals(t) -> bool:
    if isinstance(t, Tup):
        return all(map(_holds_reals, t.items))
    return t is None or isinstance(t, Static) or isinstance(t, Num) and t.kind in "bif"


def _spread_out(nodes):
    """Nodes in which `*(a, b)` is `a, b`."""
    made = []
    for n in nodes:
        made += n.value.elts if isinstance(n, ast.Starred) and isinstance(n.value, ast.Tuple) else [n]
    return made


def _compare(op, a, b):
    table = {
        ast.Eq: lambda: a == b,
        ast.NotEq: lambda: a != b,
        ast.Is: lambda: a is b,
        ast.IsNot: lambda: a is not b,
        ast.Lt: lambda: a < b,
        ast.LtE: lambda: a <= b,
        ast.Gt: lambda: a > b,
        ast.GtE: lambda: a >= b,
        ast.In: lambda: a in b,
        ast.NotIn: lambda: a not in b,
    }
    return table[type(op)]()


__all__ = ["Instance", "Line", "Undecided"]
