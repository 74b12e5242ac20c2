"""Rules of scipy.optimize: solutions as implicit functions of their parameters, in both modes."""
import numpy as np
import pytest
from scipy import optimize

import adcompiler as ad
from adcompiler.rules.registry import lookup
from tests.rules.scipy.both_modes import check_both_modes
from tests.rules.template_check import check_template, uncovered_rules

lookup(optimize.brentq)
from adcompiler.rules.scipy import optimize as rules  # noqa: E402
from adcompiler.runtime.scipy.minima import (  # noqa: E402
    least_squares_adjoint,
    least_squares_tangents,
    minimum_adjoint,
    minimum_tangents,
)
from adcompiler.runtime.scipy.roots import (  # noqa: E402
    fixed_point_adjoint,
    fixed_point_tangent,
    root_adjoint,
    root_tangent,
    scalar_root_adjoint,
    scalar_root_tangent,
)

TIGHT = {"xtol": 1e-14, "rtol": 1e-14}


def cubic(x, p, q):
    return x ** 3 + p * x - q


def system(x, p, q):
    return np.array([x[0] ** 3 + x[0] + 0.3 * x[1] * q - p, x[1] + np.tanh(x[0]) - q * p])


OVER = np.random.default_rng(6).standard_normal((6, 4))
VECTORS = [(optimize.nnls, (OVER, np.arange(6.0)), {})]
CASES = [
    *[(f, (cubic, -10.0, 10.0, (0.7, 1.9)), TIGHT) for f in (optimize.brentq, optimize.brenth, optimize.ridder, optimize.bisect)],
    (optimize.toms748, (cubic, -10.0, 10.0, (0.7, 1.9)), TIGHT),
    (optimize.newton, (cubic, 1.0, None, (0.7, 1.9)), {"tol": 1e-14}),
    (optimize.fixed_point, (lambda x, p, q: p * np.cos(q * x), 0.5, (0.7, 0.9)), {"xtol": 1e-13}),
    (optimize.fixed_point, (lambda x, p, q: p * np.cos(q * x), np.array([0.5, 0.1]), (0.7, 0.9)), {"xtol": 1e-13}),
    (optimize.fsolve, (system, np.ones(2), (0.7, 1.9)), {"xtol": 1e-13}),
]
IN_PROGRAMS = [
    (optimize.minimize, (cubic, 0.0), {}), (optimize.minimize_scalar, (cubic,), {}), (optimize.least_squares, (system, np.ones(2)), {}),
    *[(f, (1.0, cubic, 1.0, (1.0, 2.0)), {}) for f in (scalar_root_adjoint, root_adjoint, fixed_point_adjoint)],
    *[(f, (cubic, 1.0, (1.0, 2.0), (1.0, 2.0)), {}) for f in (scalar_root_tangent, root_tangent, fixed_point_tangent, minimum_tangents)],
    (minimum_adjoint, (1.0, 1.0, cubic, 1.0, ()), {}), (least_squares_adjoint, (1.0, 1.0, cubic, 1.0, (), None), {}),
    (least_squares_tangents, (cubic, 1.0, (), (), None), {}),
    (optimize.curve_fit, (cubic, 1.0, 1.0), {}), (optimize.root, (system, np.ones(2)), {}), (optimize.root_scalar, (cubic,), {})]


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_adjoint_and_tangent_agree_with_differences(function, args, kwargs):
    """Of the arguments only the parameters have influence: the differences move the start too."""
    rule = lookup(function)
    assert rule.differentiable == ("args",)
    check_template(function, *args, tolerance=1e-6, step=1e-5, **kwargs)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, VECTORS + CASES + IN_PROGRAMS) == []


def closed_over(p, b):
    return optimize.brentq(lambda x: x ** 3 + x * b - p, -10, 10, xtol=1e-14)


def result_object(p, b):
    sol = optimize.root_scalar(lambda x, q: x ** 3 + x * b - q, args=(p,), bracket=(-5, 5), xtol=1e-14)
    return sol.root ** 2 if sol.converged else 0.0


def many_roots(p, b):
    x = optimize.newton(lambda x: x ** 3 + x * b - p, np.array([1.0, 2.0, 3.0]), tol=1e-13)
    return np.sum(x ** 2)


def given_slope(p, b):
    return optimize.newton(lambda x, p, b: x ** 3 + x * b - p, 1.0, fprime=lambda x, p, b: 3 * x ** 2 + b, args=(p, b), tol=1e-14)


def list_system(p, b):
    sol = optimize.root(lambda x: [x[0] ** 3 + x[1] * b - p, x[1] + x[0] - b * p], [1.0, 1.0], tol=1e-13)
    return sol.x[0] * sol.x[1] if sol.success else 0.0


