"""A loop runs over what its iterable was at the start: also the tangents of its elements are read from that."""
import numpy as np
import pytest

import adcompiler as ad


def reversed_elements(x):
    s, y = 0.0, x * x
    for v in reversed(y):
        s = s * v + v
        y = np.ones(2) * s
    return s + y.sum()


def elements_of_a_list(x):
    s, y = 0.0, [v * v for v in x]
    for v in y:
        y = [s]
        s = s * 0.5 + v
    return s + y[0]


def items_of_a_dict(x):
    s, d = 0.0, {"a": x[0], "b": x[1] * x[2]}
    for _, v in d.items():
        d = 2.0
        s += v * v * d
    return s


def exchanged_names(x):
    s, y = 0.0, x * 2
    for i, (u, v) in enumerate(zip(x, y[1:])):  # noqa: B905
        x, y = y, x
        s += u * v * i
    return s


def rows_of_a_view(x):
    s, y = 0.0, np.outer(x, x)
    for row in y[1:]:
        y = row * 2
        for y in y:  # noqa: B020, PLR1704
            s += y * y
    return s


@pytest.mark.parametrize("f", [reversed_elements, elements_of_a_list, items_of_a_dict, exchanged_names, rows_of_a_view])
def test_tangent_against_differences(f):
    x, t, h = np.array([0.7, -0.4, 1.1, 0.3]), np.array([0.2, 1.0, -0.5, 0.4]), 1e-6
    assert ad.jvp(f, (x,), (t,))[1] == pytest.approx((f(x + h * t) - f(x - h * t)) / (2 * h), rel=1e-7)


def read_on_another_path(x):
    if x[0] < 0.0:
        for v in x:
            x = x * v
        return np.sum(x)
    return np.sum(x * x)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_a_loop_keeps_is_not_read_on_another_path(sign):
    x, t, h = sign * np.array([0.7, -0.4, 1.1]), np.array([0.2, 1.0, -0.5]), 1e-6
    f = read_on_another_path
    assert ad.jvp(f, (x,), (t,))[1] == pytest.approx((f(x + h * t) - f(x - h * t)) / (2 * h), rel=1e-7)
