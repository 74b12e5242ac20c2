"""Checks a rule's template by itself, without the compiler: each adjoint against central differences.

`check_template(np.hypot, x, y)` takes every floating argument of the call, and compares
`<y_bar, f(x + h v) - f(x - h v)> / 2h` with `<x_bar, v>` for random `y_bar` and `v`. Where one result is a list or
tuple of arrays (`np.split`), its adjoint is a list in which None stands for zero; that is checked too. The tangent of a
rule that has one is compared along the same directions, one parameter at a time and all together.
"""
import numpy as np

from adcompiler.rules.registry import all_rules, lookup
from adcompiler.rules.tangents import form


def unbroadcast(g, like):
    """Sum `g` down to the shape of `like`, and drop the imaginary part for a real `like`."""
    shape = np.shape(like)
    g = np.asarray(g)
    g = g.sum(axis=tuple(range(g.ndim - len(shape)))) if g.ndim > len(shape) else g
    axes = tuple(i for i, n in enumerate(shape) if n == 1 and g.shape[i] != 1) if g.ndim else ()
    g = g.sum(axis=axes, keepdims=True) if axes else g
    g = np.broadcast_to(g, shape)
    return g if np.iscomplexobj(like) else g.real


def inner(a, b):
    """Re<a, b> over a structure of arrays."""
    if isinstance(a, (tuple, list)):
        return sum(inner(p, q) for p, q in zip(a, b, strict=True) if p is not None)
    return float(np.sum(np.conj(a) * b).real)


def is_floating(value):
    if isinstance(value, (tuple, list)):
        return len(value) > 0 and all(is_floating(v) for v in value)
    return isinstance(value, (float, complex)) or getattr(getattr(value, "dtype", None), "kind", "") in ("f", "c")


def randomly(rng, value):
    """A random direction with the structure and the type of `value`."""
    if isinstance(value, (tuple, list)):
        return type(value)(randomly(rng, v) for v in value)
    draw = rng.standard_normal(np.shape(value))
    if np.iscomplexobj(value):
        draw = draw + 1j * rng.standard_normal(np.shape(value))
    return type(value)(draw) if type(value) in (float, complex) else draw


def moved(value, direction, step):
    if isinstance(value, (tuple, list)):
        return type(value)(moved(v, d, step) for v, d in zip(value, direction, strict=True))
    out = value + step * direction
    if isinstance(value, np.ndarray):  # stays an array (0-d), and keeps its memory order
        like = np.empty_like(value, dtype=np.asarray(out).dtype)
        like[...] = out
        return like
    return out


def floating(result):
    """Zeros with the structure and shapes of a result, real or complex."""
    if isinstance(result, (tuple, list)):
        return [floating(r) for r in result]
    return np.zeros(np.shape(result), complex if np.iscomplexobj(result) else float)


def central(plus, minus, step):
    """Central differences of a structure of arrays."""
    if isinstance(plus, (tuple, list)):
        return [central(p, m, step) for p, m in zip(plus, minus, strict=True)]
    return (np.asarray(plus) - np.asarray(minus)) / (2 * step)


def check_shapes(x_bar, value, where):
    """The contribution has the structure of the parameter and the shape of each leaf."""
    if isinstance(value, (tuple, list)):
        assert len(x_bar) == len(value), f"{where} has {len(x_bar)} entries, not {len(value)}"
        for part, of in zip(x_bar, value, strict=True):
            if part is not None:
                check_shapes(part, of, where)
    else:
        assert np.shape(x_bar) == np.shape(value), f"{where} has shape {np.shape(x_bar)}, not {np.shape(value)}"


def check_none_is_zero(rule, parameter, args, kwargs, y_bar):
    """An adjoint None within a list of adjoints gives what zeros give."""
    for i in range(len(y_bar)):
        left_out, zeroed = list(y_bar), list(y_bar)
        left_out[i], zeroed[i] = None, floating(y_bar[i])
        got = rule.evaluate_adjoint(parameter, args, kwargs, left_out)
        want = rule.evaluate_adjoint(parameter, args, kwargs, zeroed)
        for g, w in zip(got, want, strict=True) if isinstance(want, (tuple, list)) else [(got, want)]:
            np.testing.assert_array_equal(np.zeros(np.shape(w)) if g is None else g, w)


