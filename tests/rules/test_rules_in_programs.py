"""Every case of the tables of this directory as a program through the compiler, against differences, both modes.

A template may be right and what the compiler makes of it wrong: the shape to which a contribution is brought, one
number in the place of an array of equal adjoints, the number of results. So each call is a program of its own, once as
it is with a random seed, and once summed.
"""
import importlib
import linecache
import warnings

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.rules.registry import lookup
from tests.rules.elementwise_inputs import real_inputs
from tests.rules.template_check import central, floating, inner, is_floating, moved, randomly

MODULES = ["creating", "elementwise", "joining", "linalg", "products", "reductions", "selecting", "shape", "signals",
           "sorting", "fft", "polynomials", "statistics", "ufunc_methods"]
STEP = 1e-6


def cases(module):
    """`(function, args, kwargs)` of the tables of a module, one for each combination of types."""
    found, seen = [], set()
    for case in getattr(module, "CASES", []):
        found.append(case if len(case) == 3 else (case[0], case[1], {}))
    for function, low, high, _ in getattr(module, "UNARY", []):
        found += [(function, (x,), {}) for x in real_inputs(low, high).values()]
    for function, _ in getattr(module, "BINARY", []):
        for x in real_inputs(1, 2).values():
            found += [(function, (x, np.array([1.7])), {}), (function, (1.3, x), {})]
    for function, args, kwargs in found:
        kwargs = {k: v for k, v in kwargs.items() if k not in ("tolerance", "step", "seed")}
        key = (function, tuple(_kind(a) for a in args), tuple(kwargs))
        if key not in seen:
            seen.add(key)
            yield function, args, kwargs


def _kind(value):
    return (type(value), np.ndim(value), getattr(value, "dtype", None)) if not isinstance(value, (list, tuple, str)) else repr(value)


def program(number, function, args, kwargs, result):
    """`def f(a0, a1): y = function(a0, a1, axis=given_axis); return y`, from a text of its own."""
    names = [f"a{k}" for k in range(len(args))]
    given = ", ".join([*names, *(f"{k}=given_{k}" for k in kwargs)])
    text = f"def f({', '.join(names)}):\n    y = function({given})\n    return {result}\n"
    filename = f"<rule in a program {number} {result}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {"function": function, "np": np, **{f"given_{k}": v for k, v in kwargs.items()}}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["f"]


def seed_for(rng, value):
    seed = randomly(rng, floating(value))
    if isinstance(value, (tuple, list)):
        return type(value)(seed) if not hasattr(value, "_fields") else tuple(seed)
    return np.asarray(seed) if np.ndim(value) else complex(seed) if np.iscomplexobj(value) else float(seed)


def check(f, args, place):
    """Compare the pullback of `f` for one argument with differences; False where there is no derivative to compare."""
    rng = np.random.default_rng(3)
    value = f(*args)
    seed, direction = seed_for(rng, value), randomly(rng, args[place])

    def along(step):
        shifted = [[*args[:place], moved(args[place], direction, t), *args[place + 1:]] for t in (step, -step)]
        values = [f(*s) for s in shifted]
        if not isinstance(value, (tuple, list)) and any(np.shape(v) != np.shape(value) for v in values):
            return np.nan
        return inner(seed, central(*values, step))

    want, coarse = along(STEP), along(7 * STEP)
    if not abs(want - coarse) <= 1e-3 * max(1.0, abs(want)):
        return False                        # a kink, a jump, another number of elements
    try:
        _, pullback = ad.vjp(f, *args, wrt=place)
        got = inner(pullback(seed), direction)
    except ad.AdcompilerError as error:
        assert error.hint, str(error)
        assert "how many results" in error.reason or "the argument '" in error.reason, str(error)
        return False
    assert abs(want - got) <= 3e-5 * max(1.0, abs(want), abs(got)), f"differences {want}, compiler {got}"
    check_forward(f, args, place, direction, seed, value, got)
    return True


def check_forward(f, args, place, direction, seed, value, along_reverse):
    """Forward mode gives what reverse mode does, in the form of the value."""
    given = [None] * len(args)
    given[place] = direction
    again, tangent = ad.jvp(f, args, tuple(given))
    for v, w, t in zip(*map(_flat, (again, value, tangent)), strict=True):
        assert np.array_equal(v, w, equal_nan=np.asarray(w).dtype.kind in "fc")
        assert t is None or (np.shape(t), np.asarray(t).dtype) == (np.shape(w), np.asarray(w).dtype)
    pairs = [(s, t) for s, t in zip(_flat(seed), _flat(tangent), strict=True) if t is not None]
    found = inner([s for s, _ in pairs], [t for _, t in pairs])
    single = any(getattr(a, "dtype", None) == np.float32 for a in args)
    assert abs(found - along_reverse) <= (1e-6 if single else 1e-9) * max(1.0, abs(found)), f"forward {found}, reverse {along_reverse}"


def _flat(value):
    return [leaf for v in value for leaf in _flat(v)] if isinstance(value, (tuple, list)) else [value]


@pytest.mark.parametrize("name", MODULES)
def test_every_case_as_a_program(name):
    checked = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, (function, args, kwargs) in enumerate(cases(importlib.import_module(f"tests.rules.test_{name}"))):
            rule = lookup(function)
            if rule.for_call(rule.signature.bind(*args, **kwargs).arguments) is None:
                continue
            several = isinstance(function(*args, **kwargs), (tuple, list))
            for place, argument in enumerate(args):
                if not is_floating(argument) or isinstance(argument, (tuple, list)):
                    continue
                for result in ("y",) if several else ("y", "np.sum(y)"):
                    f = program(f"{name} {number}", function, args, kwargs, result)
                    try:
                        checked += check(f, args, place)
                    except AssertionError as error:
                        shown = [np.shape(a) for a in args], kwargs, place, result
                        raise AssertionError(f"{rule.name} {shown}: {error}") from None
    assert checked > 10


def parts_at_run_time(x, places):
    first, *_ = np.split(x, places)
    return np.sum(first)


def rows_of_unknown_number(x):
    return sum(np.unstack(x))


@pytest.mark.parametrize("f, rest", [(parts_at_run_time, ([1, 3],)), (parts_at_run_time, (2,)),
                                     (rows_of_unknown_number, ())])
def test_number_of_results_that_depends_on_the_run(f, rest):
    with pytest.raises(ad.UnsupportedSyntaxError, match="how many results .* is not known at compile time"):
        ad.grad(f)(np.arange(4.0), *rest)


def five_parts(x):
    total = 0.0
    for k, part in enumerate(np.split(x, 5)):
        total += k * (part @ part)
    return total


def test_more_parts_than_an_example_has():
    assert np.array_equal(ad.grad(five_parts)(np.arange(10.0)), np.repeat(np.arange(5.0), 2) * 2 * np.arange(10.0))
