"""Tangents of rules: how the tangent of a result follows from the tangents of the parameters.

A rule says it in one of five forms, the first that applies: a function (`register_jvp`), explicit lines `y_dot = ...`,
`linear`, `multilinear`, or the adjoint lines of an elementwise rule. Here are the templates of the explicit and the
elementwise form, as statements over `<parameter>_dot`; the others repeat the call itself.

>>> import numpy as np
>>> from .registry import lookup
>>> from . import elementwise
>>> form(lookup(np.multiply)), [ast.unparse(s) for s in statements(lookup(np.multiply), ["x", "y"])]
('elementwise', ['z_dot = x_dot * y + y_dot * x'])
>>> lookup(np.multiply).evaluate_tangent({"y": 1.0}, (2.0, 3.0), {})
2.0
"""

from __future__ import annotations

import ast
import inspect

import numpy as np

from .registry import Rule, all_rules, conj, is_active, names_read


def form(rule: Rule) -> str | None:
    """How the tangent is found: "function", "explicit", "linear", "multilinear", "elementwise"; None if it is not."""
    if rule.jvp is not None:
        return "function"
    if any(dotted(r) in _targets(rule) for r in rule.result):
        return "explicit"
    if rule.linear:
        return "linear"
    if rule.multilinear:
        return "multilinear"
    return "elementwise" if rule.elementwise and rule.differentiable else None


def parameters(rule: Rule) -> tuple[str, ...]:
    """The parameters whose tangents reach the result, in the order of the signature."""
    kind = form(rule)
    if kind == "function":
        return tuple(rule.signature.parameters)
    if kind == "explicit":
        read = {n for s in rule.statements for n in names_read(s.value)}
        return tuple(p for p in rule.signature.parameters if dotted(p) in read)
    if kind == "elementwise":
        return rule.differentiable
    wanted = {p.lstrip("*") for p in rule.linear or rule.multilinear}
    return tuple(p for p in rule.signature.parameters if p in wanted)


def is_multilinear_by_element(rule: Rule, parameter: str) -> bool:
    """Is the result linear in each element of this sequence (or star parameter), not in all of them together?"""
    star = rule.signature.parameters[parameter].kind is inspect.Parameter.VAR_POSITIONAL
    return star or f"*{parameter}" in rule.multilinear


def rules_without_tangent() -> list[Rule]:
    """Every rule from which no tangent follows, in the order of registration."""
    return [rule for rule in all_rules() if form(rule) is None]


def dotted(parameter: str) -> str:
    return f"{parameter}_dot"


def statements(rule: Rule, active) -> list[ast.Assign]:
    """The lines of an explicit or elementwise rule that give `<result>_dot`, with the temporaries they use.

    Of an elementwise rule only the tangents of the parameters in `active` appear; a result that no line reaches has no
    statement, which means a zero tangent.
    """
    return _explicit(rule) if form(rule) == "explicit" else _from_adjoints(rule, active)


def by_parameter(rule: Rule, parameter: str) -> list[ast.Assign]:
    """The lines that give what one parameter alone contributes to `<result>_dot`, of an explicit or elementwise rule."""
    if form(rule) != "explicit":
        return _from_adjoints(rule, [parameter])
    zero = {dotted(p): ZERO for p in rule.signature.parameters if p != parameter}
    own, carried, made = dotted(parameter), dict(zero), []
    for s in _explicit(rule):
        target, value = s.targets[0].id, without_zeros(_Replaced(rule, carried, keep_conj=True).visit(_copy(s.value)))
        if target.removesuffix("_dot") in rule.result and target.endswith("_dot"):
            if value is not ZERO:
                made.append(ast.Assign(s.targets, value, lineno=rule.loc.lineno))
        elif isinstance(value, Zero) or own in names_read(value):
            carried[target] = value
        else:
            made.append(ast.Assign(s.targets, value, lineno=rule.loc.lineno))
    return made


