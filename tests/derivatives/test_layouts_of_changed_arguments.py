"""Derivatives of gradients of functions that change an argument: a copy of it must have the views that it has."""

from __future__ import annotations

import numpy as np
import pytest

import adcompiler as ad


def changed_through_a_vector(m):
    v = m.reshape(-1)
    v[5] *= 3.0
    return np.sum(m * m) + np.sum(v * v)


def changed_by_index(m):
    m[1, 1] *= 3.0
    return np.sum(m**3)


def along(f, m, direction):
    gradient, h = ad.grad(f), 1e-5
    return (gradient(m + h * direction) - gradient(m - h * direction)) / (2 * h)


WEIGHTS = np.arange(12.0).reshape(3, 4) * 0.1 + 0.2


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray], ids=["C", "F"])
def test_copies_keep_the_order_of_memory(layout):
    m = layout(np.cos(WEIGHTS))
    wanted = [0.0 * m, 0.0 * m]
    for k, sign in enumerate((1.0, -1.0)):
        moved = m.copy(order="K")
        moved += sign * 1e-5 * WEIGHTS
        wanted[k] = ad.grad(changed_through_a_vector)(moved)
    np.testing.assert_allclose(ad.hvp(changed_through_a_vector)(m, WEIGHTS), (wanted[0] - wanted[1]) / 2e-5, rtol=1e-6)


def test_gaps_are_refused_where_they_decide_what_is_a_view():
    m = np.cos(np.arange(48.0)).reshape(6, 8)[::2, ::2]
    with pytest.raises(ad.UnsupportedSyntaxError, match="'m' is a view of part of an array"):
        ad.hvp(changed_through_a_vector)(m, WEIGHTS)


def test_gaps_are_refused_in_tangents_inside_of_programs():
    def outer(m, direction):
        return ad.jvp(changed_through_a_vector, (m,), (direction,))[1]

    m = np.cos(np.arange(48.0)).reshape(6, 8)[::2, ::2]
    with pytest.raises(ad.UnsupportedSyntaxError, match="'m' is a view of part of an array"):
        ad.grad(outer)(m, WEIGHTS)


def test_gaps_do_not_matter_elsewhere():
    m = np.cos(np.arange(48.0)).reshape(6, 8)[::2, ::2]
    np.testing.assert_allclose(ad.hvp(changed_by_index)(m, WEIGHTS), along(changed_by_index, m, WEIGHTS), rtol=1e-6)
