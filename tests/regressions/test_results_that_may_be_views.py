"""Functions that give a view in some of their forms: a change in place of the result reaches what it looks into."""
import numpy as np
import pytest

import adcompiler as ad

square = np.arange(1.0, 5.0)


def diagonal(x):
    a = np.outer(x, x)
    b = np.einsum("ii->i", a)
    b *= 2.0
    return np.sum(a * a)


def transposed(x):
    a = np.outer(x, x * x)
    b = np.einsum("ij->ji", a)
    a *= 2.0
    return np.sum(b * b)


def converted(x):
    y = 1.0 * x
    b = np.float64(y)
    b *= 2.0
    return np.sum(y * y)


def first_power(x):
    a = np.outer(x, x)
    b = np.linalg.matrix_power(a, 1)
    b *= 2.0
    return np.sum(a * a)


def undifferenced(x):
    y = 1.0 * x
    b = np.diff(y, 0)
    b *= 2.0
    return np.sum(y * y)


@pytest.mark.parametrize("function", [diagonal, transposed, converted, first_power, undifferenced])
def test_a_change_in_place_is_seen_by_the_other(function):
    ad.check_gradients(function, square)


def rows_joined(x):
    rows = np.outer(x, x).reshape(2, 2, 4)
    return np.sum(np.concatenate(rows) * np.concatenate(rows, axis=0))


def rows_stacked(x):
    rows = np.outer(x, x)
    return np.sum(np.stack(rows, axis=1) * np.vstack(rows) * np.column_stack(rows))


@pytest.mark.parametrize("function", [rows_joined, rows_stacked])
def test_an_array_that_stands_for_the_sequence_of_its_rows(function):
    ad.check_gradients(function, square)


def test_nested_lists_of_a_block_are_refused_where_their_depth_is_not_seen():
    def f(rows):
        return np.sum(np.block(rows) ** 2)

    with pytest.raises(ad.UnsupportedSyntaxError, match="np.block") as caught:
        ad.grad(f)([[1.0, 2.0]])
    assert caught.value.lineno > 0 and caught.value.hint