def other_method(p, b):
    x = optimize.root(system, np.ones(2), (p, b), method="lm", tol=1e-13).x
    return np.sum(x * np.array([1.0, 2.0]))


def with_matrix(a, b):
    """`a` has the shape of the Jacobian of a system that is nearly linear."""
    x = optimize.fsolve(lambda x: a @ x + 0.1 * np.sin(x) - b, np.zeros(3), xtol=1e-13)
    return np.sum(x ** 3)


def start_moves(p, b):
    return optimize.brentq(lambda x: x ** 3 - p, 0.5 * p, 10.0 + b, xtol=1e-14)


def method_of_an_object(p, b):
    class Equation:
        def __init__(self, b):
            self.b = b

        def at(self, x, p):
            return x ** 3 + x * self.b - p

    return optimize.brentq(lambda x, p, b: Equation(b).at(x, p), -10, 10, args=(p, b), xtol=1e-14)


@pytest.mark.parametrize("f", [closed_over, result_object, many_roots, given_slope, list_system, other_method, start_moves])
def test_roots_in_programs(f):
    check_both_modes(f, 1.3, 2.0, tolerance=1e-6, step=1e-4)


def test_roots_of_systems_with_arrays():
    rng = np.random.default_rng(1)
    check_both_modes(with_matrix, 0.2 * rng.standard_normal((3, 3)) + 2 * np.eye(3), rng.standard_normal(3), tolerance=1e-6,
                     step=1e-4)


def test_equation_of_state():
    """The molar volume of a van der Waals gas: dV/dT from the implicit function theorem by hand."""
    r, a, b = 8.314, 0.364, 4.27e-5

    def volume(temperature, pressure):
        return optimize.brentq(lambda v: (pressure + a / v ** 2) * (v - b) - r * temperature, 1e-3, 1.0, xtol=1e-15)

    t, p = 300.0, 1e5
    v = volume(t, p)
    slope = (p + a / v ** 2) - 2 * a / v ** 3 * (v - b)
    np.testing.assert_allclose(ad.grad(volume, wrt=(0, 1))(t, p), [r / slope, -(v - b) / slope], rtol=1e-10)


def test_a_point_that_is_no_root_is_told():
    def f(p):
        return optimize.root(lambda x: x ** 3 - p, [5.0], options={"maxfev": 3}).x[0]
    with pytest.warns(UserWarning, match="a root has not been reached"):
        ad.grad(f)(1.0)


def partial_function(p, b):
    import functools

    return optimize.brentq(functools.partial(lambda q, x: x ** 3 - q, p), -10, 10)


def nonlocal_function(p, b):
    count = 0

    def g(x):
        nonlocal count
        count += 1
        return x ** 3 - p

    return optimize.brentq(g, -10, 10) + count


@pytest.mark.parametrize("f, words", [
    (partial_function, "the function 'f' is not one"), (nonlocal_function, "changes 'count'"),
    (lambda p, b: optimize.brentq(lambda x: x - p, -10, 10, full_output=True)[0], "full_output"),
    (lambda p, b: optimize.root(lambda x: x - p, [1.0]).fun[0], "'fun'"),
    (lambda p, b: optimize.newton(lambda x: x ** 2 - p, 1.0, fprime=lambda x: 2 * x * p / p), "the function 'fprime' reads"),
    (lambda p, b: optimize.linprog([p, b]).fun, "linprog"),
])
def test_refused(f, words):
    with pytest.raises(ad.AdcompilerError, match=words):
        ad.grad(f)(1.3, 2.0)


# ---- minima and fits ----


def rosenbrock(x, a, b):
    return (a - x[0]) ** 2 + b * (x[1] - x[0] ** 2) ** 2


def minimum_in_closed_form(p, b):
    """At x = p the function is b."""
    sol = optimize.minimize(lambda x: (x[0] - p) ** 2 * (1.0 + b ** 2) + b + (x[1] - p * b) ** 4 + (x[1] - p * b) ** 2, np.zeros(2),
                            tol=1e-12)
    return sol.x[0] * 2.0 + sol.x[1] + 3.0 * sol.fun


def quadratic(p, b):
    """Minimum of a coupled quadratic form, whose gradient the solver gets too."""
    def f(x, p, b):
        return 0.5 * (2.0 * x[0] ** 2 + b * x[1] ** 2) + x[0] * x[1] - p * x[0] - x[1] + 0.1 * x[0] ** 4

    def slope(x, p, b):
        return np.array([2.0 * x[0] + x[1] - p + 0.4 * x[0] ** 3, b * x[1] + x[0] - 1.0])

    sol = optimize.minimize(f, np.zeros(2), (p, b), jac=slope, tol=1e-13)
    return sol.x[0] ** 2 + 3.0 * sol.x[1]


