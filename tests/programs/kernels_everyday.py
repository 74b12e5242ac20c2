"""Numerical programs as people write them: pivoting, dynamic programming over texts, rays, stiff kinetics."""
import math

import numpy as np

from tests.programs.program import Program


def factorised(a):
    n = a.shape[0]
    lu = a.astype(np.float64)
    rows, sign = np.arange(n), 1
    for k in range(n - 1):
        p = k + np.argmax(np.abs(lu[k:, k]))
        if p != k:
            lu[[k, p]] = lu[[p, k]]
            rows[[k, p]] = rows[[p, k]]
            sign = -sign
        if lu[k, k] == 0.0:
            continue
        lu[k + 1:, k] /= lu[k, k]
        lu[k + 1:, k + 1:] -= np.outer(lu[k + 1:, k], lu[k, k + 1:])
    return lu, rows, sign


def pivoted_solve(a, b):
    lu, rows, sign = factorised(a)
    n = len(b)
    x = b[rows]
    for i in range(1, n):
        x[i] -= lu[i, :i] @ x[:i]
    for i in range(n)[::-1]:
        x[i] -= lu[i, i + 1:] @ x[i + 1:]
        x[i] /= lu[i, i]
    return x.sum() + sign * np.prod(np.diag(lu))


def edit_distance(a: str, b: str, cost: dict, table):
    n, m = len(a), len(b)
    d = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        d[i][0] = d[i - 1][0] + cost["delete"]
    for j in range(1, m + 1):
        d[0][j] = d[0][j - 1] + cost["insert"]
    for i, p in enumerate(a, 1):
        for j, q in enumerate(b, 1):
            change = 0.0 if p == q else table[ord(p) % 4, ord(q) % 4]
            d[i][j] = min(d[i - 1][j] + cost["delete"], d[i][j - 1] + cost["insert"], d[i - 1][j - 1] + change)
    return d[n][m]


def soft_time_warp(x, y, gamma):
    before = [0.0] + [1e30] * len(y)
    for i in range(len(x)):
        row = [1e30]
        for j in range(len(y)):
            a, b, c = before[j], before[j + 1], row[j]
            least = min(a, b, c)
            s = math.exp((least - a) / gamma) + math.exp((least - b) / gamma) + math.exp((least - c) / gamma)
            row.append((x[i] - y[j]) ** 2 + least - gamma * math.log(s))
        before = row
    return before[-1]


def nearest_hit(origin, direction, centre, radius):
    offset = origin - centre
    b = offset @ direction
    inside = b * b - (offset @ offset - radius * radius)
    if inside < 0:
        return np.inf
    s = math.sqrt(inside)
    for t in (-b - s, -b + s):
        if t > 1e-4:
            return t
    return np.inf


def brightness(centre, radius, light):
    total = 0.0
    for k in range(3):
        direction = np.array([(k - 1) / 4, 0.1, 1.0])
        direction /= np.linalg.norm(direction)
        t = nearest_hit(np.zeros(3), direction, centre, radius)
        if t == np.inf:
            total += 0.2 * direction[1]
            continue
        point = t * direction
        normal = (point - centre) / radius
        to_light = light - point
        total += max(0.0, normal @ to_light / np.sqrt(to_light @ to_light))
    return total


def first_above(x, y):
    turns, found = 0, -1.0
    for v, w in ((x, 2.0), (y, 3.0), (x * y, 5)):
        turns += 1
        v = v * v
        if v > 2:
            found = v * w
            break
        else:
            turns += 10
            x = x + 1.0
    else:
        found = x * 7.0
    return found * turns


def rates(y, k):
    r1, r2, r3 = k[0] * y[0], k[1] * y[1] * y[2], k[2] * y[1] ** 2
    return np.array([-r1 + r2, r1 - r2 - r3, r3])


def slopes(y, k):
    j = np.zeros((3, 3))
    j[0] = [-k[0], k[1] * y[2], k[1] * y[1]]
    j[1, 0], j[1, 1], j[1, 2] = k[0], -k[1] * y[2] - 2 * k[2] * y[1], -k[1] * y[1]
    j[2, 1] = 2 * k[2] * y[1]
    return j


def implicit_kinetics(k, start=None, end=1.0, n=3):
    y = np.array([1.0, 0.0, 0.0]) if start is None else np.asarray(start, dtype=float)
    h = end / n
    for step in range(n):
        z = y.copy()
        for _ in range(20):
            residual = z - y - h * rates(z, k)
            if np.linalg.norm(residual) < 1e-11:
                break
            z += np.linalg.solve(np.eye(3) - h * slopes(z, k), -residual)
        else:
            raise RuntimeError(f"Newton failed at step {step}")
        y = z
    return y[0] + 10 * y[1] + y[2] ** 2


MATRIX = np.array([[0.2, 1.5, -0.3], [2.0, 0.4, 0.7], [1.0, -0.8, 1.3]])
TABLE = 1.0 + np.array([[0.1, 0.2, 0.3, 0.15], [0.25, 0.1, 0.05, 0.2], [0.3, 0.12, 0.2, 0.1], [0.2, 0.3, 0.1, 0.22]])

PROGRAMS = [
    Program(pivoted_solve, (MATRIX, np.array([1.0, 2.0, -0.5])), (0, 1), note="range(n)[::-1]; rows that change places"),
    Program(edit_distance, ("abca", "bdd", {"delete": 1.1, "insert": 0.9}, TABLE), (2, 3), note="loops over texts"),
    Program(soft_time_warp, ([0.1, 0.7, -0.3], [0.2, 0.5], 0.5), (0, 1, 2), note="min of three numbers"),
    Program(
        brightness, (np.array([0.05, 0.02, 3.0]), 1.0, np.array([2.0, 3.0, -1.0])), (0, 1, 2),
        note="return from a loop over a tuple of active values",
    ),
    *[
        Program(first_above, (x, y), (0, 1), label=f"{x}, {y}", note="break, with work before it, and else")
        for x, y in ((2.0, 1.0), (1.0, 2.0), (1.3, 1.2), (0.1, 0.2))
    ],
    Program(implicit_kinetics, (np.array([0.04, 10.0, 300.0]),), (0,), note="Newton's method that may raise"),
]
