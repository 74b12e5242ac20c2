"""Second derivatives: gradients of rules of SciPy are differentiated again, or refused."""
import numpy as np
import pytest
from scipy import fft, integrate, interpolate, linalg, ndimage, optimize, signal, special, stats

import adcompiler as ad
from tests.rules.scipy.test_special import REAL

X = np.array([0.3, 0.9, 1.7])
A = np.array([[3.0, 0.4, 0.2], [0.1, 2.5, -0.3], [0.6, 0.2, 4.0]])


def check_second_order(f, x, tolerance=1e-6, step=1e-5):
    """Forward over reverse, and reverse over reverse, against differences of the gradient."""
    direction = np.random.default_rng(3).standard_normal(np.shape(x))
    gradient = ad.grad(f)
    want = (gradient(x + step * direction) - gradient(x - step * direction)) / (2.0 * step)
    _, forward = ad.jvp(gradient, (x,), (direction,))
    np.testing.assert_allclose(forward, want, rtol=tolerance, atol=tolerance)
    reverse = ad.grad(lambda x: np.sum(gradient(x) * direction))(x)
    np.testing.assert_allclose(reverse, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("function", [f for f in REAL if f not in (special.wofz, special.lambertw)])
def test_special_functions(function):
    results = function(REAL[function])
    first = results[0] if isinstance(results, tuple) else results
    assert not np.iscomplexobj(first)

    def f(x):
        y = function(x)
        return np.sum(y[0] ** 2) if isinstance(results, tuple) else np.sum(y ** 2)

    check_second_order(f, REAL[function], tolerance=2e-5)


@pytest.mark.parametrize("f, x", [
    (lambda x: special.logsumexp(x * x), X), (lambda x: np.sum(special.softmax(x) ** 2), X),
    (lambda x: np.sum(special.log_softmax(x) * x), X), (lambda x: np.sum(special.jv(0.5, x) * special.gammainc(2.0, x)), X),
    (lambda x: np.sum(np.abs(special.wofz(x)) ** 2 + special.lambertw(x).real ** 2), X),
    (lambda x: np.sum(special.xlogy(x, x)) + np.sum(special.betaln(x, 2.0)), X),
    (lambda a: np.sum(linalg.solve(a, X) ** 2), A), (lambda a: np.sum(linalg.inv(a) ** 2), A),
    (lambda a: np.sum(linalg.cholesky(a @ a.T, lower=True) ** 3), A),
    (lambda a: np.sum(linalg.solve_triangular(a, X, lower=True) ** 2), A), (lambda a: np.sum(linalg.expm(0.1 * a)), A),
    (lambda a: linalg.det(a) ** 2, A), (lambda x: np.sum(linalg.toeplitz(x) ** 3), X),
    (lambda x: np.sum(np.abs(fft.fft(x)) ** 4), X), (lambda x: np.sum(fft.dct(x) ** 3), X),
    (lambda x: np.sum(stats.norm.logpdf(x, x[0], x[1] ** 2)), X), (lambda x: np.sum(stats.gamma.logpdf(x, x[0] + 1.0)), X),
    (lambda x: np.sum(signal.convolve(x, x) ** 2), X), (lambda x: np.sum(ndimage.gaussian_filter1d(x, 1.0) ** 3), X),
])
def test_programs(f, x):
    check_second_order(f, x, tolerance=1e-5)


def test_standard_errors_of_a_maximum_likelihood_fit():
    """The observed information of a gamma distribution, from the exact Hessian."""
    data = np.array([0.8, 1.3, 2.1, 0.6, 1.7])

    def negative(theta):
        return -np.sum(stats.gamma.logpdf(data, theta[0], 0.0, theta[1]))

    theta = np.array([2.0, 0.7])
    gradient = ad.grad(negative)
    hessian = np.stack([ad.jvp(gradient, (theta,), (e,))[1] for e in np.eye(2)])
    a, s, n = *theta, len(data)
    want = [[n * special.polygamma(1, a), n / s], [n / s, 2.0 * np.sum(data) / s ** 3 - n * a / s ** 2]]
    np.testing.assert_allclose(hessian, want, rtol=1e-10)


@pytest.mark.parametrize("f", [
    lambda p: optimize.brentq(lambda x: x ** 3 + x - p, -10.0, 10.0), lambda p: integrate.quad(lambda t: t ** p, 0.0, 1.0)[0],
    lambda p: optimize.minimize(lambda x: (x[0] - p) ** 2, [0.0]).x[0],
    lambda p: integrate.solve_ivp(lambda t, y, p: -p * y, (0.0, 1.0), [1.0], args=(p,)).y[0, -1],
    lambda p: interpolate.interpn((np.arange(3.0),), np.arange(3.0) ** 2, np.array([[0.5 * p]]))[0],
])
def test_implicit_functions_are_of_first_order(f):
    """The error tells so, and what to write."""
    with pytest.raises(ad.MissingRuleError, match="first order; write instead"):
        ad.hvp(f)(1.3, 1.0)


def test_newton_steps_behind_a_solver_have_all_derivatives():
    def root(p):
        x = ad.stop_gradient(optimize.brentq(lambda x: x ** 3 + x - p, -10.0, 10.0, xtol=1e-14))
        for _ in range(2):
            x = x - (x ** 3 + x - p) / (3.0 * x ** 2 + 1.0)
        return x

    x = root(2.0)  # x = 1, and by the implicit function theorem x' = 1 / (3 x**2 + 1), x'' = -6 x x'**3
    assert ad.grad(root)(2.0) == pytest.approx(1.0 / (3.0 * x ** 2 + 1.0))
    assert ad.hvp(root)(2.0, 1.0) == pytest.approx(-6.0 * x * ad.grad(root)(2.0) ** 3)
