"""Textbook linear algebra, with slices and as scalar loops."""
import numpy as np

from tests.programs.program import Program


def weighted(a):
    return np.sum(a * np.cos(np.arange(1.0, a.size + 1.0)).reshape(a.shape))


def lu_slices(a):
    a = a.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return weighted(a)


def lu_loops(a):
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] = a[i, k] / a[k, k]
            for j in range(k + 1, n):
                a[i, j] = a[i, j] - a[i, k] * a[k, j]
    return weighted(a)


def lu_rank_one(a):
    n = a.shape[0]
    for k in range(n - 1):
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])
    return weighted(a)


def lu_with_pivots(a):
    a = a.copy()
    n = a.shape[0]
    sign = 1.0
    for k in range(n):
        pivot = k + np.argmax(np.abs(a[k:, k]))
        if pivot != k:
            a[[k, pivot]] = a[[pivot, k]]
            sign = -sign
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i, k:] -= factor * a[k, k:]
    determinant = sign
    for k in range(n):
        determinant *= a[k, k]
    return determinant


def cholesky_slices(a):
    a = a.copy()
    n = a.shape[0]
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, n):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])
    return weighted(a)


def cholesky_loops(a):
    n = a.shape[0]
    lower = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= lower[i, k] * lower[j, k]
            if i == j:
                lower[i, i] = s ** 0.5
            else:
                lower[i, j] = s / lower[j, j]
    return weighted(lower)


def gram_schmidt_slices(a):
    m, n = a.shape
    q, r = np.zeros_like(a), np.zeros((n, n))
    for k in range(n):
        nrm = np.dot(a[:, k], a[:, k])
        r[k, k] = np.sqrt(nrm)
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, n):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return weighted(q) + weighted(r)


def gram_schmidt_loops(a):
    m, n = a.shape
    q = a.copy()
    for k in range(n):
        for j in range(k):
            s = 0.0
            for i in range(m):
                s += q[i, j] * q[i, k]
            for i in range(m):
                q[i, k] -= s * q[i, j]
        norm = 0.0
        for i in range(m):
            norm += q[i, k] * q[i, k]
        norm = norm ** 0.5
        for i in range(m):
            q[i, k] /= norm
    return weighted(q)


def trisolv_slices(lower, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return weighted(x)


def back_substitution_loops(upper, b):
    x = b.copy()
    for i in range(len(b) - 1, -1, -1):
        for j in range(i + 1, len(b)):
            x[i] -= upper[i, j] * x[j]
        x[i] /= upper[i, i]
    return weighted(x)


def thomas(a, b, c, d):
    n = len(d)
    b, d = b.copy(), d.copy()
    for i in range(1, n):
        w = a[i - 1] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]
    x = np.empty(n)
    x[-1] = d[-1] / b[-1]
    for i in range(n - 2, -1, -1):
        x[i] = (d[i] - c[i] * x[i + 1]) / b[i]
    return weighted(x)


def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return weighted(y)


def durbin_loops(r):
    n = len(r)
    y, z = np.zeros(n), np.zeros(n)
    y[0] = -r[0]
    beta, alpha = 1.0, -r[0]
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
    return weighted(y)


def gemver(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    a += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ a + z
    w += alpha * a @ x
    return np.sum(w * x) + np.sum(a * a)


def symmetric_rank_update(c, a, alpha, beta):
    for i in range(a.shape[0]):
        c[i, :i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, :i + 1] += alpha * a[i, k] * a[:i + 1, k]
    return weighted(c)


def triangular_product(a, b):
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1:, i], b[i + 1:, j])
    b *= 1.5
    return weighted(b)


