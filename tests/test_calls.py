"""Calls in ordinary numeric programs: functions as values, closures, arguments, builtins; against differences."""
import functools
import itertools
import math
import operator
import warnings
from typing import Callable

import numpy as np
import pytest

import adcompiler as ad
from tests.programs.oracle import reference_gradient
from tests.programs.program import Program

V3 = np.array([0.7, -1.2, 2.1])
M = np.array([[0.5, -1.0], [2.0, 0.3]])


# ------------------------------------------------------------------------------------ functions chosen at run time
ACTIVATIONS = {"tanh": np.tanh, "relu": lambda v: np.maximum(v, 0.0), "square": lambda v: v * v, "identity": lambda v: v}
STAGES = (np.sin, np.exp, math.tanh)


def activation_by_name(x, name):
    return np.sum(ACTIVATIONS[name](x) * x)


def activation_by_get(x, name):
    return np.sum(ACTIVATIONS.get(name, np.cos)(x) * x)


def layers_with_names(x, names):
    for k, name in enumerate(names):
        x = ACTIVATIONS[name](x) + 0.1 * k
    return np.sum(x)


def stage_by_number(x, n):
    for k in range(n):
        x = STAGES[k % 3](x) * 0.9
    return x


def chosen_by_if(x, kind):
    if kind == "exp":
        f = np.exp
    elif kind == "cube":
        f = lambda v: v ** 3  # noqa: E731
    else:
        f = math.sqrt
    return f(x) * x


def chosen_by_value(x):
    f = np.sin if x > 0.5 else np.cos
    g = math.exp if x > 5.0 else (lambda v: v * x)
    return f(x) * g(x)


def definition_by_condition(x, flag):
    def fast(v):
        return v * v

    def slow(v):
        return v * np.sin(v)

    chosen = fast if flag > 0 else slow
    return chosen(x) + chosen(2.0 * x)


def defined_in_branches(x, flag):
    if flag:
        def step(v):
            return v * x
    else:
        def step(v):
            return v + x
    return step(step(x))


def compares_functions(x, f):
    if f is np.sin:
        return f(x) * 2.0
    return f(x)


def functions_with_weights(x):
    terms = [(1.0, np.sin), (0.5, np.exp), (-2.0, lambda v: v ** 2)]
    total = 0.0
    for weight, f in terms:
        total += weight * f(x)
    return total


def runge_kutta(y0, k, t_end, n):
    def f(t, y):
        return -k * y + math.sin(t)

    h = t_end / n
    t, y = 0.0, y0
    for _ in range(n):
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return y


def integrate(f: Callable, a, b, n=8):
    h = (b - a) / n
    return h * (0.5 * f(a) + 0.5 * f(b) + sum(f(a + k * h) for k in range(1, n)))


def quadrature(a, b):
    return integrate(lambda t: t ** 2 * math.exp(-b * t), 0.0, a) + integrate(math.cos, a, b, n=4)


def newton(f, df, x, steps=6):
    for _ in range(steps):
        x = x - f(x) / df(x)
    return x


def root_by_newton(a):
    return newton(lambda x: x * x - a, lambda x: 2.0 * x, 1.0 + 0.1 * a)


def bisect_then_use(a):
    def g(v):
        return v ** 3 - 2.0

    low, high = 0.0, 2.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        if g(middle) > 0:
            high = middle
        else:
            low = middle
    return a * low * g(a)


# ------------------------------------------------------------------------------------ composition and partials
def compose(*functions):
    return functools.reduce(lambda f, g: lambda v: g(f(v)), functions)


def composed(x):
    return compose(np.sin, lambda v: v * v, np.exp)(x)


def pipeline(x, *stages):
    for stage in stages:
        x = stage(x)
    return np.sum(x)


def power_law(x, exponent, scale=1.0, *, shift=0.0):
    return scale * (x + shift) ** exponent


