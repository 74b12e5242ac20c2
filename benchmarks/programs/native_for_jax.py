"""The programs of `native` as one writes them for JAX: compiled loops instead of Python loops, `at[].set` for stores.

Inner loops whose bounds depend on an outer index run over the whole axis with a mask, since JAX does not differentiate
loops of unknown length in reverse.
"""
from __future__ import annotations

import math


def helmholtz(jax, x, b, A, RT):
    np = jax.numpy
    root = math.sqrt(2.0)
    bx = b @ x
    attraction = x @ (A @ x) / (2.0 * root * bx)
    mixing = np.log((1.0 + (1.0 + root) * bx) / (1.0 + (1.0 - root) * bx))
    return RT * np.sum(np.log(x / (1.0 - bx))) - attraction * mixing


def jacobi_1d(jax, u, steps):
    step = lambda _, u: u.at[1:-1].set(0.33 * (u[:-2] + u[1:-1] + u[2:]))  # noqa: E731
    u = jax.lax.fori_loop(0, steps, step, u)
    return jax.numpy.sum(u * u)


def heat_2d(jax, u, steps):
    def step(_, u):
        w = u[1:-1, 1:-1]
        spread = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * w
        return u.at[1:-1, 1:-1].set(w + 0.1 * spread + 0.05 * w * (1.0 - w))

    u = jax.lax.fori_loop(0, steps, step, u)
    return jax.numpy.sum(u * u)


def kepler(jax, M, e, iterations=10):
    np = jax.numpy

    def step(_, E):
        r = E - e * np.sin(E) - M
        return np.where(abs(r) > 1e-12, E - r / (1.0 - e * np.cos(E)), E)

    return np.sum(np.cos(jax.lax.fori_loop(0, iterations, step, M)))


def lstm(jax, W, b, xs):
    np = jax.numpy
    size = b.shape[0] // 4
    sigmoid = lambda v: 1.0 / (1.0 + np.exp(-v))  # noqa: E731

    def cell(state, x):
        h, c = state
        gates = W[:, : xs.shape[1]] @ x + W[:, xs.shape[1] :] @ h + b
        forget, enter, leave, new = np.split(gates, 4)
        c = sigmoid(forget) * c + sigmoid(enter) * np.tanh(new)
        h = sigmoid(leave) * np.tanh(c)
        return (h, c), np.sum(h * h)

    return np.sum(jax.lax.scan(cell, (np.zeros(size), np.zeros(size)), xs)[1])


def mixture_of_gaussians(jax, means, logits, widths, points):
    np = jax.numpy
    constants = logits - np.log(np.sum(np.exp(logits))) - np.sum(np.log(widths), axis=1)
    scaled = (points[:, None, :] - means) / widths
    return np.sum(jax.scipy.special.logsumexp(constants - 0.5 * np.sum(scaled * scaled, axis=2), axis=1))


def chain(jax, x, y):
    a = x * y
    b = a + 1.5 * x
    c = b * b - y
    d = c / (2.0 + b * b)
    e = d - 0.5 * a
    return jax.numpy.sum(e * d)


def seidel_2d(jax, A, steps):
    np, n = jax.numpy, A.shape[0]

    def element(k, A):
        i, j = 1 + k // (n - 2), 1 + k % (n - 2)
        around = jax.lax.dynamic_slice(A, (i - 1, j - 1), (3, 3))
        return A.at[i, j].set(np.sum(around) / 9.0)

    A = jax.lax.fori_loop(0, steps, lambda _, A: jax.lax.fori_loop(0, (n - 2) ** 2, element, A), A)
    return np.sum(A)


def lu(jax, A):
    np, n = jax.numpy, A.shape[0]
    at = np.arange(n)

    def row(i, A):
        def lower(j, A):
            new = (A[i, j] - np.sum(np.where(at < j, A[i] * A[:, j], 0.0))) / A[j, j]
            return A.at[i, j].set(np.where(j < i, new, A[i, j]))

        def upper(j, A):
            new = A[i, j] - np.sum(np.where(at < i, A[i] * A[:, j], 0.0))
            return A.at[i, j].set(np.where(j >= i, new, A[i, j]))

        return jax.lax.fori_loop(0, n, upper, jax.lax.fori_loop(0, n, lower, A))

    return np.sum(jax.lax.fori_loop(0, n, row, A))


def cholesky(jax, A):
    np, n = jax.numpy, A.shape[0]
    at = np.arange(n)

    def row(i, A):
        def lower(j, A):
            new = (A[i, j] - np.sum(np.where(at < j, A[i] * A[j], 0.0))) / A[j, j]
            return A.at[i, j].set(np.where(j < i, new, A[i, j]))

        A = jax.lax.fori_loop(0, n, lower, A)
        return A.at[i, i].set(np.sqrt(A[i, i] - np.sum(np.where(at < i, A[i] * A[i], 0.0))))

    return np.sum(jax.lax.fori_loop(0, n, row, A))


def gramschmidt(jax, A):
    np = jax.numpy
    m, n = A.shape

    def column(k, state):
        A, Q, R = state
        R = R.at[k, k].set(np.sqrt(A[:, k] @ A[:, k]))
        Q = Q.at[:, k].set(A[:, k] / R[k, k])

        def other(j, state):
            A, R = state
            r = np.where(j > k, Q[:, k] @ A[:, j], 0.0)
            R = R.at[k, j].set(np.where(j > k, r, R[k, j]))
            return A.at[:, j].add(-Q[:, k] * r), R

        A, R = jax.lax.fori_loop(0, n, other, (A, R))
        return A, Q, R

    _, Q, R = jax.lax.fori_loop(0, n, column, (A, np.zeros((m, n)), np.zeros((n, n))))
    return np.sum(R) + np.sum(Q)


def trisolv(jax, L, b):
    np, n = jax.numpy, L.shape[0]
    at = np.arange(n)
    row = lambda i, x: x.at[i].set((b[i] - np.sum(np.where(at < i, L[i] * x, 0.0))) / L[i, i])  # noqa: E731
    return np.sum(jax.lax.fori_loop(0, n, row, np.zeros(n)))


def durbin(jax, r):
    np, n = jax.numpy, r.shape[0]
    at = np.arange(n)

    def step(k, state):
        y, alpha, beta = state
        beta = (1.0 - alpha * alpha) * beta
        inside, turned = at < k, y[(k - 1 - at) % n]
        alpha = -(r[k] + np.sum(np.where(inside, r[(k - 1 - at) % n] * y, 0.0))) / beta
        return np.where(inside, y + alpha * turned, y).at[k].set(alpha), alpha, beta

    y, _, _ = jax.lax.fori_loop(1, n, step, (np.zeros(n).at[0].set(-r[0]), -r[0], np.ones(())))
    return np.sum(y)


def three_operations(jax, x, y):
    return x * y + jax.numpy.sin(x)