def uncovered_rules(module, cases):
    """The names of the rules that `module` registers and that no case `(function, args, kwargs)` calls."""
    called = set()
    for function, args, kwargs in cases:
        rule = lookup(function)
        called.add(id(rule.for_call(rule.signature.bind(*args, **kwargs).arguments)))
    return [f"{r.name} {r.when}" for r in all_rules() if r.loc.filename == module.__file__ and id(r) not in called]


def check_tangent(rule, function, tangents, args, kwargs, result, difference, tolerance):
    """The tangent along `tangents` (by parameter) against central differences of the results."""
    if form(rule) is None:
        return
    found = rule.evaluate_tangent(tangents, args, kwargs, function=function)
    found = found if len(rule.result) > 1 else (found,)
    assert len(found) == len(difference), f"{rule.name}: {len(found)} tangents, not {len(difference)}"
    for name, got, value, want in zip(rule.result, found, result, difference, strict=True):
        want = want if isinstance(want, list) or np.iscomplexobj(value) else want.real
        compare_tangent(got, want, f"{rule.name}: tangent {name}_dot along {sorted(tangents)}", rule, tolerance)


def compare_tangent(got, want, where, rule, tolerance):
    if isinstance(want, list):
        assert isinstance(got, (tuple, list)), f"{where} is no sequence"
        for g, w in zip(got, want, strict=True):
            compare_tangent(g, w, where, rule, tolerance)
        return
    if rule.elementwise:
        got = np.broadcast_to(got, np.shape(want))
    assert np.shape(got) == np.shape(want), f"{where} has shape {np.shape(got)}, not {np.shape(want)}"
    scale = np.maximum(1.0, np.abs(want))
    assert np.all(np.abs(got - want) <= 10 * tolerance * scale), f"{where}: differences {want}, rule {got}"


def check_template(function, *args, tolerance=2e-6, step=1e-6, seed=0, **kwargs):
    """Compare every adjoint of the rule of `function` at this call with central differences. Returns how many."""
    rule = lookup(function)
    assert rule is not None, f"{function} has no rule"
    rng = np.random.default_rng(seed)
    bound = rule.signature.bind(*args, **kwargs)
    rule = rule.for_call(bound.arguments)
    assert rule is not None, f"{function}: this form of the call has no rule"
    result = function(*args, **kwargs)
    several = len(rule.result) > 1
    results = tuple(result) if several else (result,)
    result_bar = tuple(randomly(rng, floating(r)) for r in results)
    checked = 0
    directions = {}
    for parameter in rule.differentiable:
        if parameter not in bound.arguments or not is_floating(bound.arguments[parameter]):
            continue
        value = bound.arguments[parameter]
        direction = randomly(rng, value)

        def at(distance, parameter=parameter, value=value, direction=direction):
            changed = rule.signature.bind(*args, **kwargs)
            changed.arguments[parameter] = moved(value, direction, distance)
            out = function(*changed.args, **changed.kwargs)
            return tuple(out) if several else (out,)

        difference = central(at(step), at(-step), step)
        x_bar = rule.evaluate_adjoint(parameter, args, kwargs, *result_bar, function=function)
        if type(x_bar) is float and x_bar == 0.0 and not isinstance(value, (tuple, list)):
            x_bar = np.zeros(np.shape(value))  # the literal 0.0 is no contribution
        if rule.elementwise:
            x_bar = unbroadcast(x_bar, value)
        else:
            check_shapes(x_bar, value, f"{rule.name}: adjoint of {parameter}")
        check_tangent(rule, function, {parameter: direction}, args, kwargs, results, difference, tolerance)
        directions[parameter] = direction
        want, got = inner(result_bar, difference), inner(x_bar, direction)
        close = abs(want - got) <= tolerance * max(1.0, abs(want), abs(got))
        assert close, f"{rule.name}, {parameter}: differences {want}, rule {got}"
        if not several and isinstance(result, (tuple, list)):
            check_none_is_zero(rule, parameter, args, kwargs, *result_bar)
        checked += 1
    if len(directions) > 1:

        def at_all(distance):
            changed = rule.signature.bind(*args, **kwargs)
            for p, direction in directions.items():
                changed.arguments[p] = moved(changed.arguments[p], direction, distance)
            out = function(*changed.args, **changed.kwargs)
            return tuple(out) if several else (out,)

        difference = central(at_all(step), at_all(-step), step)
        check_tangent(rule, function, directions, args, kwargs, results, difference, tolerance)
    assert checked, f"{rule.name}: nothing to check in this call"
    return checked
