"""`itertools` over active values: the list of what the iterator gives, unless the loop changes what it reads."""
import itertools
import operator

import numpy as np
import pytest

import adcompiler as ad

X = np.array([0.7, -0.3, 1.1, 0.45])


def over_arrays_and_lists(x):
    squares = [v * v for v in x]
    s = sum((b - a) ** 2 for a, b in itertools.pairwise(x))
    for a, b in itertools.pairwise(squares):
        s += a * b
    for k, v in enumerate(itertools.accumulate(x, operator.mul, initial=2.0)):
        s += k * v * v
    for v in itertools.chain(x, [x[0] * x[1]], x[:2]):
        s = s * 0.5 + v * v
    for a, b in itertools.product(x, repeat=2):
        s += np.sin(a * b)
    for a, b in itertools.combinations(squares, 2):
        s += (a - b) ** 2
    return s + sum(itertools.islice(squares, 1, 3)) * list(itertools.accumulate(x))[-1] ** 2


def beside_endless_ones(x):
    s = 0.0
    for v, w in zip(x, itertools.cycle([1.0, -1.0])):
        s += v * v * w
    for k, v, w in zip(itertools.count(1), x, x[1:]):
        s += v * w * k
    return s


def until(x):
    s = 0.0
    for v in itertools.takewhile(lambda t: t < 1.0, x):
        s += v * v
    return s


@pytest.mark.parametrize("f", [over_arrays_and_lists, beside_endless_ones, until])
def test_iterators(f):
    ad.check_gradients(f, X)
    direction = np.array([0.3, 1.0, -0.5, 0.2])
    assert np.isclose(ad.jvp(f, (X,), (direction,))[1], ad.grad(f)(X) @ direction)


def change_of_the_array(x):
    s = 0.0
    for v in itertools.chain(x, x[:2]):
        s += v * v
        x[2] = 5.0 * v
    return s


def change_of_the_list(x):
    s, values = 0.0, [x[0], x[1]]
    for a, b in itertools.pairwise(values):
        s += a * b
        values.append(5.0 * a)
    return s


def name_for_an_iterator(x):
    values = itertools.chain(x, x[:2])
    return sum(values) + sum(values)


@pytest.mark.parametrize("f, reason", [
    (change_of_the_array, "changes what the iterator reads"),
    (change_of_the_list, "changes what the iterator reads"),
    (name_for_an_iterator, "an iterator over active values that gets a name"),
])
def test_refused(f, reason):
    with pytest.raises(ad.UnsupportedSyntaxError, match=reason) as caught:
        ad.grad(f)(X)
    assert caught.value.hint and caught.value.lineno


def test_loops_over_what_nothing_is_put_into():
    def f(x):
        found, s = [], x[0]
        for t in []:
            s = s + t * x[1]
        for t in found:
            s *= t
        if found:
            s = found.pop() * 0.6
        for i in range(3):
            s -= x[i] * s
        return s + sum([t * x[1] for t in found])

    ad.check_gradients(f, X)
