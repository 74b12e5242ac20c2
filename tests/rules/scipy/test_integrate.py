"""Rules of scipy.integrate: integrals of functions, of samples, and initial value problems, in both modes."""
import numpy as np
import pytest
from scipy import integrate, optimize, special

import adcompiler as ad
from adcompiler.rules.registry import lookup
from tests.rules.scipy.both_modes import check_both_modes
from tests.rules.template_check import check_template, uncovered_rules

lookup(integrate.quad)
from adcompiler.rules.scipy import integrate as rules  # noqa: E402
from adcompiler.runtime.scipy.quadrature import quad_args_adjoint, quad_args_tangent  # noqa: E402
from adcompiler.runtime.scipy.trajectories import solve_ivp_adjoints, solve_ivp_tangent  # noqa: E402

RNG = np.random.default_rng(2)
Y, GRID = RNG.standard_normal((3, 6)), np.cumsum(RNG.uniform(0.5, 1.5, 6))


def decay(t, p, q):
    return np.exp(-p * t) * q


def oscillator(t, y, k, c):
    return np.array([y[1], -k * y[0] - c * y[1]])


SAMPLES = [
    *[(integrate.trapezoid, args, kw) for args, kw in [
        ((Y,), {}), ((Y, GRID), {}), ((Y.T, GRID), {"axis": 0}), ((Y, Y.cumsum(axis=1)), {}), ((Y,), {"dx": 0.3})]],
    *[(integrate.cumulative_trapezoid, args, kw) for args, kw in [
        ((Y,), {}), ((Y, GRID), {}), ((Y.T, GRID), {"axis": 0}), ((Y, GRID), {"initial": 0}), ((Y, Y.cumsum(axis=1)), {}),
        ((Y,), {"dx": 0.3, "initial": 0})]],
    *[(integrate.simpson, args, kw) for args, kw in [
        ((Y,), {}), ((Y[:, :5],), {"dx": 0.3}), ((Y[:, :2],), {}), ((Y[:, :2], GRID[:2]), {}), ((Y[:, :3],), {}),
        ((Y[0],), {"dx": 0.7})]],
    *[(integrate.romb, args, kw) for args, kw in [((Y[:, :5],), {}), ((Y[0, :3], 0.3), {}), ((Y[:, :5].T, 0.7, 0), {})]],
    *[(integrate.cumulative_simpson, args, kw) for args, kw in [
        ((Y,), {}), ((Y.T,), {"x": GRID, "axis": 0}), ((Y[0],), {"dx": np.float64(0.3).item(), "initial": 0})]],
]
CASES = SAMPLES + [(integrate.quad, (decay, 0.2, 1.7, (0.4, 1.3)), {}), (integrate.quad, (decay, 0.2, np.inf, (0.4, 1.3)), {})]
TIGHT = {"rtol": 1e-11, "atol": 1e-11}


def final_state(y0, k, c):
    return integrate.solve_ivp(oscillator, (0.0, 1.0), y0, args=(k, c), rtol=1e-11, atol=1e-11).y[:, -1]


def integral(p, q):
    return integrate.quad(decay, 0.2, q, (p, q), epsabs=1e-12)[0]


def end(p, q):
    return integrate.solve_ivp(oscillator, (0.0, 1.0), np.array([1.0, -0.5]), args=(p, q), rtol=1e-9, atol=1e-10).y[0, -1]


def slope_of(f):
    """A program that calls the adjoint."""
    def slope(p, q):
        return ad.grad(f)(p, q)

    return slope


def change_of(f):
    """A program that calls the tangent."""
    def change(p, q):
        return ad.jvp(f, (p, q), (1.0, 0.5))[1]

    return change


