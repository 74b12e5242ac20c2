"""Functions that a helper makes read the variables of that call, whatever the caller binds to its names afterwards.

`g = scaling_by(a); a = a * 2.0; return g(x)` read the new `a`: a wrong value, and a wrong derivative.
"""
import functools

import numpy as np
import pytest

import adcompiler as ad

A = np.array([0.5, 0.6, 0.7])


def scaling_by(u):
    return lambda t: t * u[0]


def scaling_twice(u, v=2.0):
    w = u

    def inner(t):
        return t * w[0] * v

    return inner


def first_of_pair(p):
    return lambda t: t * p[0][0] * p[1]


def applied_twice(g):
    return lambda t: g(g(t))


class Scale:
    def __init__(self, w):
        self.w = w

    def go(self, t):
        return t * self.w[0]


def argument_bound_again(x, a):
    g = scaling_by(a)
    a = a * 2.0
    return g(x) * a[1]


def captured_number(x, a):
    g = scaling_twice(a, x)
    x = x * 2.0
    return g(x) * a[1]


def constant_bound_again(x, a):
    n = 2.0
    g = scaling_twice(a, n)
    n = 5.0
    return g(x) * n


def pair(x, a):
    g = first_of_pair((a, x))
    a, x = a * x, x * 3.0
    return g(x) * a[1]


def in_a_loop(x, a):
    s = 0.0
    for _ in range(3):
        g = scaling_by(a)
        a = a * x
        s += g(x) * a[1]
    return s


def read_in_a_loop(x, a):
    g = scaling_by(a)
    for _ in range(3):
        a = a * x
        x = g(x) * a[1]
    return x


def bound_again_on_one_path(x, a):
    g = scaling_by(a)
    if x > 0.0:
        a = a * x
    return g(x) * a[0]


def function_of_a_function(x, a):
    b = a * x
    g = applied_twice(scaling_by(b))
    b = b * 2.0
    return g(x) * b[1]


def made_by_a_nested_function(x, a):
    def outer(u):
        def mid(v):
            return lambda t: t * u[0] * v[1]

        return mid(u)

    g = outer(a)
    a = a * 3.0
    return g(x) * a[0]


def made_by_a_lambda(x, a):
    u = a[0]
    g = (lambda w: (lambda t: t * w))(u)
    u = u * x
    return g(x) * u


def in_a_partial_and_a_dict(x, a):
    g = functools.partial(scaling_by(a))
    d = {"f": scaling_by(a), "x": x}
    a, x = a * x, x * 2.0
    return g(x) * d["f"](d["x"]) * a[0]


def bound_method(x, a):
    m = Scale(a * x)
    g, h = m.go, applied_twice(m.go)
    m = Scale(a)
    return g(x) * h(x) * m.go(x)


def methods_of_containers(x, a):
    items = [x, 2.0 * x]
    take, put = items.pop, items.append
    known = {"a": x}
    look = known.get
    items, known = [x * x], {"a": x * x}
    put(x * a[0])
    return take() * items.pop() * look("a") * known["a"]


def two_of_one_text(x, a):
    gs = [scaling_by(a), scaling_by(2.0 * a)]
    pairs = [(scaling_by(a), 2.0), (scaling_by(3.0 * a), 3.0)]
    a = a * x
    for g in gs:
        x = g(x)
    for g, w in pairs:
        x = g(x) * w
    return x * a[0]


def lists_made_inside(x, a):
    def solve(u):
        steps = [lambda t: t * u[0], lambda t: t + u[0]]
        return steps[0](steps[1](x))

    s = 0.0
    for _ in range(3):
        s += solve(a * x)
        a = a * x
    return s


PROGRAMS = [
    argument_bound_again, captured_number, constant_bound_again, pair, in_a_loop, read_in_a_loop,
    bound_again_on_one_path, function_of_a_function, made_by_a_nested_function, made_by_a_lambda,
    in_a_partial_and_a_dict, bound_method, methods_of_containers, two_of_one_text, lists_made_inside,
]


@pytest.mark.parametrize("wrt", [0, 1])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_gradient(f, wrt):
    ad.check_gradients(f, 1.3, A, wrt=wrt)
    value, gradient = ad.value_and_grad(f, wrt=wrt)(1.3, A)
    direction = 1.0 if wrt == 0 else np.array([0.3, -0.7, 0.2])
    found = ad.jvp(f, (1.3, A), (direction,), wrt=wrt)
    np.testing.assert_allclose([value, found[0]], f(1.3, A.copy()), rtol=1e-12)
    np.testing.assert_allclose(found[1], np.sum(gradient * direction), rtol=1e-12)


def several_in_a_loop(x, a):
    gs = []
    for _ in range(2):
        gs.append(scaling_by(a))
        a = a * x
    return gs[0](x) * gs[1](x)


def several_by_key(x, a):
    gs = {}
    for k in range(2):
        gs[k] = scaling_by(a)
        a = a * x
    return gs[0](x)


def several_by_a_comprehension(x, a):
    gs = [scaling_by(a * k) for k in range(1, 4)]
    return gs[0](x) * gs[2](x)


def appended_to_one_of_the_same_text(x, a):
    gs = [scaling_by(a)]
    a = a * x
    gs.append(scaling_by(a))
    return gs[0](x) * gs[1](x)


def of_the_last_trip(x, a):
    g = scaling_by(a)
    for _ in range(3):
        x = g(x)
        a = a * x
        g = scaling_by(a)
    return x


REFUSED = [several_in_a_loop, several_by_key, several_by_a_comprehension, appended_to_one_of_the_same_text, of_the_last_trip]


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_functions_that_nothing_tells_apart_are_refused(f, mode):
    with pytest.raises(ad.UnsupportedSyntaxError) as caught:
        ad.grad(f, mode=mode)(1.3, A)
    assert caught.value.hint and caught.value.lineno
