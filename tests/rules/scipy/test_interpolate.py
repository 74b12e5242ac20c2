"""Rules of scipy.interpolate: values, points, derivatives and integrals of splines, and grids, in both modes."""
import numpy as np
import pytest
from scipy import interpolate

import adcompiler as ad
from adcompiler.rules.registry import lookup
from adcompiler.runtime.scipy import constant_interpolators as constants
from adcompiler.runtime.scipy import grids
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
    + [(grids.grid_value, (GRID, v, xi), {}) for v in (RNG.standard_normal((4, 5)), RNG.standard_normal((4, 5, 2)))
       for xi in (INSIDE, INSIDE.reshape(2, 3, 2), INSIDE[0])]
    + [(grids.grid_value, (GRID, RNG.standard_normal((4, 5)), INSIDE + 3.0), {"bounds_error": False, "fill_value": f})
       for f in (None, 0.5)]
    + [(grids.grid_value, (GRID[:1], RNG.standard_normal(4), INSIDE[:, :1]), {})]
)
CONSTANT = [interpolate.CubicSpline(X, Y), interpolate.CubicSpline(X, YY), interpolate.PchipInterpolator(X, Y),
            interpolate.make_interp_spline(X, Y)]
CASES += [(constants.interpolator_value, (s, t), {}) for s in CONSTANT for t in (T, 1.9)]
CASES += [(constants.interpolator_value, (s, T, 1), {}) for s in CONSTANT]
CASES += [(constants.constant_grid_value, (interpolate.RegularGridInterpolator(GRID, v), INSIDE), {})
          for v in (RNG.standard_normal((4, 5)), RNG.standard_normal((4, 5, 2)))]
GRIDDED = RNG.standard_normal((4, 5)), RNG.standard_normal((4, 5, 2))
BACKWARDS = GRID[0][::-1].copy(), GRID[1].copy()
SLOPES = {(v.ndim, d): grids.grid_derivatives(GRID, v, INSIDE, depth=d) for v in GRIDDED for d in (0, 1, 2)}
CASES += [(grids.grid_derivatives, (g, v, INSIDE, m, np.nan, d), {}) for g in (GRID, BACKWARDS) for v in GRIDDED
          for m in ("linear", "nearest") for d in (0, 1)]
CASES += [(grids.grid_derivatives_adjoint, (SLOPES[v.ndim, d], v.shape, GRID, INSIDE, "linear", np.nan, d), {})
          for v in GRIDDED for d in (0, 1)]
CASES += [(grids.coordinates_adjoint, (SLOPES[n, d], SLOPES[n, d + 1], INSIDE.shape, d), {}) for n in (2, 3) for d in (0, 1)]
CASES += [(grids.coordinates_tangent, (INSIDE, SLOPES[n, d + 1], d), {}) for n in (2, 3) for d in (0, 1)]
CASES += [(grids.coordinates_product, (SLOPES[n, d], INSIDE, d, SLOPES[n, d + 1].ndim), {}) for n in (2, 3) for d in (0, 1)]
CASES += [(constants.constant_grid_derivatives, (interpolate.RegularGridInterpolator(GRID, v), INSIDE, None, 1), {}) for v in GRIDDED]
SURFACE = interpolate.RectBivariateSpline(*GRID, GRIDDED[0])
CASES += [(constants.surface_value, (SURFACE, np.sort(INSIDE[:, 0]), np.sort(INSIDE[:4, 1])), {}),
          (constants.surface_value, (SURFACE, INSIDE[:, 0], INSIDE[:, 1]), {"grid": False})]
CONSTANT = [interpolate.interp1d(X, YY.T, kind) for kind in ("linear", "cubic", "previous")] + [
    interpolate.CubicSpline(X, YY.T, axis=1), interpolate.UnivariateSpline(X, Y, s=0.0)]
CASES += [(constants.interpolator_value, (s, t), {}) for s in CONSTANT for t in (T + 0.01, 1.9)]
CASES += [(constants.spline_integral, (interpolate.CubicSpline(X, y), 1.9, 3.1), {}) for y in (Y, YY)]
FITS = [(splines.cubic_coefficients, (X, y, 0, e), {}) for y in (Y, YY) for e in ENDS if isinstance(e, str) or y is Y] + [
    (splines.spline_coefficients, (X, y, k, None, e), {}) for y in (Y, YY)
    for k, e in [(1, None), (2, None), (3, None), (3, "natural"), (5, None), (3, ([(1, 0.3)], [(2, -0.2)]))]
    if e is None or isinstance(e, str) or y is Y]


@pytest.mark.parametrize("function", sorted({f for f, _, _ in CASES}, key=lambda f: f.__name__))
def test_adjoint_and_tangent_agree_with_differences(function):
    for f, args, kwargs in CASES:
        if f is function:
            constant = {splines.polynomial_value: "nu", splines.polynomial_integral: "x", splines.basis_value: "t"}.get(f, "depth")
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
    check_both_modes(f, Y.copy(), 2.1, tolerance=1e-6, step=1e-4)


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


