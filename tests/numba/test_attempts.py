"""`try` in compiled code: left out where nothing can raise, one handler that catches everything where one is enough."""

import contextlib
import math

import numpy as np
import pytest

import adcompiler as ad


def quotient(x, n):
    try:
        y = 2.0 / n
    except ZeroDivisionError:
        y = 0.5
    return y * np.sum(x)


def bound_in_either_place(x, n):
    try:
        y = 2.0 / n
    except (KeyError, IndexError):
        y = x[0]
    except ZeroDivisionError:
        y = x[1] ** 3
    return y * x[2]


def behind_the_end(x, n):
    s = 1.0
    for k in range(4):
        try:
            s = s + x[k] * n
            s = s * x[0]
        except IndexError:
            s = s * 3.0
    return s


def with_else_and_finally(x, n):
    s = 0.0
    for v in x:
        try:
            if v > n:
                raise ValueError("too large")
            s += v * v
        except ValueError:
            s += 2.0 * v * s
        else:
            s *= 1.5
        finally:
            s += v
    return s


def root(v):
    if v < 0.0:
        raise ValueError("negative")
    return math.sqrt(v)


def raised_by_helper(x, n):
    s = 0.0
    for v in x:
        try:
            s += root(v - 0.9 * n) * v
        except (ValueError, TypeError):
            s += v**3 * s
    return s + x[0]


def stores_before(x, n):
    y = np.zeros(3)
    try:
        y[0] = x[0] * 2.0
        y[1] = 1.0 / n
        y[2] = x[2]
    except ZeroDivisionError:
        y[1] = x[1] * 5.0
    return np.sum(y * x)


def alone_for_its_error(x, n):
    y = x[0] * x[1]
    try:
        y = y * 3.0
        math.sqrt(n - 1.0)
        y = y * 100.0
    except ValueError:
        y = y + x[2]
    return y * y


def nothing_raises(x, n):
    with np.errstate(divide="ignore"), contextlib.suppress(ValueError):
        y = np.log(x) * n
    return y.sum()


PROGRAMS = (
    quotient, bound_in_either_place, behind_the_end, with_else_and_finally, raised_by_helper, stores_before, alone_for_its_error,
    nothing_raises,
)  # fmt: skip
point = np.array([0.5, 2.0, 1.0])


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_handlers_are_taken_as_in_python(function):
    compiled, plain = ad.value_and_grad(function, backend="numba"), ad.value_and_grad(function)
    for n in (0, 1, 3):
        (value, gradient), (wanted, other) = compiled(point, n), plain(point, n)
        assert wanted == function(point, n)
        np.testing.assert_allclose(value, wanted, rtol=1e-13)
        np.testing.assert_allclose(gradient, other, rtol=1e-13)


def test_what_cannot_raise_leaves_no_trace():
    assert "try" not in ad.differentiable(nothing_raises, backend="numba").source("gradient", point, 2).replace("# try", "")


def two_handlers(x, n):
    try:
        y = x[n] * 2.0 / n
    except IndexError:
        y = x[0]
    except ZeroDivisionError:
        y = x[1]
    return y * y


def two_errors(x, n):
    y = x[2]
    try:
        y = 1.0 / n * math.sqrt(n - 1.0)
    except ValueError:
        y = x[0]
    except ZeroDivisionError:
        y = x[1]
    return y * y


def passes(x, n):
    s = 0.0
    for v in x:
        try:
            s = s + 1.0 / n
        except ValueError:
            s = v
    return s * x[0]


def told_by_numpy(x, n):
    try:
        y = np.sqrt(x - n)
    except (FloatingPointError, RuntimeWarning):
        y = x
    return np.sum(y)


def unknown(x, n):
    try:
        y = np.sum(np.linalg.solve(np.outer(x, x) * n, x))
    except np.linalg.LinAlgError:
        y = x[0]
    return y * y


def test_one_error_of_several_handlers_is_enough():
    np.testing.assert_allclose(ad.grad(two_handlers, backend="numba")(point, 5), ad.grad(two_handlers)(point, 5))


@pytest.mark.parametrize("function, message", [
    (two_errors, "several handlers may be reached"), (passes, "lets ZeroDivisionError pass"), (unknown, "may raise any error"),
    (told_by_numpy, "catches FloatingPointError"),
])  # fmt: skip
def test_other_attempts_are_refused(function, message):
    with pytest.raises(ad.UnsupportedSyntaxError, match=message) as caught:
        ad.grad(function, backend="numba")(point, 3)
    assert caught.value.lineno
