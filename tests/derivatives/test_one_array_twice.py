"""One array as two arguments of a function that changes it, and None on one path, in derivatives of derivatives."""
import numpy as np
import pytest

import adcompiler as ad

X = np.array([0.5, 1.2, 0.7])


def changes_the_first(a, b):
    a[0] = b[1] * 2.0
    return np.sum(a * b)


def test_inside_a_function_is_refused():
    def f(x):
        y = x * 1.0
        return np.sum(ad.grad(changes_the_first)(y, y))

    with pytest.raises(ad.UnsupportedSyntaxError, match="may be one array") as caught:
        ad.grad(f)(X)
    assert caught.value.hint == "pass b.copy()"


def test_of_a_gradient_is_refused():
    with pytest.raises(ad.UnsupportedSyntaxError, match="may be one array"):
        ad.vjp(ad.grad(changes_the_first), X, X, wrt=0)


def smallest_square(x):
    best = None
    for v in x:
        if best is None or v * v < best:
            best = v * v
    return best * 2.0


def test_a_test_for_none_is_made_again():
    got = ad.vjp(ad.grad(smallest_square), X, wrt=0)[1](np.ones(3))
    np.testing.assert_allclose(got, [4.0, 0.0, 0.0])
    np.testing.assert_allclose(ad.hvp(smallest_square)(X, np.ones(3)), [4.0, 0.0, 0.0])