def on_grids_of_other_forms(v, t):
    f = interpolate.RegularGridInterpolator(BACKWARDS, v, bounds_error=False, fill_value=None)
    near = interpolate.interpn(GRID, v, INSIDE, method="nearest") @ np.arange(6.0)
    return f((2.0 + t, 2.0)) ** 2 + near + np.sum(f(([1.5, 9.0], [t + 2.0, 2.0])) * f((INSIDE * t,), method="linear")[:2])


@pytest.mark.parametrize("f", [on_a_grid, on_grids_of_other_forms])
def test_grids_in_programs(f):
    check_both_modes(f, RNG.standard_normal((4, 5)), 0.3, tolerance=1e-6, step=1e-5)
    check_both_modes(lambda v, t: np.sum(ad.grad(f)(v, t) ** 2) + ad.grad(f, wrt=1)(v, t), RNG.standard_normal((4, 5)), 0.3, step=1e-5)


@pytest.mark.parametrize("s", [interpolate.CubicSpline(X, Y + 1j * YY[:, 0]), interpolate.interp1d(X, np.exp(1j * YY), axis=0),
                               interpolate.make_interp_spline(X, 1j * Y)])
def test_complex_tables(s):
    ad.check_gradients(lambda t: np.sum(np.abs(s(t)) ** 2 + s(t).imag), 2.2)
    ad.check_gradients(lambda t: np.sum(np.abs(s(t * np.ones(2))) ** 2), 2.2)


TABLES = [interpolate.RegularGridInterpolator(GRID, GRIDDED[0], bounds_error=False, fill_value=0.0),
          interpolate.RegularGridInterpolator(GRID, GRIDDED[0], method="cubic"),
          interpolate.CubicSpline(X, YY), interpolate.interp1d(X, Y, kind="quadratic"), interpolate.RectBivariateSpline(*GRID, GRIDDED[0])]


@pytest.mark.parametrize("table", TABLES)
def test_second_order_in_the_points_of_tables(table):
    """Interpolators of constants, outside of the function or made in it, in their points."""
    def value(t):
        places = np.array([1.9 + 0.3 * t, 2.2 * t]) if isinstance(table, interpolate.RegularGridInterpolator) else 2.1 * t
        return np.sum(table(places, places) if isinstance(table, interpolate.RectBivariateSpline) else table(places)) ** 2

    check_both_modes(lambda t: ad.grad(value)(t) * t, 1.1, step=1e-4)


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
    (lambda p: interpolate.KroghInterpolator(X, p * Y)(2.0), "KroghInterpolator"),
    (lambda p: interpolate.interp1d(X, p * Y, kind="next", fill_value="extrapolate")(2.0), "kind 'next' has no derivative for this fill"),
    (lambda p: np.abs(interpolate.interp1d(X, p * 1j * Y)(2.0)), "for real values"),
    (lambda p: np.abs(interpolate.CubicSpline(X, p * 1j * Y)(2.0)), "for real values"),
    (lambda p: np.abs(interpolate.make_interp_spline(X, p * 1j * Y)(2.0)), "for real values"),
    (lambda p: np.abs(interpolate.PPoly(p * 1j * C, X)(2.0)), "for real values"),
    (lambda p: np.abs(interpolate.BSpline(KNOTS, p * 1j * Y, 3)(2.0)), "for real values"),
    (lambda p: interpolate.interpn(GRID, p * np.ones((4, 5)), INSIDE, method="cubic")[0], "not for 'cubic'"),
    (lambda p: interpolate.RegularGridInterpolator(GRID, np.ones((4, 5)), method="pchip")(p * INSIDE[0] / 1.1)[0], "not for 'pchip'"),
    (lambda p: interpolate.RectBivariateSpline(*GRID, GRIDDED[0], kx=1)(p, 2.0)[0, 0], r"degrees \(1, 3\) has no derivative of order \(1, 0\)"),
    (lambda p: interpolate.splev(1.5, interpolate.splrep(X, p * Y, s=0.1)), "not for s > 0"),
    (lambda p: interpolate.splev(1.5, interpolate.splrep(X, p * Y), ext=3), "for ext=0 and ext=1"),
    (lambda p: interpolate.InterpolatedUnivariateSpline(X, p * Y, ext=1)(1.5), "without w=, bbox= and ext="),
    (lambda p: interpolate.pchip_interpolate(X, p * Y, 1.5, [0, 1])[0], "one number of der="),
])
def test_refused(f, words):
    with pytest.raises(ad.AdcompilerError, match=words) as caught:
        ad.grad(f)(1.1)
    assert caught.value.filename == __file__ and caught.value.lineno and caught.value.hint


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


