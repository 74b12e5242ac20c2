"""Functions that take, return and choose functions; what a NumPy user writes between the formulas."""
import bisect
import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy import array

from tests.programs.program import Program


def gradient_descent(x):
    def loss(p):
        return np.sum((p - 1.0) ** 2 * p)

    def slope(p):
        return 2 * (p - 1.0)

    p = x
    for _ in range(3):
        p = p - 0.1 * slope(p)
    return loss(p)


def horner_by_reduce(x):
    return functools.reduce(lambda acc, c: acc * x + c, [1.0, -2.0, 3.0, 0.5]) + functools.reduce(
        lambda acc, c: acc * x + c, (x, 2.0, x * x), 1.0)


def arrays_reduced(x):
    return functools.reduce(np.multiply, x) + functools.reduce(lambda a, b: a + b * b, x, 0.0)


def list_reduced(x):
    values = [v * v for v in x if v > 0]
    return functools.reduce(lambda a, b: a * b, values) + functools.reduce(max, values, 0.5)


def memo_in_a_closure(x):
    cache = {}

    def term(n):
        if n in cache:
            return cache[n]
        result = x if n < 2 else term(n - 1) * x + term(n - 2)
        cache[n] = result
        return result

    return term(6)


def with_callback(x):
    history = []

    def iterate(f, v, n, callback=None):
        for _ in range(n):
            v = f(v)
            if callback is not None:
                callback(v)
        return v

    y = iterate(lambda v: np.sin(v) * x, x, 3, callback=lambda v: history.append(v * v))
    return y + sum(history) + iterate(math.cos, x, 2)


def rest_of_the_keywords(x):
    def f(*, a, b=1.0, **rest):
        return a * b + sum(rest.values())

    return f(a=x[0], c=x[1], d=x[2] * 2) + f(a=x[0], b=x[1])


def nested_comprehensions(x):
    return sum([sum([a * b for b in x]) for a in x if a > 0])


def dict_comprehension(x):
    table = {i: v * v for i, v in enumerate(x)}
    return sum(table.values()) + table[1] * sum(k * v for k, v in table.items())


def operands_of_and_or(x):
    return (x and x * 2) + (0.0 or x) + (x > 5 and 1.0 or x * x)


def table_of_functions(x):
    table = {"a": np.sin, "b": np.cos, "c": lambda t: t ** 3}
    return sum(f(x[i]) for i, (_, f) in enumerate(table.items()))


def settings_in_a_dict(x):
    settings = dict(rate=0.1, activation=np.tanh, steps=3)
    for _ in range(settings["steps"]):
        x = x - settings["rate"] * settings["activation"](x)
    return np.sum(x * x)


def one_function_many_times(x):
    stages, f = [], lambda v: v * x
    for _ in range(3):
        stages.append(f)
    for g in stages:
        x = g(x)
    return x


def pairs_sorted_by_key(x):
    pairs = sorted(((v * v, i) for i, v in enumerate(x)), key=lambda p: p[0])
    return sum(w * p[0] for w, p in zip((1.0, 2.0, 3.0), pairs, strict=True))


def chained(x):
    return sum(v * v * k for k, v in enumerate(itertools.chain(x, x[::-1], [x[0] * 2.0])))


def neighbours(x):
    s = 0.0
    for i, (a, b) in enumerate(zip(x[:-1], x[1:], strict=True)):
        s += a * b * (i + 1)
    return s


def array_spread_to_parameters(x):
    def f(a, b, c):
        return a * b + c

    return f(*x) * f(*(x * x))


def partials_of_numpy(x):
    total = functools.partial(np.sum, axis=0)
    clipped = functools.partial(np.clip, a_min=0.0, a_max=1.0)
    return total(x * x) + total(clipped(x) * x)


def defaults_of_a_module_function(x):
    return weighted(x) + weighted(x, k=x)


def weighted(v, k=2.0, *, m=(1.0, 2.0)):
    return v * k * m[1] + m[0]


def guarded_calls(x):
    def safe(f, v):
        try:
            return f(v)
        except ValueError:
            return v * 0.5

    return safe(math.sqrt, x) + safe(math.sqrt, -x)


def halved_until_small(x):
    n = 0
    while (y := x * 0.5 ** n) > 0.1:
        n += 1
    return y * x


def reduced_by_a_ufunc(x):
    def reduced(operation, v):
        return operation.reduce(v)

    return reduced(np.add, x * x) + reduced(np.multiply, x)


def default_of_a_chosen_function(x, flag):
    if flag:
        def g(v, k=x):
            return v * k
    else:
        g = math.sin
    return g(x) * g(0.5)


