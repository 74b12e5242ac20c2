"""Compiled gradients test themselves for NaN, and what is found is computed again with strict zeros."""

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.codegen.numba.compiling import entries

with_zeros = np.array([0.0, 1.0, 4.0])


def masked_roots(x):
    return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0))


def scaled_roots(x, a):
    return a * np.sum(np.where(x > 0.0, np.sqrt(x), 0.0))


def weighed(x, w):
    return np.sum(w * x)


@pytest.mark.parametrize("wrt", [0, (0,), 1, (0, 1), (1, 0), (0, 0)])
def test_a_zero_that_meets_an_infinite_slope_stays_zero_in_every_call(wrt):
    wanted = {0: [0.0, 1.0, 0.5], 1: 3.0}
    compiled = ad.value_and_grad(scaled_roots, wrt=wrt, backend="numba")
    for _ in range(3):  # the second and later calls go a shorter way
        value, gradient = compiled(with_zeros, 2.0)
        assert value == 6.0
        parts = gradient if isinstance(wrt, tuple) else (gradient,)
        for k, part in zip(wrt if isinstance(wrt, tuple) else (wrt,), parts, strict=True):
            np.testing.assert_array_equal(part, wanted[k])


def test_infinities_of_both_signs_in_a_gradient_are_no_nan():
    weights = np.array([np.inf, 1.0, -np.inf])
    compiled = ad.grad(weighed, backend="numba")
    for _ in range(2):
        np.testing.assert_array_equal(compiled(np.ones(3), weights), weights)


def test_a_nan_of_the_program_itself_comes_through():
    compiled = ad.grad(lambda x: np.sum(np.log(x) * x), backend="numba")
    for _ in range(2):
        np.testing.assert_array_equal(compiled(np.array([np.nan, 1.0])), [np.nan, 1.0])


def test_the_test_stands_in_the_last_loop():
    def scaled(x, b):
        return np.sum(b * x * x)

    function = ad.differentiable(scaled, backend="numba")
    written = function.source("gradient", np.ones(3), np.ones(3))
    assert written.count("for i") == 1 and written.count("raise NotDefined") == 1
    assert written.index("x_bar[") < written.index("raise NotDefined")


def test_calls_by_position_take_the_short_way_and_others_the_long_one():
    compiled = ad.value_and_grad(weighed, backend="numba")
    x, w = np.arange(3.0), np.array([1.0, 2.0, 3.0])
    for args, kwargs in [((x, w), {}), ((x, w), {}), ((x,), {"w": w}), ((), {"x": x, "w": w}), ((x[::-1], w[::-1]), {})]:
        value, gradient = compiled(*args, **kwargs)
        assert value == 8.0
        np.testing.assert_array_equal(gradient, kwargs.get("w", args[1] if len(args) > 1 else None))
    single = compiled(x.astype(np.float32), w.astype(np.float32))[1]
    assert single.dtype == np.float32
    with pytest.raises(TypeError, match="missing"):
        compiled(x)
    with pytest.raises(TypeError, match="too many"):
        compiled(x, w, w)


def test_types_that_do_not_agree_are_refused_in_every_call(monkeypatch):
    monkeypatch.setattr(entries, "_agrees", lambda t, found: False)
    compiled = ad.grad(lambda x: np.sum(x * x * 1.2345), backend="numba")
    for _ in range(3):
        with pytest.raises(ad.UnsupportedSyntaxError, match="Numba takes"):
            compiled(np.ones(3))
