"""`p.d[i]` in a loop costs the same for each read, however long the array; what changes in the loop is read there."""
from types import SimpleNamespace

import numpy as np
import pytest

import adcompiler as ad
from tests.programs.check import check_program
from tests.programs.program import Program


def reads_an_attribute(p, n):
    total = 0.0
    for i in range(n):
        total = total + p.d[i] * p.d[i]
    return total


def reads_nested(p, n):
    total = 0.0
    for i in range(n):
        for j in range(i):
            if p.inner["w"][j] > 0.6:
                total = total + p.inner["w"][j] * p.d[i]
    return total


def attribute_that_changes(p, n):
    total = 0.0
    for i in range(n):
        total = total + p.d[i] * p.d[0]
        p.d = p.d * 1.5
    return total


def attribute_changed_in_place(p, n):
    total = 0.0
    for i in range(n):
        total = total + p.d[i] * p.d[0]
        p.d[i] = total
    return total + p.d.sum()


def one_array_twice(p, n):
    total = 0.0
    for i in range(n):
        total = total + 2.0 * p.d[i] + 3.0 * p.inner["w"][i]
    return total


def space(n=4):
    return SimpleNamespace(d=np.linspace(0.2, 1.1, n), inner={"w": np.linspace(0.9, 0.3, n)})


@pytest.mark.parametrize("f", [
    reads_an_attribute, reads_nested, attribute_that_changes, attribute_changed_in_place, one_array_twice,
], ids=lambda f: f.__name__)
def test_against_differences(f):
    check_program(Program(f, (space(), 4)))


def test_one_array_in_two_places_has_two_gradients():
    shared = np.ones(3)
    gradient = ad.grad(one_array_twice)(SimpleNamespace(d=shared, inner={"w": shared}), 3)
    assert np.array_equal(gradient.d, np.full(3, 2.0))
    assert np.array_equal(gradient.inner["w"], np.full(3, 3.0))


def test_no_array_is_made_in_the_loop():
    text = ad.differentiable(reads_an_attribute).source("gradient", space(), 4)
    assert "np.zeros" not in text.partition("for i in reversed")[2]
