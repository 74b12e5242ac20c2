"""Lists of constants and other objects that the compiler does not look into: what is read of them is kept before they change."""
import random

import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline
from adcompiler.runtime.kept_objects import kept_object

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


def a_test_of_a_list(x, a):
    q = sorted(a)[:1]
    s = x
    if q:
        s = s * s * q.pop()
    return s * s


def changed_inside_a_dict(x, a):
    q = sorted(a)
    d = {"q": q}
    y = np.dot(x * np.ones(2), q)
    d["q"][0] = 7.0
    return y * y * q[0]


def changed_inside_a_list(x, a):
    q = sorted(a)
    rows = [q, q]
    y = np.dot(x * np.ones(2), q)
    for r in rows:
        r[0] += 7.0
    return y * y * q[0]


def extended_in_place(x, a):
    q = np.array(a).tolist()
    r = q
    y = x * x * len(r)
    q += [3.0]
    return y * y * len(r)


def an_index_list(x, a):
    q = list(range(3))
    y = x * np.ones(3)
    w = y[q]
    q[0] = 2
    return np.sum(w * w) + np.sum(y[q] ** 3)


def changed_by_a_helper(x, a):
    q = sorted(a)
    return _taken(x, q) * _taken(x, q)


def _taken(x, q):
    return x * x * q.pop(0)


def changed_by_the_library(x, a):
    q = sorted(a)
    y = x * x * q[0]
    random.seed(3)
    random.shuffle(q)
    return y * y * q[0]


def deleted_from(x, a):
    q = sorted(a)
    y = 0.0
    while len(q) > 0 and x < 1:
        y = y + x * x * q[0]
        del q[0]
    return y


def a_segment(x, a):
    q = sorted(a)
    s = x
    with ad.checkpoint():
        s = s * s * q[0]
        q[0] = 5.0
        s = np.sin(s) * q[0]
    return s


def behind_a_checkpointed_loop(x, a):
    q = sorted(a)
    s = x
    for _ in ad.checkpointed(range(2), snapshots=1):
        s = np.sin(s) * q[0]
    q[0] = 9.0
    return s


def an_iterator(x, a):
    it = iter([1.0, 2.0])
    y = x * next(it)
    z = y * y * next(it)
    return z * z


PROGRAMS = [
    length_of_a_list_in_a_test, a_set, membership, lengths_as_factors, elements_as_factors, stored_into, a_global_list, a_dict,
    a_stack_in_a_loop, another_name, texts, read_by_an_adjoint, emptied, a_test_of_a_list, changed_inside_a_dict,
    changed_inside_a_list, extended_in_place, an_index_list, changed_by_a_helper, changed_by_the_library, deleted_from, a_segment,
    behind_a_checkpointed_loop, an_iterator,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("switches", [{}, {"simplify": False}, {"tbr": False}], ids=str)
def test_gradients(program, switches):
    want = (program(0.3 + 1e-6, A) - program(0.3 - 1e-6, A)) / 2e-6
    with pipeline.switched(**switches):
        assert ad.grad(program)(0.3, A) == pytest.approx(want, rel=1e-7)
        _, pullback = ad.vjp(program, 0.3, A, wrt="x")
        assert pullback(1.0) == pytest.approx(want, rel=1e-7)
        assert ad.jvp(program, (0.3, A), (1.0,), wrt=("x",))[1] == pytest.approx(want, rel=1e-7)


def test_second_derivatives():
    for program in (elements_as_factors, read_by_an_adjoint, changed_inside_a_dict, an_iterator, changed_by_a_helper):
        want = (program(0.3 + 1e-4, A) + program(0.3 - 1e-4, A) - 2 * program(0.3, A)) / 1e-8
        assert ad.grad(ad.grad(program))(0.3, A) == pytest.approx(want, rel=1e-5)


def test_the_adjoint_reads_a_copy():
    assert "q_0 = kept_object(q)" in ad.differentiable(read_by_an_adjoint).source("gradient", 0.3, A)


def test_what_cannot_be_copied_is_an_error():
    with pytest.raises(ad.UnsupportedSyntaxError, match="cannot be copied"):
        kept_object(k for k in (0, 1))
