"""Scalar Python: loops over elements, a `while` until convergence, a recurrence."""
import math

import numpy as np

from ..harness import Case

SQRT2 = math.sqrt(2.0)


def kepler(M, e):
    """Kepler's equation by Newton for many planets; the number of iterations depends on the data."""
    total = 0.0
    for i in range(M.shape[0]):
        E = M[i]
        r = E - e[i] * math.sin(E) - M[i]
        while abs(r) > 1e-12:
            E = E - r / (1.0 - e[i] * math.cos(E))
            r = E - e[i] * math.sin(E) - M[i]
        total += math.cos(E)
    return total


def helmholtz_loop(x, b, A, RT):
    """The Helmholtz energy element by element."""
    n = x.shape[0]
    bx = 0.0
    for i in range(n):
        bx += b[i] * x[i]
    entropy = 0.0
    for i in range(n):
        entropy += math.log(x[i] / (1.0 - bx))
    attraction = 0.0
    for i in range(n):
        for j in range(n):
            attraction += x[i] * A[i, j] * x[j]
    mixing = math.log((1.0 + (1.0 + SQRT2) * bx) / (1.0 + (1.0 - SQRT2) * bx))
    return RT * entropy - attraction / (2.0 * SQRT2 * bx) * mixing


def recurrence(x, r, steps):
    """A damped nonlinear recurrence of one number."""
    total = 0.0
    for _ in range(steps):
        x = r * x * (1.0 - x)
        total += math.sin(x)
    return total


def portable_recurrence(xp, x, r, steps):
    total = 0.0
    for _ in range(steps):
        x = r * x * (1.0 - x)
        total = total + xp.sin(x)
    return total


def orbits(n=200):
    rng = np.random.default_rng(0)
    return rng.uniform(0.1, 3.0, n), rng.uniform(0.0, 0.7, n)


def mixture(n=30):
    rng = np.random.default_rng(0)
    A = rng.uniform(0.5, 1.5, (n, n))
    return rng.uniform(0.5, 1.5, n), rng.uniform(0.1, 0.9, n) / n, 0.5 * (A + A.T), 2.5


def start(steps=1000):
    return 0.3, 2.6, steps


CASES = (
    Case("kepler while", kepler, orbits),
    Case("helmholtz loop", helmholtz_loop, mixture),
    # Unrolled by a tracing compiler, a thousand steps take it minutes to compile: left out for jax.
    Case("recurrence", recurrence, start, portable=portable_recurrence, peers=("autograd", "torch")),
)
