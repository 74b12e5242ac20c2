"""What a gradient function must do beside its numbers: threads, memory, globals, cost, rules, library functions."""
import concurrent.futures
import functools
import gc
import io
import threading
import tracemalloc

import numpy as np
import pytest

import adcompiler as ad
from tests.programs.indexing import one_by_one
from tests.programs.loops import long_recurrence
from tests.programs.views import square_through_view, view_of_view

GAIN = 2.0
POINT = np.array([0.5])
OFFSETS = np.array([1.0, -1.0])


def reads_rebound_global(x):
    return GAIN * x * x + helper_that_is_rebound(x)


def helper_that_is_rebound(x):
    return 0.0 * x


def reads_mutated_global(x):
    return np.sum(OFFSETS * x * x)


def test_rebound_global_is_seen(monkeypatch):
    gradient = ad.grad(reads_rebound_global)
    assert gradient(1.5) == pytest.approx(6.0)
    monkeypatch.setitem(globals(), "GAIN", 5.0)
    assert gradient(1.5) == pytest.approx(15.0)


def test_rebound_helper_is_seen(monkeypatch):
    gradient = ad.grad(reads_rebound_global)
    assert gradient(1.5) == pytest.approx(6.0)
    monkeypatch.setitem(globals(), "helper_that_is_rebound", lambda x: x * x * x)
    assert gradient(1.5) == pytest.approx(6.0 + 6.75)


def test_mutated_global_array_is_seen():
    gradient = ad.grad(reads_mutated_global)
    x = np.array([1.0, 2.0])
    assert np.allclose(gradient(x), [2.0, -4.0])
    OFFSETS[:] = [3.0, 0.5]
    try:
        assert np.allclose(gradient(x), [6.0, 2.0])
    finally:
        OFFSETS[:] = [1.0, -1.0]


def test_changed_cell_is_seen():
    scale = 2.0

    def scaled(x):
        return x * x * scale

    gradient = ad.grad(scaled)
    assert gradient(1.0) == pytest.approx(4.0)
    scale = 3.0
    assert gradient(1.0) == pytest.approx(6.0)


def test_globals_of_the_user_stay_as_they_are():
    before = dict(globals())
    ad.grad(reads_rebound_global)(1.0)
    ad.grad(made_with_a_cell(3.0))(1.0)
    assert dict(globals()) == before


def made_with_a_cell(helper):
    def inner(x):
        return x * helper

    return inner


