"""Between the sweeps the caller's code runs: changes of what a program was given, gave back or read must not go unseen."""

from __future__ import annotations

import numpy as np
import pytest

import adcompiler as ad

X = np.array([0.1, 0.2])
table = np.array([1.0, 2.0])
settings = {"k": np.array([1.0, 2.0])}


@ad.differentiable
def exponential(x):
    y = np.exp(x)
    return y


@ad.differentiable(backend="numba")
def exponential_by_numba(x):
    return np.exp(x)


@ad.differentiable
def last_of_many(x):
    for _ in range(3):
        x = np.exp(0.1 * x)
    return x


@ad.differentiable
def in_a_dict(x):
    y = np.exp(x)
    return {"whole": y, "tail": y[1:]}


@ad.differentiable
def in_a_list(x):
    y = np.exp(x)
    return [y, np.sin(y)]


def ones_like(tree):
    if isinstance(tree, dict):
        return {k: np.ones_like(v) for k, v in tree.items()}
    return [np.ones_like(v) for v in tree] if isinstance(tree, list) else np.ones_like(tree)


def spoil(tree):
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else [tree]:
        part[...] = -7.0


@pytest.mark.parametrize("f", [exponential, exponential_by_numba, last_of_many, in_a_dict, in_a_list], ids=lambda f: f.__name__)
def test_a_result_may_be_changed(f):
    value, tape = f.forward(X.copy())
    seed = ones_like(value)
    wanted = f.adjoint(tape, seed, retain=True)
    spoil(value)
    assert np.array_equal(f.adjoint(tape, seed), wanted) and np.all(wanted > 0.0)
    value, pullback = ad.vjp(f, X.copy())
    spoil(value)
    assert np.array_equal(pullback(seed)[0], wanted)
    w = ad.leaf(X.copy())
    run = f.record(w)
    spoil(run.value)
    run.backward(seed)
    assert np.array_equal(w.grad, wanted)


def test_parts_of_a_result_go_on_sharing_memory():
    value, _ = ad.vjp(in_a_dict, X)
    value["whole"][1] = 5.0
    assert value["tail"][0] == 5.0


def test_a_result_that_is_an_argument_stays_that_argument():
    @ad.differentiable
    def doubled(a):
        a *= 2.0
        return a

    a = X.copy()
    value, tape = doubled.forward(a)
    assert value is a and np.array_equal(doubled.adjoint(tape, np.ones(2)), [2.0, 2.0])


@ad.differentiable
def square(x):
    return np.sum(x * x)


@ad.differentiable
def weighted(x):
    return np.sum(x * x * table)


@ad.differentiable(backend="numba")
def weighted_by_numba(x):
    return np.sum(x * x * table)


@ad.differentiable
def weighted_by_settings(x):
    return np.sum(x * x * settings["k"])


def recursive(x, n):
    return np.sum(table * x) if n == 0 else recursive(np.sin(x) * table, n - 1)


def test_an_argument_that_the_tape_refers_to_must_not_change():
    x = X.copy()
    _, tape = square.forward(x)
    x[0] = 5.0
    with pytest.raises(ad.TapeMismatchError, match="the array 'x' was changed in place after the run"):
        square.adjoint(tape)
    _, pullback = ad.vjp(square, x)  # has copies of its own
    x[0] = 9.0
    assert np.array_equal(pullback(1.0)[0], [10.0, 0.4])


@pytest.mark.parametrize("f, array", [(weighted, table), (weighted_by_numba, table), (weighted_by_settings, settings["k"])])
def test_an_array_from_outside_must_not_change(f, array):
    kept = array.copy()
    _, tape = f.forward(X)
    _, pullback = ad.vjp(f, X)
    w = ad.leaf(X.copy())
    run = f.record(w)
    sweeps = [lambda: f.adjoint(tape), lambda: pullback(1.0), run.backward]
    if f is not weighted_by_numba:
        _, linear_map = ad.linearize(f, X)
        sweeps.append(lambda: linear_map(X))
    try:
        array[...] = 0.0
        for sweep in sweeps:
            with pytest.raises(ad.TapeMismatchError, match="was changed in place after the run"):
                sweep()
    finally:
        array[...] = kept
    assert np.allclose(f.adjoint(tape), 2.0 * X * kept)


def test_a_linear_map_that_runs_again_sees_the_change():
    kept = table.copy()
    _, linear_map = ad.linearize(recursive, X, 2, wrt=0)
    linear_map(X)
    try:
        table[...] = 0.0
        with pytest.raises(ad.TapeMismatchError, match="the array 'table' was changed in place"):
            linear_map(X)
    finally:
        table[...] = kept


def test_views_of_arrays_in_any_order_of_memory_are_copied_with_them():
    cube = np.asfortranarray(np.arange(24.0).reshape(2, 3, 4))

    def both(parts):
        whole, view = parts
        return np.sum(whole**2) + np.sum(view**3)

    for whole in (cube, cube.transpose(1, 0, 2), cube.copy()):
        view = whole[1:, ::-1, 1::2]
        (whole_bar, view_bar), = ad.vjp(both, (whole, view))[1](1.0)
        np.testing.assert_allclose(view_bar, 3.0 * view**2)
        np.testing.assert_allclose(whole_bar, 2.0 * whole)


class Weights:
    def __init__(self, values):
        self.values = values


weights = Weights(np.arange(1.0, 40001.0))


@ad.differentiable
def weighted_by_an_object(x):
    return np.sum(x * x * weights.values)


def test_a_swap_in_a_large_array_of_an_object_from_outside_is_seen():
    x = np.ones(40000)
    _, tape = weighted_by_an_object.forward(x)
    _, pullback = ad.vjp(weighted_by_an_object, x)
    weights.values[[1, 2]] = weights.values[[2, 1]]
    for sweep in (lambda: weighted_by_an_object.adjoint(tape), lambda: pullback(1.0)):
        with pytest.raises(ad.TapeMismatchError, match="was changed in place after the run"):
            sweep()
