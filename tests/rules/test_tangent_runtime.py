"""Rules of what generated tangent functions call."""
import numpy as np
import pytest

import adcompiler as ad
from adcompiler.rules import tangent_runtime
from adcompiler.rules.registry import is_inactive
from adcompiler.runtime.tangents import (
    laid_out, spread, spread_copy, updated_in_place, zero_tangent, zeros_laid_out,
)
from tests.rules.template_check import check_template, uncovered_rules

ROW, GRID = np.array([0.3, -1.2, 0.7]), np.arange(6.0).reshape(2, 3) + 0.5
CASES = [
    (spread, (ROW, GRID), {}), (spread, (0.7, GRID), {}), (spread, (GRID, GRID), {}),
    (spread_copy, (ROW, GRID), {}), (spread_copy, (0.7, ROW), {}),
    (laid_out, (GRID, GRID), {}), (laid_out, (GRID, np.asfortranarray(GRID)), {}),
]


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_case(function, args, kwargs):
    check_template(function, *args, **kwargs)


def test_every_rule_has_a_case():
    assert uncovered_rules(tangent_runtime, CASES) == []


def test_zeros_carry_no_derivative():
    assert is_inactive(zeros_laid_out)


@pytest.mark.parametrize("value", [GRID.T, GRID[::-1, ::-2], np.broadcast_to(ROW, (2, 3)), np.array(1.0), GRID[:, :0]])
def test_zeros_have_the_strides_of_the_value(value):
    made = zeros_laid_out(value)
    assert made.shape == value.shape and made.dtype == value.dtype and not made.any() and made.flags.writeable
    assert value.size == 0 or made.strides == value.strides
    made[...] = value
    assert np.array_equal(made, value)


def test_a_tangent_in_the_layout_of_its_value():
    assert laid_out(GRID, GRID) is GRID
    assert laid_out(GRID, GRID.copy(order="F")).strides == GRID.copy(order="F").strides
    assert laid_out(2.0, 1.0) == 2.0
    assert laid_out(np.ones(3, np.float32), ROW).dtype == float


def test_zero_tangents_of_containers():
    assert zero_tangent({"a": [1.0, "x", None, True], "b": (2, 3j)}) == {"a": [0.0, None, None, None], "b": (0.0, 0.0)}
    assert zero_tangent(np.array(["a"])) is None and zero_tangent(np.arange(2)).dtype == float


def test_numbers_are_replaced_and_arrays_written_into():
    kept = np.zeros(2)
    assert updated_in_place(kept, 1.0) is kept and kept.tolist() == [1.0, 1.0]
    assert updated_in_place(0.0, 1.0) == 1.0


def test_reverse_over_forward_through_them():
    def f(x):
        z = np.ones((2, 3)) + x
        z[0] *= x
        r = (z.T * 1.0).reshape(-1)
        r[1] = x[0]
        return np.sum(z ** 3) + np.sum(r ** 2)

    direction = np.array([1.0, -0.5, 0.25])
    found = ad.grad(lambda x: ad.jvp(f, (x,), (direction,))[1])(ROW)
    step, gradient = 1e-6, ad.grad(f)
    assert np.allclose(found, (gradient(ROW + step * direction) - gradient(ROW - step * direction)) / (2 * step), rtol=1e-6)
