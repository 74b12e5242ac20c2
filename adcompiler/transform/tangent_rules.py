"""Tangents of calls with a rule: the template over tangents, the same call of tangents, or a function that gives them.

Takes the assignment of a call whose rule is bound; the builder receives `<target>_dot = ...`. Of an elementwise rule
only the terms of active operands appear; a linear call is printed as the user wrote it, with tangents for operands.
"""

from __future__ import annotations

import ast
import inspect
import operator

import numpy as np

from ..codegen.names import apply, method_of
from ..errors import MissingRuleError, UnsupportedSyntaxError
from ..ir.nodes import Assign, Call, Const, Display, GetAttr, Starred, Var, operands
from ..ir.types import Num, Ref, Tup
from ..rules import tangents
from ..rules.registry import own_rule
from ..runtime.functional_rules import call_jvp
from ..runtime.strict import strict_tangent
from ..runtime.tangents import laid_out
from .code import attribute, call, clone, constant, name
from .contributions import same_extents
from .rule_adjoints import arranged
from .tangent_forms import covered, is_stored
from .templates import Instance


def rule_tangent(b, target: Var, value: Call):
    """Give the tangent of `target = value`."""
    rule = value.rule
    kind = tangents.form(rule)
    flowing = tangents.parameters(rule) if kind else tuple(rule.signature.parameters)
    active = [p for p in flowing if b.contributes(value.bound.get(p))]
    if kind == "function":
        active = [v for a in (*value.args, *value.kwargs.values()) for v in operands(a) if v.active]
    if not active:
        b.give(target, b.zero(target))
    elif kind is None:
        raise MissingRuleError(
            f"the rule of {rule.name} does not say how its tangent follows",
            b.statement.loc,
            hint="say elementwise=True or linear=(...) in @ad.rule where that is so, add a line y_dot = ..., or take reverse mode"
            if rule.statements
            else f"take reverse mode, or give it with ad.register_jvp({rule.name.rpartition('.')[2]}, jvp)",
        )
    else:
        b.rule(target, value, lambda: give_tangent(b, target, value, kind, active))


def give_tangent(b, target, value, kind, active):
    """The tangent by the form that the rule has."""
    if kind == "function":
        functional_tangent(b, target, value)
    elif kind == "linear":
        b.give(target, own_memory(b, linear_call(b, value, target), target, value))
    elif kind == "multilinear":
        b.give(target, own_memory(b, multilinear_calls(b, value, target, active), target, value))
    else:
        template_tangent(b, target, value, active)


def own_memory(b, expression, target, value):
    """What a call makes anew its tangent makes anew; where views of it are taken, in the same layout."""
    if isinstance(target.type, Num) and target.group is not None and id(target.group.family) in b.laid_out:
        if value.rule.alias == "fresh":
            return call(b.runtime(laid_out), expression, b.read(target))
    return expression


# -- templates ---------------------------------------------------------------------------------------------------------


def template_tangent(b, target, value, active):
    """An explicit rule, or an elementwise one."""
    instance = b.instance(value, target)
    found = instance.tangents(active)
    results = instance.results
    parts = []
    for result, (expression, cover) in zip(results, found, strict=True):
        if expression is None:
            parts.append(b.zero(result))
        elif value.rule.elementwise:
            parts.append(b.conform(expression, cover, result, value))
        else:
            parts.append(own_memory(b, expression, result, value))
    b.give(target, parts[0] if len(value.rule.result) == 1 else ast.Tuple(parts, ast.Load()))