def correlation(data):
    mean = np.mean(data, axis=0)
    deviation = np.std(data, axis=0)
    deviation[deviation <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(data.shape[0]) * deviation
    n = data.shape[1]
    corr = np.eye(n)
    for i in range(n - 1):
        corr[i + 1:, i] = corr[i, i + 1:] = data[:, i] @ data[:, i + 1:]
    return weighted(corr)


def matrix_product_loops(a, b):
    n, m = a.shape
    p = b.shape[1]
    c = np.zeros((n, p))
    for i in range(n):
        for j in range(p):
            for k in range(m):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(c * c)


def soft_shortest_paths(path):
    n = path.shape[0]
    for k in range(n):
        path[:] = -np.logaddexp(-path, -np.add.outer(path[:, k], path[k, :]))
    return weighted(path)


def shortest_paths(path):
    n = path.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if path[i, k] + path[k, j] < path[i, j]:
                    path[i, j] = path[i, k] + path[k, j]
    return weighted(path)


def conjugate_gradients(a, b, steps):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rr = r @ r
    for _ in range(steps):
        ap = a @ p
        alpha = rr / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        if new < 1e-14:
            break
        p = r + new / rr * p
        rr = new
    return weighted(x)


def householder(a):
    a = a.copy()
    m, n = a.shape
    for k in range(n):
        v = a[k:, k].copy()
        v[0] += np.sign(v[0]) * np.linalg.norm(v)
        v /= np.linalg.norm(v)
        a[k:, k:] -= 2.0 * np.outer(v, v @ a[k:, k:])
    return weighted(np.triu(a))


def jacobi_rotation_sweeps(a):
    n = a.shape[0]
    for p in range(n - 1):
        for q in range(p + 1, n):
            if abs(a[p, q]) > 1e-12:
                theta = 0.5 * np.arctan2(2.0 * a[p, q], a[q, q] - a[p, p])
                c, s = np.cos(theta), np.sin(theta)
                row_p, row_q = a[p].copy(), a[q].copy()
                a[p], a[q] = c * row_p - s * row_q, s * row_p + c * row_q
                column_p, column_q = a[:, p].copy(), a[:, q].copy()
                a[:, p] = c * column_p - s * column_q
                a[:, q] = s * column_p + c * column_q
    return weighted(a)


A = np.array([[4.0, 1.0, 0.5, -0.3], [0.7, 3.5, -0.6, 0.2], [0.4, -0.9, 5.0, 0.8], [1.1, 0.3, 0.6, 4.2]])
SPD = A @ A.T / 4.0
B = np.array([0.7, -1.2, 2.1, 0.4])
TALL = np.array([[1.0, 0.4, 0.2], [0.3, 2.0, -0.5], [-0.7, 0.1, 1.5], [0.6, -0.8, 0.9]])
PATHS = np.array([[0.0, 3.1, 8.3, 4.7], [2.6, 0.0, 1.9, 9.4], [7.7, 4.9, 0.0, 1.3], [1.1, 6.2, 5.8, 0.0]])

PROGRAMS = [
    Program(lu_slices, (A,), note="dot products of slices, divisor in the same array"),
    Program(lu_loops, (A,), note="scalar loops"),
    Program(lu_rank_one, (A,), note="outer-product updates of a trailing block"),
    Program(lu_with_pivots, (A[::-1].copy(),), note="row exchanges through integer lists"),
    Program(cholesky_slices, (SPD,), note="dot products of slices, square roots in place"),
    Program(cholesky_loops, (SPD,), note="scalar loops, result in a new matrix"),
    Program(gram_schmidt_slices, (TALL,), note="columns of the argument updated"),
    Program(gram_schmidt_loops, (TALL,), note="scalar loops"),
    Program(trisolv_slices, (A, B), (0, 1), note="zero-length products in the first pass"),
    Program(back_substitution_loops, (A, B), (0, 1), note="loop downwards"),
    Program(thomas, (B[:3].copy(), A.diagonal().copy(), B[1:].copy(), B), (0, 1, 2, 3), note="tridiagonal solver"),
    Program(durbin, (B * 0.3,), note="y[:k] += a * flip(y[:k])"),
    Program(durbin_loops, (B * 0.3,), note="scalar loops with a second buffer"),
    Program(gemver, (1.5, 1.2, A, B, B * 0.5, B + 1.0, B - 0.5, B * 2.0, B * B, B + 0.3, B - 1.0),
            tuple(range(11)), note="eleven arguments, three of them mutated"),
    Program(symmetric_rank_update, (A, TALL[:, :2].copy(), 1.5, 1.2), (0, 1, 2, 3), note="triangle by rows"),
    Program(triangular_product, (A, TALL), (0, 1), note="rows read below the one that is written"),
    Program(correlation, (TALL * 2.0,), note="mask store, op= with broadcasting, row and column stores"),
    Program(matrix_product_loops, (TALL, TALL[:3, :2].copy()), (0, 1), note="three loops"),
    Program(soft_shortest_paths, (PATHS,), note="smooth variant of all shortest paths"),
    Program(shortest_paths, (PATHS + 0.5 * np.eye(4),), note="branches decide what is written"),
    Program(conjugate_gradients, (SPD, B, 3), (0, 1), note="op= on arrays, ratio of carried scalars"),
    Program(householder, (TALL,), note="reflections of a trailing block"),
    Program(jacobi_rotation_sweeps, (SPD,), note="two rows stored at once"),
]
