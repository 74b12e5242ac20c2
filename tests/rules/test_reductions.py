"""The rules of adcompiler/rules/reductions.py against differences, and their choices at ties, zeros and NaNs."""
import numpy as np
import pytest

from adcompiler.rules import reductions as rules_under_test
from adcompiler.rules.registry import is_inactive, lookup, ufunc_method
from adcompiler.runtime.reduction_tangents import cumprod_tangent
from adcompiler.runtime.reductions import cumprod_adjoint, cumsum_from_end, extremum_weights, spread
from adcompiler.runtime.shape import unbroadcast

from .template_check import check_template, uncovered_rules

rng = np.random.default_rng(5)
row = rng.standard_normal(5)
matrix = rng.standard_normal((3, 4))
cube = rng.standard_normal((2, 3, 4))
strided = rng.standard_normal((4, 6))[::2, ::-2]
complex_cube = cube + 1j * rng.standard_normal(cube.shape)
scalar = np.array(0.7)
empty = np.zeros((0, 3))
thin = rng.standard_normal((1, 3, 1))
mask = np.array([True, False, True, True])
holed = np.where(rng.random((3, 4)) < 0.3, np.nan, matrix)
holed[0, 0], holed[:, 1] = np.nan, [1.0, np.nan, 2.0]
zeros_in = np.array([[2.0, 0.0, 3.0, 0.5], [0.0, 1.5, 0.0, 2.0], [1.0, 2.0, -1.0, 3.0]])
scattered = np.array([[1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 1]], dtype=bool)
fixed = np.array([0, 1, 3, 1, 4])
array = np.ndarray

AXES = [((cube,), {}), ((cube, 1), {}), ((cube,), {"axis": -1}), ((cube,), {"axis": (0, -1)}), ((cube,), {"axis": ()}),
        ((cube,), {"keepdims": True}), ((cube, -2), {"keepdims": True}), ((cube,), {"axis": (2, 0), "keepdims": True}),
        ((strided,), {"axis": 0}), ((scalar,), {}), ((1.5,), {}), ((thin,), {"axis": 0}), ((thin,), {"axis": (0, 2)})]
MASKED = [((matrix,), {"where": mask}), ((matrix, 0), {"where": scattered}),
((matrix,), {"axis": -1, "where": scattered}),
          ((cube,), {"axis": (0, 2), "keepdims": True, "where": mask})]
INITIAL = [((matrix,), {"initial": 2.5}), ((matrix, 1), {"initial": 1.5, "keepdims": True}),
           ((matrix,), {"axis": 0, "initial": 0.1, "where": mask})]
COMPLEX = [((complex_cube,), {}), ((complex_cube, 1), {"keepdims": True}), ((complex_cube,), {"axis": (-1, 0)})]
EMPTY = [((empty,), {}), ((empty, 0), {}), ((empty, 1), {})]
HOLED = [((holed,), {}), ((holed, 0), {}), ((holed,), {"axis": (0, -1), "keepdims": True}),
((holed, 1), {"where": mask})]
SINGLE = [a for a in AXES if a[1].get("axis") != ()]

