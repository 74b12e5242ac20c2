"""What a function reads from outside may change between two calls; the second gradient is that of the second state.

Every kind of place is changed after a first gradient: globals, closures, attributes of modules, classes and objects,
methods, properties, operators, defaults and code of helpers, partials, containers, rules.
"""
import functools
import types

import numpy as np
import pytest

import adcompiler as ad

STEP = 1e-6


class World:
    """Everything that a case reads, made anew for each case."""

    def __init__(self):
        module = self.module = types.ModuleType("settings")
        module.factor, module.count, module.weights = 2.0, 2, np.array([1.0, 2.0])
        module.scaled = lambda x: 3.0 * x
        self.table = {"factor": 2.0, "function": np.tanh, "mode": "a"}
        self.numbers = [2.0]

        class Base:
            factor, count, weights, function = 2.0, 2, np.array([1.0, 2.0]), np.tanh

            def method(self, x):
                return x * self.factor

            @property
            def derived(self):
                return 2.0

            @staticmethod
            def static(x):
                return 2.0 * x

            @classmethod
            def of_class(cls, x):
                return cls.factor * x

            def __call__(self, x):
                return self.method(x)

        class Holder:
            def __init__(self, value):
                self.value = value

            def __add__(self, other):
                return Holder(self.value + other.value)

        self.Base, self.Holder, self.object = Base, Holder, Base()

        def helper(x, factor=2.0, *, shift=1.0):
            return factor * x * x + shift * x

        def number(power=2):
            return power

        self.helper, self.number = helper, number
        self.partial = functools.partial(lambda x, factor: x * factor, factor=2.0)


def cases():
    def other(x, factor=2.0, *, shift=1.0):
        return factor * x ** 3 + shift

    def put(place, name, value):
        return lambda w: setattr(place(w), name, value)

    def put_item(place, key, value):
        return lambda w: place(w).__setitem__(key, value)

    def module(w):
        return w.module

    def cls(w):
        return w.Base

    def module_factor(w):
        module = w.module
        return lambda x: module.factor * x

    def module_count(w):
        module = w.module
        return lambda x: x ** module.count

    def module_array(w):
        module = w.module
        return lambda x: np.sum(module.weights * x)

    def module_function(w):
        module = w.module
        return lambda x: module.scaled(x)

    def class_factor(w):
        Base = w.Base
        return lambda x: Base.factor * x

    def class_array(w):
        Base = w.Base
        return lambda x: np.sum(Base.weights * x)

    def class_function(w):
        Base = w.Base
        return lambda x: Base.function(x)

    def class_method(w):
        Base = w.Base
        return lambda x: Base.of_class(x)

    def static_method(w):
        held = w.object
        return lambda x: held.static(x)

    def method(w):
        held = w.object
        return lambda x: held.method(x)

    def called(w):
        held = w.object
        return lambda x: held(x)

    def derived(w):
        held = w.object
        return lambda x: held.derived * x

    def array_by_object(w):
        held = w.object
        return lambda x: np.sum(held.weights * x)

    def count_by_object(w):
        held = w.object
        return lambda x: sum(x for _ in range(held.count))

    def operator(w):
        Holder = w.Holder
        return lambda x: (Holder(x) + Holder(x * x)).value

    def helper(w):
        helper = w.helper
        return lambda x: helper(x)

    def inactive_helper(w):
        number = w.number
        return lambda x: x ** number()

    def partial(w):
        partial = w.partial
        return lambda x: partial(x)

    def in_dict(w):
        table = w.table
        return lambda x: table["factor"] * x

    def function_in_dict(w):
        table = w.table
        return lambda x: table["function"](x)

    def mode_in_dict(w):
        table = w.table
        return lambda x: 2.0 * x if table["mode"] == "a" else 3.0 * x

    def in_list(w):
        numbers = w.numbers
        return lambda x: functools.reduce(lambda s, n: s * n, numbers, x) if not numbers else numbers[0] * x

    def own_default(w):
        return w.helper

    def kwdefaults(w):
        return w.helper.__kwdefaults__

    return [
        ("module_number", module_factor, put(module, "factor", 5.0)),
        ("module_number_to_array", module_array, put(module, "weights", 5.0)),
        ("module_integer", module_count, put(module, "count", 3)),
        ("module_array", module_array, put(module, "weights", np.array([5.0, 6.0]))),
        ("module_function", module_function, put(module, "scaled", lambda x: x * x)),
        ("class_number", class_factor, put(cls, "factor", 5.0)),
        ("class_array", class_array, put(cls, "weights", np.array([5.0, 6.0]))),
        ("class_function", class_function, put(cls, "function", np.exp)),
        ("class_method_attribute", class_method, put(cls, "factor", 5.0)),
        ("class_method", class_method, put(cls, "of_class", classmethod(lambda cls, x: x * x))),
        ("static_method", static_method, put(cls, "static", staticmethod(lambda x: x * x))),
        ("method", method, put(cls, "method", lambda self, x: x * x)),
        ("method_attribute", method, put(cls, "factor", 5.0)),
        ("method_attribute_shadowed", method, put(lambda w: w.object, "factor", 7.0)),
        ("call_method", called, put(cls, "__call__", lambda self, x: x * x)),
        ("method_behind_call", called, put(cls, "method", lambda self, x: x * x)),
        ("property", derived, put(cls, "derived", property(lambda self: 4.0))),
        ("class_array_by_object", array_by_object, put(cls, "weights", np.array([5.0, 6.0]))),
        ("class_integer_by_object", count_by_object, put(cls, "count", 7)),
        ("operator", operator, put(lambda w: w.Holder, "__add__", lambda a, b: type(a)(a.value * b.value))),
        ("constructor", operator, put(lambda w: w.Holder, "__init__", lambda s, v: setattr(s, "value", 3.0 * v))),
        ("helper_default", helper, put(lambda w: w.helper, "__defaults__", (5.0,))),
        ("helper_keyword_default", helper, put_item(kwdefaults, "shift", 5.0)),
        ("helper_keyword_defaults", helper, put(lambda w: w.helper, "__kwdefaults__", {"shift": 5.0})),
        ("helper_code", helper, put(lambda w: w.helper, "__code__", other.__code__)),
        ("default_of_inactive_helper", inactive_helper, put(lambda w: w.number, "__defaults__", (0.5,))),
        ("own_default", own_default, put(lambda w: w.helper, "__defaults__", (5.0,))),
        ("own_keyword_default", own_default, put_item(kwdefaults, "shift", 5.0)),
        ("own_code", own_default, put(lambda w: w.helper, "__code__", other.__code__)),
        ("partial_keyword", partial, put_item(lambda w: w.partial.keywords, "factor", 9.0)),
        ("dict", in_dict, put_item(lambda w: w.table, "factor", 9.0)),
        ("function_in_dict", function_in_dict, put_item(lambda w: w.table, "function", np.exp)),
        ("mode_in_dict", mode_in_dict, put_item(lambda w: w.table, "mode", "b")),
        ("list", in_list, put_item(lambda w: w.numbers, 0, 9.0)),
    ]