def partials(x):
    cube = functools.partial(power_law, exponent=3)
    shifted = functools.partial(cube, shift=x)
    return cube(x) * shifted(x, scale=2.0)


def partial_in_a_list(x):
    powers = [functools.partial(power_law, exponent=k) for k in (1, 2, 3)]
    return sum(p(x) for p in powers)


half = functools.partial(operator.mul, 0.5)


def module_partial(x):
    return half(x) * half(x * x)


def operator_functions(x):
    total = functools.reduce(operator.mul, [x, x + 1.0, 2.0 * x])
    return operator.sub(total, operator.neg(x)) + operator.truediv(x, 3.0)


def item_and_attribute_getters(x):
    second = operator.itemgetter(1)
    pair = (x, x * x)
    return second(pair) * pair[0]


def curried(x):
    add = lambda a: lambda b: lambda c: a * b + c * x  # noqa: E731
    return add(x)(2.0)(x * x)


# ------------------------------------------------------------------------------------ closures
def counter_of_calls(x):
    calls = 0

    def f(v):
        nonlocal calls
        calls += 1
        return v * v

    y = f(x) + f(2.0 * x) + f(3.0)
    return y / calls


def running_mean(x):
    total, count = 0.0, 0

    def update(v):
        nonlocal total, count
        total = total + v
        count += 1
        return total / count

    out = 0.0
    for v in x:
        out = out + update(v * v)
    return out * total


def momentum(x):
    velocity = 0.0

    def step(p, gradient):
        nonlocal velocity
        velocity = 0.9 * velocity - 0.1 * gradient
        return p + velocity

    p = x
    for _ in range(5):
        p = step(p, 2.0 * p - 1.0)
    return p + velocity


def conditional_nonlocal(x, flag):
    best = x

    def offer(v):
        nonlocal best
        if v > best:
            best = v * 1.0

    offer(x * x)
    if flag:
        offer(3.0 * x)
    return best * x


def closures_by_factory(x):
    def scaler(a, b):
        def apply(v):
            return a * v + b

        return apply

    first, second = scaler(x, 1.0), scaler(2.0, x)
    return first(second(x)) - second(first(1.0))


def closures_of_a_loop(x):
    layers = []
    for k in range(3):
        layers.append(lambda v, k=k: np.tanh(x[k] * v))
    y = 0.3
    for layer in layers:
        y = layer(y)
    return y


def closures_with_active_defaults(x):
    layers = []
    for w in x:
        layers.append(lambda v, w=w: np.tanh(w * v))
    y = 0.3
    for layer in layers:
        y = layer(y)
    return y


def default_that_is_active(x):
    def f(v, scale=x * x):
        return v * scale

    return f(2.0) + f(x, 3.0) + f(x)


def late_default(x):
    a = x

    def f(v, a=a):
        return v * a

    a = a * a
    return f(a) + a


def shadowed_name(x):
    def x_squared(x):
        x = x * x
        return x

    y = x_squared(x)
    return y * x


def immediately_unpacked(x):
    def polar(a, b):
        return math.hypot(a, b), math.atan2(b, a)

    r, phi = polar(x, 2.0 * x + 1.0)
    return r * phi


# ------------------------------------------------------------------------------------ arguments
def keyword_only(x, *, gain=2.0, bias):
    return gain * x + bias * x * x


def calls_with_keywords(x):
    options = {"gain": x, "bias": 0.5}
    return keyword_only(x, **options) + keyword_only(x=x, bias=x) + keyword_only(2.0, gain=1.0, **{"bias": x})


def polynomial(x, *coefficients, variable=None):
    variable = x if variable is None else variable
    return sum(c * variable ** k for k, c in enumerate(coefficients))


def calls_with_stars(x):
    c = [1.0, x, 0.5]
    return polynomial(x, *c) + polynomial(x, *c, *reversed(c)) + polynomial(2.0, *(x, x), variable=x)


