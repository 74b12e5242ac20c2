"""Library functions that compiled code calls in Python: the numbers of NumPy and SciPy, and what is refused."""
import importlib
import sys

import numpy as np
import pytest

import adcompiler as ad
from adcompiler.runtime.numba.library_calls import array_of, copy_of, number_of, run

pytest.importorskip("numba")
special, linalg = pytest.importorskip("scipy.special"), pytest.importorskip("scipy.linalg")
interpolate = pytest.importorskip("scipy.interpolate")
pytestmark = pytest.mark.filterwarnings("ignore")
W = np.array([[1.0, 2.0, 3.0], [5.0, 7.0, 11.0], [13.0, 17.0, 19.0]])


def filtered_spectrum(m):
    total = 0.0
    for row in m:
        spectrum = np.fft.rfft(row, norm="ortho")
        spectrum[1:] *= 0.5
        total += np.sum(np.fft.irfft(spectrum, 3) ** 3)
    image = np.fft.fft2(m) * np.fft.fftshift(W)
    return total + np.sum(np.abs(np.fft.ifft2(image)) ** 2) + np.sum(np.fft.fft(m, axis=0).imag * W)


def special_functions(m):
    x = m[0] ** 2 + 0.5
    likelihood = special.gammaln(x) - special.betaln(x, 2.0) + special.erf(m[1]) * special.expit(m[2]) + special.j0(x)
    return np.sum(likelihood) + special.logsumexp(m) + np.sum(special.softmax(m, axis=1) * W) + np.sum(special.xlogy(x, x))


def decompositions_of_stacks(m):
    stack = np.array([m @ m.T, m.T @ m + 2.0 * np.eye(3)])
    w, v = np.linalg.eigh(stack)
    s = np.linalg.svd(stack, compute_uv=False)
    q, r = np.linalg.qr(stack)
    return np.sum(w**2 * s) + np.sum(v[0] ** 2 @ W) + np.sum(np.abs(r) * W) + np.sum(np.linalg.pinv(stack) * W)


def other_forms_of_common_functions(m):
    padded = np.pad(m, 1, mode="edge") + np.pad(m, ((1, 1), (0, 2)), mode="reflect")
    levels = np.quantile(m, [0.25, 0.5], axis=1, method="hazen")
    x = np.delete(m[0] * m[1], [0, 2])
    y = np.interp(m[1], W[0], m[2], period=5.0)
    weighted = np.cov(m[0], m[1], aweights=W[0])
    return (np.sum(padded**2) + np.sum(levels**3) + x[0] * np.sum(y) + np.sum(weighted * W[:2, :2])
            + np.polyval(m[0], m[1, 1]) + np.sum(np.cross(m, m[1]) * W))


def counted_and_searched(m):
    counts, edges = np.histogram(W, bins=4, weights=m)
    k = np.unique(np.round(W[0]), return_counts=True)[1]
    spread = np.sum(np.diff(m, axis=0) ** 2 * W[1:]) + np.sum(np.cov(m, rowvar=False) * W) + np.sum(np.diff(m[0], 2))
    return spread + np.sum(counts**2 * edges[1:]) + np.sum(m[0] * k) + np.sum(np.trapezoid(m, W[0], axis=1) ** 2)


@pytest.mark.parametrize("f", [
    filtered_spectrum, special_functions, decompositions_of_stacks, other_forms_of_common_functions, counted_and_searched,
])  # fmt: skip
def test_as_by_numpy(f):
    m = np.arange(9.0).reshape(3, 3) ** 1.5 / 7.0 - np.eye(3)
    value, gradient = ad.value_and_grad(f, backend="numba")(m)
    expected, right = ad.value_and_grad(f)(m)
    assert np.isclose(value, expected, rtol=1e-12)
    assert np.allclose(gradient, right, rtol=1e-11, atol=1e-11)


def smoothed(x):
    return np.abs(np.fft.fft(x)) * special.expit(x) + np.linalg.norm(np.fft.fft(x), 3)


def test_pullbacks_tangents_and_second_derivatives():
    x, v = np.array([0.5, -1.5, 2.0, 0.25]), np.array([1.0, 0.5, -0.25, 2.0])
    compiled = ad.differentiable(smoothed, backend="numba")
    (value, pullback), (expected, right) = ad.vjp(compiled, x), ad.vjp(smoothed, x)
    assert np.allclose(value, expected, rtol=1e-14)
    assert np.allclose(pullback(v), right(v), rtol=1e-12)
    assert np.allclose(ad.jvp(compiled, (x,), (v,))[1], ad.jvp(smoothed, (x,), (v,))[1], rtol=1e-12)
    def total(x):
        return np.sum(special.gammaln(x * x) * np.fft.ifft(x).real)
    assert np.allclose(ad.hvp(total, backend="numba")(x, v), ad.hvp(total)(x, v), rtol=1e-11)


