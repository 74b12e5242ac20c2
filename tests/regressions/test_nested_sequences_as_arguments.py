"""Tuples in lists, and lists in tuples, that are made elsewhere and given to a function with a rule."""
import numpy as np
import pytest

import adcompiler as ad


def squares(rows):
    return np.sum(np.array(rows) ** 2)


def test_tuples_in_a_list():
    assert ad.grad(squares)([(1.0, 2.0), (3.0, 4.0)]) == [(2.0, 4.0), (6.0, 8.0)]
    found = ad.grad(squares)([np.ones(2), (3.0, 4.0)])
    assert found[0].tolist() == [2.0, 2.0] and found[1] == (6.0, 8.0)


def test_lists_in_a_list():
    assert ad.grad(squares)([[1.0, 2.0], [3.0, 4.0]]) == [[2.0, 4.0], [6.0, 8.0]]


@pytest.mark.parametrize("rows, told", [
    ([[1.0, 2.0], (3.0, 4.0)], "a list of lists and other things"),
    (((1.0, 2.0), [3.0, 4.0]), "a tuple that holds a list"),
])
def test_mixtures_are_refused(rows, told):
    with pytest.raises(ad.UnsupportedSyntaxError, match=told):
        ad.grad(squares)(rows)
