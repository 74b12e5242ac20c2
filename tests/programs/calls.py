"""How arguments travel: keyword, default, star, functions as arguments, partial, wraps, caches."""
import functools
import math
import operator
from math import exp as e_to_the

import numpy as np
from numpy import array
from numpy import sin as sinus

from tests.programs import distant_helpers
from tests.programs.distant_helpers import in_place_shift, logistic
from tests.programs.program import Program


def keywords_and_defaults(x, w=2.0, *, scale=1.0):
    def inner(a, b=3.0, *, c=0.5):
        return a * b + c * a * a

    return inner(x) * w + inner(b=x, a=w, c=scale) + inner(x, c=w)


def positional_only(x, /, y=1.5):
    return x * y + y * y


def star_arguments(x, *coefficients):
    total = 0.0
    for c in coefficients:
        total = total * x + c
    return total + len(coefficients) * x


def star_passed_on(x, *rest, **options):
    def weighted(a, b, c, scale=1.0, offset=0.0):
        return (a * b + c) * scale + offset * a

    return weighted(x, *rest, **options)


def keyword_dict(x, **options):
    total = x * options["gain"]
    for name, value in options.items():
        total = total + len(name) * value * x
    return total


def unpacked_call(x):
    def area(a, b, c):
        return a * b * c + a

    sides = (x, x * x)
    named = {"c": x + 1.0}
    return area(*sides, **named) + area(*[x, 2.0, *sides[1:]])


def default_that_is_none(x, weights=None):
    weights = np.ones(len(x)) if weights is None else weights
    return np.sum(weights * x * x)


def default_from_definition(x):
    base = 2.0

    def inner(a, b=base):
        return a * b * b

    base = 5.0
    return inner(x) * base


def function_as_argument(x):
    def apply_twice(f, v):
        return f(f(v))

    return apply_twice(np.sin, x) + apply_twice(lambda v: v * v + x, x) + apply_twice(math.exp, x * 0.1)


def function_chosen_at_run_time(x, names):
    table = {"sin": np.sin, "square": lambda v: v * v, "logistic": logistic}
    for name in names:
        x = table[name](x) + 0.1
    return x


def functions_in_a_list(x):
    stages = [np.tanh, lambda v: 2.0 * v, logistic]
    for stage in stages:
        x = stage(x)
    return x * len(stages)


def function_parameter(f, x):
    return f(x) * x


def square(x):
    return x * x


def partial_of_helper(x):
    def line(a, b, c=1.0):
        return a * b + c

    first = functools.partial(line, x)
    second = functools.partial(line, b=2.0, c=x * x)
    return first(x * 3.0) * second(x)


def line(a, x, b=0.0):
    return a * x * x + b


def reduced(x):
    product = functools.reduce(lambda a, b: a * b + a, x)
    return product + functools.reduce(operator.add, [v * v for v in x], 0.5)