class TangentInstance(Instance):
    """One call of a rule, about to become tangent code."""

    def tangents(self, active) -> list:
        """For each result the expression of its tangent (None for zero), and the parameters whose shape it has."""
        rule = self.rule
        found = {r: (None, set()) for r in rule.result}
        strict = self.builder.strict and rule.elementwise
        statements = self.strict_statements(active) if strict else tangents.statements(rule, active)
        covers: dict[str, set] = {}
        for s in statements:
            target = s.targets[0].id
            folded = doubled(self.without_inactive(self.fold(s.value)), self.bound)
            covers[target] = covered(self, folded, covers)
            if isinstance(folded, tangents.Zero) or _is_zero(folded):
                expression = None
            else:
                expression = self.substitute(folded)
            result = target.removesuffix("_dot")
            if result in found and target.endswith("_dot"):
                if expression is not None and len(rule.result) > 1:
                    expression = self.bind(target, expression)
                found[result] = (expression, covers[target])
            else:
                self.bind(target, expression if expression is not None else constant(0.0))
        return list(found.values())

    def itself(self, node):
        return self.substitute(node)

    def bind(self, target, expression):
        """A line for a temporary; the name that stands for it."""
        made = self.builder.temporary(target)
        self.builder.line(name(made, True), expression, hidden=True)
        self.temporaries[target] = name(made)
        return name(made)

    def strict_statements(self, active):
        """Each term of an elementwise rule is zero where its tangent is, whatever the slope."""
        marker = ast.Name("strict_tangent", ast.Load())
        given = self.builder.temporary("tangent")
        self.temporaries[given] = name(given)
        parameter = ast.arguments(
            posonlyargs=[], args=[ast.arg(given)], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]
        )
        whole: dict[str, ast.Assign] = {}
        others = []
        for p in active:
            for s in tangents.by_parameter(self.rule, p):
                target = s.targets[0].id
                if target not in {tangents.dotted(r) for r in self.rule.result}:
                    if target not in {o.targets[0].id for o in others}:
                        others.append(s)
                    continue
                slope = ast.Lambda(parameter, _Renamed(tangents.dotted(p), given).visit(s.value))
                term = ast.Call(marker, [ast.Name(tangents.dotted(p), ast.Load()), slope], [])
                before = whole.get(target)
                term = term if before is None else ast.BinOp(before.value, ast.Add(), term)
                whole[target] = ast.Assign([ast.Name(target, ast.Store())], term, lineno=0)
        return [*others, *whole.values()]

    def without_inactive(self, node):
        """Tangents of parameters without one as zeros, folded away where that is possible."""
        return tangents.without_zeros(_Inactive(self).visit(node))

    def contributes(self, parameter) -> bool:
        return self.builder.contributes(self.bound.get(parameter))

    # -- what the template reads -----------------------------------------------------------------------------------
    def name(self, identifier):
        if identifier in self.temporaries:
            return clone(self.temporaries[identifier])
        if identifier == "strict_tangent":
            return self.builder.runtime(strict_tangent)
        if identifier.endswith("_dot"):
            parameter = identifier.removesuffix("_dot")
            if parameter in self.bound or parameter in self.rule.signature.parameters:
                return self.dot_of(self.bound.get(parameter, ()))
        if identifier in self.rule.result:
            return self.builder.read(self.results[self.rule.result.index(identifier)])
        return super().name(identifier)

    def dot_of(self, value):
        if isinstance(value, tuple):
            return ast.Tuple([self.dot_of(v) for v in value], ast.Load())
        return self.builder.tangent(value)

    def substitute(self, node):
        if isinstance(node, ast.Starred) and isinstance(node.value, ast.Name):
            whole = self.substitute(node.value)
            return _Spliced(whole.elts) if isinstance(whole, ast.Tuple) else ast.Starred(whole, ast.Load())
        if isinstance(node, list):
            made = [self.substitute(n) for n in node]
            return [e for m in made for e in (m.parts if isinstance(m, _Spliced) else [m])]
        if isinstance(node, tangents.Zero):
            value = self.bound.get(node.parameter)
            if value is None:
                parameter = self.rule.signature.parameters.get(node.parameter)
                star = parameter is not None and parameter.kind is inspect.Parameter.VAR_POSITIONAL
                return ast.Tuple([], ast.Load()) if star else constant(0.0)
            return ast.Tuple([self.builder.zero(v) for v in value], ast.Load()) if isinstance(value, tuple) else (
                self.builder.zero(value)
            )
        return super().substitute(node)

    def operand(self, value):
        if isinstance(value, tuple):
            return ast.Tuple([self.operand(v) for v in value], ast.Load())
        if isinstance(value, dict):
            return ast.Dict([constant(k) for k in value], [self.operand(v) for v in value.values()])
        if isinstance(value, (Var, Const)):
            return self.builder.read(value)
        return self.builder.names.read(value)

    def shape_of(self, operand, what, identifier=None):
        t = self.builder.cx.type(operand) if isinstance(operand, (Var, Const)) else None
        if isinstance(t, Num) and t.is_array and what in ("shape", "size") and isinstance(operand, Var):
            return attribute(self.builder.read(operand), what)
        if isinstance(t, Num) and not t.is_scalar and isinstance(operand, Var) and t.rank is None:
            return call(self.builder.numpy(what), self.builder.read(operand))
        if isinstance(operand, Var) and isinstance(t, Num) and not t.is_scalar and not (what == "ndim"):
            return call(self.builder.numpy(what), self.builder.read(operand))
        return super().shape_of(operand, what, identifier)

    def is_real_expression(self, node) -> bool:
        for n in ast.walk(node):
            if isinstance(n, ast.Name) and n.id.endswith("_dot"):
                t = self.type_of(n.id.removesuffix("_dot"))
                if not (isinstance(t, Num) and t.kind in "bif"):
                    return False
        return super().is_real_expression(node)


