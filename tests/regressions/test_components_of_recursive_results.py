"""A container that is a component of the result of a recursive call, read off it where it gets its name."""
import pytest

import adcompiler as ad


def walk(x, n, found):
    if n == 0:
        return None, found
    found.append(x * n)
    return None, walk(x * 0.5, n - 1, found)[1]


def total(values, k):
    return 0.0 if k == len(values) else values[k] ** 2 + total(values, k + 1)


def f(x):
    values = walk(x, 3, [])[1]
    values[0] *= 2.0
    return total(values, 0)


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_first_and_second_order(mode):
    # values are 6 x, x, x / 4
    assert ad.grad(f, mode=mode)(1.5) == pytest.approx(2.0 * 1.5 * (36.0 + 1.0 + 1.0 / 16.0), rel=1e-14)
    assert ad.grad(ad.grad(f), mode=mode)(1.5) == pytest.approx(2.0 * (36.0 + 1.0 + 1.0 / 16.0), rel=1e-14)
