"""An argument that a function sets again at one place has two values: the other one where that place is not reached."""
import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")

X, LONGER = np.array([1.385, 0.929, 1.215]), np.array([0.783, 1.399, -0.453, -1.288, -1.345])


def assert_same(f, *args, wrt=0):
    def run(**options):
        return ad.value_and_grad(f, wrt=wrt, **options)(*[a.copy() if isinstance(a, np.ndarray) else a for a in args])

    (value, gradient), (compiled, compiled_gradient) = run(), run(backend="numba")
    np.testing.assert_allclose(compiled, value, rtol=1e-12)
    for a, b in zip(gradient, compiled_gradient, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-12)


def view_of_another(a, b, n):
    for _ in range(n):
        a = b[1:-1]
    return np.sum(a * a) + a[0]


def view_of_another_in_a_branch(a, b, n):
    if n > 0:
        for i in range(3):
            if b[i] < 1.0:
                a = b[1:-1]
    return np.sum(a * a) * len(a)


def zeros(a, b, n):
    for _ in range(n):
        a = np.zeros(3)
    return np.sum(a * b[:3])


def new_array(a, b, n):
    s = 0.0
    for _ in range(n):
        s += np.sum(a * b[:3])
        a = b[:3] * 2.0
    return s + np.sum(a * a)


def array_of_a_view(a, b, n):
    v = b[1:-1]
    for _ in range(n):
        b = v * 2.0
    return np.sum(v * a) + b[0] * b[2]


def length(a, b, n):
    y, z = np.zeros(n), np.ones(n)
    for _ in range(2):
        n = n - 1
        for i in range(n):
            y[i] += a[i] * b[n]
    w = y * 2.0 + z
    return np.sum(w * z) * len(w) * len(z)


@pytest.mark.parametrize("f", [view_of_another, view_of_another_in_a_branch, zeros, new_array, array_of_a_view])
@pytest.mark.parametrize("n", [0, 2])
def test_argument_that_is_set_at_one_place(f, n):
    assert_same(f, X, LONGER, n, wrt=(0, 1))


def test_extent_that_is_changed_behind():
    assert_same(length, X, LONGER, 3, wrt=(0, 1))
