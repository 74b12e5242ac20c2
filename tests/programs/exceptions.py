"""try, except, else, finally; exceptions that reach the caller."""
import contextlib
import math

import numpy as np
from numpy import array

from tests.programs.program import Program


class Diverged(Exception):
    def __init__(self, value):
        super().__init__("diverged")
        self.value = value


def handler_not_taken(x):
    try:
        y = math.log(x)
    except ValueError:
        y = -100.0 * x
    return y * x


def handler_taken(x):
    y = x * x
    try:
        y = y * 3.0
        math.sqrt(-y)
        y = y * 100.0
    except ValueError:
        y = y + x
    return y * y


def handler_in_loop(x):
    s = 0.0
    for v in x:
        try:
            s = s + math.sqrt(v)
        except ValueError:
            s = s - 2.0 * v * s
            continue
        s = s * 1.1
    return s


def raised_by_helper(x):
    def checked(v):
        if v > 1.0:
            raise ValueError("too large")
        return v * v

    total = 0.0
    for k in range(4):
        try:
            total = total + checked(x * k)
        except ValueError as error:
            total = total + len(error.args) * x * total
    return total


def else_and_finally(x):
    log = []
    try:
        y = x * x
    except ZeroDivisionError:
        y = 0.0
    else:
        y = y + x
        log.append(y)
    finally:
        log.append(3.0 * x)
    return log[0] * log[1] * len(log)


def finally_after_exception(x):
    y = x
    try:
        try:
            y = y * 2.0
            raise KeyError("leave")
        finally:
            y = y * x
    except KeyError:
        y = y + 1.0
    return y * y


def return_through_finally(x):
    a = np.zeros(2)
    try:
        a[0] = x * x
        return a[0] * 3.0
    finally:
        a[0] = 7.0


def stores_before_exception(x):
    a = x * 1.0
    try:
        for i in range(10):
            a[i] = a[i] * a[i]
    except IndexError:
        a[0] = a[0] * a[1]
    return np.sum(a)


def which_handler(x, kind):
    try:
        if kind == "key":
            y = {"a": x}["b"]
        elif kind == "zero":
            y = x / (1 - 1)
        else:
            y = x * x
    except (KeyError, IndexError):
        y = 3.0 * x
    except ZeroDivisionError:
        y = x ** 3
    return y * x


def carried_by_exception(x):
    try:
        for k in range(10):
            x = x * 1.7
            if x > 4.0:
                raise Diverged(x * k)
    except Diverged as error:
        return error.value * x
    return x


def default_on_missing_key(x, table):
    total = 0.0
    for name in ("a", "b", "c"):
        try:
            total = total + table[name] * x
        except KeyError:
            total = total * x
    return total


def suppressed(x):
    y = x
    with contextlib.suppress(ZeroDivisionError):
        y = y * x
        y = y / 0
        y = y * 50.0
    return y * 2.0


def raises_value_error(x):
    if x > 0.5:
        raise ValueError("x is too large")
    return x * x


def failing_assert(x):
    y = x * x
    assert y < 0.1, "y must be small"
    return y


def division_by_zero(x):
    return x / (x - x)


def bad_index(x):
    return x[7] * x[0]


def reraised(x):
    try:
        return math.log(-x)
    except ValueError as error:
        raise KeyError("negative") from error


V3 = array([0.7, -1.2, 2.1])

PROGRAMS = [
    Program(handler_not_taken, (0.7,), note="try that succeeds"),
    Program(handler_not_taken, (-0.7,), note="handler taken, nothing was written", label="taken"),
    Program(handler_taken, (0.7,), note="values written before the exception count"),
    Program(handler_in_loop, (array([0.7, -1.2, 2.1, -0.2]),), note="handler taken in some passes"),
    Program(raised_by_helper, (0.45,), note="the exception comes from a helper"),
    Program(else_and_finally, (0.7,), note="else and finally"),
    Program(finally_after_exception, (0.7,), note="finally runs on the way out"),
    Program(return_through_finally, (0.7,), may_refuse=True, note="finally after return"),
    Program(stores_before_exception, (V3,), note="array stores before the exception stay"),
    Program(which_handler, (0.7, "key"), note="several handlers", label="key"),
    Program(which_handler, (0.7, "zero"), note="several handlers", label="zero"),
    Program(which_handler, (0.7, "none"), note="several handlers", label="none"),
    Program(carried_by_exception, (0.7,), may_refuse=True, note="an exception object carries an active value"),
    Program(default_on_missing_key, (0.7, {"a": 2.0, "c": -1.0}), (0, 1), note="missing key as control flow"),
    Program(suppressed, (0.7,), may_refuse=True, note="contextlib.suppress"),
    Program(raises_value_error, (0.7,), raises=ValueError, note="the user's raise reaches the caller"),
    Program(raises_value_error, (0.4,), note="raise in a branch not taken", label="fine"),
    Program(failing_assert, (0.7,), raises=AssertionError, note="a failing assert"),
    Program(division_by_zero, (0.7,), raises=ZeroDivisionError, note="division of Python floats by zero raises"),
    Program(bad_index, (V3,), raises=IndexError, note="index out of range"),
    Program(reraised, (0.7,), raises=KeyError, note="raise from"),
]
