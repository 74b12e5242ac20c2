"""Memory of a constant array that changes under a name of another kind: `memoryview`, `x.data`, `x.flat`, bound methods."""
from functools import partial

import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline

A = np.array([1.0, 2.0])


def through_a_memoryview(x, w):
    v = memoryview(w)
    y = x * x * w
    v[0] = 5.0
    return np.sum(y * y * w)


def an_element_through_a_memoryview(x, w):
    v = memoryview(w)
    y = x * x * w[0]
    v[0] = 5.0
    return y * y * w[0]


def made_here(x, w):
    u = np.array([1.0, 2.0])
    v = memoryview(u)
    y = x * x * u
    v[0] = 5.0
    return np.sum(y * y * u)


def through_fill(x, w):
    f = w.fill
    y = x * x * w
    f(5.0)
    return np.sum(y * y * w)


def through_a_special_method(x, w):
    f = w.__setitem__
    y = x * x * w
    f(0, 5.0)
    return np.sum(y * y * w)


def through_data(x, w):
    d = w.data
    y = x * x * w
    d[0] = 7.0
    return np.sum(y * y * w)


def through_flat(x, w):
    it = w.flat
    y = x * x * w
    it[0] = 7.0
    return np.sum(y * y * w)


def through_frombuffer(x, w):
    v = np.frombuffer(w)
    y = x * x * w
    v[0] = 7.0
    return np.sum(y * y * w)


def through_frombuffer_by_keyword(x, w):
    v = np.frombuffer(buffer=w)
    y = x * x * w
    v[0] = 7.0
    return np.sum(y * y * w)


def through_the_class(x, w):
    v = np.ndarray((2,), float, w)
    y = x * x * w
    v[0] = 7.0
    return np.sum(y * y * w)


def through_other_types(x, w):
    v = w.view(np.int64)
    y = x * x * w
    v[0] = 0
    return np.sum(y * y * w)


def through_a_masked_array(x, w):
    v = np.ma.array(w, copy=False)
    y = x * x * w
    v[0] = 7.0
    return np.sum(y * y * w)


def through_a_partial(x, w):
    g = partial(np.copyto, w)
    y = x * x * w
    g(np.array([3.0, 4.0]))
    return np.sum(y * y * w)


PROGRAMS = [
    through_a_memoryview, an_element_through_a_memoryview, made_here, through_fill, through_a_special_method, through_data, through_flat,
    through_frombuffer, through_frombuffer_by_keyword, through_the_class, through_other_types, through_a_masked_array, through_a_partial,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("switches", [{}, {"simplify": False}, {"tbr": False}], ids=str)
def test_gradients(program, switches):
    want = (program(0.3 + 1e-6, A.copy()) - program(0.3 - 1e-6, A.copy())) / 2e-6
    with pipeline.switched(**switches):
        assert ad.grad(program)(0.3, A.copy()) == pytest.approx(want, rel=1e-7)
        _, pullback = ad.vjp(program, 0.3, A.copy(), wrt="x")
        assert pullback(1.0) == pullback(1.0) == pytest.approx(want, rel=1e-7)


def test_second_derivatives():
    for program in PROGRAMS:
        want = (program(0.3 + 1e-4, A.copy()) + program(0.3 - 1e-4, A.copy()) - 2 * program(0.3, A.copy())) / 1e-8
        assert ad.grad(ad.grad(program))(0.3, A.copy()) == pytest.approx(want, rel=1e-5)
