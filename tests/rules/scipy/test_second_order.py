"""Second derivatives: gradients of rules of SciPy are differentiated again; those of solutions twice, then they are refused."""
import numpy as np
import pytest
from scipy import fft, integrate, interpolate, linalg, ndimage, optimize, signal, special, stats

import adcompiler as ad
from tests.rules.scipy.special import test_bessel, test_further, test_gamma_and_error, test_statistical

REAL = {f: x for file in (test_bessel, test_further, test_gamma_and_error, test_statistical) for f, x in file.REAL.items()}
K = np.arange(1.0, 6.0)
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
    (lambda a: np.sum(linalg.cosm(0.1 * a) * linalg.tanhm(0.1 * a)), A),
    (lambda y: np.sum(interpolate.PchipInterpolator(K, y)(K[:-1] + 0.3) ** 2), K ** 2),
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


def oscillator(t, y, k, c):
    return np.array([y[1], -k * y[0] - c * y[1] + 0.1 * y[0] ** 3])


def curved(x, p, b):
    return (x[0] - p) ** 2 * (1.0 + b ** 2) + b * p + (x[1] - p * b) ** 2 + 0.3 * x[0] * x[1] + 0.1 * x[0] ** 4


def curved_slope(x, p, b):
    return ad.grad(curved)(x, p, b)


DECAY = np.exp(-np.linspace(0.0, 1.0, 6)) + 0.05 * np.cos(5.0 * np.linspace(0.0, 1.0, 6))
OPTIONS = {"rtol": 1e-11, "atol": 1e-12}
# Functions of two parameters that are solutions, by family.
SOLUTIONS = {
    "brentq": lambda p, b: optimize.brentq(lambda x: x ** 3 + x * b - p, -10, 10, xtol=1e-15) ** 2,
    "newton": lambda p, b: np.sum(optimize.newton(lambda x: x ** 3 + x * b - p, np.array([1.0, 3.0]), tol=1e-14) ** 2),
    "root": lambda p, b: np.prod(optimize.root(lambda x: [x[0] ** 3 + x[1] * b - p, x[1] + x[0] - b * p], [1.0, 1.0], tol=1e-14).x),
    "fixed_point": lambda p, b: optimize.fixed_point(lambda x, p, q: p * np.cos(0.2 * q * x), 0.5, (p, b), xtol=1e-14) ** 2,
    "minimize": lambda p, b: np.sum(optimize.minimize(curved, np.ones(2), (p, b), method="trust-exact", jac=curved_slope,
                                                      hess=ad.hessian(curved), options={"gtol": 1e-12}).x * np.array([2.0, 1.0])),
    "value of the minimum": lambda p, b: optimize.minimize(curved, np.ones(2), (p, b), tol=1e-10).fun ** 2,
    "minimize_scalar": lambda p, b: optimize.minimize_scalar(lambda x: np.cosh(x - p * b) + 0.1 * x ** 2, tol=1e-14).x ** 2,
    "least_squares": lambda p, b: np.sum(optimize.least_squares(
        lambda q, p, b: q ** 2 * b + q - p * DECAY, np.ones(1), jac="3-point", xtol=1e-15, ftol=1e-15, gtol=1e-15, args=(p, b)).x),
    "quad": lambda p, b: integrate.quad(lambda t, s: np.exp(-s[0] * t) * s[1] ** 2, p, 3.5, args=(b * np.array([1.0, 0.6]),),
                                        epsabs=1e-13)[0],
    "quad to infinity": lambda p, b: integrate.quad(lambda t: np.exp(-p * t ** 2) * np.sin(b * t), 0.0, np.inf, epsabs=1e-13)[0] ** 2,
    "solve_ivp": lambda p, b: np.sum(integrate.solve_ivp(oscillator, (0.0, 1.0), np.array([p, 0.5]), args=(b, p),
                                                         t_eval=np.array([0.4, 1.0]), rtol=1e-9, atol=1e-10).y ** 2),
    "odeint": lambda p, b: np.sum(integrate.odeint(lambda y, t, k: -k * y + 0.1 * np.sin(y), np.array([p, b]), np.array([0.0, 0.5, 1.0]),
                                                   args=(p * b,), **OPTIONS) ** 2),
}
LESS_SHARP = {"value of the minimum": 1e-4, "least_squares": 1e-4, "minimize_scalar": 1e-4, "solve_ivp": 1e-5}
AT = (1.3, 2.0)


