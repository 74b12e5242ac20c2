"""Derivatives inside programs, of functions that change their arguments, what is around them, or draw random numbers.

`vjp` and `linearize` gave their function the caller's memory (or let it change what the pullback then read), Jacobians
and `mode="forward"` as well; changes of captured arrays were lost; random numbers were drawn again for each direction.
"""
import dataclasses
from collections import namedtuple

import numpy as np
import pytest

import adcompiler as ad

X = np.array([0.3, 0.5, 0.7])
ALONG = np.array([1.0, -2.0, 0.5])
WEIGHTS = np.array([1.0, 2.0, 3.0])


class Box:
    def __init__(self, a):
        self.a = a


def in_array(x):
    x[1:] *= x[:-1]
    return np.sum(x**2)


def in_list(rows):
    rows[0][1:] *= rows[0][:-1]
    return np.sum(rows[0] ** 2) * np.sum(rows[1])


def in_object(box):
    box.a[1:] *= box.a[:-1]
    return np.sum(box.a**2)


def in_dict(d):
    d["a"] = d["a"] * d["a"]
    return np.sum(d["a"] ** 2)


def by_append(rows):
    rows.append(rows[0] * rows[1])
    return np.sum(rows[2] ** 2) * len(rows)


CASES = [
    (in_array, lambda x: x, lambda g: g),
    (in_list, lambda x: [x, 2 * x], lambda g: g[0]),
    (in_object, lambda x: Box(x), lambda g: g.a),
    (in_dict, lambda x: {"a": x}, lambda g: g["a"]),
    (by_append, lambda x: [x, 2 * x], lambda g: g[1]),
]


def assert_both_modes(f, x=X, along=ALONG):
    h = 1e-5
    wanted = (f(x + h * along) - f(x - h * along)) / (2 * h)
    value, gradient = ad.value_and_grad(f)(x.copy())
    again, tangent = ad.jvp(f, (x.copy(),), (along,))
    assert value == pytest.approx(f(x.copy()), rel=1e-12) and again == pytest.approx(value, rel=1e-12)
    assert tangent == pytest.approx(np.sum(gradient * along), rel=1e-12)
    assert tangent == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("later", [False, True], ids=["", "changed_later"])
@pytest.mark.parametrize("g, made, part", CASES, ids=lambda c: getattr(c, "__name__", ""))
def test_pullbacks(g, made, part, later):
    def f(x):
        value, pullback = ad.vjp(g, made(x), wrt=0)
        if later:
            x *= 2.0
        return value + np.sum(part(pullback(1.0)) * WEIGHTS) * np.sum(x)

    assert_both_modes(f)


@pytest.mark.parametrize("g, made", [c[:2] for c in CASES], ids=lambda c: getattr(c, "__name__", ""))
def test_linear_maps(g, made):
    def f(x):
        value, linear_map = ad.linearize(g, made(x))
        x *= 2.0
        return value * linear_map(made(WEIGHTS)) + np.sum(x)

    assert_both_modes(f)


def shifted(v):
    v[0] = v[1] * v[2]
    return v**2


def squares(v):
    v[0] = v[1] * v[2]
    return np.sum(v**3)


@pytest.mark.parametrize("f", [
    lambda x: np.sum(ad.jacobian(shifted)(x) * np.outer(x, x)) + x[0],
    lambda x: np.sum(ad.jacobian(shifted, mode="forward")(x) * np.outer(x, x)) + x[0],
    lambda x: np.sum(ad.value_and_grad(squares, mode="forward")(x)[1] * x) + x[0],
    lambda x: np.sum(ad.hessian(squares)(x) * np.outer(x, x)) + np.sum(ad.hvp(squares)(x, x)) + x[0],
], ids=["rows", "columns", "forward gradient", "hessian"])
def test_sweeps_of_functions_that_change_their_argument(f):
    assert_both_modes(f)


def test_parameters_with_the_names_of_written_code():
    def f(x):
        def g(v, seed, function, rows, np_):
            return v * seed * function * rows * np_

        value, pullback = ad.vjp(g, x, x, x, 2.0, 1.0, wrt="seed")
        product = ad.hvp(lambda v, seed: np.sum(v**3) * seed)(x, 2.0, x)
        return np.sum(pullback(x)) + np.sum(product) + np.sum(ad.jacobian(g, wrt="rows")(x, x, x, 2.0, 1.0) * value)

    assert_both_modes(f)


def captured_array(x):
    buffer = np.zeros(3)

    def g(v):
        buffer[:] = v * x
        return np.sum(buffer * v)

    return np.sum(ad.grad(g)(x)) + np.sum(buffer)


def captured_list(x):
    seen = []

    def g(v):
        seen.append(v)
        return np.sum(v * v) * len(seen)

    value, pullback = ad.vjp(g, x, wrt=0)
    return value * np.sum(pullback(1.0)) * len(seen)


