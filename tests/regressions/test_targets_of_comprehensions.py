"""A target of a comprehension may have the name of what its first iterable reads: that is the name of the scope around."""
import numpy as np
import pytest

from tests.programs.check import check_program
from tests.programs.program import Program


def list_of_itself(x):
    xs = [x[0], x[1]]
    return sum([xs * xs for xs in xs])


def parameter_and_after(x):
    return sum([x * x for x in x]) + x[0]


def rebound(x):
    x = [x * x for x in x if x > 0.0]
    return x[0] * x[1]


def lambda_inside(x):
    return sum((lambda x: 3.0 * x * x)(x) for x in x)


def second_generator(x):
    return sum([x * y * x for x in x for y in (x, 2.0)])


def dict_of_itself(x):
    d = {0: x[0], 1: x[1]}
    d = {k: d * d for k, d in d.items()}
    return d[0] * d[1]


def inner_comprehension(x):
    return sum([sum([x * k for k in range(3)]) * x for x in x])


def copied(x):
    e = [x for x in x]
    return e[0] * e[1]


def called(x):
    e = [np.sin(x) for x in x]
    return e[0] * e[1]


@pytest.mark.parametrize(
    "function",
    [
        list_of_itself, parameter_and_after, rebound, lambda_inside, second_generator, dict_of_itself,
        inner_comprehension, copied, called,
    ],
)
def test_gradient(function):
    check_program(Program(function, (np.array([1.3, 2.1]),)))
