"""A function that a loop binds anew carries what it holds: it is refused where it cannot be told, never a constant."""
import functools

import pytest

import adcompiler as ad


class Scaling:
    def __init__(self, factor):
        self.factor = factor

    def of(self, x):
        return self.factor * x


def scaled(factor, x):
    return factor * x


def bound_method(w):
    f, total = Scaling(w).of, 1.0
    for _ in range(3):
        total = total + f(2.0)
        f = Scaling(total).of
    return total


def partial(w):
    f, total = functools.partial(scaled, w), 1.0
    for _ in range(3):
        total = total + f(2.0)
        f = functools.partial(scaled, total)
    return total


def closure(w):
    total = 1.0
    f = lambda x: w * x  # noqa: E731
    for _ in range(3):
        total = total + f(2.0)
        f = lambda x: total * x  # noqa: E731, B023
    return total


def keyword_default(w):
    made = []
    for k in range(1, 4):

        def scale(x, *, k=k, factor=w):
            return factor * x**k

        made.append(scale)
    w = w * w
    return made[0](w) + made[2](2.0)


@pytest.mark.parametrize("f", [bound_method, partial, closure, keyword_default])
def test_right_or_refused(f):
    try:
        ad.check_gradients(f, 0.3)
    except ad.GradientMismatchError:
        raise
    except ad.AdcompilerError as error:
        assert error.hint and error.filename == __file__


def test_a_function_of_one_trip():
    def f(w):
        total = 1.0
        for k in range(3):
            g = functools.partial(scaled, w + k)
            total = total + g(2.0)
        return total

    ad.check_gradients(f, 0.3)
