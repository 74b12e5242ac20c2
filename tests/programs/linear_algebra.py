"""Programs around numpy.linalg."""
import numpy as np
from numpy import array

from tests.programs.program import Program


def solve(a, b):
    x = np.linalg.solve(a, b)
    return x @ x + x[0]


def solve_matrix(a, b):
    return np.sum(np.linalg.solve(a, b) ** 2 * np.arange(1.0, 7.0).reshape(3, 2))


def inverse_entries(m):
    b = np.linalg.inv(m)
    return b[0, 1] * b[1, 1] + np.trace(b)


def log_determinant(m):
    sign, logarithm = np.linalg.slogdet(m)
    return sign * logarithm + np.linalg.det(m)


def gaussian_likelihood(m, x):
    k = m @ m.T + 2.0 * np.eye(len(x))
    lower = np.linalg.cholesky(k)
    z = np.linalg.solve(lower, x)
    return 0.5 * z @ z + np.sum(np.log(np.diag(lower)))


def cholesky_reads_lower(m):
    lower = np.linalg.cholesky(m)
    return np.sum(lower * np.arange(1.0, 10.0).reshape(3, 3))


def eigenvalues_and_vectors(m):
    w, v = np.linalg.eigh(m + m.T)
    return np.sum(w * np.array([1.0, 2.0, 4.0])) + np.sum(v[0] ** 2 * w) + (v[1, 2] * v[0, 2])


def singular_values(m):
    u, s, vt = np.linalg.svd(m, full_matrices=False)
    return np.sum(s * np.array([2.0, 1.0])) + np.sum((u * s) @ vt * np.arange(1.0, 7.0).reshape(3, 2))


def orthogonal_factor(m):
    q, r = np.linalg.qr(m)
    return np.sum(np.abs(r)) + np.sum(q * q * np.arange(1.0, 7.0).reshape(3, 2))


def norms(x, m):
    return (np.linalg.norm(x) + np.linalg.norm(m) * 2.0 + np.sum(np.linalg.norm(m, axis=1) * np.array([1.0, 2.0, 3.0]))
            + np.linalg.norm(x, 1) + np.linalg.norm(x, ord=3) + np.linalg.norm(x, np.inf))


def batched(t, b):
    x = np.linalg.solve(t, b[..., None])[..., 0]
    return np.sum(x * x) + np.sum(np.linalg.det(t)) + np.sum(np.linalg.inv(t)[:, 0, 1])


def matrix_powers(m):
    return np.sum(np.linalg.matrix_power(m, 3)) + np.sum(m @ m)


def least_squares_by_normal_equations(a, y):
    w = np.linalg.solve(a.T @ a + 0.1 * np.eye(2), a.T @ y)
    residual = a @ w - y
    return residual @ residual + w[0] * w[1]


def newton_system(x):
    for _ in range(4):
        f = np.array([x[0] ** 2 + x[1] - 3.0, x[0] * x[1] - 1.0])
        j = np.array([[2.0 * x[0], 1.0], [x[1], x[0]]])
        x = x - np.linalg.solve(j, f)
    return x[0] * 2.0 + x[1] ** 2


def power_iteration(m, v):
    for _ in range(5):
        v = m @ v
        v = v / np.linalg.norm(v)
    return v @ m @ v


def inverse_quadratic_form(m, v):
    return v @ np.linalg.inv(m) @ v + np.linalg.inv(m @ m.T)[0, 1]


def weighted_log_determinant(m):
    sign, logarithm = np.linalg.slogdet(m)
    return logarithm * sign * m[0, 0] if sign < 0 else logarithm


def qr_volume(m):
    r = np.linalg.qr(m)[1]
    return np.log(np.abs(np.prod(np.diag(r)))) + np.sum(r ** 2)


def einsum_repeated_index(x, w):
    return np.sum(np.einsum("nd,nn->d", x, w) ** 2) + np.einsum("ii", w) * np.einsum("ii->i", w)[1]


M3 = array([[2.5, -0.4, 0.3], [0.6, 2.0, -0.7], [0.2, 0.5, 1.2]])
SPD = M3 @ M3.T + np.eye(3)
M32 = array([[1.0, 0.4], [0.3, 2.0], [-0.7, 0.1]])
M2 = array([[0.5, 2.0], [1.0, -1.0]])

PROGRAMS = [
    Program(solve, (M3, array([0.7, -1.2, 2.1])), (0, 1), note="solve, vector right side"),
    Program(solve_matrix, (M3, M32), (0, 1), note="solve, matrix right side"),
    Program(inverse_entries, (M3,), note="inv of a matrix that is not symmetric"),
    Program(log_determinant, (M2,), note="slogdet with a negative determinant"),
    Program(gaussian_likelihood, (M3, array([0.7, -1.2, 2.1])), (0, 1), note="cholesky of a product"),
    Program(cholesky_reads_lower, (SPD,), (0,), note="cholesky reads the lower triangle only"),
    Program(eigenvalues_and_vectors, (M3,), note="eigh, values and vectors"),
    Program(singular_values, (M32,), note="svd"),
    Program(orthogonal_factor, (M32,), note="qr of a tall matrix"),
    Program(norms, (array([0.7, -1.2, 2.1]), M32), (0, 1), note="norms with ord and axis"),
    Program(batched, (np.stack([M3, M3.T]), array([[0.7, -1.2, 2.1], [1.0, 0.3, -0.5]])), (0, 1),
            note="stacks of matrices"),
    Program(matrix_powers, (M2,), note="matrix_power"),
    Program(least_squares_by_normal_equations, (M32, array([0.7, -1.2, 2.1])), (0, 1), note="normal equations"),
    Program(newton_system, (array([1.4, 0.6]),), note="Newton's method with a small Jacobian"),
    Program(power_iteration, (SPD, array([0.7, -1.2, 2.1])), (0, 1), note="power iteration"),
    Program(inverse_quadratic_form, (M3, array([0.7, -1.2, 2.1])), (0, 1), note="inverse in a quadratic form"),
    Program(weighted_log_determinant, (M2,), note="sign of slogdet as a condition"),
    Program(qr_volume, (M32,), note="independent of the signs that qr chooses"),
    Program(einsum_repeated_index, (M32[:2].copy(), M2), (0, 1), note="repeated index inside einsum"),
]
