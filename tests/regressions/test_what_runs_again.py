"""Checkpointed loops and segments whose names have no value, another one, or one that a loop without body leaves."""

import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline

X = np.linspace(0.3, 0.7, 5)


def index_of_a_loop_without_body(x):
    with ad.checkpoint():
        for k in range(1, 3):
            pass
        x = x * x[0] * k
    for k in range(7):
        x = x * (1.0 + 0.1 * k)
    return np.sum(x)


def shape_of_a_view_from_outside(x):
    v = x[1:4]
    for _ in ad.checkpointed(range(5), snapshots=1):
        v = v * 0.9
    for _ in ad.checkpointed(range(3), snapshots=2):
        v = v[::-1]
    return np.sum(np.sin(v))


def joined_behind_a_loop_around(x):
    s = x[0]
    for _ in ad.checkpointed(range(2), snapshots=2):
        while s < 0.3:
            s = 2.0 * s
        with ad.checkpoint():
            for _ in ad.checkpointed(range(3), snapshots=3):
                s = s * (1.0 - 0.1 * s)
    return s


def bound_on_one_path(x):
    if x[0] > 0.2:
        s = x * x
    for i in ad.checkpointed(range(3), snapshots=1):
        if i == 0 and x[0] <= 0.2:
            s = 2.0 * x
        s = s * x
    return np.sum(s)


def bound_on_one_path_of_a_segment(x):
    with ad.checkpoint():
        if x[0] > 0.2:
            s = x * x
        for i in ad.checkpointed(range(3), snapshots=1):
            if i == 0 and x[0] <= 0.2:
                s = 2.0 * x
            s = s * x
    return np.sum(s)


def bound_in_the_first_of_all_trips(x):
    for j in ad.checkpointed(range(3), snapshots=1):
        for i in ad.checkpointed(range(3), snapshots=1):
            if i == 0 and j == 0:
                s = 2.0 * x
            s = s * np.cos(s)
    return np.sum(s)


def bound_in_the_first_trip_of_a_plain_loop(x):
    with ad.checkpoint():
        for j in range(3):
            for i in ad.checkpointed(range(3), snapshots=1):
                if i == 0 and j == 0:
                    s = 2.0 * x
                s = s * np.cos(s)
    return np.sum(s)


@pytest.mark.parametrize("f", [v for v in list(globals().values()) if getattr(v, "__module__", "") == __name__], ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [X, X - 0.2], ids=["above", "below"])
def test_gradient_is_that_of_the_full_tape(f, x):
    with pipeline.switched(checkpoint="none"):
        expected = ad.grad(f)(x)
    assert np.array_equal(ad.grad(f)(x), expected)
    _, pullback = ad.vjp(f, x, wrt=0)
    assert np.array_equal(pullback(1.0), expected) and np.array_equal(pullback(1.0), expected)