def doubled(node, bound):
    """`x_dot * y + y_dot * x` where `x` and `y` are one operand is `2.0 * (x_dot * x)`; `a + -b` is `a - b`.

    Where one is the negation of the other, as in `-x * x`, both terms are the same number as well.
    """
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Add):
        return node
    if _same(node.left, node.right, bound):
        return ast.BinOp(constant(2.0), ast.Mult(), node.left)
    for term, other in ((node.left, node.right), (node.right, node.left)):
        factors = _dot_and_factor(term)
        if factors and factors[::-1] == _dot_and_factor(other) and _is_negative(*[bound.get(p) for p in factors]):
            return ast.BinOp(constant(2.0), ast.Mult(), term)
    if isinstance(node.right, ast.UnaryOp) and isinstance(node.right.op, ast.USub):
        return ast.BinOp(node.left, ast.Sub(), node.right.operand)
    return node


def _same(a, b, bound) -> bool:
    """Do two template expressions read the same operands in the same way?"""
    if isinstance(a, ast.Name) and isinstance(b, ast.Name):
        p, q = (n.id.removesuffix("_dot") for n in (a, b))
        if a.id == b.id:
            return True
        if a.id.endswith("_dot") != b.id.endswith("_dot"):
            return False
        return isinstance(bound.get(p), Var) and bound.get(p) is bound.get(q)
    if type(a) is not type(b):
        return False
    if isinstance(a, ast.AST):
        return all(_same(getattr(a, f, None), getattr(b, f, None), bound) for f in a._fields if f != "ctx")
    if isinstance(a, list):
        return len(a) == len(b) and all(_same(p, q, bound) for p, q in zip(a, b, strict=True))
    return a == b


