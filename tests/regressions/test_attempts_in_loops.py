"""A `try` in a loop that binds an active name to a constant: what the walk before it was taken apart saw does not stay."""

from __future__ import annotations

import contextlib

import pytest

import adcompiler as ad


def handled(x, n):
    for _ in range(n):
        try:
            x = 0.5
        except ValueError:
            pass
    return x * x


def finished(x, n):
    steps = 0
    while steps < n:
        try:
            x = 0.5
        finally:
            steps += 1
    return x**2


def suppressed(x, n):
    for k in range(n):
        with contextlib.suppress(ValueError):
            x = 0.5 * k
    return x**2


def nested(x, n):
    for _ in range(n):
        for _ in range(2):
            try:
                x = 0.5
            except ValueError:
                pass
        for k in range(1):
            x = x * 2.0
    return x**2


@pytest.mark.parametrize("function", [handled, finished, suppressed, nested], ids=lambda f: f.__name__)
def test_the_old_value_stays_where_the_loop_makes_no_trip(function):
    assert ad.grad(function)(-0.6, 0) == -1.2
    assert ad.grad(function)(-0.6, 2) == 0.0
    assert ad.jvp(lambda x: function(x, 0), (-0.6,), (1.0,)) == (0.36, -1.2)
