"""Derivatives of functions with `outputs=`, taken inside a function that is differentiated, are those of the outputs."""

import numpy as np
import pytest

import adcompiler as ad

U = np.linspace(0.1, 0.9, 4)
OUT = np.ones(1)


def kernel(u, n, c, out):
    for _ in range(n):
        u = u + c * np.sin(u)
        out[0] += np.sum(u) ** 2
    u += 1.0
    return c


one = ad.differentiable(kernel, outputs="out")
both = ad.differentiable(kernel, outputs=("return", "out"))


def by_pullback(u):
    return np.sum(ad.vjp(one, u, 3, 0.1, OUT, wrt=0)[1](np.ones(1)) ** 2)


def by_pullback_of_both(u):
    return np.sum(ad.vjp(both, u, 3, 0.1, OUT, wrt=0)[1]((1.0, np.ones(1))) ** 2)


def by_tangent(u):
    out, out_dot = ad.jvp(one, (u, 3, 0.1, OUT), (u, None, None, None))
    return out[0] * out_dot[0]


def by_linear_map(u):
    out, along = ad.linearize(one, u, 3, 0.1, OUT, wrt=0)
    return out[0] * along(u)[0]


def by_rows(u):
    return np.sum(ad.jacobian(one, mode="reverse")(u, 3, 0.1, OUT) ** 2)


def by_columns(u):
    return np.sum(ad.jacobian(one, mode="forward")(u, 3, 0.1, OUT) ** 2)


@pytest.mark.parametrize(
    "f", [by_pullback, by_pullback_of_both, by_tangent, by_linear_map, by_rows, by_columns], ids=lambda f: f.__name__
)
def test_derivative_of_outputs_inside(f):
    value, gradient = ad.value_and_grad(f)(U)
    assert value == f(U) and np.all(gradient != 0.0)
    ad.check_gradients(f, U)
    assert OUT[0] == 1.0