def _explicit(rule) -> list[ast.Assign]:
    wanted, chosen = {dotted(r) for r in rule.result}, []
    for s in reversed(rule.statements):
        if s.targets[0].id in wanted:
            wanted |= names_read(s.value)
            chosen.append(s)
    return chosen[::-1]


def _from_adjoints(rule, active) -> list[ast.Assign]:
    temporaries: dict[str, ast.Assign] = {}
    made = []
    for result in rule.result:
        terms = []
        for p in rule.differentiable:
            if p not in active:
                continue
            lines = rule.adjoint_statements(p)
            carrying = _carrying(rule, lines)
            bars = {f"{r}_bar": ast.Name(dotted(p), ast.Load()) if r == result else ZERO for r in rule.result}
            for s in lines[:-1]:
                if s.targets[0].id in carrying:  # a temporary that holds an adjoint is written out
                    bars[s.targets[0].id] = _Replaced(rule, bars).visit(_copy(s.value))
                else:
                    temporaries.setdefault(s.targets[0].id, s)
            term = without_zeros(_Replaced(rule, bars).visit(_copy(lines[-1].value)))
            if term is not ZERO:
                terms.append(term)
        if terms:
            total = terms[0]
            for term in terms[1:]:
                total = ast.BinOp(total, ast.Add(), term)
            made.append(ast.Assign([ast.Name(dotted(result), ast.Store())], total, lineno=rule.loc.lineno))
    return [*temporaries.values(), *made]


def _carrying(rule, lines) -> set[str]:
    """Names of temporaries that depend on the adjoint of a result."""
    found = {f"{r}_bar" for r in rule.result}
    for s in lines:
        if names_read(s.value) & found:
            found.add(s.targets[0].id)
    return found


class Zero(ast.Name):
    """A tangent that is zero, in a template; `parameter` whose it is, if it is one."""

    _fields = ("id", "ctx")

    def __init__(self, parameter=None):
        super().__init__(dotted(parameter or "zero"), ast.Load())
        self.parameter = parameter


ZERO = Zero()