SPAN = (oscillator, GRID, (0.0, 1.0), np.ones(2), ())
IN_PROGRAMS = [
    (integrate.solve_ivp, (oscillator, (0.0, 1.0), np.ones(2)), {}), (quad_args_adjoint, (1.0, decay, 0.0, 1.0, (0.4, 1.3)), {}),
    (quad_args_tangent, (decay, 0.0, 1.0, (0.4, 1.3), (1.0, 1.0)), {}), (solve_ivp_adjoints, (np.ones((2, 6)), *SPAN), {}),
    (solve_ivp_tangent, (np.ones(2), (), *SPAN), {}),
]
# the rule that is checked, a program around its call, arguments
PROGRAMS = [
    (integrate.solve_ivp, final_state, (np.array([1.0, -0.5]), 1.3, 0.2), 1e-6),
    (quad_args_adjoint, slope_of(integral), (0.4, 1.3), 1e-6), (quad_args_tangent, change_of(integral), (0.4, 1.3), 1e-6),
    (solve_ivp_adjoints, slope_of(end), (1.3, 0.2), 1e-5), (solve_ivp_tangent, change_of(end), (1.3, 0.2), 1e-5),
]
AT_A_POINT = [(integrate.odeint, (lambda t, y, k, c: oscillator(t, y, k, c), np.array([1.0, -0.5]), GRID, (1.3, 0.2)),
               {"tfirst": True, **TIGHT})]


@pytest.mark.parametrize("function, args, kwargs", CASES)
def test_adjoint_and_tangent_agree_with_differences(function, args, kwargs):
    check_template(function, *args, tolerance=2e-6, **kwargs)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES + IN_PROGRAMS + AT_A_POINT) == []


@pytest.mark.parametrize("n", range(2, 9))
def test_simpson_weights(n):
    """Samples on a given grid; the grid of Simpson's rule is a constant."""
    x = np.cumsum(RNG.uniform(0.5, 1.5, n))
    check_template_in_y = ad.grad(lambda y, x: integrate.simpson(y, x=x) ** 2)
    y = RNG.standard_normal(n)
    whole = integrate.simpson(y, x=x)
    np.testing.assert_allclose(check_template_in_y(y, x), [2 * whole * integrate.simpson(e, x=x) for e in np.eye(n)])
    rows = RNG.standard_normal((2, n))
    grids = np.stack([x, 2 * x])
    g = ad.grad(lambda y: np.sum(integrate.simpson(y, x=grids)))(rows)
    np.testing.assert_allclose(g, [[integrate.simpson(e, x=row) for e in np.eye(n)] for row in grids])


# ---- integrals of functions ----


def closed_over(p, b):
    return integrate.quad(lambda t: np.exp(-p * t), 0.0, b)[0]


def array_parameter(p, b):
    def g(t, s):
        return np.exp(-s[0] * t) * s[1]

    y, error = integrate.quad(g, 0.0, b, args=(p,))
    return y * y


def default_and_infinite_limit(p, b):
    q = p ** 2
    return integrate.quad(lambda t, k=2.0: np.exp(-q * t ** k), 0.0, np.inf)[0] * b


def both_limits_move(p, b):
    return integrate.quad(np.cos, p, p * b)[0]


def single_argument(p, b):
    return integrate.quad(lambda t, s: np.sin(s * t), -b, b + 1.0, p, epsrel=1e-11)[0]


def given_tolerance(p, b):
    return integrate.quad(lambda t, s: np.sin(s * t), 0.0, b, args=(p,), epsabs=1e-11)[0]


def nested(p, b):
    inner = closed_over(p, b)
    return integrate.quad(lambda t: inner * t + p, 0.0, 1.0)[0]


def in_a_loop(p, b):
    total = 0.0
    for k in range(3):
        total += integrate.quad(lambda t: np.sin(k * t + p), 0.0, b)[0] * p
    return total


def kink_inside(p, b):
    return integrate.quad(lambda t: abs(t - 0.5) ** p, 0.0, b, points=[0.5])[0]


@pytest.mark.parametrize("f, args", [
    (closed_over, (0.3, 2.0)), (array_parameter, (np.array([0.3, 1.2]), 2.0)), (default_and_infinite_limit, (0.7, 2.0)),
    (both_limits_move, (0.3, 2.0)), (single_argument, (0.3, 2.0)), (nested, (0.3, 2.0)), (given_tolerance, (0.3, 2.0)), (in_a_loop, (0.3, 1.1)),
    (kink_inside, (1.4, 1.2))])
def test_integrals_in_programs(f, args):
    check_both_modes(f, *args, tolerance=1e-6)


