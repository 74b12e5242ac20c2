"""Forward mode one input at a time takes the others for active as well: half each at a tie, as in reverse."""
import numpy as np
import pytest

import adcompiler as ad


def larger(x, y):
    return np.maximum(x, y) * 2.0


def total(x, y):
    return np.sum(np.maximum(x, y) * np.array([1.0, 3.0]))


@pytest.mark.parametrize("wrt, expected", [
    ((0, 1), ([0.5, 0.0], [0.5, 3.0])), ((1, 0), ([0.5, 3.0], [0.5, 0.0])), ((0,), ([0.0, 0.0],)),
    ((0, 0), ([0.0, 0.0], [0.0, 0.0])),
])
def test_gradients_at_a_tie(wrt, expected):
    x, y = np.array([1.0, 2.0]), np.array([1.0, 5.0])
    for mode in ("reverse", "forward"):
        for _ in range(2):  # the second call may take a shorter way
            np.testing.assert_array_equal(ad.grad(total, wrt, mode=mode)(x, y), expected)


def test_jacobians_at_a_tie():
    x = np.array([1.0, 2.0])
    by_rows = ad.jacobian(larger, (0, 1), mode="reverse")(x, x)
    by_columns = ad.jacobian(larger, (0, 1), mode="forward")(x, x)
    np.testing.assert_array_equal(by_rows, (np.eye(2), np.eye(2)))
    np.testing.assert_array_equal(by_columns, by_rows)
