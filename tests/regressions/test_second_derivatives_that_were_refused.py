"""Second derivatives that were refused: kept properties, builtins under other names, products of what changes."""
import functools
from builtins import range, zip

import numpy as np
import pytest

import adcompiler as ad

X = np.array([0.3, 0.5, 0.9])
repeated = range


class Kept:
    def __init__(self, w):
        self.w = w

    @functools.cached_property
    def square(self):
        return self.w**2


def kept_property(x):
    kept = Kept(x[0] * x[1])
    total = 0.0
    for k in range(3):
        total = total + kept.square * x[k]
        kept.w = kept.w * 2.0
    return total * kept.w


def asked_for_by_name(x):
    kept = Kept(x[0])
    kept.double = x[1] * 2.0
    return (kept.double * x[2] if "double" in vars(kept) else x[0]) * ("square" in vars(kept) or x[0]) ** 2


def builtins_under_other_names(x):
    s = 0.0
    for i in repeated(3):
        s = s + x[i] ** 2 * s + x[i]
    for a, b in zip(x, x**2):
        s = s * a + b
    return s


def product_of_what_changes(x):
    a = np.outer(x, x) + 2.0 * np.eye(3)
    for k in range(2):
        a[k + 1, k:] -= a[k, k:] * x[k]
    return np.prod(np.diag(a)) + np.log(a[1, 1])


@pytest.mark.parametrize("f", [kept_property, asked_for_by_name, builtins_under_other_names, product_of_what_changes])
def test_products_with_the_hessian(f):
    ad.check_gradients(f, X)
    v, step, gradient = np.array([0.7, -0.2, 0.4]), 1e-5, ad.grad(f)
    expected = (gradient(X + step * v) - gradient(X - step * v)) / (2 * step)
    slope = lambda x: ad.jvp(f, (x,), (v,))[1]  # noqa: E731
    for product in (ad.hvp(f)(X, v), ad.vjp(gradient, X, wrt=0)[1](v), ad.grad(slope)(X), ad.linearize(gradient, X)[1](v)):
        np.testing.assert_allclose(product, expected, rtol=1e-6, atol=1e-8)


def test_a_global_that_stands_for_a_builtin_may_be_bound_again(monkeypatch):
    before = ad.grad(builtins_under_other_names)(X)
    monkeypatch.setitem(globals(), "repeated", lambda n: range(1))
    assert not np.allclose(ad.grad(builtins_under_other_names)(X), before)
    ad.check_gradients(builtins_under_other_names, X)