def hermite(x, y, t):
    f = interpolate.CubicHermiteSpline(x, y, np.cos(x) * y)
    return f(t) * f(t + 0.3, 1) + interpolate.pchip_interpolate(x, y, t)


def along_the_last_axis(x, y, t):
    rows = np.outer(WEIGHTS, y)
    total = interpolate.PchipInterpolator(x, rows, axis=1)(t * np.array([0.8, 1.0])) @ np.array([1.0, -2.0])
    total = total + interpolate.interp1d(x, rows)(np.array([[t, t + 0.1]]))[:, 0, 1]
    return np.sum(total) + interpolate.interp1d(x, rows, bounds_error=False, fill_value=y[1])(30.0 * t)[0]


@pytest.mark.parametrize("f", [linear, linear_with_ends, linear_beyond, linear_in_columns, monotone, akima, hermite, along_the_last_axis])
def test_interpolants_of_nearest_points(f):
    check_both_modes(f, X, Y, 2.1, tolerance=1e-6, step=1e-4)


def of_degree(y, t):
    square, cubic = interpolate.interp1d(X, np.stack((y, y ** 2)), kind="quadratic"), interpolate.interp1d(X, y, kind=3)
    return square(t)[1] * cubic(t) + interpolate.interp1d(X, y, kind="cubic", fill_value="extrapolate")(10.0 * t)


def old_names(y, t):
    knots = interpolate.splrep(X, y)
    s = interpolate.InterpolatedUnivariateSpline(X, y ** 2)
    return interpolate.splev(t, knots) * interpolate.splev(t + 0.2, knots, der=1) + s(t) + interpolate.splev(30.0, knots, ext=1)


def of_rows(y, t):
    rows = np.stack((y, y ** 2, np.sin(y)))
    smooth = interpolate.CubicSpline(X, rows, axis=1)
    area = smooth.antiderivative()(np.array([t, t + 0.1]))[1] @ np.array([1.0, -2.0]) + smooth.integrate(1.9, t)[0]
    return area + np.sum(interpolate.make_interp_spline(X, rows, axis=-1)(t) * smooth.derivative()(t))


def of_constants(y, t):
    table, surface = interpolate.interp1d(X, YY.T, kind="cubic"), interpolate.RectBivariateSpline(*GRID, GRIDDED[0])
    old = interpolate.splev(t, interpolate.splrep(X, Y)) + interpolate.UnivariateSpline(X, Y, s=0.0)(t)
    return np.sum(table(t)) + surface(t, 2.0)[0, 0] ** 2 + surface.ev(t, 0.9 * t) * y[0] + old


@pytest.mark.parametrize("f", [of_degree, old_names, of_rows, of_constants])
def test_splines_of_other_kinds_and_names(f):
    check_both_modes(f, Y.copy(), 2.1, tolerance=1e-6, step=1e-4)


@pytest.mark.parametrize("kind", ["nearest", "nearest-up", "previous", "next"])
def test_steps(kind):
    """The gradient counts whose value a point takes, between two as on the border, and the points have none."""
    x = np.arange(4.0)
    t = np.array([1.5, 1.7]) if kind.startswith("nearest") else np.array([0.0, 1.0, 2.3])
    f = interpolate.interp1d(x, np.eye(4), kind=kind, axis=0)

    def total(y, t):
        return np.sum(interpolate.interp1d(x, y, kind=kind)(t) * np.arange(1.0, 1.0 + len(t)))

    y_bar, t_bar = ad.grad(total, wrt=(0, 1))(np.sin(x), t)
    np.testing.assert_array_equal(y_bar, np.arange(1.0, 1.0 + len(t)) @ f(t))
    np.testing.assert_array_equal(t_bar, 0.0)


@pytest.mark.parametrize("size", [2, 3, 6])
def test_their_values_are_those_of_scipy(size):
    x = X[:size]
    t = np.linspace(x[0], x[-1], 31)
    for y in (Y[:size], YY[:size], np.sort(Y[:size]), np.zeros(size)):
        for ours, theirs in [
            (local.line_interpolator(x, y, axis=0), interpolate.interp1d(x, y, axis=0)),
            (local.pchip_interpolator(x, y), interpolate.PchipInterpolator(x, y)),
            (local.akima_interpolator(x, y), interpolate.Akima1DInterpolator(x, y)),
            (local.akima_interpolator(x, y, method="makima"), interpolate.Akima1DInterpolator(x, y, method="makima")),
        ]:
            np.testing.assert_allclose(ours(t), theirs(t), rtol=1e-12, atol=1e-13)


def test_a_point_outside_is_an_error_as_in_scipy():
    with pytest.raises(ValueError, match="outside the interpolation range"):
        ad.grad(lambda p: interpolate.interp1d(X, p * Y)(20.0))(1.1)
