"""Nested functions, lambdas, late binding, module globals."""
import functools

import numpy as np
from numpy import array

from tests.programs.program import Program


def nested_definitions(x):
    def half(v):
        return 0.5 * v * v

    def compose(f, g):
        return lambda v: f(g(v))

    return compose(half, np.sin)(x) + compose(half, half)(x)


def closure_over_active(x):
    y = x * x

    def shifted(v):
        return v * y + x

    return shifted(2.0) * shifted(x)


def closure_sees_rebinding(x):
    scale = 1.0

    def scaled(v):
        return v * scale

    a = scaled(x)
    scale = x * x
    return a + scaled(x) * 2.0


def closure_called_in_loop(x):
    s = x

    def step(v):
        return v * s + 0.1

    t = 1.0
    for _ in range(3):
        t = step(t)
        s = s * 0.9 + 0.1 * t
    return s * t


def late_binding(x):
    fs = []
    for p in range(1, 4):
        fs.append(lambda t: t ** p)
    return fs[0](x) + 2.0 * fs[1](x)


def early_binding(x):
    gs = [lambda t, p=p: t ** p for p in range(1, 4)]
    return gs[0](x) + 2.0 * gs[1](x)


def late_binding_of_active(x):
    fs = []
    value = x
    for k in range(3):
        value = value * x
        fs.append(lambda t: t * value + k)
    return fs[0](1.5) * fs[2](x)


def immediately_called(x):
    return (lambda v, w=x: v * w)(x * x) + (lambda: x * 3.0)()


def returned_closure(x):
    def make(a):
        def inner(b):
            return a * b * b

        return inner

    f, g = make(x), make(x * x)
    return f(2.0) * g(x)


def closure_over_loop_variable_after(x):
    def read():
        return x[i] * x[i]

    s = 0.0
    for i in range(len(x)):
        s = s * 0.5 + read()
    return s + read()


def closure_mutates_outer_array(x):
    a = np.zeros(3)

    def put(i, v):
        a[i] = v + a[i - 1]

    for i in range(3):
        put(i, x[i] * x[i])
    return np.sum(a * a)


def closure_appends_to_outer_list(x):
    log = []

    def note(v):
        log.append(v)
        return v * v

    y = note(x) + note(x * 2.0)
    return y * log[1] + log[0]


def nonlocal_counter(x):
    count = 0

    def bump(v):
        nonlocal count
        count += 1
        return v * count

    return bump(x) * bump(x * x) + count


def three_levels(x):
    def outer(a):
        def middle(b):
            def inner(c):
                return a * b * c * x

            return inner(b + 1.0)

        return middle(a * 2.0)

    return outer(x)


def lambda_in_default_and_dict(x):
    table = {"a": lambda v: v * x, "b": lambda v: v + x}
    return table["a"](2.0) * table["b"](x)


def sort_key_closure(x, centre):
    ordered = sorted(x, key=lambda v: abs(v - centre))
    return ordered[0] * 3.0 + ordered[1] * ordered[2]


def made_by_factory(power, offset):
    def model(x):
        return (x + offset) ** power * power

    return model


def factory_with_array(weights):
    return lambda x: np.sum(weights * x * x)


GAIN = 2.0
TABLE = np.array([1.0, -0.5, 0.25])
_settings = {"order": 3, "scale": 1.5}


def reads_globals(x):
    return GAIN * x * x + np.sum(TABLE * x) * _settings["scale"] ** _settings["order"]


def global_count(x):
    global _count
    _count = _count + 1
    return x * x


_count = 0


def method_as_function(x):
    dot = x.dot
    total = x.sum
    return dot(x) * total()


def partial_over_closure(x):
    def scaled(a, b):
        return a * b * x

    return functools.partial(scaled, 2.0)(x) + sum(map(functools.partial(scaled, b=3.0), [1.0, x]))


def with_stored_defaults(x):
    k = x * x
    functions = []
    for i in range(3):
        functions.append(lambda v, i=i: v * k + i * v * v)
    return functions[0](x) * functions[2](2.0)


def with_stored_keyword_defaults(x):
    functions = {}
    for i in range(3):
        functions[i] = lambda v, *, i=i, j=i * 2: v**i * x + j * v
    return functions[0](x) * functions[1](x) + functions[1](2.0, i=3)


def late_and_early(x):
    offset = 1.0
    late = [lambda v: v * offset + k for k in range(3)]
    early = [lambda v, o=offset, k=k: v * o + k for k in range(3)]
    offset = x
    return late[0](x) * early[0](x) + late[1](2.0) * early[2](x)


V3 = array([0.7, -1.2, 2.1])

PROGRAMS = [
    Program(nested_definitions, (0.7,), note="inner functions, one passed to another"),
    Program(closure_over_active, (0.7,), note="a closure over active values"),
    Program(closure_sees_rebinding, (0.7,), note="the cell is read at call time"),
    Program(closure_called_in_loop, (0.7,), note="the cell changes between calls"),
    Program(late_binding, (0.7,), note="lambdas made in a loop see the last value"),
    Program(early_binding, (0.7,), note="a default keeps its own value"),
    Program(late_binding_of_active, (0.7,), note="late binding of an active value"),
    Program(immediately_called, (0.7,), note="lambda called where it stands"),
    Program(returned_closure, (0.7,), note="closures made by a local function"),
    Program(closure_over_loop_variable_after, (V3,), note="closure over a loop variable"),
    Program(closure_mutates_outer_array, (V3,), note="closure stores into an outer array"),
    Program(closure_appends_to_outer_list, (0.7,), note="closure appends to an outer list"),
    Program(nonlocal_counter, (0.7,), note="nonlocal store of an inactive value"),
    Program(three_levels, (0.7,), note="three nested functions"),
    Program(lambda_in_default_and_dict, (0.7,), note="lambdas in a dict"),
    Program(sort_key_closure, (V3, 0.3), note="closure as a sort key"),
    Program(made_by_factory(3, 0.5), (0.7,), note="the differentiated function is a closure", label="3"),
    Program(made_by_factory(2, 1.5), (0.7,), note="another closure of the same code", label="2"),
    Program(factory_with_array(TABLE), (V3,), note="a lambda over an array", label="lambda"),
    Program(reads_globals, (0.7,), note="module globals read at call time"),
    Program(global_count, (0.7,), note="global store of an inactive value"),
    Program(method_as_function, (V3,), note="bound methods of arrays"),
    Program(partial_over_closure, (0.7,), note="partial of a closure, in map"),
    Program(with_stored_defaults, (0.7,), note="defaults of lambdas in a list, also at second order"),
    Program(with_stored_keyword_defaults, (0.7,), note="defaults given by keyword only, of lambdas in a dict"),
    Program(late_and_early, (0.7,), note="lambdas in comprehensions, late and early binding"),
]
