"""Random draws in compiled code: Python's numbers, and its generators afterwards."""
import random

import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")

OUTSIDE = np.random.default_rng(7)


def methods(x, rng):
    s = 0.0
    for k in range(4):
        s = s + x[0] * rng.random() + x[1] * rng.normal(1.0, 0.5) + x[2] * rng.integers(10) + rng.uniform(-1.0, x.size) * x[0]
        s = s * (0.5 + rng.exponential()) + x[int(rng.integers(0, 3))] ** 2
    return s


def arrays(x, rng):
    z = rng.standard_normal((3, len(x)))
    w = rng.integers(1, 5, size=len(x))
    u = rng.uniform(size=len(x)) * rng.gamma(2.0, size=len(x))
    return np.sum(z * x) + np.sum(x * x * w) + np.dot(u, x)


def choices(x, rng):
    order = rng.permutation(len(x))
    picked = rng.choice(len(x), size=2, replace=False)
    return np.sum(x[order] * np.arange(1.0, len(x) + 1.0)) * x[picked].sum() + rng.choice(np.array([0.5, 2.0])) * x[0]


def shuffled_indices(x, rng):
    order = np.arange(len(x))
    rng.shuffle(order)
    return np.sum(x[order] ** 2 * np.arange(1.0, len(x) + 1.0))


def into_parameters(x, rng):
    return np.sum(rng.normal(x, 1.0 + x * x))


def dropout_passes(x, rng, n):
    y = x
    for _ in range(n):
        keep = rng.random(len(x)) > 0.3
        y = np.where(keep, y * 1.2 + np.sin(y), 0.5 * y)
    return np.sum(y)


def until_accepted(x, rng):
    product, k = x[0], 0
    while k < len(x):
        u = rng.uniform(-1.0, 1.0)
        if abs(u) < 0.4:
            product = product * (1.5 - u) + np.cos(x[k])
            k += 1
    return product


def nothing_reads_it(x, rng):
    rng.random(5)
    rng.normal()
    return np.sum(x * x) * rng.random()


GENERATORS = [np.random.default_rng, lambda seed: np.random.Generator(np.random.MT19937(seed)), np.random.RandomState]
PROGRAMS = [methods, arrays, choices, shuffled_indices, into_parameters, dropout_passes, until_accepted, nothing_reads_it]


def position(generator):
    return generator.normal(size=4).tolist()


