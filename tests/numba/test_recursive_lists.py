"""Lists that recursive functions are given, fill, change and return, in compiled code, against the NumPy backend and differences."""
import numpy as np
import pytest

import adcompiler as ad
from tests.numba.programs import check_both_backends

pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore")
X = np.array([0.7, -0.4, 1.1, 0.3])


def fill(found, x, n):
    if n == 0:
        return
    found.append(x)
    fill(found, x * x + found[0], n - 1)
    found.append(found[-1] * x)


def filled_by_the_callee(x):
    found = []
    fill(found, x[0], 3)
    return sum(found) * found[2]


def exchange(a, b, n):
    if n == 0:
        return
    a[0] = a[0] * b[1] + 1.0
    b[1] = a[0] * b[2]
    a[3] += b[0]
    exchange(b, a, n - 1)


def one_list_as_both(x):
    a = [x[0], x[0] * x[1], 1, 2]
    exchange(a, a, 3)
    return a[0] * a[1] + a[2] * a[3]


def merged(a, b):
    if not a:
        return b
    if not b:
        return a
    if a[0] < b[0]:
        return [a[0]] + merged(a[1:], b)
    return [b[0]] + merged(a, b[1:])


def sorted_by_merging(v):
    if len(v) < 2:
        return v
    middle = len(v) // 2
    return merged(sorted_by_merging(v[:middle]), sorted_by_merging(v[middle:]))


def merge_sort(x):
    s = sorted_by_merging([x[0], x[1] * x[2], x[2], x[3], x[1]])
    total = 0.0
    for k in range(len(s)):
        total += s[k] * (k + 1) ** 2
    return total


def path(t, n):
    if n == 0:
        return [t]
    return path(t * 0.5, n - 1) + [t * t] + path(t * 1.5, n - 1)


def joined_results(x):
    return sum(v * k for k, v in enumerate(path(x[0], 3)))


def orders(left, picked):
    if not left:
        s = 0.0
        for k, v in enumerate(picked):
            s += v * v * (k + 1)
        return np.sin(s)
    total = 0.0
    for k in range(len(left)):
        total += orders(left[:k] + left[k + 1:], picked + [left[k]])
    return total


def permutations(x):
    return orders([x[0], x[1], x[2]], [])


def layers(ws, x, k):
    if k == len(ws):
        return x
    return layers(ws, np.tanh(ws[k] * x), k + 1)


def arrays_in_a_list(x):
    return np.sum(layers([x, x[::-1], x * x], np.ones(4), 0))


def changed_rows(rows, n):
    if n == 0:
        return
    rows[n] *= rows[0]
    rows[0][1:] += rows[n][:-1]
    changed_rows(rows, n - 1)


def one_array_twice_in_a_list(x):
    a = x * 1.0
    rows = [a, a * a, np.sin(a), a]
    changed_rows(rows, 3)
    return np.sum(a * a) + np.sum(rows[2])


def grow(rows, x, n):
    if n == 0:
        return
    rows.append(x)
    grow(rows, x * x, n - 1)
    rows[0] = rows[0] * x[0]


def filled_with_arrays(x):
    rows = []
    grow(rows, x, 3)
    return np.sum(rows[0] * rows[1]) + np.sum(rows[2])


def chained(points, n):
    if n == 0:
        return points[0][0] * points[1][1]
    a, b = points[0]
    return chained([points[1], (a * b, b)], n - 1) + a


def tuples_in_a_list(x):
    return chained([(x[0], 2.0 * x[1]), (x[2] * x[2], 1.0)], 3)


@pytest.mark.parametrize("f", [
    filled_by_the_callee, one_list_as_both, merge_sort, joined_results, permutations, arrays_in_a_list,
    one_array_twice_in_a_list, filled_with_arrays, tuples_in_a_list,
], ids=lambda f: f.__name__)
def test_lists_in_recursive_functions(f):
    check_both_backends(f, X)


def weighted(values, k):
    return 0.0 if k == len(values) else values[k] * values[k] + 0.5 * weighted(values, k + 1) * values[k]


def test_a_list_that_is_an_argument_may_be_read():
    values = [0.5, 1.5, 2.0]
    value, gradient = ad.value_and_grad(lambda v: weighted(v, 0), backend="numba")(values)
    expected, right = ad.value_and_grad(lambda v: weighted(v, 0))(values)
    assert np.isclose(value, expected) and np.allclose(gradient, right) and isinstance(gradient, list)


def changed_argument(values):
    exchange(values, values, 2)
    return values[0] * values[1]


def ints_and_floats(x, n):
    made = [1, 2] if n == 0 else ints_and_floats(x, n - 1)
    made.append(n)
    return made


def float_into_integers(x):
    counts = ints_and_floats(x, 1)
    counts.append(x[0])
    return counts[4] * counts[1]


@pytest.mark.parametrize("f, args, match", [
    (changed_argument, ([0.5, 1.5, 2.0, 0.3],), "a change of a list that is an argument"),
    (float_into_integers, (X,), "gets values of another type"),
], ids=["argument", "types"])
def test_what_cannot_be_followed_is_refused(f, args, match):
    assert ad.grad(f)(*args) is not None
    with pytest.raises(ad.UnsupportedSyntaxError, match=match) as caught:
        ad.grad(f, backend="numba")(*args)
    assert caught.value.filename == __file__ and caught.value.hint
