"""A budget for whole programs: straight-line code and loops in a row, cut into segments by what a run measures."""

import contextlib
import io
import re
import tracemalloc

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.programs import Programs

X = np.linspace(0.1, 0.9, 2000)


def straight(x):
    a = np.sin(x)
    b = a * x
    x = np.exp(-b * b) * a + x
    a = np.sin(x)
    b = a * x
    x = np.exp(-b * b) * a + x
    a = np.sin(x)
    b = a * x
    x = np.exp(-b * b) * a + x
    a = np.sin(x)
    b = a * x
    x = np.exp(-b * b) * a + x
    return np.sum(x * x)


def mixed(x):
    x = np.sin(x) * x
    for _ in range(20):
        x = x + 0.1 * np.sin(x)
    y = np.exp(-x * x) * x
    z = np.cos(y) * y + x
    for k in range(30):
        if k % 3 == 1:
            continue
        z = z + 0.1 * np.sin(z) * y
    w = z * z * np.cos(z)
    return np.sum(w * w)


def in_place(x):
    u = x.copy()
    v = u[::2]
    u *= 1.5
    v += np.sin(v)
    rows = [u * u, np.cos(u)]
    rows.append(rows[0] * v.sum())
    u[1:] *= rows[1][:-1]
    for r in rows:
        u += 0.1 * np.sin(r * u)
    w = np.exp(-u) * rows[2]
    w[3:] -= u[:-3] ** 2
    return np.sum(w * u)


def layer(x, w):
    y = np.tanh(w * x)
    return y * y + x


def helpers(x):
    s = 0.5
    if x[0] > 0.0:
        x = layer(x, 2.0)
        s = np.sum(x)
    x = layer(layer(x, s / x.size), 1.5)
    with np.errstate(all="ignore"):
        x = layer(x * x, 0.3)
    return np.sum(layer(x, 1.1))


PROGRAMS = [straight, mixed, in_place, helpers]


def least_budget(f):
    with pytest.raises(ad.MemoryBudgetError) as caught:
        ad.grad(f, memory=1000)(X)
    return int(re.search(r"least budget that works is (\d+) bytes", str(caught.value))[1])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient_is_bit_equal_within_any_budget(f):
    taped, least = ad.grad(f)(X), least_budget(f)
    for budget in (least, int(1.3 * least), 2 * least, 5 * least, 100 * least):
        made = ad.differentiable(f, memory=budget)
        assert np.array_equal(made.grad(X), taped), budget
        _, tape = made.forward(X.copy())
        assert tape.nbytes <= budget + X.nbytes  # the argument, which the caller has
        assert np.array_equal(made.adjoint(tape), taped), budget
    with pytest.raises(ad.MemoryBudgetError):
        ad.grad(f, memory=least - 1)(X)


def peak(call):
    call(X)
    tracemalloc.start()
    call(X)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


@pytest.mark.parametrize("f", [straight, mixed], ids=lambda f: f.__name__)
def test_memory_is_saved(f):
    budget = 2 * least_budget(f)
    around = 14 * X.nbytes  # adjoints of the part at hand, temporaries
    assert peak(ad.grad(f, memory=budget)) < budget + around < peak(ad.grad(f))


def test_other_sizes_get_another_plan():
    f = ad.grad(straight, memory=20 * X.nbytes)
    for n in (20, 2000, 4000, 20):
        x = np.linspace(0.1, 0.9, n)
        assert np.array_equal(f(x), ad.grad(straight)(x))
    with pytest.raises(ad.MemoryBudgetError):
        f(np.linspace(0.1, 0.9, 20_000))


def test_the_probe_runs_once_for_each_size(monkeypatch):
    runs, probe = [], Programs.probe
    monkeypatch.setattr(Programs, "probe", lambda self, signature: runs.append(signature) or probe(self, signature))
    f = ad.grad(straight, memory="1 MB")
    for n in (20, 20, 30, 20):
        f(np.linspace(0.1, 0.9, n))
    assert len(runs) == 2


def noisy(x):
    print("working")
    a = np.sin(x) + 0.1 * np.random.standard_normal(x.shape)
    b = a * x
    return np.sum(np.exp(-b * b) * a)


def test_a_probe_is_not_noticed():
    """What prints and draws is not measured: the text appears once, and the draws are those of one run."""
    np.random.seed(1)
    taped = ad.grad(noisy)(X)
    after = np.random.standard_normal()
    np.random.seed(1)
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        found = ad.grad(noisy, memory=100 * X.nbytes)(X)
    assert np.array_equal(found, taped) and np.random.standard_normal() == after
    assert text.getvalue() == "working\n"


def test_an_error_of_the_program_is_its_own():
    def f(x):
        y = np.exp(x) * x
        if x.size > 10:
            raise KeyError("too long")
        return np.sum(y)

    with pytest.raises(KeyError, match="too long"):
        ad.grad(f, memory=1000)(X)


def test_arguments_stay_as_they_were():
    def f(x):
        x *= 2.0
        y = np.sin(x) * x
        x += y
        return np.sum(np.cos(x) * y)

    x = X.copy()
    found = ad.grad(f, memory=5 * X.nbytes)(x)
    assert np.array_equal(x, X) and np.array_equal(found, ad.grad(f)(X))