CASES = [(f, *call) for calls, functions in [
    (AXES + MASKED + INITIAL + COMPLEX + EMPTY, (np.sum, np.prod, array.sum, array.prod)),
    (AXES + MASKED + COMPLEX, (np.mean, np.var, np.std, array.mean, array.var, array.std)),
    (SINGLE + INITIAL, (np.max, np.min, np.amax, np.amin, array.max, array.min)),
    ([((matrix,), {"where": mask, "initial": -9.0}),
      ((matrix, 1), {"where": mask, "initial": -9.0})], (np.max, array.max)),
    (HOLED + SINGLE[:4], (np.nansum, np.nanprod, np.nanmean, np.nanvar, np.nanstd)),
    (HOLED[:3] + SINGLE[:4] + [((holed, 1), {"initial": 0.3})], (np.nanmax, np.nanmin)),
    ([((holed,), {"initial": 2.0}), ((holed, 0), {"initial": 1.5, "keepdims": True})], (np.nansum, np.nanprod)),
    (SINGLE + EMPTY[2:], (np.ptp,)), (SINGLE, (np.median,)),
    ([((row,), {}), ((cube,), {}), ((cube, 1), {}), ((cube,), {"axis": -1}), ((complex_cube, 0), {}), ((scalar,), {}),
      ((strided, 1), {}), ((zeros_in,), {}), ((zeros_in, 0), {}), ((zeros_in, 1), {}), ((empty,), {}), ((empty, 0), {}),
      ((empty, 1), {}), ((thin, 0), {}), ((2.0,), {})], (np.cumsum, np.cumprod, array.cumsum, array.cumprod)),
    ([((holed,), {}), ((holed, 0), {}), ((holed, -1), {})], (np.nancumsum, np.nancumprod)),
    ([((matrix,), {"ddof": 1}), ((matrix, 0), {"correction": 1}), ((matrix, -1), {"ddof": 2, "keepdims": True}),
      ((cube,), {"axis": (0, 1), "ddof": 1, "where": scattered}), ((complex_cube, 1), {"ddof": 1}),
      ((matrix,), {"axis": 1, "mean": rng.standard_normal((3, 1))})], (np.var, np.std)),
    ([((matrix,), {"ddof": 1}), ((matrix, 0), {"ddof": 1, "keepdims": True})], (array.var, array.std)),
    ([((holed, 1), {"ddof": 0.5}), ((holed,), {"ddof": 1})], (np.nanvar, np.nanstd)),
    ([((matrix,), {}), ((cube, (0, 1)), {"keepdims": True}), ((matrix, 1, np.array([1.0, 2.0, 0.5, 3.0])), {}),
      ((matrix, 0), {"weights": rng.random((3, 4)) + 0.5}), ((matrix,), {"weights": rng.random((3, 4)) + 0.5}),
      ((matrix, -1), {"weights": rng.random(4) + 0.5, "keepdims": True}), ((row, None, np.abs(row)), {}),
      ((complex_cube, 2), {"weights": rng.random(4) + 0.5}),
      ((cube, (2, 0)), {"weights": rng.random((4, 2)) + 0.5}), ((matrix, 1), {"returned": True}),
      ((row, None, np.abs(row), True), {}), ((cube, (2, 0)), {"weights": rng.random((4, 2)) + 0.5, "returned": True}),
      ((matrix, 0), {"weights": rng.random(3) + 0.5, "returned": True, "keepdims": True})], (np.average,)),
    ([((row, 0.3), {}), ((cube, 0.6, 1), {}), ((cube, [0.1, 0.55, 0.9]), {"axis": (0, -1)}), ((row, 0.99), {}),
      ((matrix, np.array([[0.2, 0.4]]), 0), {"keepdims": True}), ((matrix, 0.35), {"method": "nearest"}),
      ((scalar, 0.5), {})] + [((matrix, 0.42, -1), {"method": m}) for m in
                              ("weibull", "hazen", "median_unbiased", "normal_unbiased", "interpolated_inverted_cdf",
                               "lower", "higher", "inverted_cdf", "averaged_inverted_cdf")], (np.quantile,)),
    ([((row, 30.0), {}), ((cube, 61.0, 1), {"keepdims": True}), ((matrix, np.array([12.0, 77.0])), {"axis": 1})],
     (np.percentile,)),
    ([((np.array([0, 2, 2, 1]), np.array([1.0, 2.0, 3.0, 4.0])), {}),
      ((np.array([1, 1]),), {"weights": row[:2], "minlength": 4})],
     (np.bincount,)),
    ([((cube,), {}), ((cube, 1), {}), ((cube,), {"axis": None}), ((cube,), {"axis": (0, 2), "keepdims": True}),
      ((matrix,), {"axis": None, "initial": 2.5}), ((row,), {"axis": -1, "initial": 0.2})],
     (np.add.reduce, np.multiply.reduce, np.maximum.reduce, np.minimum.reduce)),
    ([((matrix,), {"where": mask}), ((matrix, 1), {"where": mask, "keepdims": True}), ((zeros_in,), {})],
     (np.add.reduce, np.multiply.reduce)),
    ([((cube,), {}), ((cube, -1), {}), ((complex_cube, 1), {}),
      ((zeros_in, 1), {})], (np.add.accumulate, np.multiply.accumulate)),
    ([((row, matrix), {}), ((2.0, row), {}), ((row, 2.0), {}), ((complex_cube, row), {}), ((1.0, 2.0), {}),
      ((row, empty), {})],
     (np.add.outer, np.subtract.outer, np.multiply.outer)),
] for f in functions for call in calls if isinstance(call[0][0], np.ndarray) or not isinstance(f, type(array.sum))]
if hasattr(np, "cumulative_sum"):
    CASES += [(f, (a,), kwargs) for f in (np.cumulative_sum, np.cumulative_prod) for first in (False, True)
              for a, kwargs in [(row, {"include_initial": first}), (np.array(0.7), {"include_initial": first}),
                                (cube, {"axis": 1, "include_initial": first}),
                                (zeros_in, {"axis": -1, "include_initial": first}),
                                (complex_cube, {"axis": 0, "include_initial": first})]]