def default_none(x, w=None, eps=1e-3):
    if w is None:
        w = np.ones_like(x)
    return np.sum(w * np.sqrt(x * x + eps))


def positional_tuple(x):
    def norm(p):
        a, b = p
        return math.sqrt(a * a + b * b)

    return norm((x, 2.0)) + norm([x, x])


def returns_a_dict(x):
    def statistics(v):
        return {"mean": np.mean(v), "var": np.var(v), "n": len(v)}

    found = statistics(x)
    return found["mean"] / (found["var"] + found["n"])


# ------------------------------------------------------------------------------------ builtins
def largest_by_key(x):
    return max(x, key=lambda v: abs(v)) * min(x, key=abs)


def largest_of_pairs(x):
    pairs = [(i, v * v) for i, v in enumerate(x)]
    best = max(pairs, key=lambda p: p[1])
    return best[1] * x[best[0]]


def largest_with_default(x, n):
    return max([v * v for v in x[:n]], default=0.5) + min((v for v in x if v > 100.0), default=x[0])


def sorted_by_distance(x, centre):
    near = sorted(x, key=lambda v: abs(v - centre))
    return near[0] + 2.0 * near[1] + 3.0 * near[2]


def sorted_descending(x):
    first, second, _ = sorted(x, reverse=True)
    return first * first * second


def mapped(x):
    squares = list(map(lambda v: v * v, x))
    return squares[0] * squares[2] + sum(map(operator.mul, x, squares))


def filtered(x):
    positive = [v for v in filter(lambda v: v > 0, x)]
    return sum(positive) * len(positive)


def zipped(x, y):
    return sum(a * b for a, b in zip(x, y)) + sum(a * k for k, a in enumerate(y, start=1))


def generators_consumed(x):
    return max(v * v for v in x) + sum(v for v in x if v > 0) + math.prod(v for v in x)


def any_and_all(x):
    if any(v < 0 for v in x) and not all(v > 1 for v in x):
        return sum(x) * x[0]
    return x[1]


def walrus(x):
    if (y := x * x) > 0.1 and (z := y + 1.0) > 0:
        return y * z
    return y


def walrus_in_comprehension(x):
    kept = [s for v in x if (s := v * v) > 1.0]
    return sum(kept) * s


def type_branches(x):
    if isinstance(x, float):
        x = np.array([x, 2.0 * x])
    if hasattr(x, "shape") and callable(np.sin):
        return float(np.sum(np.sin(x)))
    return 0.0


def messages(x):
    assert x > 0, f"x must be positive, not {x:.3f}"
    text = f"{x:8.3f} {x!r}"
    print(text, end="")
    if len(text) > 1000:
        raise ValueError(f"too long: {text}")
    return x * x


