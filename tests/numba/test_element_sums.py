"""Sums into one element of an array: in a number, where the loop reads other elements only."""
import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")


def agree(f, *args):
    expected = ad.value_and_grad(f)(*args)
    found = ad.value_and_grad(f, backend="numba")(*args)
    assert found[0] == pytest.approx(expected[0], rel=1e-13, nan_ok=True)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-13)


def is_apart(f, *args):
    return "_sum = " in ad.differentiable(f, backend="numba").source("gradient", *args).partition("_bar[")[0]


def triangular(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]
            A[i, j] /= A[j, j]
    return np.sum(A * A)


def shifted(A):
    n = A.shape[0]
    for j in range(n - 1):
        following = j + 1
        for k in range(following):
            A[0, following] += A[0, k] * A[1, k]
    return np.sum(A * A)


def reaches_itself(A):
    n = A.shape[0]
    for j in range(n):
        for k in range(j + 1):  # k == j reads what was added just before
            A[0, j] += 0.1 * A[0, k] * A[1, k]
    return np.sum(A * A)


def from_the_end(A):
    for k in range(-2, 1):  # -1 may be the element that is written
        A[0, 2] += 0.5 * A[0, k] * A[1, k]
    return np.sum(A * A)


def at_unknown_places(A):
    i = int(A[0, 0]) % 3
    for k in range(3):
        A[0, i] += 0.5 * A[0, k]
    return np.sum(A * A)


def through_a_view(A):
    row = A[0]
    for k in range(3):
        A[0, 2] += 0.5 * row[k]
    return np.sum(A * A)


def by_another_name(A):
    B = A
    for k in range(2):
        A[0, 2] += 0.5 * B[0, k + 1]
    return np.sum(A * A)


def never(A):
    for k in range(A.shape[0] - 3):
        A[5, 7] += A[0, k]
    return np.sum(A * A)


def left_early(A):
    for k in range(2):
        if A[1, k] > 0.5:
            break
        A[0, 2] += A[1, k] * A[1, 2]
    return np.sum(A * A)


def two_sums(A):
    for i in range(A.shape[0]):
        for k in range(i):
            A[i, i] += A[i, k] * A[i, k]
            A[i, i] -= 0.5 * A[k, i]
    return np.sum(A * A)


A = np.array([[0.7, -0.3, 0.4], [0.9, 1.3, 0.2], [-0.6, 0.1, 1.1]])


@pytest.mark.parametrize("f", [triangular, shifted])
def test_apart(f):
    assert is_apart(f, A)
    agree(f, A)


@pytest.mark.parametrize(
    "f", [reaches_itself, from_the_end, at_unknown_places, through_a_view, by_another_name, left_early, two_sums]
)
def test_in_place(f):
    assert not is_apart(f, A)
    agree(f, A)


def test_an_element_that_does_not_exist_is_not_read_without_a_trip():
    agree(never, A)
    with pytest.raises(IndexError):
        ad.grad(never, backend="numba")(np.ones((4, 4)))


def test_single_precision_rounds_at_every_step():
    single = A.astype(np.float32)
    expected = ad.value_and_grad(triangular)(single)
    found = ad.value_and_grad(triangular, backend="numba")(single)
    assert found[0] == pytest.approx(expected[0], rel=1e-6)
    assert found[1].dtype == np.float32
    np.testing.assert_allclose(found[1], expected[1], rtol=2e-5, atol=1e-6)


def kept(A, s):
    for i in range(A.shape[0]):
        for k in range(i):
            A[i, i] += A[i, k] * s
    return np.sum(A)


def test_forward_and_adjoint_apart():
    f = ad.differentiable(kept, wrt=("A", "s"), backend="numba")
    value, tape = f.forward(A.copy(), 0.3)
    found = f.adjoint(tape)
    expected = ad.grad(kept, wrt=(0, 1))(A, 0.3)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-13)
    assert found[1] == pytest.approx(expected[1])
