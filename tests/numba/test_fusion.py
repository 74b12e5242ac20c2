"""Loops over arrays that become one, arrays that become numbers, loops that turn round: same numbers as NumPy's."""
import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")


def agree(f, *args, wrt=0):
    expected = ad.value_and_grad(f, wrt=wrt)(*args)
    found = ad.value_and_grad(f, wrt=wrt, backend="numba")(*args)
    assert found[0] == pytest.approx(expected[0], rel=1e-13)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-13)


def text(f, *args):
    return ad.differentiable(f, backend="numba").source("gradient", *args)


def chain(x, y):
    a = x * y
    b = a + 1.5 * x
    c = b * b - y
    d = c / (2.0 + b * b)
    return np.sum((d - 0.5 * a) * d)


def test_a_chain_is_one_loop_without_arrays_in_between():
    x, y = np.linspace(0.1, 1.0, 5), np.linspace(1.0, 2.0, 5)
    written = text(chain, x, y)
    assert written.count("for ") == written.count("# for ") + 1
    assert written.count("np.empty") == 1
    agree(chain, x, y)
    agree(chain, np.ones(0), np.ones(0))
    agree(chain, np.linspace(0.1, 1.0, 5), np.array([0.7]))


def steps_in_place(u, n):
    for _ in range(n):
        spread = u[:-2] + u[2:] - 2.0 * u[1:-1]
        slope = u[2:] - u[:-2]
        u[1:-1] += 0.1 * spread * slope
    return np.sum(u * u)


def moved_between(x):
    y = x * x
    z = y[1:] * x[:-1]  # y at another place
    y = z + 1.0
    w = y * z
    return np.sum(w) + np.sum(y * y)


def same_name_for_other_memory(x):
    a = x * 2.0
    b = a
    a = np.sin(a)
    c = a * b
    a = a + c
    return np.sum(a * b)


def stored_then_read(x):
    y = np.zeros(x.shape[0])
    y[:] = x * x
    y[0] = x[1]
    z = y * x
    y[1:] *= z[:-1]
    return np.sum(y * z)


def carried_array(x, n):
    h = np.zeros(x.shape[0])
    total = 0.0
    for k in range(n):
        h = np.tanh(h + x * (k + 1))
        total += np.sum(h * x)
    return total


def branches(x, n):
    total = 0.0
    for k in range(n):
        y = x * k
        if k % 2:
            y = np.exp(-y)
            z = y * x
        else:
            z = y + x
        total += np.sum(z * y)
    return total


def rows_and_columns(A):
    means = np.sum(A, axis=1)
    B = A - means[:, None]
    C = B * B
    return np.sum(C * A) + np.sum(np.sum(C, axis=0) * B[0])


def views_that_overlap(x):
    a = x[1:]
    b = a * x[:-1]
    a[:] = b
    c = x * x
    return np.sum(c[1:] * b)


X = np.array([0.4, -0.7, 1.1, 0.3, -0.2, 0.9])


@pytest.mark.parametrize(
    "f", [moved_between, same_name_for_other_memory, stored_then_read, views_that_overlap], ids=lambda f: f.__name__
)
def test_straight_lines(f):
    agree(f, X)


@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("f", [steps_in_place, carried_array, branches], ids=lambda f: f.__name__)
def test_loops_around(f, n):
    agree(f, X, n)


def test_sums_over_an_axis():
    agree(rows_and_columns, np.arange(12.0).reshape(3, 4) / 7.0)
    agree(rows_and_columns, np.ones((1, 1)))


def products(A, x):
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            total += A[i, j] * x[j] * x[i]
    return total


def last_index(x):
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k] * x[k]
    return total * x[k]


def prefix(x):
    total, s = 0.0, 0.0
    for k in range(x.shape[0]):
        s += x[k]
        total += s * x[k]
    return total