def at_a_bound(p, b):
    sol = optimize.minimize(lambda x: (x[0] - p) ** 2 + (x[1] + b) ** 2 + 0.5 * x[0] * x[1], np.ones(2), method="L-BFGS-B",
                            bounds=[(None, None), (0.0, None)], options={"gtol": 1e-12, "ftol": 1e-16})
    return sol.x[0] * 3.0 + sol.x[1] + sol.fun


def one_variable(p, b):
    sol = optimize.minimize_scalar(lambda x: (x - p) ** 2 * b + 0.1 * x ** 4, bracket=(0.0, 1.0), tol=1e-12)
    return sol.x ** 2 + sol.fun


def fitted(data, b):
    t = np.linspace(0.0, 1.0, 6)
    sol = optimize.least_squares(lambda q: q[0] * np.exp(-q[1] * b * t) - data, np.array([1.0, 1.0]), xtol=1e-15, ftol=1e-15,
                                 gtol=1e-15)
    return sol.x[0] + sol.x[1] ** 2 + sol.cost


def curve(x, amplitude, rate):
    return amplitude * np.exp(-rate * x)


def fitted_curve(y, sigma):
    x = np.linspace(0.0, 2.0, 6)
    popt, pcov = optimize.curve_fit(curve, x, y, [1.0, 1.0], sigma)
    return popt[0] * 2.0 + popt[1] ** 2


DATA = np.array([2.1, 1.5, 1.2, 0.8, 0.75, 0.5])


@pytest.mark.parametrize("f, args", [
    (minimum_in_closed_form, (1.3, 0.7)), (quadratic, (1.3, 2.0)), (at_a_bound, (1.3, 0.4)), (one_variable, (1.3, 2.0)),
    (fitted, (DATA, 1.2)), (fitted_curve, (DATA, np.linspace(0.5, 1.5, 6)))])
def test_minima_in_programs(f, args):
    check_both_modes(f, *args, tolerance=2e-5, agreement=1e-6, step=1e-3)


def fixed(p, b):
    return optimize.fixed_point(lambda x, p, q: p * np.cos(0.2 * q * x), 0.5, (p, b), xtol=1e-14) * 1.0


def cost(p, b):
    found = optimize.least_squares(lambda q, p, b: np.array([q[0] ** 2 + q[0] * b - p, q[0] - 1.0]), np.ones(1), jac="3-point",
                                   xtol=1e-15, ftol=1e-15, gtol=1e-15, args=(p, b))
    return found.x[0] + found.cost


def slope_of(f):
    """A program that calls the adjoint of the solution."""
    def slope(p, b):
        return ad.grad(f)(p, b)

    return slope


def change_of(f):
    """A program that calls the tangent of the solution."""
    def change(p, b):
        return ad.jvp(f, (p, b), (1.0, 0.5))[1]

    return change


# the rule that is checked, a program around its call, arguments, tolerance: minima are found to half the digits
PROGRAMS = [
    (optimize.root_scalar, result_object, (1.3, 2.0)), (optimize.root, list_system, (1.3, 2.0)),
    (optimize.minimize, quadratic, (1.3, 2.0), 1e-4), (optimize.minimize_scalar, one_variable, (1.3, 2.0), 1e-4),
    (optimize.least_squares, fitted, (DATA, 1.2), 1e-4), (optimize.curve_fit, fitted_curve, (DATA, np.linspace(0.5, 1.5, 6)), 1e-4),
    *[(rule, of(f), (1.3, 2.0), 1e-4) for f, *rules_ in [
        (closed_over, scalar_root_adjoint, scalar_root_tangent), (list_system, root_adjoint, root_tangent),
        (fixed, fixed_point_adjoint, fixed_point_tangent), (one_variable, minimum_adjoint, minimum_tangents),
        (cost, least_squares_adjoint, least_squares_tangents)] for rule, of in zip(rules_, (slope_of, change_of), strict=True)],
]


def test_the_place_of_a_minimum_in_closed_form():
    g = ad.grad(lambda p: optimize.minimize(lambda x: (x[0] - p ** 2) ** 2, [0.0], tol=1e-10).x[0])(1.5)
    np.testing.assert_allclose(g, 3.0, rtol=1e-8)


def fit_by_hand(x, y, sigma, absolute):
    """Parameters of `curve` by Newton's method, and their covariance."""
    p = np.array([2.0, 0.8])
    for _ in range(30):
        e, r = np.exp(-p[1] * x), (curve(x, *p) - y) / sigma
        slopes = np.stack([e, -p[0] * x * e], axis=1) / sigma[:, None]
        curved = np.array([[0.0 * x, -x * e], [-x * e, p[0] * x * x * e]]) / sigma
        p = p - np.linalg.solve(slopes.T @ slopes + curved @ r, slopes.T @ r)
    return p, np.linalg.inv(slopes.T @ slopes) * (1.0 if absolute else r @ r / (len(y) - 2))