CASES += [
    (np.histogram, (fixed,), {"bins": 4, "weights": np.abs(row)}),
    (np.histogram, (fixed.astype(int) * 2,), {"bins": [-1, 0, 2, 5], "weights": row}),
    (np.histogram, (fixed,), {"bins": 3, "range": (-1.0, 1.0), "weights": np.abs(row)}),
    (np.histogram, (fixed,), {"bins": [0.0, 1.0, 4.0], "density": True, "weights": np.abs(row) + 0.1}),
    (spread, (matrix, (3, 2, 4), 1), {}), (spread, (row[0], (3, 2)), {}),
    (spread, (thin, (2, 3, 4)), {"axis": (0, 2), "keepdims": True}),
    (spread, (matrix[:1, :1], (2, 3), None, True), {}),
    (unbroadcast, (cube, (3, 1)), {}), (unbroadcast, (cube, ()), {}), (unbroadcast, (matrix, (3, 4)), {}),
    (cumsum_from_end, (cube, -1), {}), (cumsum_from_end, (row, 0), {}),
]


@pytest.mark.filterwarnings("ignore:invalid value", "ignore:divide by zero", "ignore:Degrees of freedom")
@pytest.mark.parametrize(("function", "args", "kwargs"), CASES)
def test_adjoint_agrees_with_differences(function, args, kwargs):
    if any(getattr(a, "size", 1) == 0 or np.isnan(a).any() for a in args[:1] if isinstance(a, np.ndarray)):
        check_at_holes(function, args, kwargs)
    else:
        check_template(function, *args, **kwargs)


def check_at_holes(function, args, kwargs):
    """Differences at the elements that are numbers; at NaNs the adjoint is 0."""
    a, rule = args[0], lookup(function)
    rule = rule.for_call(rule.signature.bind(*args, **kwargs).arguments)
    holes = np.isnan(a)
    y = np.asarray(function(*args, **kwargs))
    y_bar = np.random.default_rng(0).standard_normal(y.shape)
    a_bar = rule.evaluate_adjoint("a" if "a" in rule.signature.parameters else "array", args, kwargs, y_bar)
    assert np.shape(a_bar) == a.shape
    assert not np.any(np.where(holes, a_bar, 0.0))
    direction, step = np.random.default_rng(1).standard_normal(a.shape), 1e-6
    plus, minus = (np.asarray(function(a + s * direction, *args[1:], **kwargs)) for s in (step, -step))
    want, got = np.sum(y_bar * (plus - minus)) / (2 * step), np.sum(a_bar * np.where(holes, 0.0, direction))
    assert got == pytest.approx(want, rel=2e-6, abs=2e-6)
    direction = np.where(holes, np.nan, direction)  # what a tangent holds there must not count
    y_dot = rule.evaluate_tangent({next(iter(rule.signature.parameters)): direction}, args, kwargs, function=function)
    assert np.shape(y_dot) == y.shape
    np.testing.assert_allclose(y_dot, (plus - minus) / (2 * step), rtol=2e-6, atol=2e-6)


def test_every_rule_has_a_case():
    assert uncovered_rules(rules_under_test, CASES) == []


def a_bar(function, a, *args, y_bar=1.0, of="a", **kwargs):
    return lookup(function).evaluate_adjoint(of, (a, *args), kwargs, y_bar)