@pytest.mark.parametrize("make", GENERATORS, ids=["PCG64", "MT19937", "RandomState"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_draws_of_a_generator_that_is_given(f, make):
    x = np.array([0.4, -0.7, 1.3])
    if make is np.random.RandomState and f is not shuffled_indices and ("integers" in f.__code__.co_names or f is choices):
        return  # RandomState has other methods
    rest = (3,) if f is dropout_passes else ()
    here, there = make(3), make(3)
    value, gradient = ad.value_and_grad(f, wrt=0, backend="numba")(x, here, *rest)
    expected, wanted = ad.value_and_grad(f, wrt=0)(x, there, *rest)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-12)
    assert position(here) == position(there)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_a_pullback_and_a_tangent_see_the_numbers_of_their_run(f):
    x, rest = np.array([0.4, -0.7, 1.3]), (3,) if f is dropout_passes else ()
    compiled = ad.differentiable(f, backend="numba")
    here, there = np.random.default_rng(3), np.random.default_rng(3)
    value, pullback = ad.vjp(compiled, x, here, *rest, wrt=0)
    expected, wanted = ad.vjp(f, x, there, *rest, wrt=0)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(pullback(1.5), wanted(1.5), rtol=1e-12)
    np.testing.assert_allclose(pullback(1.5), wanted(1.5), rtol=1e-12)
    dot = np.array([1.0, 0.5, -2.0])
    ahead = ad.jvp(compiled, (x, here, *rest), (dot,), wrt=0)
    np.testing.assert_allclose(ahead, ad.jvp(f, (x, there, *rest), (dot,), wrt=0), rtol=1e-12)
    assert position(here) == position(there)


def made_inside(x, seed):
    rng = np.random.default_rng(seed)
    other = np.random.RandomState(seed)
    return np.sum(rng.normal(size=3) * x) + other.randn() * x[0] + other.rand(3)[1] * x[1]


def of_the_module(x):
    return np.sum(OUTSIDE.normal(size=len(x)) * x)


def legacy(x):
    np.random.seed(5)
    y = x * np.random.randn(3)
    return np.sum(y * np.random.rand()) + random.random() * x[0]


def test_generators_made_inside_and_those_of_modules():
    x = np.array([0.4, -0.7, 1.3])
    assert_same(ad.grad(made_inside, wrt=0, backend="numba")(x, 4), ad.grad(made_inside, wrt=0)(x, 4))
    compiled, plain = ad.grad(of_the_module, backend="numba"), ad.grad(of_the_module)
    for _ in range(2):
        state = OUTSIDE.bit_generator.state
        found = compiled(x)
        after = OUTSIDE.bit_generator.state
        OUTSIDE.bit_generator.state = state
        assert_same(found, plain(x))
        assert OUTSIDE.bit_generator.state == after
    compiled, plain = ad.grad(legacy, backend="numba"), ad.grad(legacy)
    random.seed(1)
    found = compiled(x), compiled(x)
    random.seed(1)
    assert_same(found, (plain(x), plain(x)))


def test_another_generator_in_the_place_of_one_outside(monkeypatch):
    x = np.array([0.4, -0.7, 1.3])
    compiled = ad.grad(of_the_module, backend="numba")
    compiled(x)
    monkeypatch.setitem(globals(), "OUTSIDE", np.random.default_rng(11))
    assert_same(compiled(x), np.random.default_rng(11).normal(size=3))


def assert_same(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def raises_after_draws(x, rng):
    y = x * rng.normal()
    for k in range(5):
        y = y + x[k] * rng.random()  # raises
    return np.sum(y)


def test_an_error_after_draws_tells_its_line_and_leaves_the_generator_where_it_is():
    x, here, there = np.ones(3), np.random.default_rng(3), np.random.default_rng(3)
    for f, rng in ((ad.grad(raises_after_draws, wrt=0, backend="numba"), here), (ad.grad(raises_after_draws, wrt=0), there)):
        with pytest.raises(IndexError) as caught:
            f(x, rng)
        assert any("y = y + x[k] * rng.random()" in n for n in caught.value.__notes__)
    assert position(here) == position(there)


def one_beside_three(x, w, rng):
    y = x * rng.random()
    return np.sum(y * w + rng.random(3))


def test_a_gradient_that_is_computed_again_for_a_nan_draws_once_and_prints_once(capsys):
    def roots(x, rng):
        noise = rng.normal(size=3)
        print("first draw", noise[0])
        return np.sum(np.where(x > 0.0, np.sqrt(x) * noise * x, 0.0)) + 0.0 * np.sqrt(x[2])

    x, found = np.array([0.5, 1.0, 0.0]), []
    for backend in ("numba", "numpy"):
        rng = np.random.default_rng(5)
        value, gradient = ad.value_and_grad(roots, wrt=0, backend=backend)(x, rng)
        found.append((value, *gradient, *position(rng), capsys.readouterr().out))
    np.testing.assert_allclose(found[0][:-1], found[1][:-1], rtol=1e-12)
    assert found[0][-1] == found[1][-1] and found[0][-1].count("first draw") == 1


def test_a_call_that_is_made_again_draws_the_same_numbers():
    here, there = np.random.default_rng(3), np.random.default_rng(3)
    compiled, plain = ad.grad(one_beside_three, wrt=0, backend="numba"), ad.grad(one_beside_three, wrt=0)
    for size in (3, 1, 3):
        assert_same(compiled(np.ones(size), np.arange(3.0), here), plain(np.ones(size), np.arange(3.0), there))
    assert position(here) == position(there)


def own_errors(x, rng):
    return x * rng.normal(0.0, -x)


def test_errors_of_generators_are_those_of_python():
    with pytest.raises(ValueError, match="scale < 0"):
        ad.grad(own_errors, wrt=0, backend="numba")(1.0, np.random.default_rng(0))




def out_of_a_draw(x, rng):
    noise = np.zeros(3)
    rng.standard_normal(out=noise)
    return np.sum(x * noise)


@pytest.mark.parametrize("f, reason", [
    (out_of_a_draw, "the argument 'out' of 'standard_normal'"),
], ids=lambda v: getattr(v, "__name__", ""))
def test_what_is_refused(f, reason):
    with pytest.raises(ad.AdcompilerError) as caught:
        ad.grad(f, wrt=0, backend="numba")(np.ones(3), np.random.default_rng(0))
    assert reason in caught.value.reason and caught.value.lineno