def _dot_and_factor(node):
    """The parameters of `p_dot * q`, or None."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        if isinstance(node.left, ast.Name) and isinstance(node.right, ast.Name) and node.left.id.endswith("_dot"):
            return node.left.id.removesuffix("_dot"), node.right.id
    return None


def _is_negative(x, t) -> bool:
    """Is `t` the value `-x`, with neither changed in place? Of complex numbers zeros might have other signs."""
    made = t.definition.value if isinstance(t, Var) and isinstance(t.definition, Assign) else None
    if not isinstance(made, Call) or made.function not in (operator.neg, np.negative) or made.kwargs:
        return False
    if len(made.args) != 1 or made.args[0] is not x or not isinstance(x, Var):
        return False
    return all(isinstance(v.type, Num) and v.type.kind == "f" and not is_stored(v) for v in (x, t))


class _Renamed(ast.NodeTransformer):
    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit_Name(self, node):
        return ast.Name(self.new, ast.Load()) if node.id == self.old else node


class _Inactive(ast.NodeTransformer):
    def __init__(self, instance):
        self.instance = instance

    def visit_Name(self, node):
        parameter = node.id.removesuffix("_dot")
        known = self.instance.rule.signature.parameters
        if node.id.endswith("_dot") and parameter in known and not self.instance.contributes(parameter):
            return tangents.Zero(parameter)
        return node


class _Spliced:
    """The elements of a star parameter, which stand among the others."""

    def __init__(self, parts):
        self.parts = parts


def _is_zero(node) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value == 0.0


# -- the same call of tangents -----------------------------------------------------------------------------------------


def places(value: Call) -> dict:
    """The parameter of each argument of a call: by position, or by keyword."""
    if any(isinstance(a, Starred) for a in value.args):
        raise MissingRuleError(f"{value.rule.name} with a starred argument in forward mode")
    bound = value.rule.signature.bind(*range(len(value.args)), **{k: k for k in value.kwargs}).arguments
    found = {}
    for parameter, place in bound.items():
        for one in place if isinstance(place, tuple) else place if isinstance(place, dict) else (place,):
            found[one] = parameter
    return found


def repeated(b, value: Call, replaced: dict):
    """The call as the user wrote it, with some arguments (by position or keyword) replaced by expressions."""
    args = [replaced[k] if k in replaced else read(b, a) for k, a in enumerate(value.args)]
    kwargs = {k: replaced[k] if k in replaced else read(b, v) for k, v in value.kwargs.items()}
    method = method_of(value)
    if method is not None:
        t = value.args[0].type if isinstance(value.args[0], Var) else None
        if 0 in replaced and not (isinstance(t, Num) and t.is_array):
            if not (isinstance(t, Num) and t.is_python):
                args[0] = call(b.numpy("asarray"), args[0])  # the tangent of a NumPy scalar may be a Python float
        if method.startswith("."):
            return attribute(args[0], method[1:])
        return call(attribute(args[0], method), *args[1:], **kwargs)
    if isinstance(value.function, (Var, Const, GetAttr)):
        return call(b.names.read(value.function), *args, **kwargs)
    return apply(b.namer.object, value.function, args, kwargs)


def read(b, operand):
    if isinstance(operand, (Var, Const)):
        return b.read(operand)
    if isinstance(operand, Display) and operand.kind in ("tuple", "list"):
        items = [read(b, i) for i in operand.items]
        return ast.Tuple(items, ast.Load()) if operand.kind == "tuple" else ast.List(items, ast.Load())
    return b.names.read(operand)


def linear_call(b, value: Call, target):
    """The call of the tangents of all parameters in which it is linear."""
    rule = value.rule
    whole = value.function is np.where and any(
        isinstance(o, Var) and isinstance(o.type, Num) and isinstance(target.type, Num)
        and same_extents(o.type, target.type)
        and (p == "condition" or b.contributes(o))
        for p, o in value.bound.items()
    )
    replaced = {}
    for place, parameter in places(value).items():
        if parameter not in rule.linear:
            continue
        operand = value.args[place] if isinstance(place, int) else value.kwargs[place]
        if whole and not b.contributes(operand):
            replaced[place] = constant(0.0)
        else:
            replaced[place] = in_layout(b, argument_tangent(b, operand), operand, value)
    return repeated(b, value, replaced)


def argument_tangent(b, operand):
    if isinstance(operand, Display):
        items = [argument_tangent(b, i) for i in operand.items]
        return ast.Tuple(items, ast.Load()) if operand.kind == "tuple" else ast.List(items, ast.Load())
    return b.tangent(operand)


_BY_LAYOUT = (np.reshape, np.ndarray.reshape, np.ravel, np.ndarray.ravel, np.ndarray.flatten)


def in_layout(b, expression, operand, value):
    """The tangent in the layout of its value, where the order of the elements in the result is that of the memory."""
    order = value.bound.get("order")
    known = b.cx.constant(order) if isinstance(order, (Var, Const)) else "C"
    strided = value.function is np.lib.stride_tricks.as_strided
    if isinstance(operand, Var) and (strided or value.function in _BY_LAYOUT and known not in ("C", "F")):
        return call(b.runtime(laid_out), expression, b.read(operand))
    return expression


def multilinear_calls(b, value: Call, target, active):
    """The sum of the calls in which one active argument is replaced by its tangent."""
    rule = value.rule
    if not isinstance(target.type, Num):
        raise UnsupportedSyntaxError(
            f"the tangents of {rule.name}, whose result is a sequence, cannot be added", b.statement.loc
        )
    total = None
    for place, parameter in places(value).items():
        operand = value.args[place] if isinstance(place, int) else value.kwargs[place]
        if parameter not in active or not b.contributes(_inner(operand)):
            continue
        for given in one_by_one(b, rule, parameter, operand):
            term = repeated(b, value, {place: given})
            total = term if total is None else ast.BinOp(total, ast.Add(), term)
    return total


def _inner(operand):
    return operand.items if isinstance(operand, Display) else operand


def one_by_one(b, rule, parameter, operand):
    """What stands in the place of an argument in each term: its tangent, or itself with one element replaced."""
    star = rule.signature.parameters[parameter].kind is inspect.Parameter.VAR_POSITIONAL
    if star or not tangents.is_multilinear_by_element(rule, parameter):
        return [argument_tangent(b, operand)]
    items = operand.items if isinstance(operand, (Display, Var)) else None
    if items is None or isinstance(operand, Var) and isinstance(operand.type, Ref):
        raise UnsupportedSyntaxError(
            f"the tangent of {rule.name} needs to know how many elements its argument has",
            b.statement.loc,
            hint="give the elements in the call, as in [a, b, c]",
        )
    as_list = not (isinstance(operand, Var) and isinstance(operand.type, Tup) and not _is_list(operand))
    made = []
    for k, item in enumerate(items):
        if b.contributes(item):
            parts = [b.tangent(i) if i is item and j == k else read(b, i) for j, i in enumerate(items)]
            made.append(ast.List(parts, ast.Load()) if as_list else ast.Tuple(parts, ast.Load()))
    return made


def _is_list(v) -> bool:
    d = getattr(v.definition, "value", None)
    return isinstance(d, Display) and d.kind == "list"


# -- functional rules --------------------------------------------------------------------------------------------------


def functional_tangent(b, target, value):
    """A rule given as a function: it receives one tangent for each positional argument."""
    if target.items is not None and own_rule(value.function) is None:
        raise UnsupportedSyntaxError(
            f"{value.rule.name} has several results, and its functional rule gives one tangent",
            b.statement.loc,
            hint="give the rule with @ad.rule",
        )
    by_position, by_keyword = arranged(value.rule, value, b.statement)
    given = [b.tangent(a) if b.contributes(a) else constant(None) for a in by_position]
    args = [read(b, a) for a in by_position]
    kwargs = {k: read(b, v) for k, v in by_keyword.items()}
    b.give(
        target,
        call(
            b.runtime(call_jvp),
            b.namer.object(value.rule.jvp),
            ast.Tuple(given, ast.Load()),
            b.read(target),
            *args,
            **kwargs,
        ),
    )


__all__ = ["TangentInstance", "rule_tangent"]