def test_against_closed_forms():
    def gamma(s):
        return integrate.quad(lambda t: t ** (s - 1.0) * np.exp(-t), 0.0, np.inf)[0]
    np.testing.assert_allclose(ad.grad(gamma)(2.5), special.gamma(2.5) * special.psi(2.5), rtol=1e-7)
    def half(p):
        return integrate.quad(lambda t: t ** p, 0.0, 1.0)[0]
    np.testing.assert_allclose(ad.grad(half)(-0.5), -4.0, rtol=1e-5)


def test_an_unused_integral_has_zero_gradient():
    assert ad.grad(lambda p: p * 1.0 + 0.0 * integrate.quad(np.cos, 0.0, 1.0)[0])(2.0) == 1.0
    assert ad.grad(lambda p: integrate.quad(lambda t: t, 0.0, 1.0)[0] * p)(2.0) == 0.5


# ---- initial value problems ----

EXACT = {"rtol": 1e-10, "atol": 1e-12}


def final_state(y0, k):
    sol = integrate.solve_ivp(lambda t, y: np.array([y[1], -k * y[0] - 0.1 * y[1] * t]), (0.0, 2.0), y0, **{**EXACT})
    return np.sum(sol.y[:, -1] ** 2)


def final_state_plain(y0, k):
    sol = integrate.solve_ivp(lambda t, y: np.array([y[1], -k * y[0] - 0.1 * y[1] * t]), (0.0, 2.0), y0,
                              rtol=1e-10, atol=1e-12)
    return np.sum(sol.y[:, -1] ** 2)


def lotka_volterra(y0, k, method):
    def rhs(t, y, a, b):
        return [a * y[0] - b * y[0] * y[1], -y[1] + y[0] * y[1]]

    sol = integrate.solve_ivp(rhs, (0.0, 2.0), y0, t_eval=np.linspace(0, 2, 5), args=(k, k ** 2), method=method,
                              rtol=1e-10, atol=1e-12)
    if not sol.success:
        return 0.0
    return np.sum(sol.y[0] ** 2 * np.arange(5.0))


def backwards_in_time(y0, k):
    sol = integrate.solve_ivp(oscillator, (1.0, -0.5), y0, args=(k, 0.3), rtol=1e-10, atol=1e-12)
    return sol.y[0, -1] * sol.y[1, -1] + sol.y[0, 0]


def odeint_program(y0, k):
    y = integrate.odeint(lambda y, t: np.array([y[1], -k * y[0]]), y0, np.linspace(0, 2, 5), rtol=1e-11, atol=1e-12)
    return np.sum(y ** 3)


def odeint_time_first(y0, k):
    y = integrate.odeint(oscillator, y0, np.linspace(0, 2, 5), (k, 0.2), tfirst=True, rtol=1e-11, atol=1e-12)
    return y[-1, 0] * y[2, 1]


@pytest.mark.parametrize("f", [final_state_plain, backwards_in_time, odeint_program, odeint_time_first])
def test_initial_value_problems(f):
    check_both_modes(f, np.array([1.0, 0.5]), 0.7, tolerance=1e-6, agreement=1e-6, step=1e-3)


@pytest.mark.parametrize("method", ["RK45", "DOP853", "LSODA", "Radau"])
def test_methods_of_solve_ivp(method):
    def f(y0, k):
        return lotka_volterra(y0, k, method)
    check_both_modes(f, np.array([1.0, 0.5]), 0.7, tolerance=1e-5, agreement=1e-5, step=1e-3)


def test_the_linear_equation_has_its_closed_form():
    def f(y0, k):
        return integrate.solve_ivp(lambda t, y: -k * y, (0.0, 2.0), [y0], rtol=1e-10, atol=1e-12).y[0, -1]
    y0_bar, k_bar = ad.grad(f, wrt=(0, 1))(1.5, 0.4)
    np.testing.assert_allclose([y0_bar, k_bar], [np.exp(-0.8), -2.0 * 1.5 * np.exp(-0.8)], rtol=1e-8)


# ---- refused ----


def counting(p):
    calls = [0]

    def g(t):
        calls[0] += 1
        return p * t

    return integrate.quad(g, 0.0, 1.0)[0]


