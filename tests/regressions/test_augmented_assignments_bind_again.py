"""`o.w += x` changes the array in place and then stores it: a property sees that, and what `x` bound meanwhile is lost."""
import dataclasses

import numpy as np
import pytest

import adcompiler as ad
from tests.programs.check import check_program
from tests.programs.program import Program

V4 = np.array([0.4, -0.7, 0.9, 0.25])
U4 = np.array([0.8, 0.35, -0.6, 1.1])


class Logged:
    """Its property notes what was stored, and keeps another array than it was given."""

    def __init__(self, w):
        self._w, self.first = w, 0.0

    @property
    def w(self):
        return self._w

    @w.setter
    def w(self, v):
        self.first += v[0]
        self._w = v[::-1]

    @property
    def tail(self):
        return self._w[1:]


class Scaled:
    """Its property gives a new array at each turn; so do its items."""

    def __init__(self, w):
        self._w, self.stored = w, []

    @property
    def w(self):
        return self._w * 2.0

    @w.setter
    def w(self, v):
        self._w = v

    @property
    def log(self):
        return self.stored

    @log.setter
    def log(self, v):
        self.stored = v + [v[0] * 0.5]

    def __getitem__(self, i):
        return self._w[i]

    def __setitem__(self, i, v):
        self.stored.append(np.sum(v))
        self._w[i] = v

    def replaced_by(self, v):
        old, self._w = self._w, v
        return old * 0.5


class Plain:
    def __init__(self, w):
        self.w = w

    def replaced_by(self, v):
        old, self.w = self.w, v
        return old * v


def property_stored_in_a_loop(x, y):
    o = Logged(x * 1.0)
    for k in range(3):
        o.w *= y
        o.w[1] += y[k]
    return np.sum(o.w * y) + o.first


def property_that_gives_a_new_array(x, y):
    o = Scaled(x * 1.0)
    o.w += y
    o.w **= 2
    o.log += [x[0], x[1]]
    o.log += [y[0]]
    return np.sum(o.w * y) + sum(o.log)


def items_of_an_object(x, y):
    o = Scaled(np.outer(x, y))
    o[1] += y
    o[0] *= o[1]
    return np.sum(o.w[:3] * x) + sum(o.stored)


def attribute_bound_by_the_value(x, y):
    o = Plain(x * 1.0)
    o.w += o.replaced_by(y)
    o.w *= x
    return np.sum(o.w * y)


def entries_bound_by_the_value(x, y):
    q, d = [x * 1.0, y * 1.0], {"a": x * 1.0, "b": [x[0]]}

    def bound_anew():
        q[0], d["a"], d["b"] = q[1], y * 0.5, [y[1]]
        return d["a"]

    q[0] += bound_anew()
    d["a"] *= bound_anew()
    d["b"] += list(bound_anew())
    q[0] *= d["a"]
    return np.sum(q[0] * x) + np.sum(q[1] * q[1]) + sum(d["b"])


def name_bound_by_the_value(x, y):
    a, items = x * 1.0, [x[0]]
    b, same = a, items

    def bound_anew():
        nonlocal a, items
        a, items = y * 1.0, [y[0], y[1]]
        return [2.0 * y[2]]

    a += bound_anew()[0]
    items += bound_anew()
    a = a * y
    return np.sum(a * x) + np.sum(b) + sum(items) * len(same)


PROGRAMS = [property_stored_in_a_loop, property_that_gives_a_new_array, items_of_an_object, attribute_bound_by_the_value,
            entries_bound_by_the_value, name_bound_by_the_value]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_both_modes(f):
    check_program(Program(f, (V4, U4), (0, 1)))
    gradients = ad.grad(f, wrt=(0, 1))(V4, U4)
    _, tangent = ad.jvp(f, (V4, U4), (U4, V4))
    assert np.isclose(tangent, gradients[0] @ U4 + gradients[1] @ V4, rtol=1e-12)


def property_without_a_setter(x):
    o = Logged(x * 1.0)
    o.tail *= 2.0
    return np.sum(o.w)


@dataclasses.dataclass(frozen=True)
class Frozen:
    w: np.ndarray


def frozen(x):
    o = Frozen(x * 1.0)
    try:
        o.w += x
    except dataclasses.FrozenInstanceError:
        o.w[0] = 1.0
    return np.sum(o.w)


def entry_of_a_tuple(x):
    t = (x * 1.0, x)
    try:
        t[0] += x
    except TypeError:
        t = t[::-1]
    return np.sum(t[0] ** 2)


class Answers:
    def __init__(self, w):
        self.w = w

    def __getattr__(self, name):
        return self.w * 2.0


def answered_and_then_set(x):
    o = Answers(x)
    o.u += x
    o.w = x * x
    return np.sum(o.u)


@pytest.mark.parametrize(
    "f, reason",
    [
        (property_without_a_setter, "the property 'tail' of Logged cannot be set"),
        (frozen, "'w' of the frozen dataclass Frozen is set"),
        (entry_of_a_tuple, "a store into something that does not change"),
        (answered_and_then_set, "the attribute 'u' of Answers is set here or there, and found by __getattr__"),
    ],
)
def test_what_cannot_be_stored_is_refused(f, reason):
    with pytest.raises(ad.UnsupportedSyntaxError, match=reason) as caught:
        ad.grad(f)(V4)
    assert caught.value.lineno and caught.value.hint
