"""`list(d["a"])` of an array that is found by its identity: the numbers in the list lost their adjoint."""
import numpy as np
import pytest

import adcompiler as ad
from tests.programs.check import check_program
from tests.programs.program import Program

V4 = np.array([0.4, -0.7, 0.9, 0.25])
U4 = np.array([0.8, 0.35, -0.6, 1.1])


def of_an_entry_of_a_dict(x, y):
    d = {"a": x * 1.0}
    d["a"] *= y
    numbers = [y[0]]
    numbers += list(d["a"])
    numbers.extend(d["a"][1:])
    return sum(numbers) * numbers[2]


def of_an_entry_of_a_list(x, y):
    arrays = [x * 1.0, y]
    arrays[0] *= y
    first = list(arrays[0])
    second = tuple(arrays[0])
    back = np.array(list(arrays[0])[::-1])
    arrays[0][1] = 0.3
    return first[0] * first[1] * second[2] + np.sum(back * x)


def of_rows(x, y):
    matrices = [np.outer(x, y), np.outer(y, x)]
    matrices[0] *= y
    rows = list(matrices[0])
    rows[0][1] *= y[2]
    return np.sum(rows[0] * rows[1]) + matrices[0][0, 1]


@pytest.mark.parametrize("f", [of_an_entry_of_a_dict, of_an_entry_of_a_list, of_rows], ids=lambda f: f.__name__)
def test_both_modes(f):
    check_program(Program(f, (V4, U4), (0, 1)))
    gradients = ad.grad(f, wrt=(0, 1))(V4, U4)
    _, tangent = ad.jvp(f, (V4, U4), (U4, V4))
    assert np.isclose(tangent, gradients[0] @ U4 + gradients[1] @ V4, rtol=1e-12)