def warns(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if x > 0:
            warnings.warn("positive")
        return x * x * x


def rounded_and_cast(x):
    n = int(x * 10)
    return x * n + float(np.floor(x)) * x + round(x, 1) * x + divmod(x, 0.4)[0] * x


def products_of_ranges(x):
    return sum(x ** i * y for i, y in itertools.product(range(3), (1.0, 2.0)))


def pairs_of_elements(x):
    return sum(a * b for a, b in itertools.combinations([x[0], x[1], x[2]], 2))


def running_sums(x):
    total = 0.0
    for v in np.cumsum(x):
        total = total + v * v
    return total


# ------------------------------------------------------------------------------------ methods
class Kernel:
    def __init__(self, width, amplitude=1.0):
        self.width = width
        self.amplitude = amplitude

    def __call__(self, a, b):
        return self.amplitude * np.exp(-((a - b) / self.width) ** 2)

    def scaled(self, a):
        return self(a, 0.0) * self.width

    @staticmethod
    def identity(a):
        return a

    @classmethod
    def unit(cls):
        return cls(1.0)

    @property
    def area(self):
        return self.width * self.amplitude


def callable_object(x, width):
    kernel = Kernel(width, amplitude=x)
    return kernel(x, 0.5) + kernel.scaled(x) + Kernel.unit()(x, width) + kernel.identity(x) * kernel.area


def method_as_argument(x):
    kernel = Kernel(x)
    return integrate(kernel.scaled, 0.0, x, n=4)


def array_methods_as_values(x):
    total, largest = x.sum, x.max
    y = x.dot
    return total() * largest() + y(x * x)


PROGRAMS = [
    *(Program(activation_by_name, (V3, n), label=n) for n in ACTIVATIONS),
    *(Program(activation_by_get, (V3, n), label=n) for n in ("square", "none")),
    Program(layers_with_names, (V3, ("tanh", "square", "relu"))),
    Program(layers_with_names, (V3, ["square", "identity"]), label="list"),
    Program(stage_by_number, (0.7, 4)),
    *(Program(chosen_by_if, (0.7, k), label=k) for k in ("exp", "cube", "root")),
    Program(chosen_by_value, (0.7,)), Program(chosen_by_value, (0.2,), label="other"),
    Program(definition_by_condition, (0.7, 1.0)), Program(definition_by_condition, (0.7, -1.0), label="slow"),
    Program(defined_in_branches, (0.7, True)), Program(defined_in_branches, (0.7, False), label="other"),
    Program(compares_functions, (0.7, np.sin)), Program(compares_functions, (0.7, np.cos), label="other"),
    Program(functions_with_weights, (0.7,)),
    Program(runge_kutta, (1.0, 0.8, 2.0, 5), (0, 1, 2)),
    Program(quadrature, (1.3, 0.4), (0, 1)),
    Program(root_by_newton, (2.0,)),
    Program(bisect_then_use, (0.7,)),
    Program(composed, (0.7,)),
    Program(pipeline, (V3, np.sin, np.cumsum, lambda v: v * v)),
    Program(partials, (0.7,)), Program(partial_in_a_list, (0.7,)), Program(module_partial, (0.7,)),
    Program(operator_functions, (0.7,)), Program(item_and_attribute_getters, (0.7,), may_refuse=True),
    Program(curried, (0.7,)),
    Program(counter_of_calls, (0.7,)), Program(running_mean, (V3,)), Program(momentum, (0.7,)),
    Program(conditional_nonlocal, (0.7, True)), Program(conditional_nonlocal, (1.7, False), label="other"),
    Program(closures_by_factory, (0.7,)), Program(closures_of_a_loop, (V3,)),
    Program(closures_with_active_defaults, (V3,), may_refuse=True),
    Program(default_that_is_active, (0.7,)), Program(late_default, (0.7,)), Program(shadowed_name, (0.7,)),
    Program(immediately_unpacked, (0.7,)),
    Program(calls_with_keywords, (0.7,)), Program(calls_with_stars, (0.7,)),
    Program(default_none, (V3,)), Program(default_none, (V3, V3 * V3), (0, 1), label="given"),
    Program(default_none, (V3,), (0, "eps"), kwargs={"eps": 0.1}, label="keyword"),
    Program(positional_tuple, (0.7,)), Program(returns_a_dict, (V3,)),
    Program(largest_by_key, (V3,)), Program(largest_of_pairs, (V3,)),
    Program(largest_with_default, (V3, 2)), Program(largest_with_default, (V3, 0), label="empty"),
    Program(sorted_by_distance, (V3, 0.3)), Program(sorted_descending, (V3,)),
    Program(mapped, (V3,)), Program(filtered, (V3,)), Program(zipped, (V3, V3 * V3), (0, 1)),
    Program(generators_consumed, (V3,)), Program(any_and_all, (V3,)),
    Program(walrus, (0.7,)), Program(walrus, (0.1,), label="small"), Program(walrus_in_comprehension, (V3,)),
    Program(type_branches, (0.7,)), Program(type_branches, (V3,), label="array"),
    Program(messages, (0.7,)), Program(warns, (0.7,)), Program(rounded_and_cast, (0.73,)),
    Program(products_of_ranges, (0.7,)), Program(pairs_of_elements, (V3,), may_refuse=True),
    Program(running_sums, (V3,)),
    Program(callable_object, (0.7, 1.3), (0, 1)), Program(method_as_argument, (0.7,)),
    Program(array_methods_as_values, (V3,)),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name.partition(".")[2])
@pytest.mark.filterwarnings("ignore")
def test_value_and_gradient(program, capsys):
    args, kwargs = program.fresh()
    try:
        value, gradient = ad.value_and_grad(program.fn, wrt=program.wrt)(*args, **kwargs)
    except ad.AdcompilerError as error:
        assert program.may_refuse, str(error)
        assert error.hint and error.lineno
        return
    assert np.allclose(value, program.run(*program.fresh()), rtol=1e-13)
    for got, want in zip(gradient, reference_gradient(program), strict=True):
        assert np.shape(got) == np.shape(want)
        assert np.allclose(got, want, rtol=1e-6, atol=1e-8), f"{got}, right is {want}"


def prints_and_has_a_singular_slope(x):
    print("run")
    return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0) * x)


