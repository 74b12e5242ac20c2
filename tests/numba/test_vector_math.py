"""`vector_math=True`: accuracy of the vector functions, gradients with them, and where the option is refused."""
import numpy as np
import pytest

import adcompiler as ad

numba = pytest.importorskip("numba")

from adcompiler.runtime.numba import vector_math  # noqa: E402

# libmvec is a part of the GNU C library on x86-64 Linux alone; elsewhere the option is refused, which is tested below everywhere.
needs_library = pytest.mark.skipif(not vector_math.AVAILABLE, reason="no libmvec on this machine")


def chain(x):
    y = np.exp(-x * x) * np.sin(3.0 * x) + np.tanh(x)
    z = np.log1p(y * y) * np.cos(y) / np.sqrt(1.0 + x * x)
    return np.sum(np.hypot(z, x) + np.arctan2(z, 5.0 + x) + np.cbrt(x * x + 1.0))


@needs_library
@pytest.mark.parametrize("dtype, tolerance", [(np.float64, 1e-13), (np.float32, 2e-5)])
def test_gradients_agree_with_those_of_numpy(dtype, tolerance):
    x = np.linspace(-2.0, 2.0, 1003).astype(dtype)
    value, gradient = ad.value_and_grad(chain, backend="numba", vector_math=True)(x)
    expected, slope = ad.value_and_grad(chain)(x)
    assert gradient.dtype == dtype
    np.testing.assert_allclose(value, expected, rtol=tolerance)
    np.testing.assert_allclose(gradient, slope, rtol=tolerance, atol=tolerance)


@needs_library
@pytest.mark.parametrize("name, low, high", [("exp", -700.0, 700.0), ("sin", -100.0, 100.0), ("log", 1e-300, 1e3)])
def test_the_functions_are_vectors_and_within_4_units_in_the_last_place(name, low, high):
    function, own = getattr(np, name), vector_math.FUNCTIONS[getattr(np, name)]

    @numba.njit(error_model="numpy")
    def every(x, y):
        for k in range(x.shape[0]):
            y[k] = own(x[k])

    x = np.random.default_rng(1).uniform(low, high, 100_003)
    y = np.empty_like(x)
    every(x, y)
    exact = function(x.astype(np.longdouble))
    assert np.max(np.abs((y - exact) / np.spacing(np.abs(exact.astype(float))))) <= 4.0
    assert "_ZGV" in every.inspect_asm(every.signatures[0])
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e308, 5e-324, 1.0])
    given = np.empty_like(special)
    every(special, given)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(given, function(special), rtol=1e-12)


@needs_library
def test_the_option_is_seen_in_the_text_and_off_by_default():
    x = np.ones(3)
    assert "vector_exp" in ad.differentiable(chain, backend="numba", vector_math=True).source("gradient", x)
    assert "vector_exp" not in ad.differentiable(chain, backend="numba").source("gradient", x)


def test_it_is_refused_without_the_library(monkeypatch):
    monkeypatch.setattr(vector_math, "AVAILABLE", False)
    with pytest.raises(ad.UnsupportedSyntaxError, match="needs libmvec") as caught:
        ad.grad(lambda x: np.sum(np.exp(x)), backend="numba", vector_math=True)(np.ones(2))
    assert "vector_math=" in caught.value.hint


@pytest.mark.parametrize("option", ["vector_math"])
def test_it_is_refused_by_the_numpy_backend(option):
    with pytest.raises(ad.UnsupportedSyntaxError, match=f"{option}=True is an option of the Numba backend"):
        ad.grad(chain, backend="numpy", **{option: True})
    with pytest.raises(ad.UnsupportedSyntaxError, match=f"{option}=True is an option of the Numba backend"):
        ad.differentiable(chain, **{option: True})
