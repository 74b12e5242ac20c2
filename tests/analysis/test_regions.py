"""Stores that overwrite nothing that was read keep nothing; those that do, keep it. Checked by where the tape grows,
and by gradients with and without the optimisation."""
import numpy as np
import pytest

import adcompiler as ad
from adcompiler.pipeline import switched


def history(x, n):
    u = np.zeros((n + 1, 3))
    u[0] = x
    for t in range(n):
        u[t + 1] = np.sin(u[t]) * u[t]
    return np.sum(u[n])


def triangular(x, n):
    y = np.zeros(n)
    for i in range(n):
        total = x[i % 3]
        for j in range(i):
            total -= y[j] * y[j] * 0.1
        y[i] = total / x[0]
    return np.sum(y)


def from_the_end(x, n):
    y = np.zeros(n)
    y[n - 1] = x[0]
    for i in range(n - 2, -1, -1):
        y[i] = y[i + 1] * y[i + 1] * x[1]
    return y[0]


def reversed_rows(x, n):
    y = np.ones((n, 3))
    for i in reversed(range(n - 1)):
        row = y[i + 1]
        y[i] = row * row * x
    return np.sum(y)


def prefix(x, n):
    y = np.zeros(n)
    y[0] = x[0]
    for i in range(1, n):
        y[i] = np.dot(y[:i], y[:i]) + x[1]
    return y[n - 1]


KEEPS_NOTHING = [history, triangular, from_the_end, reversed_rows, prefix]


def read_before(x, n):
    y = np.ones(n) * x[0]
    for i in range(n - 1):
        y[i + 1] = y[i + 1] * y[i + 1] * y[i]
    return np.sum(y)


def wraps_around(x, n):
    y = np.ones(n) * x[0]
    for i in range(n):
        y[i] = y[i - 1] * y[i - 1] * x[1]  # the first trip reads the last element
    return np.sum(y)


def later_trip(x, n):
    y = np.ones(n) * x[0]
    for _ in range(2):
        for i in range(1, n):
            y[i] = y[i - 1] * y[i - 1] * x[1]
    return np.sum(y)


def index_that_repeats(x, n):
    y = np.ones(n) * x[0]
    for i in range(n):
        k = i * i % 3
        y[k] = y[(k + 1) % n] * y[k] * x[1]
    return np.sum(y)


def by_a_step_that_varies(x, n):
    y = np.ones(2 * n) * x[0]
    for i in range(n):
        for j in range(i):
            y[i - j] = y[i] * y[j] * x[1]
    return np.sum(y)


def in_the_same_trip(x, n):
    y = np.ones(n) * x[0]
    total = 0.0
    for i in range(n):
        total += y[i] * y[i]
        y[i] = x[1]
    return total + np.sum(y)


def rows_read_and_columns_stored(x, n):
    y = np.ones((n, n)) * x[0]
    for i in range(n):
        y[:, i] = np.sin(y[i]) * y[i] * x[1]
    return np.sum(y)


KEEPS = [read_before, wraps_around, later_trip, index_that_repeats, by_a_step_that_varies, in_the_same_trip,
         rows_read_and_columns_stored]  # fmt: skip


def text_of(f):
    return ad.differentiable(f).source("gradient", np.ones(3), 4)


def check(f, n):
    x = np.array([0.9, 0.4, 0.7])
    found = ad.grad(f)(x, n)
    with switched(tbr=False):
        assert np.allclose(ad.grad(f)(x, n), found, rtol=1e-13, atol=1e-15)
    y, pullback = ad.vjp(f, x, n)
    for _ in range(2):
        assert np.allclose(pullback(1.0)[0], found, rtol=1e-13)
    for k, h in enumerate(1e-6 * np.eye(3)):
        assert found[k] == pytest.approx((f(x + h, n) - f(x - h, n)) / 2e-6, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("f", KEEPS_NOTHING, ids=lambda f: f.__name__)
def test_what_was_not_read_is_not_kept(f):
    assert "overwritten" not in text_of(f)
    check(f, 4)


@pytest.mark.parametrize("f", KEEPS, ids=lambda f: f.__name__)
def test_what_was_read_is_kept(f):
    assert "_overwritten" in text_of(f) or "_saved" in text_of(f)
    check(f, 4)