@pytest.mark.parametrize("function", [view_of_view, square_through_view], ids=lambda f: f.__name__)
def test_threads_give_what_one_thread_gives(function):
    gradient = ad.grad(function)
    inputs = [np.array([0.5, -1.1, 0.8, 1.4, 2.0]) * (1.0 + 0.1 * k) for k in range(8)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        together = list(pool.map(gradient, [x.copy() for x in inputs * 8]))
    alone = [gradient(x.copy()) for x in inputs] * 8
    assert all(np.array_equal(a, b) for a, b in zip(together, alone, strict=True))


def test_first_compilation_in_many_threads():
    def fresh(x):
        s = 0.0
        for v in x:
            s = s * 0.5 + np.sin(v) * v
        return s

    gradient = ad.grad(fresh)
    barrier = threading.Barrier(8)

    def call(k):
        barrier.wait()
        return gradient(np.array([0.5, 1.0 + k]))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        together = list(pool.map(call, range(8)))
    assert all(np.array_equal(g, gradient(np.array([0.5, 1.0 + k]))) for k, g in enumerate(together))


def test_memory_is_freed_after_each_gradient():
    gradient = ad.grad(long_recurrence)
    for _ in range(5):
        gradient(0.5)
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(200):
            gradient(0.5)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 100_000


def test_the_adjoint_of_an_element_read_touches_one_element():
    text = ad.differentiable(one_by_one).source("adjoint", np.ones(3))
    loop = text[text.index("    for "):]
    touching = [line.strip() for line in loop.splitlines() if "x_bar" in line and line.startswith("        ")]
    assert touching
    assert all(line.startswith("x_bar[") and "+=" in line for line in touching)


def test_array_lengths_share_one_compiled_function():
    lengths = (3, 7, 0, 1)
    gradient = ad.grad(sum_of_squares)
    for n in lengths:
        assert np.allclose(gradient(np.arange(float(n))), 2.0 * np.arange(float(n)))


def sum_of_squares(x):
    return np.sum(x * x)


def test_one_function_for_many_signatures():
    def power(x, n):
        return np.sum(x ** n)

    gradient = ad.grad(power)
    assert gradient(2.0, 3) == pytest.approx(12.0)
    assert gradient(2.0, 0.5) == pytest.approx(0.5 * 2.0 ** -0.5)
    assert np.allclose(gradient(np.array([1.0, 2.0]), 2), [2.0, 4.0])
    assert gradient(np.array([1.0, 2.0], np.float32), 2).dtype == np.float32
    assert gradient(np.array(3.0), 2).shape == ()
    assert np.allclose(gradient(np.ones((2, 2)), np.array([1.0, 2.0])), [[1.0, 2.0], [1.0, 2.0]])


def test_one_array_object_for_two_arguments():
    def fan_out(x, y):
        a = x * y
        return np.sum(a + a * a + x - a)

    x = np.array([1.5, -0.5])
    first, second = ad.grad(fan_out, wrt=(0, 1))(x, x)
    assert np.allclose(first, 2.0 * x * x * x + 1.0)
    assert np.allclose(second, 2.0 * x * x * x)
    assert not np.shares_memory(first, second)


def smooth_step(x, *, width=1.0):
    """A step, whose own derivative is 0; the rule below gives it a smooth one."""
    return np.where(x > 0.0, 1.0, 0.0) * width


def hard_threshold(x, level):
    return np.where(np.abs(x) > level, x, 0.0)


@functools.cache
def rules_registered():
    ad.register_vjp(smooth_step, lambda g, y, x, *, width=1.0: (g * width * np.exp(-x * x),))
    ad.register_vjp(hard_threshold, lambda g, y, x, level: (g, None))
    return True


def test_rule_of_the_user_gets_the_keywords_of_the_call():
    assert rules_registered()

    def loss(x):
        return np.sum(smooth_step(x, width=0.5) * x)

    x = np.array([0.5, -1.0])
    assert np.allclose(ad.grad(loss)(x), 0.5 * (x > 0.0) + 0.5 * np.exp(-x * x) * x)


def test_rule_of_the_user_may_give_none():
    assert rules_registered()

    def loss(x, level):
        return np.sum(hard_threshold(x * x, level) * x) + level * level

    x = np.array([0.5, -2.0])
    by_x, by_level = ad.grad(loss, wrt=(0, 1))(x, 1.0)
    assert np.allclose(by_x, np.where(x * x > 1.0, x * x, 0.0) + 2.0 * x * x)
    assert by_level == pytest.approx(2.0)


@pytest.mark.parametrize("function, x, expected", [
    (np.log, 2.5, 0.4), (np.sin, 0.3, np.cos(0.3)), (np.sum, np.ones(3), np.ones(3)),
    (np.linalg.norm, np.array([3.0, 4.0]), np.array([0.6, 0.8])),
], ids=["log", "sin", "sum", "norm"])
def test_library_functions_with_a_rule(function, x, expected):
    assert np.allclose(ad.grad(function)(x), expected)


def test_several_results_need_seeds():
    def two_results(x):
        return x * x, np.sin(x)

    value, pullback = ad.vjp(two_results, 0.8, wrt=0)
    assert value == pytest.approx((0.64, np.sin(0.8)))
    assert pullback((1.0, 2.0)) == pytest.approx(1.6 + 2.0 * np.cos(0.8))
    assert pullback((None, 1.0)) == pytest.approx(np.cos(0.8))


def test_a_pullback_outlives_other_calls():
    def f(x):
        a = x * x
        a[0] = a[1] * a[0]
        return a * x

    first_value, first = ad.vjp(f, np.array([1.0, 2.0]), wrt=0)
    second_value, second = ad.vjp(f, np.array([3.0, -1.0]), wrt=0)
    late = second(np.ones(2))
    assert np.allclose(first(np.ones(2)), [12.0, 16.0])
    assert np.allclose(late, second(np.ones(2)))


def test_effects_happen_once(capsys):
    seen = []

    def talks(x):
        y = x * x
        print("square", y)
        seen.append(float(len(seen)))
        return y * y

    gradient = ad.grad(talks)
    assert gradient(2.0) == pytest.approx(32.0)
    assert capsys.readouterr().out == "square 4.0\n"
    assert seen == [0.0]


def writes(x, out, n):
    total = 0.0
    for k in range(n):
        x = np.sin(x)
        np.savetxt(out, x, "%.3f", newline=f" {k} ")
        total += np.sum(x * x)
    return total


def writes_again(x, out, n):
    for _ in ad.checkpointed(range(n), snapshots=2):
        x = np.sin(x)
        np.savetxt(out, x, "%.3f")
    return np.sum(x)


@pytest.mark.parametrize("derivative", [
    lambda out: ad.grad(writes)(POINT, out, 3),
    lambda out: ad.vjp(writes, POINT, out, 3, wrt=0)[1](1.0),
    lambda out: ad.jvp(writes, (POINT, out, 3), (POINT,), wrt=0)[1] / POINT,
    lambda out: ad.jacobian(writes)(POINT, out, 3),
], ids=["grad", "vjp", "jvp", "jacobian"])  # fmt: skip
def test_files_are_written_once(derivative):
    expected, out = io.StringIO(), io.StringIO()
    writes(POINT, expected, 3)
    found = derivative(out)
    assert out.getvalue() == expected.getvalue() != ""
    assert np.allclose(found, ad.grad(writes)(POINT, io.StringIO(), 3))


def test_settings_are_changed_as_by_the_plain_call():
    def quiet(x):
        np.seterr(all="ignore")
        return np.sum(x * x)

    before = np.seterr(all="warn")
    try:
        ad.grad(quiet)(POINT)
        assert set(np.geterr().values()) == {"ignore"}
    finally:
        np.seterr(**before)


def test_files_written_in_what_runs_again_are_refused():
    with pytest.raises(ad.UnsupportedSyntaxError, match=r"'savetxt\(\.\.\.\)' acts outside, and this is run again"):
        ad.grad(writes_again)(POINT, io.StringIO(), 3)
    with pytest.raises(ad.UnsupportedSyntaxError, match="numpy.savetxt"):
        ad.grad(writes, backend="numba")(POINT, "f.txt", 3)


def test_random_draws_are_those_of_the_plain_call():
    def noisy(x, rng):
        noise = rng.standard_normal(3)
        return np.sum(noise * x * x)

    x = np.array([0.5, 1.0, -2.0])
    used, plain = np.random.default_rng(3), np.random.default_rng(3)
    gradient = ad.grad(noisy)(x, used)
    assert np.allclose(gradient, 2.0 * plain.standard_normal(3) * x)


@pytest.mark.parametrize("seed", [np.ones(2), np.ones(2, np.float32), np.ones(2, int)], ids=["f8", "f4", "i8"])
def test_gradient_has_the_dtype_of_the_input_whatever_the_seed(seed):
    _, pullback = ad.vjp(squared, np.array([1.0, 2.0], np.float32), wrt=0)
    gradient = pullback(seed)
    assert gradient.dtype == np.float32
    assert np.allclose(gradient, [2.0, 4.0])


def squared(x):
    return x * x
