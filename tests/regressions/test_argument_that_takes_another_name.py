"""A helper gives another name to what it was passed, and changes that: the parameter still stands for the argument."""
import numpy as np
import pytest

import adcompiler as ad


def of_an_expression(x):
    def helper(y):
        v = y
        v += 1.0
        return v * y

    return helper(x * 1.5)


def read_by_a_function(x):
    def helper(y):
        v = y
        v += 1.0
        h = lambda: y  # noqa: E731
        return v * h()

    return helper(x)


def assigned_again(x):
    def helper(y):
        v = y
        v = np.sin(v)
        return v * y

    return helper(x * x)


def in_a_loop(x):
    def helper(y):
        v = y
        for _ in range(3):
            v = v * y
        return v + y

    return helper(np.exp(x))


def of_a_tuple(x):
    def helper(pair):
        p = pair
        p = (p[1], p[0] * 2.0)
        return p[0] * p[1] * pair[0]

    return helper((x * 2.0, x * x))


def of_a_list(x):
    def helper(values):
        v = values
        v = [v[0] * 3.0, v[1]]
        return v[0] * values[0] + values[1]

    return helper([x * 2.0, x * x])


def of_an_array(x):
    def helper(y):
        v = y
        v += 1.0
        return np.sum(v * y)

    return helper(np.array([x, 2.0]) * x)


def two_deep(x):
    def inner(z):
        w = z
        w *= 2.0
        return w + z

    def outer(y):
        v = y
        v -= 3.0
        return inner(y * 1.0) * v * y

    return outer(x * 2.0)


@pytest.mark.parametrize("simplify", [True, False])
@pytest.mark.parametrize("f", [of_an_expression, read_by_a_function, assigned_again, in_a_loop, of_a_tuple, of_a_list,
                               of_an_array, two_deep])
def test_value_and_derivatives(f, simplify):
    x, step = 0.7, 1e-5
    want = (f(x + step) - f(x - step)) / (2 * step)
    second = (f(x + step * 100) - 2 * f(x) + f(x - step * 100)) / (100 * step) ** 2
    with ad.pipeline.switched(simplify=simplify, verify=True):
        value, pullback = ad.vjp(f, x)
        found = [(value, pullback(1.0)[0]), ad.value_and_grad(f)(x), ad.value_and_grad(f, mode="forward")(x),
                 ad.jvp(f, (x,), (1.0,)), ad.differentiable(f, debug_nans=True).value_and_grad(x)]
        assert all(np.isclose(v, f(x), rtol=1e-14) and np.isclose(g, want, rtol=1e-8) for v, g in found), found
        orders = [ad.grad(ad.grad(f))(x), ad.hvp(f)(x, 1.0), ad.vjp(ad.grad(f), x)[1](1.0)[0]]
        assert np.allclose(orders, second, rtol=1e-4), (orders, second)
