"""Checkpointing through the Numba backend: the same gradient to the last bit, in less memory."""
import re

import numpy as np
import pytest

import adcompiler as ad

pytest.importorskip("numba")


def rebound(u, n):
    for _ in ad.checkpointed(range(n), schedule="two_level"):
        v = u.copy()
        v[1:-1] += 0.1 * (u[:-2] - 2.0 * u[1:-1] + u[2:]) * u[1:-1]
        u = v
    return np.sum(u * u)


def in_place(u, n):
    total = 0.0
    for k in ad.checkpointed(range(n, 0, -1), snapshots=3):
        u[1:-1] += 0.1 * (u[:-2] - 2.0 * u[1:-1] + u[2:]) * u[1:-1] / k
        total = total + u[k % 4] * np.sin(total)
    u[:] = u * u
    return np.sum(u) + total


def until_large(x):
    y = x
    while ad.checkpointed(y < 100.0, snapshots=2):
        y = y * y + x
    return y


def over_an_array(x, w):
    for a in ad.checkpointed(w, schedule="two_level", period=2, snapshots=2):
        x = x * np.sin(x) * a
    return x


def left_early(x, w):
    for a in ad.checkpointed(w, snapshots=2):
        x = x * np.cos(x) * a
        if x < 0.2:
            break
    return x * x


@ad.checkpoint
def layer(x, w):
    w[0] = w[0] * x
    return w[0] * np.sin(x)


def segments(x, n):
    w = np.ones(3)
    for _ in range(n):
        x = layer(x, w)
        with ad.checkpoint():
            y = x * x
            x = np.sqrt(y + 1.0)
    return x * np.sum(w)


U, W = np.linspace(0.1, 0.9, 6) ** 2, np.linspace(0.8, 1.3, 7)
CALLS = [
    (rebound, (U, 11)), (rebound, (U, 0)), (in_place, (U, 8)), (until_large, (1.1,)), (over_an_array, (0.7, W)),
    (left_early, (0.9, W)), (segments, (0.5, 3)),
]


@pytest.mark.parametrize("f, args", CALLS, ids=lambda v: getattr(v, "__name__", ""))
def test_the_gradient_is_that_of_the_other_backend(f, args):
    """Joint, and by a tape that is replayed."""
    value, gradient = ad.value_and_grad(f)(*args)
    found = ad.value_and_grad(f, backend="numba")(*args)
    np.testing.assert_allclose(found[0], value, rtol=1e-14)
    np.testing.assert_allclose(found[1], gradient, rtol=1e-13)
    again, pullback = ad.vjp(ad.differentiable(f, backend="numba"), *args, wrt=0)
    assert again == found[0]
    np.testing.assert_array_equal(pullback(1.0), found[1])
    np.testing.assert_array_equal(pullback(2.0), 2.0 * np.asarray(found[1]))


def iterated(x, n):
    for _ in range(n):
        x = x + 0.01 * np.sin(x)
    return np.sum(x)


@pytest.mark.parametrize("memory, most", [(None, 3e5), ("100 kB", 1.1e5)])
def test_chosen_by_the_compiler(memory, most):
    x = np.linspace(0.0, 1.0, 1000)
    f = ad.differentiable(iterated, backend="numba", checkpoint="auto", memory=memory)
    _, tape = f.forward(x, 200)
    plain = ad.grad(iterated, backend="numba")(x, 200)
    np.testing.assert_array_equal(f.adjoint(tape, retain=True), plain)
    assert tape.recomputed_steps > 150 and tape.peak_nbytes < most
    np.testing.assert_array_equal(f.grad(x, 200), plain)


def test_a_budget_that_cannot_be_met():
    x = np.ones(1000)
    with pytest.raises(ad.MemoryBudgetError, match="the least budget that works is") as found:
        ad.grad(iterated, backend="numba", checkpoint="auto", memory="2 kB")(x, 200)
    least = int(re.search(r"works is (\d+) bytes", found.value.hint)[1])
    assert 2 * x.nbytes < least < 6 * x.nbytes  # a state, the tape of a trip, and the table of the schedule
    plain = ad.grad(iterated, backend="numba")(x, 200)
    np.testing.assert_array_equal(ad.grad(iterated, backend="numba", memory=least)(x, 200), plain)


def loop_in_a_loop(x, n):
    for _ in range(n):
        for _ in ad.checkpointed(range(n), snapshots=2):
            x = x * np.sin(x)
    return x


def on_disk(x, n):
    for _ in ad.checkpointed(range(n), schedule="disk"):
        x = x * np.sin(x)
    return x


def over_pairs(x, w):
    for a, b in ad.checkpointed(zip(w, w, strict=True), snapshots=2):
        x = x * np.sin(x) * a * b
    return x


@pytest.mark.parametrize("f, args, message", [
    (loop_in_a_loop, (0.5, 3), "a checkpointed loop inside another loop"),
    (on_disk, (0.5, 3), "the schedule 'disk'"),
    (over_pairs, (0.5, W), "anything but a range or an array"),
], ids=lambda v: getattr(v, "__name__", ""))
def test_refused(f, args, message):
    with pytest.raises(ad.UnsupportedSyntaxError, match=message) as caught:
        ad.grad(f, backend="numba")(*args)
    assert caught.value.filename == __file__ and caught.value.hint
    assert ad.grad(f)(*args) != 0.0


def test_a_loop_of_unknown_length_has_no_budget():
    def root(a):
        x = a
        while abs(x * x - a) > 1e-12:
            x = 0.5 * (x + a / x)
        return x

    with pytest.raises(ad.UnsupportedSyntaxError, match="a budget of memory for a loop whose number of trips"):
        ad.grad(root, backend="numba", checkpoint="auto", memory="1 MB")(2.0)
    assert ad.grad(root, backend="numba", checkpoint="auto")(2.0) == pytest.approx(0.5 / np.sqrt(2.0), rel=1e-12)


def test_a_tape_in_fewer_bits_is_refused():
    with pytest.raises(ad.UnsupportedSyntaxError, match="keeps its tape as it is"):
        ad.grad(iterated, backend="numba", tape_dtype="float32")
