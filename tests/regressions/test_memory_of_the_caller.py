"""A tape stays right when the program that changes arrays of its caller runs again before the adjoint."""
import adcompiler as ad

import numpy as np
import pytest

SCRATCH = np.zeros(3)


class State:
    def __init__(self, level):
        self.level = level


def scale(s, x):
    s *= x
    s *= s
    return np.sum(s * s)


def sweep(s, x):
    for i in range(2):
        s[1:] = s[1:] * s[:-1] + x[1:]
        x = x * s[i]
    return np.sum(s * x)


def rows_of_a_view(s, x):
    tail = s[1:]
    tail *= x[1:]
    for i in range(2):
        x = x * np.sum(tail * s[i])
    return np.sum(x)


def object_state(s, x):
    s.level *= x
    for _ in range(2):
        level = s.level
        x = x * np.sum(level * level)
    return np.sum(x)


def items(s, x):
    s[0] *= x
    return np.sum(s[0] * s[0] * x)


def scratch(s, x):
    SCRATCH[:] = s * x
    SCRATCH[0] *= SCRATCH[1]
    return np.sum(SCRATCH * SCRATCH * x)


LEVEL = np.array([0.5, 1.5, -0.7])
X = np.array([1.1, 0.4, 0.9])


@pytest.mark.parametrize('function, make', [
    (scale, LEVEL.copy),
    (sweep, LEVEL.copy),
    (rows_of_a_view, LEVEL.copy),
    (object_state, lambda: State(LEVEL.copy())),
    (items, lambda: [LEVEL.copy()]),
    (scratch, LEVEL.copy),
])
def test_tape_of_an_earlier_call(function, make):
    def leaves(g):
        state = g[0].level if isinstance(g[0], State) else g[0][0] if isinstance(g[0], list) else g[0]
        return np.concatenate([state, g[1]])

    wanted = leaves(ad.grad(function, wrt=(0, 1))(make(), X.copy()))
    compiled = ad.differentiable(function, wrt=(0, 1))
    state = make()
    _, tape = compiled.forward(state, X)
    compiled.forward(state, X)
    for _ in range(2):
        np.testing.assert_allclose(leaves(compiled.adjoint(tape, retain=True)), wanted, rtol=1e-12)
        function(state, X)


@pytest.mark.parametrize("z", [np.zeros(0, complex), np.zeros((2, 0), complex)])
def test_views_of_empty_arrays_are_returned(z):
    """A view without elements has no place in the copy of what it looks into."""
    for f in (lambda z: z.imag, lambda z: z.real[::-1], lambda z: z.T):
        value, pullback = ad.vjp(f, z, wrt=0)
        assert np.shape(value) == np.shape(f(z)) and np.shape(pullback(value)) == z.shape
