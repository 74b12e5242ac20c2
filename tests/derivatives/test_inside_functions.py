"""Derivatives taken inside functions that are differentiated: against differences of the function that takes them."""
import functools

import numpy as np
import pytest

import adcompiler as ad

X = np.array([0.5, 1.2, 0.7])
WEIGHTS = np.array([1.0, 2.0, 3.0])


def differences(f, x, step=1e-6):
    if np.ndim(x) == 0:
        return (f(x + step) - f(x - step)) / (2 * step)
    return np.array([(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(len(x))])


def closure(x):
    def g(v):
        return v * v * x

    return ad.grad(g)(x) * x


def lambda_that_captures(x):
    return np.sum(ad.grad(lambda v: np.sum(np.sin(v) * x))(x * x))


def operator_as_argument(x, grad=ad.grad):
    y = x
    for _ in range(3):
        y = y - 0.1 * grad(lambda v: np.sum((v - x) ** 4))(y)
    return np.sum(y * y)


def twice_with_defaults_and_helpers(x):
    power = lambda v, k: np.sum(v**k)  # noqa: E731

    def g(v, w=x):
        return power(v, 3) * np.sum(w)

    return np.sum(ad.grad(ad.grad(lambda s: g(s * x)))(2.0))


def inside_while_true(x):
    while True:
        r = ad.grad(lambda v: v**3 - x)(x)
        if r > 1:
            return x * r
        x = x + 1.0


def cube(v, k):
    return v**k


derivative_of_cube = ad.grad(cube)
differentiable_cube = ad.differentiable(cube)


def derivative_made_outside(x):
    return derivative_of_cube(x, 3) * x


def method_of_a_differentiable_function(x):
    return differentiable_cube.grad(x, 3) * x + differentiable_cube.value_and_grad(x, 2)[0]


def several_arguments(x):
    value, gradient = ad.value_and_grad(lambda a, b: a * b * b, wrt=(0, 1))(x, x * x)
    return value + gradient[0] * gradient[1]


def loop_and_branch_inside(x):
    def inner(v):
        t = 0.0
        for i in range(3):
            if v[i] > 0.5:
                t = t + WEIGHTS[i] * v[i] ** 3
            else:
                t += v[i] * x[0]
        return t

    return np.sum(ad.grad(inner)(x) ** 2)


def in_place_inside(x):
    def inner(v):
        a = v.copy()
        a[1:] *= a[:-1]
        return np.sum(a * x)

    return np.sum(ad.grad(inner)(x) * x)


def partial_inside(x):
    f = functools.partial(cube, k=3)
    return ad.grad(f)(x) * x


def late_binding(x):
    k = x
    g = lambda v: v * v * k  # noqa: E731
    d = ad.grad(g)
    k = x * x
    return d(x)


class Spring:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def energy(self, u):
        return 0.5 * self.stiffness * u * u

    def force(self, u):
        return -ad.grad(self.energy)(u)


def method_inside(x):
    return Spring(x * x).force(x) * 2.0


def newton(x):
    y = 1.0
    for _ in range(4):
        residual = lambda v: v * v - x  # noqa: E731
        y = y - residual(y) / ad.grad(residual)(y)
    return y


def derivatives_in_lambdas_in_lambdas(x):
    return ad.grad(lambda z: z * ad.grad(lambda u: u**3 * z * x)(z))(x)


def names_that_meet(x):
    def h(u):
        return u * x

    def g(x):
        return h(x) * x + sum([(lambda h: h * x)(v) for v in (x, 2.0)])

    return ad.grad(g)(x * x)


def weighted(h, z):
    return h(z) * z


weighted_slope = ad.grad(weighted, wrt="z")


def function_as_argument(x):
    return ad.grad(weighted, wrt=1)(lambda u: u * x, x) + weighted_slope(lambda u: x / u, z=x * x)


def function_as_argument_twice(x):
    return ad.grad(ad.grad(weighted, wrt=1), wrt=1)(lambda u: u * np.sin(u * x), x)


def function_as_default(x):
    def inner(z, fn=lambda q: q * x):
        return fn(z) * z

    return ad.grad(inner)(x * x)


def function_handed_on(x):
    def energy(h, z):
        return ad.grad(lambda u: h(u) * z)(z)

    return ad.grad(energy, wrt=1)(lambda u: np.cos(u) * x, x)


def changing_name_inside(x):
    def g(u):
        total = 0.0

        def add(k):
            nonlocal total
            total += k * u

        add(u)
        add(x)
        return total * x

    return ad.grad(g)(x * x)


class Well:
    def __init__(self, depth):
        self.depth = depth

    def __call__(self, u):
        return self.depth * u * u

    def slope(self, u):
        return ad.grad(self)(u)


def object_that_is_called(x):
    return Well(x * x).slope(x)


PROGRAMS = [
    (derivatives_in_lambdas_in_lambdas, 1.3), (names_that_meet, 1.3), (function_as_argument, 1.3),
    (function_as_argument_twice, 0.8), (function_as_default, 1.3), (function_handed_on, 0.7), (changing_name_inside, 1.3),
    (object_that_is_called, 1.2),
    (closure, 1.3), (lambda_that_captures, X), (operator_as_argument, X), (twice_with_defaults_and_helpers, X),
    (inside_while_true, 0.2), (derivative_made_outside, 1.4), (method_of_a_differentiable_function, 1.4),
    (several_arguments, 1.2), (loop_and_branch_inside, X + 0.01), (in_place_inside, X), (partial_inside, 1.2), (late_binding, 1.2),
    (method_inside, 1.2), (newton, 2.0),
]


@pytest.mark.parametrize("f, x", PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_gradient(f, x):
    np.testing.assert_allclose(ad.grad(f)(x), differences(f, x), rtol=2e-7, atol=1e-7)


@pytest.mark.parametrize("f, x", PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_third_order(f, x):
    direction = np.ones(np.shape(x)) if np.ndim(x) else 1.0
    got = ad.vjp(ad.grad(f), x, wrt=0)[1](direction)
    np.testing.assert_allclose(got, differences(lambda v: np.sum(ad.grad(f)(v)), x), rtol=2e-6, atol=1e-6)


def test_active_function_chosen_at_run_time_is_refused():
    def f(x):
        g = (lambda v: v * x) if x > 0 else (lambda v: v * v * x)
        return ad.grad(g)(x)

    with pytest.raises(ad.UnsupportedSyntaxError) as caught:
        ad.grad(f)(1.0)
    assert caught.value.hint and caught.value.lineno