def helper_with_values(p):
    def scale(t):
        return p * t

    return integrate.quad(lambda t: scale(t) ** 2, 0.0, 1.0)[0]


@pytest.mark.parametrize("f, words", [
    (counting, "changes 'calls'"), (helper_with_values, "calls 'scale', which reads values"),
    (lambda p: integrate.quad(lambda t: p * t, 0.0, 1.0, weight="cos", wvar=1.0)[0], "weight"),
    (lambda p: integrate.solve_ivp(lambda t, y: p * y, (0.0, p), [1.0]).y[0, -1], "'t_span' of scipy.integrate.solve_ivp"),
    (lambda p: integrate.solve_ivp(lambda t, y: p * y, (0.0, 1.0), [1.0], dense_output=True).y[0, -1], "dense_output"),
    (lambda p: integrate.solve_ivp(lambda t, y: p * y, (0.0, 1.0), [1.0]).sol, "sol"),
    (lambda p: integrate.simpson(np.ones(3), x=np.arange(3.0) * p), "'x' of scipy.integrate.simpson"),
    (lambda p: integrate.dblquad(lambda x, y: p * x, 0, 1, 0, 1)[0], "dblquad"),
])
def test_refused(f, words):
    with pytest.raises(ad.AdcompilerError, match=words):
        ad.grad(f)(0.5)


def test_integrals_without_a_derivative_are_left_alone():
    def f(x):
        total, _ = integrate.quad(lambda t: t ** 2, 0.0, 3.0, full_output=0)
        return x * total

    assert ad.grad(f)(2.0) == pytest.approx(9.0)


def test_what_is_compiled_is_shared_between_runs():
    from adcompiler.runtime.scipy import calls

    calls._SHARED.clear()
    g = ad.grad(closed_over, wrt=(0, 1))
    for p in (0.1, 0.2, 0.3):
        g(p, 1.0)
    assert len(calls._SHARED) == 1


def scaled_oscillator(s, y, end, k):
    return end * oscillator(end * s, y, k, 0.0)


def crossing(end, k):
    return integrate.solve_ivp(scaled_oscillator, (0.0, 1.0), np.array([1.0, 0.0]), args=(end, k), rtol=1e-10, atol=1e-12).y[0, -1]


def test_the_time_of_an_event_is_a_root():
    """What the refusal of events= says to write: the first zero of cos(sqrt(k) t)."""
    slope = ad.grad(lambda k: optimize.brentq(crossing, 0.1, 2.0, args=(k,), xtol=1e-13))(1.7)
    np.testing.assert_allclose(slope, -0.25 * np.pi * 1.7 ** -1.5, rtol=1e-7)


@pytest.mark.parametrize("options, words", [
    (lambda k: {"t_span": (0.0, 1.0), "events": lambda t, y, k, c: y[0]}, "the time T of an event is a root"),
    (lambda k: {"t_span": (0.0, 1.0), "dense_output": True}, "name the times with t_eval="),
    (lambda k: {"t_span": (0.0, k)}, "integrate over s from 0 to 1"),
])
def test_forms_of_solve_ivp_that_are_refused(options, words):
    with pytest.raises(ad.MissingRuleError) as caught:
        ad.grad(lambda k: integrate.solve_ivp(oscillator, y0=np.ones(2), args=(k, 0.2), **options(k)).y[0, -1])(1.1)
    assert words in caught.value.hint


def test_gaussian_quadrature():
    def f(p, a, b):
        weighted = integrate.fixed_quad(lambda x, q: np.exp(-p * x) * q, a, b, args=(p ** 2,), n=8)[0]
        return weighted * integrate.fixed_quad(np.sin, a, p)[0]

    np.testing.assert_allclose(f(0.4, 0.2, 1.7), ad.value_and_grad(f)(0.4, 0.2, 1.7)[0])
    check_both_modes(f, 0.4, 0.2, 1.7)


def test_points_of_cumulative_simpson():
    x = np.stack([GRID, GRID + 1.0])
    with pytest.raises(ad.UnsupportedSyntaxError, match="points with one axis"):
        ad.grad(lambda y: np.sum(integrate.cumulative_simpson(y, x=x)))(Y[:2])
