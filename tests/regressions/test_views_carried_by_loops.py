"""An array and a view of it that a loop carries and swaps: the adjoint of the view is part of that of the array."""

from __future__ import annotations

import numpy as np

import adcompiler as ad


def swapped(x, b):
    v = b[-2:]
    v /= 5.2
    count = 0
    while (w := x) > 0.251 and count < 1:
        count += 1
        b, v = (v, b)
    return b[1] + 0.5 * w


def test_the_gradient_of_both():
    b = np.array([0.042, -0.715])
    for x in (1.173, 0.1):
        np.testing.assert_allclose(ad.grad(swapped, wrt=1)(x, b.copy()), [0.0, 1.0 / 5.2])
        np.testing.assert_allclose(ad.vjp(swapped, x, b.copy(), wrt=1)[1](1.0), [0.0, 1.0 / 5.2])