@pytest.mark.parametrize("name", SOLUTIONS)
def test_second_derivatives_of_solutions(name):
    """Reverse over reverse and forward over reverse, against differences of the gradient."""
    f, step, tolerance = SOLUTIONS[name], 1e-4, LESS_SHARP.get(name, 1e-6)
    gradient, u = ad.grad(f, wrt=(0, 1)), (0.7, -0.4)

    def at(h):
        return np.array(gradient(*[a + h * d for a, d in zip(AT, u, strict=True)]))

    want = (8.0 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12.0 * step)
    forward = np.array(ad.jvp(gradient, AT, u)[1])
    reverse = ad.grad(lambda p, b: gradient(p, b)[0] * u[0] + gradient(p, b)[1] * u[1], wrt=(0, 1))(*AT)
    np.testing.assert_allclose(forward, want, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(np.array(reverse), forward, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["brentq", "root", "fixed_point", "minimize", "quad to infinity", "solve_ivp"])
def test_derivatives_of_tangents_of_solutions(name):
    """Reverse over forward and forward over forward, against forward over reverse."""
    f, u, v = SOLUTIONS[name], (0.7, -0.4), (0.2, 0.9)

    def along(p, b):
        return ad.jvp(f, (p, b), u)[1]

    want = np.array(ad.jvp(ad.grad(f, wrt=(0, 1)), AT, u)[1])
    np.testing.assert_allclose(np.array(ad.grad(along, wrt=(0, 1))(*AT)), want, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ad.jvp(along, AT, v)[1], want @ np.array(v), rtol=1e-6, atol=1e-8)


def test_a_component_at_its_bound_stays_there_to_second_order():
    """With x[1] = 0 held, x[0] = p**2 and the least value is b**2."""
    def f(p, b):
        found = optimize.minimize(lambda x: (x[0] - p ** 2) ** 2 + (x[1] + b) ** 2, np.ones(2), method="L-BFGS-B",
                                  bounds=[(None, None), (0.0, None)], options={"gtol": 1e-12, "ftol": 1e-16})
        return found.x[0] + 5.0 * found.x[1] + found.fun

    gradient = ad.grad(f, wrt=(0, 1))
    np.testing.assert_allclose(ad.jvp(gradient, (1.3, 0.4), (1.0, 0.0))[1], [2.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(ad.jvp(gradient, (1.3, 0.4), (0.0, 1.0))[1], [0.0, 2.0], atol=1e-6)


@pytest.mark.parametrize("f, words", [
    (lambda y: ad.hvp(lambda y: optimize.curve_fit(lambda x, a: a * x, np.ones(3), y * np.arange(3.0))[0][0])(y, 1.0),
     "first order; write instead"),
    (ad.grad(ad.grad(ad.grad(lambda p: optimize.brentq(lambda x: x ** 3 + x - p, -10.0, 10.0)))), "first two orders; write instead"),
    (ad.grad(ad.grad(ad.grad(lambda p: integrate.quad(lambda t: t ** p, 0.0, 1.0)[0]))), "first two orders; write instead"),
])
def test_higher_orders_are_refused(f, words):
    """The error tells so, and what to write."""
    with pytest.raises(ad.MissingRuleError, match=words):
        f(1.3)


def test_newton_steps_behind_a_solver_have_all_derivatives():
    def root(p):
        x = ad.stop_gradient(optimize.brentq(lambda x: x ** 3 + x - p, -10.0, 10.0, xtol=1e-14))
        for _ in range(2):
            x = x - (x ** 3 + x - p) / (3.0 * x ** 2 + 1.0)
        return x

    x = root(2.0)  # x = 1, and by the implicit function theorem x' = 1 / (3 x**2 + 1), x'' = -6 x x'**3
    assert ad.grad(root)(2.0) == pytest.approx(1.0 / (3.0 * x ** 2 + 1.0))
    assert ad.hvp(root)(2.0, 1.0) == pytest.approx(-6.0 * x * ad.grad(root)(2.0) ** 3)