@pytest.mark.parametrize("make, change", [pytest.param(m, c, id=name) for name, m, c in cases()])
def test_the_gradient_is_that_of_the_present_state(make, change):
    world = World()
    function = make(world)
    differentiable = ad.differentiable(function)
    x = 1.3
    for state in ("before", "after"):
        slope = (function(x + STEP) - function(x - STEP)) / (2.0 * STEP)
        for _ in range(2):  # the second call of a kind takes a shorter way
            assert differentiable.grad(x) == pytest.approx(slope, rel=1e-7), state
        _, tape = differentiable.forward(x)
        assert differentiable.adjoint(tape) == pytest.approx(slope, rel=1e-7), state
        if state == "before":
            before = slope
            change(world)
    assert abs(slope - before) > 0.1


def test_a_rule_registered_later_is_used():
    def cube(x):
        return x ** 3

    def twice(x):
        return 2.0 * cube(x)

    kept, itself = ad.differentiable(twice), ad.differentiable(cube)
    assert (kept.grad(2.0), itself.grad(2.0)) == (24.0, 12.0)
    for slope in (100.0, 200.0):
        ad.register_vjp(cube, lambda y_bar, y, x, slope=slope: (slope * y_bar,))
        assert (kept.grad(2.0), itself.grad(2.0), ad.grad(twice)(2.0)) == (2.0 * slope, slope, 2.0 * slope)


def test_nothing_is_compiled_again_while_nothing_changes():
    for _, make, _ in cases():
        differentiable = ad.differentiable(make(World()))
        for _ in range(3):
            differentiable.grad(1.3)
        assert {len(made) for made in differentiable.programs.cache.values()} == {1}


@pytest.mark.parametrize("of_method", [False, True])
def test_an_attribute_that_the_object_itself_gets_later_hides_that_of_its_class(of_method):
    class Scaled:
        factor = 2.0

        def __call__(self, x):
            return x * x * self.factor

    scaled = Scaled()
    gradient = ad.grad(scaled.__call__ if of_method else scaled)
    assert [gradient(1.5) for _ in range(3)] == [6.0] * 3
    scaled.factor = 5.0
    assert [gradient(1.5) for _ in range(3)] == [15.0] * 3
    del scaled.factor
    Scaled.factor = 4.0
    assert [gradient(1.5) for _ in range(3)] == [12.0] * 3


def test_a_global_that_hides_a_builtin():
    def f(x):
        return abs(x) * x

    gradient = ad.grad(f)
    assert [gradient(1.5) for _ in range(2)] == [3.0] * 2
    f.__globals__["abs"] = lambda v: 2.0 * v * v
    try:
        assert [gradient(1.5) for _ in range(2)] == [13.5] * 2
    finally:
        del f.__globals__["abs"]
    assert [gradient(1.5) for _ in range(2)] == [3.0] * 2
