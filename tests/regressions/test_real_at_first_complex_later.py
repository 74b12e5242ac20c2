"""Values that are real where a loop begins and complex behind it: NumPy says `np.dtype(float) == None`, which is no equality."""
import numpy as np
import pytest

import adcompiler as ad

W = np.array([1.0 + 2.0j, 0.5 - 1.0j, -0.3 + 0.2j])


def multiplied(x):
    p = np.ones(2)
    for k in range(2):
        p = p * x[k]
    return np.real(np.sum(p) * W[1])


def one_element(x):
    p = np.array([1.0, 2.0])
    for r in x:
        p = p * r
    return np.real(p[0] * W[1] + p.mean() * W[2] + (p @ p) * W[0])


def polynomials(x):
    t = 0j
    for k in range(3):
        p = np.array([1.0])
        for root in x[k:]:
            p = np.convolve(p, np.array([1.0, -root]))
        t += np.sum(p) * W[k]
    return np.real(t)


def until_large(x):
    p, k = np.full(2, 0.5), 0
    while np.sum(np.abs(p)) < 20.0 and k < 4:
        p = p * (x[k % 3] + 1.5)
        k += 1
    return np.real(np.sum(np.sin(p)) * W[0])


def in_a_container(x):
    state = {"p": np.ones(2)}
    for k in range(3):
        state["p"] = state["p"] * x[k]
    return np.real(np.sum(state["p"]) * W[1])


class State:
    def __init__(self):
        self.p = np.ones(2)


def in_an_attribute(x):
    s = State()
    for k in range(3):
        s.p = s.p * x[k]
    return np.real(np.sum(s.p) * W[1])


def in_a_tuple(x):
    pair = (np.ones(2), 1.0)
    for k in range(3):
        pair = (pair[0] * x[k], pair[1] + 0.5)
    return np.real(np.sum(pair[0]) * W[1]) * pair[1]


def by_recursion(x, k=2, p=None):
    p = np.ones(2) if p is None else p
    if k < 0:
        return np.real(np.sum(p) * W[1])
    return by_recursion(x, k - 1, p * x[k])


def on_one_path(x):
    p = np.ones(2)
    for k in range(3):
        if k != 1:
            p = p * x[k]
        else:
            p = np.real(p) * 1.5
    return np.real(np.sum(p * p) * W[1])


PROGRAMS = (multiplied, one_element, polynomials, until_large, in_a_container, in_an_attribute, in_a_tuple, by_recursion, on_one_path)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_are_complex_behind_the_loop(f):
    x = np.array([0.3 + 0.9j, 0.7 - 0.4j, -0.5 + 0.6j])
    expected = []
    for k in range(3):
        e = np.zeros(3, complex)
        e[k] = 1e-6
        expected.append((f(x + e) - f(x - e)) / 2e-6 + 1j * (f(x + 1j * e) - f(x - 1j * e)) / 2e-6)
    np.testing.assert_allclose(ad.grad(f)(x), expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(ad.grad(f, checkpoint="auto")(x), expected, rtol=1e-6, atol=1e-7)
    v = np.array([0.5 - 1.0j, 0.2 + 0.3j, -1.0 + 0.1j])
    slope = ad.jvp(f, (x,), (v,))[1]
    assert slope == pytest.approx(float(np.real(np.sum(np.conj(expected) * v))), rel=1e-6)
    assert np.shape(slope) == ()


def one_or_the_other(x, flag=True):
    q = np.real(x) * 1.5 if flag else x * 2.0
    return np.real(np.sum(q * W))


def bound_again(x):
    q = x * 2.0
    if np.real(q[0]) < 5.0:
        q = np.real(x) * 1.5
    return np.real(np.sum(q * W))


def absolute_at_first(x):
    q = np.abs(x)
    for k in range(2):
        q = q * x
    return np.real(np.sum(q * W))


def number_at_first(x):
    q, k = np.imag(x[0]), 0
    while k < 2:
        q, k = q * x[k], k + 1
    return np.real(q * W[0])


def in_lists(x):
    s = 0.0
    for v in [np.real(x[0]), x[1]]:
        s = s + v * W[0]
    return np.real(s)


def in_dicts(x):
    parts, s = {"a": np.real(x[0]), "b": x[1]}, 0j
    for k in parts:
        s += parts[k] * W[1]
    return np.real(s)


def real_argument_of_a_recursion(x, k=2, p=None):
    p = np.abs(x[0]) if p is None else p
    if k < 0:
        return np.real(p * W[1])
    return real_argument_of_a_recursion(x, k - 1, p * x[k])


ON_PATHS = (one_or_the_other, bound_again, absolute_at_first, number_at_first, in_lists, in_dicts, real_argument_of_a_recursion)


@pytest.mark.parametrize("f", ON_PATHS, ids=lambda f: f.__name__)
def test_what_is_real_on_one_path_takes_the_real_part(f):
    test_gradients_are_complex_behind_the_loop(f)


def real_at_the_end_of_a_recursion(x, k=2):
    return np.abs(x[0]) if k < 0 else real_at_the_end_of_a_recursion(x, k - 1) * x[k]


def pairing(x):
    return np.real(real_at_the_end_of_a_recursion(x) * W[0])


def grown_list(x):
    q = [np.real(x[0])]
    for k in range(2):
        q.append(q[-1] * x[k])
    return np.real(q[0] * W[0] + q[1] * W[1] + q[2])


def tried(x):
    try:
        q = np.abs(x)
        if np.real(q[0]) > 100.0:
            raise ValueError
    except ValueError:
        q = x * 2.0
    return np.real(np.sum(q * W))


def exchanged(x):
    q, other = np.abs(x), x
    for _ in range(3):
        q, other = other, q
    return np.real(np.sum(q * W) + np.sum(other * other * W))


@pytest.mark.parametrize("f", [pairing, grown_list, tried, exchanged], ids=lambda f: f.__name__)
def test_the_same_through_recursion_lists_attempts_and_exchanges(f):
    test_gradients_are_complex_behind_the_loop(f)
