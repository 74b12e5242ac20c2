"""Numba drops stores that it takes for dead where it has rewritten a comprehension, `np.array` of a list, a parallel loop."""
import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")


def swapped(a, b, y):
    """Adjoints of arrays that change places are found by identity: the last store to one was dropped."""
    np.add.at(a, np.array([0]), 0.17 * (b[1:2] - np.array([y for _ in range(1)])))
    if y < 0.471:
        v = a if y >= 0.3 else b[::-1]
        v[0] = 0.3
        b, a = a, b
    return 0.5 * a[0] + np.dot(b, np.arange(1.0, 5.0)) + np.sum(np.sin(a))


def of_a_list(a, b, y):
    scale = np.array([y * k for k in range(4)])
    rows = [a * scale, b]
    for r in rows:
        r[1] = r[0] * r[1]
    rows[0][1] = b[0] * b[1]
    return np.sum(rows[0] * rows[1])


def beside_a_long_loop(a, b, y):
    """The same where a loop runs in parallel."""
    np.add.at(a, np.array([0]), 0.17 * b[1:2])
    z = np.zeros(5000)
    for k in range(5000):
        z[k] = np.sin(y * k) * a[1] + np.cos(k * y)
    if y < 0.471:
        v = a if y >= 0.3 else b[::-1]
        v[0] = 0.3
        b, a = a, b
    return 0.5 * a[0] + np.dot(b, np.arange(1.0, 5.0)) + np.sum(np.sin(a)) + 1e-3 * np.sum(z * z)


PROGRAMS = {"swapped": (swapped, {}), "of a list": (of_a_list, {}), "parallel": (beside_a_long_loop, {"parallel": True})}


@pytest.mark.parametrize(("program", "options"), PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("y", [0.8, 0.4])
def test_every_store_counts(program, options, y):
    def arguments():
        return np.array([-1.0, -0.4, 0.2, 0.7]), np.array([0.1, -0.3, 0.6, -0.3]), y

    expected = ad.value_and_grad(program, wrt=("a", "b"))(*arguments())
    found = ad.value_and_grad(program, wrt=("a", "b"), backend="numba", **options)(*arguments())
    assert found[0] == pytest.approx(expected[0], rel=1e-12)
    for x, y in zip(found[1], expected[1], strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12)