def without_zeros(node):
    """A template expression with its zeros folded in sums, products, quotients and signs; a `Zero` if nothing is left."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        operand = without_zeros(node.operand)
        return operand if isinstance(operand, Zero) else ast.UnaryOp(node.op, operand)
    if isinstance(node, ast.BinOp):
        left, right = without_zeros(node.left), without_zeros(node.right)
        if isinstance(node.op, (ast.Mult, ast.MatMult)) and (isinstance(left, Zero) or isinstance(right, Zero)):
            return ZERO
        if isinstance(node.op, ast.Div) and isinstance(left, Zero):
            return ZERO
        if isinstance(node.op, (ast.Add, ast.Sub)):
            if isinstance(right, Zero):
                return left
            if isinstance(left, Zero):
                return right if isinstance(node.op, ast.Add) else ast.UnaryOp(ast.USub(), right)
        return ast.BinOp(left, node.op, right)
    if isinstance(node, ast.IfExp):
        body, orelse = without_zeros(node.body), without_zeros(node.orelse)
        return ZERO if isinstance(body, Zero) and isinstance(orelse, Zero) else ast.IfExp(node.test, body, orelse)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "conj" and node.args:
        inner = without_zeros(node.args[0])
        return inner if isinstance(inner, Zero) else ast.Call(node.func, [inner], [])
    return node


class _Replaced(ast.NodeTransformer):
    """Puts tangents in the place of adjoints, and drops the marker `conj`."""

    def __init__(self, rule, names, keep_conj=False):
        self.rule, self.names, self.keep_conj = rule, names, keep_conj

    def visit_Name(self, node):
        found = self.names.get(node.id)
        return node if found is None else found if isinstance(found, Zero) else _copy(found)

    def visit_Call(self, node):
        if not self.keep_conj and isinstance(node.func, ast.Name) and self.rule.namespace.get(node.func.id) is conj:
            return self.visit(node.args[0])
        return self.generic_visit(node)


def _copy(node):
    if isinstance(node, Zero):
        return node
    if isinstance(node, ast.AST):
        return type(node)(**{f: _copy(getattr(node, f)) for f in node._fields if hasattr(node, f)})
    return [_copy(n) for n in node] if isinstance(node, list) else node


def _targets(rule) -> set[str]:
    return {s.targets[0].id for s in rule.statements}


# -- without a compiler ------------------------------------------------------------------------------------------------


def evaluate(rule: Rule, tangents: dict, args, kwargs, function):
    """See `Rule.evaluate_tangent`."""
    kind = form(rule)
    if kind is None:
        raise TypeError(f"no tangent follows from the rule of {rule.name}")
    if kind == "function":
        given = tuple(rule.signature.bind(*args, **kwargs).arguments)[: len(args)]
        return rule.jvp(tuple(map(tangents.get, given)), function(*args, **kwargs), *args, **kwargs)
    if kind == "linear":
        bound = rule.signature.bind(*args, **kwargs)
        for p in rule.linear:
            if p in bound.arguments:
                bound.arguments[p] = tangents.get(p, zeros(bound.arguments[p]))
        return function(*bound.args, **bound.kwargs)
    if kind == "multilinear":
        return _sum_of_calls(rule, tangents, args, kwargs, function)
    return _evaluate_statements(rule, tangents, args, kwargs, function)


def _sum_of_calls(rule, tangents, args, kwargs, function):
    """Each parameter in turn (each element of one in which the result is linear one by one) replaced by its tangent."""
    total = None
    for p in parameters(rule):
        if p not in tangents:
            continue
        bound = rule.signature.bind(*args, **kwargs)
        value = bound.arguments[p]
        changed = [tangents[p]]
        if is_multilinear_by_element(rule, p):
            changed = [type(value)([*value[:k], t, *value[k + 1 :]]) for k, t in enumerate(tangents[p])]
        for given in changed:
            bound.arguments[p] = given
            term = function(*bound.args, **bound.kwargs)
            total = term if total is None else total + term
    if isinstance(total, (list, tuple)):
        raise TypeError(f"{rule.name}: the calls of a multilinear rule are added, and its result is a sequence")
    return zeros(function(*args, **kwargs)) if total is None else total


def _evaluate_statements(rule, tangents, args, kwargs, function):
    bound = rule.signature.bind(*args, **kwargs)
    bound.apply_defaults()
    values = dict(bound.arguments)
    result = function(*args, **kwargs)
    results = result if len(rule.result) > 1 else (result,)
    values.update(zip(rule.result, results, strict=True))
    values.update({dotted(p): tangents.get(p, zeros(v)) for p, v in bound.arguments.items()})
    for s in statements(rule, tangents):
        value = _Decided(rule, tangents).visit(_copy(s.value))
        code = compile(ast.fix_missing_locations(ast.Expression(value)), f"<rule {rule.name}>", "eval")
        values[s.targets[0].id] = eval(code, {**rule.namespace, **values})
    found = tuple(values.get(dotted(r), zeros(v)) for r, v in zip(rule.result, results, strict=True))
    return found if len(found) > 1 else found[0]


class _Decided(ast.NodeTransformer):
    """Decides `is_active(p)`."""

    def __init__(self, rule, tangents):
        self.rule, self.tangents = rule, tangents

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and self.rule.namespace.get(node.func.id) is is_active:
            return ast.Constant(node.args[0].id in self.tangents)
        return self.generic_visit(node)


def zeros(value):
    """A zero tangent with the structure of a value."""
    if isinstance(value, (tuple, list)):
        return type(value)([zeros(v) for v in value])
    if isinstance(value, np.ndarray):
        return np.zeros_like(value, dtype=value.dtype if value.dtype.kind in "fc" else float)
    return 0.0


__all__ = [
    "Zero",
    "by_parameter",
    "dotted",
    "evaluate",
    "form",
    "is_multilinear_by_element",
    "parameters",
    "rules_without_tangent",
    "statements",
    "without_zeros",
]
