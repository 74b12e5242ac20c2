"""Chains of operations of a tangent run in the memory of an array that is not read any more, and of no other."""
import numpy as np
import pytest

import adcompiler as ad
from adcompiler import pipeline
from tests.test_tangent_texts import X, elementwise, in_a_loop, tangent_lines

SINGLE = X.astype(np.float32)
COLUMN = X[:, None]


def other_name(x, w):
    t = np.exp(x)
    kept = t
    y = t * x
    return np.sum(y * w) + np.sum(kept * x)


def view_before(x, w):
    t = np.exp(x)
    part = t[::-1]
    y = t * x
    return np.sum(y * part)


def in_a_list(x, w):
    t = np.exp(x)
    rows = [t, x]
    y = t * x
    return np.sum(y * rows[0] * rows[1])


def read_by_a_function(x, w):
    t = np.exp(x)
    later = lambda z: z * t  # noqa: E731
    y = t * x
    return np.sum(later(y) * w)


def read_again_in_the_next_trip(x, w):
    t = np.exp(x)
    y = x
    for _ in range(3):
        y = t * y + x
        y = y * w
    return np.sum(y)


def broadcast_up(x, w):
    t = np.exp(x)
    y = t * w  # w may be a column
    return np.sum(y * y)


def other_precision(x, w):
    t = np.exp(w)  # w may be of single precision
    y = t * x
    z = np.sin(w) * w
    return np.sum(y * z)


def stopped_half_way(x, w):
    y = x * 3.0
    try:
        with np.errstate(all="raise"):
            t = np.exp(x) * w
            y = t * 1e300 * 1e300
    except FloatingPointError:
        pass
    return np.sum(y * y)


def squares(x, w):
    t = np.exp(x) * w
    y = t * t
    z = 2.0 - y * 0.5
    return np.sum(z / (1.0 + x * x))


def returned(x, w):
    t = np.exp(x)
    y = t * w
    return y, np.sum(np.sin(y) * x)


def recursive(x, w, n=2):
    if n == 0:
        return x * w
    t = np.exp(-x)
    y = t * recursive(x * 0.5, w, n - 1)
    return y * x


def summed(x, w):
    return np.sum(recursive(x, w))


PROGRAMS = [other_name, view_before, in_a_list, read_by_a_function, read_again_in_the_next_trip, broadcast_up, other_precision,
            stopped_half_way, squares, returned, summed]


@pytest.mark.parametrize("w", [X + 0.3, SINGLE, COLUMN, 0.7], ids=["array", "single", "column", "number"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_nothing_else_is_written_into(f, w):
    def call():
        directions = np.cos(X), np.sin(w) if isinstance(w, float) else np.sin(w, dtype=w.dtype)
        return ad.jvp(f, (X, w), directions, wrt=(0, 1))

    x_before, w_before = X.copy(), np.copy(w)
    value, tangent = map(parts, call())
    with pipeline.switched(simplify=False):
        plain = tuple(map(parts, call()))
    for got, expected in ((value, plain[0]), (tangent, plain[1]), (value, parts(f(X, w)))):
        for a, b in zip(got, expected, strict=True):
            assert np.array_equal(a, b) and np.asarray(a).dtype == np.asarray(b).dtype
    assert np.array_equal(X, x_before) and np.array_equal(w, w_before)
    assert not any(np.shares_memory(a, b) for a in value for b in (*tangent, X, w))


def parts(result) -> tuple:
    return result if isinstance(result, tuple) else (result,)


def test_the_chain_of_a_line_reads_as_one_operation_for_each_line():
    text = "\n".join(tangent_lines(elementwise, X))
    assert "y_dot = t\ny_dot *= x_dot\ny_dot *= 2.0\ny_dot *= t_2\ny_dot *= t_3\ny_dot += x_dot * np.cos(x) * t_2" in text
    assert text.endswith("terms += x_dot * t_6\nreturn (t_6 * x).sum(), terms.sum()")
    text = "\n".join(tangent_lines(in_a_loop, X, 3))  # x_dot is bound anew from what it was
    assert "t *= x_dot\n" in text and "t += x_dot\nx_dot = t\n" in text
    assert "*=" not in "\n".join(tangent_lines(elementwise, SINGLE))
    assert "*=" not in "\n".join(tangent_lines(lambda a: np.exp(-a * a) * np.sin(a), 2.0))


def test_tangents_that_are_differentiated_again_keep_their_values():
    """A value that is overwritten would have to be taped."""
    def slope(x):
        return ad.jvp(elementwise, (x,), (np.cos(X),))[1]

    text = ad.differentiable(slope).source("gradient", X)
    assert "terms" not in text
    assert np.allclose(ad.grad(slope)(X), ad.hvp(elementwise)(X, np.cos(X)), rtol=1e-12)
