"""Indices in compiled code: proven, assumed on entry, or checked; never outside of the array."""
import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")


def both(f, *args, wrt=0):
    """The gradient through both backends, after a comparison."""
    expected = ad.value_and_grad(f, wrt=wrt)(*args)
    found = ad.value_and_grad(f, wrt=wrt, backend="numba")(*args)
    assert found[0] == pytest.approx(expected[0], rel=1e-13)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-13)
    return found


def text(f, *args):
    return ad.differentiable(f, backend="numba").source("gradient", *args)


def trace_of_products(A):
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[0]):
            total += A[i, j] * A[j, i]
    return total


def test_extents_of_the_call_are_compared_once_on_entry():
    square, wide = np.arange(9.0).reshape(3, 3), np.arange(12.0).reshape(3, 4)
    assert "checked_index" not in text(trace_of_products, square)
    both(trace_of_products, square)
    both(trace_of_products, wide)
    gradient = ad.grad(trace_of_products, backend="numba")
    for _ in range(2):  # what was assumed does not hold: compiled again, and the error is that of NumPy
        with pytest.raises(IndexError):
            gradient(np.ones((3, 2)))
        np.testing.assert_allclose(gradient(square), 2.0 * square.T)


def first_numbers(x, n):
    total = 0.0
    for i in range(n):
        total += x[i] ** 2
    return total


def test_a_count_that_the_call_gives():
    x = np.arange(4.0)
    gradient = ad.grad(first_numbers, backend="numba")
    for n in (4, 2, 0, -3):
        np.testing.assert_array_equal(gradient(x, n), ad.grad(first_numbers)(x, n))
    with pytest.raises(IndexError):
        gradient(x, 5)
    np.testing.assert_array_equal(gradient(x, 3), [0.0, 2.0, 4.0, 0.0])


def at_one_place(x, k):
    y = x * 2.0
    y[k] = y[k] * y[k - 1]
    return np.sum(y)


@pytest.mark.parametrize("k", [0, 2, -1, -2])
def test_an_index_from_either_end(k):
    both(at_one_place, np.arange(1.0, 4.0), k)


@pytest.mark.parametrize("k", [3, -3, -4, 100])
def test_an_index_outside_is_an_error(k):
    with pytest.raises(IndexError):
        ad.grad(at_one_place, backend="numba")(np.arange(1.0, 4.0), k)


def linear_at(x, k):
    return 3.0 * x[k]


def test_an_index_outside_is_an_error_where_the_value_is_not_needed():
    with pytest.raises(IndexError):
        ad.grad(linear_at, backend="numba")(np.ones(3), 3)
    f = ad.differentiable(linear_at, backend="numba")
    with pytest.raises(IndexError):
        f.forward(np.ones(3), -4)
    with pytest.raises(IndexError):
        ad.jvp(f, (np.ones(3), 7), (np.ones(3), None))
    value, tape = f.forward(np.ones(3), -3)
    np.testing.assert_array_equal(f.adjoint(tape), [3.0, 0.0, 0.0])


def gathered(x, places):
    return np.sum(x[places] ** 2)


def test_index_arrays():
    x = np.arange(1.0, 5.0)
    both(gathered, x, np.array([0, -1, 3, 0]))
    for outside in ([4], [0, -5]):
        with pytest.raises(IndexError):
            ad.grad(gathered, backend="numba")(x, np.array(outside))


@pytest.mark.parametrize("length", [3, 5])
def test_a_mask_of_another_length_is_an_error(length):
    with pytest.raises(IndexError):
        gathered(np.ones(4), np.zeros(length, bool))
    with pytest.raises(IndexError):
        ad.grad(gathered, backend="numba")(np.ones(4), np.zeros(length, bool))
    both(gathered, np.ones(4), np.array([True, False, True, True]))


def first_and_last(x):
    return x[0] * x[-1] + x[1]


def test_constant_indices():
    both(first_and_last, np.arange(2.0, 4.0))
    with pytest.raises(IndexError):
        ad.grad(first_and_last, backend="numba")(np.ones(1))


def walked(x, n):
    i, total = 0, 0.0
    while i < n:
        total += x[i] * x[n - 1 - i]
        i += 2
    return total


def test_an_index_that_a_while_loop_counts():
    both(walked, np.arange(1.0, 6.0), 5)
    with pytest.raises(IndexError):
        ad.grad(walked, backend="numba")(np.ones(3), 6)


def sorted_elsewhere(x, y):
    return np.sum(x[np.argsort(y)] * np.arange(3.0))


def test_an_order_of_another_array():
    both(sorted_elsewhere, np.array([1.0, 2.0, 3.0]), np.array([2.0, 0.0, 1.0]))
    with pytest.raises(IndexError):
        ad.grad(sorted_elsewhere, backend="numba")(np.ones(2), np.array([2.0, 0.0, 1.0]))


def turned(r):
    n = r.shape[0]
    y = np.zeros(n)
    for k in range(n):
        for i in range(k):
            y[k] += r[k - i - 1] * r[k - i] * r[i]
    return np.sum(y * r)


def test_a_difference_to_the_end_of_the_loop():
    assert "checked_index" not in text(turned, np.ones(4))
    both(turned, np.arange(1.0, 6.0))


def moved_on(r, k):
    i, total = 7, 0.0
    while k > 0:
        if i < 5:
            total += r[k - i]  # i is that of the loop before, and k another one by now
        for i in range(k):
            total += r[k - 1 - i] * r[i]
        k -= 1
    return total


def test_a_difference_behind_the_loop_is_checked():
    both(moved_on, np.arange(1.0, 6.0), 4)
    assert "checked_index" in text(moved_on, np.ones(5), 4).partition("total_bar")[0]


def searched(x, limit):
    total, n = 0.0, 0
    while total < limit:
        total += x[n % x.shape[0]] ** 2 * (1.0 + 0.01 * n)
        n += 1
        if n > 300:
            break
    return total * x[0]


@pytest.mark.parametrize("limit", [0.0, 0.5, 60.0, 63.0, 200.0, 1e9])
def test_the_tape_of_a_while_loop_of_any_length(limit):
    both(searched, np.array([0.6, 1.1, 0.9]), limit)
