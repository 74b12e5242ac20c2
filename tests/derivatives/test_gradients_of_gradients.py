"""Gradients of gradients: closed forms, and every program of the corpus against differences of its gradient."""
import warnings

import numpy as np
import pytest

import adcompiler as ad
from tests.programs import all_programs
from tests.programs.second_order import agreement


def power(x):
    return x**7


@pytest.mark.parametrize("order, wanted", [(1, 7 * 1.3**6), (2, 42 * 1.3**5), (3, 210 * 1.3**4), (4, 840 * 1.3**3)])
def test_powers(order, wanted):
    f = power
    for _ in range(order):
        f = ad.grad(f)
    assert f(1.3) == pytest.approx(wanted, rel=1e-13)


def loop(x):
    """x ** 8 by a loop."""
    y = 1.0
    for _ in range(8):
        y = y * x
    return y


def doubling(x):
    """x ** 8 by a while loop that keeps a list."""
    kept, n = [x], 1
    while n < 8:
        kept.append(kept[-1] * kept[-1])
        n = 2 * n
    return kept.pop()


def in_place(x):
    """x ** 8 in an array."""
    a = np.ones(9)
    for k in range(1, 9):
        a[k] = a[k - 1] * x
    return a[8]


@pytest.mark.parametrize("f", [loop, doubling, in_place], ids=lambda f: f.__name__)
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_loops_to_order_four(f, order):
    wanted = np.prod(np.arange(8, 8 - order, -1)) * 1.1 ** (8 - order)
    for _ in range(order):
        f = ad.grad(f)
    assert f(1.1) == pytest.approx(wanted, rel=1e-12)


def test_several_arguments_and_values():
    def f(x, y):
        return np.sum(x * x) * y**3

    x = np.array([1.0, 2.0])
    assert ad.grad(ad.grad(f, wrt=1), wrt=1)(x, 2.0) == 5.0 * 12.0
    value, gradient = ad.value_and_grad(ad.grad(f, wrt="y"), wrt=(0, "y"))(x, 2.0)
    assert value == 5.0 * 12.0
    np.testing.assert_allclose(gradient[0], 2 * x * 12.0)
    assert gradient[1] == 5.0 * 12.0
    (first, both), pullback = ad.vjp(ad.value_and_grad(f, wrt=(0, 1)), x, 2.0, wrt=1)
    assert first == 40.0
    assert pullback((1.0, (np.array([1.0, 0.0]), 1.0))) == pytest.approx(60.0 + 24.0 + 60.0)


def test_arguments_are_unchanged():
    def f(x):
        x *= x
        return np.sum(x**3)

    x = np.array([1.0, 2.0])
    second = ad.vjp(ad.grad(f), x, wrt=0)[1](np.ones(2))
    np.testing.assert_allclose(second, 30 * x**4)
    assert x.tolist() == [1.0, 2.0]


SCALE = 2.0


def scaled(x):
    return SCALE * x**3


def test_globals_are_read_at_the_call(monkeypatch):
    second = ad.grad(ad.grad(scaled))
    assert second(1.0) == 12.0
    monkeypatch.setitem(scaled.__globals__, "SCALE", 5.0)
    assert second(1.0) == 30.0


def test_methods_and_objects():
    class Model:
        def __init__(self, k):
            self.k = k

        def energy(self, x):
            return self.k * x**4

    assert ad.grad(ad.grad(Model(2.0).energy))(1.0) == 24.0


def test_of_library_functions():
    assert ad.grad(ad.grad(np.sin))(0.5) == pytest.approx(-np.sin(0.5))


def test_text_of_the_second_derivative_reads_like_that_of_the_first():
    text = ad.differentiable(ad.grad(loop)).source("gradient", 1.1)
    assert "def grad_of_loop_gradient(x):" in text
    assert "Shadows" not in text
    assert text == ad.differentiable(ad.grad(loop)).source("gradient", 1.1)


PROGRAMS = [p for p in all_programs() if p.raises is None]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_programs(program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agreement(program)
