"""Containers whose values are dropped, or that carry no derivative, beside active ones that are made or filled from them."""
import numpy as np
import pytest

import adcompiler as ad


def dropped_one_by_one(x):
    stack, s = [], 0.0
    for k in range(3):
        t = x * x * k
        stack.append(t)
        s += t
    while stack:
        stack.pop()
    return s


def popped_for_a_test(x):
    stack, s = [], 0.0
    for k in range(3):
        t = x * x * k
        stack.append(t)
        s += t
    for _ in range(3):
        w = stack.pop()
        if w > 0.2:
            s = s * 1.5
    return s


def extended_by_constants(x):
    a, c = [x], [1.0, 2.0]
    a.extend(c)
    c.append(3.0)
    a.append(x * x)
    return a[0] * a[3]


def in_place_sum_with_constants(x):
    a, c = [x], [1.0, 2.0]
    a += c
    c.pop()
    a.append(x * x)
    return a[0] * a[3]


def sum_with_constants(x):
    a, c = [x, x * 2], [1.0]
    b = a + c
    c.append(2.0)
    return b[0] * b[1]


def slice_that_is_not_used(x):
    a = [x, x * 2]
    c = a[:]
    c.append(x * 5)
    return a[0] * a[1]


def slice_replaced_by_constants(x):
    a, c = [x, x * 2, x * 3], [1.0]
    a[1:2] = c
    c.append(2.0)
    return a[0] * a[2]


def updated_by_constants(x):
    d, e = {"a": x}, {"b": 1.0}
    d.update(e)
    e["a"] = 2.0
    return d["a"] * d["a"]


def repeated_and_changed(x):
    a = [x]
    b = a * 2
    b.append(x * 7)
    b.pop(0)
    return a[0] ** 2


def copies_of_all_kinds(x):
    a = [x, 2 * x]
    b = list(a)
    b.pop()
    c = sorted(a)
    c.pop()
    d = a.copy()
    d.clear()
    e = a[::-1]
    e.append(1.0)
    return a[0] ** 2 * a[1]


def copies_of_dicts(x):
    d = {"a": x, "b": x * x}
    v = list(d.values())
    v.append(3.0)
    e = dict(d)
    e["z"] = x
    del e["a"]
    return d["a"] * d["b"]


PROGRAMS = [
    dropped_one_by_one, popped_for_a_test, extended_by_constants, in_place_sum_with_constants, sum_with_constants,
    slice_that_is_not_used, slice_replaced_by_constants, updated_by_constants, repeated_and_changed, copies_of_all_kinds,
    copies_of_dicts,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(f):
    wanted = (f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6
    assert ad.grad(f)(1.3) == pytest.approx(wanted, rel=1e-6)
    assert ad.vjp(f, 1.3, wrt=0)[1](1.0) == ad.grad(f)(1.3)
    assert ad.jvp(f, (1.3,), (1.0,))[1] == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivative(f):
    gradient = ad.grad(f)
    wanted = (gradient(1.3 + 1e-6) - gradient(1.3 - 1e-6)) / 2e-6
    try:
        got = ad.grad(gradient)(1.3)
    except ad.AdcompilerError as error:
        assert error.hint
        return
    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-7)
