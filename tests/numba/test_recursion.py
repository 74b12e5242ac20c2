"""Recursive functions in compiled code: what they change, whatever name it has, against the NumPy backend and differences."""
import numpy as np
import pytest

import adcompiler as ad
from tests.numba.programs import check_both_backends

pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore")
X = np.array([0.7, -0.4, 1.1, 0.3])
M = np.array([[1.5, -0.4, 0.3], [0.6, 2.0, -0.7], [0.2, 0.5, 1.2]])


def moved_along(a, n):
    if n == 0:
        return
    a[1:] = a[:-1] * 0.9 + a[1:]
    moved_along(a[:-1], n - 1)
    a[0] *= a[-1]


def overlapping_stores(x):
    a = x * 1.0
    moved_along(a, 2)
    return np.sum(a * a * a)


def mixed(a, b, n):
    if n == 0:
        return
    a[1:] = b[:-1] * a[1:]
    mixed(b, a, n - 1)
    b[0] = a[1] + b[0]


def overlapping_arguments(x):
    a = x * 1.0
    mixed(a[:-1], a[1:], 3)
    return np.sum(a * a)


def one_array_as_both(x):
    a = x * 1.0
    mixed(a, a, 3)
    return np.sum(a * a)


def argument_of_the_program(x):
    mixed(x, x[::-1], 2)
    return np.sum(x * x)


def same_array(a, n):
    return a if n == 0 else same_array(a, n - 1)


def result_is_the_argument(x):
    a = x * 1.0
    z = same_array(a, 2)
    z[1:] = a[:-1]
    a[1:] += z[:-1] * a[0]
    return np.sum(a * a) + z[1]


def views_in_a_loop(x):
    a = np.sin(x)
    s = 0.0
    for k in range(3):
        v = same_array(a[k:], k)
        v[0] = v[0] * a[3] + s
        s = s + np.sum(v * v)
    return s + np.sum(a)


def even(a, n):
    if n == 0:
        return a[0]
    a[n] = a[n] * a[0]
    return odd(a, n - 1) * a[n]


def odd(a, n):
    if n == 0:
        return a[1]
    a[0] += a[n] * 0.5
    return even(a[::-1], n - 1) + a[n]


def each_other(x):
    a = x * 2.0
    return even(a, 3) + np.sum(a)


def squares(v, n):
    if n == 0:
        return np.sum(v * v)
    y = np.exp(v * 0.3)
    return np.sum(y * v) + squares(y, n - 1)


def changed_between_the_calls(x):
    a = x * 1.0
    s = 0.0
    for k in range(3):
        s += squares(a, 2)
        a[k] = np.sin(s) * a[k + 1]
    return s + np.sum(a)


def pieces(a, n):
    if n == 0:
        return a[:2], a[1:3]
    u, v = pieces(a, n - 1)
    u *= v[0]
    return v, u


def overlapping_results(x):
    a = x * 1.0
    u, v = pieces(a, 3)
    u[1] *= 3.0
    return np.sum(u * v) + np.sum(a)


def of_a_tuple(t, n):
    p, q = t
    if n == 0:
        return p[0] * q[1]
    p[1] *= q[0]
    return of_a_tuple((q, p), n - 1) + p[1]


def arrays_in_tuples(x):
    a = x * 1.0
    return of_a_tuple((a, a[1:]), 3) + np.sum(a)


def in_its_own_loop(a, n):
    s = 0.0
    for k in range(n):
        v = a[k:]
        v[0] = v[0] * v[1]
        s = s + in_its_own_loop(v, n - 1) * v[0]
        v[1] += s
    return s + a[0]


def calls_in_a_loop(x):
    a = x * 1.0
    return in_its_own_loop(a, 2) + np.sum(a)


def chosen(a, b, n):
    c = a if n % 2 else b
    c[n] *= a[0]
    if n == 0:
        return c
    r = chosen(c, a, n - 1)
    r[1] += c[2]
    return r if r[0] > 0.2 else a


def one_of_two(x):
    a, b = x * 1.0, x * x
    r = chosen(a, b, 3)
    r *= 2.0
    return np.sum(a * b) + r[0]


def parts_multiplied(b, n):
    if n == 0:
        return
    b[n] *= b[0]
    parts_multiplied(b, n - 1)


def real_part(x):
    z = x * (1.0 + 2.0j)
    parts_multiplied(z.real, 3)
    return np.sum(z.real * z.imag)


def work_with(a, w, n):
    if n == 0:
        return a[0]
    w[n] = n + w[0]
    s = work_with(a * w[n], w[::-1], n - 1)
    return s * w[n] + a[n]


def constants_changed_in_another_shape(x):
    w = np.arange(4.0).reshape(2, 2)
    return work_with(x, w.reshape(-1), 3) * w[1, 0] + work_with(x, w.T.reshape(-1), 3) * w[0, 1]


def a_copy_and_a_view(m):
    a = m * 1.0
    parts_multiplied(a.reshape(-1), 3)
    parts_multiplied(a.T.reshape(-1), 3)
    parts_multiplied(a[:, 1], 2)
    return np.sum(a * a)


def corners(m, n):
    if n == 0:
        return m
    r = corners(m[1:, 1:], n - 1)
    r += m[0, 0]
    m[0] = m[:, 0] @ m
    return r


def rows_and_columns(m):
    a = m * 1.0
    r = corners(a.T, 2)
    return np.sum(a * a) + np.sum(r)


@pytest.mark.parametrize("f", [
    overlapping_stores, overlapping_arguments, one_array_as_both, argument_of_the_program, result_is_the_argument,
    views_in_a_loop, each_other, changed_between_the_calls, overlapping_results, arrays_in_tuples, calls_in_a_loop,
    one_of_two, real_part, constants_changed_in_another_shape,
], ids=lambda f: f.__name__)
def test_arrays_changed_by_recursive_functions(f):
    check_both_backends(f, X)


@pytest.mark.parametrize("f", [a_copy_and_a_view, rows_and_columns], ids=lambda f: f.__name__)
def test_matrices_changed_by_recursive_functions(f):
    check_both_backends(f, M)


def test_another_shape_in_fortran_order_is_refused():
    def f(m):
        parts_multiplied(m.reshape(-1), 3)
        return np.sum(m * m)

    with pytest.raises(ad.UnsupportedSyntaxError, match="in Fortran order"):
        ad.grad(f, backend="numba")(np.asfortranarray(M))
