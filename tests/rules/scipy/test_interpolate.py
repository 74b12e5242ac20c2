"""Rules of scipy.interpolate: values, points, derivatives and integrals of splines, and grids, in both modes."""
import numpy as np
import pytest
from scipy import interpolate

import adcompiler as ad
from adcompiler.rules.registry import lookup
from adcompiler.runtime.scipy import local_interpolation as local
from adcompiler.runtime.scipy import splines
from tests.rules.scipy.both_modes import check_both_modes
from tests.rules.template_check import check_template, uncovered_rules

lookup(interpolate.interpn)
from adcompiler.rules.scipy import interpolate as rules  # noqa: E402

RNG = np.random.default_rng(12)
X = np.cumsum(RNG.uniform(0.5, 1.5, 6))
Y, YY = RNG.standard_normal(6), RNG.standard_normal((6, 2))
T = np.linspace(X[0] + 0.1, X[-1] - 0.1, 7)
C, CC = RNG.standard_normal((4, 5)), RNG.standard_normal((3, 5, 2))
ENDS = ("not-a-knot", "natural", "clamped", ((1, 0.3), (2, -0.2)))
KNOTS = splines.spline_knots(X, 3)
GRID = (np.cumsum(RNG.uniform(0.5, 1.5, 4)), np.cumsum(RNG.uniform(0.5, 1.5, 5)))
INSIDE = np.stack([RNG.uniform(g[0], g[-1], 6) for g in GRID], axis=-1)



CASES = (
    [(splines.polynomial_value, (c, X, t, nu), {}) for c in (C, CC) for t in (T, 1.9, T.reshape(7, 1), X[0] - 0.5) for nu in (0, 1, 2)]
    + [(splines.polynomial_integral, (c, X, a, b), {}) for c in (C, CC) for a, b in [(1.9, 3.7), (3.7, 1.9), (X[0] - 1.0, X[-1] + 1.0)]]
    + [(splines.basis_value, (KNOTS, c, 3, t, nu), {}) for c in (Y, YY) for t in (T, 1.9) for nu in (0, 1)]
    + [(interpolate.interpn, (GRID, v, xi), {}) for v in (RNG.standard_normal((4, 5)), RNG.standard_normal((4, 5, 2)))
       for xi in (INSIDE, INSIDE.reshape(2, 3, 2), INSIDE[0])]
    + [(interpolate.interpn, (GRID, RNG.standard_normal((4, 5)), INSIDE + 3.0), {"bounds_error": False, "fill_value": f})
       for f in (None, 0.5)]
    + [(interpolate.interpn, (GRID[:1], RNG.standard_normal(4), INSIDE[:, :1]), {})]
)
CONSTANT = [interpolate.CubicSpline(X, Y), interpolate.CubicSpline(X, YY), interpolate.PchipInterpolator(X, Y),
            interpolate.make_interp_spline(X, Y)]
CASES += [(splines.interpolator_value, (s, t), {}) for s in CONSTANT for t in (T, 1.9)]
CASES += [(splines.interpolator_value, (s, T, 1), {}) for s in CONSTANT]
CASES += [(splines.interpolator_value, (interpolate.RegularGridInterpolator(GRID, v), INSIDE), {})
          for v in (RNG.standard_normal((4, 5)), RNG.standard_normal((4, 5, 2)))]
FITS = [(splines.cubic_coefficients, (X, y, 0, e), {}) for y in (Y, YY) for e in ENDS if isinstance(e, str) or y is Y] + [
    (splines.spline_coefficients, (X, y, k, None, e), {}) for y in (Y, YY)
    for k, e in [(1, None), (2, None), (3, None), (3, "natural"), (5, None), (3, ([(1, 0.3)], [(2, -0.2)]))]
    if e is None or isinstance(e, str) or y is Y]


@pytest.mark.parametrize("function", [splines.polynomial_value, splines.polynomial_integral, splines.basis_value, interpolate.interpn,
                                      splines.interpolator_value])
def test_adjoint_and_tangent_agree_with_differences(function):
    for f, args, kwargs in CASES:
        if f is function:
            constant = {splines.polynomial_value: "nu", splines.polynomial_integral: "x", splines.basis_value: "t"}.get(f, "points")
            assert constant not in lookup(f).differentiable
            check_template(f, *args, tolerance=1e-5, **kwargs)


@pytest.mark.parametrize("function, args, kwargs", FITS)
def test_fits_are_linear_in_the_values(function, args, kwargs):
    check_template(function, *args, tolerance=1e-6, **kwargs)


def test_every_rule_of_the_file_has_a_case():
    assert uncovered_rules(rules, CASES + FITS) == []


# ---- programs ----


def spline_value(y, t):
    return interpolate.CubicSpline(X, y)(t) ** 2


