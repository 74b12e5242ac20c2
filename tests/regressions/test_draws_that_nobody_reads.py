"""Statements that set or move the state of NumPy's global generator are kept, also where nobody reads what they give."""
import numpy as np
import pytest

import adcompiler as ad


def seeded(a):
    np.random.seed(5)
    return np.sum(a * np.random.normal(a, 1.0, 3))


def one_draw_before(a):
    np.random.standard_normal(3)
    return a * np.random.normal(0.0, 1.0)


def unread_name(a):
    unused = np.random.randint(0, 5, 4)  # noqa: F841
    return a * np.random.normal(0.0, 1.0)


def in_a_loop(a):
    total = 0.0
    for k in range(3):
        np.random.seed(k)
        np.random.random()
        total += a * np.random.normal(a, 1.0)
    return total


def in_a_segment(a):
    with ad.checkpoint():
        np.random.seed(2)
        np.random.standard_normal(2)
        y = a * np.random.normal(a, 1.0)
    return y * y


@pytest.mark.parametrize("f", [seeded, one_draw_before, unread_name, in_a_loop, in_a_segment])
def test_the_state_of_the_generator_is_that_of_the_program(f):
    np.random.seed(11)
    wanted = f(2.0)
    after = np.random.random()
    for run in (lambda: ad.value_and_grad(f)(2.0)[0], lambda: ad.jvp(f, (2.0,), (1.0,))[0], lambda: ad.vjp(f, 2.0, wrt=0)[0]):
        np.random.seed(11)
        assert run() == pytest.approx(wanted, rel=1e-14)
    np.random.seed(11)
    ad.differentiable(f).forward(2.0)
    assert np.random.random() == after

    def at(h):
        np.random.seed(11)
        return f(2.0 + h)

    np.random.seed(11)
    assert ad.grad(f)(2.0) == pytest.approx((at(1e-6) - at(-1e-6)) / 2e-6, rel=1e-6)
