"""What moves a generator of random numbers runs in generated code though nobody reads its result."""

import random

import numpy as np
import pytest

import adcompiler as ad

X = np.linspace(0.1, 0.9, 4)


def seeded(x):
    np.random.seed(3)
    return np.sum(np.sin(x) * np.random.standard_normal(4))


def unread_draw(x):
    np.random.standard_normal(2)
    return np.sum(np.sin(x) * np.random.standard_normal(4))


def state_put_back(x):
    state = np.random.get_state()
    a = np.random.standard_normal(4)
    np.random.set_state(state)
    return np.sum(np.sin(x) * a * np.random.standard_normal(4))


def of_the_standard_library(x):
    random.seed(5)
    random.gauss(0.0, 1.0)
    return np.sum(np.sin(x) * random.gauss(0.0, 1.0))


def of_an_object(x):
    rng = np.random.RandomState(2)
    rng.rand(3)
    rng.seed(4)
    rng.standard_normal(2)
    return np.sum(np.sin(x) * rng.standard_normal(4))


def seeded_in_a_segment(x):
    with ad.checkpoint():
        y = np.sin(x)
        np.random.seed(5)
        z = y * np.random.standard_normal(4)
    return np.sum(z * y)


def seeded_in_a_loop(x):
    for _ in ad.checkpointed(range(5), snapshots=2):
        x = np.sin(x) * (1.0 + 0.1 * np.random.standard_normal(4))
        np.random.seed(7)
    return np.sum(x)


FUNCTIONS = [seeded, unread_draw, state_put_back, of_the_standard_library, of_an_object, seeded_in_a_segment, seeded_in_a_loop]


def from_the_start(call):
    """The result of a call with both global generators at a known place, and what they give next."""
    np.random.seed(1)
    random.seed(1)
    return call(), np.random.random(), random.random()


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_generators_move_as_in_the_function(f):
    value, *after = from_the_start(lambda: f(X))
    (found, gradient), *after_gradient = from_the_start(lambda: ad.value_and_grad(f)(X))
    (forward, tangent), *after_tangent = from_the_start(lambda: ad.jvp(f, (X,), (np.cos(X),)))
    assert after == after_gradient == after_tangent
    np.testing.assert_allclose([found, forward], value, rtol=1e-13)
    h = 1e-6
    slope = (from_the_start(lambda: f(X + h * np.cos(X)))[0] - from_the_start(lambda: f(X - h * np.cos(X)))[0]) / (2 * h)
    np.testing.assert_allclose([tangent, np.sum(gradient * np.cos(X))], slope, rtol=1e-7)
