"""What is learnt of one call is not taken for that of another with equal constants, or with constants at the same place."""

from __future__ import annotations

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.frontend.lower.numbers import _constant_key


@pytest.mark.parametrize(
    "a, b",
    [
        ((1, 2), (1.0, 2.0)),
        ([1, 2], [1.0, 2.0]),
        ([1, 2], (1, 2)),
        ((1, (True, 2)), (1, (1, 2))),
        (np.array([1, 0]), np.array([1.0, 0.0])),
        (np.array([1, 0]), np.array([1, 2])),
        (1, True),
    ],
)
def test_equal_constants_of_other_types_are_told_apart(a, b):
    assert _constant_key(a) != _constant_key(b)


def test_what_nothing_tells_from_others_has_no_key():
    with pytest.raises(TypeError):
        _constant_key({"a": 1})
    with pytest.raises(TypeError):
        _constant_key(np.zeros(100))


def test_a_store_into_a_buffer_like_a_constant():
    def integers(x):
        return np.sum(np.array((2, 1)) * x)

    def floats(x):
        buffer = np.array((2.0, 1.0))
        buffer[0] = x[0] * x[1]
        return np.sum(buffer * x)

    x = np.array([0.4, 1.3])
    assert ad.grad(integers)(x).tolist() == [2.0, 1.0]
    np.testing.assert_allclose(ad.grad(floats)(x), [2.0 * x[0] * x[1], x[0] ** 2 + 1.0])
