"""np.r_ and np.c_ of active values are calls that join; what cannot be one is refused, and so is any other object."""
import numpy as np
import pytest

import adcompiler as ad

x, y = np.array([0.5, -1.0, 2.0]), np.array([1.5, 0.3, -0.7])
m = np.arange(6.0).reshape(3, 2) / 7.0


def rows(x, y):
    r = np.r_[x, 1.0, y[:2], 0:3, 2:0:-1]
    return np.sum(r ** 2 * np.arange(r.size))


def one(x):
    return np.sum(np.r_[x] ** 3)


def numbers(x):
    return np.sum(np.r_[x[0], x[1] * x[2]] ** 2)


def stacked(m):
    return np.sum(np.r_[m, m[::-1] ** 2] ** 2)


def columns(x, y):
    return np.sum(np.c_[x, y, np.ones(3)] ** 2 * np.arange(9.0).reshape(3, 3))


def matrix_and_column(x, m):
    return np.sum(np.c_[np.ones(3), m, x] ** 2 * np.arange(12.0).reshape(3, 4))


def constants(x):
    return np.sum(x * np.r_[0:3]) + np.sum(x * np.c_[np.ones(3), np.ones(3)][:, 0])


@pytest.mark.parametrize(("function", "args"), [
    (rows, (x, y)), (one, (x,)), (numbers, (x,)), (stacked, (m,)), (columns, (x, y)), (matrix_and_column, (x, m)),
    (constants, (x,)),
])
def test_gradients(function, args):
    ad.check_gradients(function, *args)
    assert ad.differentiable(function).forward(*args)[0] == function(*args)


def test_the_generated_call_is_the_one_a_reader_knows():
    assert "np.hstack([x, 1.0])" in ad.differentiable(lambda x: np.r_[x, 1.0]).source("forward", x)


class Table:
    def __getitem__(self, key):
        return key * 2.0


TABLE = Table()


@pytest.mark.parametrize("function", [
    lambda x: np.sum(np.r_["0,2", x]), lambda x: np.sum(np.r_[0:1:5j, x]), lambda x: np.sum(np.r_[x, m]),
    lambda x: np.sum(np.c_[x, np.ones((3, 1, 1))]), lambda x: np.sum(np.r_[x.astype(np.float32), 1.0]),
    lambda x: np.mgrid[0.0:x[0]:0.1].sum(), lambda x: np.s_[x][0],
])
def test_other_forms_are_refused(function):
    with pytest.raises(ad.UnsupportedSyntaxError):
        ad.grad(function)(x)


def test_the_methods_of_a_users_class_are_not_passed_over():
    def f(x):
        return np.sum(TABLE[x])

    try:
        found = ad.grad(f)(x)
    except ad.AdcompilerError:
        return
    np.testing.assert_array_equal(found, [2.0, 2.0, 2.0])
