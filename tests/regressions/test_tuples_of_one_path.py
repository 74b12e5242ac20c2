"""A tuple that only one path makes, and of which a part is kept for the adjoint behind the join."""
import numpy as np
import pytest

import adcompiler as ad


def part_is_kept(x, y):
    c = x > 1.0
    if c:
        s = (x, y * 2)
    else:
        u = x
    if c:
        h = lambda: s[0] * s[1]  # noqa: E731
        r = h()
    else:
        r = u * u
    return r


def nested_part(x, y):
    c = x > 1.0
    if c:
        s = (x, (y, x * y))
    if c:
        h = lambda: s[0] * s[1][1]  # noqa: E731
        return h() * s[1][0]
    return x * y


def in_a_loop(x, y):
    total = 0.0
    for k in range(3):
        if k > 0:
            s = (x * k, y)
        if k > 1:
            h = lambda: s[0] * s[1]  # noqa: E731
            total = total + h() * s[0]
    return total


@pytest.mark.parametrize("x", [0.5, 1.5])
@pytest.mark.parametrize("f", [part_is_kept, nested_part, in_a_loop], ids=lambda f: f.__name__)
def test_gradient(f, x):
    wanted = [(f(x + 1e-6, 2.0) - f(x - 1e-6, 2.0)) / 2e-6, (f(x, 2.0 + 1e-6) - f(x, 2.0 - 1e-6)) / 2e-6]
    np.testing.assert_allclose(ad.grad(f, wrt=(0, 1))(x, 2.0), wanted, rtol=1e-6)
    np.testing.assert_allclose(ad.vjp(f, x, 2.0)[1](1.0), wanted, rtol=1e-6)
    np.testing.assert_allclose([ad.jvp(f, (x, 2.0), d)[1] for d in ((1.0, 0.0), (0.0, 1.0))], wanted, rtol=1e-6)
