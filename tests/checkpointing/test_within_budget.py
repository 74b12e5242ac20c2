"""The tape of a program with a memory budget never exceeds it in silence, whatever the program is made of."""

import re

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.runtime.sizes import nbytes

X = np.linspace(0.1, 0.9, 500)


def recursion(x, n):
    for _ in range(20):
        x = x + 0.01 * np.sin(x)
    if n <= 1:
        return np.sum(x * x)
    return recursion(x, n - 1) + np.sum(x)


def tree(x, n):
    total = 0.0
    for k in range(3):
        x = np.sin(x) * 1.1
        if n > 10:
            total = total + tree(x * k, n // 2)
    return total + np.sum(x)


def iterator(x, n):
    numbers = iter(range(n))
    while True:
        k = next(numbers, None)
        if k is None:
            break
        x = x + 0.01 * np.sin(x * k)
    return np.sum(x)


def dicts(x, n):
    numbers, kept = iter(range(n)), {"x": x}
    while next(numbers, None) is not None:
        kept = {"x": np.sin(kept["x"]) * 1.1}
    return np.sum(kept["x"] * x)


class Body:
    def __init__(self, x):
        self.x = x


def objects(x, n):
    bodies = [Body(x)]
    for _ in range(n):
        bodies.append(Body(np.sin(bodies[-1].x) * 1.1))
    return np.sum(bodies[-1].x * bodies[n // 2].x)


def comprehension(x, n):
    rows = [np.sin(x * k) * np.cos(x) for k in range(n)]
    return sum(np.sum(r * r) for r in rows)


def attempts(x, n):
    k = 0
    while k < n:
        try:
            x = x + 0.01 * np.sin(x) / (10 // (k % 3))
        except ZeroDivisionError:
            x = x * 1.001 * np.cos(x)
        k += 1
    return np.sum(x)


def helpers(x, n):
    def inner(u):
        for _ in range(8):
            for _ in range(4):
                u = u + 0.01 * np.sin(u)
        return u * u

    for _ in range(n // 4):
        x = inner(x) * 0.9
    return np.sum(x)


def segments(x, n):
    for _ in range(n):
        with ad.checkpoint():
            for _ in range(10):
                x = x + 0.01 * np.sin(x)
    return np.sum(x)


def until(x, n):
    while np.sum(x) > 1.0 and n > 0:
        with ad.checkpoint():
            rows = [np.sin(x * k) for k in range(n % 5 + 1)]
            x = x - 0.01 * sum(rows)
        n -= 1
    return np.sum(x * x)


def callbacks(x, n):
    steps = [lambda u: np.sin(u) * u, lambda u: u + 0.01 * np.cos(u)]
    for k in range(n):
        x = steps[k % 2](x)
    return np.sum(x)


def in_place(x, n):
    for _ in range(n):
        x[1:] += 0.01 * x[:-1] * x[1:]
        np.sin(x, out=x)
    return np.sum(x)


PROGRAMS = [
    recursion, tree, iterator, dicts, objects, comprehension, attempts, helpers, segments, until, callbacks, in_place,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_a_budget_is_kept_or_an_error(f):
    n = 24
    expected, least = ad.grad(f)(X, n), None
    for budget in (3000, 40_000, 150_000, None):
        budget = least if budget is None else budget
        made = ad.differentiable(f, memory=budget)
        try:
            assert np.array_equal(made.grad(X, n), expected)
            assert np.array_equal(ad.vjp(made, X, n, wrt=0)[1](), expected)
            if f is in_place:  # `forward` has changed its argument, and cannot run once more
                continue
            _, tape = made.forward(X, n)
            assert 0 < tape.nbytes <= budget
            assert np.array_equal(made.adjoint(tape), expected)
            assert 0 < tape.peak_nbytes <= budget
        except ad.MemoryBudgetError as error:
            if f in (iterator, dicts):  # they must not run again
                assert re.search(r"at least \d+ bytes are needed; the least budget that works is not known", error.hint)
                least = 10**6
                continue
            recursive = f in (recursion, tree)
            of = "a budget" if recursive else "the least budget"
            named = int(re.search(rf"{of} that works is (\d+) bytes", error.hint)[1])
            assert budget < named and (recursive or least in (None, named)), (budget, named, least)
            assert error.lineno
            least = named


def test_what_must_not_run_again_says_what_was_reached():
    def noisy(x, n):
        return iterator(x * np.random.standard_normal(x.shape), n)

    with pytest.raises(ad.MemoryBudgetError, match=r"at least \d+ bytes are needed; the least budget that works is not known"):
        ad.grad(noisy, memory=10_000)(X, 24)
    assert np.isfinite(ad.grad(noisy, memory=10**6)(X, 24)).all()


def test_the_share_that_fits_is_remembered():
    made = ad.differentiable(recursion, memory=60_000)
    made.grad(X, 5)
    (compiled,) = [c for entries in made.programs.cache.values() for c in entries]
    (share,) = compiled.shares.values()
    assert share < 60_000
    made.grad(X + 1.0, 5)
    assert list(compiled.shares.values()) == [share]


def moduli(z, n):
    for _ in range(n):
        z = z + 0.01 * z * z
    return np.sum(np.abs(z) ** 2)


def drawing(x, n):
    for _ in range(n):
        x = x + 0.01 * np.sin(x) * np.random.standard_normal()
    return np.sum(x * x)


def test_whole_tapes_of_second_derivatives_are_measured():
    z, v = X + 0j, np.cos(X) + 0j
    with pytest.raises(ad.MemoryBudgetError, match="(?s)keeps its whole tape with tangents, .*least budget that works") as caught:
        ad.hvp(moduli, memory=50_000)(z, 20, v)
    named = int(re.search(r"works is (\d+) bytes", caught.value.hint)[1])
    assert np.array_equal(ad.hvp(moduli, memory=named)(z, 20, v), ad.hvp(moduli)(z, 20, v))
    with pytest.raises(ad.MemoryBudgetError, match="prints, draws random numbers or changes what is outside"):
        ad.grad(lambda c: np.sum(ad.grad(drawing, memory=50_000)(c * X, 20) ** 2))(0.5)


def test_compiled_code():
    def nested(x, n):
        for _ in range(n):
            for _ in range(10):
                x = x + 0.01 * np.sin(x)
        return np.sum(x)

    expected = ad.grad(nested, backend="numba")(X, 20)
    with pytest.raises(ad.MemoryBudgetError, match="least budget that works is"):
        ad.grad(nested, backend="numba", memory=10_000)(X, 20)
    made = ad.differentiable(nested, backend="numba", memory=200_000)
    assert np.array_equal(made.grad(X, 20), expected)
    _, tape = made.forward(X, 20)
    assert np.array_equal(made.adjoint(tape), expected) and 0 < tape.peak_nbytes <= 200_000


def test_bytes_in_containers_and_objects():
    a = np.zeros(10)
    assert nbytes([{"a": a, "b": 2.0}, Body(np.zeros(5)), Body(a)]) == 80 + 16 + 40
    ring = {"x": a}
    ring["self"] = ring
    assert nbytes([ring, ring]) == 80


class Anything:
    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return 1.5


def test_objects_that_make_up_attributes():
    def of_object(p):
        return np.sum(p.x * p.stats * p.x)

    made = ad.differentiable(of_object, memory=10**6)
    assert np.array_equal(made.grad(Anything(X)).x, ad.grad(of_object)(Anything(X)).x)
    _, tape = made.forward(Anything(X))
    assert tape.peak_nbytes < 10**6 and np.array_equal(made.adjoint(tape).x, 3.0 * X)
