"""Assertions and texts stay as they are, but what a call in them changes has a derivative."""
import numpy as np
import pytest

import adcompiler as ad


def doubled(u):
    u *= 2.0
    return 1.0


def halved_by_depth(u, r, depth):
    if depth == 0:
        return r
    u[depth % 3] = 0.621 / (1.5 + r * r)
    return halved_by_depth(u, r * 0.7, depth - 1) * 0.5


def in_an_assertion(a):
    assert doubled(a) > 0.0
    return np.sum(a * a)


def behind_or(a):
    assert halved_by_depth(a, a[1], 3) >= 100.0 or True
    return np.sum(a * a)


def not_evaluated(a):
    assert a.size == 3 or doubled(a)
    return np.sum(a * a)


def in_a_text(a):
    f"{doubled(a):.1f} {a[0]}"
    return np.sum(a * a)


def in_a_printed_text(a):
    print(f"{doubled(a):.1f}", end="")
    return np.sum(a * a)


def taken_from_a_list(a):
    values = [a[0], a[1] * a[2]]
    assert values.pop() < 100.0, f"too large in {a}"
    return sum(values) * a[2]


def bound_in_an_assertion(a):
    assert (n := len(a)) > 0 and n < 100
    return np.sum(a) * n


def sorted_in_an_assertion(a):
    assert a.sort() is None
    return a[0] * 2.0 + a[1]


def written_with_out(a):
    assert np.multiply(a, a, out=a) is not None
    return np.sum(a * a)


@pytest.mark.parametrize("f", [
    in_an_assertion, behind_or, not_evaluated, in_a_text, in_a_printed_text, taken_from_a_list, bound_in_an_assertion,
    sorted_in_an_assertion, written_with_out,
], ids=lambda f: f.__name__)
def test_effects_are_differentiated(f, capsys):
    ad.check_gradients(f, np.array([0.204, -1.169, -1.257]))


def test_plain_assertions_stay():
    def f(x):
        assert np.all(x < 100.0) and len(x) == 3, "sizes"
        return np.sum(x * x)

    assert "    assert np.all(x < 100.0) and len(x) == 3, 'sizes'" in ad.differentiable(f).source("gradient", np.ones(3))