@pytest.mark.parametrize(("function", "a", "want"), [
    (np.max, [2.0, 1.0, 2.0], [0.5, 0.0, 0.5]), (np.min, [2.0, 1.0, 1.0, 1.0], [0.0, 1 / 3, 1 / 3, 1 / 3]),
    (np.max, [1.0, np.nan, np.nan], [0.0, 0.5, 0.5]), (np.nanmax, [np.nan, 1.0, 1.0], [0.0, 0.5, 0.5]),
    (np.ptp, [1.0, 1.0], [0.0, 0.0]), (np.ptp, [3.0, 1.0, 3.0], [0.5, -1.0, 0.5]), (np.max, [np.inf, 1.0], [1.0, 0.0]),
    (np.prod, [2.0, 0.0, 3.0], [0.0, 6.0, 0.0]), (np.prod, [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]),
    (np.nanprod, [np.nan, 0.0, 3.0], [0.0, 3.0, 0.0]), (np.std, [2.0, 2.0], [0.0, 0.0]),
    (np.var, [2.0, 2.0], [0.0, 0.0]),
    (np.nanstd, [2.0, np.nan, 2.0], [0.0, 0.0, 0.0]), (np.median, [3.0, 1.0, 2.0, 4.0], [0.5, 0.0, 0.5, 0.0]),
    (np.median, [1.0, 1.0, 1.0], [0.0, 1.0, 0.0]),
])
def test_singular_points(function, a, want):
    np.testing.assert_allclose(a_bar(function, np.array(a)), want, atol=1e-15)
    along = [lookup(function).evaluate_tangent({"a": e}, (np.array(a),), {}) for e in np.eye(len(a))]
    np.testing.assert_allclose(along, want, atol=1e-15)


@pytest.mark.parametrize(("function", "a", "want"), [
    (np.max, [2.0, 1.0], 5.0), (np.ptp, [2.0, 1.5, 1.0], 4.0), (np.nanmax, [2.0, np.nan], 5.0),
    (np.median, [2.0, 9.0, -1.0], 5.0), (np.quantile, [2.0, 9.0, -1.0], 5.0),
])
def test_infinite_tangents_of_elements_that_are_not_taken_do_not_count(function, a, want):
    a_dot = np.full(len(a), np.inf)
    a_dot[0] = 5.0
    if function is np.ptp:
        a_dot[2] = 1.0
    args = (np.array(a), 0.5) if function is np.quantile else (np.array(a),)
    assert lookup(function).evaluate_tangent({"a": a_dot}, args, {}) == want


def test_a_constant_initial_wins_a_tie_and_an_active_one_shares_it():
    a = np.array([1.0, 3.0, 3.0])
    np.testing.assert_array_equal(extremum_weights(a, 3.0, initial=3.0), [0.0, 0.0, 0.0])
    np.testing.assert_allclose(extremum_weights(a, 3.0, initial=3.0, initial_shares=True), [0.0, 1 / 3, 1 / 3])
    assert a_bar(np.max, a, initial=3.0, of="initial") == pytest.approx(1 / 3)
    assert a_bar(np.max, a, initial=9.0, of="initial") == 1.0
    assert a_bar(np.min, a, initial=9.0, of="initial") == 0.0


def test_cumprod_with_zeros_and_with_underflow():
    np.testing.assert_array_equal(cumprod_adjoint(np.ones(4), np.array([2.0, 0.0, 3.0, 0.0])), [1.0, 8.0, 0.0, 0.0])
    np.testing.assert_allclose(cumprod_adjoint(np.array([0.0, 0.0, 1.0]), np.array([1e-200, 1e-200, 1e250])),
                               [1e50, 1e50, 0.0], rtol=1e-12)
    np.testing.assert_array_equal(cumprod_tangent(np.ones(4), np.array([2.0, 0.0, 3.0, 0.0])), [1.0, 2.0, 6.0, 0.0])
    np.testing.assert_allclose(cumprod_tangent(np.array([1.0, 1.0, 0.0]), np.array([1e-200, 1e-200, 1e250])),
                               [1.0, 2e-200, 2e50], rtol=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_a_group_without_elements_gives_zeros():
    np.testing.assert_array_equal(a_bar(np.nanmean, np.array([[np.nan], [2.0]]), 1, y_bar=np.ones(2)), [[0.0], [1.0]])
    for function in (np.mean, np.var, np.std):
        np.testing.assert_array_equal(a_bar(function, matrix, where=np.zeros(4, bool)), np.zeros((3, 4)))


@pytest.mark.parametrize("function", [np.sum, np.prod, np.mean, np.std, np.max, np.cumsum, np.cumprod])
def test_float32_agrees_with_float64(function):
    single = matrix.astype(np.float32)
    got = a_bar(function, single, axis=1, y_bar=function(single, axis=1))
    want = a_bar(function, matrix, axis=1, y_bar=function(matrix, axis=1))
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)


def test_methods_of_ufuncs_are_found_at_each_access():
    assert lookup(np.add.reduce) is lookup(ufunc_method(np.add, "reduce")) is not lookup(np.multiply.reduce)
    assert lookup(np.add.reduce).name == "numpy.add.reduce"
    assert lookup(np.multiply.reduceat) is None


def test_counts_are_inactive():
    assert is_inactive(extremum_weights) and not is_inactive(np.max)