def natural_spline(y, t):
    s = interpolate.CubicSpline(X, y, bc_type="natural")
    return np.sum(s(t * np.array([0.8, 1.0, 1.1])) * np.array([1.0, 2.0, 3.0])) + s(t, 1) + s.derivative()(t)


def points_only(y, t):
    constant = interpolate.CubicSpline(X, Y)
    return y[0] * constant(t)


def basis(y, t):
    s = interpolate.make_interp_spline(X, y, k=3)
    return s(t) * s(t + 0.3) + s(t, nu=1)


def on_a_grid(v, t):
    f = interpolate.RegularGridInterpolator(GRID, v)
    return np.sum(f(INSIDE * (1.0 + 0.01 * t)) ** 2) + f(np.array([1.5 + 0.2 * t, 2.0]))[0]


def in_a_loop(y, t):
    s = interpolate.CubicSpline(X, y)
    z = t
    for _ in range(3):
        z = z + 0.1 * s(z)
    return z


def made_by_a_helper(y, t):
    def fit(values):
        return interpolate.CubicSpline(X, values)

    splines = [fit(y), fit(y ** 2)]
    return splines[0](t) * splines[1](t)


def integrated(y, t):
    s = interpolate.CubicSpline(X, y)
    return s.integrate(X[0], t) * s.derivative(2)(t)


@pytest.mark.parametrize("f", [made_by_a_helper, integrated])
def test_splines_that_only_active_values_make_known(f):
    ad.check_gradients(f, Y, 2.1, wrt=(0, 1))
    direction = RNG.standard_normal(6), 0.7
    _, tangent = ad.jvp(f, (Y, 2.1), direction)
    y_bar, t_bar = ad.grad(f, wrt=(0, 1))(Y, 2.1)
    np.testing.assert_allclose(tangent, y_bar @ direction[0] + t_bar * direction[1], rtol=1e-10)


@pytest.mark.parametrize("f", [spline_value, natural_spline, basis, in_a_loop])
def test_splines_in_programs(f):
    check_both_modes(f, Y, 2.1, tolerance=1e-6, step=1e-4)


PERIOD = np.array([0.0, 0.7, 1.5, 2.0, 3.0])


def periodic(u, t):
    s = interpolate.CubicSpline(PERIOD, np.concatenate((u, u[:1])), bc_type="periodic")
    return s(t * np.array([0.5, 1.0, 3.1, -2.0])) @ np.array([1.0, 2.0, 3.0, -1.0]) + s(t, 1) + s.derivative()(t + 7.0)


def periodic_integrals(u, t):
    s = interpolate.CubicSpline(PERIOD, np.concatenate((u, u[:1])), bc_type="periodic")
    return s.integrate(-0.3 * u[0] * t, 5.0 * u[2]) + s.integrate(4.0, u[1]) + t


def periodic_basis(u, t):
    s = interpolate.make_interp_spline(PERIOD, np.concatenate((u, u[:1])), k=3, bc_type="periodic")
    return s(t * np.array([0.5, 1.0, 3.1, -2.0])) @ np.array([1.0, 2.0, 3.0, -1.0]) + s(t + 4.0, nu=1)


@pytest.mark.parametrize("f", [periodic, periodic_basis])
def test_periodic_splines(f):
    check_both_modes(f, np.array([0.3, -1.0, 2.0, 0.4]), 1.3)


def test_integrals_of_periodic_splines():
    check_both_modes(lambda u: periodic_integrals(u, 1.3), np.array([0.3, -1.0, 2.0, 0.4]))


def test_the_ends_of_a_periodic_spline_share_evenly():
    y = np.array([0.3, -1.0, 2.0, 0.4, 0.3])
    gradient = ad.grad(lambda y: interpolate.CubicSpline(PERIOD, y, bc_type="periodic")(0.2))(y)
    assert gradient[0] == gradient[-1] != 0.0


def test_grids_in_programs():
    check_both_modes(on_a_grid, RNG.standard_normal((4, 5)), 0.3, tolerance=1e-6, step=1e-5)


def test_a_spline_of_constants_at_an_active_point():
    check_both_modes(points_only, Y.copy(), 2.1, tolerance=1e-6, step=1e-4)
    table, grid = interpolate.PchipInterpolator(X, Y), interpolate.RegularGridInterpolator(GRID, np.outer(*GRID))
    check_both_modes(lambda t: table(t) * table(t, 1) + grid(np.array([2.0 + 0.1 * t, 2.0]))[0], 2.1, tolerance=1e-6, step=1e-4)


def test_fit_of_a_spline():
    """Values at the knots by least squares: the gradient vanishes where the normal equations hold."""
    times = np.linspace(X[0], X[-1], 40)
    data = np.sin(times)
    matrix = interpolate.CubicSpline(X, np.eye(6))(times)
    best = np.linalg.lstsq(matrix, data, rcond=None)[0]
    g = ad.grad(lambda y: np.sum((interpolate.CubicSpline(X, y)(times) - data) ** 2))(best)
    np.testing.assert_allclose(g, 0.0, atol=1e-10)


