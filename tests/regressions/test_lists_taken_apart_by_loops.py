"""`for p, q in rows` over a list of lists: the adjoint of an item is found by its list, which has a name for that."""
import numpy as np
import pytest

import adcompiler as ad

X = np.array([0.5, -1.1, 0.8, 1.4])


def in_a_generator(x):
    rows = [[0.0, 1.0], [2.0, 3.0]]
    rows.append([x[0], x[1]])
    rows[0][1] = x[2]
    return sum(p * q for p, q in rows) * x[3]


def beside_others(x):
    rows = [[x[0], x[1]], [2.0, x[2]]]
    rows.append([x[3], x[1]])
    s = 0.0
    for i, (p, q) in enumerate(rows):
        s += p * q * i
    for (p, q), (u, v) in zip(rows, rows[1:]):
        s += p * v - u * q
    for (p, q), w in zip(rows, x):
        s *= p * w + q
    for a, (b, c) in [[x[0], [x[1], x[2]]], [x[3], [1.0, s]]]:
        s += a * b * c
    return s


def views_that_change(x):
    y = x * 1.0
    total = 0.0
    for a, b in [[y[:2], y[2:]], [y[1:3], x[:2] * 2.0]]:
        total += (a * b).sum()
        a *= b
    return total + y.sum()


def grown_while_read(x):
    points = [[0.0, 0.0]]
    for i in range(3):
        px, py = points[-1]
        points.append([px + x[i], py + px * x[i + 1]])
    area = 0.0
    for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1]):
        area += x0 * y1 - x1 * y0
    for p_q in points:  # the name that is made for `p, q` is another one
        p_q[0] *= 2.0
    for p, q in points:
        for r, s in points:
            area += p * s - q * r * p
    return area


@pytest.mark.parametrize("function", (in_a_generator, beside_others, views_that_change, grown_while_read))
def test_first_order(function):
    gradient = ad.grad(function)
    expected = [(function(X + 1e-6 * e) - function(X - 1e-6 * e)) / 2e-6 for e in np.eye(4)]
    for found in (gradient(X), ad.grad(function, mode="forward")(X), ad.grad(function, checkpoint="auto")(X)):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("function", (in_a_generator, views_that_change))
def test_second_order(function):
    v, gradient = np.array([1.0, 2.0, -1.0, 0.5]), ad.grad(function)
    second = (gradient(X + 1e-6 * v) - gradient(X - 1e-6 * v)) / 2e-6
    for found in (ad.hvp(function)(X, v), ad.vjp(gradient, X, wrt=0)[1](v)):
        np.testing.assert_allclose(found, second, rtol=1e-6, atol=1e-8)
