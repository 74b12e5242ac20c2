"""A NaN in a pullback, from a zero adjoint and an infinite slope: computed again, on a tape that fits the code that reads it."""
import warnings

import numpy as np
import pytest

import adcompiler as ad

x = np.array([0.0, 3.0, 2.0])


def several_saved(x):
    h = x * x
    h = h * np.where(x > 0.0, np.sqrt(np.abs(x)), 0.0)
    return np.sum(h * h)


def order_of_sites(x):
    h = x * x
    s = np.sqrt(x)
    return np.sum(np.where(x > 0.0, s, 0.0) * h)


def in_place(x):
    a = 1.0 * x
    for k in range(2):
        a[k:] = a[k:] * np.where(x[k:] > 0.0, np.sqrt(x[k:]), 1.0)
    return np.sum(a * x)


def of_a_number(x):
    total = 0.0
    for k in range(3):
        total = total + (x[k] ** 0.5 * x[k] if x[k] > 0.0 else 0.0) * np.exp(x[k]) + np.where(x[k] > 0, np.sqrt(x[k]), 0.0)
    return total


def changes_its_argument(x):
    x *= 2.0
    h = x * x
    return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0) * h)


def draws(x):
    h = x * x
    noise = np.random.standard_normal(3)
    return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0) * h * noise) + 0.0 * np.sum(noise)


FUNCTIONS = [several_saved, order_of_sites, in_place, of_a_number, changes_its_argument, draws]


def expected(function):
    np.random.seed(3)
    state = np.random.get_state()

    def at(k, step):
        np.random.set_state(state)
        moved = x.copy()
        moved[k] += step
        return function(moved)

    return [0.0, *((at(k, 1e-6) - at(k, -1e-6)) / 2e-6 for k in (1, 2))]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("switches", [{}, {"tbr": False}, {"simplify": False}])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_every_way_to_the_adjoint_gives_the_gradient(function, switches):
    wanted = expected(function)
    differentiable = ad.differentiable(function)

    def by_tape(x):
        _, tape = differentiable.forward(x.copy())
        first = differentiable.adjoint(tape, retain=True)
        np.testing.assert_array_equal(first, differentiable.adjoint(tape))
        return first

    def by_leaf(x):
        w = ad.leaf(x)
        differentiable.record(w).backward()
        return w.grad

    def by_pullback(x):
        _, pullback = ad.vjp(function, x, wrt=0)
        first = pullback(1.0)
        np.testing.assert_array_equal(first, pullback(1.0))
        return first

    with ad.pipeline.switched(**switches), warnings.catch_warnings():
        for way in (ad.grad(function), by_pullback, by_tape, by_leaf):
            np.random.seed(3)
            got = way(x.copy())
            np.testing.assert_allclose(got[1:], wanted[1:], rtol=1e-6)
            assert np.isfinite(got[0])
