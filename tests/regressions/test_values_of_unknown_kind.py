"""A name that is one kind of container on one path and another on the next: followed, or refused, never taken as constant."""
import numpy as np
import pytest
from numpy import array

import adcompiler as ad
from tests.programs.check import check_program
from tests.programs.program import Program


class First:
    def __init__(self, a):
        self.a = a

    def doubled(self):
        return 2.0 * self.a


class Second:
    def __init__(self, a):
        self.a = 3.0 * a

    def doubled(self):
        return 4.0 * self.a


class Node:
    def __init__(self, v, following=None):
        self.v = v
        self.following = following


def attribute_of_two_classes(x):
    if x[0] > 0.1:
        s = First(x[0] * x[0])
    else:
        s = Second(x[1])
    return s.a * 2.0


def method_of_two_classes(x):
    s = First(x[0]) if x[0] > 0.1 else Second(x[1])
    return s.doubled()


def two_classes_in_a_list(x):
    held = []
    for k in range(4):
        if k % 2:
            held.append(First(x[k]))
        else:
            held.append(Second(x[k]))
    total = 0.0
    for o in held:
        total = total + o.a
    return total


def element_by_position(x):
    held = [First(x[0]), Second(x[1])]
    k = 0
    while k < 1:
        k += 1
    return held[k].a * x[0]


def values_of_a_dict(x):
    held = {"a": x[0], "b": [x[1], x[2]], "c": First(x[3])}
    total = 0.0
    for key in held:
        if key == "a":
            total = total + held[key]
        elif key == "b":
            total = total + held[key][1]
        else:
            total = total + held[key].a
    return total


def linked_list(x):
    head = None
    for v in x:
        head = Node(v, head)
    total, node = 0.0, head
    while node is not None:
        total = total * 0.5 + node.v ** 2
        node = node.following
    return total


def store_through_either(x):
    y = x * 1.0
    s = First(y) if x[0] > 0.1 else Node(y)
    s.a[0] = 3.0 * x[1]
    return y.sum()


def inactive_store_through_either(x):
    first, second = First(x[0]), Second(x[1])
    s = first if x[0] > 0.1 else second
    s.a = 5.0
    return first.a * x[2] + second.a


def store_in_a_loop(x):
    kept = First(x[0])
    s = None
    for k in range(3):
        if s is None:
            s = kept
        else:
            s.a = 1.0
    return kept.a * x[1]


def list_or_array(x):
    t = x if x[0] > 1.0 else [x[0], x[1]]
    return t[0] * 1.0


def list_or_none(x):
    t = None
    if x[0] > 0.0:
        t = {"a": x[0]}
    return t["a"] * 1.0 if t else 1.0


def either_is_returned(x):
    return First(x) if x[0] > 0.1 else Second(x)


def argument_of_a_function(x):
    def read(s):
        return s.a

    s = First(x[0]) if x[0] > 0.1 else Second(x[1])
    t = s
    return read(t) * x[1]


def kept_in_a_tuple(x):
    pair = (First(x[0]), 1.0) if x[0] > 0.1 else (Second(x[1]), 2.0)
    for _ in range(2):
        pair = (pair[0], pair[1] * 2.0)
    return pair[0].a * pair[1]


def of_a_recursive_function(x):
    def chosen(n):
        if n > 2:
            return First(x[0])
        if n > 1:
            return Second(x[1])
        return chosen(n + 1)

    return chosen(0).a * x[2]


V = array([0.3, 1.2, -0.7, 2.1])


@pytest.mark.parametrize("f", [
    attribute_of_two_classes, method_of_two_classes, two_classes_in_a_list, element_by_position, values_of_a_dict,
    linked_list, store_through_either, inactive_store_through_either, store_in_a_loop, list_or_array, list_or_none,
    either_is_returned, argument_of_a_function, kept_in_a_tuple, of_a_recursive_function,
], ids=lambda f: f.__name__)
def test_right_or_refused(f):
    check_program(Program(f, (V,), may_refuse=True))


class Doubled(list):
    def __getitem__(self, k):
        return 2.0 * list.__getitem__(self, k)


class Other(dict):
    def get(self, key, default=None):
        return 3.0


class Squares(tuple):
    def __iter__(self):
        return (v * v for v in tuple.__iter__(self))


@pytest.mark.parametrize("f, container", [
    (lambda v: v[0] * v[1], Doubled([0.7, 1.1])), (lambda v: v.get("a") * v["a"], Other(a=0.7)),
    (lambda v: sum(v), Squares((0.7, 1.1))),
])
def test_classes_that_read_their_elements_another_way(f, container):
    with pytest.raises(ad.AdcompilerError):
        ad.grad(f)(container)
    assert np.isfinite(f(container))
