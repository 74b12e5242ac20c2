"""Lists whose adjoints are found by their identity, in compiled code: lists in lists, in loops, under several names."""
import numpy as np
import pytest

import adcompiler as ad
from tests.numba.programs import check_both_backends

pytest.importorskip("numba")
pytestmark = pytest.mark.filterwarnings("ignore")
X = np.array([0.7, -0.4, 1.3])


def one_of_two(x, first):
    a, b = [x[0], x[1]], [x[2] * x[0], x[1], x[2]]
    c = a if first else b
    c[0] *= x[1]
    rows = [a, b, a]
    rows[2][1] += x[2] * c[1]
    rows[1].append(c[0])
    for row in rows:
        row.append(row[0] * row.pop(1))
    rows[0].extend(rows[1])
    return sum(a) * b[-1] + c[0] ** 2 + len(rows[0]) * a[1]


def stages(x, n):
    y, seen = x * 1.0, []
    for t in range(n):
        k = [np.sin(y), y * x]
        k.append(k[0] * k[-1])
        k[0] = k[2] + y
        weights = [x[0], t + 1.0]
        weights[1] = weights[0] * x[t % 3]
        y = y + 0.1 * (k[0] + k[1] * weights[1] + k[2])
        seen.append(weights)
    return np.sum(y * y) + seen[0][1] * seen[-1][0]


def spectrum(x, n):
    total = 0.0
    for t in range(n):
        z = [x[k] * (1.0 + 2.0j) + t for k in range(3)]
        z[0] = z[1] * z[2]
        total += abs(z[0]) + (z[1] * z[1]).real
    return total


@pytest.mark.parametrize("first", [True, False])
def test_lists_under_several_names(first):
    check_both_backends(one_of_two, X, first)


def test_lists_of_numbers_and_of_arrays_made_in_a_loop():
    check_both_backends(stages, X, 3)


def test_lists_of_complex_numbers():
    check_both_backends(spectrum, X, 2)


def extended_by_itself(x):
    rows = [[x[0], x[1]], [x[2]]]
    rows[0].extend(rows[len(rows) - 2])
    return sum(rows[0]) * rows[0][3]


def test_a_list_that_is_extended_by_itself():
    value, gradient = ad.value_and_grad(extended_by_itself, backend="numba")(X)
    assert np.isclose(value, 2 * (X[0] + X[1]) * X[1])
    assert np.allclose(gradient, [2 * X[1], 2 * X[0] + 4 * X[1], 0.0])


def weights_in_a_loop(x):
    total = 0.0
    for t in range(2):
        w = [x[0], x[1] * t]
        w[0] *= x[t]
        total += w[0] * w[1]
    return total


def test_what_has_no_table_is_refused():
    with pytest.raises(ad.UnsupportedSyntaxError, match="does not compile the adjoint of a list that is found by its identity"):
        ad.vjp(ad.differentiable(weights_in_a_loop, backend="numba"), X)
