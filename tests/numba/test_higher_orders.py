"""Derivatives of functions that have the Numba backend by themselves: by their decorator, or made by `numba.njit`."""

import numba
import numpy as np
import pytest

import adcompiler as ad


def cubes(x):
    return np.sum(x * x * x)


def fourth(t):
    return t**4


class Model:
    @ad.differentiable(backend="numba")
    def energy(self, x):
        return np.sum(x * x * x)


point = np.array([1.0, 2.0])
ones = np.ones(2)
FUNCTIONS = {
    "decorated": ad.differentiable(cubes, backend="numba"),
    "decorated for threads": ad.differentiable(cubes, backend="numba", vector_math=False),
    "jitted": numba.njit(cubes),
    "a method": Model().energy,
}
FORMS = {
    "hvp": lambda f: ad.hvp(f)(point, ones),
    "hessian": lambda f: ad.hessian(f)(point) @ ones,
    "jvp of a gradient": lambda f: ad.jvp(ad.grad(f), (point,), (ones,))[1],
    "vjp of a gradient": lambda f: ad.vjp(ad.grad(f), point)[1](ones)[0],
    "jacobian of a gradient": lambda f: ad.jacobian(ad.grad(f))(point) @ ones,
    "gradient of a function of the gradient": lambda f: ad.grad(lambda x: np.sum(ad.grad(f)(x)))(point),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_second_derivatives(form, function):
    np.testing.assert_allclose(form(function), 6.0 * point, rtol=1e-14)


@pytest.mark.parametrize("function", [ad.differentiable(fourth, backend="numba"), numba.njit(fourth)], ids=["decorated", "jitted"])
def test_second_and_third_derivatives_of_a_number(function):
    assert ad.grad(ad.grad(function))(2.0) == pytest.approx(48.0, rel=1e-14)
    assert ad.grad(ad.grad(ad.grad(function)))(2.0) == pytest.approx(48.0, rel=1e-14)


def test_they_are_compiled_too():
    def by_keys(x):
        squares = {k: x[k] ** 2 for k in range(len(x))}
        return sum(squares.values())

    assert np.allclose(ad.hvp(by_keys)(point, ones), 2.0 * ones)
    with pytest.raises(ad.UnsupportedSyntaxError, match="the Numba backend does not compile"):
        ad.hvp(ad.differentiable(by_keys, backend="numba"))(point, ones)