@pytest.mark.filterwarnings("ignore")
def test_effects_happen_once_where_zeros_must_be_strict(capsys):
    assert np.array_equal(ad.grad(prints_and_has_a_singular_slope)(np.array([0.0, 1.0])), [0.0, 1.5])
    assert capsys.readouterr().out == "run\n"


def fails_in_a_helper(x):
    return refuses_positive(x) * 2.0


def refuses_positive(x):
    print("asked")
    if x > 0:
        raise ValueError(f"bad value {x:.2f}")
    return 1.0 / x


@pytest.mark.parametrize("x, error, line", [(0.7, ValueError, "raise ValueError("), (0.0, ZeroDivisionError, "return 1.0 / x")])
def test_exception_of_the_user_names_the_line(x, error, line, capsys):
    with pytest.raises(error) as caught:
        ad.grad(fails_in_a_helper)(x)
    assert any(__file__ in note and line in note for note in caught.value.__notes__)
    assert capsys.readouterr().out == "asked\n"


_calls = 0


def counts_its_calls(x):
    global _calls
    for _ in range(3):
        _calls += 1
    return x * x * _calls


def test_global_counter_is_the_module_s():
    globals()["_calls"] = 0
    assert ad.value_and_grad(counts_its_calls)(0.5) == (0.75, 3.0)
    assert _calls == 3
    assert ad.grad(counts_its_calls)(0.5) == 6.0


def test_outer_cell_is_counted():
    count = 0

    def f(x):
        nonlocal count

        def bump(v):
            nonlocal count
            count += 1
            return v * count

        count += 1
        return bump(x) * x

    assert ad.grad(f)(0.5) == 2.0
    assert count == 2


def test_random_state_is_not_used_up_by_compiling():
    def noisy(x):
        return x * x * np.random.rand()

    np.random.seed(3)
    first = noisy(0.5)
    np.random.seed(3)
    assert ad.value_and_grad(noisy)(0.5)[0] == first



REFUSALS = [
    (lambda x: np.vectorize(lambda t: t * x)(np.ones(2)).sum(), "numpy.vectorize"),
    (lambda x: np.frompyfunc(lambda t: t * x, 1, 1)(np.ones(2)).sum(), "numpy.frompyfunc"),
]


@pytest.mark.parametrize("case", range(len(REFUSALS)))
def test_function_that_captures_an_active_value_is_not_passed_on_unseen(case):
    function, named = REFUSALS[case]
    with pytest.raises(ad.AdcompilerError, match=named) as caught:
        ad.grad(function)(0.7)
    assert caught.value.filename == __file__
    assert caught.value.hint
