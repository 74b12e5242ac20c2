"""Lists of constants and other objects that the compiler does not look into: what is read of them is kept before they change."""
import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline

A = np.array([1.0, 2.0])
LOG = [1.0, 2.0]


def length_of_a_list_in_a_test(x, a):
    q = [a[0] for t in a]
    if len(q) > 1:
        x = q.pop(1)
    return 0.5 + x


def a_set(x, a):
    seen = set([1, 2])
    if len(seen) > 1:
        seen.clear()
        x = 0.0
    return 0.5 + x


def membership(x, a):
    q = [v for v in (1.0, 2.0)]
    for _ in range(len(q)):
        if 2.0 in q:
            q.remove(2.0)
            x = 3 * x
    return 0.5 + x


def lengths_as_factors(x, a):
    q = sorted(a)
    y = x * len(q)
    q.pop()
    z = x * len(q)
    q.pop()
    return y * y + z * z


def elements_as_factors(x, a):
    q = sorted(a)
    y = np.sin(x) * q[0]
    q.pop(0)
    return y * y * q[0]


def stored_into(x, a):
    q = sorted(a)
    y = np.sin(x) * q[0]
    q[0] = 7.0
    return y * y * q[0]


def a_global_list(x, a):
    y = np.sin(x) * LOG[0]
    LOG.insert(0, 5.0)
    z = np.sin(x) * LOG[0]
    LOG.pop(0)
    return y * y + z


def a_dict(x, a):
    d = dict(zip("ab", a))
    y = x * d["a"]
    d["a"] = 3.0
    z = y * d["a"]
    d.update(a=9.0)
    return z * z * d["a"]


def a_stack_in_a_loop(x, a):
    q = sorted(a)
    s = x
    while q:
        s = s * q[-1] * s
        q.pop()
    return s


def another_name(x, a):
    q = sorted(a)
    r = q
    y = x * x * r[0]
    q.reverse()
    return y * y * r[0]


def texts(x, a):
    names = ["sin", "cos"]
    s = x
    while names:
        n = names.pop()
        s = np.sin(s) if n == "sin" else np.cos(s)
    return s


PROGRAMS = [
    length_of_a_list_in_a_test, a_set, membership, lengths_as_factors, elements_as_factors, stored_into, a_global_list, a_dict,
    a_stack_in_a_loop, another_name, texts,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("switches", [{}, {"simplify": False}, {"tbr": False}], ids=str)
def test_gradients(program, switches):
    want = (program(0.3 + 1e-6, A) - program(0.3 - 1e-6, A)) / 2e-6
    with pipeline.switched(**switches):
        assert ad.grad(program)(0.3, A) == pytest.approx(want, rel=1e-7)
        _, pullback = ad.vjp(program, 0.3, A, wrt="x")
        assert pullback(1.0) == pytest.approx(want, rel=1e-7)
        assert ad.jvp(program, (0.3, A), (1.0,), wrt=("x",))[1] == pytest.approx(want, rel=1e-7)


def read_by_an_adjoint(x, a):
    q = sorted(a)
    y = np.dot(x * np.ones(2), q)
    q[0] = 7.0
    return y * y * q[0]


def emptied(x, a):
    q = sorted(a)
    y = np.interp(x, [0.0, 1.0], q)
    q.clear()
    return y * y


@pytest.mark.parametrize("program", [read_by_an_adjoint, emptied])
def test_an_adjoint_that_reads_the_object_itself_is_refused(program):
    with pytest.raises(ad.UnsupportedSyntaxError, match="the derivative of this reads 'q', which changes later") as caught:
        ad.grad(program)(0.3, A)
    assert caught.value.lineno and "copy it before" in caught.value.hint