def test_numbers_of_lower_precision_keep_their_type():
    def f(x):
        return np.sum(special.expit(x) * special.gammaln(x[0])) + special.erf(x[1])

    x = np.array([0.5, 1.5], np.float32)
    value, gradient = ad.value_and_grad(f, backend="numba")(x)
    expected, right = ad.value_and_grad(f)(x)
    assert gradient.dtype == right.dtype == np.float32
    assert np.isclose(value, expected, rtol=1e-6) and np.allclose(gradient, right, rtol=1e-6)


def test_an_error_in_it_is_that_of_the_function_at_its_line():
    def f(a):
        b = a * 2.0
        return np.sum(np.linalg.cholesky(b, upper=True))

    a = np.array([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite") as caught:
        ad.grad(f, backend="numba")(a)
    assert "upper=True" in "".join(getattr(caught.value, "__notes__", []))


def test_the_text_shows_the_calls_and_runs_on_its_own(tmp_path, monkeypatch):
    text = ad.differentiable(filtered_spectrum, backend="numba").source("gradient", np.ones((3, 3)))
    assert "lambda a: np.fft.rfft(a, norm='ortho')" in text and "'complex128[::1]'" in text
    (tmp_path / "spectrum_by_numba.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    made = importlib.import_module("spectrum_by_numba")
    m = W / 5.0
    assert np.allclose(made.filtered_spectrum_gradient(m, W)[1], ad.grad(filtered_spectrum)(m), rtol=1e-11)


def in_another_shape(m):
    a = np.zeros((3, 3), order="F")
    a += m
    v = a.reshape(-1)  # a copy, since `a` lies in Fortran order
    v[1] = 5.0 * m[0, 0]
    return np.sum(a * W) + np.sum(v * v)


@pytest.mark.parametrize("f, what", [
    (in_another_shape, "in Fortran order"),
    (lambda m: np.sum((m * 2.0).flatten("K") * W.ravel()), "flatten"),
    (lambda m: np.sum(m) * np.shares_memory(m, W), "shares_memory"),
    (lambda m: np.sum(np.linalg.eig(m)[0].real), "numpy.linalg.eig"),
    (lambda m: np.sum(linalg.lstsq(m[:, :2], m[:, 2])[0] ** 2), "lstsq"),  # of a residual it gives a number or an array
    (lambda m: np.sum(interpolate.pchip_interpolate(np.arange(3.0), m, 1.5)), "polynomial_value"),  # knots are not tested
    (lambda m: np.sum(interpolate.splev(1.5, interpolate.splrep(np.arange(5.0), np.arange(5.0))) * m), "splrep"),
])  # fmt: skip
def test_what_is_not_called_in_python_is_refused(f, what):
    with pytest.raises(ad.UnsupportedSyntaxError, match=what):
        ad.grad(f, backend="numba")(np.ones((3, 3)))


def many_calls(x):
    total = 0.0
    for k in range(200):
        total += np.sum(np.fft.fft(x[k:]).real ** 2) + special.gammaln(x[k])
    return total


def test_what_is_passed_is_freed():
    x = np.ones(300)
    gradient = ad.grad(many_calls, backend="numba")
    gradient(x)
    before = sys.getrefcount(x)
    for _ in range(5):
        gradient(x)
    assert sys.getrefcount(x) == before


def test_threads_do_not_call_python():
    def f(m):
        total = 0.0
        for k in range(3):
            total += np.sum(np.fft.fft(m[k]).real ** 2)
        return total

    with pytest.raises(ad.UnsupportedSyntaxError, match="numpy.fft.fft"):
        ad.grad(f, backend="numba", parallel=True)(np.ones((3, 3)))


def test_what_comes_back_is_checked():
    with pytest.raises(TypeError, match="an array of float32 of rank 1, where an array of float64 of rank 2"):
        array_of(np.ones(3, np.float32), "float64", 2)
    with pytest.raises(TypeError, match="a value of float, where"):
        copy_of(1.0, "float64", 1)
    with pytest.raises(TypeError, match="a number of complex128, where a number of float64"):
        number_of(np.complex128(1j), "float64")
    with pytest.raises(OverflowError, match="more than 64 bits"):
        number_of(2**70, "int64")
    with pytest.raises(TypeError, match="2 results, where 1 were expected"):
        run("lambda a: np.divmod(a, 2.0)", "float64;", 3.0)
    with pytest.raises(TypeError, match="where None was expected"):
        run("lambda a: np.divmod(a, 2.0)", "float64;none;", 3.0)
    assert run("lambda a: (a, None)", "float64;none;", 3.0) == (3.0,)
    assert run("lambda a: np.divmod(a, 2.0)", "float64;float64;", 3.0) == (1.0, 1.0)
    assert number_of(np.float32(0.5), "float32") == 0.5 and array_of(W[:, ::2], "float64", 2).flags.c_contiguous
