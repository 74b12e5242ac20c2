"""Checks the tangent that a rule states (its `_dot` lines, or that it is linear) against central differences.

Of an elementwise rule without such lines the tangent is that of its adjoint lines, with tangents in the place of the
adjoint of the result; of real numbers, that is the same formula.
"""
import ast

import numpy as np

from adcompiler.rules.registry import lookup, names_read
from tests.rules.template_check import central, is_floating, moved, randomly


def stated_tangent(rule, function, args, kwargs, directions):
    """The tangent of the result (a tuple for several) as the rule states it; zeros stand for tangents not given."""
    bound = rule.signature.bind(*args, **kwargs)
    given = dict(bound.arguments)
    result = function(*args, **kwargs)
    results = result if len(rule.result) > 1 else (result,)
    lines = {s.targets[0].id: s for s in rule.statements}
    if all(r + "_dot" in lines for r in rule.result):
        bound.apply_defaults()
        values = {**rule.namespace, **bound.arguments, **dict(zip(rule.result, results, strict=True))}
        for p, value in bound.arguments.items():
            values[p + "_dot"] = directions.get(p, np.zeros(np.shape(value)) if value is not None else 0.0)
        return tuple(_evaluate(rule, lines, r + "_dot", values) for r in rule.result)
    if rule.linear:
        changed = rule.signature.bind(*args, **kwargs)
        for p in rule.linear:
            if p in given:
                changed.arguments[p] = directions.get(p, _zeros(given[p]))
        out = function(*changed.args, **changed.kwargs)
        return out if len(rule.result) > 1 else (out,)
    if rule.multilinear:
        total = 0.0
        for p in rule.multilinear:
            if p in directions:
                changed = rule.signature.bind(*args, **kwargs)
                changed.arguments[p] = directions[p]
                total = total + function(*changed.args, **changed.kwargs)
        return (total,)
    assert rule.elementwise, f"{rule.name} states no tangent"
    tangents = [0.0] * len(results)
    for p, direction in directions.items():
        for k in range(len(results)):
            bars = [direction if j == k else 0.0 * np.asarray(direction) for j in range(len(results))]
            unconjugated = {**rule.namespace, "conj": lambda value: value}
            made = _with_namespace(rule, unconjugated)
            tangents[k] = tangents[k] + made.evaluate_adjoint(p, args, kwargs, *bars, function=function)
    return tuple(tangents)


def _zeros(value):
    if isinstance(value, (tuple, list)):
        return type(value)(map(_zeros, value))
    return np.zeros(np.shape(value)) if isinstance(value, np.ndarray) else 0.0


def _with_namespace(rule, namespace):
    import dataclasses

    return dataclasses.replace(rule, namespace=namespace)


def _evaluate(rule, lines, target, values):
    for name in sorted(names_read(lines[target].value)):
        if name in lines and name not in values:
            values[name] = _evaluate(rule, lines, name, values)
    code = compile(ast.Expression(lines[target].value), f"<rule {rule.name}>", "eval")
    return eval(code, values)


def check_tangent(function, *args, tolerance=2e-6, step=1e-6, seed=0, **kwargs):
    """Compare the stated tangent with central differences, for each floating parameter and for all together."""
    rule = lookup(function)
    rng = np.random.default_rng(seed)
    bound = rule.signature.bind(*args, **kwargs)
    rule = rule.for_call(bound.arguments)
    names = [p for p in rule.differentiable if p in bound.arguments and is_floating(bound.arguments[p])]
    for chosen in [[p] for p in names] + ([names] if len(names) > 1 else []):
        directions = {p: randomly(rng, bound.arguments[p]) for p in chosen}

        def at(distance, directions=directions):
            changed = rule.signature.bind(*args, **kwargs)
            for p, direction in directions.items():
                changed.arguments[p] = moved(changed.arguments[p], direction, distance)
            out = function(*changed.args, **changed.kwargs)
            return tuple(out) if len(rule.result) > 1 else (out,)

        want = central(at(step), at(-step), step)
        got = stated_tangent(rule, function, args, kwargs, directions)
        for name, w, g in zip(rule.result, want, got, strict=True):
            _compare(f"{rule.name}: tangent of {name} along {chosen}", w, g, tolerance)


def _compare(where, want, got, tolerance):
    if isinstance(want, list):
        for w, g in zip(want, got, strict=True):
            _compare(where, w, g, tolerance)
        return
    scale = max(1.0, float(np.max(np.abs(want), initial=0.0)))
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * scale, err_msg=where)
