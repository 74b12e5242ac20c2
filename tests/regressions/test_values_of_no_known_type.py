"""A value that is a tuple or a list on one path and None (or something else) on the other is active all the same."""
import numpy as np
import pytest

import adcompiler as ad


class Box:
    def __init__(self, values):
        self.values = values

    def take(self):
        if self.values is None:
            raise ValueError("empty")
        values, self.values = self.values, None
        return values


def attribute_read_by_index(x):
    return Box((x, x * 2.0)).take()[0] * 2.0


def attribute_unpacked(x):
    a, b = Box((x, x * 2.0)).take()
    return np.sin(a) * b


def attribute_in_a_call(x):
    return np.sum(np.asarray(Box([x, x * 2.0]).take()) * 2.0)


def tuple_in_a_loop(x):
    v = None
    for _ in range(3):
        if v is None:
            v = (x * x, x)
        else:
            w, v = v, None
    return v[0] * 2.0


def tuple_built_up(x):
    v = None
    for i in range(3):
        v = (x * x * i, x) if v is None else (v[0] + v[1], v[1])
    return v[0] * 2.0


def tuple_of_one_path(x):
    v = None
    if x > 0:
        v = (x, x * x)
    if v is None:
        return x
    a, b = v
    return a * b


def list_of_one_path(x):
    v = None
    if x > 0:
        v = [x, x * x]
    return v[0] * v[1]


def value_of_a_dict(x):
    table = {"a": None}
    if x > 0:
        table["a"] = (x, x * x)
    return table["a"][1] * 2.0


def element_of_a_list(x):
    values = [None] * 2
    values[0] = (x, x * x)
    return values[0][1] * 2.0


PROGRAMS = [
    attribute_read_by_index, attribute_unpacked, attribute_in_a_call, tuple_in_a_loop, tuple_built_up,
    tuple_of_one_path, list_of_one_path, value_of_a_dict, element_of_a_list,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_right_or_refused(f):
    """Never zero: the gradient is right, or the value is refused where it is used."""
    try:
        got = ad.grad(f)(1.3)
    except ad.AdcompilerError as error:
        assert error.lineno and error.hint
        return
    assert got == pytest.approx((f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6, rel=1e-6)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_constants_of_the_same_kind_are_kept(f):
    """The same on an inactive path is no concern of the compiler."""
    assert ad.grad(lambda x, c: x * f(c))(2.0, 1.3) == pytest.approx(f(1.3))