@pytest.mark.parametrize("absolute", [False, True])
def test_standard_errors_of_a_fit_move_with_the_data(absolute):
    x, sigma = np.linspace(0.0, 2.0, 6), np.linspace(0.5, 1.5, 6)

    def f(y, sigma):
        popt, pcov = optimize.curve_fit(curve, x, y, [2.0, 0.8], sigma, absolute)
        return np.sqrt(pcov[0, 0]) + pcov[0, 1] + popt[1]

    def by_hand(y, sigma):
        popt, pcov = fit_by_hand(x, y, sigma, absolute)
        return np.sqrt(pcov[0, 0]) + pcov[0, 1] + popt[1]

    directions = np.random.default_rng(0).standard_normal((2, 6))
    _, tangent = ad.jvp(f, (DATA, sigma), tuple(directions))
    wanted = [by_hand(DATA + h * directions[0], sigma + h * directions[1]) for h in (1e-5, -1e-5)]
    np.testing.assert_allclose(tangent, (wanted[0] - wanted[1]) / 2e-5, rtol=1e-5)
    np.testing.assert_allclose(np.sum(directions * ad.grad(f, wrt=(0, 1))(DATA, sigma)), tangent, rtol=1e-7)


def test_a_matrix_of_weights_is_refused_with_its_line():
    def weighted(y):
        return optimize.curve_fit(curve, np.linspace(0.0, 2.0, 6), y, [1.0, 1.0], np.eye(6))[0][0]

    with pytest.raises(ad.RuleError, match="a matrix as sigma") as caught:
        ad.grad(weighted)(DATA)
    assert "optimize.curve_fit" in str(caught.value) and "least_squares" in caught.value.hint


@pytest.mark.parametrize("f, words", [
    (lambda p: optimize.minimize(lambda x: (x[0] - p) ** 2, [0.0], constraints=()).x[0], "constraints"),
    (lambda p: optimize.minimize(lambda x: (x[0] - p) ** 2, [0.0]).hess_inv[0, 0], "hess_inv"),
    (lambda p: optimize.least_squares(lambda x: x - p, [0.0], loss="soft_l1").x[0], "loss"),
    (lambda p: optimize.curve_fit(lambda x, a: a * x + p, np.ones(3), np.ones(3))[0][0], "what it reads"),
])
def test_refused_minima(f, words):
    with pytest.raises(ad.AdcompilerError, match=words):
        ad.grad(f)(1.3)


def test_solvers_whose_arguments_are_given_by_keyword():
    def f(p):
        return optimize.newton(func=lambda x, q: x ** 3 + x - q, x0=1.0, args=(p,), tol=1e-14)

    check_both_modes(f, 2.0)


def test_a_tolerance_behind_all_other_arguments():
    def f(p):
        return optimize.fsolve(lambda x, q: x ** 3 + x - q, np.ones(1), (p,), None, xtol=1e-13)[0]

    check_both_modes(f, 2.0)
    with pytest.raises(ad.AdcompilerError):
        ad.grad(lambda p: optimize.fsolve(lambda x: x - p, np.ones(1), (), None, 0, 0, 1e-13)[0])(2.0)


@pytest.mark.parametrize("start", [0.5, np.array([0.5, 0.1])])
def test_a_fixed_point_may_be_changed_in_place(start):
    """SciPy gives an array without axes where the starting point is a number."""
    def doubled(p):
        x = optimize.fixed_point(lambda x, p: p * np.cos(x), start, (p,), xtol=1e-13)
        x *= 2.0
        return np.sum(x)

    check_both_modes(doubled, 0.7, tolerance=1e-7)


@pytest.mark.parametrize("function, args, kwargs", VECTORS)
def test_of_matrices(function, args, kwargs):
    check_template(function, *args, **kwargs)


def test_non_negative_least_squares():
    """A component at 0 stays there; the rest solves its normal equations."""
    b = np.array([0.3, 1.2, -0.7, 0.4, 2.0, -1.0])
    x = optimize.nnls(OVER, b)[0]
    assert 0 < np.sum(x > 0.0) < 4
    matrix = ad.jacobian(lambda b: optimize.nnls(OVER, b)[0])(b)
    np.testing.assert_allclose(matrix[x > 0.0], np.linalg.pinv(OVER[:, x > 0.0]), atol=1e-12)
    np.testing.assert_array_equal(matrix[x == 0.0], 0.0)

    def f(a, b):
        x, size = optimize.nnls(a, b)
        return np.sum(np.exp(x)) * size

    check_both_modes(f, OVER, b)
    check_both_modes(lambda a, b: np.sum(ad.grad(f)(a, b) ** 2), OVER, b)