@pytest.mark.parametrize("f, words", [
    (lambda p: interpolate.CubicSpline(p * X, Y)(2.0), "argument 'x'"),
    (lambda p: interpolate.CubicSpline(X, p * YY.T, axis=1)(2.0)[0], "this form"),
    (lambda p: interpolate.PchipInterpolator(X, p * YY.T, axis=1)(2.0)[0], "PchipInterpolator has a derivative along the first axis"),
    (lambda p: interpolate.KroghInterpolator(X, p * Y)(2.0), "KroghInterpolator"),
    (lambda p: interpolate.interp1d(X, p * Y, kind="cubic")(2.0), "kind='linear', not for 'cubic'"),
    (lambda p: interpolate.interp1d(X, Y, kind="cubic")(2.0 * p), "kind='linear' and axis=0"),
    (lambda p: np.abs(interpolate.interp1d(X, p * 1j * Y)(2.0)), "for real values"),
    (lambda p: interpolate.interp1d(X, p * YY.T)(2.0)[0], "interp1d has a derivative along the first axis"),
    (lambda p: interpolate.interpn(GRID, p * np.ones((4, 5)), INSIDE, method="cubic")[0], "this form of scipy.interpolate.interpn"),
])
def test_refused(f, words):
    with pytest.raises(ad.AdcompilerError, match=words) as caught:
        ad.grad(f)(1.1)
    assert caught.value.lineno and caught.value.hint


# ---- interpolants whose slopes depend on the nearest points ----

WEIGHTS = np.array([1.0, 2.0, 3.0])


def linear(x, y, t):
    f = interpolate.interp1d(x, y)
    return np.sum(f(t * np.array([0.8, 1.0, 1.1])) * WEIGHTS) + f(t + 0.3) ** 2


def linear_with_ends(x, y, t):
    f = interpolate.interp1d(x, y, bounds_error=False, fill_value=(y[0], 3.0 * y[-1]))
    return np.sum(f(t * np.array([0.1, 1.0, 11.0])) * WEIGHTS) + f(t + 0.3) ** 2


def linear_beyond(x, y, t):
    f = interpolate.interp1d(x, y, fill_value="extrapolate", assume_sorted=True)
    return np.sum(f(t * np.array([0.1, 1.0, 11.0])) * WEIGHTS)


def linear_in_columns(x, y, t):
    f = interpolate.interp1d(x[::-1], np.outer(y[::-1], WEIGHTS + y[0]), axis=0, bounds_error=False, fill_value=0.0)
    return np.sum(f(t) * WEIGHTS) + np.sum(f(t * np.array([0.1, 1.1])))


def monotone(x, y, t):
    f = interpolate.PchipInterpolator(x, y)
    return np.sum(f(t * np.array([0.1, 1.0, 11.0])) * WEIGHTS) + f(t, 1) + f.derivative()(t + 0.3)


def akima(x, y, t):
    smooth = interpolate.Akima1DInterpolator(x, np.outer(y, WEIGHTS), method="makima", extrapolate=True)
    return interpolate.Akima1DInterpolator(x, y)(t + 0.3) ** 2 + np.sum(smooth(t * np.array([0.1, 1.1])))


@pytest.mark.parametrize("f", [linear, linear_with_ends, linear_beyond, linear_in_columns, monotone, akima])
def test_interpolants_of_nearest_points(f):
    check_both_modes(f, X, Y, 2.1, tolerance=1e-6, step=1e-4)


@pytest.mark.parametrize("size", [2, 3, 6])
def test_their_values_are_those_of_scipy(size):
    x = X[:size]
    t = np.linspace(x[0], x[-1], 31)
    for y in (Y[:size], YY[:size], np.sort(Y[:size]), np.zeros(size)):
        for ours, theirs in [
            (local.linear_interpolator(x, y, axis=0), interpolate.interp1d(x, y, axis=0)),
            (local.pchip_interpolator(x, y), interpolate.PchipInterpolator(x, y)),
            (local.akima_interpolator(x, y), interpolate.Akima1DInterpolator(x, y)),
            (local.akima_interpolator(x, y, method="makima"), interpolate.Akima1DInterpolator(x, y, method="makima")),
        ]:
            np.testing.assert_allclose(ours(t), theirs(t), rtol=1e-12, atol=1e-13)


def test_a_point_outside_is_an_error_as_in_scipy():
    with pytest.raises(ValueError, match="outside the interpolation range"):
        ad.grad(lambda p: interpolate.interp1d(X, p * Y)(20.0))(1.1)