def applied_twice_by_a_decorator(x):
    def twice(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            return f(f(*args, **kwargs))

        return wrapper

    @twice
    def scaled(v, s=2.0):
        return v * s * x

    return scaled(x)


@dataclass
class Pair:
    a: float
    b: float = 1.0

    def norm(self):
        return math.hypot(self.a, self.b)

    def scaled(self, *, k):
        return Pair(self.a * k, self.b * k)


def methods_that_make_objects(x):
    pair = Pair(x, x * 2)
    return pair.norm() * pair.scaled(k=x).norm() + Pair(x).norm()


def interval_by_bisection(x):
    i = bisect.bisect([0.0, 1.0, 2.0], x[2])
    return x[0] * i


def names_to_values(x):
    names = ["a", "b", "c"]
    table = dict(zip(names, x, strict=True))
    return table["a"] * table["c"] + sum(table[n] for n in names)


def name_deleted(x):
    y = x * x
    z = y
    del y
    return z * x


def function_changes_in_a_loop(x):
    f = math.sin
    for k in range(4):
        x = f(x)
        f = math.cos if k % 2 else math.sin
    return x


def first_that_fits(x):
    return next((v for v in x if v > 1), 0.0) * x[0]


def list_spread_to_max(x):
    first, *rest = x
    return first * sum(rest) + max(*rest) * min(first, *rest)


def total_in_an_outer_name(x):
    y = x

    def add(v):
        nonlocal y
        y = y + v

    for k in range(3):
        add(x * k)
        if k == 1:
            add(y)
    return y


def accumulator_by_factory(x):
    def accumulator(start):
        total = start

        def add(v):
            nonlocal total
            total = total * 0.5 + v
            return total

        return add

    first, second = accumulator(x[0]), accumulator(1.0)
    s = 0.0
    for v in x:
        s = s + first(v) * second(v * v)
    return s


V3 = array([0.7, -1.2, 2.1])

PROGRAMS = [
    Program(gradient_descent, (V3,), note="loss and slope as local functions"),
    Program(horner_by_reduce, (0.7,), note="reduce over literals"),
    Program(arrays_reduced, (V3,), note="reduce over an array, with and without a start"),
    Program(list_reduced, (V3,), note="reduce over a list of unknown length"),
    Program(memo_in_a_closure, (0.7,), note="a table of results in a closure"),
    Program(with_callback, (0.7,), note="an optional callback that records"),
    Program(rest_of_the_keywords, (V3,), note="keywords collected by a local function"),
    Program(nested_comprehensions, (V3,), note="a comprehension inside a comprehension"),
    Program(dict_comprehension, (V3,), note="a dict comprehension, summed by items"),
    Program(operands_of_and_or, (0.7,), note="and/or give operands"),
    Program(table_of_functions, (V3,), note="functions run over with their names"),
    Program(settings_in_a_dict, (V3,), note="a function among settings"),
    Program(one_function_many_times, (0.7,), note="one lambda at several places of a list"),
    Program(pairs_sorted_by_key, (V3,), note="pairs of a value and its place, sorted"),
    Program(chained, (V3,), note="itertools.chain over arrays and a list"),
    Program(neighbours, (V3,), note="enumerate over zip of slices"),
    Program(array_spread_to_parameters, (V3,), note="an array spread over parameters"),
    Program(partials_of_numpy, (V3,), note="partials of library functions"),
    Program(defaults_of_a_module_function, (0.7,), note="a tuple as default"),
    Program(guarded_calls, (0.7,), note="a helper that catches"),
    Program(halved_until_small, (0.7,), note="walrus in a while test"),
    Program(reduced_by_a_ufunc, (V3,), note="reduce of a ufunc that is an argument"),
    Program(default_of_a_chosen_function, (0.7, True), note="an active default on one path"),
    Program(default_of_a_chosen_function, (0.7, False), note="... and the other path", label="other"),
    Program(applied_twice_by_a_decorator, (0.7,), note="a decorator inside the function"),
    Program(methods_that_make_objects, (0.7,), note="methods that return objects"),
    Program(interval_by_bisection, (V3,), note="bisect carries no derivative"),
    Program(names_to_values, (V3,), note="dict(zip(names, values))"),
    Program(name_deleted, (0.7,), note="del of a name that was copied"),
    Program(function_changes_in_a_loop, (0.7,), may_refuse=True, note="a name for other functions in each pass"),
    Program(total_in_an_outer_name, (0.7,), note="an active nonlocal that changes in a loop"),
    Program(accumulator_by_factory, (V3,), note="two closures with state of their own, called in a loop"),
    Program(first_that_fits, (V3,), may_refuse=True, note="next over a generator"),
    Program(list_spread_to_max, (V3,), may_refuse=True, note="a list of unknown length spread over max"),
]
