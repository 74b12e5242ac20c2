"""Arrays that compiled loops make in each trip: rows of one block on the tape, scratch arrays in front of the loop."""
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