def doubled_result(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return 2.0 * f(*args, **kwargs) + args[0]

    return wrapper


@doubled_result
def decorated(x, y=1.0):
    return x * x * y


def calls_decorated(x):
    return decorated(x) + decorated(x, y=x)


@functools.lru_cache(maxsize=None)
def cached_cube(x):
    return x * x * x


def calls_cached(x):
    return cached_cube(x) + cached_cube(x) * x + cached_cube(2.0)


@functools.cache
def node_weights(n):
    return np.arange(1.0, n + 1.0) / n


def cached_constants(x):
    return np.sum(node_weights(len(x)) * x * x) + np.sum(node_weights(2))


def other_module(x):
    a = np.array([x, x * x, 1.0])
    in_place_shift(a, x)
    return logistic(x) + distant_helpers.scaled(x) * a[2] + distant_helpers.counted(a[1])


def imported_names(x):
    return sinus(x) * e_to_the(x) + math.sqrt(x) + operator.mul(x, x)


def import_inside(x):
    import math as m
    from math import log

    return m.cos(x) * log(x + 2.0)


def called_helper_many_times(x):
    def f(v, k):
        return v * k + np.sin(v)

    s = 0.0
    for k in range(4):
        s = f(s, k) + f(x, s)
    return f(f(s, 1.0), f(x, 2.0))


def helper_with_several_results(x):
    def split(v):
        return v * v, np.sin(v), v

    a, b, c = split(x)
    d, *rest = split(a)
    return a * b + c * d + rest[1] + split(b)[0]


def helper_that_returns_nothing(x):
    def note(v):
        seen.append(v)

    seen = []
    note(x * x)
    result = note(seen[0] * x)
    return seen[1] + seen[0] if result is None else x


def argument_unused(x, y):
    return np.sum(x ** 2)


def no_argument_matters(x):
    return 3.0 * len(x)


def passed_but_integer(x, n, mode):
    return x ** n if mode else x


def math_functions(x):
    return (math.sin(x) + math.log1p(x) + math.atan2(x, 2.0) + math.hypot(x, 1.5) + math.pow(x, 2.5)
            + math.cosh(x) + math.erf(x) + math.expm1(x) + math.fabs(-x) + math.tanh(x) * math.pi)


def builtin_functions(x):
    return (abs(x[1]) * pow(x[0], 2) + sum(x) + max(x[0], x[1], 0.5) + min(x) * float(x[2]) + divmod(x[2], 0.8)[1]
            + round(2.6) * x[0] + max(x, key=lambda v: -v) + sum([x[0], x[1]], x[2]))


def unused_leaves(params, x):
    return np.sum(params["w"] * x) + 0.0 * len(params["unused"])


def keyword_unused(x, *, y=1.0, z=2.0):
    return x * x * z


@functools.lru_cache(maxsize=8)
def cached_series(x, n):
    return x if n == 0 else x * cached_series(x, n - 1) + n


def calls_cached_series(x):
    return cached_series(x, 4) * cached_series(x, 2)


def powers_of_arguments(*xs):
    return sum(v ** (k + 1) for k, v in enumerate(xs)) * xs[-1]


def shared_subexpression(x, y):
    a = x / y
    b = a * a
    return b + a * b - a + np.exp(b) * x


V3 = array([0.7, -1.2, 2.1])

PROGRAMS = [
    Program(keywords_and_defaults, (0.7,), note="defaults and keyword-only parameters"),
    Program(keywords_and_defaults, (0.7, 1.4), (0, 1, "scale"), kwargs={"scale": 0.3}, note="wrt by keyword",
            label="keyword"),
    Program(keywords_and_defaults, (0.7, 1.4), ("w", "x"), note="wrt by parameter name", label="names"),
    Program(positional_only, (0.7, 1.2), (0, 1), note="positional-only parameter"),
    Program(star_arguments, (0.7, 2.0, -1.0, 0.5), (0, 1, 2, 3), note="wrt counts into *args"),
    Program(star_passed_on, (0.7, 1.2, -0.4), (0, 2, "offset"), kwargs={"scale": 2.0, "offset": 0.3},
            note="*args and **kwargs passed on"),
    Program(keyword_dict, (0.7,), (0, "gain", "bias"), kwargs={"gain": 1.2, "bias": -0.5}, note="**kwargs as a dict"),
    Program(unpacked_call, (0.7,), note="* and ** in calls"),
    Program(default_that_is_none, (V3,), note="default None replaced"),
    Program(default_that_is_none, (V3, V3 * V3), (0, 1), note="default None given", label="given"),
    Program(default_from_definition, (0.7,), note="defaults are evaluated at definition"),
    Program(function_as_argument, (0.7,), note="ufunc, lambda and math function as arguments"),
    Program(function_chosen_at_run_time, (0.7, ("square", "sin", "logistic")), note="function from a dict"),
    Program(functions_in_a_list, (0.7,), note="functions in a list"),
    Program(function_parameter, (square, 0.7), (1,), note="a function among the arguments"),
    Program(function_parameter, (np.cos, 0.7), (1,), note="a ufunc among the arguments", label="ufunc"),
    Program(partial_of_helper, (0.7,), note="partial of a local function with active values"),
    Program(functools.partial(line, 1.5), (0.7,), (0, "b"), kwargs={"b": 0.2}, note="a partial is differentiated"),
    Program(reduced, (V3,), may_refuse=True, note="functools.reduce"),
    Program(calls_decorated, (0.7,), note="helper wrapped with functools.wraps"),
    Program(decorated, (0.7, 1.2), (0, 1),
            note="the wrapped function itself: behaviour of the wrapper", label="itself"),
    Program(calls_cached, (0.7,), note="lru_cache around a helper of an active value"),
    Program(cached_constants, (V3,), note="cached inactive helper"),
    Program(other_module, (0.7,), note="helpers of another module with globals of their own"),
    Program(imported_names, (0.7,), note="functions imported under other names"),
    Program(import_inside, (0.7,), note="import statements in the body"),
    Program(called_helper_many_times, (0.7,), note="one helper, several call sites and signatures"),
    Program(helper_with_several_results, (0.7,), note="several results, of which some are used"),
    Program(helper_that_returns_nothing, (0.7,), note="helper without a return value"),
    Program(argument_unused, (V3, array([[1.0, 2.0], [3.0, 4.0]])), (0, 1),
            note="zeros for an argument without influence"),
    Program(no_argument_matters, (V3,), note="a constant result"),
    Program(passed_but_integer, (0.7, 3, True), note="ints and bools pass through"),
    Program(math_functions, (0.7,), note="math.* on an active scalar"),
    Program(builtin_functions, (V3,), note="builtins on active values"),
    Program(unused_leaves, ({"w": V3, "unused": np.ones((2, 2))}, V3 * 2.0), (0, 1), note="zeros for an unused leaf"),
    Program(keyword_unused, (0.7,), ("y", "z"), kwargs={"y": 1.5, "z": 0.5}, note="zero for an unused keyword"),
    Program(calls_cached_series, (0.7,), note="a cached helper that calls itself"),
    Program(powers_of_arguments, (0.7, 1.2, 0.4), (0, 2), note="only star parameters"),
    Program(shared_subexpression, (1.5, 1.5), (0, 1), note="one value used many times, equal arguments"),
]
