"""Arrays that compiled loops make in each trip: rows of one block on the tape, scratch arrays in front of the loop."""
import re

import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")


def agree(f, *args):
    expected = ad.value_and_grad(f)(*args)
    found = ad.value_and_grad(f, backend="numba")(*args)
    assert found[0] == pytest.approx(expected[0], rel=1e-12)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-11, atol=1e-12)


def text(f, *args):
    return ad.differentiable(f, backend="numba").source("gradient", *args)


def recurrence(x, n):
    y = x
    for _ in range(n):
        z = np.tanh(y)
        y = z * np.sin(y) + x
    return np.sum(y)


def parts(x, n):
    total = 0.0
    for k in range(n):
        a = np.exp(x[:2] * k)
        b = np.sin(x[2:]) * np.sum(a)
        total += np.sum(b * b) + a[0]
        x = x * 0.9
    return total


def ends_early(x, n):
    total = 0.0
    for k in range(n):
        y = np.sin(x * (k + 1))
        z = y * y * y
        total += np.sum(z)
        if total > 1.5:
            break
    return total


def growing(x, n):
    total = 0.0
    for k in range(n):
        y = np.sin(x[: k + 1])
        total += np.sum(y * y * y)
    return total


def made_in_an_inner_loop(x, n):
    total = 0.0
    for k in range(n):
        for _ in range(k):
            x = np.sin(x) * x
        total += np.sum(x)
    return total


def kept_and_changed(x, n):
    total = 0.0
    for k in range(n):
        y = np.sin(x)
        z = y * y
        y[0] = z[1]
        x = y * z + 0.1 * k
        total += np.sum(x * y)
    return total


def returned_as_well(x, n):
    y = x
    for _ in range(n):
        y = np.exp(-y * y)
    return np.sum(y * y), y


def index_changed_inside(x, n):
    total = 0.0
    for k in range(n):
        k = k * 2 + 1
        y = np.sin(x * k)
        z = np.cos(y) * y
        total += np.sum(z * z) * k
    return total


PROGRAMS = (index_changed_inside, recurrence, parts, ends_early, growing, made_in_an_inner_loop, kept_and_changed)


@pytest.mark.parametrize("trips", [0, 1, 4])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f, trips):
    agree(f, np.linspace(0.2, 1.1, 5), trips)


def heat(u, steps):
    for _ in range(steps):
        w = u[1:-1, 1:]
        spread = u[:-2, 1:] + u[2:, 1:] + u[1:-1, :-1] - 4.0 * w
        u[1:-1, 1:] = w + 0.1 * spread + 0.05 * w * (1.0 - w)
    return np.sum(u * u)


def summed_as_well(u, steps):
    total = 0.0
    for k in range(steps):
        total += np.sum(u * u) * k
        u[1:, 1:] = u[1:, 1:] * u[:-1, 1:] * u[:-1, :-1] * 0.7
    return np.sum(u * u) + total


def with_an_edge(u, steps):
    for k in range(steps):
        w = u[:-1, 1:]
        u[:-1, 1:] = w * (1.0 - w) * u[1:, :-1]
        u[0] = 0.3 + 0.1 * k
    return np.sum(u * u)


def stored_beside(u, steps):
    for _ in range(steps):
        w = u[:-1, :-1]
        u[1:, 1:] = w * w + 0.1 * u[1:, :-1]
    return np.sum(u * u)


def through_a_view(u, steps):
    edge = u[1:]
    for _ in range(steps):
        w = u[1:, 1:]
        u[1:, 1:] = w * w * u[:-1, :-1] * 0.9
        edge[:, 0] = 0.5 * edge[:, 1]
    return np.sum(u * u)


def two_fields(u, steps):
    v = 0.5 * u
    for _ in range(steps):
        w = u[1:, 1:]
        u[1:, 1:] = w * w * v[:-1, 1:]
        z = v[:, 1:]
        v[:, 1:] = z * (1.0 - z) + 0.1 * u[:, :-1]
    return np.sum(u * v)


def changed_in_turn(u, steps):
    v = 0.5 * u
    for _ in range(steps):
        w = u[1:, 1:]
        v[1:, 1:] = w * w * v[:-1, 1:]
        u, v = v, u
    return np.sum(u * v)


def history(u, steps):
    kept = np.zeros((steps, u.shape[0] - 1, u.shape[1] - 1))
    for k in range(steps):
        row = kept[k]
        row[:] = u[1:, 1:]
        w = u[1:, 1:]
        u[1:, 1:] = w * w * u[:-1, :-1] + 0.1 * w
    return np.sum(kept * kept)


FIELDS = (heat, summed_as_well, with_an_edge, stored_beside, through_a_view, two_fields, changed_in_turn, history)


@pytest.mark.parametrize("trips", [0, 1, 4])
@pytest.mark.parametrize("f", FIELDS, ids=lambda f: f.__name__)
def test_fields(f, trips):
    agree(f, np.random.default_rng(3).uniform(0.2, 0.9, (5, 7)), trips)
    agree(f, np.random.default_rng(4).uniform(0.2, 0.9, (2, 2)), trips)
    agree(heat, np.random.default_rng(4).uniform(0.2, 0.9, (1, 1)), trips)


def test_a_new_state_is_written_to_the_tape():
    for f in (heat, summed_as_well):
        written = text(f, np.ones((5, 7)), 3)
        assert len(re.findall(r"_saved\[np\.uintp\(\w+ \+ 1\)\]", written)) == 1 and written.count("_saved[0, ") == 1
    for f in (with_an_edge, stored_beside, through_a_view, changed_in_turn, history):
        assert "_saved[0, " not in text(f, np.ones((5, 7)), 3)


def test_a_negative_count_makes_no_trip():
    agree(recurrence, np.linspace(0.2, 1.1, 5), -2)


def test_arrays_on_the_tape_are_rows_of_a_block():
    written = text(recurrence, np.ones(5), 3)
    assert "z_saved = np.empty((max(n, 0), x.shape[0])" in written and "z_saved.append" not in written
    assert "append" in text(ends_early, np.ones(5), 3)
    assert "append" in text(growing, np.ones(5), 3)


def test_results_share_no_memory_with_the_tape():
    f = ad.value_and_grad(returned_as_well, backend="numba", has_aux=True)
    (_, first), gradient = f(np.linspace(0.2, 1.1, 5), 3)
    kept = first.copy()
    (_, second), _ = f(np.linspace(0.3, 1.2, 5), 3)
    np.testing.assert_array_equal(first, kept)
    assert not np.shares_memory(first, second) and not np.shares_memory(first, gradient)
