"""Helpers that get no active value are called as they are, whatever stands in them; the caller's own statements stay."""

import operator
import random

import numpy as np
import pytest

import adcompiler as ad
from tests.programs.differentiate import assert_clear


def doubles(n):
    def running():
        for i in range(n):
            yield i * 2

    total = 0
    if n > 0:
        for v in running():
            if v > 5:
                break
            total += v
    return total


def after_a_helper(x, n):
    power = doubles(n)
    return x**power


def in_a_branch(x, n):
    y = x * 2.0
    if n > 1:
        y = y ** doubles(n)
    return y * x


def own_generator_of_counts(x, n):
    def counts(m):
        for i in range(m):
            yield i

    return sum(x * k * k for k in counts(n))


def methods_of_the_library(x, n):
    random.seed(n)
    k = (4).to_bytes(2, "big")[1]
    return x**2 * random.random() * k


def digits(x, n):
    y = x * 1.0
    for bit in bin(n)[2:]:
        y = y * y * 0.7
        if bit == "1":
            y = y * x
    for place, bit in enumerate(np.binary_repr(n)):
        y = y + place * x if bit == "1" else y
    return y


def operations_by_sign(x, n):
    functions = {"+": operator.add, "*": operator.mul, "-": operator.sub}
    stack = []
    for sign in "0 1 + 2 * 3 -".split():
        if sign in functions:
            b, a = stack.pop(), stack.pop()
            stack.append(functions[sign](a + 2.0, b))
        else:
            stack.append(x * (int(sign) + 1.0))
    return stack[0]


def generator_with_a_name(x, n):
    counts = (k * 2 for k in range(n))
    first, second = next(counts), next(counts)
    return x**2 * (first + second) + x * sum(counts)


PROGRAMS = [generator_with_a_name, after_a_helper, in_a_branch, own_generator_of_counts, methods_of_the_library, digits, operations_by_sign]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_gradient(program):
    x, n, h = 1.3, 5, 1e-6
    value, slope = ad.value_and_grad(program)(x, n)
    assert value == program(x, n)
    assert slope == pytest.approx((program(x + h, n) - program(x - h, n)) / (2 * h), rel=1e-7)


def counted_by_a_generator(x, n):
    seen = 0

    def counting():
        nonlocal seen
        for i in range(n):
            seen += 1
            yield i

    total = 0
    for i in counting():
        total += i
    return x * seen * total


def active_generator(x, n):
    def powers():
        for i in range(n):
            yield x**i

    return sum(v for v in powers())


def counted_by_a_kept_generator(x, n):
    seen = 0

    def counting():
        nonlocal seen
        for i in range(n):
            seen += 1
            yield i

    it = counting()
    return x * seen * next(it) + x * seen


@pytest.mark.parametrize("program", [counted_by_a_generator, active_generator])
def test_generators_that_change_something_are_followed(program):
    step = 1e-6
    by_difference = (program(1.3 + step, 5) - program(1.3 - step, 5)) / (2 * step)
    assert abs(ad.grad(program)(1.3, 5) - by_difference) < 1e-6 * abs(by_difference)


def test_a_kept_generator_that_changes_something_is_refused():
    with pytest.raises(ad.UnsupportedSyntaxError, match="generator function") as caught:
        ad.grad(counted_by_a_kept_generator)(1.3, 5)
    assert_clear(caught.value)


def key_that_counts(x, n):
    seen = 0

    def count(v):
        nonlocal seen
        seen += 1
        return v

    return x * seen * len(sorted({3: 1, 2: 5, n: 4}, key=count))


@pytest.mark.parametrize("program", [key_that_counts])
def test_functions_that_bind_names_again_unseen_are_refused(program):
    with pytest.raises(ad.UnsupportedSyntaxError, match="unseen") as caught:
        ad.grad(program)(1.3, 5)
    assert_clear(caught.value)


def entries_changed_by_a_key(x, n):
    a = np.ones(3)

    def changing(k):
        a[k] += 1.0 + k
        return -k

    y = x * a[1] * x
    order = sorted({0, 1, 2}, key=changing)
    return y * a[1] * a[2] * order[0]


def entries_changed_by_a_comprehension(x, n):
    a = np.ones(3)

    def changing(k):
        a[k] += 1.0 + k
        return -k

    y = x * a[1] * x
    places = {changing(k) for k in range(3)}
    return y * a[1] * a[2] * len(places)


@pytest.mark.parametrize("program", [entries_changed_by_a_key, entries_changed_by_a_comprehension])
def test_what_functions_change_unseen_is_kept(program):
    x = 1.3
    value, slope = ad.value_and_grad(program)(x, 5)
    assert value == program(x, 5)
    assert slope == pytest.approx(2 * value / x, rel=1e-12)
