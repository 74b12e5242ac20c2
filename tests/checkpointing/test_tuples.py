"""Arrays inside tuples that a part which runs again changes in place: they are put back where they are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline

FORMS = ("revolve", "two_level", "online", "segments", "bodies", "whole")


class State(NamedTuple):
    q: np.ndarray
    v: float


def carried(x, c, n):
    s = 0.3 + c
    pair = (x * 1.0, c)
    for _ in range(n):
        pair[0][0] += 0.1 * s
        s = s + pair[0][0] * s
        pair = (pair[0], s)
    return s + pair[0][1] + pair[0][0] + pair[1]


def made_anew(x, c, n):
    last = c
    s = 0.3 + c
    pair = (x * 1.0, c)
    y = c
    s *= 1.0 - 0.1 * c
    for _ in range(3):
        s = s + 0.1 * pair[1] * pair[0][0]
        pair[0][0] += 0.1 * s
        pair = (pair[0] * 0.9, s)
    return s + y + last


def nested(x, c, n):
    s = 0.3 + c
    pair = ((x * 1.0, x * 2.0), c)
    for _ in range(n):
        pair[0][0][0] += 0.1 * s * pair[0][1][1]
        s = s + pair[0][0][0] * s
        pair = ((pair[0][1], pair[0][0]), s)
    return s + pair[0][1][0] + pair[0][0][0] + pair[1]


def named(x, c, n):
    s = 0.3 + c
    state = State(x * 1.0, c)
    for _ in range(n):
        state.q[0] += 0.1 * s
        s = s + state.q[0] * s
        state = state._replace(v=s)
    return s + state.q[1] + state.q[0] + state.v


def under_two_names(x, c, n):
    s = 0.3 + c
    a = x * 1.0
    pair = (a[1:], c)
    for _ in range(n):
        pair[0][0] += 0.1 * s
        s = s + a[1] * s
        pair = (pair[0], s)
    return s + a[1] + pair[0][0] + pair[1]


def marked(x, c, n):
    s = 0.3 + c
    pair = (x * 1.0, c)
    for _ in ad.checkpointed(range(n), snapshots=1):
        pair[0][0] += 0.1 * s
        s = s + pair[0][0] * s
        pair = (pair[0], s)
    return s + pair[0][1] + pair[0][0] + pair[1]


def gradient(function):
    return ad.value_and_grad(function, wrt=(0, 1))(np.linspace(0.2, 0.8, 5), 0.7, 4)


def assert_equal(found, wanted):
    assert found[0] == wanted[0]
    assert found[1][0].tolist() == wanted[1][0].tolist()
    assert found[1][1] == wanted[1][1]


def by_complex_step(function):
    x, step = np.linspace(0.2, 0.8, 5), 1e-30
    return [function(x + 1j * step * unit, 0.7, 4).imag / step for unit in np.eye(5)]


@pytest.mark.parametrize("function", [carried, made_anew, nested, named, under_two_names], ids=lambda f: f.__name__)
def test_the_gradient_is_that_of_the_full_tape(function):
    wanted = gradient(function)
    np.testing.assert_allclose(wanted[1][0], by_complex_step(function), rtol=1e-12)
    for form in FORMS:
        with pipeline.switched(checkpoint=form, verify=True):
            assert_equal(gradient(function), wanted)


def test_a_loop_that_the_user_marks():
    assert_equal(gradient(marked), gradient(carried))


@ad.checkpoint
def unpacking_step(state, h):
    (a, b), v = state
    a[0] += h * v
    b *= 1.0 - h
    return (b, a), v + h * a[0]


def unpacked(x, c, n):
    state = (x * 1.0, x * x), c
    for _ in range(n):
        state = unpacking_step(state, 0.1)
    return np.sum(state[0][0] * state[0][1]) * state[1]


def test_other_names_of_arrays_from_outside_are_not_made_anew():
    wanted = by_complex_step(unpacked)
    np.testing.assert_allclose(gradient(unpacked)[1][0], wanted, rtol=1e-12)


def test_a_marked_loop_swaps_arrays():
    def in_memory(x, c, n):
        s = 0.3 + c
        pair = (x * 1.0, x * 0.5)
        for _ in ad.checkpointed(range(n), snapshots=1):
            pair[0][0] += 0.1 * s
            s = s + pair[1][0] * s
            pair = (pair[1], pair[0])
        return s + pair[0][1] + pair[0][0] + pair[1][0]

    def in_files(x, c, n):
        s = 0.3 + c
        pair = (x * 1.0, x * 0.5)
        for _ in ad.checkpointed(range(n), schedule="disk", snapshots=0, disk_snapshots=2):
            pair[0][0] += 0.1 * s
            s = s + pair[1][0] * s
            pair = (pair[1], pair[0])
        return s + pair[0][1] + pair[0][0] + pair[1][0]

    for swapped in (in_memory, in_files):
        np.testing.assert_allclose(gradient(swapped)[1][0], by_complex_step(swapped), rtol=1e-12)


def test_arrays_that_a_loop_makes_anew_and_changes_later_are_refused():
    def made(x, c, n):
        pair = (x * 1.0, c)
        for _ in ad.checkpointed(range(n)):
            pair[0][0] += 0.1 * pair[1]
            pair = (pair[0] * 0.9, pair[1] * pair[0][0])
        return pair[1] + pair[0][0]

    with pytest.raises(ad.UnsupportedSyntaxError, match="makes 'pair_0' anew, which later trips change in place"):
        gradient(made)