@pytest.mark.parametrize("f, name", [(captured_array, "buffer"), (captured_list, "seen")])
def test_changes_of_what_is_around_are_refused(f, name):
    with pytest.raises(ad.UnsupportedSyntaxError, match=f"changes '{name}' of the function around it") as caught:
        ad.grad(f)(X)
    assert caught.value.lineno and f"make '{name}' inside" in caught.value.hint


def noisy(v, rng):
    return v * v * rng.standard_normal(3)


def summed(v, rng):
    return np.sum(noisy(v, rng))


def draws():
    return np.random.default_rng(0).standard_normal(3)


def test_random_numbers_are_drawn_once_for_all_directions():
    def rng():
        return np.random.default_rng(0)

    for mode in ("auto", "reverse", "forward"):
        assert np.array_equal(ad.jacobian(noisy, mode=mode)(X, rng()), np.diag(2 * X * draws()))
    np.testing.assert_allclose(ad.grad(summed, mode="forward")(X, rng()), 2 * X * draws(), rtol=1e-15)
    np.testing.assert_allclose(ad.hessian(summed)(X, rng()), np.diag(2 * draws()), rtol=1e-15)
    used = rng()
    tall = ad.jacobian(lambda v, rng: np.outer(v * v, rng.standard_normal(3)))
    assert np.array_equal(tall(X, used)[1, :, 1], 2 * X[1] * draws())
    assert used.standard_normal() == np.random.default_rng(0).standard_normal(4)[3]
    assert np.array_equal(tall(X, rng())[1, :, 1], 2 * X[1] * draws())


RNG = np.random.default_rng(0)


@pytest.mark.parametrize("f", [
    lambda x: np.sum(ad.vjp(summed, x, RNG, wrt=0)[1](1.0)),
    lambda x: np.sum(ad.linearize(lambda v: summed(v, RNG), x)[1](x)),
    lambda x: np.sum(ad.jacobian(lambda v: noisy(v, RNG))(x)),
], ids=["vjp", "linearize", "jacobian"])
def test_inside_programs_second_runs_of_what_draws_are_refused(f):
    with pytest.raises(ad.UnsupportedSyntaxError, match="runs it again, and it draws random numbers") as caught:
        ad.grad(f)(X)
    assert caught.value.lineno and caught.value.hint


WHICH = 1


def test_wrt_is_a_global_or_closed_over_number(monkeypatch):
    def g(x, y):
        return x**3 * y**2

    def by_global(x, y):
        return ad.grad(g, wrt=WHICH)(x, y)

    def made(wrt):
        return lambda x, y: np.sum(np.stack(ad.vjp(g, x, y, wrt=wrt)[1](1.0)))

    assert ad.grad(by_global)(2.0, 3.0) == 3 * 2**2 * 2 * 3
    monkeypatch.setitem(by_global.__globals__, "WHICH", 0)
    assert ad.grad(by_global)(2.0, 3.0) == 6 * 2 * 3**2
    assert ad.grad(made((1, 0)))(2.0, 3.0) == 3 * 2**2 * 2 * 3 + 6 * 2 * 3**2


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: object
    n: int = 2


class Spring:
    def __init__(self, a, k, name="steel"):
        self.a, self.k, self.name = a, k, name


Pair = namedtuple("Pair", "u v")

STRUCTURES = [
    (lambda o: np.sum(o.a**3) * o.k, lambda x: Spring(x, x[0]), lambda d: Spring(d, 1.5, None), lambda t: np.sum(t.a) * t.k),
    (lambda o: np.sum(o.a**o.n) * o.a[0], Frozen, lambda d: Frozen(d, None), lambda t: np.sum(t.a)),
    (lambda p: np.sum(p.u**2) * p.v, lambda x: Pair(x, x[1]), lambda d: Pair(d, 0.5), lambda t: np.sum(t.u) + t.v),
    (lambda rows: np.sum(rows[0] ** 2 * rows[1]), lambda x: [x, x * x], lambda d: [d, None], lambda t: np.sum(t[1])),
    (lambda d: np.sum(d["p"][0].a ** 2) * d["q"], lambda x: {"p": (Spring(x, 1.0),), "q": x[2]},
     lambda d: {"p": (Spring(d, 0.0, None),), "q": 2.0}, lambda t: np.sum(t["p"][0].a) * t["q"]),
]


@pytest.mark.parametrize("g, made, direction, read", STRUCTURES, ids=["object", "frozen", "named tuple", "list", "nested"])
def test_tangents_inside_programs_have_the_structure_of_their_argument(g, made, direction, read):
    def f(x):
        value, tangent = ad.jvp(g, (made(x),), (direction(2 * x),))
        _, linear_map = ad.linearize(g, made(x * x))
        return value * tangent + linear_map(direction(WEIGHTS)) + read(ad.hvp(g)(made(x), direction(x)))

    assert_both_modes(f)


def test_a_returned_object_has_a_tangent_of_its_class():
    def f(x):
        value, tangent = ad.jvp(lambda s: Spring(s.a**2, s.k * 3.0), (Spring(x, x[0]),), (Spring(WEIGHTS, 1.0, None),))
        return np.sum(value.a * tangent.a) * tangent.k

    assert_both_modes(f)
