"""A view whose index changes in a loop, of an array that the reverse sweep restores: the view must be taken again there."""
import numpy as np

import adcompiler as ad


def scaled_by_its_own_slice(a, n):
    v = a
    c = 0
    while c < n:
        c += 1
        a[1] *= np.cos(a[c:c + 1] @ v[c:c + 1])
    return np.sum(v * v)


def products_of_moving_windows(a, n):
    for i in range(n):
        k = (i * 2) % 3
        w = a[k:k + 2]
        a[k] = np.sum(w * w) * w[1]
    return np.sum(a * a)


def differences(function, a, n):
    out = np.empty_like(a)
    for k in range(a.size):
        e = np.zeros_like(a)
        e[k] = 1e-6
        out[k] = (function(a + e, n) - function(a - e, n)) / 2e-6
    return out


def agree(function, a, n):
    want = differences(function, a, n)
    both = ad.vjp(function, a, n, wrt=0)[1](1.0), ad.grad(function)(a, n)
    return all(np.allclose(g, want, rtol=1e-6, atol=1e-8) for g in both)


def test_pullback_and_gradient_agree_with_differences():
    assert agree(scaled_by_its_own_slice, np.array([0.6, 1.4]), 1)
    assert agree(products_of_moving_windows, np.array([0.6, 0.4, 0.7, 0.9]), 3)
