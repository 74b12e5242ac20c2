"""Programs for compiled code: scalar loops, stencils, small models; each beside the same computation written for JAX."""
from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..harness import Case
from . import native_for_jax
from .factorisations import positive
from .helmholtz import helmholtz, mixture
from .loops import kepler, orbits
from .stencils import heat_2d, jacobi_1d


@dataclass(frozen=True)
class Native:
    """A program with its limits: time of JAX over ours at least, our gradient over the compiled function at most."""

    case: Case
    faster_than_jax: float | None = None
    over_primal: float | None = None
    microseconds: float | None = None
    megabytes: float | None = None  # that a gradient must move, for programs that the memory limits

    @property
    def for_jax(self):
        return getattr(native_for_jax, self.case.function.__name__)


# -- stencils ----------------------------------------------------------------------------------------------------------
def seidel_2d(A, steps):
    n = A.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = (
                    A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1]
                    + A[i, j - 1] + A[i, j] + A[i, j + 1]
                    + A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]
                ) / 9.0
    return np.sum(A)


# -- factorisations as textbook loops ----------------------------------------------------------------------------------
def lu(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]
    return np.sum(A)


def cholesky(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = math.sqrt(A[i, i])
    return np.sum(A)


def gramschmidt(A):
    m, n = A.shape
    Q = np.zeros((m, n))
    R = np.zeros((n, n))
    for k in range(n):
        norm = 0.0
        for i in range(m):
            norm += A[i, k] * A[i, k]
        R[k, k] = math.sqrt(norm)
        for i in range(m):
            Q[i, k] = A[i, k] / R[k, k]
        for j in range(k + 1, n):
            for i in range(m):
                R[k, j] += Q[i, k] * A[i, j]
            for i in range(m):
                A[i, j] -= Q[i, k] * R[k, j]
    return np.sum(R) + np.sum(Q)


def trisolv(L, b):
    n = L.shape[0]
    x = np.zeros(n)
    for i in range(n):
        total = b[i]
        for j in range(i):
            total -= L[i, j] * x[j]
        x[i] = total / L[i, i]
    return np.sum(x)


def durbin(r):
    n = r.shape[0]
    y = np.zeros(n)
    z = np.zeros(n)
    y[0] = -r[0]
    alpha = -r[0]
    beta = 1.0
    for k in range(1, n):
        beta = (1.0 - alpha * alpha) * beta
        total = 0.0
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -(r[k] + total) / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
    return np.sum(y)


# -- models ------------------------------------------------------------------------------------------------------------
def lstm(W, b, xs):
    """The sum of squares of the states of an LSTM cell, one sequence of one sample."""
    size = b.shape[0] // 4
    h = np.zeros(size)
    c = np.zeros(size)
    loss = 0.0
    for t in range(xs.shape[0]):
        gates = W[:, : xs.shape[1]] @ xs[t] + W[:, xs.shape[1] :] @ h + b
        forget = 1.0 / (1.0 + np.exp(-gates[:size]))
        enter = 1.0 / (1.0 + np.exp(-gates[size : 2 * size]))
        leave = 1.0 / (1.0 + np.exp(-gates[2 * size : 3 * size]))
        c = forget * c + enter * np.tanh(gates[3 * size :])
        h = leave * np.tanh(c)
        loss += np.sum(h * h)
    return loss


def mixture_of_gaussians(means, logits, widths, points):
    """Log likelihood of points (n, d) under a mixture of k Gaussians with diagonal covariances."""
    total = 0.0
    weights = logits - np.log(np.sum(np.exp(logits)))
    constants = weights - np.sum(np.log(widths), axis=1)
    for i in range(points.shape[0]):
        scaled = (points[i] - means) / widths
        terms = constants - 0.5 * np.sum(scaled * scaled, axis=1)
        top = np.max(terms)
        total += top + np.log(np.sum(np.exp(terms - top)))
    return total


def chain(x, y):
    a = x * y
    b = a + 1.5 * x
    c = b * b - y
    d = c / (2.0 + b * b)
    e = d - 0.5 * a
    return np.sum(e * d)


def three_operations(x, y):
    return x * y + math.sin(x)


# -- arguments ---------------------------------------------------------------------------------------------------------
def plate(n=64, steps=200):
    return np.random.default_rng(0).uniform(0.0, 1.0, (n, n)), steps


def line(n=4096, steps=200):
    return np.random.default_rng(0).standard_normal(n), steps


def lower(n=200):
    return np.tril(np.random.default_rng(0).uniform(0.0, 1.0, (n, n))) + n * np.eye(n), np.linspace(0.0, 1.0, n)


def reflections(n=200):
    return (0.3 / np.arange(1.0, n + 1.0) ** 2,)


def sequence(steps=50, size=14):
    rng = np.random.default_rng(0)
    return 0.3 * rng.standard_normal((4 * size, 2 * size)), np.zeros(4 * size), rng.standard_normal((steps, size))


def cloud(n=1000, d=10, k=25):
    rng = np.random.default_rng(0)
    return rng.standard_normal((k, d)), rng.standard_normal(k), rng.uniform(0.5, 1.5, (k, d)), rng.standard_normal((n, d))


def million(n=1_000_000):
    rng = np.random.default_rng(0)
    return rng.uniform(0.5, 1.5, n), rng.uniform(0.5, 1.5, n)


def square(n=60):
    return (np.random.default_rng(0).standard_normal((n, n)) + 2.0 * n * np.eye(n),)


PROGRAMS = (
    *[Native(Case(f"helmholtz n={n}", helmholtz, partial(mixture, n)), 10.0) for n in (8, 22, 50)],
    Native(Case("jacobi 1-D", jacobi_1d, line, (0,)), 5.0, 2.5),
    Native(Case("heat 2-D", heat_2d, plate, (0,)), 5.0, 2.5),
    Native(Case("kepler", kepler, partial(orbits, 50)), 10.0),
    Native(Case("lstm", lstm, sequence), 3.0),
    Native(Case("gaussian mixture", mixture_of_gaussians, cloud), 1.0),
    Native(Case("chain", chain, million), 5.0, megabytes=24.0),
    Native(Case("lu", lu, square, (0,)), 20.0, 4.0),
    Native(Case("cholesky", cholesky, partial(positive, 60), (0,)), 20.0, 2.5),
    Native(Case("seidel 2-D", seidel_2d, partial(plate, 40, 20), (0,)), 20.0, 2.5),
    Native(Case("gramschmidt", gramschmidt, square, (0,)), 20.0, 4.0),
    Native(Case("trisolv", trisolv, lower), 3.0, 4.0),
    Native(Case("durbin", durbin, reflections), 3.0, 4.0),
    Native(Case("scalar", three_operations, lambda: (2.0, 5.0)), microseconds=1.0),
)