def test_sums_run_forwards_and_recurrences_do_not():
    agree(products, np.arange(9.0).reshape(3, 3), np.arange(1.0, 4.0), wrt=1)
    assert "j = " not in text(products, np.ones((3, 3)), np.ones(3))
    agree(last_index, X)
    agree(prefix, X)
    assert " - 1 - " in text(prefix, X)


def from_both_ends(x, c, n):
    y, z = np.zeros(n), np.zeros(n)
    for k in range(n):
        for i in range(k):
            z[i] = y[i] + c * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = x[k] * x[k]
    return np.sum(y) * c


def wraps_around(x, c, n):
    y = np.zeros(4)
    for i in range(-2, n):  # y[-1] is y[3]
        y[i] = c * x[i] + y[i] * x[0]
    return np.sum(y * y)


def shares_a_row(x, c, n):
    A = np.zeros((2, n))
    row = A[1]
    for k in range(n):
        for i in range(1, n):
            row[i] = c * A[1, i - 1] + x[i] * k
    return np.sum(A * A)


def other_places(x, c, n):
    y = np.zeros(n)
    for k in range(3):
        for i in range(n - 1):
            y[i] = c * x[i] + y[i + 1] * x[k]
    return np.sum(y * y)


@pytest.mark.parametrize("f", [from_both_ends, wraps_around, shares_a_row, other_places])
@pytest.mark.parametrize("wrt", [0, 1])
def test_loops_that_overwrite_what_they_have_read(f, wrt):
    agree(f, X[:4], 0.5, 4, wrt=wrt)
    agree(f, X[:4], 0.5, 0, wrt=wrt)


def test_sums_from_both_ends_of_an_array_are_made_in_two_loops():
    loops = [part for part in text(from_both_ends, X, 0.5, 6).split("for ") if "z_bar[np.uintp(i)]\n" in part]
    assert [part.count("y_bar[np.uintp(") for part in loops] == [1, 1]
    assert ["z_bar[np.uintp(i)] = 0.0" in part for part in loops] == [False, True]
    agree(from_both_ends, np.linspace(-1.0, 1.0, 40), 0.5, 40)


def changed(u, w):
    u[1:] *= w[0] * u[:-1]
    return np.sum(u * u)


def test_a_caller_whose_arrays_are_changed_finds_them_as_they_were():
    gradient, plain = ad.value_and_grad(changed, backend="numba"), ad.value_and_grad(changed)
    one = ad.value_and_grad(steps_in_place, backend="numba")
    for _ in range(3):
        u = X.copy()
        agree_with = plain(u, X)
        found = gradient(u, X)
        np.testing.assert_allclose(found[1], agree_with[1], rtol=1e-13)
        assert np.array_equal(u, X)
        held = np.concatenate([X, X])
        found = one(held[:6], 3)  # a part of an array
        np.testing.assert_allclose(found[1], one(u, 3)[1], rtol=1e-14)
        assert np.array_equal(held[:6], X) and np.array_equal(u, X)


def shortened(x, n):
    y = x * x
    for _ in range(n):
        x = x[1:] * 2.0
    z = np.exp(-y) * y
    return np.sum(x * x * x) + np.sum(z)


def test_a_name_of_an_argument_for_another_array():
    agree(shortened, X, 2)
    f = ad.differentiable(shortened, backend="numba")
    value, tape = f.forward(X, 2)
    np.testing.assert_allclose(f.adjoint(tape), ad.grad(shortened)(X, 2), rtol=1e-12)


def rows_of_zeros(x):
    m = np.zeros((2, x.shape[0]))
    row, part = m[1], m[:, 1:]
    row += x * x
    part += x[0]
    return np.sum(m * m)


def test_zeros_that_a_view_fills_stay_an_array():
    x = np.array([0.5, -1.5, 2.0, 1.0])
    assert np.allclose(ad.grad(rows_of_zeros, backend="numba")(x), ad.grad(rows_of_zeros)(x), rtol=1e-13)
