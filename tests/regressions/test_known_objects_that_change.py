"""Texts and functions in attributes and entries are known while compiling only as long as nothing else is stored there."""

import pytest

import adcompiler as ad
from tests.programs.differentiate import assert_clear


class Machine:
    calls = 0

    def __init__(self):
        self.mode, self.combine, self.flag = "start", max, None


def changed_at_once(x, n):
    m = Machine()
    m.mode = "run"
    return x * (2.0 if m.mode == "run" else 3.0)


def changed_in_a_branch(x, n):
    m = Machine()
    if x > 0.0:
        m.mode = "run"
    m.flag = "set" if n > 2 else "unset"
    return x * x * (2.0 if m.mode == "run" else 3.0) * (5.0 if m.flag == "set" else 7.0)


def states_in_a_loop(x, n):
    m, y = Machine(), x
    for k in range(n):
        if m.mode == "start":
            m.mode = "run"
            y = y * 2.0
        elif m.mode == "run":
            m.mode = "stop" if k > 2 else "run"
            y = y * x
        else:
            y = y + 1.0
    return y


def entries_of_a_dict(x, n):
    state, y = {"mode": "start", "last": "none"}, x
    for k in range(n):
        state["last"] = state["mode"]
        state["mode"] = "run" if state["mode"] == "start" else "start"
        y = y * x if state["last"] == "run" else y * 2.0
    return y


PROGRAMS = [changed_at_once, changed_in_a_branch, states_in_a_loop, entries_of_a_dict]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x, n", [(1.3, 5), (1.3, 2), (-0.7, 4)])
def test_value_and_gradient(program, x, n):
    h = 1e-6
    value, slope = ad.value_and_grad(program)(x, n)
    assert value == pytest.approx(program(x, n), rel=1e-14)
    assert slope == pytest.approx((program(x + h, n) - program(x - h, n)) / (2 * h), rel=1e-7)
    assert ad.jvp(program, (x, n), (1.0,), wrt=(0,)) == pytest.approx((value, slope), rel=1e-14)


def functions_in_an_attribute(x, n):
    m = Machine()
    m.combine = min
    return m.combine(x, 2.0)


def counts_read_through_an_object(x, n):
    Machine.calls += 1
    return x * Machine().calls


@pytest.mark.parametrize("program", [functions_in_an_attribute, counts_read_through_an_object])
def test_refused_with_a_hint(program):
    with pytest.raises(ad.UnsupportedSyntaxError) as caught:
        ad.grad(program)(1.3, 5)
    assert_clear(caught.value)


def counts_in_a_class(x):
    before = Machine.calls
    Machine.calls += 2
    return x**2 * (Machine.calls - before) + Machine.calls


def test_an_attribute_of_a_class_is_read_as_it_is_then():
    Machine.calls = 3
    assert ad.value_and_grad(counts_in_a_class)(1.5) == (9.5, 6.0)
    assert ad.value_and_grad(counts_in_a_class)(1.5) == (11.5, 6.0)
    assert Machine.calls == 7
    assert ad.jvp(counts_in_a_class, (1.5,), (1.0,)) == (13.5, 6.0)
